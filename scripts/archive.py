#!/usr/bin/env python3
"""Makes one executable file of mem, the wheels of what it needs and further files: `archive.py WHEEL DIRECTORY OUT [FILE...]`.

DIRECTORY has a directory of wheels for each version of Python (3.11, 3.12, ...). The file is a shell script with a zip archive
behind it (scripts/archive): the wheels as they are, and for each version the names of its own. Same wheels, same bytes.
"""

from __future__ import annotations

import hashlib
import sys
import zipfile
from io import BytesIO
from pathlib import Path

PARTS = Path(__file__).resolve().parent / "archive"


def main() -> int:
    """Writes the file. Returns 0."""
    own, folder, out, *others = map(Path, sys.argv[1:])
    versions = sorted((path.name for path in folder.iterdir()), key=lambda version: int(version.partition(".")[2]))
    members = {path.name: path.read_bytes() for path in (own, *others)}
    for version in versions:
        wheels = sorted((folder / version).glob("*.whl"))
        members |= {wheel.name: wheel.read_bytes() for wheel in wheels}
        members[version] = "\n".join(sorted([own.name, *[wheel.name for wheel in wheels]])).encode()
    for name, data in members.items():
        if name.endswith(".whl"):
            check(name, data)
    out.write_bytes(with_archive(start(versions, members), members))
    out.chmod(0o755)
    return 0


def check(name: str, data: bytes) -> None:
    """Raises SystemExit for a wheel that is not just unpacked: one with files for other directories."""
    with zipfile.ZipFile(BytesIO(data)) as wheel:
        if others := [entry for entry in wheel.namelist() if entry.partition("/")[0].endswith(".data")]:
            raise SystemExit(f"Error: {name} installs {others[0]}\nHint: scripts/archive/unpack.py has to learn that")


def start(versions: list[str], members: dict[str, bytes]) -> bytes:
    """Returns the script in front."""
    parts = [PARTS / "start.sh", PARTS / "unpack.py"]
    key = hashlib.sha256(b"".join([*[part.read_bytes() for part in parts], *[members[name] for name in sorted(members)]]))
    script = parts[0].read_text(encoding="utf-8")
    values = {
        "KEY": key.hexdigest()[:32],
        "PYTHONS": " ".join(versions),
        "NAMES": " ".join(f"python{version}" for version in reversed(versions)),
        "UNPACK": parts[1].read_text(encoding="utf-8").rstrip(),
    }
    for name, value in values.items():
        script = script.replace(f"@{name}@", value)
    return script.encode()


def with_archive(script: bytes, members: dict[str, bytes]) -> bytes:
    """Returns the script with a zip archive of files behind it, the same for the same ones. Wheels are compressed already."""
    target = BytesIO(script)
    target.seek(0, 2)
    with zipfile.ZipFile(target, "a") as archive:
        for name, data in sorted(members.items()):
            archive.writestr(zipfile.ZipInfo(name), data)
    return target.getvalue()


if __name__ == "__main__":
    sys.exit(main())
