"""turn: what a session is to be told now, and that it was told."""

from __future__ import annotations

from memcli.agents.turns import turn as turns
from memcli.cli import output
from memcli.cli.invoke import writing
from memcli.errors import InvalidInput
from memcli.records import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from memcli.cli.invoke import Common

ENGINE = "generic"


class Turn(Record):
    """What `mem turn` was asked."""

    action: str
    session: str | None = None
    engine: str | None = None
    query: str | None = None
    format: str | None = None
    full: bool = False
    prepare_id: str | None = None
    status: str | None = None


def turn(asked: Turn, common: Common) -> None:
    """Prepares a turn, or notes how one ended."""
    if asked.action == "prepare":
        return _prepare(asked, common)
    if asked.action == "ack":
        return _ack(asked, common)
    raise InvalidInput(
        f"no action {asked.action[:40]!r}", "use mem turn prepare --session KEY, or ack --prepare-id ID --status success"
    )


def _prepare(asked: Turn, common: Common) -> None:
    if asked.session is None:
        raise InvalidInput("whose turn is missing", "give --session what your program calls the session")
    if asked.prepare_id is not None or asked.status is not None:
        raise InvalidInput("--prepare-id and --status belong to ack", "see mem turn --help")
    form = asked.format or "json"
    if form not in ("json", "xml", "prompt"):
        raise InvalidInput(f"no format {form[:40]!r}", "use json, xml or prompt")
    in_words = form == "prompt"
    ask = turns.Ask(asked.session, asked.engine or ENGINE, asked.query or "", "prompt" if in_words else "xml", asked.full)
    made = writing(common, lambda project: turns.prepare(project, ask))
    said = {"prepareId": made.id, "mode": made.mode, "fromRevision": made.from_revision, "toRevision": made.to_revision}
    output.data({**said, "text" if in_words else "xml": made.text})


def _ack(asked: Turn, common: Common) -> None:
    if asked.prepare_id is None or asked.status is None:
        raise InvalidInput("which turn, or how it ended, is missing", "give --prepare-id ID --status success or failed")
    if asked.engine or asked.query or asked.format or asked.full:
        raise InvalidInput("--engine, --query, --format and --full belong to prepare", "see mem turn --help")
    prepare_id, status = asked.prepare_id, asked.status
    writing(common, lambda project: turns.ack(project, prepare_id, status, asked.session))
    output.data({"ok": True})
