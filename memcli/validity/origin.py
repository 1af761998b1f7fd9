"""Who wrote a record, and how far that writer is trusted: one table for every door."""

from __future__ import annotations

from memcli.records import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

PERSON, AGENT, HOOK, IMPORT, OTHER = "person", "agent", "hook", "import", "other"
HIGH, MEDIUM, LOW = "high", "medium", "low"

# The actor of a record's first operation -> what kind of writer that is.
_WRITERS = {
    "cli": PERSON,  # or an agent that runs commands; the operation then keeps its session
    "init": PERSON,
    "mcp": AGENT,
    "http": AGENT,
    "hook": HOOK,
    "api": HOOK,  # events over HTTP
    "import": IMPORT,
}
_TRUST = {PERSON: HIGH, AGENT: MEDIUM, HOOK: LOW, IMPORT: LOW, OTHER: LOW}


class Origin(Record):
    """Who wrote a record. `actor` as the log names it; `writer`: person, agent, hook, import or other; `trust`: how far."""

    actor: str
    writer: str
    trust: str

    def as_json(self) -> dict[str, Any]:
        """Returns the origin under the names that every door uses."""
        return {"origin": self.actor, "trust": self.trust}


def origin_of(actor: str) -> Origin:
    """Returns the origin of what an actor wrote. An actor that is not known is another writer, and trusted least."""
    writer = _WRITERS.get(actor, OTHER)
    return Origin(actor, writer, _TRUST[writer])
