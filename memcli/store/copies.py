"""Copies of a store: made beside it before it changes, made for a person, or left by a killed command."""

from __future__ import annotations

import os
import time
from collections.abc import Iterable

import apsw
from apsw import Connection

from memcli.errors import MemError
from memcli.records import Record
from memcli.store import elsewhere, uri
from memcli.text.files import sync_folder

_ABANDONED = 3600.0  # seconds after which no process is still writing an unfinished file
_BESIDE = ("", "-wal", "-shm", "-journal")
BACKUP, BEFORE_RESTORE, DAMAGED = "backup", "before-restore", "damaged"
_LABELS = ("schema", DAMAGED, "before-repair", BEFORE_RESTORE, BACKUP)
_SCHEMAS_KEPT = 3  # copies made before migrations


def write(db: Connection, to: str, number: int = 0) -> None:
    """Copies a consistent snapshot of a store, even while others use it, to a file that only its owner can read.

    The name appears once the disk has all of it; not at all where the copy has another schema than `number`, which somebody
    else made newer meanwhile. Raises MemError where it cannot be written, and what SQLite and the file system raise.
    """
    aside = f"{to}.{os.getpid()}.{os.urandom(4).hex()}.new"
    try:
        _copy_to(db, aside, to)
        os.chmod(aside, 0o600)
        if number and _schema(aside) != number:
            return
        with open(aside, "rb+") as file:
            os.fsync(file.fileno())
        os.replace(aside, to)
        sync_folder(os.path.dirname(to))
    finally:
        if os.path.exists(aside):
            os.unlink(aside)


def _copy_to(db: Connection, aside: str, to: str) -> None:
    try:
        db.execute("VACUUM INTO ?", (aside,)).fetchall()
    except apsw.CantOpenError:
        raise MemError(f"{to} cannot be written", "check its directory, or name another one", "os") from None


def _schema(path: str) -> int:
    copy = apsw.Connection(path, apsw.SQLITE_OPEN_READONLY)
    try:
        return int(copy.pragma("user_version"))
    finally:
        copy.close()


def before_migration(db: Connection, number: int, path: str) -> None:
    """Copies a store of schema `number` to `PATH.schema-N` unless an equal copy exists; keeps the newest few such copies."""
    version = "SELECT (SELECT value FROM meta WHERE key = 'writer'), (SELECT max(revision) FROM op)"
    to, attempt = f"{path}.schema-{number}", 1
    while os.path.lexists(to):
        copy = apsw.Connection(to, apsw.SQLITE_OPEN_READONLY)
        try:
            if copy.execute(version).fetchall() == db.execute(version).fetchall():
                return
        except apsw.Error:
            pass  # damaged since: it stays, and another one is made
        finally:
            copy.close()
        attempt += 1
        to = f"{path}.schema-{number}-{attempt}"
    write(db, to, number)
    prune(path, "schema", _SCHEMAS_KEPT)


def labelled(path: str, label: str) -> list[str]:
    """Returns the copies with a label, the newest first."""
    prefix = f"{os.path.basename(path)}.{label}-"
    return sorted([copy for copy in of(path) if os.path.basename(copy).startswith(prefix)], key=os.path.getmtime, reverse=True)


def prune(path: str, label: str, most: int) -> list[str]:
    """Deletes the oldest copies with a label, so that at most `most` are left. Returns the deleted paths."""
    oldest = labelled(path, label)[most:]
    delete(oldest)
    return oldest


def leftovers(path: str) -> list[str]:
    """Returns the unfinished files beside a store that a killed command left, ordered by path."""
    folder, name = os.path.split(path)
    paths = []
    for entry in os.scandir(folder) if os.path.isdir(folder) else ():
        unfinished = ".new" in entry.name[len(name) :]
        if entry.name.startswith(name + ".") and unfinished and entry.is_file(follow_symlinks=False):
            try:
                if time.time() - entry.stat(follow_symlinks=False).st_mtime > _ABANDONED:
                    paths.append(entry.path)
            except FileNotFoundError:
                continue
    return sorted(paths)


def of(path: str) -> list[str]:
    """Returns the complete copies of a store that are beside it, ordered by path, for whatever reason they were made."""
    folder, store = os.path.split(path)
    prefixes = tuple([f"{store}.{label}-" for label in _LABELS])
    names = os.listdir(folder) if os.path.isdir(folder) else []
    own = [name for name in names if name.startswith(prefixes) and ".new" not in name and not name.endswith(_BESIDE[1:])]
    return sorted([os.path.join(folder, name) for name in own])


class StoreCopy(Record):
    """What a copy of a store holds: memories, operations, and the name of the store that wrote them."""

    path: str
    made_at: int  # ms since 1970
    memories: int
    operations: int
    writer: str


def fullest(path: str) -> StoreCopy | None:
    """Returns the readable copy of a store, beside it or elsewhere, that has the most memories. None where there is none."""
    beside = [examined(copy) for copy in of(path) if f".{DAMAGED}-" not in copy]
    kept = [(writer, examined(copy)) for writer, copy in elsewhere.of(path)]  # by now, another store may have been copied there
    own = [copy for writer, copy in kept if copy is not None and copy.writer == writer]
    readable = [copy for copy in beside if copy is not None] + own
    return max(readable, key=lambda copy: (copy.memories, copy.made_at), default=None)


def examined(path: str) -> StoreCopy | None:
    """Returns what a copy holds. None where it cannot be read."""
    sql = """
        SELECT (SELECT count(*) FROM memory WHERE forgotten = 0), (SELECT count(*) FROM op),
               coalesce((SELECT value FROM meta WHERE key = 'writer'), '')
    """
    try:
        copy = apsw.Connection(f"{uri(path)}?mode=ro&immutable=1", apsw.SQLITE_OPEN_READONLY | apsw.SQLITE_OPEN_URI)
        try:
            ((memories, operations, writer),) = copy.execute(sql).fetchall()
            made_at = int(os.path.getmtime(path) * 1000)
            return StoreCopy(path, made_at, int(str(memories)), int(str(operations)), str(writer))
        finally:
            copy.close()
    except (apsw.Error, OSError):
        return None  # damaged since, or gone


def older(path: str, before: int) -> list[str]:
    """Returns the copies of a store that mem made of its own accord before a moment, in ms since 1970, and what is unfinished."""
    own = [copy for copy in of(path) if not os.path.basename(copy).startswith(f"{os.path.basename(path)}.{BACKUP}-")]
    return [copy for copy in own if os.lstat(copy).st_mtime * 1000 < before] + leftovers(path)


def delete(paths: Iterable[str]) -> None:
    """Deletes copies and their write-ahead logs."""
    for path in paths:
        for suffix in _BESIDE:
            if os.path.lexists(path + suffix):
                os.unlink(path + suffix)
