"""Commits and their messages: those of a turn, and those made outside sessions.

The latter are a colleague's, or the person's own. A starting session reads those since the last start.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from memcli.agents.capture import commit_memories, discarded, staleness, undone
from memcli.agents.capture.commit_memories import BODY
from memcli.agents.capture.normalize import clean
from memcli.agents.capture.undone import RevertedTurn
from memcli.memory import MAX_LABEL, entries, turn_commits
from memcli.project import Project
from memcli.repo import changes
from memcli.repo.changes import MadeCommit
from memcli.store import meta, sessions, set_meta
from memcli.store.inbox import READ_COMMIT
from memcli.store.oplog import Change
from memcli.text import ids

_MOST = 20  # commits at a start, the last
_LATE = 60_000  # ms after its last event that a commit still belongs to a session
_OF_TURN = 10  # commits of one turn that are kept, the last
# Lines of a message that say who or what wrote it, and nothing of the change.
_TRAILER = re.compile(
    r"^\W*(?:[A-Za-z]+(?:-[A-Za-z]+)*-(?:by|to|from|id|url): |(?:generated|created|written) (?:with|by) )", re.I
)


def unread(project: Project) -> list[MadeCommit]:
    """Returns the commits since the last start of a session that no session made."""
    before = meta(project.db, READ_COMMIT)
    if project.checkout is None or not project.commit or not before or before == project.commit:
        return []
    commits = changes.made(project.checkout, before, project.commit, _MOST)
    own = changes.identity(project.checkout) if commits else ("", "")

    def is_of_session(commit: MadeCommit) -> bool:
        if _is_by_other(commit, *own):  # made elsewhere: who was at work here then says nothing
            return bool(turn_commits.prompts_of(project.db, commit.id, commit.subject))
        return sessions.is_at_work(project.db, commit.at * 1000, _LATE)

    return [commit for commit in commits if not is_of_session(commit)]


def _is_by_other(commit: MadeCommit, name: str, email: str) -> bool:
    """Tells whether the author of a commit is not the person with this name and address."""
    return bool(email) and commit.author != name and commit.email.lower() != email.lower()


def reverting(project: Project, commits: Sequence[MadeCommit]) -> list[tuple[RevertedTurn, MadeCommit]]:
    """Returns the turns whose commits some commits from `unread` reverted, each with the reverting commit."""
    before = meta(project.db, READ_COMMIT)
    if not before or not project.commit or not any(changes.takes_back(it.subject, it.body) for it in commits):
        return []
    turns, _ = undone.by_reverts(project, before, project.commit)
    made = {commit.id: commit for commit in commits}
    return [(turn, made[turn.by.id]) for turn in turns if turn.by and turn.by.id in made]


def of_turn(project: Project, begun: int, ended: int) -> list[dict[str, str]]:
    """Returns the commits that were written in a turn, each as its id, subject and body, and its `author` where that is
    somebody else. The moments are in ms since 1970.
    """
    if project.checkout is None or project.is_user:
        return []
    written = changes.written_between(project.checkout, begun // 1000, ended // 1000 + 1, _OF_TURN)
    own = changes.identity(project.checkout) if written else ("", "")
    return [
        {
            "id": it.id,
            "subject": clean(it.subject, BODY),
            "body": clean(_without_trailers(it.body), BODY),
            **({"author": clean(it.author, MAX_LABEL)} if _is_by_other(it, *own) else {}),
        }
        for it in written
    ]


def _without_trailers(body: str) -> str:
    return "\n".join([line for line in body.split("\n") if not _TRAILER.match(line)]).strip()


def as_memories(
    project: Project,
    commits: Sequence[MadeCommit],
    closed: dict[str, MadeCommit],
    reverted: Sequence[tuple[RevertedTurn, MadeCommit]],
    gone: Sequence[RevertedTurn],
    at: int,
) -> list[Change]:
    """Returns the changes that store what happened before a session that starts `at`, and notes what is checked out. Runs inside
    the transaction.

    `closed`: by passage, the commit that closed its open point; `reverted`: the turns whose commits were reverted;
    `gone`: those whose uncommitted work is gone.
    """
    note_read(project)
    new = {commit.id: ids.new("M") for commit in commits if not commit_memories.is_kept(project, commit)}
    thread = project.config["capture.thread"]
    puts = [commit_memories.put(commit, new[commit.id], thread) for commit in commits if commit.id in new]
    done = {name: commit for name, commit in closed.items() if commit.id in new}
    taken_back = [(turn, new[commit.id], commit.at * 1000) for turn, commit in reverted if commit.id in new]
    lost = [(turn, ids.new("M"), at) for turn in gone]
    puts += [discarded.put(project, turn, memory_id, at) for turn, memory_id, _ in lost]
    closings = staleness.closings(project.db, done, [*taken_back, *lost], lambda commit: new[commit.id])
    return [*(entries.thread_change(project, thread) if puts else []), *puts, *closings]


def note_read(project: Project) -> None:
    """Notes that all commits up to HEAD have been read. Runs inside the transaction."""
    if project.commit:
        set_meta(project.db, READ_COMMIT, project.commit)
