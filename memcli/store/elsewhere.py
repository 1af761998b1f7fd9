"""Where copies of a store were written that a person keeps elsewhere, so that they are known when the store is gone.

CONFIG/backups has a line for each: store, writer, copy. It stands beside the settings, because the data directory may be lost
as a whole.
"""

from __future__ import annotations

import contextlib
import os
from collections.abc import Sequence

from memcli import config
from memcli.errors import MemError
from memcli.text import bounded, files, json

NAME = "backups"
_LARGEST = 1 << 20  # bytes


def of(path: str) -> list[tuple[str, str]]:
    """Returns the copies of a store that are still there, oldest first, each as (the writer of the store, the copy)."""
    return [(writer, copy) for store, writer, copy in _lines() if store == path and os.path.isfile(copy)]


def note(path: str, writer: str, copy: str) -> None:
    """Notes the last copy of a store. A store that was begun anew has another writer, so the copy of before stays noted.

    What cannot be noted is left out: the copy is good without.
    """
    with contextlib.suppress(MemError, OSError, ValueError):
        others = [line for line in _read() if line[:2] != (path, writer)]
        os.makedirs(config.config_dir(), mode=0o700, exist_ok=True)
        _write([*others, (path, writer, copy)])


def _lines() -> list[tuple[str, str, str]]:
    try:
        return _read()
    except (MemError, OSError, ValueError):
        return []


def _read() -> list[tuple[str, str, str]]:
    """Returns the lines of the file without those that nobody can read. Raises MemError and OSError, ValueError for no text."""
    text = (bounded.read(os.path.join(config.config_dir(), NAME), _LARGEST) or b"").decode()
    return [line for line in map(_line, text.splitlines()) if line]


def _line(text: str) -> tuple[str, str, str] | None:
    try:
        line = json.loads(text)
    except json.Malformed:
        return None
    is_whole = isinstance(line, list) and len(line) == 3 and all(isinstance(part, str) for part in line)
    return (line[0], line[1], line[2]) if is_whole else None


def _write(lines: Sequence[tuple[str, str, str]]) -> None:
    files.write(os.path.join(config.config_dir(), NAME), "".join([json.dumps(list(line)) + "\n" for line in lines]), mode=0o600)
