"""From operations to rows: what the log says of an object, and the rows of the tables that are read.

Every field of an object is a last-writer-wins register, ordered by the operations' clock; every edge is one, too. So the local
store, undo, a rebuild of the tables and, later, another machine's operations all go through this one fold. It is pure, and its
result does not depend on the order in which operations arrived.
"""

from __future__ import annotations

from memcli.memory import FIELDS
from memcli.records import Record, replace
from memcli.screening import is_suspicious
from memcli.store import context, graph, memories, oplog, passages
from memcli.store.context import Note, ProfileEntry, State
from memcli.store.graph import Link, Thread
from memcli.store.memories import Memory
from memcli.store.vocabulary import learn, ranks
from memcli.text import dates, forms, json, tokens
from memcli.text.analysis import extra_words
from memcli.text.ids import anchor_branch, writer_of
from memcli.text.terminal import oneline

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from typing import Any

    from memcli.fields import Field
    from memcli.project import Project
    from memcli.store import Connection
    from memcli.store.oplog import LoggedOperation
    from memcli.store.passages import Passage
    from memcli.store.sessions import Prompt, Session

TITLE_TOKENS = 40  # of a title that packs print; a longer one is a summary in the wrong place
_SECTIONS = ("Asked: ", "Left: ", "Done: ", "Learned: ", "Said last: ", "Tools said (quoted): ", "Files: ")  # of that summary
PASSING = ("Left: ", "Said last: ")  # lines of a session's summary
_TEXTS = tuple([name for name, field in FIELDS.items() if field.kind in ("text", "name", "labels") and not field.choices])
_INDEXED = ("title", "summary", "tags", "entities")  # have columns of their own in the text index; its `words` have the others
_FILTERS = ("thread", "kind")  # are asked for by filters, and not searched
_WORDS = [name for name in _TEXTS if name not in _FILTERS]
_SAMPLE = 600  # characters of a text that are looked up at once: about what packs print of it


class Folded:
    """What the operations on one object say together."""

    def __init__(self) -> None:
        self.fields: dict[str, Any] = {}
        self.forgotten = False
        self.superseded: dict[str, bool] = {}  # successor -> whether the edge stands
        self.links: dict[tuple[str, str], Link | None] = {}
        self.first: LoggedOperation | None = None
        self.last: LoggedOperation | None = None
        self.actors: dict[str, str] = {}  # of each field, who wrote what it says

    @property
    def superseded_by(self) -> str | None:
        """The successor that was named last."""
        standing = [successor for successor, stands in self.superseded.items() if stands]
        return standing[-1] if standing else None


def fold(operations: Sequence[LoggedOperation], withdrawn: bool = False) -> Folded:
    """Folds the operations on one object, given in the order of the clock. Kinds it does not know change nothing.

    Of an erased object there is neither a first operation nor a field. `withdrawn`: with what was undone before it left, as it
    counted then.
    """
    folded = Folded()
    if any(op.kind == "erase" for op in operations):  # whatever came before or after: nothing is left, nothing comes back
        return folded
    for op in operations:
        if op.body == "{}" and op.kind in ("supersede", "link"):
            continue  # an edge that was erased
        if op.vis == oplog.WITHDRAWN and not withdrawn:
            folded.last = op
            continue
        body = json.loads(op.body)
        if op.kind in ("put", "state", "session", "prompt", "profile", "note", "writer"):
            folded.fields.update(body)
            folded.actors = {name: actor for name, actor in folded.actors.items() if name not in body} | dict.fromkeys(
                body, op.actor
            )
            folded.forgotten = folded.forgotten and not op.object.startswith(("T-", "K-"))  # these come back with their next use
            folded.first = folded.first or op
        elif op.kind in ("forget", "restore"):
            folded.forgotten = op.kind == "forget"
        elif op.kind == "supersede":
            folded.superseded.pop(body["by"], None)
            folded.superseded[body["by"]] = body["on"]
        elif op.kind == "link":
            edge = (body["rel"], body["to"])
            folded.links[edge] = Link(op.object, *edge, body.get("hash"), op.hlc_ms) if body["on"] else None
        else:
            continue
        folded.last = op
    folded.forgotten = folded.forgotten and not _is_thread_of_others(operations)
    return folded


def _is_thread_of_others(operations: Sequence[LoggedOperation]) -> bool:
    """Tells whether another store has the name of a thread: undoing the command that named it here takes it from nobody."""
    return any(
        op.object.startswith("T-") and op.kind == "put" and op.vis not in (oplog.LOCAL, oplog.WITHDRAWN) for op in operations
    )


def refresh(project: Project, object_id: str) -> None:
    """Writes the rows that the log's operations on one object amount to, inside the caller's transaction."""
    db, kind = project.db, object_id[:2]
    folded = fold(oplog.of_object(db, object_id))
    row = row_of(db, object_id, folded)
    if kind == "M-":
        save_memory(db, object_id, rows_of_memory(project.config["budget.memory_each"], row, folded) if row else None)
    elif kind == "T-":
        if row is None:
            graph.remove_thread(db, object_id[2:])
        else:
            graph.save_thread(db, *row[:3])
    elif kind in ("A-", "P-"):
        from memcli.store import sessions

        if row is None:
            (sessions.remove if kind == "A-" else sessions.remove_prompt)(db, object_id)
        else:
            (sessions.save if kind == "A-" else sessions.save_prompt)(db, row)
        if kind == "P-":
            passages.save(db, object_id, _counted_passages(row, folded))
    elif kind == "W-":
        from memcli.store import replication

        replication.save_writer(db, object_id[2:], str(folded.fields.get("name", "")))
    elif kind in CONTEXT:
        if row is None:
            context.remove(db, CONTEXT[kind], object_id)
        else:
            context.save(db, _counted(row) if kind == "S-" else row)
        passages.save(db, object_id, _counted_passages(row, folded))


class MemoryRows(Record):
    """The rows of one memory: its own, its passages, the links that leave it."""

    memory: Memory
    passages: Sequence[Passage]
    links: Sequence[Link]


def rows_of_memory(most_tokens: int, memory: Memory, folded: Folded) -> MemoryRows:
    """Returns the rows of a memory, as packs print them with `most_tokens` of a summary. Reads no store."""
    memory = _printed(most_tokens, memory)
    return MemoryRows(memory, _counted_passages(memory, folded), [link for link in folded.links.values() if link])


def save_memory(db: Connection, memory_id: str, of_memory: MemoryRows | None) -> None:
    """Writes the rows of one memory in place of those that were there; None: it has none any more."""
    if of_memory is None:
        memories.remove(db, memory_id)
    else:
        memories.save(db, of_memory.memory)
        if commit := commit_of(of_memory.memory):
            graph.expect_commit(db, commit)
    passages.save(db, memory_id, of_memory.passages if of_memory else ())
    graph.save_links(db, memory_id, of_memory.links if of_memory else ())


def commit_of(memory: Memory) -> str | None:
    """Returns the commit that a memory is anchored at, None where it holds everywhere or waits for a branch's next one."""
    return None if memory.anchor is None or anchor_branch(memory.anchor) else memory.anchor


def row_of(db: Connection, object_id: str, folded: Folded) -> Any:
    """Returns the row that an object should have, but for how packs print it; None where there should be none."""
    row = logged_row(db, object_id, folded)
    return _worked_out(row, folded) if isinstance(row, Memory) else row


def logged_row(db: Connection, object_id: str, folded: Folded) -> Any:
    """Returns the same without what is worked out of the texts of a memory, which takes longer than all else."""
    make = _ROWS.get(object_id[:2])
    if (
        make is None
        or folded.first is None
        or folded.last is None
        or (folded.forgotten and object_id[:2] in _GONE_WHEN_FORGOTTEN)
        or any(name not in folded.fields for name in _NEEDED.get(object_id[:2], ()))
    ):
        return None
    return make(db, object_id, folded, folded.last)


def _judged(texts: dict[str, str], source: str) -> list[str]:
    """Returns the texts of a memory that are each read by itself: the summary of a session is put together from several."""
    if not source.endswith("/summary"):
        return list(texts.values())
    parts: list[str] = []
    for line in texts["summary"].split("\n"):
        if not parts or line.startswith(_SECTIONS):
            parts.append(line)
        else:
            parts[-1] += f"\n{line}"
    return [*[text for name, text in texts.items() if name != "summary"], *parts]


def _memory(db: Connection, memory_id: str, folded: Folded, last: LoggedOperation) -> Memory:
    fields = folded.fields
    return Memory(
        n=0,
        id=memory_id,
        **{name: _column(field, fields.get(name, field.default)) for name, field in FIELDS.items()},
        words="",
        anchor=fields.get("anchor"),
        created_at=fields["created"],
        updated_at=last.hlc_ms,
        revision=last.revision,
        superseded_by=folded.superseded_by,
        forgotten=int(folded.forgotten),
        pinned=int(bool(fields.get("pinned"))),
        suspicious=0,
        source_id=fields.get("source"),
        origin=_origin(folded),
        **(_observed(db, fields) if "session" in fields else {}),
    )


def _origin(folded: Folded) -> str:
    """Returns whose the words of a memory are: another store's, where one of them stands, else of who began it here."""
    actors = [actor for name, actor in folded.actors.items() if name in _WORDS and folded.fields[name]]
    first = folded.first.actor if folded.first else ""
    own = actors[-1] if actors and writer_of(first) else first
    return next((actor for actor in reversed(actors) if writer_of(actor)), own)


def _worked_out(memory: Memory, folded: Folded) -> Memory:
    """Returns a memory with the words that it is found by beside its texts, and whether these give orders."""
    texts = {name: getattr(memory, name) or "" for name in _TEXTS}
    searched, further = [texts[name] for name in _WORDS], [texts[name] for name in _WORDS if texts[name] and name not in _INDEXED]
    return replace(
        memory,
        words=" ".join(filter(None, [extra_words(*searched), *further, dates.words(folded.fields["created"])])),
        suspicious=int(is_suspicious(*_judged(texts, memory.source_id or ""))),
    )


def _printed(most_tokens: int, memory: Memory) -> Memory:
    """Returns a memory with what packs print of it, and its tokens."""
    rank = ranks()
    learn(_sample(memory))
    title, summary = oneline(memory.title), oneline(_lasting(memory))
    is_plain = not memory.is_one_text and _lasting(memory) == memory.summary and not forms.has_code(summary)
    if is_plain:  # most are printed as they are
        named = memory.id, memory.thread, memory.kind, memory.created_at
        whole = forms.memory_tokens(named, title, summary, rank)
        if whole and whole[0] <= TITLE_TOKENS and whole[1] <= most_tokens:
            return replace(memory, prompt_tokens=whole[2], xml_tokens=whole[3])
    shown_title = tokens.fit(title, TITLE_TOKENS, rank)[0]
    shown_summary = tokens.fit(summary, most_tokens, rank)[0]
    memory = replace(
        memory,
        shown_title=None if shown_title == title else shown_title,
        shown_summary=None if shown_summary == oneline(memory.summary) else shown_summary,
    )
    return replace(
        memory,
        prompt_tokens=sum(tokens.count(line, rank) for line in memory.in_prompt()),
        xml_tokens=sum(tokens.count(line, rank) for line in memory.in_xml()),
    )


def _lasting(memory: Memory) -> str:
    """Returns a summary without what hooks noted and later sessions may have overtaken; its passages are told instead."""
    if memory.kind != "summary" or memory.origin not in memories.OBSERVED:
        return memory.summary
    return "\n".join([line for line in memory.summary.split("\n") if not line.startswith(PASSING)])


def passages_of(row: Any, folded: Folded) -> list[Passage]:
    """Returns the passages of a prompt, of what is kept in a session's context, or of a memory that somebody wrote and packs do
    not print whole; not counted yet.
    """
    if isinstance(row, Memory) and (row.forgotten or row.shown_summary is None or row.origin in memories.OBSERVED):
        return []
    from memcli.memory import passages as parts

    if isinstance(row, Memory):
        return parts.of_memory(row)
    if isinstance(row, (State, ProfileEntry, Note)):
        return parts.of_context(row, folded.last.actor if folded.last else "")
    return parts.of_prompt(row, folded.fields)


def _counted_passages(row: Any, folded: Folded) -> list[Passage]:
    """Returns the passages of a row with their tokens."""
    of_row = passages_of(row, folded) if row else []
    if of_row:
        from memcli.memory.passages import counted

        of_row = counted(of_row)
    return of_row


def _column(field: Field, value: Any) -> Any:
    """Returns the value of a field as its column has it: labels one a line."""
    return "\n".join(value) if field.kind == "labels" else value


def _observed(db: Connection, fields: dict[str, Any]) -> dict[str, Any]:
    """Returns the columns that say where an observation is from."""
    from memcli.store import sessions

    tools = "\n".join(fields.get("tools", ()))
    return {"session": sessions.number(db, fields["session"]), "prompt": fields.get("prompt", 0), "tools": tools}


def _sample(memory: Memory) -> Iterator[str]:
    """Yields the pieces of about what packs will print of a memory, to be looked up at once."""
    short = replace(memory, title=memory.title[:_SAMPLE], summary=memory.summary[:_SAMPLE])
    yield from tokens.pieces("".join((short.line, "\n", short.brief, "\n", *short.in_prompt(), *short.in_xml())))


def _state(db: Connection, state_id: str, folded: Folded, last: LoggedOperation) -> State:
    first, fields = folded.first or last, folded.fields
    columns = fields["reason"], json.canonical(fields["state"]), fields["thread"], fields.get("memory"), fields["created"]
    items, actor = "\n".join(forms.state_items(fields["state"])), folded.actors["state"].partition("@")[0]
    return State(state_id, *columns, first.hlc_ms, first.hlc_n, last.revision, items, "", "", int(actor == context.CI_ACTOR))


def _counted(state: State) -> State:
    """Returns a state with the tokens of each line that a pack prints for it."""
    items, rank = state.items.split("\n") if state.items else [], ranks()
    prompt, xml = [[str(tokens.count(form(item), rank)) for item in items] for form in (forms.state_prompt, forms.state_xml)]
    return replace(state, prompt_tokens=",".join(prompt), xml_tokens=",".join(xml))


def _thread(db: Connection, thread_id: str, folded: Folded, last: LoggedOperation) -> Thread:
    return Thread(thread_id[2:], folded.fields["title"], (folded.first or last).hlc_ms, 0)


def _session(db: Connection, session_id: str, folded: Folded, last: LoggedOperation) -> Session:
    """Returns the row of a session as far as the log knows it."""
    from memcli.store.sessions import ACTIVE, Session

    fields = folded.fields
    started, status = fields["started"], fields.get("status", ACTIVE)
    names = fields["harness"], fields["key"], status, fields.get("reason", ""), ""
    return Session(0, session_id, *names, 0, fields.get("summary"), started, started, fields.get("ended"))


def _prompt(db: Connection, prompt_id: str, folded: Folded, last: LoggedOperation) -> Prompt:
    """Returns the row of a prompt; of a forgotten one without its texts."""
    from memcli.store import sessions

    fields = folded.fields
    texts = (
        ("", "", sessions.FORGOTTEN) if folded.forgotten else (fields["text"], fields.get("reply", ""), fields.get("skipped", ""))
    )
    return sessions.Prompt(
        n=0,
        id=prompt_id,
        session=sessions.number(db, fields["session"]),
        number=fields["number"],
        text=texts[0],
        reply=texts[1],
        skipped=texts[2],
        files="\n".join(fields.get("files", ())),
        created_at=fields["created"],
    )


def _note(db: Connection, note_id: str, folded: Folded, last: LoggedOperation) -> Note:
    return Note(note_id, folded.fields["day"], folded.fields["text"], folded.fields["created"], last.revision)


def _entry(db: Connection, entry_id: str, folded: Folded, last: LoggedOperation) -> ProfileEntry:
    return ProfileEntry(entry_id, folded.fields["key"], folded.fields["value"], last.hlc_ms, last.revision)


_ROWS = {"M-": _memory, "S-": _state, "T-": _thread, "A-": _session, "P-": _prompt, "K-": _entry, "N-": _note}
# Without these there is no row: of another store's object, a change may arrive before its beginning.
_NEEDED = {
    "M-": ("title", "summary", "created"),
    "S-": ("reason", "state", "thread", "created"),
    "T-": ("title",),
    "K-": ("key", "value"),
    "N-": ("day", "text", "created"),
}
CONTEXT = {"S-": State, "K-": ProfileEntry, "N-": Note}
_GONE_WHEN_FORGOTTEN = ("S-", "T-", "K-", "N-")  # of the others a row stays, marked as such
