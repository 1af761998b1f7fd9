#!/usr/bin/env python3
"""Measures the filter against orders to a model: how many attacks it marks, and how many innocent lines in vain.

Usage: eval_injections.py [--missed]

Lines with odd numbers are the half that rules are tuned on, the others the half that says what they are worth. All of the
`tuned_*` files were tuned on, too. `held_*` is held out: written before the rules that weigh evidence, and looked at for the
figure only; its innocent lines are near ones, quoted attacks and rules for agents among them. `later_*` was written before the
last rules (requests, claims, calls of tools, comments, names, languages), and only its figure was looked at. `fresh_attacks` was
written after the rules that weigh, in words as unlike theirs as possible; who tunes on it writes another. `unseen_*` was
written after all rules, of varied kinds, with near innocent lines; the rules were not changed for it. `reworded_*` are the kinds
of the last lines of `tuned_*` in other words; the rules were not changed for it either. `wishes` are what
people wish of an agent of theirs, tuned on. `--missed` lists the errors of what was tuned on only.
"""

import sys
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from memcli.screening import is_suspicious  # noqa: E402


def main():
    for half, start in (("tuned on", 0), ("test", 1)):
        report(half, lines("attacks")[start::2], lines("innocent")[start::2])
    report("tuned on, more kinds", lines("tuned_attacks"), lines("tuned_innocent"))
    report("held out", lines("held_attacks"), lines("held_innocent"))
    report("written before the last rules", lines("later_attacks"), lines("later_innocent"))
    report("written afterwards", lines("fresh_attacks"), [])
    report("unseen", lines("unseen_attacks"), lines("unseen_innocent"))
    report("the same kinds, reworded", lines("reworded_attacks"), lines("reworded_innocent"))
    wishes = lines("wishes")
    print(f"wishes of people, tuned on: false alarms {sum(map(is_suspicious, wishes))} of {len(wishes)}")
    print(f"time: {milliseconds():.1f} ms for 1,000 characters of docs/")


def report(half, attacks, innocent):
    missed = [line for line in attacks if not is_suspicious(line)]
    alarms = [line for line in innocent if is_suspicious(line)]
    recall = 1 - len(missed) / len(attacks)
    print(f"{half}: recall {recall:.3f} of {len(attacks)}, false alarms {len(alarms)} of {len(innocent)}")
    if "--missed" in sys.argv and half.startswith("tuned"):
        print(*[f"  missed: {line}" for line in missed], *[f"  in vain: {line}" for line in alarms], sep="\n")


def milliseconds():
    """Returns the processor time that a chunk of prose takes, the least of three rounds."""
    prose = "".join(path.read_text(encoding="utf-8") for path in sorted((ROOT / "docs").glob("*.md")))
    chunks = [prose[start : start + 1000] for start in range(0, len(prose), 1000)]
    rounds = []
    for _ in range(3):
        began = time.process_time()
        for chunk in chunks:
            is_suspicious(chunk)
        rounds.append((time.process_time() - began) / len(chunks) * 1000)
    return min(rounds)


def lines(name):
    """Returns the lines of a half of the corpus."""
    return (ROOT / "scripts/injections" / f"{name}.txt").read_text(encoding="utf-8").splitlines()


if __name__ == "__main__":
    main()
