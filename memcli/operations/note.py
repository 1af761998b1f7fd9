"""note: what happened, in a few lines, stored under its day."""

from __future__ import annotations

from typing import Any, Literal

from memcli import fields
from memcli.fields import Based, Request, Result
from memcli.memory.context import MAX_DAYS, change_note, checked_note, find_note, notes_of_day, recent_notes, store_note
from memcli.operations import Operation
from memcli.project import Project
from memcli.screening import is_suspicious
from memcli.store.context import Note
from memcli.text import dates
from memcli.validity import origin_of, writer_name


class NotesRequest(Request):
    """Which notes: those of one day, or of the last days."""

    day: str | None = fields.text("A day, such as 2026-03-01 or yesterday.", default=None, metavar="DAY")
    days: int = fields.number("How many days, today included.", default=3, minimum=1, maximum=MAX_DAYS)


class NoteRequest(Request):
    """A note of today."""

    text: str = fields.text("The note; - reads standard input.", max_length=65_536)


class NoteEdit(Based):
    """A note, and its new text."""

    id: str = fields.identifier()
    text: str = fields.text("The note; - reads standard input.", max_length=65_536)


class DayNote(Result):
    """A note."""

    id: str
    day: str
    text: str
    created_at: str
    origin: str
    trust: Literal["high", "medium", "low"]
    suspicious: bool
    revision: int
    author: str = ""  # of what another store wrote: what that is called


class OwnedNote(DayNote):
    """A note, and whether it is the person's own or the repository's."""

    source: Literal["user", "repository"] = fields.text("Whose it is.", default="repository", output="from")


def read(project: Project, request: NotesRequest) -> list[OwnedNote]:
    """Returns notes, including the person's own, oldest first. Raises InvalidInput."""
    listed = notes_of_day(project, request.day) if request.day is not None else recent_notes(project, request.days)
    return [
        OwnedNote(**_values(note), source="user" if is_own else "repository", author=writer_name(project, note.actor))
        for note, is_own in listed
    ]


def plan(project: Project, request: NoteRequest) -> str:
    """Returns the text as it is stored. Raises InvalidInput."""
    return checked_note(project, request.text)


def apply(project: Project, planned: str, actor: str) -> DayNote:
    """Stores the note under today."""
    return day_note(store_note(project, planned, actor))


def plan_edit(project: Project, request: NoteEdit) -> tuple[Note, str]:
    """Returns the note, and its new text as it is stored. Raises NotFound or InvalidInput."""
    return find_note(project, request.id), checked_note(project, request.text)


def apply_edit(project: Project, planned: tuple[Note, str], actor: str) -> DayNote:
    """Changes the note. Its day stays the same, and its history stays in the log."""
    return day_note(change_note(project, *planned, actor))


def day_note(note: Note) -> DayNote:
    """Returns the result for a note."""
    return DayNote(**_values(note))


def _values(note: Note) -> dict[str, Any]:
    values = {"id": note.id, "day": note.day, "text": note.text, "created_at": dates.iso(note.created_at)}
    return values | origin_of(note.actor).as_json() | {"suspicious": is_suspicious(note.text), "revision": note.revision}


OPERATIONS = {
    "note": Operation(
        "note", "Add a note for today.", NoteRequest, DayNote, plan, apply, creates=True, question="Keep this note?"
    ),
    "note_edit": Operation("note_edit", "Change a note.", NoteEdit, DayNote, plan_edit, apply_edit, hides=True, repeatable=True),
    "notes": Operation("notes", "Read the notes of some days.", NotesRequest, OwnedNote, read=read),
}
