"""Erasing: removes the text of one object (`KINDS`) from everything that mem stores, for good.

The log keeps the operations, without their content. Copies of the store that a migration or a repair made beside it contain the
same text and are deleted. What has left the data directory (exports, backups, other clones' stores) is out of reach.
"""

from __future__ import annotations

import os
from collections.abc import Sequence

from memcli.errors import InvalidInput, NotFound
from memcli.memory import MIN_PREFIX
from memcli.memory.commit import commit
from memcli.memory.items import KINDS
from memcli.project import Project
from memcli.records import Record
from memcli.screening import mask
from memcli.store import chunks, copies, erasing, replication
from memcli.store.oplog import Change
from memcli.text import ids
from memcli.text.terminal import oneline

_READERS_WAIT_MS = 2_000  # for other processes to stop reading


class Erased(Record):
    """What was erased: the object, everything erased with it, the deleted files, and whether the store's own file is clean.

    It is not while another process reads the old content; the next command that writes finishes it. `shared`: other stores have
    the text, too.
    """

    id: str
    kind: str
    objects: tuple[str, ...]
    removed: tuple[str, ...]
    finished: bool
    shared: bool


def erase(project: Project, object_ids: Sequence[str], actor: str, purged: bool = False) -> list[Erased]:
    """Removes the text of objects for good, of all or none. For one that is already erased, only the files are cleaned again.

    Stores that have an object, too, are told to forget it; unless it is `purged`, which has them erase it as well.
    """
    erased: dict[str, list[str]] = {object_id: [object_id] for object_id in object_ids}
    shared = set() if purged else replication.ever_shared(project.db)

    def decide() -> list[Change]:
        logged = [name for name in object_ids if not name.startswith("C-") and not erasing.is_erased(project.db, name)]
        for object_id in logged:
            erased[object_id] += [name for name in _objects_of_session(project, object_id) if name not in erased]
        names = list(dict.fromkeys([name for object_id in logged for name in erased[object_id]]))
        # What the objects replaced and the threads they name are read before their operations are emptied.
        changes = [change for name in names for change in _unsuperseded(project, name)]
        threads = _secret_threads(project, names)
        erasing.blank(project.db, list(dict.fromkeys([*names, *object_ids])))
        for thread in threads:
            erasing.unname(project.db, thread)
        changes += [Change("forget", name, {}) for name in names if name in shared]
        return changes + [Change("erase", name, {}) for name in (*names, *[erasing.NAMELESS] * bool(threads))]

    commit(project, decide, actor)
    finished = erasing.finish(project.db, _READERS_WAIT_MS)
    removed = tuple(_delete_copies(project))
    return [Erased(name, KINDS[name[:2]], tuple(objects), removed, finished, name in shared) for name, objects in erased.items()]


def find(project: Project, reference: str) -> str:
    """Returns the id of the object to be erased. Raises NotFound, or InvalidInput for an ambiguous id."""
    prefix = ids.canonical(reference)
    prefix = prefix if prefix[:2] in KINDS else f"M-{prefix}"
    matches: list[str] = []
    if len(prefix) >= 2 + MIN_PREFIX:
        if prefix.startswith("C-"):
            matches = [chunk.id for chunk in chunks.by_prefix(project.db, prefix, 10)]
        else:
            matches = erasing.objects(project.db, prefix, 10)
    if prefix in matches:
        return prefix
    if len(matches) > 1:
        raise InvalidInput(f"{oneline(reference)[:80]} matches {len(matches)} objects", "give the whole id", "ambiguous")
    if not matches:
        raise NotFound(f"no object has the id {oneline(reference)[:80]}", f"give the id of a {', '.join(KINDS.values())}")
    return matches[0]


def _objects_of_session(project: Project, object_id: str) -> list[str]:
    """Returns the objects that are erased with a session: its prompts, observations, summary and note."""
    objects = erasing.of_session(project.db, object_id) if object_id.startswith("A-") else []
    return [name for name in objects if not erasing.is_erased(project.db, name)]


def _secret_threads(project: Project, object_ids: Sequence[str]) -> list[str]:
    """Returns the threads whose names are secrets and that contain nothing but these objects."""
    threads = dict.fromkeys([erasing.thread_of(project.db, object_id) for object_id in object_ids])
    return [thread for thread in threads if thread is not None and mask(thread).rules]


def _unsuperseded(project: Project, object_id: str) -> list[Change]:
    """Returns the changes that make the memories valid again that an erased memory replaced."""
    if not object_id.startswith("M-"):
        return []
    replaced = erasing.replaced_by(project.db, object_id)
    return [Change("supersede", memory_id, {"by": object_id, "on": False}) for memory_id in replaced]


def _delete_copies(project: Project) -> list[str]:
    """Deletes the cache and the copies of the store beside it. Returns the paths of the copies."""
    project.cache.close()
    path = os.path.join(project.folder, "memory.db")
    old = copies.of(path)
    copies.delete([os.path.join(project.folder, "cache.db"), *old, *copies.leftovers(path)])
    return old
