"""All that is stored, of every type, in rows of one shape: what a person looks through without knowing where it is kept."""

from __future__ import annotations

from typing import TYPE_CHECKING

from memcli.records import Record, many
from memcli.store import rows
from memcli.text import json
from memcli.text.terminal import oneline

if TYPE_CHECKING:
    from collections.abc import Sequence

    from apsw import Connection

TYPES = ("memory", "prompt", "answer", "passage", "note", "profile", "state", "session", "chunk")


class StoredRow(Record):
    """One thing that is stored. `flag`: forgotten, superseded, or ""; `at` in ms since 1970; `session`: a row, 0 for none."""

    type: str
    id: str
    kind: str
    thread: str
    origin: str
    anchor: str | None
    superseded_by: str | None
    at: int
    session: int
    flag: str
    path: str
    tags: str


class StoredText(Record):
    """What one of them says: its title and its text."""

    type: str
    id: str
    title: str
    text: str


_FLAG = "CASE WHEN forgotten THEN 'forgotten' WHEN superseded_by IS NOT NULL THEN 'superseded' ELSE '' END"
_ACTOR = "coalesce((SELECT actor FROM op WHERE object = {}.id ORDER BY revision DESC LIMIT 1), '')"
_SUMMED = "coalesce((SELECT tags FROM memory WHERE id = {}), '')"  # tags of what a session came to, by the id of that
_ANSWERED = _SUMMED.format("(SELECT summary FROM session WHERE n = prompt.session)")
_LINE = 200  # characters
_SUMMARY = "(SELECT title FROM memory WHERE id = session.summary AND forgotten = 0)"
_FIRST = "(SELECT text FROM prompt WHERE session = session.n AND text <> '' ORDER BY number LIMIT 1)"
_UNNAMED = "'a session of ' || iif(harness = '', 'an agent', harness)"
_TITLE = f"coalesce({_SUMMARY}, {_FIRST}, {_UNNAMED})"
_TOPIC = f"coalesce({_FIRST}, {_SUMMARY}, {_UNNAMED})"
_OF_TREE = "(artifact = 0 OR EXISTS (SELECT 1 FROM tree_file WHERE tree = :tree AND tree_file.artifact = chunk.artifact))"
# type -> (the table and which of its rows, the columns of StoredRow without type and id, those of StoredText)
_SOURCES = {
    "memory": (
        "memory WHERE true",
        f"kind, thread, origin, anchor, superseded_by, created_at, session, {_FLAG}, '', tags",
        "title, summary",
    ),
    "prompt": ("prompt WHERE text <> ''", "'prompt', '', 'prompt', NULL, NULL, created_at, session, '', '', ''", "text, reply"),
    "answer": (
        "prompt WHERE reply <> ''",
        f"'answer', '', 'hook', NULL, NULL, created_at, session, '', '', {_ANSWERED}",
        "reply, text",
    ),
    "passage": (
        "passage WHERE role <> ''",
        "role, '', origin, anchor, superseded_by, created_at, session, iif(superseded_by IS NULL, '', 'superseded'), '', tags",
        "statement, text",
    ),
    "note": ("note WHERE true", f"'note', '', {_ACTOR.format('note')}, NULL, NULL, created_at, 0, '', '', ''", "text, day"),
    "profile": (
        "profile WHERE true",
        f"'profile', '', {_ACTOR.format('profile')}, NULL, NULL, updated_at, 0, '', '', ''",
        "key, value",
    ),
    "state": (
        "state WHERE true",
        f"'state', thread, {_ACTOR.format('state')}, NULL, NULL, created_at, 0, '', '', ''",
        "reason, body",
    ),
    "session": (
        "session WHERE true",
        f"harness, '', 'hook', NULL, NULL, started_at, n, '', '', {_SUMMED.format('session.summary')}",
        f"{_TITLE}, coalesce({_FIRST} || char(10),'') || key",
    ),
    "chunk": (
        f"chunk WHERE hidden = 0 AND {_OF_TREE}",
        "iif(kind = '', 'text', kind), thread, 'ingest', NULL, NULL, created_at, 0, '', path, ''",
        "path || ' ' || symbol, text",
    ),
}


def every(db: Connection, types: Sequence[str], tree: int | None) -> list[StoredRow]:
    """Returns all rows of some types, of each the latest first. `tree`: the working tree whose chunks count."""
    result: list[StoredRow] = []
    for name in types:
        table, columns, _ = _SOURCES[name]
        result += many(StoredRow, rows(db, f"SELECT '{name}', id, {columns} FROM {table}", _tree(name, tree)))[::-1]
    return result


def some(db: Connection, ids: dict[str, list[str]], tree: int | None) -> list[StoredRow]:
    """Returns the rows of some ids, by type, in no order. Passages are taken whether they state something or not."""
    result: list[StoredRow] = []
    for name, row_ids in ids.items():
        table, columns, _ = _SOURCES[name]
        sql = f"SELECT '{name}', id, {columns} FROM {_any_passage(table)} AND id IN (SELECT value FROM json_each(:ids))"
        result += many(StoredRow, rows(db, sql, {**_tree(name, tree), "ids": _listed(row_ids)}))
    return result


def texts(db: Connection, references: Sequence[tuple[str, str]], most: int) -> list[StoredText]:
    """Returns what some rows say, given by type and id, in no order; the text up to `most` characters."""
    result: list[StoredText] = []
    for name in dict.fromkeys([name for name, _ in references]):
        table, _, columns = _SOURCES[name]
        ids = _listed([row_id for of_type, row_id in references if of_type == name])
        title, text = columns.rsplit(", ", 1)
        source = _any_passage(table).replace(f" AND {_OF_TREE}", "")
        sql = f"SELECT '{name}', id, substr({title}, 1, 400), substr({text}, 1, :most) FROM {source}"
        result += many(StoredText, rows(db, f"{sql} AND id IN (SELECT value FROM json_each(:ids))", {"ids": ids, "most": most}))
    return result


def sessions_named(db: Connection, words: Sequence[str], limit: int) -> list[str]:
    """Returns the ids of sessions whose topic, outcome, id or key holds all of some lower-case words, the latest first."""
    text = f"lower({_TOPIC} || ' ' || coalesce({_SUMMARY}, '') || ' ' || id || ' ' || key || ' ' || harness)"
    conditions = " AND ".join([f"instr({text}, ?)" for _ in words]) or "false"
    return [name for (name,) in rows(db, f"SELECT id FROM session WHERE {conditions} ORDER BY n DESC LIMIT ?", (*words, limit))]


def files(db: Connection, ids: Sequence[str] | None = None) -> list[tuple[str, str]]:
    """Returns (memory, path) of the files that memories name, changed or read; of some memories, or of all."""
    rels = "rel IN ('file', 'mention', 'edited', 'read')"
    if ids is None:
        return rows(db, f"SELECT from_id, to_id FROM memory_link WHERE {rels} ORDER BY from_id, to_id")
    where = f"{rels} AND from_id IN (SELECT value FROM json_each(?))"
    return rows(db, f"SELECT from_id, to_id FROM memory_link WHERE {where} ORDER BY from_id, to_id", (_listed(ids),))


def session_names(db: Connection, numbers: Sequence[int]) -> dict[int, tuple[str, str, str]]:
    """Returns id, title and topic of sessions by their rows: what came of each, and what was asked first, on a line each.

    Where there is only one of these, it is both.
    """
    columns = f"n, id, substr({_TITLE}, 1, {_LINE}), substr({_TOPIC}, 1, {_LINE})"
    sql = f"SELECT {columns} FROM session WHERE n IN (SELECT value FROM json_each(?))"
    return {n: (name, oneline(title), oneline(topic)) for n, name, title, topic in rows(db, sql, (str(list(numbers)),))}


def _tree(name: str, tree: int | None) -> dict[str, int | None]:
    return {"tree": tree} if name == "chunk" else {}


def _any_passage(table: str) -> str:
    return table.replace("role <> ''", "true")


def _listed(ids: Sequence[str]) -> str:
    return json.dumps(list(ids))


def naming(db: Connection, path: str, limit: int = 20) -> list[tuple[str, str, str, int]]:
    """Returns (id, kind, title, ms since 1970) of the newest live memories that name a file."""
    sql = """
        SELECT id, kind, title, created_at FROM memory
        WHERE forgotten = 0 AND superseded_by IS NULL AND origin NOT IN ('hook', 'api')
          AND id IN (SELECT from_id FROM memory_link WHERE to_id = ? AND rel IN ('file', 'mention'))
        ORDER BY created_at DESC, n DESC LIMIT ?
    """
    return rows(db, sql, (path, limit))
