"""The lines of a file, each with the commit that brought it: what a person reads beside the reasons."""

from __future__ import annotations

import os

from memcli.errors import InvalidInput, NotFound
from memcli.fields import Result
from memcli.project import Project
from memcli.provenance.target import parse
from memcli.repo import blame, revisions, worktree
from memcli.repo.head import Checkout
from memcli.screening import mask
from memcli.store import catalogue
from memcli.text import dates
from memcli.text.terminal import oneline

_COMMITS = 200  # whose lines are told apart in a long history


class CodeLine(Result):
    """A line of a file, and the commit that brought it; None: none yet."""

    number: int
    text: str
    commit: str | None


class CodeCommit(Result):
    """A commit that brought some of the lines."""

    id: str
    author: str
    at: str
    subject: str


class NamingMemory(Result):
    """A memory that names the file."""

    id: str
    kind: str
    title: str
    at: str


class CodeLines(Result):
    """Lines of a file from `offset` on, the commits that brought them, and the newest memories that name the file."""

    path: str
    lines: list[CodeLine]
    total: int
    limit: int
    offset: int
    has_more: bool
    commits: list[CodeCommit]
    memories: list[NamingMemory]


def lines(project: Project, path: str, first: int, limit: int) -> CodeLines:
    """Returns lines of a file that git tracks, secrets masked. Raises InvalidInput, NotFound, MemError."""
    target = parse(project, path)
    checkout = project.checkout
    assert checkout is not None
    if not target.path or target.span:
        raise InvalidInput(f"{oneline(path)[:200]} is not a file", "give a path from the top of the repository")
    content = _content(project, checkout, target.path)
    every = content.decode("utf-8", "replace").removesuffix("\n").split("\n") if content else []
    if not every:
        return CodeLines(target.path, [], 0, limit, 0, False, [], _naming(project, target.path))
    if first > len(every):
        raise blame.no_line(target.path, len(every))
    last = min(len(every), first + limit - 1)
    authors = _authors(checkout, target.path, (first, last))
    texts = mask("\n".join(every)).text.split("\n")[first - 1 : last]  # every line keeps its number
    code_lines = [CodeLine(number, text, authors.get(number) or None) for number, text in enumerate(texts, first)]
    commits = revisions.described(checkout, list(dict.fromkeys([line.commit for line in code_lines if line.commit])))
    return CodeLines(
        path=target.path,
        lines=code_lines,
        total=len(every),
        limit=limit,
        offset=first - 1,
        has_more=last < len(every),
        commits=[
            CodeCommit(commit.id, commit.author, dates.iso(commit.at * 1000), commit.subject) for commit in commits.values()
        ],
        memories=_naming(project, target.path),
    )


def _content(project: Project, checkout: Checkout, path: str) -> bytes:
    """Returns what is in a file of the working tree. Raises InvalidInput or NotFound."""
    if not worktree.is_tracked(checkout, path):
        raise NotFound(f"git does not track {oneline(path)[:200]}", "name a file that it does")
    content = None if os.path.islink(os.path.join(project.root, path)) else worktree.content(project.root, path)
    if content is None:
        raise NotFound(f"{oneline(path)[:200]} is not in the working tree, or cannot be read", "see mem why FILE for its commits")
    if b"\0" in content[: worktree.SAMPLE]:
        raise InvalidInput(f"{oneline(path)[:200]} is binary and has no lines", "see mem why FILE for its commits", "binary")
    return content


def _authors(checkout: Checkout, path: str, span: tuple[int, int]) -> dict[int, str]:
    """Returns the commit of each line, "" for one that is not committed yet."""
    if checkout.commit is None:
        return {}
    start = checkout.commit if blame.has_filter(checkout, path) else None
    blamed, _ = blame.lines(checkout, path, span, start, _COMMITS)
    return {line.number: line.commit for line in blamed}


def _naming(project: Project, path: str) -> list[NamingMemory]:
    return [NamingMemory(*row[:3], dates.iso(row[3])) for row in catalogue.memories_naming(project.db, path)]
