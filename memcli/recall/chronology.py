"""What happened around a memory or a prompt, and in a session: from a line of an index to its surroundings to the whole."""

from __future__ import annotations

from memcli.errors import Call, InvalidInput, NotFound, Option
from memcli.memory import find_memory, find_prompt, find_session
from memcli.project import Project
from memcli.records import Record
from memcli.store import memories, sessions
from memcli.store.memories import Memory
from memcli.store.sessions import Prompt, Session
from memcli.text import ids

MOST_AROUND = 100
_PROMPTS, _OBSERVATIONS = 1_000, 1_000


class SessionHistory(Record):
    """A session with its summary, its prompts and its observations in order."""

    session: Session
    summary: Memory | None
    prompts: list[Prompt]
    observations: list[Memory]


def session(project: Project, reference: str) -> SessionHistory:
    """Returns a session, given by its id or name, or by the id of a prompt or an observation of it. Raises NotFound."""
    row = _session(project, reference)
    summary = memories.find(project.db, row.summary) if row.summary else None
    return SessionHistory(
        row,
        summary if summary and not summary.forgotten else None,
        sessions.prompts(project.db, row.n, _PROMPTS),
        memories.of_session(project.db, row.n, _OBSERVATIONS),
    )


def _session(project: Project, reference: str) -> Session:
    kind = ids.canonical(reference)[:2]
    if kind not in ("M-", "P-"):
        return find_session(project, reference)
    item = find_memory(project, reference) if kind == "M-" else find_prompt(project, reference)
    name = sessions.name(project.db, item.session)
    row = sessions.find(project.db, name) if name else None
    if row is None:
        raise NotFound(f"{item.id} is from no session", ("see ", Call("sessions")))
    return row


def timeline(project: Project, reference: str, before: int, after: int) -> tuple[str, list[Memory | Prompt]]:
    """Returns (the id that is meant, the memories and prompts around it, oldest first). Raises NotFound or InvalidInput."""
    for count in (before, after):
        if not 0 <= count <= MOST_AROUND:
            hint = ("give ", Option("before"), " and ", Option("after"), f" 0 to {MOST_AROUND}")
            raise InvalidInput(f"{count} items before or after", hint)
    is_prompt = ids.canonical(reference).startswith("P-")
    center = find_prompt(project, reference) if is_prompt else find_memory(project, reference)
    ids_around = [item_id for item_id, _ in sessions.around(project.db, center.created_at, MOST_AROUND, MOST_AROUND)]
    if center.id not in ids_around:
        raise NotFound(f"{center.id} is forgotten", ("see ", Call("session", "ID")))
    index = ids_around.index(center.id)
    items = [_item(project, item_id) for item_id in ids_around[max(0, index - before) : index + after + 1]]
    return center.id, [item for item in items if item]


def _item(project: Project, item_id: str) -> Memory | Prompt | None:
    return sessions.find_prompt(project.db, item_id) if item_id.startswith("P-") else memories.find(project.db, item_id)


def index(project: Project) -> list[Memory]:
    """Returns the last observations and the last summaries of sessions, oldest first, as many as the settings say."""
    observed = memories.last_observed(project.db, False, project.config["index.observations"])
    summed = memories.last_observed(project.db, True, project.config["index.summaries"])
    return sorted([*observed, *summed], key=lambda memory: (memory.created_at, memory.n))
