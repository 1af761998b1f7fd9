#!/usr/bin/env python3
"""Measures which secrets of the corpus are masked (tests/screening/secret_corpus.py): python scripts/eval_secrets.py [--misses].

A secret counts as masked where two thirds of it can no longer be read. Every text stands alone, as a memory would. `--misses`
lists the texts of the tuning half that went wrong, and of the test half only their kinds. `--held-out` measures the corpora
that were written after the rules instead, and notes and situations, of which only the half "tuning" was looked at; `--tables`
two of long tables, lists and forms. Ends with 1 where a class is below its floor.
"""

from __future__ import annotations

import sys
from collections import Counter
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from memcli.screening import mask
from tests.screening.secret_corpus import (
    Sample,
    held_out,
    is_left,
    later,
    notes,
    outputs,
    samples,
    situations,
    tables_held_out,
    tables_tuned,
    tuned,
    unseen,
)

FLOORS = {"formats": 0.995, "formats in pieces": 0.95, "named values": 0.97, "passwords": 0.85, "others": 0.5}
MOST_FALSE = 2 / 210  # of the look-alikes
HALVES = ("tuning", "test")


def wrong(sample: Sample) -> bool:
    """Tells whether a secret can still be read, or something innocent was masked."""
    masked = mask(sample.text)
    return is_left(masked.text, sample.secret) if sample.secret else bool(masked.rules)


def main(arguments: list[str]) -> int:
    """Prints a row a class with the figures of both halves. Returns 1 where one is below its floor."""
    corpus = (
        held_out() + later() + unseen() + notes() + situations() if "--held-out" in arguments else samples() + tuned() + outputs()
    )
    corpus = tables_tuned() + tables_held_out() if "--tables" in arguments else corpus
    misses = [sample for sample in corpus if wrong(sample)]
    planted, missed = (Counter((sample.group, sample.half) for sample in some) for some in (corpus, misses))
    print(f"{'class':22}" + "".join(f"{half:>10}{'':8}" for half in HALVES) + "  floor")
    below = False
    for group in dict.fromkeys(sample.group for sample in corpus):
        cells = ""
        for half in HALVES:
            count, bad = planted[group, half], missed[group, half]
            has_floor = not group.endswith("look-alikes")
            if not count:
                cells += f"{'-':>18}"
                continue
            cells += f"{1 - bad / count:>10.3f} of {count:<4}" if has_floor else f"{bad:>10} of {count:<4}"
            below |= group in FLOORS and 1 - bad / count < FLOORS[group]
            below |= group == "look-alikes" and bad > MOST_FALSE * count
        print(f"{group:22}{cells}   {FLOORS.get(group, f'<= {MOST_FALSE:.1%}' if group == 'look-alikes' else '')}")
    if "--misses" in arguments:
        for sample in misses:
            detail = f"{sample.text!r} -> {mask(sample.text).text!r}" if sample.half == "tuning" else "(test half)"
            print(f"{sample.group}: {sample.kind}: {detail}")
    return below


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
