"""The files of a working tree: which git lists, and what their bytes are now. Nothing outside the tree is ever opened."""

from __future__ import annotations

import errno
import os

from memcli.errors import MemError
from memcli.text import bounded

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from memcli.repo.head import Checkout

SAMPLE = 8_000  # bytes in which git looks for a NUL to tell a binary file
_MOST = 2 << 20  # bytes of one file that are hashed; of a larger one these, and its size
_LARGEST = 8 << 20  # bytes of a file that is read whole
_BLOCK = 1 << 18
_LIST_SECONDS = 5.0  # after which we look for a file that holds git up
_MOST_LIST_SECONDS = 300.0  # a walk through a million files on a cold disk
_MANY_STARS = "a pattern with many stars, or more than 16 MiB"
_FILE = os.O_RDONLY
for _name in ("O_CLOEXEC", "O_NONBLOCK", "O_NOFOLLOW", "O_BINARY"):  # where the system has it
    _FILE |= getattr(os, _name, 0)


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

    try:
        file = bounded.open_regular(full)
    except OSError as problem:
        if problem.errno == errno.EINVAL:
            return None
        raise
    try:
        size = os.fstat(file).st_size
        digest, unread = sha1(), _MOST
        while unread and (block := os.read(file, min(unread, _BLOCK))):
            digest.update(block)
            unread -= len(block)
        return str(digest.hexdigest()) if size <= _MOST else f"{digest.hexdigest()}-{size}"
    finally:
        os.close(file)


def inode(root: str, checkout: Checkout | None) -> int:
    """Returns the inode by which a moved tree is recognised: of its git directory, else its own; 0 where it is gone."""
    try:
        return os.stat(checkout.git_dir if checkout else root).st_ino
    except (OSError, ValueError):
        return 0


def stamp(root: str, path: str) -> tuple[int, int] | None:
    """Returns the size in bytes and the mtime in ns of what is at a path of a tree, of a link its own; None where nothing is."""
    try:
        status = os.lstat(os.path.join(root, path))
    except (OSError, ValueError):
        return None
    return status.st_size, status.st_mtime_ns


def has_changed_since(root: str, paths: Iterable[str], moment: int) -> bool:
    """Tells whether a file changed, or went, after a moment in ns of the clock of files; of one that went its folder tells it."""
    for path in paths:
        while path.strip("/") and stamp(root, path) is None:
            path = os.path.dirname(path)
        status = stamp(root, path)
        if status and status[1] > moment:
            return True
    return False


def content(root: str, path: str) -> bytes | None:
    """Returns the bytes of a file of a tree; None for what is none, is outside, cannot be read, or is larger than 8 MiB."""
    full = place(root, path)
    top = os.path.realpath(root)
    return None if full is None else bounded.read_below(top, os.path.relpath(full, top), _LARGEST)


def blob_id(content: bytes) -> str:
    """Returns the id that git gives to a file with these bytes: the SHA-1 of `blob`, their number, a NUL and them."""
    from _sha1 import sha1

    digest = sha1(b"blob %d\0" % len(content))
    digest.update(content)
    return str(digest.hexdigest())


def is_blob(content: bytes, blob: str) -> bool:
    """Tells whether bytes are those of a blob, whatever their line ends are."""
    return blob in (blob_id(content), blob_id(content.replace(b"\r\n", b"\n")))


def listed(checkout: Checkout, scopes: Sequence[str] = ()) -> tuple[list[str], int]:
    """Returns the paths that git tracks and those that it neither tracks nor ignores, and how many directories it could not read.

    Paths are from the top of the tree, with slashes; a submodule or a repository inside the tree is listed by its own path. What
    is tracked may be gone. `scopes`: only what is these paths or lies under them. Raises MemError where git cannot tell.
    """
    from memcli.repo import blocking, gitrun

    words = ("--literal-pathspecs", "ls-files", "-z", "--cached", "--others", "--exclude-standard", "--", *scopes)
    result = gitrun.run(words, checkout.root, limit=_LIST_SECONDS)
    if result.code == gitrun.TIMED_OUT:
        if path := blocking.file_below(checkout.root):
            raise MemError(f"git cannot list the files: {path} is no regular file", "remove it", "git")
        if path := blocking.endless_rule_below(checkout.root):
            raise MemError(f"git cannot list the files: {path} has {_MANY_STARS}", "write it with fewer", "git")
        gitrun.retry(checkout.root)
        result = gitrun.run(words, checkout.root, limit=_MOST_LIST_SECONDS)
    if result.code:
        hint = gitrun.HINTS.get(result.code, f"see what git ls-files says in {checkout.root}")
        raise MemError(f"git cannot list the files: {result.reason}", hint, "git")
    unreadable = result.err.count(b"could not open directory")
    paths = dict.fromkeys(result.out.split(b"\0"))  # an unmerged file is listed once for each side
    paths.pop(b"", None)
    return [os.fsdecode(path).rstrip("/") for path in paths], unreadable


def is_tracked(checkout: Checkout, path: str) -> bool:
    """Returns whether git tracks a path given from the top of the tree, and True where it cannot tell. Runs git once."""
    from memcli.repo import gitrun

    result = gitrun.run(("--literal-pathspecs", "ls-files", "-z", "--cached", "--", path), checkout.root)
    return bool(result.code or result.out)


def exclude(checkout: Checkout, path: str) -> None:
    """Has git ignore a path given from the top of the tree, in this clone only. Raises OSError where that cannot be written."""
    from memcli.text import files

    line = f"/{path}"
    name = os.path.join("info", "exclude")
    full = os.path.join(checkout.common_dir, name)
    content = bounded.read(full, _LARGEST) if os.path.lexists(full) else b""
    text = None if content is None or bounded.is_linked(checkout.common_dir, name) else files.decoded(content)
    if text is None or line in text.splitlines():
        return
    os.makedirs(os.path.dirname(full), exist_ok=True)
    files.write(full, f"{text.rstrip()}\n{line}\n".lstrip("\n"), follows=False)


class Top:
    """The top of a tree, held open: files are opened from it step by step, and no step follows a link."""

    def __init__(self, root: str) -> None:
        """Raises OSError where the directory cannot be opened."""
        self.root = root
        self._folder = os.open(root, os.O_RDONLY | getattr(os, "O_CLOEXEC", 0)) if bounded.BENEATH else -1

    def open(self, path: str) -> int:
        """Returns a descriptor of a file given by its path from the top. Raises OSError, for a link in the path too."""
        return bounded.open_from(self._folder, path) if bounded.BENEATH else os.open(os.path.join(self.root, path), _FILE)

    def close(self) -> None:
        """Lets go of the directory."""
        if self._folder >= 0:
            os.close(self._folder)
            self._folder = -1
