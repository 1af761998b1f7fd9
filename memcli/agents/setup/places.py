"""Where setup has written on this machine beside the person's own files, so that all of it can be taken out again.

DATA/setup has a line for each project that was set up, and for each directory that setup made for a file.
"""

from __future__ import annotations

import contextlib
import os
from collections.abc import Sequence

from memcli import config
from memcli.errors import MemError
from memcli.text import bounded, files, json

NAME = "setup"
PROJECT, FOLDER = "project", "folder"  # kinds of lines
_LARGEST = 1 << 20  # bytes


def of(kind: str) -> list[str]:
    """Returns the paths of a kind, oldest first."""
    return [path for other, path in _lines() if other == kind]


def note(kind: str, paths: Sequence[str]) -> None:
    """Notes paths. What cannot be noted is left out: setup works without."""
    lines = _lines()
    new = [(kind, path) for path in paths if (kind, path) not in lines]
    if new:
        _write([*lines, *new])


def drop(kind: str, paths: Sequence[str]) -> None:
    """Takes paths out of the notes."""
    lines = _lines()
    rest = [line for line in lines if line[0] != kind or line[1] not in paths]
    if rest != lines:
        _write(rest)


def missing_folders(path: str) -> list[str]:
    """Returns the directories that a file needs and that are not there."""
    folder, missing = os.path.dirname(os.path.realpath(path)), []
    while folder and not os.path.lexists(folder):
        missing.append(folder)
        folder = os.path.dirname(folder)
    return missing


def remove_empty(path: str) -> None:
    """Removes the directories above a file that setup made for it, as far as they are empty."""
    noted, removed, folder = of(FOLDER), [], os.path.dirname(os.path.realpath(path))
    with contextlib.suppress(OSError):
        while folder in noted:
            os.rmdir(folder)
            removed.append(folder)
            folder = os.path.dirname(folder)
    drop(FOLDER, removed)


def _lines() -> list[tuple[str, str]]:
    try:
        text = (bounded.read(os.path.join(config.data_dir(), NAME), _LARGEST) or b"").decode()
        return [(kind, path) for kind, path in (json.loads(line) for line in text.splitlines())]
    except (MemError, OSError, ValueError):
        return []


def _write(lines: Sequence[tuple[str, str]]) -> None:
    with contextlib.suppress(MemError, OSError, ValueError):
        os.makedirs(config.data_dir(), mode=0o700, exist_ok=True)
        text = "".join([json.dumps(list(line)) + "\n" for line in lines])
        files.write(os.path.join(config.data_dir(), NAME), text, mode=0o600)
