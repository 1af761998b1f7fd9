"""update, supersede, confirm, forget, restore, pin, unpin, link, undo: how the command line words what they did."""

from __future__ import annotations

from memcli.cli import output
from memcli.cli.invoke import perform, show
from memcli.cli.verbs.add import line, stdin
from memcli.records import replace
from memcli.text.terminal import oneline

TYPE_CHECKING = False
if TYPE_CHECKING:
    from memcli.cli.invoke import Common
    from memcli.operations.confirm import Confirmed, ConfirmRequest
    from memcli.operations.forget import ForgetRequest, Forgotten, RestoreRequest
    from memcli.operations.link import LinkRequest
    from memcli.operations.pin import PinRequest
    from memcli.operations.supersede import SupersedeRequest
    from memcli.operations.undo import Undone, UndoRequest
    from memcli.operations.update import UpdateRequest

_LISTED = 20  # operations that an undo lists
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


def confirm(request: ConfirmRequest, common: Common) -> None:
    """Says that memories hold on the commit that is checked out and for the files as they are."""
    show(common, perform(common, "confirm", request), _confirmed)


def _confirmed(results: list[Confirmed]) -> str:
    return "\n".join([f"Confirmed {line(result)}" for result in results])


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


def restore(request: RestoreRequest, common: Common) -> None:
    """Brings a forgotten memory or chunk back."""
    show(common, perform(common, "restore", request), lambda result: output.row(result.id, oneline(result.title), ""))


def pin(request: PinRequest, common: Common) -> None:
    """Pins a memory: it does not age."""
    show(common, perform(common, "pin", request), lambda result: f"Pinned {line(result)}")


def unpin(request: PinRequest, common: Common) -> None:
    """Lets a memory age again."""
    show(common, perform(common, "unpin", request), lambda result: f"Unpinned {line(result)}")


def link(request: LinkRequest, common: Common) -> None:
    """Links a memory to another, a chunk or a web address by a named relation."""
    result = perform(common, "link", request)
    show(
        common, result, lambda _: f"{result.from_id} {result.rel} {oneline(result.to_id)}{'' if result.created else ' (exists)'}"
    )


def undo(request: UndoRequest, common: Common) -> None:
    """Takes the last command back, by new operations that say the opposite."""
    show(common, perform(common, "undo", request), _undone)


def _undone(result: Undone) -> str:
    if result.restored:
        return f"Brought back {result.restored}  {result.titles[result.restored]}"
    lines = [f"Undid command {result.command}"]
    for operation in result.undone[:_LISTED]:
        lines.append(f"  {operation.k:<9} {operation.o}  {result.titles.get(operation.o, '')}".rstrip())
    if len(result.undone) > _LISTED:
        lines.append(f"  and {len(result.undone) - _LISTED:,} more operations")
    return "\n".join(lines)
