"""Finds the memory, chunk, session or prompt that a reference means: an id, or a unique beginning of one."""

from __future__ import annotations

from memcli.errors import Call, InvalidInput, NotFound
from memcli.memory.fields import FIELDS
from memcli.store import chunks, memories
from memcli.text import ids
from memcli.text.terminal import oneline

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from memcli.errors import Hint
    from memcli.project import Project
    from memcli.store.chunks import Chunk
    from memcli.store.memories import Memory
    from memcli.store.sessions import Prompt, Session

MAX_TYPED = 80  # characters of an id; no id is as long, and each character more is one more question to the store
MIN_PREFIX = 2  # characters of an id behind its dash that may stand for the whole


def find(project: Project, reference: str, forgotten: bool = False) -> Memory:
    """Returns the memory that an id or a unique prefix of one means. Raises NotFound, or InvalidInput for several."""
    _refuse_long("memory", reference)
    typed = ids.canonical(reference)
    prefix = typed if typed.startswith("M-") else f"M-{typed}"
    if len(prefix) < 2 + MIN_PREFIX:
        message = f"{oneline(reference)[:80]} is too short for an id" if reference.strip() else "an id is missing"
        raise NotFound(message, ("give two characters behind M- or more, as shown by ", Call("recent")))
    matches = memories.by_prefix(project.db, prefix, 10)
    exact = [memory for memory in matches if memory.id == prefix]
    live = exact or [memory for memory in matches if forgotten or not memory.forgotten] or matches
    if len(live) > 1:
        names = ", ".join([f"{memory.id} ({oneline(memory.title)[:40]})" for memory in live[:3]])
        raise InvalidInput(f"{reference} could be {len(live)} memories", f"give more of the id: {names}", "ambiguous")
    if not live and _is_erased(project, prefix):
        raise NotFound(f"{prefix} was erased", "its text is gone for good; nothing can bring it back", "erased")
    if not live:
        raise NotFound(f"no memory {oneline(reference)[:80]}", _closest(project, prefix))
    if live[0].forgotten and not forgotten:
        raise NotFound(f"{live[0].id} is forgotten", (Call("restore", live[0].id), " brings it back"), "forgotten")
    return live[0]


def find_session(project: Project, reference: str) -> Session:
    """Returns the session that an id (`A-…`), the harness's own name for it, or a unique beginning of either means.

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


def find_prompt(project: Project, reference: str) -> Prompt:
    """Returns the prompt that an id (`P-…`) or a unique prefix of one means. Raises NotFound or InvalidInput."""
    from memcli.store import sessions

    _refuse_long("prompt", reference)
    typed = ids.canonical(reference)
    prompts = sessions.prompts_by_prefix(project.db, typed, 2) if len(typed) >= 2 + MIN_PREFIX else []
    if len(prompts) > 1:
        raise InvalidInput(f"{reference} could be several prompts", "give more of the id", "ambiguous")
    if not prompts:
        raise NotFound(f"no prompt {oneline(reference)[:80]}", ("see ", Call("session", "ID")))
    return prompts[0]


def find_chunk(project: Project, reference: str, forgotten: bool = False) -> Chunk | None:
    """Returns the chunk that an id or a unique prefix of one (`C-…`) means, or None for another sort of id.

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
    if len(text) > MAX_TYPED:
        hint = (f"an id has {ids.LENGTH + 2} characters, as shown by ", Call("recent"))
        raise NotFound(f"no {kind} {oneline(text[:MAX_TYPED])}", hint)


def _is_erased(project: Project, memory_id: str) -> bool:
    from memcli.store import erasing

    return erasing.is_erased(project.db, memory_id)


def _closest(project: Project, prefix: str) -> Hint:
    """Returns the hint for an id that is not there: the memory whose id shares the longest beginning."""
    if prefix.startswith(("M-A-", "M-P-")):
        object_id = prefix[2:][:40]
        subject = "prompt" if object_id.startswith("P-") else "session"
        look = Call("timeline" if subject == "prompt" else "session", object_id)
        # No tool and no plain route erases, so what erases is named as the command at every door.
        return (f"this is the id of a {subject}: see ", look, f"; mem forget {object_id} --erase removes it for good")
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
    """Returns the tags or entities of a row: one a line."""
    return tuple(column.split("\n")) if column else ()
