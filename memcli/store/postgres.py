"""The log of shared memories in PostgreSQL: one table of operations for all repositories, and how often each was purged.

Whoever appends holds a lock for the repository until the commit, so that the numbers of its operations become visible in their
order: a reader that goes on behind the last number it saw misses none.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

import psycopg

from memcli.errors import MemError

_PAGE = 5_000  # operations of one question
_PAGE_BYTES = 16 << 20  # of their lines; one that is longer than any may be comes without its text
_NAME = 64  # characters of an id or a writer: one that is longer is none
_ERRORS = (psycopg.errors.UndefinedTable, psycopg.errors.InsufficientPrivilege)
_SCHEMA = """
CREATE TABLE IF NOT EXISTS mem_op (
  repo   text NOT NULL,
  seq    bigint GENERATED ALWAYS AS IDENTITY,
  id     text NOT NULL,
  hlc_ms bigint NOT NULL,
  hlc_n  bigint NOT NULL,
  writer text NOT NULL,
  kind   text NOT NULL,
  object text NOT NULL,
  body   jsonb NOT NULL,
  actor  text NOT NULL,
  line   text NOT NULL,
  at     timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (repo, seq),
  UNIQUE (repo, id)
);
CREATE INDEX IF NOT EXISTS mem_op_object ON mem_op(repo, object);
CREATE TABLE IF NOT EXISTS mem_epoch (
  repo   text PRIMARY KEY,
  n      integer NOT NULL,
  purged text[] NOT NULL
);
"""
_HISTORY = """
CREATE TABLE IF NOT EXISTS mem_history (
  repo  text NOT NULL,
  roots text[] NOT NULL,
  PRIMARY KEY (repo, roots)
)
"""
_LOCK = "SELECT pg_advisory_xact_lock(hashtextextended('mem ' || %s, 0))"
_INSERT = """
INSERT INTO mem_op(repo, id, hlc_ms, hlc_n, writer, kind, object, body, actor, line)
SELECT %s, v->>'id', (v->'hlc'->>0)::bigint, (v->'hlc'->>1)::bigint, v->>'w', v->>'k', v->>'o', v->'b', v->>'actor', line
FROM (SELECT line, line::jsonb AS v FROM unnest(%s::text[]) WITH ORDINALITY AS given(line, place) ORDER BY place) AS parsed
ON CONFLICT (repo, id) DO NOTHING
"""

Connection = psycopg.Connection[Any]


def connect(address: str, seconds: float) -> Connection:
    """Opens a database and makes the tables where they are missing. Raises MemError where it cannot be reached or refuses."""
    try:
        db: Connection = psycopg.connect(address, connect_timeout=max(1, int(seconds)), application_name="mem", autocommit=True)
        db.execute("SELECT set_config('statement_timeout', %s, false)", (str(int(seconds * 1000)),))
        if not db.execute("SELECT to_regclass('mem_epoch')").fetchone()[0]:  # type: ignore[index]
            with db.transaction():
                db.execute("SELECT pg_advisory_xact_lock(hashtextextended('mem', 0))")
                db.execute(_SCHEMA)
        _make_history(db)
        return db
    except psycopg.Error as problem:
        raise failure(problem) from None


def _make_history(db: Connection) -> None:
    """Makes the table of histories, which a database of an earlier version lacks; there only the tables' owner may."""
    if db.execute("SELECT to_regclass('mem_history')").fetchone()[0]:  # type: ignore[index]
        return
    try:
        db.execute(_HISTORY)
    except (psycopg.errors.InsufficientPrivilege, psycopg.errors.UniqueViolation):
        pass  # the second: another made it at the same moment


def failure(problem: psycopg.Error) -> MemError:
    """Returns the error to show for one of the database."""
    reason = str(problem).strip().splitlines()[0] if str(problem).strip() else type(problem).__name__
    return MemError(
        f"the database: {reason[:300]}", "nothing is lost; check that psql reaches it with the same address", "remote_failed"
    )


def epoch(db: Connection, repo: str, most: int) -> tuple[int, list[str], int]:
    """Returns how often a repository's log was purged, of what, and how many ids the database names.

    `most`: ids that are read. Whoever may write to the table can put anything there.
    """
    row = db.execute(
        """
        SELECT n::bigint, ARRAY(SELECT name FROM unnest(purged[1:%s]) AS name WHERE octet_length(name) <= %s), cardinality(purged)
        FROM mem_epoch WHERE repo = %s
        """,
        (most, _NAME, repo),
    ).fetchone()
    return (row[0] or 0, list(row[1]), row[2] or 0) if row else (0, [], 0)


def histories(db: Connection, repo: str, most: int) -> list[list[str]]:
    """Returns the first commits of each history that shares under a name; none where the table is missing, or may not be read.

    `most`: histories, and commits of each.
    """
    sql = """
        SELECT ARRAY(SELECT name FROM unnest(roots[1:%s]) AS name WHERE octet_length(name) <= %s)
        FROM (SELECT roots FROM mem_history WHERE repo = %s ORDER BY roots LIMIT %s) AS given
    """
    try:
        rows = db.execute(sql, (most, _NAME, repo, most)).fetchall()
    except _ERRORS:
        return []
    return [roots for (roots,) in rows]


def note_history(db: Connection, repo: str, roots: Sequence[str]) -> None:
    """Notes the first commits of a history that shares under a name, where the table is there and may be written."""
    try:
        db.execute("INSERT INTO mem_history(repo, roots) VALUES (%s, %s) ON CONFLICT DO NOTHING", (repo, list(roots)))
    except _ERRORS:
        pass


def append(db: Connection, repo: str, lines: Sequence[str], number: int) -> bool:
    """Appends operations, each once, all or none. Returns False where the log was purged since the epoch of this number."""
    with db.transaction():
        db.execute(_LOCK, (repo,))
        if epoch(db, repo, 0)[0] != number:
            return False
        db.execute(_INSERT, (repo, list(lines)))
    return True


def has(db: Connection, repo: str, sequence: int, name: str) -> bool:
    """Tells whether the operation of a number is the one of this id."""
    return (
        db.execute("SELECT 1 FROM mem_op WHERE repo = %s AND seq = %s AND id = %s", (repo, sequence, name)).fetchone() is not None
    )


def after(db: Connection, repo: str, sequence: int, longest: int) -> Iterator[list[tuple[int, str, str, str | None]]]:
    """Yields pages of (number, id, writer, line) of the operations behind a number, in their order.

    None in the place of a line of more than `longest` bytes.
    """
    sql = """
        SELECT seq, name, writer, CASE WHEN size <= %(longest)s THEN line END FROM (
          SELECT *, sum(least(size, %(longest)s)) OVER (ORDER BY seq) AS total FROM (
            SELECT seq, left(id, %(name)s) AS name, left(writer, %(name)s) AS writer, line, octet_length(line) AS size
            FROM mem_op WHERE repo = %(repo)s AND seq > %(after)s ORDER BY seq LIMIT %(page)s
          ) AS next
        ) AS summed WHERE total <= %(bytes)s ORDER BY seq
    """
    values = {"longest": longest, "name": _NAME, "repo": repo, "page": _PAGE, "bytes": max(_PAGE_BYTES, longest)}
    while page := db.execute(sql, values | {"after": sequence}).fetchall():
        yield page
        sequence = page[-1][0]


def purge(db: Connection, repo: str, number: int, objects: Iterable[str]) -> None:
    """Deletes operations, given by their ids or by those of their objects, and notes the epoch."""
    names = list(objects)
    with db.transaction():
        db.execute(_LOCK, (repo,))
        db.execute("DELETE FROM mem_op WHERE repo = %s AND (object = ANY(%s) OR id = ANY(%s))", (repo, names, names))
        db.execute(
            """
            INSERT INTO mem_epoch(repo, n, purged) VALUES (%s, %s, %s)
            ON CONFLICT (repo) DO UPDATE SET
              n = greatest(least(mem_epoch.n, 2147483646) + 1, excluded.n),
              purged = ARRAY(SELECT DISTINCT name FROM unnest(mem_epoch.purged || excluded.purged) AS name)
            """,
            (repo, number, names),
        )
