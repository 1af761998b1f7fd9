"""update, supersede, confirm, forget, restore, pin, unpin, link: how the command line words what they did."""

from __future__ import annotations

from memcli.cli import output
from memcli.cli.invoke import perform, show
from memcli.cli.verbs.add import line, stdin
from memcli.records import replace
from memcli.text.terminal import oneline

TYPE_CHECKING = False
if TYPE_CHECKING:
    from memcli.cli.invoke import Common
    from memcli.operations.confirm import Confirmed
    from memcli.operations.forget import ForgetRequest, Forgotten, Restored
    from memcli.operations.link import Linked
    from memcli.operations.pin import Pinned
    from memcli.operations.supersede import SupersedeRequest
    from memcli.operations.update import UpdateRequest

_UNFINISHED = "another process is reading the old file, or the disk is full: the next command that writes cleans it"
_NOT_REACHED = "Not reached: exports, backups, other machines. Treat a stored secret as leaked, and change it."


def update(request: UpdateRequest, common: Common) -> None:
    """Changes fields of a memory."""
    request = replace(request, summary=request.summary and stdin(request.summary))
    show(common, perform(common, "update", request), line)


def supersede(request: SupersedeRequest, common: Common) -> None:
    """Replaces a memory by what holds now."""
    request = replace(request, summary=request.summary and stdin(request.summary))
    show(common, perform(common, "supersede", request), lambda result: f"{line(result)}\nsupersedes {result.old_id}")


def confirm(results: list[Confirmed]) -> str:
    """Memories that hold on the commit that is checked out and for the files as they are."""
    return "\n".join([line(result, "Confirmed ") for result in results])


def forget(request: ForgetRequest, common: Common) -> None:
    """Hides a memory or a chunk from every recall; with --erase, takes the text of either out for good."""
    result: Forgotten = perform(common, "forget", request)
    show(common, result, _erased if request.erase else _hidden)
    if request.erase and not common.json:
        if not result.finished:
            output.tell(f"{output.paint('Warning:', 'warn', 2)} {_UNFINISHED}")
        output.tell(_NOT_REACHED)


def _hidden(result: Forgotten) -> str:
    return f"Forgot {result.id}; bring it back with: mem restore {result.id}"


def _erased(result: Forgotten) -> str:
    more = len(result.erased or ()) - 1
    lines = [f"Erased {result.id}" + (f" and {more} more that went with it" if more else "")]
    return "\n".join([*lines, *[f"removed {oneline(path)}" for path in result.removed_files or ()]])


def restore(result: Restored) -> str:
    """A memory or a chunk that came back."""
    return output.row(result.id, oneline(result.title))


def pin(result: Pinned) -> str:
    """A memory that does not age."""
    return line(result, "Pinned ")


def unpin(result: Pinned) -> str:
    """A memory that ages again."""
    return line(result, "Unpinned ")


def link(result: Linked) -> str:
    """A link from a memory to another, a chunk or a web address."""
    return f"{result.from_id} {result.rel} {oneline(result.to_id)}{'' if result.created else ' (exists)'}"
