"""Everything that is stored, of every type, in rows of one shape, for browsing without knowing where it is stored."""

from __future__ import annotations

from operator import attrgetter
from typing import TYPE_CHECKING, Any

from memcli.records import Record, many
from memcli.store import rows
from memcli.store.memories import CLOSES
from memcli.text import json
from memcli.text.terminal import oneline

if TYPE_CHECKING:
    from collections.abc import Sequence

    from apsw import Connection

TYPES = ("memory", "prompt", "answer", "passage", "note", "profile", "state", "session", "chunk")


class StoredRow(Record):
    """One thing that is stored. `at` in ms since 1970; `session`: a row, 0 for none."""

    type: str
    id: str
    kind: str
    thread: str
    origin: str
    anchor: str | None
    superseded_by: str | None
    at: int
    session: int
    forgotten: int
    path: str


class StoredText(Record):
    """The text of a stored row: title, text, tags (one per line), and whether it reads like an order to a model."""

    type: str
    id: str
    title: str
    text: str
    tags: str
    suspicious: int


_ACTOR = "coalesce((SELECT actor FROM op WHERE object = {}.id ORDER BY revision DESC LIMIT 1), '')"
_SUSPICIOUS = "EXISTS (SELECT 1 FROM passage WHERE owner = {}.id AND suspicious)"
_SUMMARY_TAGS = "coalesce((SELECT tags FROM memory WHERE id = {}), '')"  # the tags of a summary, by its id
_NAMES_FILE = "rel IN ('file', 'mention', 'edited', 'read')"
_LINE = 200  # characters
_SUMMARY = "(SELECT title FROM memory WHERE id = session.summary AND forgotten = 0)"
_OF_SUMMARY = "coalesce((SELECT suspicious FROM memory WHERE id = session.summary), 0)"
_FIRST = "(SELECT text FROM prompt WHERE session = session.n AND text <> '' ORDER BY number LIMIT 1)"
_UNNAMED = "'a session of ' || iif(harness = '', 'an agent', harness)"
_TITLE = f"coalesce({_SUMMARY}, {_FIRST}, {_UNNAMED})"
_TOPIC = f"coalesce({_FIRST}, {_SUMMARY}, {_UNNAMED})"
_OF_TREE = "(artifact = 0 OR EXISTS (SELECT 1 FROM tree_file WHERE tree = :tree AND tree_file.artifact = chunk.artifact))"
# type -> (the table and which of its rows, the columns of StoredRow without type and id, those of StoredText without them)
_SOURCES = {
    "memory": (
        "memory WHERE true",
        ("kind", "thread", "origin", "anchor", "superseded_by", "created_at", "session", "forgotten", "''"),
        ("title", "summary", "tags", "suspicious"),
    ),
    "prompt": (
        "prompt WHERE text <> ''",
        ("'prompt'", "''", "'prompt'", "NULL", "NULL", "created_at", "session", "0", "''"),
        ("text", "reply", "''", _SUSPICIOUS.format("prompt")),
    ),
    "answer": (
        "prompt WHERE reply <> ''",
        ("'answer'", "''", "'hook'", "NULL", "NULL", "created_at", "session", "0", "''"),
        (
            "reply",
            "text",
            _SUMMARY_TAGS.format("(SELECT summary FROM session WHERE n = prompt.session)"),
            _SUSPICIOUS.format("prompt"),
        ),
    ),
    "passage": (
        "passage WHERE role <> ''",
        ("role", "''", "origin", "anchor", "superseded_by", "created_at", "session", "0", "''"),
        ("statement", "text", "tags", "suspicious"),
    ),
    "note": (
        "note WHERE true",
        ("'note'", "''", _ACTOR.format("note"), "NULL", "NULL", "created_at", "0", "0", "''"),
        ("text", "day", "''", _SUSPICIOUS.format("note")),
    ),
    "profile": (
        "profile WHERE true",
        ("'profile'", "''", _ACTOR.format("profile"), "NULL", "NULL", "updated_at", "0", "0", "''"),
        ("key", "value", "''", _SUSPICIOUS.format("profile")),
    ),
    "state": (
        "state WHERE true",
        ("'state'", "thread", _ACTOR.format("state"), "NULL", "NULL", "created_at", "0", "0", "''"),
        ("reason", "body", "''", _SUSPICIOUS.format("state")),
    ),
    "session": (
        "session WHERE true",
        ("harness", "''", "'hook'", "NULL", "NULL", "started_at", "n", "0", "''"),
        (_TITLE, f"coalesce({_FIRST} || char(10),'') || key", _SUMMARY_TAGS.format("session.summary"), _OF_SUMMARY),
    ),
    "chunk": (
        f"chunk WHERE hidden = 0 AND {_OF_TREE}",
        ("iif(kind = '', 'text', kind)", "thread", "'ingest'", "NULL", "NULL", "created_at", "0", "0", "path"),
        ("path || ' ' || symbol", "text", "''", "suspicious"),
    ),
}


_PLACES = {"note": "id", "profile": "id"}  # what tells rows of one moment apart, where they have no number
_CONDITIONS = {
    "kind": "kind = :kind",
    "origin": "origin = :origin",
    "thread": "thread = :thread AND thread <> ''",
    "file": f"(path = :file OR id IN (SELECT from_id FROM memory_link WHERE to_id = :file AND {_NAMES_FILE}))",
    "session": "session = (SELECT n FROM session WHERE id = :session)",
    "since": "at >= :since",
    "until": "at < :until",
}
CONDITIONS = tuple(_CONDITIONS)


def newest(
    db: Connection, types: Sequence[str], tree: int | None, conditions: dict[str, Any], limit: int | None = None
) -> list[StoredRow]:
    """Returns the rows of some types that fit conditions by their names in CONDITIONS, latest first.

    `tree`: the working tree whose chunks count; `session`: an id; `since` and `until` in ms since 1970.
    """
    result: list[StoredRow] = []
    for of_type in types:
        order = f"ORDER BY at DESC, place DESC LIMIT {-1 if limit is None else limit}"
        columns = ", ".join(StoredRow._fields)
        source, values = _fitting(of_type, tree, conditions)
        result += many(StoredRow, rows(db, f"SELECT {columns} FROM {source} {order}", values))
    return sorted(result, key=attrgetter("at"), reverse=True)[:limit]


def count(db: Connection, types: Sequence[str], tree: int | None, conditions: dict[str, Any]) -> int:
    """Returns how many rows `newest` would return without a limit."""
    sources = [_fitting(of_type, tree, conditions) for of_type in types]
    return sum([int(rows(db, f"SELECT count(*) FROM {source}", values)[0][0]) for source, values in sources])


def _fitting(of_type: str, tree: int | None, conditions: dict[str, Any]) -> tuple[str, dict[str, Any]]:
    """Returns the FROM clause, and its values, for the rows of a type that fit conditions."""
    table, columns, _ = _SOURCES[of_type]
    named = ", ".join([f"{column} AS {field}" for column, field in zip(columns, StoredRow._fields[2:])])
    place = _PLACES.get(of_type, "rowid")
    where = " AND ".join([_CONDITIONS[condition] for condition in conditions]) or "true"
    source = f"(SELECT '{of_type}' AS type, id, {named}, {place} AS place FROM {table}) WHERE {where}"
    return source, {**_tree(of_type, tree), **conditions}


def by_ids(db: Connection, ids: dict[str, list[str]], tree: int | None) -> list[StoredRow]:
    """Returns the rows of some ids, by type, unordered, including passages that state nothing."""
    result: list[StoredRow] = []
    for of_type, row_ids in ids.items():
        table, columns, _ = _SOURCES[of_type]
        sql = f"SELECT '{of_type}', id, {', '.join(columns)} FROM {_any_passage(table)}"
        result += many(
            StoredRow,
            rows(db, f"{sql} AND id IN (SELECT value FROM json_each(:ids))", {**_tree(of_type, tree), "ids": _json(row_ids)}),
        )
    return result


def texts(db: Connection, references: Sequence[tuple[str, str]], most: int) -> list[StoredText]:
    """Returns the texts of some rows, given by type and id, unordered, cut to `most` characters."""
    result: list[StoredText] = []
    for of_type in dict.fromkeys([of_type for of_type, _ in references]):
        table, _, (title, text, tags, suspicious) = _SOURCES[of_type]
        ids = _json([row_id for other, row_id in references if other == of_type])
        source = _any_passage(table).replace(f" AND {_OF_TREE}", "")
        sql = f"SELECT '{of_type}', id, substr({title}, 1, 400), substr({text}, 1, :most), {tags}, {suspicious} FROM {source}"
        result += many(StoredText, rows(db, f"{sql} AND id IN (SELECT value FROM json_each(:ids))", {"ids": ids, "most": most}))
    return result


def sessions_named(db: Connection, words: Sequence[str], limit: int) -> list[str]:
    """Returns the ids of sessions whose topic, outcome, id or key holds all of some lower-case words, latest first."""
    text = f"lower({_TOPIC} || ' ' || coalesce({_SUMMARY}, '') || ' ' || id || ' ' || key || ' ' || harness)"
    conditions = " AND ".join([f"instr({text}, ?)" for _ in words]) or "false"
    return [
        session_id
        for (session_id,) in rows(db, f"SELECT id FROM session WHERE {conditions} ORDER BY n DESC LIMIT ?", (*words, limit))
    ]


def files(db: Connection, ids: Sequence[str] | None = None) -> list[tuple[str, str]]:
    """Returns (memory, path) of the files that some or all memories name, changed or read."""
    if ids is None:
        return rows(db, f"SELECT from_id, to_id FROM memory_link WHERE {_NAMES_FILE} ORDER BY from_id, to_id")
    where = f"{_NAMES_FILE} AND from_id IN (SELECT value FROM json_each(?))"
    return rows(db, f"SELECT from_id, to_id FROM memory_link WHERE {where} ORDER BY from_id, to_id", (_json(ids),))


def session_names(db: Connection, numbers: Sequence[int]) -> dict[int, tuple[str, str, str]]:
    """Returns id, title and topic of sessions by their rows: the outcome and the first request, on one line each.

    If there is only one of these, it is used for both.
    """
    columns = f"n, id, substr({_TITLE}, 1, {_LINE}), substr({_TOPIC}, 1, {_LINE})"
    sql = f"SELECT {columns} FROM session WHERE n IN (SELECT value FROM json_each(?))"
    sessions = rows(db, sql, (str(list(numbers)),))
    return {n: (session_id, oneline(title), oneline(topic)) for n, session_id, title, topic in sessions}


def session_starts(db: Connection, numbers: Sequence[int]) -> dict[int, int]:
    """Returns when sessions began, in ms since 1970, by their rows."""
    return dict(rows(db, "SELECT n, started_at FROM session WHERE n IN (SELECT value FROM json_each(?))", (str(list(numbers)),)))


def _tree(of_type: str, tree: int | None) -> dict[str, int | None]:
    """Returns the value that the rows of a type need: only chunks are of a tree."""
    return {"tree": tree} if of_type == "chunk" else {}


def _any_passage(table: str) -> str:
    """Returns a source without the condition that a passage states something."""
    return table.replace("role <> ''", "true")


def _json(ids: Sequence[str]) -> str:
    return json.dumps(list(ids))


def closed(db: Connection, ids: Sequence[str]) -> dict[str, str]:
    """Returns, of some passages, the memory that closes each, where a memory does."""
    sql = """
        SELECT passage.id, superseded_by FROM passage
        JOIN memory_link ON from_id = superseded_by AND to_id = passage.id AND rel = ?
        WHERE passage.id IN (SELECT value FROM json_each(?))
    """
    return dict(rows(db, sql, (CLOSES, _json(ids)))) if ids else {}


def memories_naming(db: Connection, path: str, limit: int = 20) -> list[tuple[str, str, str, int]]:
    """Returns (id, kind, title, ms since 1970) of the newest live memories that name a file."""
    sql = """
        SELECT id, kind, title, created_at FROM memory
        WHERE forgotten = 0 AND superseded_by IS NULL AND origin NOT IN ('hook', 'api')
          AND id IN (SELECT from_id FROM memory_link WHERE to_id = ? AND rel IN ('file', 'mention'))
        ORDER BY created_at DESC, n DESC LIMIT ?
    """
    return rows(db, sql, (path, limit))
