"""add, update, supersede, confirm, forget, restore, pin, unpin, link: what people and agents do with memories."""

from __future__ import annotations

from memcli.cli import output
from memcli.cli.invoke import writing
from memcli.errors import InvalidInput
from memcli.memory import entries
from memcli.records import Record
from memcli.store import chunks
from memcli.text.terminal import oneline

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from memcli.cli.invoke import Common
    from memcli.project import Project
    from memcli.store.memories import Memory

ACTOR = "cli"
_FIELDS: dict[str, type] = {
    "title": str,
    "summary": str,
    "thread": str,
    "kind": str,
    "tags": list,
    "entities": list,
    "files": list,
}


class Add(Record):
    """What `mem add` was given."""

    title: str | None = None
    title_option: str | None = None
    summary: str | None = None
    thread: str | None = None
    tags: str | None = None
    entities: str | None = None
    file: tuple[str, ...] = ()
    kind: str = "note"
    force: bool = False
    stdin_json: bool = False


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


def add(asked: Add, common: Common) -> None:
    """Stores a memory and prints its id once the disk has it; where one says the same already, prints that one's."""
    new = _from_json(asked) if asked.stdin_json else _from_options(asked)
    entries.check(new)  # before a first memory makes a store

    def work(project: Project) -> tuple[Memory, bool]:
        return (entries.add(project, new, ACTOR), False) if asked.force else entries.add_once(project, new, ACTOR, _holds)

    memory, was_there = writing(common, work, create=True)
    if common.json:
        from memcli.shapes import memories as shapes

        return output.data(shapes.added(memory, new, was_there))
    output.show(_line(memory) + ("\nwas there already; nothing was stored (--force stores it again)" if was_there else ""))


def _holds(project: Project, anchor: str | None) -> bool:
    from memcli.recall import truth  # only where an older commit's memory says the same

    return truth.holds(project, anchor)


def _from_options(asked: Add) -> entries.NewMemory:
    title = asked.title_option if asked.title is None else asked.title
    if title is None or (asked.title is not None and asked.title_option is not None):
        raise InvalidInput("one title is needed", 'say it once: mem add "Sessions live in Postgres" --summary "Redis lost them"')
    if asked.summary is None:
        raise InvalidInput(
            "the summary is missing", 'say what holds and why: --summary "..." (or --summary - to read it from standard input)'
        )
    return entries.NewMemory(
        title, _stdin(asked.summary), asked.thread, asked.kind, labels(asked.tags) or (), labels(asked.entities) or (), asked.file
    )


def _stdin(text: str) -> str:
    """Returns an option's text, or standard input where it is `-`."""
    if text != "-":
        return text
    from memcli.cli.verbs.streams import read_text

    return read_text("-").removesuffix("\n")


def _from_json(asked: Add) -> entries.NewMemory:
    """Reads a memory as JSON from standard input: the way for texts that no command line can carry."""
    from memcli.cli.verbs.streams import read_text
    from memcli.text import json

    if asked.title is not None or asked.title_option is not None or asked.summary is not None:
        raise InvalidInput("two memories at once", "give either --stdin-json, or a title and --summary")
    hint = 'send one object: {"title": "...", "summary": "...", "thread": "...", "tags": ["..."]}'
    try:
        given: Any = json.loads(read_text("-"))
    except json.Malformed as problem:
        raise InvalidInput(f"standard input is not JSON: {problem}", hint) from None
    if not isinstance(given, dict):
        raise InvalidInput("standard input is not a JSON object", hint)
    for name, value in given.items():
        if name not in _FIELDS:
            raise InvalidInput(f"unknown field {name[:80]!r}", f"use {', '.join(_FIELDS)}")
        if not (_is_texts(value) if _FIELDS[name] is list else isinstance(value, str)):
            raise InvalidInput(f"{name} is not a {'list of texts' if _FIELDS[name] is list else 'text'}", hint)
    if "title" not in given or "summary" not in given:
        raise InvalidInput("title and summary are needed", hint)
    tags, entities, files = (tuple(given.get(name, ())) for name in ("tags", "entities", "files"))
    return entries.NewMemory(
        given["title"], given["summary"], given.get("thread"), given.get("kind", "note"), tags, entities, files
    )


def _is_texts(value: Any) -> bool:
    return isinstance(value, list) and all(isinstance(part, str) for part in value)


def labels(given: str | None) -> tuple[str, ...] | None:
    """Splits a comma-separated option; None where it was not given."""
    return None if given is None else tuple([part.strip() for part in given.split(",") if part.strip()])


def update(asked: Update, common: Common) -> None:
    """Changes fields of a memory."""
    edit = entries.Edit(
        asked.title, asked.summary and _stdin(asked.summary), asked.thread, asked.kind, labels(asked.tags), labels(asked.entities)
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
        summary=asked.summary and _stdin(asked.summary),
        thread=asked.thread,
        tags=labels(asked.tags),
        entities=labels(asked.entities),
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


def _line(memory: Memory) -> str:
    """One line about a memory that was just written or read: id, title, thread, commit, cost."""
    where = f"thread {memory.thread}" + (f" · on {memory.anchor[:7]}" if memory.anchor else "")
    tail = f"{where} · {memory.prompt_tokens} tokens"
    return output.row(memory.id, oneline(memory.title), tail)
