"""Hints that hooks gave before or after a call, once per session, and the person's rules."""

from __future__ import annotations

from memcli.records import Record, many
from memcli.store import rows
from memcli.text import json

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from apsw import Connection


ASKED = "asked to save"  # the subject under which it is noted that the agent was asked to save what it learned


class CallRule(Record):
    """An action of an agent that the person wants to be warned about beforehand, or forbids. `pattern`: of a command or path."""

    id: str
    pattern: str
    glob: str
    reason: str
    blocks: int
    created_at: int


_RULE = ", ".join(CallRule._fields)


def subjects(db: Connection, engine: str, session: str) -> frozenset[str]:
    """Returns the subjects of the hints in a session."""
    return frozenset(
        [subject for (subject,) in rows(db, "SELECT subject FROM hint WHERE engine = ? AND session = ?", (engine, session))]
    )


def record(db: Connection, engine: str, session: str, subjects: Sequence[str], at: int) -> None:
    """Records the subjects of hints in a session."""
    for subject in subjects:
        rows(db, "INSERT OR IGNORE INTO hint(engine, session, subject, at) VALUES (?, ?, ?, ?)", (engine, session, subject, at))


def asked_at(db: Connection, engine: str, session: str) -> int:
    """Returns when the agent of a session was asked to save what it learned, in ms since 1970; 0 for never."""
    sql = "SELECT at FROM hint WHERE engine = ? AND session = ? AND subject = ?"
    return next((int(at) for (at,) in rows(db, sql, (engine, session, ASKED))), 0)


def add_rule(db: Connection, rule: CallRule) -> None:
    """Stores a rule, replacing one with the same pattern."""
    rows(db, f"INSERT OR REPLACE INTO rule({_RULE}) VALUES (?, ?, ?, ?, ?, ?)", rule)  # type: ignore[arg-type]


def remove_rule(db: Connection, rule_id: str) -> None:
    """Removes a rule."""
    rows(db, "DELETE FROM rule WHERE id = ?", (rule_id,))


def rules(db: Connection) -> list[CallRule]:
    """Returns every rule, oldest first."""
    return many(CallRule, rows(db, f"SELECT {_RULE} FROM rule ORDER BY created_at, id"))


def matching(db: Connection, texts: Sequence[str]) -> list[CallRule]:
    """Returns the rules that match one of some commands, in canonical form, or paths. Forbidding rules come first."""
    sql = f"""
        SELECT {_RULE} FROM rule
        WHERE EXISTS (
          SELECT 1 FROM json_each(?) WHERE value GLOB glob OR value GLOB pattern OR value GLOB pattern || '/*')
        ORDER BY blocks DESC, created_at
    """
    return many(CallRule, rows(db, sql, (json.dumps(list(texts)),)))


class FileNote(Record):
    """The text of a memory or a passage about a file. `is_linked`: it is linked to the file, rather than only naming it."""

    id: str
    text: str
    anchor: str | None
    created_at: int
    superseded_by: str | None
    suspicious: int
    origin: str
    tags: str
    is_linked: int = 0


_FIELDS = "{}.id, {}, {}.anchor, {}.created_at, {}.superseded_by, {}.suspicious, {}.origin, {}.tags"
_OF_MEMORY = _FIELDS.format(
    "memory", "memory.title || CASE memory.summary WHEN '' THEN '' ELSE ': ' || memory.summary END", *["memory"] * 6
)
_OF_PASSAGE = _FIELDS.format("passage", "statement", *["passage"] * 6)
_PROHIBITIONS = 'never OR avoid OR dont OR "don t" OR "do not" OR "must not" OR "instead of" OR "rather than" OR "not"'
_LASTING = (
    "decision",
    "gotcha",
    "constraint",
    "instruction",
    "rule",
    "convention",
    "warning",
    "trade-off",
    "preference",
    "pitfall",
)
# Words that say why something is as it is, or what goes wrong with it.
_REASONS = (
    'because OR must OR never OR careful OR gotcha OR avoid OR beware OR otherwise OR instead OR workaround OR breaks OR "do not"'
)
_MOST_FILES = 3  # that a memory is linked to; of more it is about none in particular


def instructions(db: Connection, limit: int, but: int) -> list[FileNote]:
    """Returns texts that forbid something: a person's words in a session, except the one in row `but`, or written memories."""
    of_prompts = f"""
        SELECT {_OF_PASSAGE} FROM passage INDEXED BY passage_by_role
        WHERE role IN ('instruction', 'preference') AND role <> '' AND session <> ? ORDER BY created_at DESC, n DESC LIMIT ?
    """
    written = f"""
        SELECT {_OF_MEMORY} FROM memory_fts JOIN memory ON memory.n = memory_fts.rowid
        WHERE memory_fts MATCH ? AND memory.session = 0 ORDER BY memory_fts.rowid DESC LIMIT ?
    """
    return many(FileNote, [*rows(db, of_prompts, (but, limit)), *rows(db, written, (f"title : ({_PROHIBITIONS})", limit))])


def about_file(db: Connection, path: str, phrase: str, limit: int, but: int) -> list[FileNote]:
    """Returns what was decided or learnt about a file, the newest first: memories linked to it, passages that name it.

    `phrase`: the words of its name; `but`: the row of a session that knows what was said in it.
    """
    kinds = ", ".join([f"'{kind}'" for kind in _LASTING])
    linked = f"""
        SELECT {_OF_MEMORY}, 1 FROM memory_link JOIN memory ON memory.id = memory_link.from_id
        WHERE to_id = ?1 AND rel IN ('file', 'mention') AND forgotten = 0 AND memory.session = 0
          AND (SELECT count(*) FROM memory_link AS other WHERE other.from_id = memory.id AND other.rel = 'file') <= {_MOST_FILES}
          AND (kind IN ({kinds}) OR memory.n IN (SELECT rowid FROM memory_fts WHERE memory_fts MATCH ?2))
        ORDER BY memory.n DESC LIMIT ?3
    """
    of_prompts = f"""
        SELECT {_OF_PASSAGE}, 0 FROM passage_fts JOIN passage ON passage.n = passage_fts.rowid
        WHERE passage_fts MATCH ?1 AND role IN ('decision', 'dropped', 'lesson') AND passage.session <> ?3
        ORDER BY passage.n DESC LIMIT ?2
    """
    quoted = phrase.replace('"', "")
    notes = rows(db, linked, (path, f"title : ({_REASONS}) OR summary : ({_REASONS})", limit))
    notes += rows(db, of_prompts, (f'text : "{quoted}"', limit, but)) if quoted else []
    return sorted(many(FileNote, notes), key=lambda note: (-note.is_linked, -note.created_at))
