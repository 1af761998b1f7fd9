#!/usr/bin/env python3
"""Measures the filter against orders to a model: how many attacks it marks, and how many innocent lines in vain.

Usage: eval_injections.py [--missed]

Lines with odd numbers are the half that rules are tuned on, the others the half that says what they are worth. `--missed` lists
the errors of the first half only.
"""

import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from memcli.screening import is_suspicious  # noqa: E402


def main():
    for half, start in (("tuned on", 0), ("test", 1)):
        attacks, innocent = lines("attacks")[start::2], lines("innocent")[start::2]
        missed = [line for line in attacks if not is_suspicious(line)]
        alarms = [line for line in innocent if is_suspicious(line)]
        print(
            f"{half}: recall {1 - len(missed) / len(attacks):.3f} of {len(attacks)},"
            f" false alarms {len(alarms)} of {len(innocent)} ({len(alarms) / len(innocent):.3f})"
        )
        if "--missed" in sys.argv and not start:
            print(*[f"  missed: {line}" for line in missed], *[f"  in vain: {line}" for line in alarms], sep="\n")


def lines(name):
    """Returns the lines of a half of the corpus."""
    return (ROOT / "scripts/injections" / f"{name}.txt").read_text(encoding="utf-8").splitlines()


if __name__ == "__main__":
    main()
