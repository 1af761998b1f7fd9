"""Repairs a store. The original is always kept beside it; a sound store is not touched.

Killed at any moment, the store is either as it was or repaired: every change is one SQLite transaction. A newer store, another
program's file and a symbolic link are never written to.
"""

from __future__ import annotations

import os
import shlex
from functools import partial

from memcli import store, system
from memcli.errors import MemError, NotFound
from memcli.maintenance import backup, consistency
from memcli.maintenance.consistency import UNREADABLE, Reconciled
from memcli.maintenance.diagnosis import DAMAGED, OUT_OF_SYNC, Diagnosis, counted, diagnose
from memcli.project import DEFAULT_WORKSPACE, Location, Project, Where, folder_of, locate, now, project_of
from memcli.store import copies, explain, integrity, opening, salvage, transaction
from memcli.store.copies import StoreCopy
from memcli.store.salvage import Salvaged
from memcli.text import dates

NOT_REPAIRED = "not_repaired"
_ATTEMPTS = 5  # at copying a damaged store while other processes still write to it


def repair(where: Where) -> list[str]:
    """Repairs what is wrong with a memory. Returns the actions taken, one line each; none if it was sound.

    Raises MemError if it could not be repaired, InvalidInput or NotFound if `where` names nothing.
    """
    try:
        repository = locate(where)
    except NotFound as error:
        if error.code != "no_repository" or where.repo:
            raise
        return []
    if not repository.repo_id:
        return []
    folder = folder_of(repository.repo_id, where.workspace)
    path = os.path.join(folder, "memory.db")
    if diagnose(path, thorough=True).condition not in (DAMAGED, OUT_OF_SYNC) and not copies.leftovers(path):
        return []
    system.keep_private()
    try:
        with backup.locked(folder):
            return _repair(path, repository, where.workspace or DEFAULT_WORKSPACE)
    except (store.Error, OSError) as error:
        raise explain(error) from None


def _repair(path: str, repository: Location, workspace: str) -> list[str]:
    """Repairs under the lock. The store is diagnosed again, since another repair may just have finished."""
    actions = _delete_leftovers(path)
    diagnosis = diagnose(path, thorough=True)
    if diagnosis.condition == OUT_OF_SYNC:
        try:
            return actions + _reconcile(path, repository, workspace, diagnosis)
        except (MemError, store.Error, *UNREADABLE) as error:
            code = error.code if isinstance(error, MemError) else explain(error).code
            if code not in ("corrupt", "notadb", "store", NOT_REPAIRED):  # a lock or a full disk does not justify a new store
                raise
    if diagnosis.condition in (DAMAGED, OUT_OF_SYNC):
        return actions + _replace(path, repository, workspace)
    return actions


def _delete_leftovers(path: str) -> list[str]:
    leftovers = copies.leftovers(path)
    for leftover in leftovers:
        os.unlink(leftover)
    count = counted(len(leftovers), "unfinished file", "unfinished files")
    return [f"removed {count} of a killed command"] if leftovers else []


def _reconcile(path: str, repository: Location, workspace: str, diagnosis: Diagnosis) -> list[str]:
    """Rewrites indexes and rows from the log in one transaction, after copying the store."""
    with backup.Original(path) as original:
        project = project_of(repository, workspace, os.path.dirname(path), opening.open_writer(path))
        try:
            with transaction(project.db):
                copy = original.copy("before-repair")
                reconciled = consistency.reconcile(project)
                _verify(project)
        finally:
            project.close()
    actions = _describe_restored(reconciled)
    if reconciled.refreshed:
        actions.append(f"rewrote {counted(reconciled.refreshed, 'row', 'rows')} from the log")
    if diagnosis.index_in_sync is False:
        actions.append("rebuilt the text index")
    return [*actions, f"kept the original: {copy}"]


def _describe_restored(reconciled: Reconciled) -> list[str]:
    actions = []
    if reconciled.restored:
        actions.append(f"restored {counted(reconciled.restored, 'object', 'objects')} in the log from the tables")
    if reconciled.dropped:
        actions.append(f"dropped {counted(reconciled.dropped, 'incomplete operation', 'incomplete operations')} from the log")
    return actions


def _verify(project: Project) -> None:
    """Checks the result before it is committed. Raises MemError."""
    problems = integrity.file_problems(project.db, thorough=True) + integrity.indexes_out_of_step(project.db)
    if problems:
        raise MemError(f"the store could not be repaired: {problems[0]}", "the original was not changed", NOT_REPAIRED)


def _replace(path: str, repository: Location, workspace: str) -> list[str]:
    """Replaces a damaged store by a new one with everything that is still readable."""
    for _ in range(_ATTEMPTS):
        with backup.Original(path) as original:
            copy = original.copy("damaged")
            new_path = f"{path}.{os.getpid()}.{os.urandom(4).hex()}.new"
            try:
                fullest = copies.fullest(path)
                salvaged, reconciled = _salvage(copy, new_path, repository, workspace, fullest)
                db = opening.open_reader(new_path)
                try:
                    # The damaged store may have been written meanwhile: then copy and salvage it again.
                    if salvage.put_in_place(db, path, partial(original.equals, copy)):
                        actions = [
                            *_describe_salvaged(salvaged, reconciled),
                            *_describe_restored(reconciled),
                            f"kept the original: {copy}",
                        ]
                        return actions + _copy_with_more(salvaged, fullest)
                finally:
                    db.close()
            finally:
                _delete_store(new_path)
    raise MemError("the store is busy: other processes keep writing to it", "stop them and try again", "busy")


def _salvage(
    copy: str, new_path: str, repository: Location, workspace: str, fullest: StoreCopy | None
) -> tuple[Salvaged, Reconciled]:
    """Creates a consistent store at `new_path` from everything readable in `copy`. `fullest`: the copy that has the most."""
    meta = {"writer": os.urandom(8).hex(), "name": repository.name, "root": repository.root, "created_at": str(now())}
    opening.create_store(new_path, meta)
    project = project_of(repository, workspace, os.path.dirname(new_path), opening.open_writer(new_path))
    try:
        with transaction(project.db):
            salvaged = salvage.copy_readable(project.db, copy, consistency.is_readable)
            store.set_meta(project.db, "repo_id", str(repository.repo_id))
            if missing := _missing(salvaged, fullest):
                store.set_meta(project.db, store.LOST_IN_REPAIR, f"{missing} {now()}")
            reconciled = consistency.reconcile(project, everything=True)
            _verify(project)
            counts = integrity.counts(project.db)
    finally:
        project.close()
    os.chmod(new_path, 0o600)
    found = Salvaged(salvaged.operations, counts.memories, counts.chunks, _missing(salvaged, fullest), salvaged.cut_off)
    return found, reconciled


def _missing(salvaged: Salvaged, fullest: StoreCopy | None) -> int:
    """Returns about how many operations are missing: as far as the damaged file mentions them, or a copy has more."""
    return max(salvaged.missing, fullest.operations - salvaged.operations if fullest else 0)


def _delete_store(path: str) -> None:
    for suffix in ("", "-wal", "-shm", "-journal"):
        if os.path.lexists(path + suffix):
            os.unlink(path + suffix)


def _is_empty(salvaged: Salvaged) -> bool:
    return not (salvaged.operations or salvaged.memories or salvaged.chunks)


def _copy_with_more(salvaged: Salvaged, fullest: StoreCopy | None) -> list[str]:
    """Names the copy that has the most, where not everything was readable."""
    if fullest is None or not (salvaged.missing or _is_empty(salvaged)):
        return []
    has = f"the copy of {dates.iso(fullest.made_at)[:10]} has {counted(fullest.memories, 'memory', 'memories')}"
    return [f"{has}, and may hold what is missing: mem backup --restore {shlex.quote(fullest.path)}"]


def _describe_salvaged(salvaged: Salvaged, reconciled: Reconciled) -> list[str]:
    if _is_empty(salvaged) and not reconciled.restored:
        return ["nothing was readable; created a new, empty store"]
    counts = (
        counted(salvaged.operations, "operation", "operations"),
        counted(salvaged.memories, "memory", "memories"),
        counted(salvaged.chunks, "chunk", "chunks"),
    )
    actions = [f"created a new store from what was readable: {', '.join(counts)}"]
    if salvaged.missing:
        actions.append(f"about {counted(salvaged.missing, 'operation is', 'operations are')} missing: not readable, or cut off")
    if salvaged.cut_off:
        actions.append(f"the file ended too early: {counted(salvaged.cut_off, 'page', 'pages')} of it were cut off")
    return actions
