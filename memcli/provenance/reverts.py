"""What was taken back and by whom: commits that others revert, and commands that somebody undid."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

from memcli.fields import Result
from memcli.provenance import authors
from memcli.repo import changes, revisions
from memcli.store import catalogue, memories, oplog, sessions
from memcli.text import dates, json
from memcli.text.terminal import oneline

if TYPE_CHECKING:
    from memcli.project import Project
    from memcli.repo.head import Checkout
    from memcli.repo.revisions import DescribedCommit
    from memcli.store import Connection
    from memcli.store.oplog import LoggedOperation

_COMMITS = 1_000  # of HEAD's history that are looked at
_UNDONE = 200
_TITLES = ("title", "reason", "text", "value")  # of the body of an operation, what its object is called


class Reversal(Result):
    """Something that was taken back. `kind`: commit, or the kind of the operation that was undone; `by`: who did it.

    `title`: what was taken back, and `of` its id, where that is known; `id`: what did it. `session`, `session_title`: of
    the agent that made a commit.
    """

    how: Literal["commit", "undo"]
    kind: str
    title: str
    of: str | None
    id: str
    by: str
    session: str | None
    session_title: str
    at: str


def taken_back(project: Project) -> list[Reversal]:
    """Returns what the last commits of HEAD's history reverted, and what was undone in the memory, the latest first."""
    return sorted([*_by_commits(project), *_by_undo(project.db)], key=lambda it: it.at, reverse=True)


def _by_commits(project: Project) -> list[Reversal]:
    if project.checkout is None:
        return []
    subjects = revisions.subjects(project.checkout, _COMMITS)
    subjects_reverted = {name: took for name, subject in subjects.items() if (took := changes.reverted_subject(subject))}
    reversals = []
    for name, commit in revisions.described(project.checkout, list(subjects_reverted)).items():
        of = changes.reverted_id(commit.body) or _of_subject(subjects_reverted[name], subjects)
        session = authors.maker_of(project, name)
        title = oneline(changes.reverted_subject(commit.subject) or commit.subject)
        session_title = _session_title(project.db, session) if session else ""
        at = dates.iso(commit.at * 1000)
        reversals.append(Reversal("commit", "commit", title, of, name, commit.author, session, session_title, at))
    return reversals


def reverted_by(checkout: Checkout, commit: DescribedCommit) -> DescribedCommit | None:
    """Returns the commit that another says to have taken back; None where it says so of none that is there."""
    subject, name = changes.reverted_subject(commit.subject), changes.reverted_id(commit.body)
    if subject and not name:
        name = _of_subject(subject, revisions.subjects(checkout, _COMMITS)) or ""
    return revisions.described(checkout, [name]).get(name) if name else None


def _of_subject(subject: str, subjects: dict[str, str]) -> str | None:
    """Returns the only commit that has a subject, None where none has it, or several have. `subjects`: by commit."""
    same = [name for name, other in subjects.items() if other == subject]
    return same[0] if len(same) == 1 else None


def _by_undo(db: Connection) -> list[Reversal]:
    reversals = []
    for mark in oplog.undos(db, _UNDONE):
        undone = oplog.find(db, mark.object)
        command = oplog.of_command(db, undone.command) if undone else []
        main = [op for op in command if not op.object.startswith("T-")] or command
        if main:
            at = dates.iso(mark.hlc_ms)
            reversals.append(
                Reversal("undo", main[0].kind, _title(db, main[0]), main[0].object, mark.id, mark.actor, None, "", at)
            )
    return reversals


def _session_title(db: Connection, session_id: str) -> str:
    names = catalogue.session_names(db, [sessions.number(db, session_id)])
    return next((title for _, title, _ in names.values()), "")


def _title(db: Connection, operation: LoggedOperation) -> str:
    """Returns what the object of an operation is called."""
    body = json.loads(operation.body)
    title = next((body[name] for name in _TITLES if isinstance(body.get(name), str) and body[name]), "")
    memory = memories.find(db, operation.object) if not title and operation.object.startswith("M-") else None
    return oneline(title or (memory.title if memory else operation.object))
