"""turn: what a session is told now, and that it was told."""

from __future__ import annotations

from memcli import fields
from memcli.agents.turns import turn as turns
from memcli.cli import output
from memcli.cli.invoke import Common, writing
from memcli.errors import InvalidInput
from memcli.fields import Request

ENGINE = "generic"


class TurnOptions(Request):
    """The options of `mem turn`."""

    action: str = fields.text("Prepare what is new for a session, or acknowledge its delivery.", choices=("prepare", "ack"))
    session: str | None = fields.text("Your name for the session.", default=None, metavar="KEY")
    engine: str | None = fields.text("The harness whose limits apply; generic by default.", default=None, metavar="NAME")
    query: str | None = fields.text("The prompt; adds what is relevant to it.", default=None)
    format: str | None = fields.text("The turn as XML (the default) or as text.", default=None, choices=("json", "xml", "prompt"))
    full: bool = fields.flag("Everything again, as after a compaction.", default=False)
    prepare_id: str | None = fields.text("For ack: the turn.", default=None, metavar="ID")
    status: str | None = fields.text("For ack: whether the session received it.", default=None, choices=("success", "failed"))


def turn(request: TurnOptions, common: Common) -> None:
    """Prepares a turn, or records how one ended."""
    if request.action == "prepare":
        return _prepare(request, common)
    _ack(request, common)


def _prepare(request: TurnOptions, common: Common) -> None:
    if request.session is None:
        raise InvalidInput("the session is missing", "give --session KEY, your program's name for the session")
    if request.prepare_id is not None or request.status is not None:
        raise InvalidInput("--prepare-id and --status belong to ack", "see mem turn --help")
    form = request.format or "json"
    in_words = form == "prompt"
    form = "prompt" if in_words else "xml"
    turn_request = turns.TurnRequest(request.session, request.engine or ENGINE, request.query or "", form, request.full)
    turn = writing(common, lambda project: turns.prepare(project, turn_request))
    facts = {"prepareId": turn.id, "mode": turn.mode, "fromRevision": turn.from_revision, "toRevision": turn.to_revision}
    output.data({**facts, "text" if in_words else "xml": turn.text})


def _ack(request: TurnOptions, common: Common) -> None:
    if request.prepare_id is None or request.status is None:
        raise InvalidInput("--prepare-id or --status is missing", "give --prepare-id ID --status success or failed")
    if request.engine or request.query or request.format or request.full:
        raise InvalidInput("--engine, --query, --format and --full belong to prepare", "see mem turn --help")
    prepare_id, status = request.prepare_id, request.status
    writing(common, lambda project: turns.ack(project, prepare_id, status, request.session))
    output.data({"ok": True})
