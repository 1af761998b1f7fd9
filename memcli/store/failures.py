"""What to tell a person when SQLite or the file system refuses."""

from __future__ import annotations

import os

from memcli.errors import MemError

_WORDS: tuple[tuple[str, str, str], ...] = (
    ("Busy", "the store is busy: another process keeps it locked", "try again in a moment"),
    ("Locked", "the store is busy: another process keeps it locked", "try again in a moment"),
    ("Full", "no space left on the disk; nothing was stored", "free some space and try again"),
    ("ReadOnly", "the store is read-only; nothing was stored", "make its directory writable, or set MEMPACK_DATA_DIR"),
    ("CantOpen", "unable to open the store", "check the permissions of its directory, or set MEMPACK_DATA_DIR"),
    ("Corrupt", "the store is damaged", "run mem doctor --repair; it keeps the original"),
    ("NotADB", "the store's file is not a database", "run mem doctor --repair; it keeps the original"),
    ("IO", "the disk failed while the store was read or written", "check the disk, then run mem doctor"),
    ("NoMem", "out of memory", "free some memory and try again"),
)


def explain(error: Exception) -> MemError:
    """Returns what to tell a person about an error of SQLite or of the file system."""
    name = type(error).__name__.removesuffix("Error")
    for known, message, hint in _WORDS:
        if name == known:
            return MemError(message, hint, known.lower())
    if isinstance(error, OSError):
        reason = os.strerror(error.errno).lower() if error.errno else str(error)
        return MemError(f"{reason}: {error.filename}" if error.filename else reason, "check the path and its permissions", "os")
    return MemError(f"the store could not be used: {error}", "run mem doctor", "store")
