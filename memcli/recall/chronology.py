"""What happened around a memory or a prompt, and in a session: from a line of an index to its surroundings to the whole."""

from __future__ import annotations

from memcli.errors import InvalidInput, NotFound
from memcli.memory import lookup
from memcli.records import Record
from memcli.store import memories, sessions
from memcli.text import ids

TYPE_CHECKING = False
if TYPE_CHECKING:
    from memcli.project import Project
    from memcli.store.memories import Memory
    from memcli.store.sessions import Prompt, Session

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
    found = _session(project, reference)
    summary = memories.find(project.db, found.summary) if found.summary else None
    return SessionHistory(
        found,
        summary if summary and not summary.forgotten else None,
        sessions.prompts(project.db, found.n, _PROMPTS),
        memories.of_session(project.db, found.n, _OBSERVATIONS),
    )


def _session(project: Project, reference: str) -> Session:
    kind = ids.canonical(reference)[:2]
    if kind not in ("M-", "P-"):
        return lookup.find_session(project, reference)
    one = lookup.find(project, reference) if kind == "M-" else lookup.find_prompt(project, reference)
    name = sessions.name(project.db, one.session)
    found = sessions.find(project.db, name) if name else None
    if found is None:
        raise NotFound(f"{one.id} is from no session", "see mem sessions")
    return found


def timeline(project: Project, reference: str, before: int, after: int) -> tuple[str, list[Memory | Prompt]]:
    """Returns (the id that is meant, the memories and prompts around it, oldest first). Raises NotFound or InvalidInput."""
    for count in (before, after):
        if not 0 <= count <= MOST_AROUND:
            raise InvalidInput(f"{count} around it", f"give --before and --after 0 to {MOST_AROUND}")
    is_prompt = ids.canonical(reference).startswith("P-")
    one = lookup.find_prompt(project, reference) if is_prompt else lookup.find(project, reference)
    names = [name for name, _ in sessions.around(project.db, one.created_at, MOST_AROUND, MOST_AROUND)]
    if one.id not in names:
        raise NotFound(f"{one.id} is forgotten", "see mem session ID")
    at = names.index(one.id)
    items = [_item(project, name) for name in names[max(0, at - before) : at + after + 1]]
    return one.id, [item for item in items if item]


def _item(project: Project, name: str) -> Memory | Prompt | None:
    return sessions.find_prompt(project.db, name) if name.startswith("P-") else memories.find(project.db, name)


def index(project: Project) -> list[Memory]:
    """Returns the last observations and the last summaries of sessions, oldest first, as many as the settings say."""
    observed = memories.last_observed(project.db, False, project.config["index.observations"])
    summed = memories.last_observed(project.db, True, project.config["index.summaries"])
    return sorted([*observed, *summed], key=lambda one: (one.created_at, one.n))
