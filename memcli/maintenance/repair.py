"""Mending a store. The original is kept beside it, whatever is done; a sound store is not touched.

Killed at any moment, the store is as it was or mended: every change is one transaction of SQLite's. A newer store, another
program's file and a symbolic link are never written to.
"""

from __future__ import annotations

import os
from functools import partial

from memcli.errors import MemError, NotFound
from memcli.maintenance import backup, consistency
from memcli.maintenance.diagnosis import DAMAGED, OUT_OF_STEP, counted, diagnose
from memcli.project import DEFAULT_WORKSPACE, Place, Project, folder_of, locate, now
from memcli.store import checks, salvage, schema
from memcli.store import db as store
from memcli.store.db import transaction
from memcli.store.failures import explain
from memcli.store.salvage import Moved

TYPE_CHECKING = False
if TYPE_CHECKING:
    from memcli.maintenance.consistency import Mended
    from memcli.maintenance.diagnosis import Diagnosis
    from memcli.project import Where

NOT_MENDED = "not_mended"
_ATTEMPTS = 5  # at copying a damaged store to which others still write
_WHAT_STOPS_MENDING = (store.Error, ValueError, KeyError, TypeError, AttributeError)


def repair(where: Where) -> list[str]:
    """Mends what is wrong with a memory. Returns what was done, in plain words; nothing where nothing had to be done.

    Raises MemError where it could not be mended, InvalidInput or NotFound where `where` names nothing.
    """
    try:
        place = locate(where)
    except NotFound as problem:
        if problem.code != "no_repository" or where.repo:
            raise
        return []
    if not place.repo_id:
        return []
    folder = folder_of(place.repo_id, where.workspace)
    path = os.path.join(folder, "memory.db")
    if diagnose(path, thorough=True).condition not in (DAMAGED, OUT_OF_STEP) and not backup.leftovers(path):
        return []
    os.umask(0o077)
    try:
        with backup.locked(folder):
            return _mend(path, place, where.workspace or DEFAULT_WORKSPACE)
    except (store.Error, OSError) as error:
        raise explain(error) from None


def _mend(path: str, place: Place, workspace: str) -> list[str]:
    """Does what has to be done, under the lock; another repair may just have done it."""
    done = _tidy(path)
    found = diagnose(path, thorough=True)
    if found.condition == OUT_OF_STEP:
        try:
            return done + _bring_into_step(path, place, workspace, found)
        except (MemError, *_WHAT_STOPS_MENDING) as error:
            code = error.code if isinstance(error, MemError) else explain(error).code
            if code not in ("corrupt", "notadb", "store", NOT_MENDED):  # a lock or a full disk is no reason to go further
                raise
    if found.condition in (DAMAGED, OUT_OF_STEP):
        return done + _replace(path, place, workspace)
    return done


def _tidy(path: str) -> list[str]:
    found = backup.leftovers(path)
    for leftover in found:
        os.unlink(leftover)
    return (
        [f"removed {len(found)} unfinished {'file' if len(found) == 1 else 'files'} of a command that was killed"]
        if found
        else []
    )


def _bring_into_step(path: str, place: Place, workspace: str, found: Diagnosis) -> list[str]:
    """Writes indexes and rows again from what the log says, in one transaction, after the store was copied."""
    with backup.Original(path) as original:
        project = Project(place, workspace, os.path.dirname(path), store.open_writer(path))
        try:
            with transaction(project.db):
                kept = original.keep("before-repair")
                mended = consistency.mend(project)
                _demand_in_step(project)
        finally:
            project.close()
    return [*_told(mended), *(["rebuilt the text index"] if found.in_step is False else []), f"kept the store as it was: {kept}"]


def _told(mended: Mended) -> list[str]:
    said = []
    if mended.entered:
        said.append(
            f"entered {counted(mended.entered, 'memory or state', 'memories and states')} into the log again, from the tables"
        )
    if mended.refreshed:
        said.append(f"wrote {counted(mended.refreshed, 'row', 'rows')} again from the log")
    if mended.dropped:
        said.append(f"gave up {counted(mended.dropped, 'operation', 'operations')} of which the rest was lost")
    return said


def _demand_in_step(project: Project) -> None:
    """Proves the work before it is committed. Raises MemError."""
    wrong = checks.file_problems(project.db, thorough=True) + checks.indexes_out_of_step(project.db)
    if wrong:
        raise MemError(f"the store could not be mended: {wrong[0]}", "the original was not changed", NOT_MENDED)


def _replace(path: str, place: Place, workspace: str) -> list[str]:
    """Puts a new store with everything that can still be read in the place of a damaged one."""
    for _ in range(_ATTEMPTS):
        with backup.Original(path) as original:
            kept = original.keep("damaged")
            fresh = f"{path}.{os.getpid()}.{os.urandom(4).hex()}.new"
            try:
                moved, mended = _salvage(kept, fresh, place, workspace)
                new = store.open_reader(fresh)
                try:
                    if salvage.put_in_place(new, path, partial(original.is_same_as, kept)):
                        return _said(moved, mended, kept)
                finally:
                    new.close()
            finally:
                _remove(fresh)
    raise MemError("the store is busy: other processes keep writing to it", "stop them and try again", "busy")


def _salvage(kept: str, fresh: str, place: Place, workspace: str) -> tuple[Moved, Mended]:
    """Makes the store `fresh` of what the copy `kept` still holds, whole and in step."""
    about = {"writer": os.urandom(8).hex(), "name": place.name, "root": place.root, "created_at": str(now())}
    schema.create(fresh, about)
    project = Project(place, workspace, os.path.dirname(fresh), store.open_writer(fresh))
    try:
        with transaction(project.db):
            moved = salvage.fill(project.db, kept, consistency.usable)
            store.set_meta(project.db, "repo_id", str(place.repo_id))
            mended = consistency.mend(project, everything=True)
            _demand_in_step(project)
            held = checks.counts(project.db)
    finally:
        project.close()
    os.chmod(fresh, 0o600)
    return Moved(moved.operations, held.memories, held.chunks, moved.missing), mended


def _remove(fresh: str) -> None:
    for end in ("", "-wal", "-shm", "-journal"):
        if os.path.lexists(fresh + end):
            os.unlink(fresh + end)


def _said(saved: Moved, mended: Mended, kept: str) -> list[str]:
    if not (saved.operations or saved.memories or saved.chunks):
        return ["nothing could be read: started a new, empty store", f"kept the original: {kept}"]
    parts = (
        counted(saved.operations, "operation", "operations"),
        counted(saved.memories, "memory", "memories"),
        counted(saved.chunks, "chunk", "chunks"),
    )
    said = [f"made a new store of what could be read: {', '.join(parts)}"]
    if saved.missing:
        said.append(f"{counted(saved.missing, 'operation', 'operations')} could not be read")
    if mended.entered:
        said.append(
            f"entered {counted(mended.entered, 'memory or state', 'memories and states')} into the log again, from the tables"
        )
    if mended.dropped:
        said.append(f"gave up {counted(mended.dropped, 'operation', 'operations')} of which the rest was lost")
    return [*said, f"kept the original: {kept}"]
