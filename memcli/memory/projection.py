"""From operations to rows: what the log says of an object, and the rows of the tables that are read.

Every field of an object is a last-writer-wins register, ordered by the operations' clock; every edge is one, too. So the local
store, undo, a rebuild of the tables and, later, another machine's operations all go through this one fold. It is pure, and its
result does not depend on the order in which operations arrived.
"""

from __future__ import annotations

from memcli.memory import FIELDS
from memcli.records import replace
from memcli.store import context, graph, memories, oplog
from memcli.store.context import Note, ProfileEntry, State
from memcli.store.graph import Link
from memcli.store.memories import Memory
from memcli.store.vocabulary import learn, ranks
from memcli.text import dates, forms, json, tokens
from memcli.text.analysis import extra_words
from memcli.text.screening import is_suspicious
from memcli.text.terminal import oneline

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from memcli.fields import Field
    from memcli.project import Project
    from memcli.store import Connection
    from memcli.store.oplog import LoggedOperation
    from memcli.store.sessions import Prompt, Session

MAX_STATE_LINE = 2_000  # characters of one printed line of a state; `mem state --json` has the whole
TITLE_TOKENS = 40  # of a title that packs print; a longer one is a summary in the wrong place
FORGOTTEN = "forgotten"  # why a prompt has no text
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

    @property
    def superseded_by(self) -> str | None:
        """The successor that was named last."""
        standing = [successor for successor, stands in self.superseded.items() if stands]
        return standing[-1] if standing else None


def fold(operations: Sequence[LoggedOperation]) -> Folded:
    """Folds the operations on one object, given in the order of the clock. Kinds it does not know change nothing.

    Of an erased object there is neither a first operation nor a field.
    """
    folded = Folded()
    if any(op.kind == "erase" for op in operations):  # whatever came before or after: nothing is left, nothing comes back
        return folded
    for op in operations:
        if op.body == "{}" and op.kind in ("supersede", "link"):
            continue  # an edge that was erased
        body = json.loads(op.body)
        if op.kind in ("put", "state", "session", "prompt", "profile", "note"):
            folded.fields.update(body)
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
    return folded


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
        _refresh_session(project.db, object_id, folded)
    elif kind == "K-":
        _refresh_row(project.db, ProfileEntry, object_id, entry_row(object_id, folded))
    elif kind == "N-":
        _refresh_row(project.db, Note, object_id, note_row(object_id, folded))


def _memory(project: Project, memory_id: str, folded: Folded) -> Memory:
    """Builds the row of a memory: its fields, the words its index needs, its printed forms and their tokens."""
    fields = folded.fields
    columns = {name: _column(field, fields.get(name, field.default)) for name, field in FIELDS.items()}
    title, summary, tags, entities = [columns[name] for name in ("title", "summary", "tags", "entities")]
    assert folded.first is not None
    assert folded.last is not None
    rank = ranks()
    learn(tokens.pieces(_sample(memory_id, fields)))
    shown_title = tokens.fit(oneline(title), TITLE_TOKENS, rank)[0]
    shown_summary = tokens.fit(oneline(summary), project.config["budget.memory_each"], rank)[0]
    memory = Memory(
        n=0,
        id=memory_id,
        **columns,
        words=f"{extra_words(title, summary, tags, entities)} {dates.words(fields['created'])}".strip(),
        anchor=fields.get("anchor"),
        created_at=fields["created"],
        updated_at=folded.last.hlc_ms,
        revision=folded.last.revision,
        superseded_by=folded.superseded_by,
        forgotten=int(folded.forgotten),
        pinned=int(bool(fields.get("pinned"))),
        suspicious=int(is_suspicious(title, summary, tags, entities)),
        source_id=fields.get("source"),
        origin=folded.first.actor,
        shown_title=None if shown_title == oneline(title) else shown_title,
        shown_summary=None if shown_summary == oneline(summary) else shown_summary,
        prompt_tokens=0,
        xml_tokens=0,
        **(_observed(project, fields) if "session" in fields else {}),
    )
    return replace(
        memory,
        prompt_tokens=sum(tokens.count(line, rank) for line in memory.in_prompt()),
        xml_tokens=sum(tokens.count(line, rank) for line in memory.in_xml()),
    )


def _column(field: Field, value: Any) -> Any:
    """Returns the value of a field as its column has it: labels one a line."""
    return "\n".join(value) if field.kind == "labels" else value


def _observed(project: Project, fields: dict[str, Any]) -> dict[str, Any]:
    """Returns the columns that say where an observation is from."""
    from memcli.store import sessions

    tools = "\n".join(fields.get("tools", ()))
    return {"session": sessions.number(project.db, fields["session"]), "prompt": fields.get("prompt", 0), "tools": tools}


def _sample(memory_id: str, fields: dict[str, Any]) -> str:
    """Returns about what packs will print of a memory: its words, to be looked up at once."""
    title, brief = oneline(fields["title"][:_SAMPLE]), oneline(fields["summary"][:_SAMPLE])
    prompt = forms.memory_prompt(memory_id, fields["thread"], fields["created"], title, brief)
    xml = forms.memory_xml(memory_id, fields["thread"], fields["kind"], fields["created"], title, brief)
    return "".join((title, "\n", brief, "\n", *prompt, *xml))


def _state(state_id: str, folded: Folded) -> State:
    """Builds the row of a state, with the tokens of each line that a pack prints for it."""
    fields = folded.fields
    assert folded.first is not None
    assert folded.last is not None
    items = state_items(fields["state"])
    rank = ranks()
    return State(
        id=state_id,
        reason=fields["reason"],
        body=json.canonical(fields["state"]),
        thread=fields["thread"],
        memory_id=fields.get("memory"),
        created_at=fields["created"],
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
        items = [f"{key}: {_plain(item)}" for key, item in value.items()]
    elif isinstance(value, list):
        items = [_plain(item) for item in value]
    else:
        items = [_plain(value)]
    lines = [oneline(item) for item in items]
    return [line if len(line) <= MAX_STATE_LINE else line[: MAX_STATE_LINE - 1].rstrip() + "…" for line in lines if line]


def _plain(value: object) -> str:
    return value if isinstance(value, str) else json.canonical(value)


def _refresh_session(db: Connection, object_id: str, folded: Folded) -> None:
    from memcli.store import sessions

    if object_id.startswith("A-"):
        if folded.first is None:
            sessions.remove(db, object_id)
        else:
            sessions.save(db, session_row(object_id, folded))
    elif folded.first is None:
        sessions.remove_prompt(db, object_id)
    else:
        sessions.save_prompt(db, prompt_row(object_id, folded, sessions.number(db, folded.fields["session"])))


def session_row(session_id: str, folded: Folded) -> Session:
    """Returns the row of a session as far as the log knows it."""
    from memcli.store.sessions import ACTIVE, Session

    fields = folded.fields
    return Session(
        n=0,
        id=session_id,
        harness=fields["harness"],
        key=fields["key"],
        status=fields.get("status", ACTIVE),
        reason=fields.get("reason", ""),
        root="",
        prompts=0,
        summary=fields.get("summary"),
        started_at=fields["started"],
        last_at=fields["started"],
        ended_at=fields.get("ended"),
    )


def prompt_row(prompt_id: str, folded: Folded, session: int) -> Prompt:
    """Returns the row of a prompt in the session of row `session`; of a forgotten one without its texts."""
    from memcli.store.sessions import Prompt

    fields = folded.fields
    text = "" if folded.forgotten else fields["text"]
    return Prompt(
        n=0,
        id=prompt_id,
        session=session,
        number=fields["number"],
        text=text,
        words=f"{extra_words(text)} {dates.words(fields['created'])}".strip(),
        reply="" if folded.forgotten else fields.get("reply", ""),
        skipped=FORGOTTEN if folded.forgotten else fields.get("skipped", ""),
        files="\n".join(fields.get("files", ())),
        created_at=fields["created"],
    )


def _refresh_row(db: Connection, kind: type[Any], object_id: str, row: Any) -> None:
    """Writes the row of a note or an entry of the profile, or removes it where there is none any more."""
    if row is None:
        context.remove(db, kind, object_id)
    else:
        context.save(db, row)


def note_row(note_id: str, folded: Folded) -> Note | None:
    """Returns the row of a note, None where there is none any more."""
    if folded.first is None or folded.last is None or folded.forgotten:
        return None
    fields = folded.fields
    return Note(note_id, fields["day"], fields["text"], fields["created"], folded.last.revision)


def entry_row(entry_id: str, folded: Folded) -> ProfileEntry | None:
    """Returns the row of an entry, None where there is none any more."""
    if folded.first is None or folded.last is None or folded.forgotten:
        return None
    return ProfileEntry(entry_id, folded.fields["key"], folded.fields["value"], folded.last.hlc_ms, folded.last.revision)
