"""What a memory is and how one is referred to: the one list of its fields, and what an id or a unique prefix of one means.

Options, request bodies, tool schemas, `--stdin-json`, answers, export and import follow from `MemoryFields`. A further field is
declared here and stored by `store/memories.py`: a migration, and a column of the same name in `Memory`.
"""

from __future__ import annotations

from memcli import fields
from memcli.errors import Call, InvalidInput, NotFound
from memcli.fields import Field, Request
from memcli.store import chunks, memories
from memcli.text import ids
from memcli.text.terminal import is_storable, oneline

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from memcli.errors import Hint
    from memcli.project import Project
    from memcli.store.chunks import Chunk
    from memcli.store.memories import Memory
    from memcli.store.sessions import Prompt, Session


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
_SINGULAR = {"tags": "tag", "entities": "entity"}
_MAX_TYPED = 80  # characters of an id; no id is as long, and each character more is one more question to the store
ERASED = "its text is gone for good; nothing can bring it back"
MIN_PREFIX = 2  # characters of an id behind its dash that may stand for the whole


def may_lack(name: str) -> bool:
    """Tells whether a memory may lack a field: an optional one, except the thread, which has a default of its own."""
    return FIELDS[name].default is None and name != "thread"


def check(name: str, value: Any) -> Any:
    """Returns the value of a field as it is stored; an empty text removes an optional one. Raises InvalidInput."""
    field = FIELDS[name]
    if value in (None, "") and may_lack(name):
        return None
    if field.choices:
        return fields.check_choice(name, value, field)
    if field.kind == "text":
        return check_text(name, value, field.max_length or 0)
    if field.kind == "name":
        label = check_name(name, value, field.max_length or 0)
        return label.lower() if field.lowercase else label
    if field.kind == "labels":
        return check_labels(name, value)
    return check_number(name, value, field) if field.kind == "number" else value


def check_text(name: str, text: str, max_length: int) -> str:
    """Returns a text unchanged. Raises InvalidInput for one that is empty, too long or cannot be stored."""
    if not text.strip():
        raise InvalidInput(f"the {name} is empty", "give it some words")
    if not is_storable(text):
        raise InvalidInput(f"the {name} holds a NUL or half a surrogate pair", "remove it: only Unicode text can be stored")
    if len(text) > max_length:
        advice = "; put the rest into the summary" if name == "title" else ""
        raise InvalidInput(f"the {name} has {len(text):,} characters", f"the limit is {max_length:,}{advice}")
    return text


def check_name(subject: str, name: str, max_length: int = MAX_LABEL) -> str:
    """Returns the name of a thread, a kind or a tag, trimmed. Raises InvalidInput."""
    name = name.strip()
    if not name or len(name) > max_length or not name.isprintable():
        raise InvalidInput(f"not a name for a {subject}: {oneline(name)[:80]!r}", f"use 1 to {max_length} printable characters")
    return name


def check_labels(name: str, labels: Sequence[str]) -> list[str]:
    """Returns tags or entities, trimmed, without duplicates, in order. Raises InvalidInput."""
    field = FIELDS[name]
    names = [check_name(_SINGULAR.get(name, name), label, field.max_length or 0) for label in labels if label.strip()]
    if len(names) > (field.max_items or 0):
        raise InvalidInput(f"too many {name}: {len(names)}", f"the limit is {field.max_items}")
    return list(dict.fromkeys(names))


def check_number(name: str, value: Any, field: Field) -> int:
    """Returns a number within its limits. Raises InvalidInput."""
    too_large = field.maximum is not None and value > field.maximum
    if value < (field.minimum or 0) or too_large:
        top = "" if field.maximum is None else f" and at most {field.maximum:,}"
        raise InvalidInput(f"the {name} is {value}", f"it must be at least {field.minimum or 0:,}{top}")
    return int(value)


def find_memory(project: Project, reference: str, forgotten: bool = False) -> Memory:
    """Returns the memory that an id or a unique prefix of one means. Raises NotFound, or InvalidInput for several."""
    _refuse_long("memory", reference)
    typed = ids.canonical(reference)
    prefix = typed if typed.startswith("M-") else f"M-{typed}"
    if len(prefix) < 2 + MIN_PREFIX:
        message = f"{oneline(reference)[:80]} is too short for an id" if reference.strip() else "an id is missing"
        raise NotFound(message, ("give two characters behind M- or more, as shown by ", Call("recent")))
    matches = memories.by_prefix(project.db, prefix, 10) or memories.named_elsewhere(project.db, reference.strip(), 10)
    exact = [memory for memory in matches if memory.id == prefix]
    live = exact or [memory for memory in matches if forgotten or not memory.forgotten] or matches
    if len(live) > 1:
        names = ", ".join([f"{memory.id} ({oneline(memory.title)[:40]})" for memory in live[:3]])
        raise InvalidInput(f"{reference} could be {len(live)} memories", f"give more of the id: {names}", "ambiguous")
    if not live and _is_erased(project, prefix):
        raise erased(project, prefix)
    if not live:
        raise NotFound(f"no memory {oneline(reference)[:80]}", _closest(project, prefix))
    if live[0].forgotten and not forgotten:
        raise NotFound(_forgotten(project, live[0].id), (Call("restore", live[0].id), " brings it back"), "forgotten")
    return live[0]


def find_session(project: Project, reference: str) -> Session:
    """Returns the session that an id (`A-…`), the harness's own name for it, or a unique prefix of either means.

    Raises NotFound, or InvalidInput for several.
    """
    from memcli.store import sessions

    typed = oneline(reference.strip())
    matches = sessions.matching(project.db, ids.canonical(typed), typed, 10) if typed else []
    exact = [session for session in matches if session.key == typed or session.id == ids.canonical(typed)]
    matches = matches if exact or len(typed) >= MIN_PREFIX else []
    if len(exact or matches) > 1:
        names = ", ".join([session.id for session in matches[:3]])
        raise InvalidInput(f"{typed[:80]} could be {len(matches)} sessions", f"give more of the id: {names}", "ambiguous")
    if not matches:
        raise NotFound(f"no session {typed[:80]}", ("see ", Call("sessions")))
    return (exact or matches)[0]


def find_prompt(project: Project, reference: str, forgotten: bool = False) -> Prompt:
    """Returns the prompt that an id (`P-…`) or a unique prefix of one means. Raises NotFound or InvalidInput."""
    from memcli.store import sessions

    _refuse_long("prompt", reference)
    typed = ids.canonical(reference)
    prompts = sessions.prompts_by_prefix(project.db, typed, 2) if len(typed) >= 2 + MIN_PREFIX else []
    if len(prompts) > 1:
        raise InvalidInput(f"{reference} could be several prompts", "give more of the id", "ambiguous")
    if not prompts and _is_erased(project, typed):
        raise erased(project, typed)
    if not prompts:
        raise NotFound(f"no prompt {oneline(reference)[:80]}", ("see ", Call("session", "ID")))
    if prompts[0].forgotten and not forgotten:
        raise NotFound(f"{prompts[0].id} is forgotten", (Call("restore", prompts[0].id), " brings it back"), "forgotten")
    return prompts[0]


def find_chunk(project: Project, reference: str, forgotten: bool = False) -> Chunk | None:
    """Returns the chunk that an id or a unique prefix of one (`C-…`) means, or None for an id of another kind.

    Raises NotFound, or InvalidInput for several.
    """
    typed = ids.canonical(reference)
    if not typed.startswith("C-"):
        return None
    _refuse_long("chunk", reference)
    matches = chunks.by_prefix(project.db, typed, 10) if len(typed) >= 2 + MIN_PREFIX else []
    exact = [chunk for chunk in matches if chunk.id == typed]
    live = exact or [chunk for chunk in matches if forgotten or not chunk.hidden] or matches
    if len(live) > 1:
        names = ", ".join([f"{chunk.id} ({chunk.place})" for chunk in live[:3]])
        raise InvalidInput(f"{reference} could be {len(live)} chunks", f"give more of the id: {names}", "ambiguous")
    if not live:
        raise NotFound(f"no chunk {oneline(reference)[:80]}", ("its text changed or is gone; look for it with ", Call("get")))
    if live[0].hidden and not forgotten:
        raise NotFound(f"{live[0].id} is forgotten", (Call("restore", live[0].id), " brings it back"), "forgotten")
    return live[0]


def _refuse_long(kind: str, reference: str) -> None:
    """Raises NotFound for a reference that is too long to be an id."""
    text = reference.strip()
    if len(text) > _MAX_TYPED:
        hint = (f"an id has {ids.LENGTH + 2} characters, as shown by ", Call("recent"))
        raise NotFound(f"no {kind} {oneline(text[:_MAX_TYPED])}", hint)


def _forgotten(project: Project, memory_id: str) -> str:
    """Returns the error that a memory is forgotten, naming the other store that did it, if one did."""
    from memcli.store import oplog
    from memcli.text.ids import writer_of

    actors = [op.actor for op in oplog.of_object(project.db, memory_id) if op.kind == "forget"]
    if not actors or not writer_of(actors[-1]):
        return f"{memory_id} is forgotten"
    from memcli.validity import writer_name

    name = oneline(writer_name(project, actors[-1]) or writer_of(actors[-1]))
    return f"{memory_id} is forgotten: {name} forgot it"


def erased(project: Project, object_id: str) -> NotFound:
    """Returns the error that the text of something was erased, and whether another member purged it."""
    from memcli.store import erasing

    why = ", which another member purged" * erasing.is_purged(project.db, object_id)
    return NotFound(f"{object_id} was erased{why}", ERASED, "erased")


def _is_erased(project: Project, memory_id: str) -> bool:
    from memcli.store import erasing

    return erasing.is_erased(project.db, memory_id)


def _closest(project: Project, prefix: str) -> Hint:
    """Returns the hint for an unknown id: the memory whose id shares the longest prefix."""
    if prefix.startswith(("M-A-", "M-P-")):
        object_id = prefix[2:][:40]
        subject = "prompt" if object_id.startswith("P-") else "session"
        look = Call("timeline" if subject == "prompt" else "session", object_id)
        # No tool and no plain route erases, so what erases is named as the command at every door.
        return (f"this is the id of a {subject}: see ", look, f"; mem forget {object_id} --erase removes it for good")
    if "-" in prefix[2:]:  # no misspelt id of ours
        return ("mem import --from mempack makes the ids of the Go program known here; see ", Call("recent"))
    for length in range(len(prefix) - 1, 3, -1):
        near = [memory for memory in memories.by_prefix(project.db, prefix[:length], 5) if not memory.forgotten]
        if near:
            return f"did you mean {near[0].id} ({oneline(near[0].title)[:60]})?"
    return ("see ", Call("recent"), ", or ", Call("search"))


def field_values(memory: Memory) -> dict[str, Any]:
    """Returns the fields of a memory that somebody wrote, labels as lists."""
    return {
        name: list(labels(getattr(memory, name))) if field.kind == "labels" else getattr(memory, name)
        for name, field in FIELDS.items()
    }


def labels(column: str) -> tuple[str, ...]:
    """Returns the tags or entities of a row, which holds one per line."""
    return tuple(column.split("\n")) if column else ()
