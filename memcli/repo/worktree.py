"""The files of a working tree: what is in them now, by their own bytes. Nothing outside the tree is ever opened."""

from __future__ import annotations

import os

TYPE_CHECKING = False
if TYPE_CHECKING:
    from memcli.repo.head import Checkout

_MOST = 2 << 20  # bytes of one file that are hashed; of a larger one these, and its size
_LARGEST = 8 << 20  # bytes of a file that is read whole
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
        found, unread = sha1(), _MOST
        while unread and (block := os.read(file, min(unread, _BLOCK))):
            found.update(block)
            unread -= len(block)
        return str(found.hexdigest()) if status.st_size <= _MOST else f"{found.hexdigest()}-{status.st_size}"
    finally:
        os.close(file)


def inode(root: str, checkout: Checkout | None) -> int:
    """Returns the number by which a tree is known that was moved: of its git directory, else of itself; 0 where it is gone."""
    try:
        return os.stat(checkout.git_dir if checkout else root).st_ino
    except (OSError, ValueError):
        return 0


def stamp(root: str, path: str) -> tuple[int, int] | None:
    """Returns the size in bytes and the time of change in ns of what is at a path of a tree, a link as such; None where nothing
    is."""
    try:
        found = os.lstat(os.path.join(root, path))
    except (OSError, ValueError):
        return None
    return found.st_size, found.st_mtime_ns


def content(root: str, path: str) -> bytes | None:
    """Returns the bytes of a file of a tree; None for what is none, is outside, cannot be read, or is larger than 8 MiB."""
    full = place(root, path)
    if full is None:
        return None
    try:
        file = os.open(full, _OPEN)
    except OSError:
        return None
    try:
        status = os.fstat(file)
        if status.st_mode & _KIND != _REGULAR or status.st_size > _LARGEST:
            return None
        parts = []
        left = _LARGEST + 1
        while left > 0 and (block := os.read(file, min(left, _BLOCK))):
            parts.append(block)
            left -= len(block)
        return b"".join(parts) if left > 0 else None
    except OSError:
        return None
    finally:
        os.close(file)


def blob_id(content: bytes) -> str:
    """Returns the id that git gives to a file with these bytes: the SHA-1 of `blob`, their number, a NUL and them."""
    from _sha1 import sha1

    found = sha1(b"blob %d\0" % len(content))
    found.update(content)
    return str(found.hexdigest())
