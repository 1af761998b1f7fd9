"""Which files of a tree are read: what git lists, or a walk finds, except what is ignored, linked, vendored or generated.

Every skipped file is counted by its reason. Only directories and ignore files are opened here.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from memcli.errors import InvalidInput
from memcli.ingest import rules
from memcli.records import Record
from memcli.repo import worktree
from memcli.repo.head import Checkout, storable_name
from memcli.text import bounded

if TYPE_CHECKING:
    from pathspec import GitIgnoreSpec

OWN_IGNORE, GIT_IGNORE = ".mempackignore", ".gitignore"
_MAX_IGNORE_BYTES = 1 << 20
_LONGEST_PATTERN = 1_000  # characters; to compile one of a million takes minutes
READ, GONE = "", "gone"  # beside the reasons for which a file is skipped


class TreeFiles(Record):
    """The files to read, path -> (size in bytes, mtime in ns), and how many were skipped, by reason."""

    stamps: dict[str, tuple[int, int]]
    skipped: dict[str, int]


def list_files(root: str, checkout: Checkout | None, scopes: Sequence[str], max_bytes: int) -> TreeFiles:
    """Lists the files of at most `max_bytes` in a tree, or in `scopes` of it (paths from its root). Raises MemError."""
    tree = _Tree(root, max_bytes)
    if checkout is not None:
        paths, unreadable = worktree.listed(checkout, scopes)
        tree.skip("unreadable", unreadable)
        for path in paths:
            tree.add(path)
    else:
        for scope in scopes or ("",):
            for path in _walk(tree, scope):
                tree.add(path)
    return TreeFiles(tree.stamps, tree.skipped)


def count_skipped(skipped: dict[str, int], reason: str) -> None:
    """Counts a file that is skipped; one that vanished is not counted."""
    if reason != GONE:
        skipped[reason] = skipped.get(reason, 0) + 1


class _Tree:
    """A tree while it is listed."""

    def __init__(self, root: str, max_bytes: int) -> None:
        self.root = root
        self.max_bytes = max_bytes
        self.stamps: dict[str, tuple[int, int]] = {}
        self.skipped: dict[str, int] = {}
        self.ignore = IgnoreFiles(root, OWN_IGNORE)
        self._folders: dict[str, str] = {"": READ}

    def skip(self, reason: str, count: int = 1) -> None:
        """Counts files that are skipped."""
        if count:
            self.skipped[reason] = self.skipped.get(reason, 0) + count

    def add(self, path: str) -> None:
        """Adds a file, or counts why it is skipped."""
        reason = self._skip_reason(path)
        if reason != READ:
            count_skipped(self.skipped, reason)

    def _skip_reason(self, path: str) -> str:
        if not _is_text(path):
            return "name"
        if storable_name(path) != path:
            return "secret in its name"
        folder, _, name = path.rpartition("/")
        folder_reason = self.folder(folder)
        if folder_reason in (GONE, "unreadable", "link"):
            return folder_reason
        try:
            status = os.lstat(f"{self.root}/{path}")
        except (FileNotFoundError, NotADirectoryError):
            return GONE
        except OSError:
            return "unreadable"
        if reason := _type_reason(self.root, path, status.st_mode):
            return reason
        # Our own ignore file has the last word: it can also bring back what the rules would skip.
        ignored = self.ignore.match(path)
        if ignored or (ignored is None and (reason := folder_reason or rules.of_name(name))):
            return "ignored" if ignored else reason
        if status.st_size > self.max_bytes:
            return "too large"
        self.stamps[path] = (status.st_size, status.st_mtime_ns)
        return READ

    def folder(self, path: str) -> str:
        """Returns why a directory is skipped, READ where it is not, GONE where it is no directory of the tree."""
        reason = self._folders.get(path)
        if reason is None:
            parent, _, name = path.rpartition("/")
            reason = self._folders[path] = self.folder(parent) or self._folder_reason(path, name)
        return reason

    def _folder_reason(self, path: str, name: str) -> str:
        try:
            mode = os.lstat(f"{self.root}/{path}").st_mode
        except PermissionError:
            return "unreadable"
        except OSError:
            return GONE
        if stat.S_ISLNK(mode):
            return "link"
        return rules.of_folder(name) if stat.S_ISDIR(mode) else GONE


def _type_reason(root: str, path: str, mode: int) -> str:
    """Returns why something is not read: it is a link, a repository of its own, a device; READ for a regular file."""
    if stat.S_ISREG(mode):
        return READ
    if stat.S_ISLNK(mode):
        target = os.path.realpath(f"{root}/{path}")
        return "link" if target.startswith(root.rstrip(os.sep) + os.sep) else "link that leaves the tree"
    return "repository" if stat.S_ISDIR(mode) else "special file"


def _walk(tree: _Tree, scope: str) -> Iterator[str]:
    """Yields the files under a path of a tree without git, except those that its `.gitignore` files match."""
    ignored = IgnoreFiles(tree.root, GIT_IGNORE)
    if scope and (ignored.match(scope) or not os.path.isdir(f"{tree.root}/{scope}")):
        if not ignored.match(scope):
            yield scope
        return
    pending = [scope]
    while pending:
        folder = pending.pop()
        try:
            with os.scandir(f"{tree.root}/{folder}" if folder else tree.root) as entries:
                children = sorted(entries, key=lambda entry: entry.name)
        except OSError:
            tree.skip("unreadable")
            continue
        if folder != scope and any(entry.name == ".git" for entry in children):
            tree.skip("repository")
            continue
        for entry in children:
            path = f"{folder}/{entry.name}" if folder else entry.name
            if entry.name == ".git" or not _is_text(path):
                tree.skip("name", int(entry.name != ".git"))
            elif not entry.is_dir(follow_symlinks=False):
                if not ignored.match(path):
                    yield path
            elif not ignored.match(path + "/"):
                # A directory that is skipped as a whole counts once. Exceptions may bring back files in any directory.
                own = tree.ignore.match(path + "/")
                reason = "ignored" if own else "" if own is False or tree.ignore.has_exceptions else tree.folder(path)
                if reason:
                    tree.skip(reason)
                else:
                    pending.append(path)


def _is_text(path: str) -> bool:
    try:
        path.encode()
    except UnicodeEncodeError:
        return False
    return True


class IgnoreFiles:
    """The ignore files of one name, such as `.mempackignore`, in the directories of a tree: git's syntax, git's precedence."""

    def __init__(self, root: str, name: str) -> None:
        self.root = root
        self.name = name
        self.has_exceptions = False  # whether a pattern with ! was read
        self._specs: dict[str, GitIgnoreSpec | None] = {}
        self._folders: dict[str, bool] = {"": False}

    def match(self, path: str) -> bool | None:
        """Returns True for a path that is ignored, False for one that is excepted, None where no pattern matches.

        A path that ends in a slash is a directory.
        """
        folder = path.rstrip("/").rpartition("/")[0]
        return True if self._is_folder_ignored(folder) else self._nearest_match(path)

    def _is_folder_ignored(self, folder: str) -> bool:
        ignored = self._folders.get(folder)
        if ignored is None:
            parent = folder.rpartition("/")[0]
            ignored = self._folders[folder] = self._is_folder_ignored(parent) or bool(self._nearest_match(folder + "/"))
        return ignored

    def _nearest_match(self, path: str) -> bool | None:
        """Returns what the nearest ignore file that matches says of a path, without regard to the directories above it."""
        folder = path.rstrip("/").rpartition("/")[0]
        while True:
            spec = self._spec(folder)
            if spec is not None:
                ignored = spec.check_file(path[len(folder) + 1 :] if folder else path).include
                if ignored is not None:
                    return ignored
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
            if not stat.S_ISREG(status.st_mode) or status.st_size > _MAX_IGNORE_BYTES:
                return None
        except OSError:
            return None
        content = bounded.read(path, _MAX_IGNORE_BYTES)
        if content is None:
            return None
        lines = content.decode("utf-8-sig", "surrogateescape").splitlines()
        name = os.path.relpath(path, self.root)
        if any(len(line) > _LONGEST_PATTERN for line in lines):
            raise InvalidInput(f"{name}: a pattern is longer than {_LONGEST_PATTERN} characters", "shorten or remove it")
        from pathspec import GitIgnoreSpec  # 40 ms, and most trees have no such file

        try:
            spec = GitIgnoreSpec.from_lines(lines)
        except ValueError as problem:
            raise InvalidInput(f"{name}: {problem}", "its syntax is that of .gitignore") from None
        except Exception:  # of the engine that pathspec uses: too many wildcards
            raise InvalidInput(f"{name}: its patterns are too many or too long", "have fewer wildcards") from None
        self.has_exceptions |= any(line.startswith("!") for line in lines)
        return spec
