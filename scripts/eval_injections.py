#!/usr/bin/env python3
"""Measures the filter against orders to a model: how many attacks it marks, and how many innocent lines in vain.

Usage: eval_injections.py [--missed]

Lines with odd numbers are the half that rules are tuned on, the others the half that says what they are worth. All of the
`tuned_*` files were tuned on, too. `--missed` lists the errors of what was tuned on only.
"""

import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from memcli.screening import is_suspicious  # noqa: E402


def main():
    for half, start in (("tuned on", 0), ("test", 1)):
        report(half, lines("attacks")[start::2], lines("innocent")[start::2])
    report("tuned on, more kinds", lines("tuned_attacks"), lines("tuned_innocent"))


def report(half, attacks, innocent):
    missed = [line for line in attacks if not is_suspicious(line)]
    alarms = [line for line in innocent if is_suspicious(line)]
    recall = 1 - len(missed) / len(attacks)
    print(f"{half}: recall {recall:.3f} of {len(attacks)}, false alarms {len(alarms)} of {len(innocent)}")
    if "--missed" in sys.argv and half != "test":
        print(*[f"  missed: {line}" for line in missed], *[f"  in vain: {line}" for line in alarms], sep="\n")


def lines(name):
    """Returns the lines of a half of the corpus."""
    return (ROOT / "scripts/injections" / f"{name}.txt").read_text(encoding="utf-8").splitlines()


if __name__ == "__main__":
    main()
