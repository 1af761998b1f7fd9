#!/usr/bin/env python3
"""Prints the bill of materials of an installation as CycloneDX JSON, from locks/runtime.txt: `sbom.py VERSION`.

Licences are those that the installed packages state; of a package for another system, which is not installed, none is.
"""

from __future__ import annotations

import json
import os
import sys
import time
from email.message import Message
from importlib import metadata
from pathlib import Path
from typing import Any, cast

from licenses import stated

LOCK = Path(__file__).resolve().parent.parent / "locks/runtime.txt"


def main() -> int:
    """Prints the bill. Returns 0."""
    stamp = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(int(os.environ.get("SOURCE_DATE_EPOCH", "315532800"))))
    own = {"type": "application", "bom-ref": "memcli", "name": "memcli", "version": sys.argv[1]}
    components = [component(name, version) for name, version in locked(LOCK.read_text(encoding="utf-8"))]
    bill = {
        "bomFormat": "CycloneDX",
        "specVersion": "1.5",
        "version": 1,
        "metadata": {"timestamp": stamp, "component": own},
        "components": components,
    }
    print(json.dumps(bill, indent=1))
    return 0


def locked(text: str) -> list[tuple[str, str]]:
    """Returns the names and versions of a lock's packages."""
    lines = [line.partition(" ")[0] for line in text.splitlines() if "==" in line and not line.startswith((" ", "#"))]
    return [(name, version) for name, _, version in (line.partition("==") for line in lines)]


def component(name: str, version: str) -> dict[str, Any]:
    """Returns one package."""
    reference = f"pkg:pypi/{name}@{version}"
    license = installed_license(name)
    licenses = {"licenses": [{"license": {"name": license}}]} if license else {}
    return {"type": "library", "bom-ref": reference, "name": name, "version": version, "purl": reference, **licenses}


def installed_license(name: str) -> str:
    """Returns the licence that an installed package states, "" where none is stated or it is not installed."""
    try:
        return stated(cast(Message, metadata.metadata(name)))
    except metadata.PackageNotFoundError:
        return ""


if __name__ == "__main__":
    sys.exit(main())
