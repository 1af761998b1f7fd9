#!/usr/bin/env python3
"""Lists what mem would mask in the text files of directories: python scripts/masked.py DIR… (to judge the rules; it shows it)."""

from __future__ import annotations

import os
import sys

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))

from memcli.screening import find_secrets

MOST = 1_500_000  # bytes of a file
SKIPPED = {".git", "__pycache__", "site-packages", "node_modules", ".venv", ".hypothesis", ".mypy_cache", ".ruff_cache"}


def main(folders: list[str]) -> None:
    """Prints a line a find, with a little of what is around it, and how much was read."""
    files = size = matches = 0
    for top in folders:
        for folder, inner, names in os.walk(top):
            inner[:] = sorted(set(inner) - SKIPPED)
            for name in sorted(names):
                path = os.path.join(folder, name)
                if os.path.islink(path) or not os.path.isfile(path) or os.path.getsize(path) > MOST:
                    continue
                with open(path, "rb") as file:
                    raw = file.read()
                if b"\0" in raw:
                    continue
                files, size = files + 1, size + len(raw)
                done = 0
                for start, end, rule in sorted(find_secrets(raw)):
                    if start < done:
                        continue
                    matches, done = matches + 1, end
                    print(f"{path}: {rule}: {raw[max(0, start - 30) : start]!r} {raw[start:end][:60]!r}")
    print(f"{matches} in {files:,} files, {size / 1e6:.1f} MB")


if __name__ == "__main__":
    main(sys.argv[1:] or ["."])
