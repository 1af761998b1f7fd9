#!/usr/bin/env python3
"""Prints the licences of wheels with their texts, as the wheels bring them: `licenses.py FILE|DIRECTORY...`.

A wheel without a text ends it: what is shipped is shipped with its licence.
"""

from __future__ import annotations

import sys
import zipfile
from email.message import Message
from email.parser import HeaderParser
from pathlib import Path

WORDS = ("LICEN", "COPYING", "NOTICE", "AUTHORS")  # in the name of a file that has such a text
LINE = "=" * 100


def main() -> int:
    """Prints each package once. Returns 0."""
    paths = [path for word in sys.argv[1:] for path in ([Path(word)] if word.endswith(".whl") else Path(word).rglob("*.whl"))]
    packages = dict(sorted(package(path) for path in paths))
    print(f"What this release of mem consists of, {len(packages)} packages, and the licence of each.")
    for name, text in packages.items():
        print(f"\n{LINE}\n{name}\n{LINE}\n\n{text}")
    return 0


def package(path: Path) -> tuple[str, str]:
    """Returns a package's name, version and stated licence, and the texts that come with it. Raises SystemExit without one."""
    with zipfile.ZipFile(path) as wheel:
        inside = [name for name in wheel.namelist() if ".dist-info/" in name and not name.endswith("/")]
        about = HeaderParser().parsestr(wheel.read(next(n for n in inside if n.endswith("/METADATA"))).decode("utf-8"))
        texts = [wheel.read(name).decode("utf-8", "replace").strip() for name in inside if is_license(name)]
    if not texts:
        raise SystemExit(f"Error: {path.name} has no licence text\nHint: do not ship it")
    return f"{about['Name'].lower().replace('_', '-')} {about['Version']}: {stated(about)}", "\n\n".join(texts)


def stated(about: Message) -> str:
    """Returns the licence that a package's metadata state, "" where they state none."""
    classifiers = [it.rpartition(" :: ")[2] for it in about.get_all("Classifier") or () if it.startswith("License ::")]
    text = about["License-Expression"] or ", ".join(classifiers) or about["License"] or ""
    return str(text).strip().partition("\n")[0][:100]


def is_license(name: str) -> bool:
    """Tells whether a file of a wheel's description has a licence, a notice or who made it."""
    return "/licenses/" in name or any(word in name.rpartition("/")[2].upper() for word in WORDS)


if __name__ == "__main__":
    sys.exit(main())
