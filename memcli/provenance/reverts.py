"""What was taken back and by whom: commits that others revert, what a person's prompt took back, commands that somebody undid,
changes back to what was before."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal

from memcli.fields import Result
from memcli.memory.projection import fold
from memcli.provenance import authors
from memcli.repo import changes, revisions
from memcli.store import catalogue, memories, oplog, passages, sessions
from memcli.text import dates, json
from memcli.text.ids import anchor_commit
from memcli.text.terminal import oneline

if TYPE_CHECKING:
    from memcli.project import Project
    from memcli.repo.head import Checkout
    from memcli.repo.revisions import DescribedCommit
    from memcli.store import Connection
    from memcli.store.oplog import LoggedOperation

COMMITS = 1_000  # of HEAD's history that are looked at
_UNDONE = 200
OPERATIONS = 20_000  # the last of the log that are looked at for changes back
PROMPTS = 5_000  # the last that are looked at
_OVERTAKEN = 1_000  # the last choices that were overtaken
_COMMIT, _OF_NOBODY = "commit:", "commit/"  # in the source id of what a session committed, and before what none did
_EXCERPT = 400  # characters of a prompt or a statement
_NO_TEXT = ("anchor", "via")  # fields that nobody writes
_TITLES = ("title", "reason", "text", "value")  # of the body of an operation, what its object is called


class Reversal(Result):
    """Something that was taken back. `kind`: commit, prompt, the kind of the operation that was undone, or pin, unpin or edit.

    `how`: by a commit, by a person's prompt, by undoing a command, or by a change that puts something back as it was. `title`:
    what was taken back, and `of` its id, where that is known, as a prompt may not tell; `id`: what did it; `by`: who did.
    `session`, `session_title`: of the agent that did it; `prompt`, `asked`: the prompt of a person that asked for it.
    """

    how: Literal["commit", "prompt", "undo", "change"]
    kind: str
    title: str
    of: str | None
    id: str
    by: str
    session: str | None
    session_title: str
    at: str
    prompt: str | None = None
    asked: str = ""


def taken_back(project: Project) -> list[Reversal]:
    """Returns what the last commits of HEAD's history reverted, what persons asked to take back, and what was undone in the
    memory, latest first."""
    by_commits = _by_commits(project)
    prompts = {it.prompt for it in by_commits}
    by_prompts = [it for it in _by_prompts(project.db) if it.prompt not in prompts]
    every = [*by_commits, *by_prompts, *_by_undo(project.db), *_by_change(project.db)]
    return sorted(every, key=lambda it: it.at, reverse=True)


def of(project: Project, name: str) -> list[Reversal]:
    """Returns how a memory, a statement or a commit was taken back, the latest first."""
    memory = memories.find(project.db, name) if name.startswith("M-") else None
    taken, takers = {name}, set()
    source = (memory and memory.source_id) or ""
    if memory and _COMMIT in source:
        taken.add(anchor_commit(memory.anchor) or name)
    if source.startswith(_OF_NOBODY):
        taken.add(source.removeprefix(_OF_NOBODY))
    if memory and memory.superseded_by:
        by = passages.owner_of(memory.superseded_by)
        successor = memories.find(project.db, by)
        takers = {by, (successor and anchor_commit(successor.anchor)) or by}
        if oplog.ways_superseded(project.db, [memory.id]).get(memory.id) == "reverted":
            taken.add(anchor_commit(memory.anchor) or name)
    return [it for it in taken_back(project) if it.of in taken or _owner(it.of) in taken or {it.id, it.prompt} & takers]


def _owner(name: str | None) -> str | None:
    """Returns what a statement is a part of."""
    return name and passages.owner_of(name)


def _by_commits(project: Project) -> list[Reversal]:
    if project.checkout is None:
        return []
    subjects = revisions.subjects(project.checkout, COMMITS)
    subjects_reverted = {name: took for name, subject in subjects.items() if (took := changes.reverted_subject(subject))}
    reversals = []
    for name, commit in revisions.described(project.checkout, list(subjects_reverted)).items():
        of = changes.reverted_id(commit.body) or _of_subject(subjects_reverted[name], subjects)
        maker = authors.maker_of(project, commit)
        session = maker.session.id if maker else None
        prompt = maker.prompts[0] if maker and maker.prompts and maker.prompts[0].text else None
        title = oneline(changes.reverted_subject(commit.subject) or commit.subject)
        reversals.append(
            Reversal(
                how="commit",
                kind="commit",
                title=title,
                of=of,
                id=name,
                by=commit.author,
                session=session,
                session_title=_session_title(project.db, session) if session else "",
                at=dates.iso(commit.at * 1000),
                prompt=prompt.id if prompt else None,
                asked=oneline(prompt.text)[:_EXCERPT] if prompt else "",
            )
        )
    return reversals


def _by_prompts(db: Connection) -> list[Reversal]:
    """Returns what persons asked to take back in a session: what their prompt overtook of it, or else what they said."""
    from memcli.text import returns, statements  # heavy, and a mistyped command loads this module

    choices = (statements.DECISION, statements.INSTRUCTION, statements.PREFERENCE)
    chosen = passages.overtaken_choices(db, choices, _OVERTAKEN)
    overtaken = {passages.owner_of(it.superseded_by or ""): it for it in chosen}
    reversals = []
    for prompt in sessions.latest_prompts(db, PROMPTS):
        if sentence := returns.request(prompt.text):
            gone = next(iter(passages.overtaken_in(db, prompt.session, prompt.id)), None) or overtaken.get(prompt.id)
            session = sessions.id_of(db, prompt.session)
            reversals.append(
                Reversal(
                    how="prompt",
                    kind="prompt",
                    title=oneline(gone.statement or gone.text)[:_EXCERPT] if gone else "",
                    of=gone.id if gone else None,
                    id=prompt.id,
                    by=passages.PROMPT,
                    session=session,
                    session_title=_session_title(db, session) if session else "",
                    at=dates.iso(prompt.created_at),
                    prompt=prompt.id,
                    asked=oneline(sentence)[:_EXCERPT],
                )
            )
    return reversals


def reverted_by(checkout: Checkout, commit: DescribedCommit) -> DescribedCommit | None:
    """Returns the commit that another says to have taken back; None where it says so of none that is there."""
    subject, name = changes.reverted_subject(commit.subject), changes.reverted_id(commit.body)
    if subject and not name:
        name = _of_subject(subject, revisions.subjects(checkout, COMMITS)) or ""
    return revisions.described(checkout, [name]).get(name) if name else None


def reverting(checkout: Checkout, commit: DescribedCommit) -> DescribedCommit | None:
    """Returns the last commit of HEAD's history that says to have taken a commit back, None where none does."""
    subjects = revisions.subjects(checkout, COMMITS)
    candidates = [name for name, subject in subjects.items() if changes.reverted_subject(subject) == subjects.get(commit.id)]
    for other in revisions.described(checkout, candidates).values():
        if (changes.reverted_id(other.body) or _of_subject(subjects[commit.id], subjects)) == commit.id:
            return other
    return None


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
        if main and not any(_is_closing(db, op.object) for op in main):
            at = dates.iso(mark.hlc_ms)
            reversals.append(
                Reversal("undo", main[0].kind, _title(db, main[0]), main[0].object, mark.id, mark.actor, None, "", at)
            )
    return reversals


def _by_change(db: Connection) -> list[Reversal]:
    reversals = []
    for operation in oplog.further(db, OPERATIONS, _UNDONE):
        if (kind := _put_back(db, operation)) and not _is_closing(db, operation.object):
            session = sessions.by_name(db, (json.loads(operation.body).get("via") or {}).get("session") or "")
            name, title = (session.id, _session_title(db, session.id)) if session else (None, "")
            what = _title(db, operation), operation.object, operation.id, operation.actor
            reversals.append(Reversal("change", kind, *what, name, title, dates.iso(operation.hlc_ms)))
    return reversals


def _is_closing(db: Connection, name: str) -> bool:
    """Tells whether a memory closes what a session left open: to open it again takes back no work."""
    logged = oplog.of_object(db, name) if name.startswith("M-") else []
    return any(op.kind == "link" and json.loads(op.body).get("rel") == memories.CLOSES for op in logged)


def _put_back(db: Connection, operation: LoggedOperation) -> str:
    """Returns the kind of change that an operation reverts, by making the object what it was before its last change, or ""."""
    earlier = [other for other in oplog.of_object(db, operation.object) if other.revision < operation.revision]
    if operation.kind == "restore":
        return "forget" if fold(earlier).forgotten else ""
    now = _written(operation)
    # The last operation before it that wrote one of the same fields; the one that made the object does not count.
    last = next((at for at in range(len(earlier) - 1, 0, -1) if now.keys() & _written(earlier[at]).keys()), 0)
    before, changed = (fold(earlier[:end]).fields for end in (last, last + 1))
    if not now or not last or any(_value(before, name) != _value(now, name) for name in now):
        return ""
    if all(_value(changed, name) == _value(now, name) for name in now):
        return ""  # nothing lay between
    return ("unpin" if now["pinned"] else "pin") if now.keys() == {"pinned"} else "edit"


def _written(operation: LoggedOperation) -> dict[str, Any]:
    """Returns the fields that somebody changed by an operation."""
    fields = json.loads(operation.body) if operation.kind in ("put", "profile", "note") else {}
    return {name: value for name, value in fields.items() if name not in _NO_TEXT}


def _value(fields: dict[str, Any], name: str) -> Any:
    return fields.get(name) or None


def _session_title(db: Connection, session_id: str) -> str:
    names = catalogue.session_names(db, [sessions.number(db, session_id)])
    return next((title for _, title, _ in names.values()), "")


def _title(db: Connection, operation: LoggedOperation) -> str:
    """Returns what the object of an operation is called."""
    body = json.loads(operation.body)
    memory = memories.find(db, operation.object) if "title" not in body and operation.object.startswith("M-") else None
    if memory:
        return oneline(memory.title)
    title = next((body[name] for name in _TITLES if isinstance(body.get(name), str) and body[name]), "")
    return oneline(title or operation.object)
