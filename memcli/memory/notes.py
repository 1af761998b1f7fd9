"""Notes of a day: what happened, a line or a few, kept under its date."""

from __future__ import annotations

from memcli.errors import Call, InvalidInput, Option
from memcli.memory.commit import commit, masked_text
from memcli.project import Project
from memcli.store import context, oplog
from memcli.store.context import Note
from memcli.store.oplog import Change
from memcli.text import dates, ids
from memcli.text.terminal import is_storable

MAX_DAYS = 366


def add(project: Project, text: str, actor: str) -> Note:
    """Keeps a note of today. Raises InvalidInput."""
    return store(project, checked(project, text), actor)


def store(project: Project, text: str, actor: str) -> Note:
    """Keeps a text that was checked as a note of today."""
    note_id = ids.new("N")
    body = {"day": dates.day(project.now), "text": text, "created": project.now}
    commit(project, lambda: [Change("note", note_id, body)], actor)
    note = context.find(project.db, Note, note_id)
    assert note is not None
    return note


def about_session(project: Project, session_id: str, text: str, at: int) -> list[Change]:
    """Returns the change that keeps one line about a session under the day of its first summary; none where it says so already,
    where somebody took it out, or where the settings want none. `at`: ms since 1970.
    """
    note_id = ids.of_text("N", session_id)  # one a session, whoever writes it
    note = context.find(project.db, Note, note_id)
    if not project.config["note.sessions"] or (note is None and oplog.of_object(project.db, note_id)):
        return []
    if note is None:
        return [Change("note", note_id, {"day": dates.day(at), "text": text, "created": at})]
    return [Change("note", note_id, {"text": text})] if note.text != text else []


def checked(project: Project, text: str) -> str:
    """Returns a note's text as it is stored, secrets masked. Raises InvalidInput."""
    limit = project.config["note.text"]
    if not text.strip():
        raise InvalidInput("the note is empty", ("give it some words: ", Call("note add", '"Deployed to staging"')))
    if len(text) > limit:
        raise InvalidInput(f"the note has {len(text):,} characters", f"the limit is {limit:,} (note.text); split it")
    if not is_storable(text):
        raise InvalidInput("the note holds a NUL or half a surrogate pair", "remove it: only Unicode text can be stored")
    masked = masked_text(project, text)
    if not masked.strip():
        raise InvalidInput("the note is private as a whole", "nothing was stored; leave something outside <private>")
    return masked


def recent(project: Project, days: int) -> list[Note]:
    """Returns the notes of today and the days before it, `days` in all, oldest first. Raises InvalidInput."""
    if not 1 <= days <= MAX_DAYS:
        raise InvalidInput(f"{days} days", ("give ", Option("days"), f" 1 to {MAX_DAYS}"))
    first = dates.day(max(0, project.now - (days - 1) * dates.DAY))
    return context.notes_between(project.db, first, dates.day(project.now))


def of_day(project: Project, day: str) -> list[Note]:
    """Returns the notes of one day, oldest first. Raises InvalidInput for what is no date."""
    date = dates.day(dates.parse(day))
    return context.notes_between(project.db, date, date)
