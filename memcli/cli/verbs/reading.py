"""show, recent, threads, thread: how the command line words what is stored."""

from __future__ import annotations

from memcli.cli import output
from memcli.cli.invoke import answer
from memcli.cli.invoke import show as show_result
from memcli.errors import InvalidInput
from memcli.fields import to_json
from memcli.store.chunks import Chunk
from memcli.text.terminal import oneline

TYPE_CHECKING = False
if TYPE_CHECKING:
    from memcli.cli.invoke import Common
    from memcli.operations.lists import Memories, RecentRequest, ThreadRequest, ThreadsRequest
    from memcli.operations.show import Shown, ShowRequest


def show(request: ShowRequest, common: Common) -> None:
    """Prints everything about memories or chunks, or about sessions and prompts."""
    captured = [reference for reference in request.id if reference.strip()[:2].upper() in ("A-", "P-")]
    if captured and len(captured) == len(request.id):
        from memcli.cli.verbs import sessions

        return sessions.show_items(request.id, common)
    if captured:
        raise InvalidInput("sessions and prompts are shown by themselves", f"mem show {oneline(captured[0])[:40]}")
    items = answer(common, "show", request)
    if common.json:
        return output.data(to_json(items[0] if len(items) == 1 else items))
    output.show("\n\n".join(map(_item, items)))


def _item(result: Shown) -> str:
    from memcli.cli import views

    if isinstance(result.item, Chunk):
        return views.chunk(result.details, result.links)
    own_links = [link for link in result.links if link.from_id == result.item.id]
    return views.memory(result.item, own_links, result.details, result.now)


def recent(request: RecentRequest, common: Common) -> None:
    """Prints the newest memories, newest first."""
    show_result(common, answer(common, "recent", request), _memories)


def _memories(result: Memories) -> str:
    from memcli.cli import views

    return views.recent(result.memories, result.now)


def threads(request: ThreadsRequest, common: Common) -> None:
    """Prints every thread with the number of its memories."""
    from memcli.cli import views

    show_result(common, answer(common, "threads", request), lambda result: views.threads(result.threads, result.now))


def thread(request: ThreadRequest, common: Common) -> None:
    """Prints the newest memories of one thread."""
    show_result(common, answer(common, "thread", request), _memories)
