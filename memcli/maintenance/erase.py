"""Erasing: the text of one object (`KINDS`) is taken out of everything that mem keeps, for good.

The log keeps the places of the operations, without what they said. Copies of the store that a migration or a repair kept beside
it hold the same text and go with it. What left the data directory (exports, backups, other clones' stores) cannot be reached.
"""

from __future__ import annotations

import os

from memcli.errors import InvalidInput, NotFound
from memcli.maintenance import backup
from memcli.memory.commit import commit
from memcli.memory.lookup import MIN_PREFIX
from memcli.records import Record
from memcli.store import chunks, erasing
from memcli.store.db import transaction
from memcli.store.oplog import Change
from memcli.text import ids
from memcli.text.secrets import mask
from memcli.text.terminal import oneline

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from memcli.project import Project

KINDS = {"M-": "memory", "S-": "state", "C-": "chunk", "P-": "prompt", "A-": "session", "K-": "profile entry", "N-": "note"}
_PATIENCE_MS = 2_000  # for others to end reading


class Erased(Record):
    """What was erased: the object and what went with it, the files that were removed, and whether the store's own file is done.

    It is not while another process reads what was there before; the next writing command finishes it.
    """

    id: str
    kind: str
    objects: tuple[str, ...]
    removed: tuple[str, ...]
    finished: bool


def erase(project: Project, reference: str, actor: str) -> Erased:
    """Takes an object's text out for good. Of one that is erased already, the files are looked after again.

    Raises NotFound, or InvalidInput for an id that means several.
    """
    object_id = _meant(project, reference)
    gone: list[str] = []

    def decide() -> list[Change]:
        gone.extend(_with_it(project, object_id))
        changes = [change for one in gone for change in _freed(project, one)]
        threads = _secret_threads(project, gone)
        erasing.blank(project.db, gone)
        for thread in threads:
            erasing.unname(project.db, thread)
        return changes + [Change("erase", one, {}) for one in (*gone, *[erasing.NAMELESS] * bool(threads))]

    if object_id.startswith("C-"):
        with transaction(project.db):
            erasing.blank(project.db, [object_id])
        gone.append(object_id)
    elif erasing.is_erased(project.db, object_id):
        gone.append(object_id)
        with transaction(project.db):
            erasing.blank(project.db, gone)
    else:
        commit(project, decide, actor)
    finished = erasing.finish(project.db, _PATIENCE_MS)
    return Erased(object_id, KINDS[object_id[:2]], tuple(gone), tuple(_remove_copies(project)), finished)


def _meant(project: Project, reference: str) -> str:
    typed = ids.canonical(reference)
    typed = typed if typed[:2] in KINDS else f"M-{typed}"
    found: list[str] = []
    if len(typed) >= 2 + MIN_PREFIX:
        if typed.startswith("C-"):
            found = [chunk.id for chunk in chunks.by_prefix(project.db, typed, 10)]
        else:
            found = erasing.objects(project.db, typed, 10)
    found = [one for one in found if one == typed] or found
    if len(found) > 1:
        raise InvalidInput(f"{oneline(reference)[:80]} could be {len(found)} things", "give the whole id", "ambiguous")
    if not found:
        raise NotFound(f"nothing is called {oneline(reference)[:80]}", f"give the id of a {', '.join(KINDS.values())}")
    return found[0]


def _with_it(project: Project, object_id: str) -> list[str]:
    """Returns an object and what has to go with it: what a session left."""
    left = erasing.of_session(project.db, object_id) if object_id.startswith("A-") else []
    return [object_id, *[one for one in left if not erasing.is_erased(project.db, one)]]


def _secret_threads(project: Project, object_ids: Sequence[str]) -> list[str]:
    """Returns the threads whose names are secrets themselves and in which there is nothing but these objects."""
    threads = dict.fromkeys([erasing.thread_of(project.db, one) for one in object_ids])
    return [thread for thread in threads if thread is not None and mask(thread).rules]


def _freed(project: Project, object_id: str) -> list[Change]:
    """Returns what makes the memories hold again that gave way to one."""
    if not object_id.startswith("M-"):
        return []
    return [Change("supersede", old, {"by": object_id, "on": False}) for old in erasing.replaced_by(project.db, object_id)]


def _remove_copies(project: Project) -> list[str]:
    """Removes the cache and the copies of the store beside it. Returns the names of the copies."""
    project.cache.close()
    path = os.path.join(project.folder, "memory.db")
    copies = backup.copies(path)
    for name in [os.path.join(project.folder, "cache.db"), *copies, *backup.leftovers(path)]:
        for end in ("", "-wal", "-shm", "-journal"):
            if os.path.lexists(name + end):
                os.unlink(name + end)
    return copies
