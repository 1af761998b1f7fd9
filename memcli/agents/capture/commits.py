"""Commits that no session made: a colleague's, or the person's own. A session that starts reads those since the last start."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from memcli.agents.capture import staleness
from memcli.agents.capture.findings import TITLE, clipped
from memcli.memory import MAX_LABEL, entries
from memcli.project import Project
from memcli.repo import changes
from memcli.repo.changes import MadeCommit
from memcli.store import memories, meta, sessions, set_meta
from memcli.store.oplog import Change
from memcli.text import ids
from memcli.text.terminal import oneline

_READ = "read commit"  # key in meta: what was checked out when commits were read last
_MOST = 20  # commits at a start, the last
_BODY = 1_000  # characters of a message
_FILES = 12
_LATE = 60_000  # ms after its last event that a commit still belongs to a session


def unread(project: Project) -> list[MadeCommit]:
    """Returns the commits that came since the last start of a session and were made while none was at work."""
    before = meta(project.db, _READ)
    if project.checkout is None or not project.commit or not before or before == project.commit:
        return []
    commits = changes.made(project.checkout, before, project.commit, _MOST)
    return [commit for commit in commits if not sessions.is_at_work(project.db, commit.at * 1000, _LATE)]


def as_memories(project: Project, commits: Sequence[MadeCommit], closed: dict[str, MadeCommit]) -> list[Change]:
    """Returns the changes that keep some commits, and notes what is checked out; inside the transaction.

    `closed`: which of them did what a passage says was left to do.
    """
    if project.commit:
        set_meta(project.db, _READ, project.commit)
    new = {commit.id: ids.new("M") for commit in commits if memories.by_source(project.db, _source(commit)) is None}
    thread = project.config["capture.thread"]
    puts = [_put(commit, new[commit.id], thread) for commit in commits if commit.id in new]
    done = {name: commit for name, commit in closed.items() if commit.id in new}
    closings = staleness.closings(project.db, done, lambda commit: new[commit.id])
    return [*(entries.thread_change(project, thread) if new else []), *puts, *closings]


def _put(commit: MadeCommit, memory_id: str, thread: str) -> Change:
    files = [path for path in commit.files if len(path) <= MAX_LABEL][:_FILES]
    lines = [clipped(commit.body, _BODY), f"Files: {', '.join(files)}" if files else ""]
    fields: dict[str, Any] = {
        "title": clipped(f"{oneline(commit.author)} committed: {oneline(commit.subject)}", TITLE),
        "summary": "\n".join([line for line in lines if line]) or "Without a message body.",
        "thread": thread,
        "kind": "change",
        "tags": ["what-changed"],
        "entities": files,
        "anchor": commit.id,
        "created": commit.at * 1000,
        "source": _source(commit),
        "tools": [],
    }
    return Change("put", memory_id, fields)


def _source(commit: MadeCommit) -> str:
    return f"commit/{commit.id}"
