"""Memories in their current state according to the log, with their text index."""

from __future__ import annotations

from memcli.records import Record, many
from memcli.store import first_record, rows
from memcli.text import forms
from memcli.text.ids import PLACE, anchor_branch
from memcli.text.terminal import oneline, visible

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from apsw import Connection

_MOST_THREADS = 500  # that a question may name
_CHECKED = 1_000  # newest memories among which checks that passed are looked for
OBSERVED = ("hook", "api")  # origins of what a machine saw, and nobody wrote on purpose
WELCOME = "init"  # who wrote the memory that greets whoever makes a store
# What a colleague shared has its writer behind the origin: cli@83EB.
OF_ORIGIN = ":origin IN (origin, substr(origin, 1, instr(origin, '@') - 1))"
CLOSES = "closes"  # the relation from a memory to what a session left open, by the id of that passage
ONE_TEXT = "content:"  # begins the source id of a memory that was written as one text


class Memory(Record):
    """One thing worth knowing about a repository, true from `anchor` onwards (None: everywhere). Times in ms since 1970 UTC."""

    n: int
    id: str
    thread: str
    kind: str
    title: str
    summary: str
    tags: str = ""
    entities: str = ""
    words: str = ""
    anchor: str | None = None
    created_at: int = 0
    updated_at: int = 0
    revision: int = 0
    superseded_by: str | None = None
    forgotten: int = 0
    pinned: int = 0
    suspicious: int = 0
    source_id: str | None = None
    origin: str = ""
    shown_title: str | None = None
    shown_summary: str | None = None
    prompt_tokens: int = 0
    xml_tokens: int = 0
    session: int = 0  # row of the session it was observed in; 0: somebody wrote it
    prompt: int = 0  # number of the prompt within the session
    tools: str = ""  # names of the tools it was observed from, one a line

    def in_prompt(self) -> tuple[str, str]:
        """Returns its lines in a prompt as (up to its marks, the rest)."""
        return forms.memory_prompt(self.id, self.thread, self.created_at, self.line, self.brief)

    def in_xml(self) -> tuple[str, str]:
        """Returns its lines in XML as (up to its last attributes, the rest)."""
        return forms.memory_xml(self.id, self.thread, self.kind, self.created_at, self.line, self.brief)

    @property
    def line(self) -> str:
        """The title as it is printed: on one line, harmless, not too long. Of one text that has code, what stands before it."""
        if self.shown_title:
            return visible(self.shown_title)
        return forms.text_before_code(self.title) if self.title == self.summary else oneline(self.title)

    @property
    def brief(self) -> str:
        """The summary as packs print it, with lines of its own for code only.

        If the memory is one text, the part after the title, which is its first sentence.
        """
        line, whole = self.line, self.whole
        if not self.is_one_text or line == whole:
            return whole
        if whole.startswith(line):
            return whole[len(line) :].lstrip()
        return line if line == oneline(self.summary) else whole  # code, and nothing before it, is the title

    @property
    def whole(self) -> str:
        """The summary as packs print it, including what the title repeats."""
        return visible(self.shown_summary) if self.shown_summary else forms.printed_text(self.summary)

    @property
    def is_one_text(self) -> bool:
        """Whether it was written or imported as one text, so that the title only repeats the beginning of the summary."""
        if (self.source_id or "").startswith(ONE_TEXT) or self.summary == self.title:
            return True
        return self.origin == "import" and forms.is_beginning(self.title, self.summary)

    @property
    def meaning(self) -> str:
        """The text that its vector is made from."""
        return f"{self.title} {self.summary}"

    def summarizes(self, other: Memory) -> bool:
        """Tells whether this is the summary of a session that lists `other`, an observation; never for a passage."""
        if self.kind != "summary" or not self.session == other.session > 0 or self.id == other.id or PLACE in other.id:
            return False
        titles = {other.title, forms.without_output(other.title)}
        return any(not titles.isdisjoint(line.partition(": ")[2].split("; ")) for line in self.summary.split("\n"))


COLUMNS = ", ".join(Memory._fields)
_PLACES = ", ".join("?" for _ in Memory._fields)


def save(db: Connection, memory: Memory) -> None:
    """Writes one memory and its text index entry, replacing what was there. `memory.n` is ignored."""
    from memcli.store import word_vectors  # only writing needs it

    old = find(db, memory.id)
    number = old.n if old else None
    if old:
        _delete(db, old)

    vector = None if memory.origin in OBSERVED else word_vectors.encode(memory.meaning)
    rows(db, f"INSERT INTO memory({COLUMNS}, vector) VALUES ({_PLACES}, ?)", (number, *memory[1:], vector))  # type: ignore[index]
    if not memory.forgotten:
        number = number or db.last_insert_rowid()
        values = (number, memory.title, memory.summary, memory.tags, memory.entities, memory.words)
        rows(db, "INSERT INTO memory_fts(rowid, title, summary, tags, entities, words) VALUES (?, ?, ?, ?, ?, ?)", values)


def remove(db: Connection, memory_id: str) -> None:
    """Removes a memory that is no longer in the log from the projection and the index."""
    if old := find(db, memory_id):
        _delete(db, old)


def _delete(db: Connection, old: Memory) -> None:
    """Deletes a row and its text index entry."""
    if not old.forgotten:
        values = (old.n, old.title, old.summary, old.tags, old.entities, old.words)
        columns = "memory_fts, rowid, title, summary, tags, entities, words"
        rows(db, f"INSERT INTO memory_fts({columns}) VALUES ('delete', ?, ?, ?, ?, ?, ?)", values)
    rows(db, "DELETE FROM memory WHERE n = ?", (old.n,))


def find(db: Connection, memory_id: str) -> Memory | None:
    """Returns one memory, forgotten or not."""
    return first_record(Memory, db, f"SELECT {COLUMNS} FROM memory WHERE id = ?", (memory_id,))


def by_prefix(db: Connection, prefix: str, limit: int) -> list[Memory]:
    """Returns the memories whose id starts with `prefix`, including forgotten ones, ordered by id."""
    sql = f"SELECT {COLUMNS} FROM memory WHERE id >= ? AND id < ? ORDER BY id LIMIT ?"
    return many(Memory, rows(db, sql, (prefix, prefix + "~", limit)))


def by_source(db: Connection, source_id: str) -> Memory | None:
    """Returns the memory that was imported under `source_id`, or whose own id it is."""
    sql = f"SELECT {COLUMNS} FROM memory WHERE source_id = ?1 OR id = ?1 ORDER BY source_id IS NOT ?1 LIMIT 1"
    return first_record(Memory, db, sql, (source_id,))


def named_elsewhere(db: Connection, name: str, limit: int) -> list[Memory]:
    """Returns the memories that had this id in the program they were imported from, with or without the name of its source."""
    of_source = "substr(source_id, instr(source_id, ':') + 1) = ?1 COLLATE NOCASE"
    sql = f"SELECT {COLUMNS} FROM memory WHERE source_id = ?1 COLLATE NOCASE OR {of_source} ORDER BY id LIMIT ?2"
    return many(Memory, rows(db, sql, (name, limit)))


def with_text(db: Connection, thread: str, title: str, summary: str) -> list[Memory]:
    """Returns the live memories of a thread with this title and summary, ignoring white space."""
    candidates = [Memory(*row) for row in rows(db, _SAYING, (thread, _squeezed(title), len(_squeezed(summary))))]
    words = [title.split(), summary.split()]
    return [memory for memory in candidates if [memory.title.split(), memory.summary.split()] == words]


def _squeezed(text: str) -> str:
    """Returns a text as the index memory_by_text has it. Computing it here makes the query 30 times faster."""
    return text.replace(" ", "").replace("\t", "").replace("\n", "").replace("\r", "")


_SQUEEZED = "replace(replace(replace(replace({}, ' ', ''), char(9), ''), char(10), ''), char(13), '')"
_SAYING = f"""
    SELECT {COLUMNS} FROM memory INDEXED BY memory_by_text
    WHERE forgotten = 0 AND superseded_by IS NULL
      AND thread = ? AND {_SQUEEZED.format("title")} = ? AND length({_SQUEEZED.format("summary")}) = ?
    LIMIT 1000
"""


def last_of_turn(db: Connection, session: int, prompt: int) -> Memory | None:
    """Returns the newest observation of a turn that is linked to a file: its last edit."""
    sql = f"""
        SELECT {COLUMNS} FROM memory WHERE session = ? AND session > 0 AND prompt = ? AND kind <> 'summary' AND forgotten = 0
          AND EXISTS (SELECT 1 FROM memory_link WHERE from_id = memory.id AND rel = 'file') ORDER BY n DESC LIMIT 1
    """
    return first_record(Memory, db, sql, (session, prompt))


def of_session(db: Connection, session: int, limit: int) -> list[Memory]:
    """Returns the newest live observations of a session in the order they were made, without its summary."""
    sql = f"""
        SELECT * FROM (
          SELECT {COLUMNS} FROM memory WHERE session = ? AND session > 0 AND kind <> 'summary' AND forgotten = 0
          ORDER BY n DESC LIMIT ?) ORDER BY n
    """
    return many(Memory, rows(db, sql, (session, limit)))


def tags_of_session(db: Connection, session: int) -> list[tuple[str, str]]:
    """Returns the writers and tags of everything that was observed in a session, including what was forgotten."""
    return rows(db, "SELECT DISTINCT origin, tags FROM memory WHERE session = ? AND session > 0 AND tags <> ''", (session,))


def last_observed(db: Connection, summaries: bool, limit: int) -> list[Memory]:
    """Returns the newest live observations of sessions, or their summaries, newest first."""
    sql = f"""
        SELECT {COLUMNS} FROM memory WHERE session > 0 AND forgotten = 0 AND (kind = 'summary') = ?
        ORDER BY created_at DESC, n DESC LIMIT ?
    """
    return many(Memory, rows(db, sql, (summaries, limit)))


def aged(db: Connection, before: int, limit: int) -> list[str]:
    """Returns the observations from before a moment that nobody has pinned, linked, cited, replaced or written into.

    A memory is cited where the text of another holds its id; the text index knows the second half of an id as a word.
    """
    sql = f"""
        SELECT id FROM memory AS old
        WHERE origin IN {OBSERVED} AND kind <> 'summary' AND forgotten = 0 AND pinned = 0 AND created_at < ?
          AND NOT EXISTS (SELECT 1 FROM memory_link WHERE to_id = old.id)
          AND NOT EXISTS (SELECT 1 FROM memory_link WHERE from_id = old.id AND rel NOT IN ('file', 'mention', 'read', 'edited'))
          AND NOT EXISTS (SELECT 1 FROM op WHERE object = old.id AND actor NOT IN {(*OBSERVED, "anchor", "doctor")})
          AND NOT EXISTS (SELECT 1 FROM memory_fts WHERE memory_fts MATCH '"m ' || lower(substr(old.id, 3)) || '"')
        ORDER BY created_at, n LIMIT ?
    """
    return [name for (name,) in rows(db, sql, (before, limit))]


class AnchorGroup(Record):
    """How many live memories of a thread share an anchor and a successor. `id`: of one of them."""

    id: str
    thread: str
    anchor: str | None
    superseded_by: str | None
    count: int


def anchor_groups(db: Connection) -> list[AnchorGroup]:
    """Returns what decides whether the live memories hold, thread by thread."""
    sql = """
        SELECT min(id), thread, anchor, superseded_by, count(*) FROM memory NOT INDEXED
        WHERE forgotten = 0 GROUP BY thread, anchor, superseded_by
    """
    return many(AnchorGroup, rows(db, sql))


def summaries(db: Connection, limit: int, but: int, skip: int = 0) -> list[Memory]:
    """Returns the newest live summaries of sessions, newest first, after `skip`, without that of the session in row `but`."""
    return _page(db, "INDEXED BY memory_summaries WHERE kind = 'summary'", limit, but, skip)


def pinned(db: Connection, limit: int, but: int, skip: int = 0) -> list[Memory]:
    """Returns live memories that are pinned and are no summaries, newest first, after `skip`, without those of session `but`."""
    return _page(db, "INDEXED BY memory_pinned WHERE kind <> 'summary' AND pinned = 1", limit, but, skip)


def newest(db: Connection, limit: int, but: int, skip: int = 0) -> list[Memory]:
    """Returns the newest live memories that somebody wrote and that are neither pinned nor summaries.

    Without those that close what a session left open, those of the session in row `but`, and the first `skip`.
    """
    closes = f"EXISTS (SELECT 1 FROM memory_link WHERE from_id = memory.id AND rel = '{CLOSES}' AND to_id GLOB 'P-*')"
    written = f"origin NOT IN {OBSERVED} AND kind <> 'summary' AND pinned = 0"
    where = f"INDEXED BY memory_written WHERE {written} AND NOT {closes}"
    return _page(db, where, limit, but, skip)


_REPORT = "title || char(10) || summary"


def passed_checks(db: Connection, but: int) -> list[tuple[str, int]]:
    """Returns (text, ms since 1970) of what hooks saw of tests and builds that passed, newest first, but in session `but`.

    Among the last memories, those of that session not counted.
    """
    own = "SELECT count(*) FROM memory WHERE session = :but AND session > 0 AND forgotten = 0"
    oldest = f"SELECT created_at FROM memory WHERE forgotten = 0 ORDER BY created_at DESC LIMIT 1 OFFSET {_CHECKED - 1} + ({own})"
    sql = f"""
        SELECT {_REPORT}, created_at FROM memory INDEXED BY memory_passed
        WHERE forgotten = 0 AND kind <> 'summary' AND origin IN {OBSERVED} AND instr({_REPORT}, '` passed') > 0
          AND session <> :but AND created_at >= coalesce(({oldest}), 0)
        ORDER BY created_at DESC LIMIT 100
    """
    return rows(db, sql, {"but": but})


def _page(db: Connection, where: str, limit: int, but: int, skip: int) -> list[Memory]:
    """Returns live memories that fit a condition, newest first, after `skip`, without those of the session in row `but`."""
    sql = f"""
        SELECT {COLUMNS} FROM memory {where} AND forgotten = 0 AND session <> :but
        ORDER BY created_at DESC, id LIMIT :limit OFFSET :skip
    """
    return many(Memory, rows(db, sql, {"but": but, "limit": limit, "skip": skip}))


def everything(db: Connection, after: int, limit: int) -> list[Memory]:
    """Returns a page of live memories after row `after`, in the order in which they were stored."""
    sql = f"SELECT {COLUMNS} FROM memory WHERE forgotten = 0 AND n > ? ORDER BY n LIMIT ?"
    return many(Memory, rows(db, sql, (after, limit)))


def by_numbers(db: Connection, numbers: Sequence[int]) -> dict[int, Memory]:
    """Returns memories by their row numbers."""
    marks = ", ".join("?" for _ in numbers)
    return {row[0]: Memory(*row) for row in rows(db, f"SELECT {COLUMNS} FROM memory WHERE n IN ({marks})", numbers)}


def linked(db: Connection) -> list[Memory]:
    """Returns the live memories that are linked to files, oldest first."""
    with_files = "SELECT from_id FROM memory_link WHERE rel IN ('file', 'mention')"
    sql = f"SELECT {COLUMNS} FROM memory WHERE forgotten = 0 AND id IN ({with_files}) ORDER BY created_at, id"
    return many(Memory, rows(db, sql))


def threads(db: Connection) -> list[str]:
    """Returns the newest threads, which a question may name."""
    return [name for (name,) in rows(db, "SELECT id FROM thread ORDER BY created_at DESC LIMIT ?", (_MOST_THREADS,))]


def links_of(db: Connection, ids: Sequence[str]) -> list[tuple[str, str, str, str | None]]:
    """Returns (memory, relation, target, hash) of the links from these memories that tell whether they still hold."""
    marks = ", ".join("?" for _ in ids)
    rels = "rel IN ('file', 'mention', 'supersedes')"
    return rows(db, f"SELECT from_id, rel, to_id, hash FROM memory_link WHERE from_id IN ({marks}) AND {rels}", ids)


def suspicious_among(db: Connection, ids: Sequence[str]) -> set[str]:
    """Returns those of these memories, states and prompts that read like an order to a model."""
    marks = ", ".join("?" for _ in ids)
    memory = f"SELECT id FROM memory WHERE suspicious AND id IN ({marks})"
    passage = f"SELECT owner FROM passage WHERE suspicious AND owner IN ({marks})"
    return {name for (name,) in rows(db, f"{memory} UNION {passage}", [*ids, *ids])}


def successors(db: Connection, memory_id: str) -> list[str]:
    """Returns the ids of the memories that supersede one, including forgotten ones, in order."""
    sql = "SELECT from_id FROM memory_link WHERE to_id = ? AND rel = 'supersedes' ORDER BY from_id"
    return [name for (name,) in rows(db, sql, (memory_id,))]


def replacements(db: Connection, memory_id: str) -> list[str]:
    """Returns the ids of the chain of memories that replaced one; in a circle, its own, too."""
    sql = """
        WITH RECURSIVE chain(id) AS (
          SELECT superseded_by FROM memory WHERE id = ?
          UNION SELECT superseded_by FROM memory JOIN chain USING (id) WHERE superseded_by IS NOT NULL
        )
        SELECT id FROM chain WHERE id IS NOT NULL
    """
    return [name for (name,) in rows(db, sql, (memory_id,))]


def has_imports_of(db: Connection, program: str) -> bool:
    """Tells whether a live memory was imported from a program, whose name begins its source id."""
    sql = "SELECT 1 FROM memory WHERE source_id >= ?1 || ':' AND source_id < ?1 || ';' AND forgotten = 0 LIMIT 1"
    return bool(rows(db, sql, (program,)))


def imported_from(db: Connection, program: str) -> list[Memory]:
    """Returns the memories that were imported from a program, including forgotten ones, ordered by source id."""
    sql = f"SELECT {COLUMNS} FROM memory WHERE source_id >= ?1 || ':' AND source_id < ?1 || ';' ORDER BY source_id"
    return many(Memory, rows(db, sql, (program,)))


def count(db: Connection) -> int:
    """Returns how many live memories there are."""
    return int(rows(db, "SELECT count(*) FROM memory WHERE forgotten = 0")[0][0])


def anchors(db: Connection, limit: int) -> list[str]:
    """Returns the distinct commits that live memories were written on, not those that a branch has yet to make."""
    commits = rows(db, "SELECT DISTINCT anchor FROM memory WHERE forgotten = 0 AND anchor IS NOT NULL LIMIT ?", (limit,))
    return [name for (name,) in commits if not anchor_branch(name)]


def kinds(db: Connection) -> dict[str, int]:
    """Returns how many live memories there are of each kind, ordered by name."""
    # Through an index each row would be looked up by itself.
    return dict(rows(db, "SELECT kind, count(*) FROM memory NOT INDEXED WHERE forgotten = 0 GROUP BY kind ORDER BY kind"))


def files_of(db: Connection, ids: Sequence[str]) -> list[tuple[str, str, str]]:
    """Returns (memory, relation, path) of the files that memories changed or read."""
    marks = ", ".join("?" for _ in ids)
    rels = "rel IN ('file', 'edited', 'read')"
    sql = f"SELECT from_id, rel, to_id FROM memory_link WHERE from_id IN ({marks}) AND {rels} ORDER BY 1, 3"
    return rows(db, sql, list(ids))
