"""What a question is about: lines of a file, a file, or a commit."""

from __future__ import annotations

import os
import re
from typing import Literal

from memcli.errors import InvalidInput, NotFound
from memcli.project import Project
from memcli.records import Record
from memcli.repo import revisions
from memcli.repo.head import Checkout, is_bare
from memcli.text.terminal import is_storable, oneline

Kind = Literal["lines", "file", "commit"]
MOST_LINES = 1_000  # that one question may be about
_SPAN = re.compile(r"(?P<path>.+):(?P<first>\d{1,9})(?:-(?P<last>\d{1,9}))?", re.S)
_HINT = "give FILE, FILE:LINE, FILE:LINE-LINE or a commit"


class WhyTarget(Record):
    """The subject of a question. `span`: first and last line, None for all of the file; `commit`: empty for a file."""

    path: str = ""
    span: tuple[int, int] | None = None
    commit: str = ""


def split(text: str) -> tuple[str, tuple[int, int] | None]:
    """Returns the file and the lines that `FILE:LINE-LINE` means. Raises InvalidInput for lines that cannot be."""
    match = _SPAN.fullmatch(text)
    if match is None:
        return text, None
    first = int(match["first"])
    last = int(match["last"] or first)
    if not 1 <= first <= last:
        raise InvalidInput(f"{oneline(text)} is no range of lines", "lines count from 1, the smaller number first", "no_line")
    if last - first >= MOST_LINES:
        raise InvalidInput(f"{last - first + 1:,} lines are too many", f"ask about {MOST_LINES:,} at most, or the whole file")
    return match["path"], (first, last)


def parse(project: Project, text: str) -> WhyTarget:
    """Returns what a text means: a file that is there, else a commit, else a file that was there once.

    Raises InvalidInput or NotFound.
    """
    checkout = project.checkout
    if checkout is None:
        raise InvalidInput("this memory belongs to no git repository", "ask in a repository, or name one", "no_repository")
    if not text.strip() or not is_storable(text):
        raise InvalidInput("no file or commit is given", _HINT)
    if not is_bare(checkout):
        whole = _file(checkout, text)
        if whole is not None:
            return WhyTarget(whole)
        name, span = split(text)
        if span and (path := _file(checkout, name)) is not None:
            return WhyTarget(path, span)
    if commit := revisions.resolve(checkout, text):
        return WhyTarget(commit=commit)
    if not is_bare(checkout):
        path = _inside(checkout, split(text)[0])
        if path and revisions.latest(checkout, path, 1):
            return WhyTarget(path)
    raise NotFound(f"no file or commit {oneline(text)[:200]}", _HINT)


def _file(checkout: Checkout, text: str) -> str | None:
    """Returns the path of a file that the working tree or HEAD has, or None.

    Raises InvalidInput for what is no file of this repository.
    """
    path = _inside(checkout, text)
    if path is None:
        return None
    if path == ".":
        raise InvalidInput("that is the whole repository", _HINT)
    entry = revisions.entry(checkout, checkout.commit, path)
    full = os.path.join(checkout.root, path)
    if (module := _repository_above(checkout.root, path)) or (entry and entry.kind == revisions.SUBMODULE):
        name = oneline(module or path)
        raise InvalidInput(f"{name} is a repository of its own", f"ask in {name}, or about the commit that moved it", "submodule")
    is_folder = os.path.isdir(full) and not os.path.islink(full)
    if is_folder or (entry and entry.kind == revisions.FOLDER and not os.path.lexists(full)):
        raise InvalidInput(f"{oneline(path)} is a directory", "name a file in it", "directory")
    return path if entry or os.path.lexists(full) else None


def _inside(checkout: Checkout, text: str) -> str | None:
    """Returns a path from the top of the tree; the last step of one is taken as it is, a link or not."""
    full = os.path.normpath(os.path.join(checkout.root, text))
    top = os.path.realpath(checkout.root)
    full = os.path.join(os.path.realpath(os.path.dirname(full)), os.path.basename(full))
    if full == top:
        return "."
    if not full.startswith(top.rstrip(os.sep) + os.sep):
        if os.path.lexists(full) and os.path.isabs(text):
            raise InvalidInput(f"{oneline(text)} is outside the repository", f"give a file below {top}")
        return None
    path = os.path.relpath(full, top).replace(os.sep, "/")
    return None if ".git" in path.split("/") else path


def _repository_above(root: str, path: str) -> str:
    """Returns the directory of a path that holds a repository of its own, or ""."""
    parts = path.split("/")
    folders = ["/".join(parts[:count]) for count in range(1, len(parts) + 1)]
    return next((folder for folder in folders if os.path.lexists(os.path.join(root, folder, ".git"))), "")
