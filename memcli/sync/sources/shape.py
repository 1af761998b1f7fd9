"""Entries as an import takes them, made of what other programs store: texts that fit, labels that are names, times as moments."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable, Sequence
from datetime import UTC, datetime
from typing import Any

from memcli.errors import InvalidInput
from memcli.memory import FIELDS, MAX_LABEL
from memcli.memory.contents import title_of
from memcli.records import Record
from memcli.text import dates, json
from memcli.text.terminal import is_storable, oneline

Entry = dict[str, Any]
UNDATED = "times that are missing or cannot be read: taken as now"
TWICE = "items that stand there twice: under their first heading only"
LATER = "dates later than now: taken as now"
LONG_VALUE = "values that are too long for the profile (profile.value): taken as memories"
_MOST_LABELS = FIELDS["tags"].max_items or 0
_LONGEST_TITLE = FIELDS["title"].max_length or 0
_NUMBER = re.compile(r"\d{10,20}(\.\d+)?")  # of fewer digits it is a date: 20260301
_OFFSET = re.compile(r" ([+-]\d\d:?\d\d)( [A-Z]+)?$")  # as Go prints a time
_UNITS = ((1e11, 1_000), (1e14, 1), (1e17, 1e-3), (1e20, 1e-6))  # a number below counts in these ms: seconds, ms, µs, ns


class Extract(Record):
    """What goes into one memory: of a workspace, of another project than this one where `project` names it.

    `mode`: the mode of mecho that it is of, by its id. `repositories`: the ids that mempack gave to the repository.
    """

    entries: Sequence[Entry]
    workspace: str | None = None
    project: str | None = None
    mode: str | None = None
    repositories: tuple[str, ...] = ()


class ReadScope(Record):
    """For which memory is read: its directory, what it is called, which project of a store that holds several; limits; when."""

    root: str
    names: tuple[str, ...]
    project: str | None = None
    profile_chars: int = 2_000
    note_chars: int = 4_000
    now: int = 1 << 62
    key_chars: int = 100


def skip(reason: str, example: object = None, count: int = 1) -> Entry:
    """Returns the entry that says what is not taken, and why."""
    return {"skip": reason, "example": None if example is None else oneline(str(example))[:80], "count": count}


def gone(source_id: str, example: object = None) -> Entry:
    """Returns the entry that says what was deleted there, so that it is hidden here, too."""
    return {"gone": text(source_id), "example": None if example is None else oneline(str(example))[:80]}


def memory(source_id: str, title: Any, summary: Any, **more: Any) -> Entry:
    """Returns a memory. A title that is missing is the first sentence, one that is too long goes on in the summary."""
    long_title, body = text(title).strip(), text(summary).strip()
    title = oneline(long_title) or title_of(body)
    if len(title) > _LONGEST_TITLE:
        body = f"{long_title}\n{body}".strip()
        title = title_of(title)
    entry = {"source_id": text(source_id), "title": title, "summary": body or title}
    for name in ("tags", "entities"):
        entry[name] = labels(more.pop(name, ()))
    for name in ("thread", "kind"):
        if label := label_of(more.pop(name, None)):
            entry[name] = label
    if "created_at" in more:
        times = more.pop("created_at")
        created = moment(*times if isinstance(times, tuple) else (times,))
        if created:
            entry["created_at"] = created
        else:
            more["lost"] = [*more.get("lost", ()), UNDATED]
    return entry | {name: value for name, value in more.items() if value}


def text(value: Any) -> str:
    """Returns a value as a text that can be stored; of bytes or nothing an empty one."""
    if value is None or isinstance(value, bytes):
        return ""
    words = value if isinstance(value, str) else str(value)
    return words if is_storable(words) else words.replace("\0", "").encode("utf-8", "replace").decode("utf-8")


def labels(values: Iterable[Any]) -> list[str]:
    """Returns tags or names: each once, none too long, no more than a memory may have."""
    names = [label for value in values if (label := label_of(value))]
    return list(dict.fromkeys(names))[:_MOST_LABELS]


def label_of(value: Any) -> str:
    """Returns a name of a thread, a kind or a tag; empty where none can be made."""
    words = " ".join("".join([char if char.isprintable() else " " for char in text(value)]).split())
    return words if len(words) <= MAX_LABEL else words[: MAX_LABEL - 1].rstrip() + "…"


def json_list(value: Any) -> list[str]:
    """Returns the texts of a list that is stored as JSON in a text; none of anything else."""
    try:
        items = json.loads(value) if isinstance(value, str) else value
    except json.Malformed:
        return []
    return [text(item) for item in items if isinstance(item, (str, int, float))] if isinstance(items, list) else []


def unread_lists(row: dict[str, Any], *names: str) -> list[str]:
    """Returns what says which columns of a row hold something else than a list as JSON."""
    values = [(name, row.get(name)) for name in names]
    broken = [name for name, value in values if isinstance(value, str) and value.strip() and not _is_list(value)]
    return [f"{name.removesuffix('_json').replace('_', ' ')} that cannot be read" for name in broken]


def _is_list(words: str) -> bool:
    try:
        return isinstance(json.loads(words), (list, type(None)))  # null is an empty one
    except json.Malformed:
        return False


def moment(*values: Any) -> str | None:
    """Returns the first value that is a time, as a moment: a number since 1970, ISO 8601, or a date as mail has it."""
    for value in values:
        try:
            if isinstance(value, str) and value.strip():
                return _since_1970(float(value)) if _NUMBER.fullmatch(value.strip()) else _parsed(value.strip())
            if isinstance(value, (int, float)) and not isinstance(value, bool):
                return _since_1970(value)
        except (InvalidInput, ValueError, OverflowError):
            continue
    return None


def _since_1970(number: float) -> str:
    """Returns the moment of a number of seconds, milliseconds, microseconds or nanoseconds. Raises ValueError, OverflowError."""
    if number <= 0:
        raise ValueError(number)
    unit = next((unit for end, unit in _UNITS if number < end), 0)
    if not unit:
        raise OverflowError(number)
    return dates.iso(int(number * unit))


def _parsed(words: str) -> str:
    """Returns the moment that words say. Raises InvalidInput, ValueError."""
    try:
        return dates.iso(dates.parse(_OFFSET.sub(r"\1", words)))
    except InvalidInput:
        from email.utils import parsedate_to_datetime

        date = parsedate_to_datetime(words)
        if date.tzinfo is None:  # of "GMT+0200" it reads no more than the hours
            raise
        return dates.iso(dates.parse(date.isoformat()))


def noon(day: str) -> str:
    """Returns noon of a day (2026-03-01) in this machine's time zone, as a moment."""
    return datetime.fromisoformat(f"{day}T12:00:00").astimezone(UTC).isoformat().replace("+00:00", "Z")


def digest(value: str) -> str:
    """Returns what tells a text from others, spaces apart, in a source id."""
    return hashlib.sha256(" ".join(value.split()).encode("utf-8", "replace")).hexdigest()[:16]


def relation(name: Any) -> str:
    """Returns the name of a relation as a link has it: lower case, with `_` for what it may not hold."""
    words = "".join([char if char.isascii() and (char.isalnum() or char in "-:") else "_" for char in text(name).lower()])
    plain = "_".join([word for word in words.split("_") if word])[:60] or "relates_to"
    return f"{plain}_of" if plain in ("supersedes", "superseded_by", "file", "mention") else plain
