"""Commits made outside sessions, as memories: the subject is the title; the rest of the message and the files are the summary."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from memcli.agents.capture.findings import TITLE, clipped
from memcli.memory import MAX_LABEL
from memcli.store import memories, search
from memcli.store.oplog import Change
from memcli.text.terminal import oneline
from memcli.validity import is_visible

if TYPE_CHECKING:
    from memcli.project import Project
    from memcli.repo.changes import MadeCommit
    from memcli.store import Connection
    from memcli.store.memories import Memory

BODY = 1_000  # characters of a message that are kept
_FILES = 12
_ALIKE = 20  # memories with the same subject that are compared


def put(commit: MadeCommit, memory_id: str, thread: str) -> Change:
    """Returns the change that stores a commit under an id."""
    files = [path for path in commit.files if len(path) <= MAX_LABEL][:_FILES]
    lines = [clipped(commit.body, BODY), f"Files: {', '.join(files)}" if files else ""]
    fields: dict[str, Any] = {
        "title": clipped(f"{oneline(commit.author)} committed: {oneline(commit.subject)}", TITLE),
        "summary": "\n".join([line for line in lines if line]) or "Without a message body.",
        "thread": thread,
        "kind": "change",
        "tags": ["what-changed"],
        "entities": files,
        "anchor": commit.id,
        "created": commit.at * 1000,
        "source": _source(commit.id),
        "tools": [],
    }
    return Change("put", memory_id, fields)


def is_kept(project: Project, commit: MadeCommit) -> bool:
    """Tells whether a memory of a commit exists, even under the commit's id before a rebase or on another branch."""
    if of_commit(project.db, commit.id):
        return True
    fields = put(commit, "", "").body
    numbers = search.rows_with(project.db, "memory", search.quoted(oneline(commit.subject)), _ALIKE)
    return any(
        (it.title, it.summary) == (fields["title"], fields["summary"]) and is_visible(project, it.anchor)
        for it in memories.by_numbers(project.db, numbers).values()
        if (it.source_id or "").startswith(_source("")) and not it.forgotten
    )


def of_commit(db: Connection, commit: str) -> Memory | None:
    """Returns the memory of a commit."""
    return memories.by_source(db, _source(commit))


def _source(commit: str) -> str:
    return f"commit/{commit}"
