"""Reading files that a repository may contain: regular files only, up to a size, never waiting for one.

A clone can hold links to devices and to files elsewhere, an unpacked archive FIFOs and sparse files of any size. Whatever of a
working tree or a git directory is read, is opened here; `tests/repo/test_bounded.py` lists the modules that open their own files.
"""

from __future__ import annotations

import errno
import os

_KIND, _REGULAR = 0o170000, 0o100000
_BLOCK = 1 << 18
_FLAGS = os.O_RDONLY
for _name in ("O_CLOEXEC", "O_NONBLOCK", "O_NOCTTY", "O_BINARY"):  # where the system has it
    _FLAGS |= getattr(os, _name, 0)
_UNLINKED = getattr(os, "O_NOFOLLOW", 0)
_STEP = os.O_RDONLY | _UNLINKED | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_DIRECTORY", 0) | getattr(os, "O_CLOEXEC", 0)
BENEATH = os.open in os.supports_dir_fd


def open_regular(path: str) -> int:
    """Returns a descriptor of a regular file, links followed. Raises OSError, for everything else and for an impossible path too.

    What is no regular file is not even opened, because opening a device can be an act.
    """
    try:
        if os.stat(path).st_mode & _KIND == _REGULAR:
            file = os.open(path, _FLAGS)
            if os.fstat(file).st_mode & _KIND == _REGULAR:
                return file
            os.close(file)
    except ValueError:
        pass  # a NUL in the path
    raise OSError(errno.EINVAL, "not a regular file", path)


def open_below(root: str, path: str) -> int:
    """Returns a descriptor of a regular file by its path from the top of a tree. Raises OSError, for a link in the path too.

    So nobody who exchanges a part of the path after it was looked at has another file opened.
    """
    if not BENEATH:
        file = os.open(os.path.join(root, path), _FLAGS | _UNLINKED)
    else:
        top = os.open(root, os.O_RDONLY | getattr(os, "O_CLOEXEC", 0))
        try:
            file = open_from(top, path)
        finally:
            os.close(top)
    if os.fstat(file).st_mode & _KIND == _REGULAR:
        return file
    os.close(file)
    raise OSError(errno.EINVAL, "not a regular file", path)


def open_from(top: int, path: str) -> int:
    """Returns a descriptor of a file by its path from an open directory; no step follows a link. Raises OSError."""
    *folders, name = path.split(os.sep)
    at = top
    try:
        for folder in folders:
            step = os.open(folder, _STEP, dir_fd=at)
            if at != top:
                os.close(at)
            at = step
        return os.open(name, _FLAGS | _UNLINKED, dir_fd=at)
    finally:
        if at != top:
            os.close(at)


def read(path: str, most: int) -> bytes | None:
    """Returns the bytes of a regular file; None where there is none, it cannot be read, or it has more than `most` bytes."""
    try:
        return _whole(open_regular(path), most)
    except OSError:
        return None


def read_below(root: str, path: str, most: int) -> bytes | None:
    """Returns the bytes of a file by its path from the top of a tree, as `read` does; None for a link in the path, too."""
    try:
        return _whole(open_below(root, path), most)
    except (OSError, ValueError):
        return None


def _whole(file: int, most: int) -> bytes | None:
    """Returns the bytes of an open file, which it closes; None where there are more than `most`. Raises OSError."""
    try:
        content = first(file, most + 1)
    finally:
        os.close(file)
    return content if len(content) <= most else None


def first(file: int, most: int) -> bytes:
    """Returns the bytes of an open file from where it stands, `most` at most. Raises OSError."""
    blocks = []
    while most > 0 and (block := os.read(file, min(most, _BLOCK))):
        blocks.append(block)
        most -= len(block)
    return b"".join(blocks)


def leads_out(root: str, path: str) -> bool:
    """Tells whether `path`, relative or below `root`, is a link to what is not below `root`, or lies behind such a link."""
    full = os.path.join(root, path)
    if os.path.dirname(full) == root and not os.path.islink(full):
        return False
    top = os.path.realpath(root)
    return not os.path.realpath(full).startswith(os.path.join(top, ""))


def has_other_names(path: str) -> bool:
    """Tells whether a file has further names, which may stand outside of the tree: an archive can have hard links."""
    try:
        return os.lstat(path).st_nlink > 1
    except (OSError, ValueError):
        return False


def is_linked(root: str, path: str) -> bool:
    """Tells whether a link stands on the way from the top of a tree to `path`, a relative one, or at its end."""
    while path:
        if os.path.islink(os.path.join(root, path)):
            return True
        path = os.path.dirname(path)
    return False
