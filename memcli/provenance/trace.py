"""Agent Trace: which session wrote which lines of which commit, as records that other programs read.

The format is the public specification at agent-trace.dev, version 0.1 (github.com/cursor/agent-trace). A record is about one
commit of HEAD's history; lines count as that commit has them, which its section 6.5 asks for.
"""

from __future__ import annotations

from collections.abc import Iterator
from hashlib import sha256
from typing import Any
from uuid import NAMESPACE_URL, uuid5

from memcli import __version__
from memcli.errors import InvalidInput
from memcli.project import Project
from memcli.provenance import authors
from memcli.provenance.authors import Author
from memcli.repo import revisions
from memcli.repo.revisions import DescribedCommit
from memcli.store import authorship
from memcli.text import dates, json

VERSION = "0.1"
_PAGE = 1_000
_COMMITS_OF_A_FILE = 50  # the last that are looked at
_PATHS = 200  # of one commit
_AI = {"type": "ai"}


def lines(project: Project) -> Iterator[str]:
    """Yields a record a line, the oldest commits first. Raises InvalidInput without a git repository."""
    if project.checkout is None:
        raise InvalidInput("this memory belongs to no git repository", "export in a repository, or name one", "no_repository")
    edited = _edited_paths(project)
    names = {name: None for path in edited for name in revisions.latest(project.checkout, path, _COMMITS_OF_A_FILE)}
    described = revisions.described(project.checkout, list(names))
    for commit in sorted(described.values(), key=lambda commit: (commit.at, commit.id)):
        if files := _files(project, commit, edited):
            yield json.dumps(_record(project, commit, files))


def _edited_paths(project: Project) -> set[str]:
    """Returns every file that a session was seen to edit."""
    paths: set[str] = set()
    after = 0
    while page := authorship.everything(project.db, after, _PAGE):
        paths.update([row.path for row in page if row.path])
        after = page[-1].n
    return paths


def _record(project: Project, commit: DescribedCommit, files: list[dict[str, Any]]) -> dict[str, Any]:
    return {
        "version": VERSION,
        "id": str(uuid5(NAMESPACE_URL, _address(project, commit.id))),
        "timestamp": dates.iso(commit.at * 1000),
        "vcs": {"type": "git", "revision": commit.id},
        "tool": {"name": "mem", "version": __version__},
        "files": files,
    }


def _address(project: Project, name: str) -> str:
    """Returns the address by which a record refers to something of this memory: `mem show` takes its last part."""
    return f"mem:{project.repo_id}/{name}"


def _files(project: Project, commit: DescribedCommit, edited: set[str]) -> list[dict[str, Any]]:
    """Returns the files of a commit that sessions edited, each with what each session wrote."""
    assert project.checkout is not None
    files = []
    for path in revisions.changed_paths(project.checkout, commit, _PATHS):
        if path not in edited:
            continue
        stretches = revisions.added(project.checkout, commit, path)
        if conversations := _conversations(project, authors.of_commit(project, commit, [path]), path, stretches):
            files.append({"path": path, "conversations": conversations})
    return files


def _conversations(
    project: Project, made_by: list[Author], path: str, stretches: list[tuple[int, list[str]]]
) -> list[dict[str, Any]]:
    """Returns what each session wrote. A line of which no edit is known belongs to the session that edited the file last."""
    editing = [author for author in made_by if path in _paths_of(project, author)]
    ranges: dict[str, list[dict[str, Any]]] = {author.session.id: [] for author in editing}
    digests = {author.session.id: _digests(project, author, path) for author in editing}
    for start, stretch in stretches if editing else []:
        for first, count, session in _runs(stretch, digests, editing[0].session.id):
            text = "\n".join(stretch[first : first + count])
            ranges[session].append(
                {
                    "start_line": start + first,
                    "end_line": start + first + count - 1,
                    "content_hash": f"sha256:{sha256(text.encode('utf-8', 'replace')).hexdigest()}",
                }
            )
    return [_conversation(project, author, ranges[author.session.id]) for author in editing if ranges[author.session.id]]


def _paths_of(project: Project, author: Author) -> set[str]:
    return {row.path for row in authorship.of_sessions(project.db, [author.session.id], _PAGE)}


def _digests(project: Project, author: Author, path: str) -> set[str]:
    rows = authorship.of_sessions(project.db, [author.session.id], _PAGE)
    return {digest for row in rows if row.path == path for digest in row.lines.split()}


def _runs(stretch: list[str], digests_of: dict[str, set[str]], last: str) -> list[tuple[int, int, str]]:
    """Returns (index of the first line, how many, whose) of the runs of lines that one session wrote."""
    runs: list[tuple[int, int, str]] = []
    for index, line in enumerate(stretch):
        digest = authorship.digests(line)
        # A line that says too little has no digest, and goes with the one above it.
        writers = [session for session, digests in digests_of.items() if digest in digests]
        whose = writers[0] if writers else runs[-1][2] if runs and not digest else last
        if runs and runs[-1][2] == whose:
            runs[-1] = (runs[-1][0], runs[-1][1] + 1, whose)
        else:
            runs.append((index, 1, whose))
    return runs


def _conversation(project: Project, author: Author, ranges: list[dict[str, Any]]) -> dict[str, Any]:
    related = [{"type": "prompt", "url": _address(project, prompt.id)} for prompt in author.prompts]
    session = {"url": _address(project, author.session.id), "contributor": _AI, "ranges": ranges}
    return {**session, "related": related} if related else session
