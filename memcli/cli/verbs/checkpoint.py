"""checkpoint: store where the work stands, and why."""

from __future__ import annotations

from memcli import fields
from memcli.cli import output
from memcli.cli.invoke import perform, show
from memcli.errors import InvalidInput
from memcli.fields import options
from memcli.operations.checkpoint import CheckpointRequest
from memcli.records import replace
from memcli.text.terminal import oneline

TYPE_CHECKING = False
if TYPE_CHECKING:
    from memcli.cli.invoke import Common
    from memcli.operations.checkpoint import Stored


class CheckpointOptions(CheckpointRequest):
    """Why, and the state from a file or the command line."""

    reason_argument: str | None = fields.text("Why; the same as --reason.", default=None, metavar="REASON")
    state_argument: str | None = fields.text("The state; the same as --state-json.", default=None, metavar="STATE")
    state_file: str | None = fields.text("A file with the state; - reads standard input.", default=None, metavar="FILE")


def checkpoint(request: CheckpointOptions, common: Common) -> None:
    """Stores where the work stands, and a memory that says why."""
    from memcli.cli.verbs.streams import read_text

    values = options(request)
    reasons = [values[name] for name in ("reason", "reason_argument") if name in values]
    if len(reasons) != 1:
        raise InvalidInput("give exactly one reason", "use mem checkpoint --reason TEXT --state-json JSON")
    states = [values[name] for name in ("state_file", "state_json", "state_argument") if name in values]
    if len(states) != 1:
        raise InvalidInput("give exactly one state", "use either --state-file FILE or --state-json JSON; - reads standard input")
    text = read_text(states[0]) if "state_file" in values or states[0] == "-" else states[0]
    result = perform(common, "checkpoint", replace(request, reason=reasons[0], state_json=text))
    line = output.row(result.state_id, f"{oneline(result.reason)}  (memory {result.memory_id})")
    show(common, result, lambda _: line + _remarks(result, request, common))


def _remarks(result: Stored, request: CheckpointOptions, common: Common) -> str:
    as_text = "\nthe state is not JSON: kept as a text, under raw" * result.state_is_text
    if not request.share:
        return as_text
    from memcli.cli.verbs.add import when_it_leaves

    return as_text + when_it_leaves(common)
