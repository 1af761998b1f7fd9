#!/usr/bin/env python3
"""Prints what an installation brings beside memcli itself, a line an extra: how many packages, and how large they are.

Run it where memcli[all] is installed, as in the environment of scripts/test.
"""

from __future__ import annotations

import sys
from importlib.metadata import distribution, requires
from pathlib import Path

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

OWN = Path(__file__).resolve().parent.parent / "memcli"
EXTRAS = ("", "ingest", "browse", "all")


def main() -> int:
    """Prints the lines. Returns 0."""
    plain = packages("")
    print(f"{'':10} {len(plain):3} packages  {size(plain):4.0f} MB")
    for extra in EXTRAS[1:-1]:
        more = packages(extra) - plain
        print(f"[{extra}]".ljust(10), f"{len(more):3} more      {size(more):4.0f} MB")
    everything = packages("all")
    print(f"{'[all]':10} {len(everything):3} packages  {size(everything):4.0f} MB")
    own = [path for path in OWN.rglob("*") if path.is_file() and path.suffix != ".pyc"]
    print(f"memcli itself           {sum(path.stat().st_size for path in own) / 1e6:4.0f} MB")
    return 0


def packages(extra: str) -> set[str]:
    """Returns the names of all packages that memcli needs on this system, with an extra of its own."""
    names, waiting = set(), [("memcli", (extra,))]
    while waiting:
        name, extras = waiting.pop()
        if (name, extras) in names:
            continue
        names.add((name, extras))
        for requirement in map(Requirement, requires(name) or ()):
            if requirement.marker is None or any(requirement.marker.evaluate({"extra": it}) for it in (*extras, "")):
                waiting.append((canonicalize_name(requirement.name), tuple(sorted(requirement.extras))))
    return {name for name, _ in names} - {"memcli"}


def size(names: set[str]) -> float:
    """Returns the megabytes of the files of packages, as their wheels have them."""
    paths = [Path(str(file.locate())) for name in names for file in distribution(name).files or ()]
    return sum(path.stat().st_size for path in paths if path.suffix != ".pyc" and path.exists()) / 1e6


if __name__ == "__main__":
    sys.exit(main())
