"""Reading the databases of other programs, without changing them."""

from __future__ import annotations

import os
import shutil
import stat
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import apsw

from memcli.errors import InvalidInput, NotFound
from memcli.store import APPLICATION_ID, immutable, rows
from memcli.text import bounded, json

if TYPE_CHECKING:
    from apsw import Connection

_PATIENCE_MS = 2_000  # waiting for a lock
_HEADER = 100  # bytes of a database's header
_MAGIC = b"SQLite format 3\0"
_VERSIONS = slice(18, 20)  # of the header: 2 means that there may be a write-ahead log
_LARGEST = 4 << 30  # bytes of a database
_LONGEST = 16 << 20  # bytes of one value
_MOST_ROWS = 1_000_000  # of a table
_MOST_TEXT = 1 << 29  # characters of a table
_SECONDS = 300.0  # for all that is asked of one database: a hostile one can make a query go on for ever
_STEPS = 100_000  # of SQLite's machine between two looks at the clock
_LOGS = ("-wal", "-journal")  # beside a database, where its name has these endings
_FILES = ("", *_LOGS)
_COPIES = 5  # attempts at a copy while another program writes


def is_database(path: str) -> bool:
    """Tells whether a file is an SQLite database, by its first bytes."""
    return _header(path).startswith(_MAGIC)


def tables(path: str) -> frozenset[str]:
    """Returns the names of a database's tables; `mem` among them where it is a store of our own. Raises InvalidInput."""
    with _opened(path) as db:
        names = [name for (name,) in _rows(db, path, "SELECT name FROM sqlite_schema WHERE type = 'table'")]
        application = _rows(db, path, "PRAGMA application_id")
    return frozenset([*names, *(["mem"] if application == [(APPLICATION_ID,)] else [])])


def records(path: str, tables: dict[str, str]) -> dict[str, list[dict[str, Any]]]:
    """Returns the rows of some tables, in order. `tables`: by name, the columns to read, separated by spaces.

    All are of one moment. A column that a table lacks is None, a table that is missing has no rows; bytes of a text that are no
    characters come as U+FFFD. Raises InvalidInput.
    """
    with _opened(path) as db:
        return {table: _records(db, path, table, columns.split()) for table, columns in tables.items()}


def _records(db: Connection, path: str, table: str, columns: Sequence[str]) -> list[dict[str, Any]]:
    """Returns the rows of one table, as `records` does."""
    declared = _rows(db, path, "SELECT sql FROM sqlite_schema WHERE type = 'table' AND name = ?", (table,))
    if not declared:
        return []
    if str(declared[0][0]).upper().startswith("CREATE VIRTUAL"):
        raise InvalidInput(f"{path} is not a database of that program: {table} is a virtual table", "give the original file")
    present = {name for (name,) in _rows(db, path, "SELECT name FROM pragma_table_info(?)", (table,))}
    names = [_quoted(name) if name in present else "NULL" for name in columns]
    order = "rowid" if "WITHOUT ROWID" not in str(declared[0][0]).upper() else "1"
    rest = f"FROM {_quoted(table)} ORDER BY {order} LIMIT {_MOST_ROWS + 1}"
    try:
        result = _within_limits(_each(db, path, f"SELECT {', '.join(names)} {rest}"), table, path)
    except UnicodeDecodeError:
        result = _within_limits(_decoded(db, path, names, rest), table, path)
    return [dict(zip(columns, row)) for row in result]


def _within_limits(rows: Iterator[Sequence[Any]], table: str, path: str) -> list[Sequence[Any]]:
    """Returns all rows of a table. Raises InvalidInput where they are too many or too large."""
    size, result = 0, []
    for row in rows:
        size += sum([len(value) for value in row if isinstance(value, (str, bytes))])
        result.append(row)
        if len(result) > _MOST_ROWS or size > _MOST_TEXT:
            raise InvalidInput(f"{table} in {path} holds more than can be imported", f"the limit is {_MOST_ROWS:,} rows")
    return result


def _decoded(db: Connection, path: str, names: Sequence[str], rest: str) -> Iterator[Sequence[Any]]:
    """Yields the rows of a table of which not all texts are in its database's encoding, without blobs."""
    encoding = str(_rows(db, path, "PRAGMA encoding")[0][0])
    cases = [f"CASE typeof({name}) WHEN 'text' THEN CAST({name} AS BLOB) WHEN 'blob' THEN NULL ELSE {name} END" for name in names]
    for row in _each(db, path, f"SELECT {', '.join(cases)} {rest}"):
        yield [value.decode(encoding, "replace") if isinstance(value, bytes) else value for value in row]


def _quoted(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'


def _rows(db: Connection, path: str, sql: str, values: Sequence[Any] = ()) -> list[Any]:
    try:
        return list(_each(db, path, sql, values))
    except UnicodeDecodeError as error:
        raise InvalidInput(f"{path} cannot be read: {error}", "check it with its own program") from None


def _each(db: Connection, path: str, sql: str, values: Sequence[Any] = ()) -> Iterator[Any]:
    """Yields rows. Raises InvalidInput, UnicodeDecodeError."""
    try:
        yield from db.execute(sql, values)
    except apsw.InterruptError:
        raise InvalidInput(f"{path} takes too long to read", "check it with its own program") from None
    except apsw.Error as error:
        raise InvalidInput(f"{path} cannot be read: {error}", "check it with its own program") from None


@contextmanager
def _opened(path: str) -> Iterator[Connection]:
    """Opens a database of another program without changing any file beside it. Raises NotFound or InvalidInput."""
    header = _header(path)
    if not header.startswith(_MAGIC):
        raise InvalidInput(f"{path} is not an SQLite database", "give the program's own file")
    if os.stat(path).st_size > _LARGEST:
        raise InvalidInput(f"{path} has more than {_LARGEST >> 30} GiB", "import a part of it")
    with tempfile.TemporaryDirectory(prefix="mem-") as folder:
        try:
            db = _connected(path, folder, header)
        except apsw.Error as error:
            raise InvalidInput(f"{path} cannot be opened: {error}", "check it with its own program") from None
        try:
            _guard(db)
            yield db
        finally:
            db.close()


def _connected(path: str, folder: str, header: bytes) -> Connection:
    """Returns a connection: to a copy where a log stands beside the file, since reading it in place would change files there."""
    if any(_size(path + ending) for ending in _LOGS):
        return apsw.Connection(_copied(path, folder))
    return immutable(path) if header[_VERSIONS] == b"\2\2" else _open(path)


def _copied(path: str, folder: str) -> str:
    """Copies a database and its logs, all of one moment. Returns the copy's path. Raises InvalidInput."""
    target = os.path.join(folder, "copy.db")
    for _ in range(_COPIES):
        before = _stamps(path)
        for ending in _FILES:
            if os.path.lexists(path + ending):
                with open(bounded.open_regular(path + ending), "rb") as source, open(target + ending, "wb") as copy:
                    shutil.copyfileobj(source, copy, 1 << 20)
        if _stamps(path) == before:
            return target
        for ending in _FILES:
            if os.path.exists(target + ending):
                os.unlink(target + ending)
    raise InvalidInput(f"{path} is being written to", "stop the program that writes it, and try again")


def _stamps(path: str) -> list[tuple[int, int] | None]:
    """Returns (mtime in ns, size) of a database and of its logs, None for a file that is not there."""
    return [_stamp(path + ending) for ending in _FILES]


def _stamp(path: str) -> tuple[int, int] | None:
    try:
        status = os.lstat(path)
    except OSError:
        return None
    return (status.st_mtime_ns, status.st_size)


def _size(path: str) -> int:
    """Returns the bytes of a regular file, 0 for anything else."""
    try:
        status = os.lstat(path)
    except OSError:
        return 0
    return status.st_size if stat.S_ISREG(status.st_mode) else 0


def _guard(db: Connection) -> None:
    """Restricts a hostile database to being read: no functions from its schema, no endless query, no huge value."""
    deadline = time.monotonic() + _SECONDS
    db.set_progress_handler(lambda: time.monotonic() > deadline, _STEPS)
    db.limit(apsw.SQLITE_LIMIT_LENGTH, _LONGEST)
    rows(db, "PRAGMA trusted_schema = OFF; PRAGMA cell_size_check = ON; PRAGMA query_only = ON")


def _header(path: str) -> bytes:
    """Returns the first bytes of a file. Raises NotFound, InvalidInput."""
    try:
        file = bounded.open_regular(path)
    except FileNotFoundError:
        raise NotFound(f"no file {path}", "check the path") from None
    except OSError as problem:
        raise InvalidInput(f"{path} cannot be read: {(problem.strerror or '').lower()}", "give a regular file") from None
    try:
        return bounded.first(file, _HEADER)
    finally:
        os.close(file)


def _open(path: str) -> Connection:
    db = apsw.Connection(path, flags=apsw.SQLITE_OPEN_READONLY)
    db.set_busy_timeout(_PATIENCE_MS)
    return db


def opencode_sessions(path: str) -> list[tuple[str, dict[str, Any]]]:
    """Returns (id, {directory, parentID}) of the sessions of OpenCode, oldest first; none where this is not its database."""
    try:
        db = _open(path)
    except apsw.Error:
        return []
    try:
        sessions = rows(db, "SELECT id, directory, parent_id FROM session ORDER BY time_created, id")
    except apsw.Error:
        return []
    finally:
        db.close()
    return [(str(session_id), {"directory": directory, "parentID": parent}) for session_id, directory, parent in sessions]


def opencode_messages(path: str, session: str) -> Iterator[tuple[str | None, list[str | None]]]:
    """Yields (message, its parts) of a session in order, each as JSON, with its id."""
    try:
        db = _open(path)
    except apsw.Error:
        return
    try:
        messages = rows(db, "SELECT id, data FROM message WHERE session_id = ? ORDER BY time_created, id", (session,))
        for message_id, data in messages:
            parts = rows(db, "SELECT data FROM part WHERE message_id = ? ORDER BY id", (message_id,))
            yield _with_id(message_id, data), [part if isinstance(part, str) else None for (part,) in parts]
    except apsw.Error:
        return
    finally:
        db.close()


def _with_id(message_id: Any, data: Any) -> str | None:
    """Returns a message with its id in it, as OpenCode writes it everywhere else; None for what is no message."""
    try:
        value = json.loads(data) if isinstance(data, str) else None
    except json.Malformed:
        return None
    return json.dumps({**value, "id": message_id}) if isinstance(value, dict) else None
