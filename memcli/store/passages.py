"""Passages of prompts, answers, long memories, states, profile and notes, with their text index."""

from __future__ import annotations

from memcli.records import Record, many, replace
from memcli.store import delete_meta, first, first_record, meta, rows, set_meta
from memcli.store.memories import CLOSES, OBSERVED, Memory
from memcli.text.ids import PLACE
from memcli.text.terminal import oneline

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from apsw import Connection

OPEN, DROPPED = "open", "dropped"  # roles of what is left to do, and of what was tried in vain
REMARK = f"{PLACE}n"  # in the id of a passage of what an agent said while it worked
LIST = "t"  # stands before the number in the id of a passage of a to-do list
STATE, PROFILE, NOTE = "state", "profile", "note"  # the kind and the thread of passages of a session's context
PROMPT, ANSWER = "prompt", "answer"  # the kind of all passages of a prompt; the thread that those of the answer stand in
FACT = "fact"  # the thread of what a model made of a session
COMMIT = "commit"  # the thread of what the commits of a turn say
OVERTAKEN = "superseded"  # the field of an operation on a prompt that says which of its statements were overtaken
OF_AGENT = (ANSWER, FACT, COMMIT)  # threads of what is no person's word


class Passage(Record):
    """A part of a prompt, an answer or a memory, under its heading. `question`: what it answers.

    `role`, `statement`: what it states for later sessions (memcli/text/statements.py). The other fields: Memory.
    """

    n: int
    id: str
    owner: str
    kind: str
    thread: str
    heading: str
    text: str
    question: str
    words: str
    anchor: str | None
    created_at: int
    superseded_by: str | None
    suspicious: int
    origin: str
    session: int
    prompt: int
    role: str = ""
    statement: str = ""
    prompt_tokens: int = 0
    xml_tokens: int = 0
    tags: str = ""
    overtaken: str = ""  # how it was superseded, and the day: done, reverted, fixed, removed NAME; "": not, or not known how

    @property
    def meaning(self) -> str:
        """The text of which its vector is made."""
        return f"{self.heading} {self.text}"

    def as_memory(self) -> Memory:
        """Returns it in the shape of a memory, as packs and hits show it."""
        return Memory(
            n=self.n,
            id=self.id,
            thread=self.thread,
            kind=self.kind,
            title=oneline(self.heading) or self.text,
            summary=self.text,
            tags=self.tags,
            anchor=self.anchor,
            created_at=self.created_at,
            updated_at=self.created_at,
            superseded_by=self.superseded_by,
            suspicious=self.suspicious,
            origin=self.origin,
            prompt_tokens=self.prompt_tokens,
            xml_tokens=self.xml_tokens,
            session=self.session,
            prompt=self.prompt,
        )

    def as_statement(self, thread: str) -> Memory:
        """Returns its statement in the shape of a memory of that kind."""
        return replace(self.as_memory(), title=self.statement, kind=self.role, thread=thread)


_COLUMNS = ", ".join(Passage._fields)
_PLACES = ", ".join("?" for _ in Passage._fields)
_INDEXED = "heading, text, question, words"
_NO_VECTORS: Mapping[str, bytes] = {}
# What a memory closes is open again once that memory is forgotten or gone. Any other memory still replaces when it is forgotten.
_REOPENED = f"""
    superseded_by GLOB 'M-*' AND NOT EXISTS (
      SELECT 1 FROM memory WHERE memory.id = passage.superseded_by AND (forgotten = 0 OR NOT EXISTS (
        SELECT 1 FROM memory_link WHERE from_id = memory.id AND rel = '{CLOSES}' AND to_id = passage.id)))
"""


def owner_of(passage_id: str) -> str:
    """Returns the id of the prompt or memory that a passage belongs to; any other id unchanged."""
    return passage_id.partition(PLACE)[0]


def save(db: Connection, owner: str, passages: Sequence[Passage], vectors: Mapping[str, bytes | None] = _NO_VECTORS) -> None:
    """Replaces the passages of an owner. A passage that is the same in the same position keeps its row.

    `vectors`: those that are made already, by the id of the passage; None for one that the worker is to make.
    """
    from memcli.store import word_vectors  # only writing needs it

    before = {passage.id: passage for passage in of(db, owner)}
    after = {passage.id: passage for passage in passages}
    gone = [passage for name, passage in before.items() if name not in after or after[name][1:] != passage[1:]]  # type: ignore[index]
    for passage in gone:
        values = (passage.n, passage.heading, passage.text, passage.question, passage.words)
        rows(db, f"INSERT INTO passage_fts(passage_fts, rowid, {_INDEXED}) VALUES ('delete', ?, ?, ?, ?, ?)", values)
        rows(db, "DELETE FROM passage WHERE n = ?", (passage.n,))
    for passage in passages:
        if passage.id in before and before[passage.id] not in gone:
            continue
        number = before[passage.id].n if passage.id in before and before[passage.id].text == passage.text else None
        vector = vectors[passage.id] if vectors else word_vectors.encode(passage.meaning)
        rows(db, f"INSERT INTO passage({_COLUMNS}, vector) VALUES ({_PLACES}, ?)", (number, *passage[1:], vector))  # type: ignore[index]
        values = (db.last_insert_rowid(), passage.heading, passage.text, passage.question, passage.words)
        rows(db, f"INSERT INTO passage_fts(rowid, {_INDEXED}) VALUES (?, ?, ?, ?, ?)", values)


def of(db: Connection, owner: str) -> list[Passage]:
    """Returns the passages of a prompt or memory, in their order."""
    return many(Passage, rows(db, f"SELECT {_COLUMNS} FROM passage WHERE owner = ? ORDER BY n", (owner,)))


def anchors(db: Connection, owners: Sequence[str]) -> dict[str, str]:
    """Returns the anchor of the answer to each prompt that was answered, by the id of the prompt."""
    marks = ", ".join("?" for _ in owners)
    sql = f"SELECT owner, anchor, max(n) FROM passage WHERE owner IN ({marks}) AND anchor IS NOT NULL GROUP BY owner"
    return {owner: anchor for owner, anchor, _ in rows(db, sql, owners)} if owners else {}


def find(db: Connection, passage_id: str) -> Passage | None:
    """Returns one passage."""
    return first_record(Passage, db, f"SELECT {_COLUMNS} FROM passage WHERE id = ?", (passage_id,))


def stating(db: Connection, role: str, limit: int, but: int, skip: int = 0) -> list[Passage]:
    """Returns passages that state something, newest first, after `skip`, without those of the session in row `but`."""
    sql = f"""
        SELECT {_COLUMNS} FROM passage INDEXED BY passage_by_role
        WHERE role = ? AND role <> '' AND session <> ?
        ORDER BY created_at DESC, n LIMIT ? OFFSET ?
    """
    return many(Passage, rows(db, sql, (role, but, limit, skip)))


def standing(db: Connection, role: str, before: int, limit: int) -> list[Passage]:
    """Returns the last passages before a moment with a statement that nothing has overtaken, newest first."""
    sql = f"""
        SELECT {_COLUMNS} FROM passage INDEXED BY passage_by_role
        WHERE role = ? AND role <> '' AND created_at < ? AND (superseded_by IS NULL OR {_REOPENED})
        ORDER BY created_at DESC, n LIMIT ?
    """
    return reopened(db, many(Passage, rows(db, sql, (role, before, limit))))


def is_reopened(db: Connection, passage_id: str) -> bool:
    """Tells whether a passage was closed by a memory that is forgotten or gone. A memory's id is that of no passage."""
    return PLACE in passage_id and bool(rows(db, f"SELECT 1 FROM passage WHERE id = ? AND {_REOPENED}", (passage_id,)))


def reopened(db: Connection, group: Sequence[Passage]) -> list[Passage]:
    """Returns passages as they hold: without the mark of what closed them where that is forgotten or gone."""
    return [
        replace(it, superseded_by=None, overtaken="")
        if (it.superseded_by or "").startswith("M-") and is_reopened(db, it.id)
        else it
        for it in group
    ]


def overtaken_by(db: Connection, owner: str) -> list[Passage]:
    """Returns the passages of others that those of an owner overtook. Reads every passage, as this is rarely needed."""
    sql = f"SELECT {_COLUMNS} FROM passage WHERE superseded_by GLOB ? AND owner <> ? ORDER BY n"
    return many(Passage, rows(db, sql, (f"{owner}{PLACE}*", owner)))


def overtaken_in(db: Connection, session: int, owner: str) -> list[Passage]:
    """Returns the passages of the session in a row that those of an owner overtook."""
    sql = (
        f"SELECT {_COLUMNS} FROM passage WHERE session = ?1 AND session > 0 AND superseded_by GLOB ?2 AND owner <> ?3 ORDER BY n"
    )
    return many(Passage, rows(db, sql, (session, f"{owner}{PLACE}*", owner)))


def overtaken_choices(db: Connection, roles: Sequence[str], limit: int) -> list[Passage]:
    """Returns the overtaken ones of the last passages of some roles."""
    result: list[Passage] = []
    for role in roles:
        last = f"SELECT {_COLUMNS} FROM passage WHERE role = ? AND role <> '' ORDER BY created_at DESC LIMIT ?"
        result += many(Passage, rows(db, f"SELECT * FROM ({last}) WHERE superseded_by IS NOT NULL", (role, limit)))
    return result


def with_lists(db: Connection, session: int) -> list[str]:
    """Returns the prompts of the session in a row that have unfinished to-do items."""
    sql = "SELECT DISTINCT owner FROM passage WHERE session = ? AND session > 0 AND id GLOB ?"
    return [name for (name,) in rows(db, sql, (session, f"*{PLACE}{LIST}[0-9]*"))]


def answered_since(db: Connection, number: int, limit: int) -> list[tuple[str, int]]:
    """Returns (prompt, row of its last passage) of prompts with passages after a row, in the order of those rows.

    Of those that were answered, with however few words, led to a commit, or want something for good.
    """
    sql = """
        SELECT owner, max(n) FROM passage
        WHERE n > ?1 AND kind = ?4 AND (thread IN (?2, ?3) OR role IN ('instruction', 'preference')
          OR EXISTS (SELECT 1 FROM prompt WHERE prompt.id = owner AND reply <> ''))
        GROUP BY owner ORDER BY max(n) LIMIT ?5
    """
    return rows(db, sql, (number, ANSWER, COMMIT, PROMPT, limit))


def before(db: Connection, passage: Passage, limit: int) -> list[Passage]:
    """Returns the last passages of prompts and answers before another one, newest first; of one moment, in their order."""
    sql = f"""
        SELECT {_COLUMNS} FROM passage WHERE kind = ? AND (created_at, n) < (?, ?)
        ORDER BY created_at DESC, n DESC LIMIT ?
    """
    return many(Passage, rows(db, sql, (PROMPT, passage.created_at, passage.n, limit)))


def first_since(db: Connection, moment: int) -> int | None:
    """Returns the row of the first passage of a prompt at or after a moment, or None."""
    row = first(db, "SELECT min(n) FROM passage WHERE kind = ? AND created_at >= ?", (PROMPT, moment))
    return row[0] if row else None


def by_numbers(db: Connection, numbers: Iterable[int]) -> list[Passage]:
    """Returns the passages of some rows, unordered."""
    sql = f"SELECT {_COLUMNS} FROM passage WHERE n IN (SELECT value FROM json_each(?))"
    return many(Passage, rows(db, sql, (str(list(numbers)),)))


# What an older version stored waits for the worker to make passages of it: the rows up to a number, by the table they are in.
_WAITS = {"P-": "without passages: prompt", "M-": "without passages: memory"}


def is_waiting(db: Connection, kind: str, number: int) -> bool:
    """Tells whether a row of a prompt (`P-`) or memory (`M-`) still waits for its passages."""
    return number <= int(meta(db, _WAITS[kind]) or 0)


def waiting(db: Connection, limit: int) -> dict[str, list[tuple[str, int]]]:
    """Returns the (id, row number) of prompts and long memories that wait for their passages, the newest `limit` of each kind."""
    tables = {"P-": "prompt WHERE", "M-": f"memory WHERE shown_summary IS NOT NULL AND origin NOT IN {OBSERVED} AND"}
    sql = "SELECT id, n FROM {} n <= ? ORDER BY n DESC LIMIT ?"
    return {kind: rows(db, sql.format(tables[kind]), (int(meta(db, _WAITS[kind]) or 0), limit)) for kind in tables}


def settle(db: Connection, kind: str, before: int) -> None:
    """Records that only rows before a number still wait; 0: none."""
    if before > 1:
        set_meta(db, _WAITS[kind], str(before - 1))
    else:
        delete_meta(db, _WAITS[kind])


_CONTEXT_WAITS = "without passages: context"  # the last id of a state, an entry or a note that has them, in the order of ids


def context_waits(db: Connection) -> bool:
    """Tells whether states, entries of the profile or notes that an older version stored still wait for their passages."""
    return meta(db, _CONTEXT_WAITS) is not None


def waiting_context(db: Connection, limit: int) -> list[str]:
    """Returns the ids of the next states, entries and notes that wait for their passages, in order."""
    sql = "SELECT id FROM state UNION ALL SELECT id FROM profile UNION ALL SELECT id FROM note"
    values = (meta(db, _CONTEXT_WAITS), limit)
    return [name for (name,) in rows(db, f"SELECT id FROM ({sql}) WHERE id > ? ORDER BY id LIMIT ?", values)]


def settle_context(db: Connection, last: str) -> None:
    """Records the id up to which states, entries and notes have their passages; "": all have."""
    if last:
        set_meta(db, _CONTEXT_WAITS, last)
    else:
        delete_meta(db, _CONTEXT_WAITS)


def owners_with(db: Connection, session: int, thread: str, limit: int) -> list[str]:
    """Returns the last prompts of a session that have passages in a thread, in their order."""
    sql = "SELECT owner FROM passage WHERE session = ? AND session > 0 AND thread = ? GROUP BY owner ORDER BY max(n) DESC LIMIT ?"
    return [owner for (owner,) in rows(db, sql, (session, thread, limit))][::-1]


def stated_in(db: Connection, session: int, roles: Sequence[str], limit: int) -> list[Passage]:
    """Returns the last passages of a session that state something of some sorts, in their order."""
    marks = ", ".join("?" for _ in roles)
    sql = f"SELECT {_COLUMNS} FROM passage WHERE session = ? AND session > 0 AND role IN ({marks}) ORDER BY n DESC LIMIT ?"
    return reopened(db, many(Passage, rows(db, sql, (session, *roles, limit))))[::-1]
