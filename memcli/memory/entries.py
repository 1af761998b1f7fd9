"""What can be done with a memory: add, update, supersede, confirm. One transaction each."""

from __future__ import annotations

from memcli import fields
from memcli.errors import Call, InvalidInput, NotFound, Option
from memcli.fields import options
from memcli.memory import FIELDS, MemoryFields, check, field_values, find_memory
from memcli.memory.commit import check_unchanged, commit, masked_fields
from memcli.memory.links import file_links, inherited, mentions, renewed
from memcli.records import Record, replace
from memcli.repo import head
from memcli.store import graph, memories, oplog
from memcli.store.memories import Memory
from memcli.store.oplog import Change
from memcli.text import ids

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from typing import Any

    from memcli.project import Project


class NewMemory(MemoryFields):
    """A memory to be stored."""

    summary: str | None = fields.text(  # type: ignore[assignment]
        "What holds and why; - reads standard input. May be left out.", default=None, max_length=65_536
    )
    files: tuple[str, ...] = fields.paths("A file the memory is about; may be repeated.", default=(), flag="--file")


class Edit(MemoryFields, partial=True):
    """Changes to a memory; None leaves a field as it is."""

    if TYPE_CHECKING:

        def __init__(self, **changes: Any) -> None: ...


class Draft(Record):
    """A memory that can be stored and has no id yet: its fields as the log keeps them, and its links."""

    fields: dict[str, Any]
    links: list[Change]


def draft(project: Project, new: NewMemory, anchored: bool = True) -> Draft:
    """Returns a new memory as it would be stored, with secrets masked. Raises NotFound or InvalidInput."""
    new = new if new.summary is not None else replace(new, summary=new.title)
    links = file_links(project, "", new.files)
    values = checked(project, new)
    links += mentions(project, "", (new.title, new.summary or ""), [link.body["to"] for link in links])
    if not anchored:
        values["anchor"] = None
    oplog.body_of(Change("put", "", values))
    return Draft(values, links)


def add(project: Project, new: NewMemory, actor: str, anchored: bool = True) -> Memory:
    """Stores a memory, anchored at the commit that is checked out unless it holds everywhere.

    If it raises NotFound or InvalidInput, nothing is stored.
    """
    return store(project, draft(project, new, anchored), actor)


def store(project: Project, new: Draft, actor: str) -> Memory:
    """Stores a drafted memory."""
    memory_id = ids.new("M")
    commit(project, lambda: put(project, memory_id, new), actor)
    return stored(project, memory_id)


def store_once(project: Project, new: Draft, actor: str) -> tuple[Memory, bool]:
    """Stores a drafted memory unless an equal one holds at HEAD or one of the same source exists.

    Returns the stored memory and whether it is new.
    """
    memory_id = ids.new("M")
    equal: list[Memory] = []

    def decide() -> list[Change]:
        source = new.fields.get("source")
        if duplicate := memories.by_source(project.db, source) if source else find_equal(project, new):
            equal.append(duplicate)
            return []
        return put(project, memory_id, new)

    commit(project, decide, actor)
    return (equal[0], False) if equal else (stored(project, memory_id), True)


def find_equal(project: Project, new: Draft) -> Memory | None:
    """Returns the memory of the same thread that is valid at HEAD and has the same title and summary, ignoring white space."""
    return next(with_text(project, new.fields), None)


def with_text(project: Project, fields: dict[str, Any]) -> Iterator[Memory]:
    """Yields the memories of the same thread that are valid at HEAD and have the same title and summary, ignoring white space."""
    for memory in memories.with_text(project.db, fields["thread"], fields["title"], fields["summary"]):
        if memory.anchor in (None, project.commit):
            yield memory
            continue
        from memcli.validity import is_visible  # only where a memory of an older commit says the same

        if is_visible(project, memory.anchor):
            yield memory


def put(project: Project, memory_id: str, new: Draft) -> list[Change]:
    """Returns the changes that store a draft under an id."""
    links = [replace(link, object=memory_id) for link in new.links]
    return [*thread_change(project, new.fields["thread"]), Change("put", memory_id, new.fields), *links]


class Revision(Record):
    """Changes to existing memories. `again`: recomputes them from what is stored at the time of writing, if they depend on it."""

    ids: tuple[str, ...]
    changes: list[Change]
    again: Callable[[], list[Change]] | None = None


def revision(project: Project, reference: str, edit: Edit) -> Revision:
    """Returns what an edit of a memory changes. Raises NotFound or InvalidInput."""
    old = find_memory(project, reference)
    values = masked_fields(project, edited(edit))
    threads = thread_change(project, str(values["thread"])) if "thread" in values else []
    linked = [link.to_id for link in graph.links_from(project.db, old.id)]
    links = mentions(project, old.id, [text for text in (edit.title, edit.summary) if text], linked)
    change = Change("put", old.id, values)
    oplog.body_of(change)
    return Revision((old.id,), [*threads, change, *links])


def apply(project: Project, planned: Revision, actor: str) -> list[Memory]:
    """Stores changes to memories in one transaction. Returns the changed memories."""
    if planned.changes:
        commit(project, planned.again or (lambda: planned.changes), actor)
    else:  # whoever confirms what reads otherwise by now did not mean that
        check_unchanged(project, planned.ids)
    return [stored(project, memory_id) for memory_id in planned.ids]


def edited(edit: Edit) -> dict[str, Any]:
    """Returns the fields that an edit changes. Raises InvalidInput."""
    changes = checked_fields(edit)
    if not changes:
        names = [word for name in FIELDS for word in (", ", Option(name))][1:]
        raise InvalidInput("nothing to change", ("give ", *names[:-2], " or ", names[-1]))
    return changes


class Succession(Record):
    """A memory, and the draft of its replacement: the fields of `edit`, and those of the old one for the rest."""

    old: Memory
    draft: Draft
    edit: Edit


def succession(project: Project, reference: str, edit: Edit) -> Succession:
    """Drafts the memory that replaces another. Raises NotFound or InvalidInput."""
    old, new = successor(project, reference, edit)
    values = checked(project, new)
    links = inherited(project, "", graph.links_from(project.db, old.id))
    links += mentions(project, "", (new.title, new.summary or ""), [link.body["to"] for link in links])
    oplog.body_of(Change("put", "", values))
    return Succession(old, Draft(values, links), edit)


def succeed(project: Project, planned: Succession, actor: str) -> tuple[Memory, Memory]:
    """Stores a memory that replaces another. Returns (old, new). Raises InvalidInput if another replaced it meanwhile."""
    memory_id, old_id = ids.new("M"), planned.old.id

    def decide() -> list[Change]:
        now = memories.find(project.db, old_id) or planned.old
        _check_stands(project, now)
        is_same = now.revision == planned.old.revision
        new = planned.draft if is_same else succession(project, old_id, planned.edit).draft  # somebody changed it meanwhile
        return [
            *put(project, memory_id, new),
            *_succession(old_id, memory_id, True),
        ]

    commit(project, decide, actor)
    return stored(project, old_id), stored(project, memory_id)


class Replacement(Record):
    """A memory, and an existing one that replaces it. `is_made`: it already does."""

    old: Memory
    new: Memory
    is_made: bool


def replacement(project: Project, reference: str, by: str) -> Replacement:
    """Returns which memory replaces which. Raises NotFound or InvalidInput."""
    old, new = find_memory(project, reference), find_memory(project, by)
    if old.id == new.id:
        raise InvalidInput("a memory cannot take its own place", "give another memory", "cycle")
    if old.superseded_by == new.id and new.superseded_by is None:
        return Replacement(old, new, True)
    if old.superseded_by != new.id:
        _check_stands(project, old, by=new.id)
    if new.superseded_by is not None and old.id not in memories.replacements(project.db, new.id):
        _check_stands(project, new)
    return Replacement(old, new, False)


def take_place(project: Project, planned: Replacement, actor: str) -> tuple[Memory, Memory]:
    """Makes one memory replace another, and reverses the relation if it was the other way round. Returns (old, new)."""
    old, new = planned.old.id, planned.new.id

    def decide() -> list[Change]:
        now = replacement(project, old, new)
        if now.is_made:
            return []
        changes = _succession(old, new, True)
        return changes if (former := now.new.superseded_by) is None else _succession(new, former, False) + changes

    commit(project, decide, actor)
    return stored(project, old), stored(project, new)


def _succession(old: str, new: str, stands: bool) -> list[Change]:
    """Returns the changes by which one memory replaces another, or no longer does."""
    return [
        Change("link", new, {"rel": "supersedes", "to": old, "on": stands}),
        Change("supersede", old, {"by": new, "on": stands}),
    ]


def successor(project: Project, reference: str, edit: Edit) -> tuple[Memory, NewMemory]:
    """Returns a memory and the fields of its replacement. Raises NotFound or InvalidInput."""
    old = find_memory(project, reference)
    changes = {name: value for name, value in options(edit).items() if name in FIELDS}
    if changes.keys().isdisjoint(("title", "summary")):
        raise InvalidInput(
            "the replacement says nothing new", ("give ", Option("summary"), ", and ", Option("title"), " if it changed")
        )
    _check_stands(project, old)
    return old, NewMemory(**{**field_values(old), **changes})


def _check_stands(project: Project, memory: Memory, **fields: str) -> None:
    """Raises InvalidInput for a memory that was replaced already, unless it in turn replaces its replacement.

    `fields`: what the successor is to be replaced with.
    """
    if (by := memory.superseded_by) and memory.id not in memories.replacements(project.db, memory.id):
        hint = (Call("supersede", by, **fields), ", or ", Call("show", by), " to see where it holds")
        raise InvalidInput(f"{memory.id} is superseded by {by}", hint, "superseded")


def confirmation(project: Project, references: Sequence[str]) -> Revision:
    """Returns what changes when memories are confirmed on this commit: their anchors, and their links to files.

    A memory that holds everywhere stays so. Raises NotFound or InvalidInput.
    """
    confirmed = {memory.id: memory for memory in [find_memory(project, reference) for reference in references]}
    changes: list[Change] = []
    for memory in confirmed.values():
        if memory.anchor is not None and project.commit is not None and memory.anchor != project.commit:
            changes.append(Change("put", memory.id, {"anchor": project.commit}))
        changes += renewed(project, memory.id, graph.links_from(project.db, memory.id))
    return Revision(tuple(confirmed), changes)


def confirmation_of_lost(project: Project) -> Revision:
    """Returns what changes when all memories whose commits are on no branch any more are confirmed here: their anchors.

    Raises NotFound where there are none.
    """
    from memcli.validity import commits

    lost = commits.lost(project)
    if not lost or project.commit is None:
        raise NotFound("no memory belongs to a lost commit", "memories of other branches are confirmed by their ids")
    return Revision(tuple([name for name, _ in lost]), [Change("put", name, {"anchor": project.commit}) for name, _ in lost])


def stored(project: Project, memory_id: str) -> Memory:
    """Returns a memory that is known to exist."""
    memory = memories.find(project.db, memory_id)
    assert memory is not None
    return memory


def thread_change(project: Project, thread: str) -> list[Change]:
    """Returns the change that a thread's first use needs."""
    if graph.thread_exists(project.db, thread):
        return []
    return [Change("put", f"T-{thread}", {"title": thread})]


def checked(project: Project, new: NewMemory) -> dict[str, Any]:
    """Returns the fields of a new memory as the log stores them, with secrets masked. Raises InvalidInput."""
    values = {name: value for name, value in checked_fields(new).items() if value is not None}
    values.setdefault("thread", check("thread", project.config["memory.thread"]))
    return masked_fields(project, {**values, "anchor": anchor(project), "created": project.now})


def anchor(project: Project) -> str | None:
    """Returns the anchor of what is written now: the commit, or the next one of a branch that has none of its own yet."""
    checkout = project.checkout
    if checkout is None:
        return None
    if not head.may_await(checkout):
        return checkout.anchor or checkout.commit
    from memcli.repo import next_commit

    return next_commit.anchor_at(checkout)


def checked_fields(request: MemoryFields) -> dict[str, Any]:
    """Returns the fields of a memory that a request sets, as they are stored. Raises InvalidInput."""
    return {name: check(name, value) for name, value in options(request).items() if name in FIELDS}


def check_curated(project: Project, title: str, content: str) -> None:
    """Checks the limits `curated.title` and `curated.content`, in characters, of a door whose contract caps these fields.

    Raises InvalidInput. Such a door calls it before it stores anything.
    """
    for name, key, text in (("title", "curated.title", title), ("content", "curated.content", content)):
        if len(text) > (limit := project.config[key]):
            raise InvalidInput(f"the {name} has {len(text):,} characters", f"the limit is {limit:,} ({key})")
