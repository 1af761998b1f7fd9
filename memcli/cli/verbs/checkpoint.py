"""checkpoint: store where the work stands, and why."""

from __future__ import annotations

from memcli import fields
from memcli.cli import output
from memcli.cli.invoke import perform, show
from memcli.errors import InvalidInput
from memcli.operations.checkpoint import CheckpointRequest
from memcli.records import replace
from memcli.text.terminal import oneline

TYPE_CHECKING = False
if TYPE_CHECKING:
    from memcli.cli.invoke import Common


class CheckpointOptions(CheckpointRequest):
    """Why, and the state from a file or the command line."""

    state_file: str | None = fields.text("A file with the state as JSON; - reads standard input.", default=None, metavar="FILE")


def checkpoint(request: CheckpointOptions, common: Common) -> None:
    """Stores where the work stands, and a memory that says why."""
    from memcli.cli.verbs.streams import read_text

    if (request.state_file is None) == (request.state_json is None):
        raise InvalidInput("one state is needed", "give either --state-file FILE or --state-json JSON; - reads standard input")
    source = request.state_file or request.state_json or ""
    text = read_text(source) if request.state_file is not None or source == "-" else source
    result = perform(common, "checkpoint", replace(request, state_json=text))
    show(common, result, lambda _: output.row(result.state_id, f"{oneline(result.reason)}  (memory {result.memory_id})"))
