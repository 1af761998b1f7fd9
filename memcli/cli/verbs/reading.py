"""show, recent, threads, thread: looking at what is there."""

from __future__ import annotations

from memcli import fields
from memcli.cli import output
from memcli.cli.invoke import reading
from memcli.errors import InvalidInput, NotFound
from memcli.fields import Request
from memcli.shapes import memories as shapes
from memcli.store import graph, memories
from memcli.store.chunks import Chunk
from memcli.text.terminal import oneline

TYPE_CHECKING = False
if TYPE_CHECKING:
    from memcli.cli.invoke import Common
    from memcli.project import Project
    from memcli.store.memories import Memory

MAX_LIMIT = 100_000
MAX_CONTEXT = 1_000  # lines before and after a chunk


class Show(Request):
    """The options of `mem show`."""

    id: tuple[str, ...] = fields.identifiers("Ids of memories, chunks, sessions or prompts, or unique prefixes.")
    context: int = fields.number("Lines to show before and after a chunk.", default=0)


class Recent(Request):
    """The options of `mem recent`."""

    limit: int = fields.number("The maximum number of results.", default=20)


class Threads(Request):
    """`mem threads` has no options of its own."""


class OneThread(Request):
    """The options of `mem thread`."""

    id: str = fields.text("The thread's name.", metavar="NAME")
    limit: int = fields.number("The maximum number of results.", default=20)


def show(asked: Show, common: Common) -> None:
    """Prints everything about memories or chunks, or about sessions and prompts."""
    if not 0 <= asked.context <= MAX_CONTEXT:
        raise InvalidInput(f"a context of {asked.context} lines", f"give --context 0 to {MAX_CONTEXT}")
    told = [reference for reference in asked.id if reference.strip()[:2].upper() in ("A-", "P-")]
    if told and len(told) == len(asked.id):
        from memcli.cli.verbs import sessions

        return sessions.show(asked.id, common)
    if told:
        raise InvalidInput("sessions and prompts are shown by themselves", f"mem show {oneline(told[0])[:40]}")
    reading(common, lambda project: _show(project, asked, common.json))


def _show(project: Project, asked: Show, as_json: bool) -> None:
    found = [shapes.whole(project, reference, asked.context) for reference in asked.id]
    if as_json:
        items = [shapes.item(one) for one in found]
        return output.data(items[0] if len(items) == 1 else items)
    from memcli.cli import views

    texts = [
        views.chunk(of.known, of.links)
        if isinstance(of.one, Chunk)
        else views.memory(of.one, [link for link in of.links if link.from_id == of.one.id], of.known, project.now)
        for of in found
    ]
    output.show("\n\n".join(texts))


def recent(asked: Recent, common: Common) -> None:
    """Prints the newest memories, newest first."""
    reading(common, lambda project: _list(project, memories.recent(project.db, checked_limit(asked.limit)), common.json))


def checked_limit(limit: int) -> int:
    """Returns the limit. Raises InvalidInput for one that is none."""
    if not 1 <= limit <= MAX_LIMIT:
        raise InvalidInput(f"the limit must be 1 to {MAX_LIMIT}, not {limit}", f"give --limit 1 to {MAX_LIMIT}")
    return limit


def _list(project: Project, found: list[Memory], as_json: bool) -> None:
    if as_json:
        return output.data([shapes.memory(one) for one in found])
    from memcli.cli import views

    output.show(views.recent(found, project.now))


def threads(asked: Threads, common: Common) -> None:
    """Prints every thread with the number of its memories."""
    reading(common, lambda project: _threads(project, common.json))


def _threads(project: Project, as_json: bool) -> None:
    found = graph.threads(project.db)
    if as_json:
        return output.data([shapes.thread(one) for one in found])
    from memcli.cli import views

    output.show(views.threads(found, project.now))


def thread(asked: OneThread, common: Common) -> None:
    """Prints the newest memories of one thread."""
    reading(common, lambda project: _thread(project, asked, common.json))


def _thread(project: Project, asked: OneThread, as_json: bool) -> None:
    found = graph.thread(project.db, asked.id)
    if found is None:
        raise NotFound(f"no thread {oneline(asked.id)[:80]}", "see mem threads")
    inside = memories.recent(project.db, checked_limit(asked.limit), found.id)
    if as_json:
        return output.data(shapes.in_thread(found, inside))
    _list(project, inside, as_json=False)
