"""turn: what a session is to be told now, and that it was told."""

from __future__ import annotations

from memcli import fields
from memcli.agents.turns import turn as turns
from memcli.cli import output
from memcli.cli.invoke import writing
from memcli.errors import InvalidInput
from memcli.fields import Request

TYPE_CHECKING = False
if TYPE_CHECKING:
    from memcli.cli.invoke import Common

ENGINE = "generic"


class Turn(Request):
    """The options of `mem turn`."""

    action: str = fields.text("Prepare what is new for a session, or acknowledge its delivery.", metavar="prepare|ack")
    session: str | None = fields.text("Your name for the session.", default=None, metavar="KEY")
    engine: str | None = fields.text("The harness whose limits apply; generic by default.", default=None, metavar="NAME")
    query: str | None = fields.text("The prompt; adds what is relevant to it.", default=None)
    format: str | None = fields.text("JSON with the turn as XML, the default; or text.", default=None, metavar="json|xml|prompt")
    full: bool = fields.flag("Everything again, as after a compaction.", default=False)
    prepare_id: str | None = fields.text("For ack: the turn.", default=None, metavar="ID")
    status: str | None = fields.text("For ack: whether the session received it.", default=None, metavar="success|failed")


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
    ask = turns.TurnRequest(asked.session, asked.engine or ENGINE, asked.query or "", "prompt" if in_words else "xml", asked.full)
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
