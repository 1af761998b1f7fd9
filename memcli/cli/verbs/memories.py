"""update, supersede, confirm, forget, restore, pin, unpin, link: what people and agents do with memories."""

from __future__ import annotations

from memcli.cli import output
from memcli.cli.invoke import labels, writing
from memcli.cli.verbs.add import line, stdin
from memcli.memory import entries
from memcli.records import Record
from memcli.store import chunks
from memcli.text.terminal import oneline

TYPE_CHECKING = False
if TYPE_CHECKING:
    from memcli.cli.invoke import Common
    from memcli.store.memories import Memory

ACTOR = "cli"


class Update(Record):
    """What `mem update` was given."""

    id: str
    title: str | None = None
    summary: str | None = None
    thread: str | None = None
    kind: str | None = None
    tags: str | None = None
    entities: str | None = None


class Supersede(Record):
    """What `mem supersede` was given."""

    id: str
    title: str | None = None
    summary: str | None = None
    thread: str | None = None
    tags: str | None = None
    entities: str | None = None


class One(Record):
    """A command about one memory."""

    id: str


class Forget(Record):
    """What `mem forget` was asked."""

    id: str
    erase: bool = False


class Several(Record):
    """A command about one or more memories."""

    id: tuple[str, ...]


class Link(Record):
    """What `mem link` was given."""

    from_id: str
    rel: str
    to_id: str


def _line(memory: Memory) -> str:
    return line(memory.id, memory.title, memory.thread, memory.anchor, memory.prompt_tokens)


def _labels(text: str | None) -> tuple[str, ...] | None:
    return None if text is None else labels(text)


def update(asked: Update, common: Common) -> None:
    """Changes fields of a memory."""
    edit = entries.Edit(
        title=asked.title,
        summary=asked.summary and stdin(asked.summary),
        thread=asked.thread,
        kind=asked.kind,
        tags=_labels(asked.tags),
        entities=_labels(asked.entities),
    )
    memory = writing(common, lambda project: entries.update(project, asked.id, edit, ACTOR))
    if common.json:
        from memcli.shapes import memories as shapes

        return output.data(shapes.updated(memory))
    output.show(_line(memory))


def supersede(asked: Supersede, common: Common) -> None:
    """Replaces a memory by what holds now."""
    edit = entries.Edit(
        title=asked.title,
        summary=asked.summary and stdin(asked.summary),
        thread=asked.thread,
        tags=_labels(asked.tags),
        entities=_labels(asked.entities),
    )
    old, new = writing(common, lambda project: entries.supersede(project, asked.id, edit, ACTOR))
    if common.json:
        from memcli.shapes import memories as shapes

        return output.data(shapes.superseded(old, new))
    output.show(f"{_line(new)}\nsupersedes {_line(old)}")


def confirm(asked: Several, common: Common) -> None:
    """Says that memories hold on the commit that is checked out and for the files as they are."""
    found = writing(common, lambda project: entries.confirm(project, asked.id, ACTOR))
    if common.json:
        from memcli.shapes import memories as shapes

        return output.data([shapes.confirmed(memory) for memory in found])
    for memory in found:
        output.show(f"Confirmed {_line(memory)}")


def forget(asked: Forget, common: Common) -> None:
    """Hides a memory or a chunk from every recall; with --erase, takes the text of either out for good."""
    if asked.erase:
        from memcli.cli.verbs import privacy

        return privacy.erase(asked.id, common)

    found_id = writing(common, lambda project: entries.hide(project, asked.id, ACTOR))
    if common.json:
        from memcli.shapes import memories as shapes

        return output.data(shapes.hidden(found_id, "forgotten"))
    output.show(f"Forgot {found_id}; bring it back with: mem restore {found_id}")


def restore(asked: One, common: Common) -> None:
    """Brings a forgotten memory or chunk back."""
    found = writing(common, lambda project: entries.bring_back(project, asked.id, ACTOR))
    if common.json:
        from memcli.shapes import memories as shapes

        return output.data(shapes.hidden(found.id, "restored"))
    output.show(output.row(found.id, found.place, "") if isinstance(found, chunks.Chunk) else _line(found))


def pin(asked: One, common: Common) -> None:
    """Pins a memory: it does not age."""
    _pin(asked, common, pinned=True)


def unpin(asked: One, common: Common) -> None:
    """Lets a memory age again."""
    _pin(asked, common, pinned=False)


def _pin(asked: One, common: Common, pinned: bool) -> None:
    memory = writing(common, lambda project: entries.pin(project, asked.id, pinned, ACTOR))
    if common.json:
        from memcli.shapes import memories as shapes

        return output.data(shapes.pinned(memory, pinned))
    output.show(f"{'Pinned' if pinned else 'Unpinned'} {_line(memory)}")


def link(asked: Link, common: Common) -> None:
    """Links a memory to another, a chunk or a web address by a named relation."""
    from memcli.memory import links

    made, created = writing(common, lambda project: links.link(project, asked.from_id, asked.rel, asked.to_id, ACTOR))
    if common.json:
        from memcli.shapes import memories as shapes

        return output.data(shapes.linked(made, created))
    output.show(f"{made.from_id} {made.rel} {oneline(made.to_id)}" + ("" if created else " (was there)"))
