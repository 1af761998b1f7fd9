"""profile, note: what is stored word for word, under a key or a day."""

from __future__ import annotations

from memcli import fields
from memcli.cli.invoke import Common, answer, perform, show
from memcli.cli.output import paint, paragraph, row, width
from memcli.cli.verbs.add import stdin
from memcli.cli.views import GIVES_ORDERS, by_writer
from memcli.errors import InvalidInput
from memcli.fields import Based
from memcli.operations.note import DayNote, NoteEdit, NoteRequest, NotesRequest, OwnedNote
from memcli.operations.profile import DeletedKey, DeleteRequest, OwnedValue, ProfileRequest, ProfileValue, SetRequest
from memcli.text import dates
from memcli.text.terminal import columns, oneline

_WIDEST = 24  # columns of a key; the value of a wider one stands below it


class ProfileOptions(Based):
    """An action on the profile, and the key and the value that it takes."""

    action: str = fields.text("The action.", default="list", choices=("list", "get", "set", "delete"))
    key: str | None = fields.text("A name, such as editor.", default=None, metavar="KEY")
    value: str | None = fields.text("The value; - reads standard input.", default=None, metavar="VALUE")


class NoteOptions(Based):
    """An action on the notes. `text`: the note, or the day to show."""

    action: str = fields.text("The action.", default="list", choices=("list", "add", "show", "edit"))
    text: str | None = fields.text("The note (- reads standard input), a day, or an id.", default=None, metavar="[TEXT|DAY|ID]")
    new_text: str | None = fields.text("For edit: the note's new text.", default=None, metavar="[TEXT]")
    days: int = NotesRequest.FIELDS["days"]  # type: ignore[assignment]


def profile(request: ProfileOptions, common: Common) -> None:
    """Sets, prints, lists or removes values under keys."""
    needed = {"list": 0, "get": 1, "delete": 1, "set": 2}[request.action]
    _check_count((request.key, request.value), needed, "use mem profile set KEY VALUE, get KEY, list, or delete KEY")
    key, value = request.key or "", request.value or ""
    based = {"if_revision": request.if_revision}
    if request.action == "list":
        show(common, answer(common, "profile", ProfileRequest(key=None)), lambda entries: _listed(entries, common.user))
    elif request.action == "get":
        entry, *_ = answer(common, "profile", ProfileRequest(key=key))
        show(common, entry, lambda _: entry.value)
    elif request.action == "set":
        show(common, perform(common, "profile_set", SetRequest(key=key, value=stdin(value), **based)), _entry)
    else:
        show(common, perform(common, "profile_delete", DeleteRequest(key=key, **based)), _deleted)


def _listed(entries: list[OwnedValue], is_own_memory: bool) -> str:
    lines = [_entry(entry, _mark(entry, is_own_memory)) for entry in entries]
    return "\n".join(lines) or "the profile is empty; keep something with: mem profile set KEY VALUE"


def _mark(entry: OwnedValue, is_own_memory: bool) -> str:
    """Returns whose value it is, if it is not the repository's own."""
    order = f"  ({GIVES_ORDERS})" if entry.suspicious else ""
    if "@" in entry.origin:
        return f"  ({by_writer(entry.author)}){order}"
    return f"  (yours){order}" if entry.source == "user" and not is_own_memory else order


def _entry(entry: ProfileValue, mark: str = "") -> str:
    key, value = oneline(entry.key), f"{oneline(entry.value)}{mark}"
    head, indent = f"{paint(key, 'bold')}: ", columns(key) + 2
    is_apart = indent > _WIDEST and indent + columns(value) > width()
    return "\n".join([head.rstrip(), *paragraph(value, 4)] if is_apart else paragraph(value, indent, "", head))


def _check_count(words: tuple[str | None, str | None], needed: int, hint: str) -> None:
    """Raises InvalidInput if an action has too many or too few words."""
    count = len([word for word in words if word is not None])
    if count != needed:
        raise InvalidInput("too many arguments" if count > needed else "an argument is missing", hint)


def _deleted(result: DeletedKey) -> str:
    key = oneline(result.key)[:80]
    return f"{key} is no longer in the profile" if result.status == "deleted" else f"no profile entry {key}"


def note(request: NoteOptions, common: Common) -> None:
    """Stores a note for today, or prints those of some days."""
    needed = {"list": 0, "add": 1, "show": 1, "edit": 2}[request.action]
    _check_count((request.text, request.new_text), needed, "use mem note add TEXT, edit ID TEXT, list --days 3, or show DAY")
    text = request.text or ""
    if request.action in ("add", "edit"):
        if needed == 1:
            note = perform(common, "note", NoteRequest(text=stdin(text)))
        else:
            changed = NoteEdit(id=text, text=stdin(request.new_text or ""), if_revision=request.if_revision)
            note = perform(common, "note_edit", changed)
        show(common, note, lambda _: row(f"{note.id}  {_moment(note)[:10]}", oneline(note.text)))
    else:
        day = text if request.action == "show" else None
        notes = answer(common, "notes", NotesRequest(day=day, days=request.days))
        show(common, notes, lambda notes: _notes(notes, common.user) or _no_notes(day, request.days, common))


def _notes(notes: list[OwnedNote], is_own: bool) -> str:
    lines: list[str] = []
    day = ""
    for note in notes:
        today, clock = _moment(note).split()
        if today != day:
            lines.append(paint(today, "heading"))
        day = today
        mark = note.id if is_own or note.source == "repository" else f"{note.id} yours"
        mark += f" · {by_writer(note.author)}" * ("@" in note.origin) + f" · {GIVES_ORDERS}" * note.suspicious
        *most, last = paragraph(f"{oneline(note.text)}  {mark}", len(clock) + 2, "", f"{clock}  ")
        lines += [*most, last.removesuffix(mark) + paint(mark, "dim") if last.endswith(mark) else last]
    return "\n".join(lines)


def _no_notes(day: str | None, days: int, common: Common) -> str:
    """Says for which days there are no notes, and how to write one if that was intended."""
    if day:
        return f"no notes of {oneline(day)}"
    period = "today" if days == 1 else f"in the last {days} days"
    return f"no notes {period}; keep one with: mem note add TEXT{' --user' if common.user else ' (your own: --user)'}"


def _moment(note: DayNote) -> str:
    return dates.local(dates.parse(note.created_at))
