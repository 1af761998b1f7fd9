"""Turns of a session: `prepare` says what it is to be told now, `ack` that it was told."""

from __future__ import annotations

from memcli.records import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from memcli.project import Project

FULL, DELTA, NONE = "full", "delta", "none"
SUCCESS, FAILED = "success", "failed"


class Ask(Record):
    """What a turn is prepared for. `session`: what the caller calls it; `engine`: a name of harness/wire.py, whose cap holds.

    `query`: what the person asks, empty for nothing; `form`: xml or prompt; `anew`: full, whatever the session was shown.
    """

    session: str
    engine: str = "generic"
    query: str = ""
    form: str = "xml"
    anew: bool = False


class Prepared(Record):
    """A prepared turn. `mode`: full, delta or none; `text`: in the form that was asked for, empty for none.

    The revisions are places in the store's log: of what the session was shown before (0: nothing), and of now.
    """

    id: str
    mode: str
    from_revision: int
    to_revision: int
    text: str


def prepare(project: Project, ask: Ask) -> Prepared:
    """Returns what a session is to be told now, and notes that; it counts as told once it is acknowledged.

    `project` is open for writing, outside any transaction. Raises InvalidInput.
    """
    raise NotImplementedError


def ack(project: Project, prepare_id: str, status: str, session: str | None = None) -> None:
    """Notes whether a prepared turn reached the session: `success` or `failed`. Saying so twice changes nothing.

    `session`: whose turn it must be, where the caller knows. Raises NotFound for a turn that is not known or has expired,
    InvalidInput for another status.
    """
    raise NotImplementedError
