"""The files of a working tree: what is in them now, by their own bytes. Nothing outside the tree is ever opened."""

from __future__ import annotations

import os

_MOST = 2 << 20  # bytes of one file that are hashed; of a larger one these, and its size
_BLOCK = 1 << 18
_OPEN = os.O_RDONLY | getattr(os, "O_CLOEXEC", 0) | getattr(os, "O_NONBLOCK", 0)  # a FIFO must not make us wait
_KIND, _REGULAR = 0o170000, 0o100000


def place(root: str, path: str) -> str | None:
    """Returns where a path named from the top of a tree really is; None where nothing is, or it is outside or in `.git`."""
    top = os.path.realpath(root)
    try:
        full = os.path.realpath(os.path.join(top, path), strict=True)
    except (OSError, ValueError):
        return None
    if not full.startswith(top.rstrip(os.sep) + os.sep):
        return None
    return None if ".git" in full[len(top) :].split(os.sep) else full


def fingerprint(full: str) -> str | None:
    """Returns the SHA-1 of a file's bytes in hex; of a file beyond 2 MiB that of its beginning, a dash and its size in bytes.

    None for what is no regular file. Raises OSError where one cannot be read.
    """
    from _sha1 import sha1  # type: ignore[import-not-found]  # hashlib costs 3 ms to import

    file = os.open(full, _OPEN)
    try:
        status = os.fstat(file)
        if status.st_mode & _KIND != _REGULAR:
            return None
        found, left = sha1(), _MOST
        while left and (block := os.read(file, min(left, _BLOCK))):
            found.update(block)
            left -= len(block)
        return str(found.hexdigest()) if status.st_size <= _MOST else f"{found.hexdigest()}-{status.st_size}"
    finally:
        os.close(file)
