"""Copies of a memory that a person makes, and the way back to one: a copy is whole, and what it replaces is kept."""

from __future__ import annotations

import glob
import os
import shlex
import shutil
import tempfile
import time
from functools import partial
from typing import TYPE_CHECKING

from memcli import store, system
from memcli.errors import InvalidInput, MemError, NotFound
from memcli.maintenance import backup
from memcli.maintenance.diagnosis import SOUND, diagnose
from memcli.project import Location, Where, folder_of, is_stored, locate, open_for_writing
from memcli.records import Record
from memcli.store import backups, copies, elsewhere, explain, opening, oplog, salvage
from memcli.text.terminal import oneline

if TYPE_CHECKING:
    from memcli.store import Connection

_KEPT = 5  # copies beside a store
_COPIES = "memory-*.db"  # in a directory that a person names
_ATTEMPTS = 5  # at copying a store while other processes write to it


class Snapshot(Record):
    """A copy that was made: where, how large, what is in it, and which older copies went for it."""

    path: str
    bytes: int
    memories: int
    revision: int
    removed: tuple[str, ...] = ()


class RestoredMemory(Record):
    """What is stored after a restore, and the copy of what was stored before; "" where nothing was."""

    memories: int
    revision: int
    kept: str


def back_up(where: Where, path: str | None) -> Snapshot:
    """Copies a memory to a file, or a new one in a directory; without a path beside the store, of which the newest few stay.

    Whoever writes meanwhile need not wait. Raises NotFound, InvalidInput or MemError.
    """
    source = _store_of(locate(where), where)
    if not is_stored(os.path.dirname(source)):
        raise NotFound("nothing is stored here yet", 'start with: mem add "..." --summary "..."')
    target = _target(source, path)
    system.keep_private()
    try:
        backups.make(source, target)
        removed = [] if path else copies.prune(source, copies.BACKUP, _KEPT)
        if path and (copy := copies.examined(target)):
            elsewhere.note(source, copy.writer, target)
        return Snapshot(target, os.path.getsize(target), *_content(target, target), tuple(removed))
    except (store.Error, OSError) as error:
        raise explain(error) from None


def _store_of(location: Location, where: Where) -> str:
    return os.path.abspath(os.path.join(folder_of(location.repo_id or "", where.workspace), "memory.db"))


def _target(source: str, path: str | None) -> str:
    """Returns where a copy goes. Raises InvalidInput for a file that is there already, and where there is no directory."""
    stamp = f"{time.strftime('%Y%m%d-%H%M%S')}-{os.urandom(2).hex()}"
    target = f"{source}.{copies.BACKUP}-{stamp}" if path is None else os.path.abspath(os.path.expanduser(path))
    if os.path.isdir(target):
        target = os.path.join(target, _COPIES.replace("*", stamp))
    if os.path.lexists(target):
        raise InvalidInput(f"{target} exists", "name a new file, or a directory")
    if not os.path.isdir(os.path.dirname(target)):
        raise InvalidInput(f"no directory: {os.path.dirname(target)}", "make it first")
    return target


def _content(path: str, name: str) -> tuple[int, int]:
    """Returns how many memories a store has, and its revision. Raises MemError, which calls it `name`, where it is not sound."""
    diagnosis = diagnose(path, thorough=True)
    if diagnosis.condition != SOUND or diagnosis.counts is None:
        problem = diagnosis.problems[0] if diagnosis.problems else diagnosis.condition
        raise MemError(f"{name} is not a sound copy of a memory: {problem}", "use another one", "damaged")
    db = opening.open_reader(path)
    try:
        return diagnosis.counts.memories, oplog.revision(db)
    finally:
        db.close()


def restore(where: Where, path: str) -> RestoredMemory:
    """Makes a memory what a copy of it says, after copying what is stored now. Raises NotFound, InvalidInput or MemError.

    Killed at any moment, the memory is the old one or the new one.
    """
    source = os.path.abspath(os.path.expanduser(path))
    if os.path.isdir(source):
        newest = max(glob.glob(os.path.join(glob.escape(source), _COPIES)), key=os.path.getmtime, default="")
        hint = f"the newest copy in it: mem backup --restore {shlex.quote(newest)}" if newest else "give the path of a copy"
        raise InvalidInput(f"{oneline(path)[:200]} is a directory", hint)
    if not os.path.isfile(source):
        raise NotFound(f"no file {oneline(path)[:200]}", "give the path of a copy that mem backup made")
    location = locate(where)
    system.keep_private()
    try:
        with tempfile.TemporaryDirectory(prefix="mem-") as folder:
            aside = os.path.join(folder, "memory.db")
            for suffix in ("", "-wal"):
                if os.path.isfile(source + suffix):
                    shutil.copyfile(source + suffix, aside + suffix)
            db = _open(aside, source)
            try:
                _check_owner(db, location)
                _content(aside, source)
                restored = _replace(db, where)
                opening.lost.clear()
                return restored
            finally:
                db.close()
    except (store.Error, OSError) as error:
        raise explain(error) from None


def _open(aside: str, source: str) -> Connection:
    """Opens a private copy of what a person named as a store of this version. Raises MemError."""
    try:
        return backups.current(aside)
    except (MemError, store.Error) as error:
        problem = error if isinstance(error, MemError) else explain(error)
        if problem.code == "newer_schema":
            raise MemError(f"{source} was made by a newer mem", "upgrade memcli; nothing was changed", problem.code) from None
        raise MemError(f"{source} is not a copy of a memory", "nothing was changed; use another one", problem.code) from None


def _check_owner(db: Connection, location: Location) -> None:
    """Raises InvalidInput for a copy of another repository's memory; one without a memory takes any, as on a new machine."""
    owner, repo_id = store.meta(db, "repo_id"), location.repo_id
    is_stored = bool(repo_id) and os.path.lexists(os.path.join(folder_of(repo_id, None), "memory.db"))
    if owner != repo_id and is_stored:
        name = oneline(store.meta(db, "name") or "")
        raise InvalidInput(f"this is a copy of another memory: {name} ({owner})", f"restore it there: --repo {owner}", "foreign")


def _replace(db: Connection, where: Where) -> RestoredMemory:
    """Makes the memory's store, which is made first where there is none, what an open copy says."""
    location = locate(where)
    is_new = not os.path.lexists(_store_of(location, where))
    if is_new:
        open_for_writing(where).close()
        location = locate(where)
    path = _store_of(location, where)
    with store.transaction(db):
        if store.meta(db, "repo_id") != location.repo_id:  # two memories go on from here
            store.set_meta(db, "writer", os.urandom(8).hex())
        store.set_meta(db, "repo_id", str(location.repo_id))
        store.set_meta(db, "root", location.root or store.meta(db, "root") or "")
        store.set_meta(db, store.RESTORED, str(oplog.revision(db)))
    with backup.locked(os.path.dirname(path)):
        for _ in range(_ATTEMPTS):
            with backup.Original(path) as original:
                copy = original.copy(copies.BEFORE_RESTORE)
                if salvage.put_in_place(db, path, partial(original.equals, copy)):
                    copies.delete([os.path.join(os.path.dirname(path), "cache.db"), *[copy] * is_new])
                    copies.prune(path, copies.BEFORE_RESTORE, _KEPT)
                    return RestoredMemory(*_content(path, path), "" if is_new else copy)
    raise MemError("the store is busy: other processes keep writing to it", "stop them and try again", "busy")
