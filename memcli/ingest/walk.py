"""Which files of a tree are read: what git lists, or what a walk finds, less what is ignored, linked, fetched or made by tools.

Every file that is left out is counted by its reason. Nothing is opened here but directories and files that list what to ignore.
"""

from __future__ import annotations

import os
import stat

from memcli.errors import InvalidInput
from memcli.ingest import rules
from memcli.records import Record
from memcli.repo import files

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from pathspec import GitIgnoreSpec

    from memcli.repo.head import Checkout

OWN_IGNORE, GIT_IGNORE = ".mempackignore", ".gitignore"
_LARGEST_IGNORE = 1 << 20  # bytes
READ, PASS, GONE = "", "-", "gone"


class Seen(Record):
    """The files to keep, path -> (size in bytes, mtime in ns), and how many were left out, by reason."""

    files: dict[str, tuple[int, int]]
    skipped: dict[str, int]


def look(root: str, checkout: Checkout | None, scopes: Sequence[str], most: int) -> Seen:
    """Looks at a tree, or at `scopes` of it (paths from its top), for files of at most `most` bytes. Raises MemError."""
    tree = _Tree(root, most)
    if checkout is not None:
        paths, unreadable = files.listed(checkout, scopes)
        tree.skip("unreadable", unreadable)
        for path in paths:
            tree.add(path)
    else:
        for scope in scopes or ("",):
            for path in _walked(tree, scope):
                tree.add(path)
    return Seen(tree.found, tree.skipped)


class _Tree:
    """A tree while it is looked at."""

    def __init__(self, root: str, most: int) -> None:
        self.root = root
        self.most = most
        self.found: dict[str, tuple[int, int]] = {}
        self.skipped: dict[str, int] = {}
        self.ignore = Ignore(root, OWN_IGNORE)
        self._folders: dict[str, str] = {"": READ}

    def skip(self, reason: str, count: int = 1) -> None:
        """Counts files that are left out."""
        if count:
            self.skipped[reason] = self.skipped.get(reason, 0) + count

    def add(self, path: str) -> None:
        """Takes a file in, or counts why not. A file that is gone counts nowhere."""
        reason = self._why_not(path)
        if reason not in (READ, GONE):
            self.skip(reason)

    def _why_not(self, path: str) -> str:
        try:
            path.encode()
        except UnicodeEncodeError:
            return "name"
        folder, _, name = path.rpartition("/")
        above = self.folder(folder)
        if above in (GONE, "unreadable", "link"):
            return above
        try:
            status = os.lstat(f"{self.root}/{path}")
        except (FileNotFoundError, NotADirectoryError):
            return GONE
        except OSError:
            return "unreadable"
        if reason := _kind(self.root, path, status.st_mode):
            return reason
        ignored = self.ignore.says(path)
        if ignored or (ignored is None and (reason := above or rules.of_name(name))):
            return "ignored" if ignored else reason
        if status.st_size > self.most:
            return "too large"
        self.found[path] = (status.st_size, status.st_mtime_ns)
        return READ

    def folder(self, path: str) -> str:
        """Returns why what is in a directory is left out, READ where it is not, GONE where it is no directory of the tree."""
        found = self._folders.get(path)
        if found is None:
            above, _, name = path.rpartition("/")
            found = self._folders[path] = self.folder(above) or self._of_folder(path, name)
        return found

    def _of_folder(self, path: str, name: str) -> str:
        try:
            mode = os.lstat(f"{self.root}/{path}").st_mode
        except PermissionError:
            return "unreadable"
        except OSError:
            return GONE
        if stat.S_ISLNK(mode):
            return "link"
        return rules.of_folder(name) if stat.S_ISDIR(mode) else GONE


def _kind(root: str, path: str, mode: int) -> str:
    """Returns why something is no file to be read: a link, a repository of its own, a device; READ for a regular file."""
    if stat.S_ISREG(mode):
        return READ
    if stat.S_ISLNK(mode):
        target = os.path.realpath(f"{root}/{path}")
        return "link" if target.startswith(root.rstrip(os.sep) + os.sep) else "link that leaves the tree"
    return "repository" if stat.S_ISDIR(mode) else "special file"


def _walked(tree: _Tree, scope: str) -> Iterator[str]:
    """Yields the files under a path of a tree without git, without those that its `.gitignore` files name."""
    ignored = Ignore(tree.root, GIT_IGNORE)
    if scope and (ignored.says(scope) or not os.path.isdir(f"{tree.root}/{scope}")):
        if not ignored.says(scope):
            yield scope
        return
    waiting = [scope]
    while waiting:
        folder = waiting.pop()
        try:
            with os.scandir(f"{tree.root}/{folder}" if folder else tree.root) as entries:
                inside = sorted(entries, key=lambda entry: entry.name)
        except OSError:
            tree.skip("unreadable")
            continue
        if folder != scope and any(entry.name == ".git" for entry in inside):
            tree.skip("repository")
            continue
        for entry in inside:
            path = f"{folder}/{entry.name}" if folder else entry.name
            if entry.name == ".git" or not _is_text(path):
                tree.skip("name", int(entry.name != ".git"))
            elif not entry.is_dir(follow_symlinks=False):
                if not ignored.says(path):
                    yield path
            elif not ignored.says(path + "/"):
                waiting += _entered(tree, path)


def _entered(tree: _Tree, path: str) -> list[str]:
    """Returns a directory if it is to be walked through; one that is left out as a whole counts once."""
    own = tree.ignore.says(path + "/")
    reason = "ignored" if own else "" if own is False or tree.ignore.has_exceptions else tree.folder(path)
    if reason:
        tree.skip(reason)
    return [] if reason else [path]


def _is_text(path: str) -> bool:
    try:
        path.encode()
    except UnicodeEncodeError:
        return False
    return True


class Ignore:
    """What the files of one name, such as `.mempackignore`, say in the directories of a tree: git's syntax, git's precedence."""

    def __init__(self, root: str, name: str) -> None:
        self.root = root
        self.name = name
        self.has_exceptions = False  # a pattern with ! was read
        self._specs: dict[str, GitIgnoreSpec | None] = {}
        self._folders: dict[str, bool] = {"": False}

    def says(self, path: str) -> bool | None:
        """Returns True for a path that is ignored, False for one that is expressly not, None where nothing is said.

        A path that ends in a slash is a directory.
        """
        folder = path.rstrip("/").rpartition("/")[0]
        return True if self._is_out(folder) else self._decide(path)

    def _is_out(self, folder: str) -> bool:
        found = self._folders.get(folder)
        if found is None:
            above = folder.rpartition("/")[0]
            found = self._folders[folder] = self._is_out(above) or bool(self._decide(folder + "/"))
        return found

    def _decide(self, path: str) -> bool | None:
        folder = path.rstrip("/").rpartition("/")[0]
        while True:
            spec = self._spec(folder)
            if spec is not None:
                found = spec.check_file(path[len(folder) + 1 :] if folder else path).include
                if found is not None:
                    return found
            if not folder:
                return None
            folder = folder.rpartition("/")[0]

    def _spec(self, folder: str) -> GitIgnoreSpec | None:
        if folder not in self._specs:
            self._specs[folder] = self._read(f"{self.root}/{folder}/{self.name}" if folder else f"{self.root}/{self.name}")
        return self._specs[folder]

    def _read(self, path: str) -> GitIgnoreSpec | None:
        try:
            status = os.lstat(path)
            if not stat.S_ISREG(status.st_mode) or status.st_size > _LARGEST_IGNORE:
                return None
            with open(path, encoding="utf-8-sig", errors="surrogateescape") as file:
                lines = file.read().splitlines()
        except OSError:
            return None
        from pathspec import GitIgnoreSpec

        try:
            spec = GitIgnoreSpec.from_lines(lines)
        except ValueError as problem:
            raise InvalidInput(f"{os.path.relpath(path, self.root)}: {problem}", "its syntax is that of .gitignore") from None
        self.has_exceptions |= any(line.startswith("!") for line in lines)
        return spec
