"""The files of a working tree as git sees them, and opening one so that nothing outside the tree can be reached."""

from __future__ import annotations

import os

from memcli.errors import MemError
from memcli.repo import gitrun

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from memcli.repo.head import Checkout

_LIMIT = 300.0  # seconds: a walk through a million files on a cold disk
_FILE = os.O_RDONLY | getattr(os, "O_CLOEXEC", 0) | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_NOFOLLOW", 0)
_FOLDER = _FILE | getattr(os, "O_DIRECTORY", 0)
_BENEATH = os.open in os.supports_dir_fd


def listed(checkout: Checkout, scopes: Sequence[str] = ()) -> tuple[list[str], int]:
    """Returns the paths that git tracks and those that it neither tracks nor ignores, and how many directories it could not read.

    Paths are from the top of the tree, with slashes; a submodule or a repository inside the tree is listed by its own path. What
    is tracked may be gone. `scopes`: only what is these paths or lies under them. Raises MemError where git cannot tell.
    """
    words = ("--literal-pathspecs", "ls-files", "-z", "--cached", "--others", "--exclude-standard", "--", *scopes)
    result = gitrun.run(words, checkout.root, limit=_LIMIT)
    if result.code:
        lines = result.err.decode("utf-8", "replace").strip().splitlines()
        reason = lines[-1].removeprefix("fatal: ") if lines else f"exit code {result.code}"
        raise MemError(f"git cannot list the files: {reason}", f"see what git ls-files says in {checkout.root}", "git")
    unreadable = result.err.count(b"could not open directory")
    paths = dict.fromkeys(result.out.split(b"\0"))  # an unmerged file is listed once for each side
    paths.pop(b"", None)
    return [os.fsdecode(path).rstrip("/") for path in paths], unreadable


class Top:
    """The top of a tree, held open: files are opened from it step by step, and no step follows a link."""

    def __init__(self, root: str) -> None:
        """Raises OSError where the directory cannot be opened."""
        self.root = root
        self._folder = os.open(root, os.O_RDONLY | getattr(os, "O_CLOEXEC", 0)) if _BENEATH else -1

    def open(self, path: str) -> int:
        """Returns a descriptor of a file given by its path from the top. Raises OSError, for a link in the path too."""
        if not _BENEATH:
            return os.open(os.path.join(self.root, path), _FILE)
        *folders, name = path.split("/")
        at = self._folder
        try:
            for folder in folders:
                step = os.open(folder, _FOLDER, dir_fd=at)
                if at != self._folder:
                    os.close(at)
                at = step
            return os.open(name, _FILE, dir_fd=at)
        finally:
            if at != self._folder:
                os.close(at)

    def close(self) -> None:
        """Lets go of the directory."""
        if self._folder >= 0:
            os.close(self._folder)
            self._folder = -1
