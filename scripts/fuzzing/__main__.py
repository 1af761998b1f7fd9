"""Feeds broken input to everything that reads foreign bytes, and prints the first input that a target does not bear.

Usage: scripts/fuzz [--seconds N] [--seed N] [--list] [TARGET...]

A target gets N seconds (10), always the same inputs for the same seed (1). TARGET may be the beginning of a name. Exits with 1
where an input was not borne; its bytes are printed as Python, small, with the traceback.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from tempfile import TemporaryDirectory

import scripts.fuzzing as fuzzing
from scripts.fuzzing.targets import targets


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seconds", type=float, default=10.0)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--list", action="store_true")
    parser.add_argument("target", nargs="*")
    options = parser.parse_args()
    with TemporaryDirectory(prefix="mem-fuzz-") as folder, targets(Path(folder)) as every:
        chosen = [target for target in every if not options.target or target.name.startswith(tuple(options.target))]
        if options.list or not chosen:
            print(*[target.name for target in every], sep="\n")
            return 0 if options.list else 2
        problems = 0
        for target in chosen:
            tried, problem = fuzzing.run(target, options.seed, options.seconds)
            print(f"{target.name}: {tried} inputs, {'a problem' if problem else 'well'}", flush=True)
            if problem:
                problems += 1
                print(f"{problem.data!r}\n{problem.text}", flush=True)
    return 1 if problems else 0


sys.exit(main())
