"""What can be done with a memory: add, update, supersede, forget, restore, pin. One transaction each."""

from __future__ import annotations

from memcli.errors import InvalidInput
from memcli.memory import screen
from memcli.memory.commit import commit
from memcli.memory.files import file_links, inherited, mentions, renewed
from memcli.memory.lookup import find, find_chunk, labels
from memcli.records import Record
from memcli.store import chunks, graph, memories, oplog
from memcli.store.db import transaction
from memcli.store.memories import Memory
from memcli.store.oplog import Change
from memcli.text import ids
from memcli.text.terminal import is_storable, oneline

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import Any

    from memcli.project import Project
    from memcli.store.chunks import Chunk

MAX_TITLE = 1_000  # characters
MAX_NAME = 80  # characters of a thread, a kind, a tag
MAX_LABELS = 100  # tags, or entities, of one memory


class NewMemory(Record):
    """What somebody wants kept. `thread` None: the default one. `files`: paths this memory speaks of."""

    title: str
    summary: str
    thread: str | None = None
    kind: str = "note"
    tags: tuple[str, ...] = ()
    entities: tuple[str, ...] = ()
    files: tuple[str, ...] = ()


class Edit(Record):
    """Changes to a memory; None leaves a field as it is."""

    title: str | None = None
    summary: str | None = None
    thread: str | None = None
    kind: str | None = None
    tags: tuple[str, ...] | None = None
    entities: tuple[str, ...] | None = None


def add(project: Project, new: NewMemory, actor: str, anchored: bool = True) -> Memory:
    """Stores a memory, anchored at the commit that is checked out unless it holds everywhere.

    Raises NotFound or InvalidInput; then nothing is stored.
    """
    return _add(project, new, actor, anchored, lambda fields: None)[0]


def add_once(project: Project, new: NewMemory, actor: str, holds: Callable[[Project, str | None], bool]) -> tuple[Memory, bool]:
    """Stores a memory unless one of its thread with the same title and summary, spaces apart, holds at HEAD.

    `holds` tells whether HEAD can see an anchor. Returns the memory that is there now, and whether it was there already.
    Raises NotFound or InvalidInput; then nothing is stored.
    """

    def twin(fields: dict[str, Any]) -> Memory | None:
        for memory in memories.saying(project.db, fields["thread"], fields["title"], fields["summary"]):
            if memory.anchor in (None, project.commit) or holds(project, memory.anchor):
                return memory
        return None

    return _add(project, new, actor, True, twin)


def _add(
    project: Project, new: NewMemory, actor: str, anchored: bool, twin: Callable[[dict[str, Any]], Memory | None]
) -> tuple[Memory, bool]:
    memory_id = ids.new("M")
    links = file_links(project, memory_id, new.files)
    fields = checked(project, new)
    links += mentions(project, memory_id, (new.title, new.summary), [link.body["to"] for link in links])
    if not anchored:
        fields["anchor"] = None
    if found := twin(fields):  # and git, if it has to be asked, is not asked under the lock
        return found, True
    there: list[Memory] = []

    def decide() -> list[Change]:
        if found := twin(fields):
            there.append(found)
            return []
        return [*thread_change(project, fields["thread"]), Change("put", memory_id, fields), *links]

    commit(project, decide, actor)
    return (there[0], True) if there else (stored(project, memory_id), False)


def update(project: Project, reference: str, edit: Edit, actor: str) -> Memory:
    """Changes fields of a memory; its history stays in the log. Raises NotFound or InvalidInput."""
    old = find(project, reference)
    fields = screen.fields(project, edited(edit))
    threads = thread_change(project, str(fields["thread"])) if "thread" in fields else []
    known = [link.to_id for link in graph.links_from(project.db, old.id)]
    links = mentions(project, old.id, [text for text in (edit.title, edit.summary) if text], known)
    commit(project, lambda: [*threads, Change("put", old.id, fields), *links], actor)
    return stored(project, old.id)


def edited(edit: Edit) -> dict[str, Any]:
    """Returns the fields that an edit changes. Raises InvalidInput."""
    fields = {
        name: value
        for name, value in (
            ("title", edit.title if edit.title is None else check_title(edit.title)),
            ("summary", edit.summary if edit.summary is None else check_summary(edit.summary)),
            ("thread", edit.thread if edit.thread is None else check_name("thread", edit.thread)),
            ("kind", edit.kind if edit.kind is None else check_name("kind", edit.kind).lower()),
            ("tags", edit.tags if edit.tags is None else check_labels("tag", edit.tags)),
            ("entities", edit.entities if edit.entities is None else check_labels("entity", edit.entities)),
        )
        if value is not None
    }
    if not fields:
        raise InvalidInput("nothing to change", "give --title, --summary, --thread, --kind, --tags or --entities")
    return fields


def supersede(project: Project, reference: str, edit: Edit, actor: str) -> tuple[Memory, Memory]:
    """Replaces a memory by a new one that says what holds now. Returns (old, new). Raises NotFound or InvalidInput."""
    old, new = successor(project, reference, edit)
    memory_id = ids.new("M")
    fields = checked(project, new)
    links = inherited(project, memory_id, graph.links_from(project.db, old.id))
    links += mentions(project, memory_id, (new.title, new.summary), [link.body["to"] for link in links])

    def decide() -> list[Change]:
        _check_stands(memories.find(project.db, old.id) or old)
        return [
            *thread_change(project, fields["thread"]),
            Change("put", memory_id, fields),
            Change("link", memory_id, {"rel": "supersedes", "to": old.id, "on": True}),
            Change("supersede", old.id, {"by": memory_id, "on": True}),
            *links,
        ]

    commit(project, decide, actor)
    return stored(project, old.id), stored(project, memory_id)


def successor(project: Project, reference: str, edit: Edit) -> tuple[Memory, NewMemory]:
    """Returns the memory that is meant, and what is to replace it. Raises NotFound or InvalidInput."""
    old = find(project, reference)
    if edit.title is None and edit.summary is None:
        raise InvalidInput("nothing new is said", "give --summary, and --title where it changed")
    _check_stands(old)
    return old, NewMemory(
        title=old.title if edit.title is None else edit.title,
        summary=old.summary if edit.summary is None else edit.summary,
        thread=old.thread if edit.thread is None else edit.thread,
        kind=old.kind if edit.kind is None else edit.kind,
        tags=labels(old.tags) if edit.tags is None else edit.tags,
        entities=labels(old.entities) if edit.entities is None else edit.entities,
    )


def _check_stands(memory: Memory) -> None:
    """Raises InvalidInput for a memory that was replaced already."""
    if by := memory.superseded_by:
        hint = f"mem supersede {by}, or mem show {by} to see where it holds"
        raise InvalidInput(f"{memory.id} is superseded by {by}", hint, "superseded")


def confirm(project: Project, references: Sequence[str], actor: str) -> list[Memory]:
    """Says that memories hold here and now: anchors them at the commit that is checked out, and renews their links to files.

    A memory that holds everywhere goes on doing so. Raises NotFound or InvalidInput; then nothing is changed.
    """
    found = {memory.id: memory for memory in [find(project, reference) for reference in references]}
    changes: list[Change] = []
    for memory in found.values():
        if memory.anchor is not None and project.commit is not None and memory.anchor != project.commit:
            changes.append(Change("put", memory.id, {"anchor": project.commit}))
        changes += renewed(project, memory.id, graph.links_from(project.db, memory.id))
    if changes:
        commit(project, lambda: changes, actor)
    return [stored(project, memory_id) for memory_id in found]


def forget(project: Project, reference: str, actor: str) -> Memory:
    """Hides a memory from every recall; its history stays and `restore` brings it back. Raises NotFound."""
    memory = find(project, reference)
    commit(project, lambda: [Change("forget", memory.id, {})], actor)
    return memory


def forget_chunk(project: Project, chunk_id: str) -> None:
    """Hides a chunk from every recall. An ingestion does not bring it back; `restore_chunk` does."""
    with transaction(project.db):
        for chunk in chunks.by_prefix(project.db, chunk_id, 1):
            chunks.hide(project.db, chunk)
            chunks.note_hidden(project.db, chunk.id, oplog.revision(project.db))


def restore_chunk(project: Project, chunk: Chunk) -> None:
    """Brings a hidden chunk back. Raises InvalidInput when it is not hidden."""
    if not chunk.hidden:
        raise InvalidInput(f"{chunk.id} is not forgotten", "see it with mem show")
    with transaction(project.db):
        for known in chunks.by_prefix(project.db, chunk.id, 1):
            chunks.unhide(project.db, known)


def restore(project: Project, reference: str, actor: str) -> Memory:
    """Brings a forgotten memory back. Raises NotFound, or InvalidInput when it is not forgotten."""
    memory = find(project, reference, forgotten=True)
    if not memory.forgotten:
        raise InvalidInput(f"{memory.id} is not forgotten", "see it with mem show")
    commit(project, lambda: [*thread_change(project, memory.thread), Change("restore", memory.id, {})], actor)
    return stored(project, memory.id)


def hide(project: Project, reference: str, actor: str) -> str:
    """Hides a memory or a chunk, whichever an id means. Returns its whole id. Raises NotFound."""
    if chunk := find_chunk(project, reference):
        forget_chunk(project, chunk.id)
        return chunk.id
    return forget(project, reference, actor).id


def bring_back(project: Project, reference: str, actor: str) -> Memory | Chunk:
    """Brings a forgotten memory or chunk back, whichever an id means. Raises NotFound or InvalidInput."""
    if chunk := find_chunk(project, reference, forgotten=True):
        restore_chunk(project, chunk)
        return chunk
    return restore(project, reference, actor)


def pin(project: Project, reference: str, pinned: bool, actor: str) -> Memory:
    """Pins a memory, so that it is always worth showing, or unpins it. Raises NotFound."""
    memory = find(project, reference)
    if bool(memory.pinned) != pinned:
        commit(project, lambda: [Change("put", memory.id, {"pinned": pinned})], actor)
    return stored(project, memory.id)


def stored(project: Project, memory_id: str) -> Memory:
    """Returns a memory that is known to be there."""
    memory = memories.find(project.db, memory_id)
    assert memory is not None
    return memory


def thread_change(project: Project, thread: str) -> list[Change]:
    """Returns the change that a thread's first use needs."""
    if graph.thread_exists(project.db, thread):
        return []
    return [Change("put", f"T-{thread}", {"title": thread})]


def checked(project: Project, new: NewMemory) -> dict[str, Any]:
    """Returns the fields of a new memory as the log keeps them, secrets masked. Raises InvalidInput."""
    fields = {
        "title": check_title(new.title),
        "summary": check_summary(new.summary),
        "thread": check_name("thread", new.thread if new.thread is not None else project.config["memory.thread"]),
        "kind": check_name("kind", new.kind).lower(),
        "tags": check_labels("tag", new.tags),
        "entities": check_labels("entity", new.entities),
        "anchor": None if project.is_user else project.commit,
        "created": project.now,
    }
    return screen.fields(project, fields)


def check(new: NewMemory) -> None:
    """Raises InvalidInput for a memory that cannot be stored, whatever the store."""
    check_title(new.title)
    check_summary(new.summary)
    check_labels("tag", new.tags)
    check_labels("entity", new.entities)
    check_name("kind", new.kind)
    if new.thread is not None:
        check_name("thread", new.thread)


def check_title(title: str) -> str:
    """Returns the title as it is. Raises InvalidInput for one that cannot be stored."""
    _check_text("title", title)
    if len(title) > MAX_TITLE:
        raise InvalidInput(
            f"the title has {len(title):,} characters", f"the limit is {MAX_TITLE:,}; put the rest into the summary"
        )
    return title


def check_summary(summary: str) -> str:
    """Returns the summary as it is. Raises InvalidInput for one that cannot be stored."""
    _check_text("summary", summary)
    return summary


def _check_text(name: str, text: str) -> None:
    if not text.strip():
        raise InvalidInput(f"the {name} is empty", f"give it some words: mem add TITLE --summary TEXT (here: the {name})")
    if not is_storable(text):
        raise InvalidInput(f"the {name} holds a NUL or half a surrogate pair", "remove it: only Unicode text can be stored")


def check_name(what: str, name: str) -> str:
    """Returns the name of a thread or a kind, trimmed. Raises InvalidInput."""
    name = name.strip()
    if not name or len(name) > MAX_NAME or not name.isprintable():
        raise InvalidInput(f"not a name for a {what}: {oneline(name)[:80]!r}", f"use 1 to {MAX_NAME} printable characters")
    return name


def check_labels(what: str, given: Sequence[str]) -> list[str]:
    """Returns tags or entities, trimmed, each once, in order. Raises InvalidInput."""
    names = [check_name(what, label) for label in given if label.strip()]
    if len(names) > MAX_LABELS:
        raise InvalidInput(f"{len(names)} of the sort {what}", f"the limit is {MAX_LABELS}")
    return list(dict.fromkeys(names))


def check_curated(project: Project, title: str, content: str) -> None:
    """Refuses what a door whose contract caps these fields may not take: `curated.title`, `curated.content`, in characters.

    Raises InvalidInput; such a door calls it before it stores anything.
    """
    for name, key, said in (("title", "curated.title", title), ("content", "curated.content", content)):
        if len(said) > (most := project.config[key]):
            raise InvalidInput(f"the {name} has {len(said):,} characters", f"the limit is {most:,} ({key})")
