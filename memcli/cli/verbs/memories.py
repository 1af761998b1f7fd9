"""update, supersede, confirm, forget, restore, pin, unpin, link: prints what they did."""

from __future__ import annotations

import os

from memcli.cli import output
from memcli.cli.invoke import perform, show
from memcli.cli.verbs.add import line, stdin
from memcli.records import replace
from memcli.text.terminal import oneline

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from memcli.cli.invoke import Common
    from memcli.operations.confirm import Confirmed
    from memcli.operations.forget import ForgetRequest, Forgotten, RestoreRequest
    from memcli.operations.link import Linked
    from memcli.operations.pin import PinRequest
    from memcli.operations.supersede import SupersedeRequest
    from memcli.operations.update import UpdateRequest

_LISTED = 20  # things that a preview names
_UNFINISHED = "another process is reading the old file, or the disk is full: the next command that writes cleans it"
_SHARED = "{0} was shared: the remote and other stores keep its text; take it out there, too: mem sync purge {0}"
_KEPT = "a copy that mem backup wrote may have the text: {}; delete it, and make a new one"
_NOT_REACHED = "Not reached: exports, backups, other machines. Treat a stored secret as leaked, and change it."


def update(request: UpdateRequest, common: Common) -> None:
    """Changes fields of a memory."""
    request = replace(request, summary=request.summary and stdin(request.summary))
    show(common, perform(common, "update", request), line)


def supersede(request: SupersedeRequest, common: Common) -> None:
    """Replaces a memory with what holds now."""
    request = replace(request, summary=request.summary and stdin(request.summary))
    show(common, perform(common, "supersede", request), lambda result: f"{line(result)}\nsupersedes {result.old_id}")


def confirm(results: list[Confirmed]) -> str:
    """Memories that hold on the commit that is checked out and for the current files."""
    return "\n".join([line(result, "Confirmed ") for result in results])


def forget(request: ForgetRequest, common: Common) -> None:
    """Hides items from every recall; with --erase, deletes their texts for good."""
    results: list[Forgotten] = perform(common, "forget", request)
    if not request.id or request.dry_run:
        return show(common, results, _previewed if request.dry_run else _selected)
    _show_each(common, results, _erased if request.erase else _hidden)
    if request.erase and not common.json:
        if results[0].removed_files:
            output.show("\n".join([f"removed {oneline(path)}" for path in results[0].removed_files]))
        if not results[0].finished:
            output.tell(f"{output.paint('Warning:', 'warn', 2)} {_UNFINISHED}")
        for name in [name for result in results for name in result.shared or ()]:
            output.tell(f"{output.paint('Warning:', 'warn', 2)} {_SHARED.format(name)}")
        for path in _copies_elsewhere(common):
            output.tell(f"{output.paint('Warning:', 'warn', 2)} {_KEPT.format(oneline(path))}")
        output.tell(_NOT_REACHED)


def _copies_elsewhere(common: Common) -> list[str]:
    """Returns the copies of the memory that mem backup wrote elsewhere, as far as they are known."""
    from memcli.project import folder_of, locate
    from memcli.store import elsewhere

    folder = folder_of(locate(common.where).repo_id, common.workspace)
    return [copy for _, copy in elsewhere.of(os.path.join(folder, "memory.db"))]


def _show_each(common: Common, results: list[Any], text: Callable[[Any], str]) -> None:
    """Prints results, one per line; as JSON, an object for one id and a list for several."""
    if common.json and len(results) == 1:
        return show(common, results[0], text)
    show(common, results, lambda results: "\n".join(map(text, results)))


def _hidden(result: Forgotten) -> str:
    quoted = f"; the summary of its session may quote it: mem show {result.summary}" if result.summary else ""
    return f"Forgot {result.id}; bring it back with: mem restore {result.id}{quoted}"


def _selected(results: list[Forgotten]) -> str:
    return f"Forgot {_counted(results)}; take it back with: mem undo"


def _previewed(results: list[Forgotten]) -> str:
    lines = [f"{result.id} {oneline(result.title or '')[:100]}" for result in results[:_LISTED]]
    more = len(results) - len(lines)
    return "\n".join([f"Would forget {_counted(results)}:", *lines, *([f"and {more} more"] if more else [])])


def _counted(results: list[Forgotten]) -> str:
    """Returns how many of each kind there are, in words."""
    kinds = [result.kind for result in results]
    plural = {kind: "memories" if kind == "memory" else f"{kind}s" for kind in kinds}
    return " and ".join([f"{number} {kind if number == 1 else plural[kind]}" for kind in plural if (number := kinds.count(kind))])


def _erased(result: Forgotten) -> str:
    more = len(result.erased or ()) - 1
    return f"Erased {result.id}" + (f" and {more} more that went with it" if more else "")


def restore(request: RestoreRequest, common: Common) -> None:
    """Restores what was forgotten."""
    _show_each(common, perform(common, "restore", request), lambda result: output.row(result.id, oneline(result.title), ""))


def pin(request: PinRequest, common: Common) -> None:
    """Keeps memories from ageing."""
    _show_each(common, perform(common, "pin", request), lambda result: line(result, "Pinned "))


def unpin(request: PinRequest, common: Common) -> None:
    """Lets memories age again."""
    _show_each(common, perform(common, "unpin", request), lambda result: line(result, "Unpinned "))


def link(result: Linked) -> str:
    """A link from a memory to another, a chunk or a web address."""
    return f"{result.from_id} {result.rel} {oneline(result.to_id)}{'' if result.created else ' (exists)'}"
