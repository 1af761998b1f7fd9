"""What a session's context begins with: the state of the work, the profile's values under their keys, and the daily notes."""

from __future__ import annotations

from memcli import system
from memcli.errors import Call, InvalidInput, NotFound, Option
from memcli.memory import check as check_field
from memcli.memory import entries
from memcli.memory.commit import commit, masked_fields, masked_text
from memcli.memory.entries import Draft
from memcli.records import Record
from memcli.store import context, erasing, memories, oplog
from memcli.store.context import CI_ACTOR, Note, ProfileEntry, State
from memcli.store.oplog import Change
from memcli.text import dates, ids, json
from memcli.text.terminal import is_storable, oneline

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from memcli.project import Project

DETAIL = "mecho:core:"  # begins the source id of a memory with what of a mode's core does not fit into a value, before its key
MAX_DAYS = 366  # whose notes are listed at once
_MOST_ERASED = 1_000  # times that a key's entry may have been erased


class Difference(Record):
    """One part of a state that changed between two checkpoints; `before` or `after` is None where it did not exist."""

    key: str
    before: str | None
    after: str | None


def draft_checkpoint(project: Project, reason: str, thread: str | None) -> Draft:
    """Drafts the memory that bears the reason of a checkpoint. Raises InvalidInput."""
    memory = entries.NewMemory(title="Checkpoint", summary=reason, thread=thread, kind="checkpoint")
    return Draft(entries.checked(project, memory), [])


def store_state(project: Project, memory: Draft, value: Any, actor: str) -> State:
    """Stores a state and the memory of its reason, together; those of a CI job as such, for they are not the team's word."""
    state_id, memory_id = ids.new("S"), ids.new("M")
    facts = {name: memory.fields[name] for name in ("thread", "created")}
    body = {"state": value, "reason": memory.fields["summary"], "memory": memory_id, **facts}
    threads = entries.thread_change(project, memory.fields["thread"])
    writer = CI_ACTOR if system.is_ci() else actor
    commit(project, lambda: [*threads, Change("state", state_id, body), Change("put", memory_id, memory.fields)], writer)
    state = context.find(project.db, State, state_id)
    assert state is not None
    return state


def checked_state(reason: str, state_json: str | None) -> Any:
    """Returns the state's value, or None. Raises InvalidInput for a checkpoint that cannot be stored."""
    if not reason.strip():
        raise InvalidInput("the reason is empty", "say why, such as: before the release")
    check_field("summary", reason)
    value = None if state_json is None else parse_state(state_json)
    oplog.body_of(Change("state", "", {"state": value, "reason": reason}))  # raises InvalidInput for what the log cannot take
    return value


def parse_state(state_json: str) -> Any:
    """Reads a state as typed. What does not begin like JSON is a text, which is kept under `raw`. Raises InvalidInput.

    A single word is refused: it is the name of a file, or a program's word for no value (`undefined`, `NaN`).
    """
    try:
        value = json.loads(state_json)
        written = json.canonical(value)
    except (json.Malformed, RecursionError) as problem:
        if len(state_json.split()) < 2 or state_json.lstrip()[0] in '{["':
            hint = 'give one JSON value, such as {"task": "login", "open": []}, or a text of several words'
            raise InvalidInput(f"the state is not JSON: {problem}", hint) from None
        value = {"raw": state_json}
        written = json.canonical(value)
    if not is_storable(written):
        raise InvalidInput("the state holds half a surrogate pair", "remove it: only Unicode text can be stored")
    return value


def difference(before: State | None, after: State) -> list[Difference]:
    """Returns what changed from one state to the next, key by key for objects."""
    old, new = (_values(state) for state in (before, after))
    keys = sorted(old.keys() | new.keys())
    return [Difference(key, old.get(key), new.get(key)) for key in keys if old.get(key) != new.get(key)]


def _values(state: State | None) -> dict[str, str]:
    if state is None:
        return {}
    value = json.loads(state.body)
    if not isinstance(value, dict):
        return {"(state)": state.body}
    return {key: json.canonical(item) for key, item in value.items()}


def profile_change(project: Project, key: str, value: str) -> Change:
    """Returns the change that keeps a value under a key. Raises InvalidInput."""
    name = _checked_key(project, key)
    limit = project.config["profile.value"]
    _check_text("value", value, limit, f"the limit is {limit:,} (profile.value); what is longer is a memory")
    (text,) = masked_fields(project, {name: value}).values()  # a key such as api_key makes a secret of any value
    return Change("profile", _entry_of(project, name), {"key": name, "value": _not_all_private("value", text)})


def profile_removal(project: Project, key: str) -> Change | None:
    """Returns the change that removes a key, or None if there is no such key. Raises InvalidInput."""
    name = _checked_key(project, key)
    same = [entry for entry in context.leading_entries(project.db) if entry.key == name]
    return Change("forget", same[0].id, {}) if same else None


def profile_entry(project: Project, change: Change) -> ProfileEntry | None:
    """Returns the current entry that a change is about."""
    return context.find(project.db, ProfileEntry, change.object)


def store_entry(project: Project, change: Change, actor: str) -> ProfileEntry:
    """Stores the change that keeps a value under a key."""
    commit(project, lambda: [change, *detail_hidden(project, change.body["key"])], actor)
    entry = profile_entry(project, change)
    assert entry is not None
    return entry


def detail_hidden(project: Project, key: str) -> list[Change]:
    """Returns the change that hides the memory with what did not fit into the value under a key; none without such a memory."""
    detail = memories.by_source(project.db, DETAIL + key)
    return [Change("forget", detail.id, {})] if detail and not detail.forgotten else []


def find_entries(project: Project, key: str) -> list[tuple[ProfileEntry, bool]]:
    """Returns the repository's entry under a key, else the person's own, with whether it is; then what others share under it.

    Raises NotFound or InvalidInput.
    """
    name = _checked_key(project, key)
    pairs = [pair for pair in profile(project) if pair[0].key == name]
    if not pairs:
        raise NotFound(f"no profile entry {oneline(name)[:80]}", ("see ", Call("profile list")))
    return pairs


def profile(project: Project) -> list[tuple[ProfileEntry, bool]]:
    """Returns (entry, whether it is the person's own) of both profiles, as turns tell them: for a shared key the repository's."""
    return [(entry, is_own or project.is_user) for entry, is_own in context.merged_profile(project.db, project.user_db)]


def _checked_key(project: Project, key: str) -> str:
    """Returns a key as it is stored: trimmed, secrets masked. Raises InvalidInput."""
    name = key.strip()
    limit = project.config["profile.key"]
    if not name or len(name) > limit or not name.isprintable() or not is_storable(name):
        raise InvalidInput(f"not a key: {oneline(name)[:80]!r}", f"use 1 to {limit} printable characters, such as editor")
    return masked_text(project, name)


def _entry_of(project: Project, key: str) -> str:
    """Returns the id of the entry that a value written here under a key belongs to.

    What others shared and nobody shared here stays: a value that is not shared replaces nobody else's.
    """
    from memcli.store import replication

    written = [entry for entry in context.profile(project.db) if entry.key == key]
    own = [entry for entry in written if not replication.is_of_others(project.db, entry.id)]
    if own:
        return max(own, key=lambda entry: entry.updated_at).id
    entry_id = _entry_id(project, key)
    return ids.new("K") if replication.is_of_others(project.db, entry_id) else entry_id


def _entry_id(project: Project, key: str) -> str:
    """Returns the id of a key's entry: a digest of the key, so that unconnected stores agree on it; erased ids are skipped."""
    from _sha1 import sha1  # type: ignore[import-not-found]  # hashlib costs 3 ms to import

    for times in range(_MOST_ERASED):
        digest = sha1(f"{key}\0{times}".encode()).digest()
        entry_id = f"K-{ids.encode(int.from_bytes(digest[:8], 'big'), ids.LENGTH)}"
        if not erasing.is_erased(project.db, entry_id):
            return entry_id
    raise InvalidInput(f"{oneline(key)[:80]} was erased a thousand times", "use another key")


def store_note(project: Project, text: str, actor: str) -> Note:
    """Stores a checked text as a note of today."""
    note_id = ids.new("N")
    body = {"day": dates.local_day(project.now), "text": text, "created": project.now}
    commit(project, lambda: [Change("note", note_id, body)], actor)
    note = context.find(project.db, Note, note_id)
    assert note is not None
    return note


def find_note(project: Project, reference: str) -> Note:
    """Returns the note with an id. Raises NotFound."""
    note = context.find(project.db, Note, ids.canonical(reference)) if is_storable(reference) else None
    if note is None:
        raise NotFound(f"no note {oneline(reference)[:80]}", ("see ", Call("note list")))
    return note


def change_note(project: Project, note: Note, text: str, actor: str) -> Note:
    """Replaces the text of a note by a checked one."""
    commit(project, lambda: [Change("note", note.id, {"text": text})] if text != note.text else [], actor)
    changed = context.find(project.db, Note, note.id)
    assert changed is not None
    return changed


def note_about_session(project: Project, session_id: str, text: str, at: int) -> list[Change]:
    """Returns the change that keeps one line about a session under the day of its first summary; none where it says so already,
    where somebody changed it or took it out, or where the settings want none. `at`: ms since 1970.
    """
    note_id = ids.of_text("N", session_id)  # one a session, whoever writes it
    note = context.find(project.db, Note, note_id)
    written = oplog.of_object(project.db, note_id)
    if not project.config["note.sessions"] or (note is None and written):
        return []
    if any(op.kind == "note" and op.actor not in memories.OBSERVED for op in written):
        return []  # somebody has written into it: theirs stays
    if note is None:
        return [Change("note", note_id, {"day": dates.local_day(at), "text": text, "created": at})]
    return [Change("note", note_id, {"text": text})] if note.text != text else []


def checked_note(project: Project, text: str) -> str:
    """Returns a note's text as it is stored, with secrets masked. Raises InvalidInput."""
    limit = project.config["note.text"]
    _check_text("note", text, limit, f"the limit is {limit:,} (note.text); split it")
    return _not_all_private("note", masked_text(project, text))


_EMPTY = {
    "note": ("give it some words: ", Call("note add", '"Deployed to staging"')),
    "value": ("give it some words, or delete the key with ", Call("profile delete")),
}


def _check_text(name: str, text: str, limit: int, hint: str) -> None:
    """Raises InvalidInput for a note or a value that is empty, too long (with `hint`) or cannot be stored."""
    if not text.strip():
        raise InvalidInput(f"the {name} is empty", _EMPTY[name])
    if len(text) > limit:
        raise InvalidInput(f"the {name} has {len(text):,} characters", hint)
    if not is_storable(text):
        raise InvalidInput(f"the {name} holds a NUL or half a surrogate pair", "remove it: only Unicode text can be stored")


def _not_all_private(name: str, masked: str) -> str:
    if not masked.strip():
        raise InvalidInput(f"the {name} is private as a whole", "nothing was stored; leave something outside <private>")
    return masked


def recent_notes(project: Project, days: int) -> list[tuple[Note, bool]]:
    """Returns the notes of today and the days before it, `days` in all, oldest first, each with whether it is the person's own.

    Raises InvalidInput.
    """
    if not 1 <= days <= MAX_DAYS:
        raise InvalidInput(f"{days} days is out of range", ("give ", Option("days"), f" 1 to {MAX_DAYS}"))
    first = dates.local_day(max(0, project.now - (days - 1) * dates.DAY))
    return _notes_between(project, first, dates.local_day(project.now))


def notes_of_day(project: Project, day: str) -> list[tuple[Note, bool]]:
    """Returns the notes of one day in this machine's time zone, oldest first, each with whether it is the person's own.

    Raises InvalidInput for an invalid date.
    """
    from memcli.text import calendar

    date = calendar.date(day, project.now)
    noon = dates.parse(f"{date}T12:00:00Z")
    # Notes of older versions have their day in UTC.
    near = _notes_between(project, dates.day(max(0, noon - dates.DAY)), dates.day(noon + dates.DAY))
    return [(note, is_own) for note, is_own in near if dates.local(note.created_at)[:10] == date]


def _notes_between(project: Project, first: str, last: str) -> list[tuple[Note, bool]]:
    notes = [(note, project.is_user) for note in context.notes_between(project.db, first, last)]
    if project.user_db is not None:
        notes += [(note, True) for note in context.notes_between(project.user_db, first, last)]
    return sorted(notes, key=lambda pair: (pair[0].day, pair[0].created_at, pair[0].id))
