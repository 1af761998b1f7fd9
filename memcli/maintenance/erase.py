"""Erasing: removes the text of one object (`KINDS`) from everything that mem stores, for good.

The log keeps the operations, without their content. Copies of the store that a migration or a repair made beside it contain the
same text and are deleted. What has left the data directory (exports, backups, other clones' stores) is out of reach.
"""

from __future__ import annotations

import os
from collections.abc import Sequence

from memcli.errors import Call, InvalidInput, NotFound
from memcli.memory import MIN_PREFIX
from memcli.memory.commit import commit
from memcli.memory.items import KINDS
from memcli.project import Project
from memcli.records import Record
from memcli.store import chunks, copies, erasing, purging, replication
from memcli.store.oplog import Change
from memcli.text import ids
from memcli.text.terminal import oneline

_KINDS = {**KINDS, "T-": "thread"}
_READERS_WAIT_MS = 2_000  # for other processes to stop reading


class Erased(Record):
    """What was erased: the object, everything erased with it, the deleted files, and whether the store's own file is clean.

    It is not while another process reads the old content; the next command that writes finishes it. `shared`: those of
    the objects whose text other stores have, too.
    """

    id: str
    kind: str
    objects: tuple[str, ...]
    removed: tuple[str, ...]
    finished: bool
    shared: tuple[str, ...]


def erase(
    project: Project, object_ids: Sequence[str], actor: str, purge: tuple[int, Sequence[str]] | None = None
) -> list[Erased]:
    """Removes the text of objects for good, of all or none. For one that is already erased, only the files are cleaned again.

    Stores that have an object, too, are told to forget it; unless it is a `purge`, which has them erase it as well:
    the epoch and all that it takes out are noted with it, so that a purge that is killed here is ended by the next push.
    """
    erased: dict[str, list[str]] = {object_id: [object_id] for object_id in object_ids}
    exchanged = set() if purge else replication.ever_shared(project.db)
    shared = {name for name in exchanged if not name.startswith("T-")}  # to name a thread again would bring its name back

    def decide() -> list[Change]:
        logged = [name for name in object_ids if not name.startswith(("C-", "T-")) and not erasing.is_erased(project.db, name)]
        for object_id in logged:
            erased[object_id] += [name for name in _objects_of_session(project, object_id) if name not in erased]
        names = list(dict.fromkeys([name for object_id in logged for name in erased[object_id]]))
        # What the objects replaced and the threads they name are read before their operations are emptied.
        changes = [change for name in names for change in _unsuperseded(project, name)]
        threads = emptied_threads(project, [*names, *object_ids])
        erasing.blank(project.db, list(dict.fromkeys([*names, *object_ids])))
        for thread in threads:
            erasing.unname(project.db, thread)
        if purge:
            for name in purging.named_by(project.db, purge[1]):
                erasing.unname_shared(project.db, name, object_ids)
            purging.note_purged(project.db, *purge)
        changes += [Change("forget", name, {}) for name in names if name in shared]
        return changes + [Change("erase", name, {}) for name in (*names, *[erasing.NAMELESS] * bool(threads))]

    commit(project, decide, actor)
    finished = erasing.finish(project.db, _READERS_WAIT_MS)
    removed = tuple(_delete_copies(project))
    return [
        Erased(name, _KINDS[name[:2]], tuple(objects), removed, finished, tuple([it for it in objects if it in shared]))
        for name, objects in erased.items()
    ]


def find(project: Project, reference: str) -> str:
    """Returns the id of the object to be erased. Raises NotFound, or InvalidInput for an ambiguous id."""
    if reference[:2] in ("T-", "t-"):
        return _empty_thread(project, reference[2:])
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
        raise NotFound(f"no object has the id {oneline(reference)[:80]}", f"give the id of a {', '.join(_KINDS.values())}")
    return matches[0]


def _empty_thread(project: Project, name: str) -> str:
    """Returns the id of a thread. Raises NotFound, or InvalidInput where its name is also that of what is in it."""
    shown = oneline(name)[:80]
    if not erasing.has_thread(project.db, name):
        raise NotFound(f"no thread {shown}", ("see ", Call("threads")))
    if count := erasing.count_in_thread(project.db, name):
        message = f"{count:,} {'thing is or was' if count == 1 else 'things are or were'} in thread {shown}"
        raise InvalidInput(message, ("erase them first; see ", Call("thread", name)), "not_empty")
    return f"T-{name}"


def _objects_of_session(project: Project, object_id: str) -> list[str]:
    """Returns the objects that are erased with a session: its prompts, observations, summary and note."""
    objects = erasing.of_session(project.db, object_id) if object_id.startswith("A-") else []
    return [name for name in objects if not erasing.is_erased(project.db, name)]


def emptied_threads(project: Project, object_ids: Sequence[str]) -> list[str]:
    """Returns the threads whose names go with these objects: those among them, and those that nothing else is or ever was in.

    The names that settings give stay, as the next memory would bring them back.
    """
    usual = [project.config[setting] for setting in ("memory.thread", "capture.thread")]
    threads = erasing.threads_of(project.db, object_ids)
    emptied = [name for name in threads if name not in usual and not erasing.count_in_thread(project.db, name, object_ids)]
    return list(dict.fromkeys([*emptied, *[name[2:] for name in object_ids if name.startswith("T-")]]))


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
