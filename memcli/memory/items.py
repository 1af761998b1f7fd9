"""What an id of any kind means, and what can be done with several items at once: hide, restore or pin them."""

from __future__ import annotations

from memcli.errors import Call, InvalidInput, NotFound
from memcli.memory import MIN_PREFIX, erased, find_chunk, find_memory, find_prompt, find_session
from memcli.memory.commit import commit
from memcli.memory.entries import Revision, thread_change
from memcli.memory.projection import fold
from memcli.records import Record, replace
from memcli.store import chunks, context, listing, memories, oplog
from memcli.store.context import Note, ProfileEntry, State
from memcli.store.oplog import Change
from memcli.store.passages import FACT
from memcli.text import ids
from memcli.text.terminal import oneline

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from memcli.errors import Hint
    from memcli.fields import Filtered
    from memcli.project import Project

KINDS = {"M-": "memory", "S-": "state", "C-": "chunk", "P-": "prompt", "A-": "session", "K-": "profile entry", "N-": "note"}
PASSAGE = "passage"
TITLE = "title"  # in the place of a passage: the title of a summary, as turns name it
ANSWER, FIRST_OF_ANSWER = "a", "a1"  # in the place of a passage: all of an answer, and its beginning
_CONTEXT = {"S-": State, "K-": ProfileEntry, "N-": Note}
_OBSERVED = 2_000  # memories of a session that are searched for those of a prompt
_LISTED = 6  # passages that a hint names


class Item(Record):
    """What an id means. `row`: its record, None for a forgotten state, note or entry."""

    id: str
    kind: str
    row: Any
    forgotten: bool = False


def find_item(project: Project, reference: str, forgotten: bool = False) -> Item:
    """Returns what an id or a unique prefix of one means. `forgotten`: include what is forgotten.

    Raises NotFound, or InvalidInput for several.
    """
    owner, _, position = reference.strip().partition(ids.PLACE)
    item = _find(project, owner, forgotten)
    return item if position.lower() in ("", TITLE) else _passage(project, item, position.lower())


def find_items(project: Project, references: Sequence[str], forgotten: bool = False) -> list[Item]:
    """Returns what some ids mean, without duplicates. Raises what `find_item` raises."""
    return list({item.id: item for item in [find_item(project, reference, forgotten) for reference in references]}.values())


def _find(project: Project, reference: str, forgotten: bool) -> Item:
    kind = ids.canonical(reference)[:2]
    if kind in _CONTEXT:
        return _find_context(project, reference, forgotten)
    if kind == "A-":
        session = find_session(project, reference)
        return Item(session.id, KINDS[kind], session)
    if kind == "P-":
        prompt = find_prompt(project, reference, forgotten)
        return Item(prompt.id, KINDS[kind], prompt, prompt.forgotten)
    if chunk := find_chunk(project, reference, forgotten):
        return Item(chunk.id, KINDS[kind], chunk, bool(chunk.hidden))
    memory = find_memory(project, reference, forgotten)
    return Item(memory.id, KINDS["M-"], memory, bool(memory.forgotten))


def _find_context(project: Project, reference: str, forgotten: bool) -> Item:
    """Returns a state, a note or an entry of the profile. A forgotten one is only in the log."""
    from memcli.store import erasing

    typed = ids.canonical(reference)
    name, record = KINDS[typed[:2]], _CONTEXT[typed[:2]]
    logged = erasing.objects(project.db, typed, 10) if len(typed) >= 2 + MIN_PREFIX else []
    matches = {object_id: context.find(project.db, record, object_id) for object_id in logged}
    candidates = (
        [typed] if typed in matches else [object_id for object_id in matches if forgotten or matches[object_id]] or logged
    )
    if len(candidates) > 1:
        message = f"{oneline(reference)[:80]} could be {len(candidates)} {name.replace('entry', 'entrie')}s"
        raise InvalidInput(message, f"give more of the id: {', '.join(candidates[:3])}", "ambiguous")
    if not candidates:
        raise NotFound(f"no {name} {oneline(reference)[:80]}", ("see ", Call("log")))
    if matches[candidates[0]] is None and erasing.is_erased(project.db, candidates[0]):
        raise erased(project, candidates[0])
    if matches[candidates[0]] is None and not forgotten:
        raise NotFound(f"{candidates[0]} is forgotten", (Call("restore", candidates[0]), " brings it back"), "forgotten")
    return Item(candidates[0], name, matches[candidates[0]], matches[candidates[0]] is None)


def _passage(project: Project, item: Item, position: str) -> Item:
    """Returns a passage of a prompt, its answer or a long memory. Raises NotFound."""
    from memcli.store import passages

    by_position = {passage.id.partition(ids.PLACE)[2]: passage for passage in passages.of(project.db, item.id)}
    if position == ANSWER and FIRST_OF_ANSWER in by_position:
        whole = replace(
            by_position[FIRST_OF_ANSWER],
            id=f"{item.id}{ids.PLACE}{position}",
            heading="",
            text=item.row.reply,
            superseded_by=None,
        )
        return Item(whole.id, PASSAGE, whole)
    if position in by_position:
        return Item(by_position[position].id, PASSAGE, by_position[position])
    listed = ", ".join([f"{ids.PLACE}{name}" for name in by_position][:_LISTED]) + f" and {len(by_position) - _LISTED} more" * (
        len(by_position) > _LISTED
    )
    has = f"it has {listed}; " if by_position else "it is not kept in passages; "
    raise NotFound(f"no passage {oneline(position)[:40]} in {item.id}", (has, Call("show", item.id), " shows all of it"))


def to_hide(project: Project, references: Sequence[str]) -> list[Item]:
    """Returns the items to forget. Raises NotFound, or InvalidInput for what cannot be forgotten on its own."""
    items = find_items(project, references)
    for item in items:
        if item.kind == PASSAGE and not _is_fact(item):
            raise _refusal(item, "forgotten", ("forget the whole of it: ", Call("forget", item.row.owner)))
        if item.kind == KINDS["A-"]:
            hint = ("forget its prompts, which ", Call("session", item.id), f" lists; mem forget {item.id} --erase removes it")
            raise _refusal(item, "forgotten", hint)
    return items


def matching(project: Project, only: Filtered, session: str | None) -> list[Item]:
    """Returns the memories that match, of one session if it is named, and the prompts that do, newest first.

    Prompts have no thread or kind, and only the origins of what was captured. Raises NotFound or InvalidInput.
    """
    from memcli.memory import filters
    from memcli.store import sessions

    conditions = filters.conditions(project, only)
    row = None if session is None else find_session(project, session).n
    page = listing.page(project.db, listing.MemoryFilter(**conditions, session=row, limit=-1))
    items = [Item(memory.id, KINDS["M-"], memory) for memory in page]
    if only.kind is None and only.thread is None and only.origin in (None, *memories.OBSERVED):
        prompts = sessions.prompts_between(project.db, conditions["since"], conditions["until"], row)
        items += [Item(prompt.id, KINDS["P-"], prompt) for prompt in prompts]
    if not items:
        raise NotFound("no stored item matches", ("see ", Call("recent"), " and ", Call("sessions")))
    return items


def everything(project: Project) -> list[Item]:
    """Returns everything in a store but its chunks: memories, prompts, states, notes and entries of the profile."""
    from memcli.store import sessions

    return [
        *(Item(row.id, KINDS["M-"], row) for row in listing.page(project.db, listing.MemoryFilter(limit=-1))),
        *(Item(row.id, KINDS["P-"], row) for row in sessions.prompts_between(project.db, None, None, None)),
        *(Item(row.id, KINDS["S-"], row) for row in context.latest_states(project.db, -1)),
        *(Item(row.id, KINDS["K-"], row) for row in context.profile(project.db)),
        *(Item(row.id, KINDS["N-"], row) for row in context.notes_between(project.db, "", "~")),
    ]


def hide(project: Project, items: Sequence[Item], actor: str, alone: bool = False) -> None:
    """Hides items from every recall, in one transaction. `alone`: without what hooks made of the turns of prompts."""

    def decide() -> list[Change]:
        hidden = [item.id for item in items if item.kind == KINDS["C-"]]
        facts = [item for item in items if _is_fact(item)]
        others = [item for item in items if item.id not in hidden and item not in facts]
        whole = [(item.id, *(() if alone else _captured_with(project, item))) for item in others]
        names = [name for group in whole for name in group]
        changes = [Change("forget", name, {}) for name in dict.fromkeys(names)] + _without_facts(project, facts, names)
        for chunk_id in hidden:  # an ingestion does not bring it back; `bring_back` does
            for chunk in chunks.by_prefix(project.db, chunk_id, 1):
                chunks.hide(project.db, chunk)
        if hidden:
            chunks.note_hidden(project.db, hidden, oplog.revision(project.db) + len(changes), bool(changes))
        return changes

    commit(project, decide, actor)


def _is_fact(item: Item) -> bool:
    """Tells whether an item is a fact that a model distilled from a session, which can be hidden on its own."""
    return item.kind == PASSAGE and item.row.thread == FACT


def _without_facts(project: Project, facts: Sequence[Item], hidden: Sequence[str]) -> list[Change]:
    """Returns the changes by which prompts forget single facts. `hidden`: prompts that are forgotten as a whole."""
    changes = []
    for owner in dict.fromkeys([fact.row.owner for fact in facts if fact.row.owner not in hidden]):
        gone = {int(fact.id.partition(ids.PLACE)[2][1:]) for fact in facts if fact.row.owner == owner}  # of m3 the 3
        kept = fold(oplog.of_object(project.db, owner)).fields.get("facts", [])
        marked = [{**fact, "forgotten": True} if number in gone else fact for number, fact in enumerate(kept, 1)]
        changes.append(Change("prompt", owner, {"facts": marked}))
    return changes


def _captured_with(project: Project, item: Item) -> list[str]:
    """Returns the ids of what hooks made of a prompt's turn, which quotes the prompt; none for anything else."""
    if item.kind != KINDS["P-"]:
        return []
    observed = memories.of_session(project.db, item.row.session, _OBSERVED)
    return [memory.id for memory in observed if memory.prompt == item.row.number and memory.origin in memories.OBSERVED]


def _forgotten_with(project: Project, item: Item) -> list[str]:
    """Returns the ids of the memories that were forgotten together with a prompt and still are."""
    if item.kind != KINDS["P-"]:
        return []
    commands = [op.command for op in oplog.of_object(project.db, item.id) if op.kind == "forget" and op.command]
    names = [op.object for op in oplog.of_command(project.db, commands[-1]) if op.kind == "forget"] if commands else []
    together = [memory for name in names if (memory := memories.find(project.db, name))]
    is_of_turn = [it.forgotten and (it.session, it.prompt) == (item.row.session, item.row.number) for it in together]
    return [memory.id for memory, applies in zip(together, is_of_turn) if applies]


def to_bring_back(project: Project, references: Sequence[str]) -> list[Item]:
    """Returns the forgotten items that ids mean. Raises NotFound, or InvalidInput for what is not forgotten."""
    items = find_items(project, references, forgotten=True)
    for item in items:
        if not item.forgotten:
            raise InvalidInput(f"{item.id} is not forgotten", ("see it with ", Call("show")))
    return items


def bring_back(project: Project, items: Sequence[Item], actor: str) -> list[Item]:
    """Restores forgotten items in one transaction. Returns the restored items."""

    def decide() -> list[Change]:
        changes = []
        for item in items:
            if item.kind == KINDS["C-"]:
                for chunk in chunks.by_prefix(project.db, item.id, 1):
                    chunks.unhide(project.db, chunk)
            else:
                changes += thread_change(project, item.row.thread) if item.kind == KINDS["M-"] else []
                changes += [Change("restore", name, {}) for name in (item.id, *_forgotten_with(project, item))]
        names = [item.id for item in items if item.kind == KINDS["C-"]]
        if names and changes:
            chunks.note_restored(project.db, names, oplog.revision(project.db) + len(changes))
        return changes

    commit(project, decide, actor)
    return [find_item(project, item.id) for item in items]


def title_of(item: Item) -> str:
    """Returns a short text for an item: its title, location, key or text. Not for a passage or a session."""
    names = {"memory": "title", "chunk": "place", "state": "reason", "profile entry": "key"}
    return str(getattr(item.row, names.get(item.kind, "text")))


def pinning(project: Project, references: Sequence[str], pinned: bool) -> Revision:
    """Returns what pinning or unpinning memories changes. Raises NotFound, or InvalidInput for what is no memory."""
    items = find_items(project, references)
    for item in items:
        if item.kind != KINDS["M-"]:
            of_memory = item.kind == PASSAGE and item.row.owner.startswith("M-")
            whole: Hint = ("it is a part of the memory ", item.row.owner if of_memory else "")
            keep: Hint = ("only memories are; keep what it says with ", Call("add", "TITLE", summary="TEXT"))
            raise _refusal(item, "pinned" if pinned else "unpinned", whole if of_memory else keep)
    changes = [Change("put", item.id, {"pinned": pinned}) for item in items if bool(item.row.pinned) != pinned]
    return Revision(tuple([item.id for item in items]), changes)


def _refusal(item: Item, participle: str, hint: Hint) -> InvalidInput:
    return InvalidInput(f"{item.id} is a {item.kind}, which cannot be {participle}", hint)
