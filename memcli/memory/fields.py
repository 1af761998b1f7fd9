"""What a person or an agent says of a memory: the one list of its fields.

Options, request bodies, tool schemas, `--stdin-json`, answers, export and import follow from it. A further field is declared
here and stored by `store/memories.py`: a migration, and a column of the same name in `Memory`.
"""

from __future__ import annotations

from memcli import fields
from memcli.errors import InvalidInput
from memcli.fields import Field, Request
from memcli.text.terminal import is_storable, oneline

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any


class MemoryFields(Request):
    """The fields of a memory that somebody writes. `thread` None: the default one."""

    title: str = fields.text("The fact, in one line.", max_length=1_000)
    summary: str = fields.text("What holds and why; - reads standard input.", max_length=65_536)
    thread: str | None = fields.name("The thread.", default=None, output="thread_id")
    kind: str = fields.name("decision, bugfix, feature, discovery, note, ...", default="note", metavar="KIND", lowercase=True)
    tags: tuple[str, ...] = fields.labels("Labels, comma-separated.", default=())
    entities: tuple[str, ...] = fields.labels("Names the memory is about, comma-separated.", default=())


FIELDS = MemoryFields.FIELDS
MAX_LABEL = 80  # characters of a thread, a kind, a tag


def check(name: str, value: Any) -> Any:
    """Returns the value of a field as it is stored. Raises InvalidInput for one that cannot be."""
    field = FIELDS[name]
    if field.kind == "text":
        return check_text(name, value, field.max_length or 0)
    if field.kind == "name":
        label = check_name(name, value, field.max_length or 0)
        return label.lower() if field.lowercase else label
    if field.kind == "labels":
        return check_labels(name, value)
    return check_number(name, value, field) if field.kind == "number" else value


def check_text(name: str, text: str, max_length: int) -> str:
    """Returns a text as it is. Raises InvalidInput for one that is empty, too long or cannot be stored."""
    if not text.strip():
        raise InvalidInput(f"the {name} is empty", "give it some words")
    if not is_storable(text):
        raise InvalidInput(f"the {name} holds a NUL or half a surrogate pair", "remove it: only Unicode text can be stored")
    if len(text) > max_length:
        advice = "; put the rest into the summary" if name == "title" else ""
        raise InvalidInput(f"the {name} has {len(text):,} characters", f"the limit is {max_length:,}{advice}")
    return text


def check_name(subject: str, name: str, max_length: int = MAX_LABEL) -> str:
    """Returns a name of a thread, a kind or a tag, trimmed. Raises InvalidInput."""
    name = name.strip()
    if not name or len(name) > max_length or not name.isprintable():
        raise InvalidInput(f"not a name for a {subject}: {oneline(name)[:80]!r}", f"use 1 to {max_length} printable characters")
    return name


def check_labels(name: str, labels: Sequence[str]) -> list[str]:
    """Returns tags or entities, trimmed, each once, in order. Raises InvalidInput."""
    field = FIELDS[name]
    names = [check_name(SINGULAR.get(name, name), label, field.max_length or 0) for label in labels if label.strip()]
    if len(names) > (field.max_items or 0):
        raise InvalidInput(f"too many {name}: {len(names)}", f"the limit is {field.max_items}")
    return list(dict.fromkeys(names))


def check_number(name: str, value: Any, field: Field) -> int | None:
    """Returns a number within its limits, or None. Raises InvalidInput."""
    if value is None:
        return None
    too_large = field.maximum is not None and value > field.maximum
    if value < (field.minimum or 0) or too_large:
        top = "" if field.maximum is None else f" and at most {field.maximum:,}"
        raise InvalidInput(f"the {name} is {value}", f"it must be at least {field.minimum or 0:,}{top}")
    return int(value)


SINGULAR = {"tags": "tag", "entities": "entity"}
