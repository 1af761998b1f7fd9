"""One transaction for every change: append to the log, then bring what the log says into the tables that are read."""

from __future__ import annotations

from memcli.memory import screen
from memcli.memory.fields import FIELDS
from memcli.memory.reduce import fold
from memcli.records import replace
from memcli.repo import head
from memcli.store import context, graph, memories, oplog
from memcli.store.context import State
from memcli.store.db import meta, transaction
from memcli.store.memories import Memory
from memcli.store.oplog import Change
from memcli.store.vocabulary import learn, ranks
from memcli.text import dates, forms, json, tokens
from memcli.text.analysis import extra_words
from memcli.text.injection import is_suspicious
from memcli.text.terminal import oneline

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import Any

    from memcli.fields import Field
    from memcli.memory.reduce import Folded
    from memcli.project import Project
    from memcli.store.oplog import Operation

MAX_STATE_LINE = 2_000  # characters of one printed line of a state; `mem state --json` has the whole
_SAMPLE = 600  # characters of a text that are looked up at once: about what packs print of it
_ANCHOR_ACTOR = "anchor"  # writes where the change of a memory's commit went
_ERASING = "erasing"  # as store/erasing.py notes what is left to be done
_NOTED_AT_ONCE = 32  # commits
_MOVED_AT_ONCE = 200  # memories
TIDIED_EVERY = 64  # operations after which the index is made one piece again
TITLE_TOKENS = 40  # of a title that packs print; a longer one is a summary in the wrong place


def commit(project: Project, decide: Callable[[], Sequence[Change]], actor: str, command: int | None = None) -> list[Operation]:
    """Runs `decide` and stores the changes it returns, all or none, under the store's write lock.

    What `decide` reads cannot change before its decision is stored. `command`: what they are a further part of.
    Secrets and private spans are taken out first (`project.masked` says which rules found some). Raises InvalidInput.
    Returns the operations; the disk has them.
    """
    look_after_anchors(project)
    if meta(project.db, _ERASING) is not None:
        from memcli.store import erasing

        erasing.finish(project.db, 0)
    with transaction(project.db):
        changes = screen.changes(project, _with_origin(project, decide()))
        written = oplog.append(project.db, changes, actor, project.now, command) if changes else []
        for object_id in dict.fromkeys(change.object for change in changes):
            refresh(project, object_id)
        if written and (written[0].revision - 1) // TIDIED_EVERY != written[-1].revision // TIDIED_EVERY:
            from memcli.store import search

            search.tidy(project.db, "memory")
    return written


def _with_origin(project: Project, changes: Sequence[Change]) -> Sequence[Change]:
    """Adds to changes where they come from, such as the session of an agent, where that is known."""
    if not project.via:
        return changes
    return [
        change if change.kind in ("undo", "erase") else replace(change, body={**change.body, "via": project.via})
        for change in changes
    ]


def look_after_anchors(project: Project) -> None:
    """Notes the commits of earlier writes, and anchors anew what the last recall found carried over.

    A commit that is still checked out waits, so that writing again and again in one place starts no process.
    """
    if project.commit is None or project.checkout is None:
        return
    if due := graph.unread_commits(project.db, project.commit, _NOTED_AT_ONCE):
        from memcli.validity import commits

        commits.note(project, due)
    view = head.view(project.checkout)
    if to := project.cache.moved(view):
        if anchored := graph.memories_anchored_at(project.db, list(to), _MOVED_AT_ONCE):
            _reanchor(project, anchored, to)
        else:
            project.cache.settled(view)


def _reanchor(project: Project, anchored: Sequence[tuple[str, str]], to: dict[str, str]) -> None:
    """Anchors memories, given as (id, anchor), at the commits that carry the changes of their anchors now.

    The operations belong to no command: `mem undo` takes back what somebody did, and this nobody did.
    """
    with transaction(project.db):
        changes = [Change("put", memory_id, {"anchor": to[anchor]}) for memory_id, anchor in anchored]
        oplog.append(project.db, changes, _ANCHOR_ACTOR, project.now, oplog.NO_COMMAND)
        for memory_id, _ in anchored:
            refresh(project, memory_id)


def refresh(project: Project, object_id: str) -> None:
    """Writes the rows that the log's operations on one object amount to, inside the caller's transaction."""
    folded = fold(oplog.of_object(project.db, object_id))
    kind = object_id[:2]
    if kind == "M-":
        if folded.first is None:
            memories.remove(project.db, object_id)
            graph.save_links(project.db, object_id, [])
        else:
            memory = _memory(project, object_id, folded)
            memories.save(project.db, memory)
            if memory.anchor is not None:
                graph.expect_commit(project.db, memory.anchor)
            graph.save_links(project.db, object_id, [link for link in folded.links.values() if link])
    elif kind == "S-":
        if folded.first is None or folded.forgotten:
            context.remove(project.db, State, object_id)
        else:
            context.save(project.db, _state(object_id, folded))
    elif kind == "T-":
        if folded.first is None or folded.forgotten:
            graph.remove_thread(project.db, object_id[2:])
        else:
            graph.save_thread(project.db, object_id[2:], folded.fields["title"], folded.first.hlc_ms)
    elif kind in ("A-", "P-"):
        from memcli.memory import sessions

        sessions.refresh(project.db, object_id, folded)
    elif kind == "K-":
        from memcli.memory import profile

        profile.refresh(project.db, object_id, folded)
    elif kind == "N-":
        from memcli.memory import notes

        notes.refresh(project.db, object_id, folded)


def _memory(project: Project, memory_id: str, folded: Folded) -> Memory:
    """Builds the row of a memory: its fields, the words its index needs, its printed forms and their tokens."""
    said = folded.fields
    columns = {name: _column(field, said.get(name, field.default)) for name, field in FIELDS.items()}
    title, summary, tags, entities = [columns[name] for name in ("title", "summary", "tags", "entities")]
    assert folded.first is not None
    assert folded.last is not None
    rank = ranks()
    learn(tokens.pieces(_sample(memory_id, said)))
    shown_title = tokens.fit(oneline(title), TITLE_TOKENS, rank)[0]
    shown_summary = tokens.fit(oneline(summary), project.config["budget.memory_each"], rank)[0]
    memory = Memory(
        n=0,
        id=memory_id,
        **columns,
        words=f"{extra_words(title, summary, tags, entities)} {dates.words(said['created'])}".strip(),
        anchor=said.get("anchor"),
        created_at=said["created"],
        updated_at=folded.last.hlc_ms,
        revision=folded.last.revision,
        superseded_by=folded.superseded_by,
        forgotten=int(folded.forgotten),
        pinned=int(bool(said.get("pinned"))),
        suspicious=int(is_suspicious(title, summary, tags, entities)),
        source_id=said.get("source"),
        origin=folded.first.actor,
        shown_title=None if shown_title == oneline(title) else shown_title,
        shown_summary=None if shown_summary == oneline(summary) else shown_summary,
        prompt_tokens=0,
        xml_tokens=0,
        **(_observed(project, said) if "session" in said else {}),
    )
    return replace(
        memory,
        prompt_tokens=sum(tokens.count(part, rank) for part in memory.in_prompt()),
        xml_tokens=sum(tokens.count(part, rank) for part in memory.in_xml()),
    )


def _column(field: Field, value: Any) -> Any:
    """Returns the value of a field as its column has it: labels one a line."""
    return "\n".join(value) if field.kind == "labels" else value


def _observed(project: Project, said: dict[str, Any]) -> dict[str, Any]:
    """Returns the columns that say where an observation is from."""
    from memcli.store import sessions

    tools = "\n".join(said.get("tools", ()))
    return {"session": sessions.number(project.db, said["session"]), "prompt": said.get("prompt", 0), "tools": tools}


def _sample(memory_id: str, said: dict[str, Any]) -> str:
    """Returns about what packs will print of a memory: its words, to be looked up at once."""
    title, brief = oneline(said["title"][:_SAMPLE]), oneline(said["summary"][:_SAMPLE])
    prompt = forms.memory_prompt(memory_id, said["thread"], said["created"], title, brief)
    xml = forms.memory_xml(memory_id, said["thread"], said["kind"], said["created"], title, brief)
    return "".join((title, "\n", brief, "\n", *prompt, *xml))


def _state(state_id: str, folded: Folded) -> State:
    """Builds the row of a state, with the tokens of each line that a pack prints for it."""
    said = folded.fields
    assert folded.first is not None
    assert folded.last is not None
    items = state_items(said["state"])
    rank = ranks()
    return State(
        id=state_id,
        reason=said["reason"],
        body=json.canonical(said["state"]),
        thread=said["thread"],
        memory_id=said.get("memory"),
        created_at=said["created"],
        hlc_ms=folded.first.hlc_ms,
        hlc_n=folded.first.hlc_n,
        revision=folded.last.revision,
        items="\n".join(items),
        prompt_tokens=",".join([str(tokens.count(forms.state_prompt(item), rank)) for item in items]),
        xml_tokens=",".join([str(tokens.count(forms.state_xml(item), rank)) for item in items]),
    )


def state_items(value: Any) -> list[str]:
    """Returns a state as one short text an item: `key: value` for an object, the elements of a list, else the value."""
    if isinstance(value, dict):
        items = [f"{key}: {_plain(part)}" for key, part in value.items()]
    elif isinstance(value, list):
        items = [_plain(part) for part in value]
    else:
        items = [_plain(value)]
    lines = [oneline(item) for item in items]
    return [line if len(line) <= MAX_STATE_LINE else line[: MAX_STATE_LINE - 1].rstrip() + "…" for line in lines if line]


def _plain(value: object) -> str:
    return value if isinstance(value, str) else json.canonical(value)
