#!/usr/bin/env python3
"""Measures the filter against orders to a model: how many attacks it marks, and how many innocent lines in vain.

Usage: eval_injections.py [--missed]

All of these lines but `unlearned/*` were learned (train_orders.py), so that the figures say what is known; what is marked of
others is what `train_orders.py PACKAGES --check` counts. `attacks`, `tuned_*`, `held_*`, `later_*`, `fresh_*`, `unseen_*` and
`reworded_*` are of one author, `other_*`, `third_*`, `story_*` and `unlearned/*` of one each, who made them without the rules.
`matched_innocent` are ordinary uses of the words of attacks, `answers_innocent` what agents answer and call, `wishes` what people
wish of an agent of theirs. `--missed` lists the errors.
"""

import sys
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from memcli.screening import is_suspicious  # noqa: E402

NAMES = ("", "tuned", "held", "later", "fresh", "unseen", "reworded", "other", "third", "story")


def main():
    for name in NAMES:
        report(name, lines(f"{name}_attacks" if name else "attacks"), lines(f"{name}_innocent" if name else "innocent"))
    for name in ("matched_innocent", "answers_innocent", "wishes"):
        report(name, [], lines(name))
    report("unlearned", lines("unlearned/attacks"), lines("unlearned/innocent"))
    print(f"time: {milliseconds():.1f} ms for 1,000 characters of docs/")


def report(name, attacks, innocent):
    missed = [line for line in attacks if not is_suspicious(line)]
    alarms = [line for line in innocent if is_suspicious(line)]
    recall = f"recall {1 - len(missed) / len(attacks):.3f} of {len(attacks)}, " if attacks else ""
    print(f"{name or 'first'}: {recall}false alarms {len(alarms)} of {len(innocent)}")
    if "--missed" in sys.argv:
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
    """Returns the texts of a corpus, a line each; none where there is no such corpus."""
    path = ROOT / "scripts/injections" / f"{name}.txt"
    return [line.replace("\\n", "\n") for line in path.read_text(encoding="utf-8").splitlines()] if path.exists() else []


if __name__ == "__main__":
    main()
