"""A first look at a file or a directory: what can be told of it without reading it whole."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cached_property
from typing import NoReturn, TypeVar

from memcli.errors import InvalidInput, NotFound
from memcli.store import foreign
from memcli.sync.sources.shape import Entry, skip
from memcli.text import bounded, files, json

T = TypeVar("T")
LARGEST = 64 << 20  # bytes of one text file
LARGEST_NOTE = 8 << 20  # of one that people write
_HEAD = 1 << 16
MOST_FILES = 20_000  # in a directory
_MOST_FOLDERS = 5_000
FILE_TIME = "times that are missing or cannot be read: taken as when the file changed last"
UNREADABLE = "files that cannot be read"
_SKIPPED = frozenset([".git", "node_modules", ".venv", "venv", "__pycache__"])


class Look:
    """What a path is: a directory and its names, a database and its tables, or a text and how it begins."""

    def __init__(self, path: str) -> None:
        self.path = path
        self.name = os.path.basename(path.rstrip("/"))
        self.is_folder = os.path.isdir(path)

    @cached_property
    def tables(self) -> frozenset[str]:
        """The tables of a database; none of anything else. Raises InvalidInput for a damaged one."""
        return frozenset() if self.is_folder or not foreign.is_database(self.path) else foreign.tables(self.path)

    @cached_property
    def head(self) -> str:
        """How a text begins; empty for a directory, a database, or what is no text."""
        return "" if self.is_folder or self.tables else _head(self.path)

    @cached_property
    def first_object(self) -> dict[str, object]:
        """The object in the first line that is not blank; empty where there is none."""
        line = next((line for line in self.head.splitlines() if line.strip()), "")
        return _object(line)

    @cached_property
    def whole_object(self) -> dict[str, object]:
        """The object that the whole of a JSON file is; empty where it is none, lines of objects, or too long to look at."""
        head = self.head.strip()
        if not head.startswith("{") or (self.first_object and "\n" in head):
            return {}
        try:
            return self.first_object or _object(read_text(self.path))
        except InvalidInput:
            return {}

    @cached_property
    def names(self) -> frozenset[str]:
        """The names in a directory; none of a file."""
        try:
            return frozenset(os.listdir(self.path)) if self.is_folder else frozenset()
        except OSError as problem:
            raise InvalidInput(f"{self.path} cannot be read: {(problem.strerror or '').lower()}", "check it") from None


def _head(path: str) -> str:
    file = _opened(path)
    try:
        return files.decoded(bounded.first(file, _HEAD)) or ""
    finally:
        os.close(file)


def _object(text: str) -> dict[str, object]:
    try:
        value = json.loads(text)
    except json.Malformed:
        return {}
    return value if isinstance(value, dict) else {}


def _opened(path: str) -> int:
    try:
        return bounded.open_regular(path)
    except FileNotFoundError:
        raise NotFound(f"nothing at {path}", "check the path") from None
    except OSError as problem:
        raise InvalidInput(f"{path} cannot be read: {(problem.strerror or '').lower()}", "give a regular file") from None


def read_text(path: str, most: int = LARGEST) -> str:
    """Returns the text of a file. Raises NotFound, or InvalidInput for what is no text or too long."""
    file = _opened(path)
    try:
        content = bounded.first(file, most + 1) if os.fstat(file).st_size <= most else None
    except OSError as problem:
        raise InvalidInput(f"{path} cannot be read: {(problem.strerror or '').lower()}", "check it") from None
    finally:
        os.close(file)
    if content is None or len(content) > most:
        raise InvalidInput(f"{path} has more than {most >> 20} MiB", "split it, or import a part of it")
    text = files.decoded(content)
    if text is None:
        raise InvalidInput(f"{path} is not text", "give the program's own file")
    return text


def read_note(path: str) -> str:
    """Returns the text of a Markdown file, whatever ends its lines.

    Raises NotFound, or InvalidInput for what is no text or too long.
    """
    return read_text(path, LARGEST_NOTE).replace("\r\n", "\n").replace("\r", "\n")


def read_json(path: str) -> object:
    """Returns the JSON value in a file. Raises NotFound, InvalidInput."""
    try:
        value: object = json.loads(read_text(path))
    except json.Malformed as error:
        raise InvalidInput(f"{path} is not JSON: {error}", "check it with the program that wrote it") from None
    return value


def child(folder: str, name: str) -> str | None:
    """Returns the path of a regular file in a directory; None where there is none. A link is not followed: it leads anywhere."""
    path = os.path.join(folder, name)
    return path if os.path.isfile(path) and not os.path.islink(path) else None


def refuse(folder: str, name: str) -> NoReturn:
    """Raises InvalidInput for a directory that lacks a regular file."""
    if os.path.lexists(os.path.join(folder, name)):
        raise InvalidInput(f"{name} in {folder} is not a regular file", "name the file itself")
    raise InvalidInput(f"no {name} in {folder}", "name the file itself, or the directory that holds it")


def changed(path: str) -> str:
    """Returns when a file changed last, as a moment."""
    from memcli.text import dates

    return dates.iso(max(0, int(os.stat(path).st_mtime * 1000)))


def files_below(top: str, endings: Sequence[str]) -> list[str]:
    """Returns the paths, from `top`, of the regular files with these endings, in order. Links are not followed.

    Raises InvalidInput for more than `MOST_FILES`, or too many directories.
    """
    paths: list[str] = []
    for folders, (folder, _, leaves) in enumerate(_walk(top)):
        for leaf in leaves:
            full = os.path.join(folder, leaf)
            if leaf.endswith(tuple(endings)) and not os.path.islink(full) and os.path.isfile(full):
                paths.append(os.path.relpath(full, top))
        if len(paths) > MOST_FILES or folders > _MOST_FOLDERS:
            raise InvalidInput(f"too many files below {top}", "give the directory that holds the notes")
    return sorted(paths)


def left_out_below(top: str, endings: Sequence[str]) -> list[Entry]:
    """Returns what says that links with these endings are not followed, and what else is no file or cannot be looked into."""
    problems: list[OSError] = []
    paths = [
        os.path.join(folder, leaf)
        for folder, _, leaves in _walk(top, problems.append)
        for leaf in leaves
        if leaf.endswith(tuple(endings))
    ]
    linked = [path for path in sorted(paths) if os.path.islink(path)]
    entries = [skip("links, which are not followed", os.path.relpath(path, top)) for path in linked]
    irregular = [path for path in sorted({*paths} - {*linked}) if not os.path.isfile(path)]
    entries += [skip("what is no regular file", os.path.relpath(path, top)) for path in irregular]
    return entries + [skip(UNREADABLE, os.path.relpath(problem.filename or top, top)) for problem in problems]


def read_each(top: str, names: Iterable[str], read: Callable[[str, str], T]) -> tuple[list[T], list[Entry]]:
    """Returns what `read` makes of each file, by its path and its name from `top`, and what says which cannot be read."""
    results: list[T] = []
    problems: list[Entry] = []
    for name in names:
        path = os.path.join(top, name)
        try:
            results.append(read(path, name))
        except (InvalidInput, NotFound) as error:
            problems.append(skip(UNREADABLE, str(error).replace(path, name)))
    return results, problems


def looks(folder: str, names: Iterable[str]) -> Iterator[Look]:
    """Yields a look at each of these that is a file and can be read."""
    for look in [Look(path) for name in names if (path := child(folder, name))]:
        try:
            look.head  # noqa: B018
        except InvalidInput:
            continue
        yield look


def _walk(top: str, problem: Callable[[OSError], None] | None = None) -> Iterator[tuple[str, list[str], list[str]]]:
    for folder, names, leaves in os.walk(top, onerror=problem):
        names[:] = sorted(name for name in names if name not in _SKIPPED)
        yield folder, names, leaves
