"""Files beside a store that it does not need: copies made before a migration or a repair, and what a killed command left."""

from __future__ import annotations

import os
import time
from collections.abc import Iterable

_ABANDONED = 3600.0  # seconds after which no process is still writing an unfinished file
_BESIDE = ("", "-wal", "-shm", "-journal")
_LABELS = ("schema", "damaged", "before-repair")


def leftovers(path: str) -> list[str]:
    """Returns the unfinished files beside a store that no process is writing any more: left by a killed command."""
    folder, name = os.path.split(path)
    paths = []
    for entry in os.scandir(folder) if os.path.isdir(folder) else ():
        unfinished = ".new" in entry.name[len(name) :]
        if entry.name.startswith(name + ".") and unfinished and entry.is_file(follow_symlinks=False):
            try:
                if time.time() - entry.stat(follow_symlinks=False).st_mtime > _ABANDONED:
                    paths.append(entry.path)
            except FileNotFoundError:
                continue
    return sorted(paths)


def of(path: str) -> list[str]:
    """Returns the copies of a store beside it, made before a migration or a repair."""
    folder, name = os.path.split(path)
    prefixes = tuple([f"{name}.{label}-" for label in _LABELS])
    names = os.listdir(folder) if os.path.isdir(folder) else []
    return sorted([os.path.join(folder, it) for it in names if it.startswith(prefixes) and not it.endswith(("-wal", ".new"))])


def older(path: str, before: int) -> list[str]:
    """Returns the copies of a store that were made before a moment, in ms since 1970, and what was left unfinished."""
    return [it for it in of(path) if os.lstat(it).st_mtime * 1000 < before] + leftovers(path)


def delete(paths: Iterable[str]) -> None:
    """Deletes copies and their write-ahead logs."""
    for path in paths:
        for suffix in _BESIDE:
            if os.path.lexists(path + suffix):
                os.unlink(path + suffix)
