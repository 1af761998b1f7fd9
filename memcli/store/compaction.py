"""What may be deleted: what the worker forgot long ago, earlier versions of what hooks wrote, old prompts, notes on commits.

It never includes anything that somebody wrote, pinned, linked, cited, replaced, changed or shared.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

import apsw
from apsw import Connection

from memcli.records import Record, many
from memcli.store import LOCK_WAIT_MS, memories, passages, rows, sessions, wait_for_locks
from memcli.store.memories import OBSERVED
from memcli.store.oplog import LoggedOperation

_AUTOMATIC = (*OBSERVED, "anchor", "doctor", "prompt")  # actors that are no person and no agent
_HOOK_LINKS = ("file", "mention", "read", "edited")  # that hooks make
# Nobody linked the memory or prompt `old`, changed it, shared it, or cited it: the text index holds an id as two words.
_UNTOUCHED = f"""
    NOT EXISTS (SELECT 1 FROM memory_link WHERE to_id = old.id)
    AND NOT EXISTS (SELECT 1 FROM op WHERE object = old.id AND (actor NOT IN {_AUTOMATIC} OR command <> 0 OR vis <> 'local'))
    AND NOT EXISTS (SELECT 1 FROM shared WHERE object = old.id)
    AND NOT EXISTS (SELECT 1 FROM memory_fts WHERE memory_fts MATCH '"' || lower(replace(old.id, '-', ' ')) || '"')
"""
_ID = re.compile(r"\b[MP]-[0-9A-HJKMNP-TV-Z]{10}\b")
_FREE, _FREE_SHARE = 8 << 20, 0.15  # bytes, and share of the file, from which on it is made smaller
_INCREMENTAL, _STEP = 2, 1_000  # SQLite's number of that mode of auto_vacuum; pages of one step


class Aged(Record):
    """A row that may be deleted. `n`: where the next page begins."""

    n: int
    id: str


def forgotten(db: Connection, after: int, before: int, limit: int) -> list[Aged]:
    """Returns observations after row `after` that the worker forgot before a moment and that nobody touched."""
    sql = f"""
        SELECT n, id FROM memory AS old
        WHERE n > ? AND forgotten = 1 AND origin IN {OBSERVED} AND kind <> 'summary' AND pinned = 0 AND updated_at < ?
          AND NOT EXISTS (SELECT 1 FROM memory_link WHERE from_id = old.id AND rel NOT IN {_HOOK_LINKS}) AND {_UNTOUCHED}
        ORDER BY n LIMIT ?
    """
    return many(Aged, rows(db, sql, (after, before, limit)))


def old_prompts(db: Connection, after: int, before: int, limit: int) -> list[Aged]:
    """Returns prompts after row `after` from before a moment, without those with a statement that still holds."""
    sql = f"""
        SELECT n, id FROM prompt AS old
        WHERE n > ? AND created_at < ?
          AND NOT EXISTS (SELECT 1 FROM passage WHERE owner = old.id AND role <> '' AND superseded_by IS NULL)
          AND {_UNTOUCHED}
        ORDER BY n LIMIT ?
    """
    return many(Aged, rows(db, sql, (after, before, limit)))


def cited(db: Connection) -> frozenset[str]:
    """Returns the ids that the state, the profile, the notes and the rules name."""
    texts = ("body FROM state", "value FROM profile", "text FROM note", "reason FROM rule")
    sql = " UNION ALL ".join([f"SELECT {text}" for text in texts])
    return frozenset([object_id for (text,) in rows(db, sql) for object_id in _ID.findall(text)])


def revised(db: Connection, after: str, before: int, limit: int) -> list[str]:
    """Returns memories and sessions, with ids after `after`, that have several operations, all automatic and before a moment."""
    sql = f"""
        SELECT object FROM op WHERE object > ? AND (object GLOB 'A-*' OR object GLOB 'M-*')
        GROUP BY object
        HAVING count(*) > 2 AND max(hlc_ms) < ? AND max(command) = 0
          AND sum(actor NOT IN {_AUTOMATIC} OR kind = 'erase' OR vis <> 'local') = 0
          AND NOT EXISTS (SELECT 1 FROM shared WHERE shared.object = op.object)
        ORDER BY object LIMIT ?
    """
    return [name for (name,) in rows(db, sql, (after, before, limit))]


def remove(db: Connection, object_id: str) -> int:
    """Removes a memory or a prompt from every table, including its operations. Returns how many operations it had."""
    if object_id.startswith("P-"):
        passages.save(db, object_id, ())
        sessions.remove_prompt(db, object_id)
    else:
        memories.remove(db, object_id)
        rows(db, "DELETE FROM memory_link WHERE from_id = ?", (object_id,))
        rows(db, "DELETE FROM vector WHERE id = ?", (object_id,))
        rows(db, "DELETE FROM telling WHERE memory = ?", (object_id,))
    return len(rows(db, "DELETE FROM op WHERE object = ? RETURNING 1", (object_id,)))


def rewrite(db: Connection, gone: Sequence[LoggedOperation], changed: Sequence[LoggedOperation]) -> None:
    """Removes operations from the log, and gives others new bodies."""
    for operation in gone:
        rows(db, "DELETE FROM op WHERE revision = ?", (operation.revision,))
    for operation in changed:
        rows(db, "UPDATE op SET body = ? WHERE revision = ?", (operation.body, operation.revision))


_UNUSED_COMMITS = """
    FROM anchor WHERE noted <> 0 AND id NOT IN (
      SELECT anchor FROM memory WHERE anchor IS NOT NULL UNION SELECT anchor FROM passage WHERE anchor IS NOT NULL
      UNION SELECT anchor FROM authored WHERE anchor IS NOT NULL)
"""


def drop_commits(db: Connection, dry_run: bool) -> int:
    """Drops the notes on commits that nothing is anchored at any more. Returns how many."""
    count = int(rows(db, f"SELECT count(*) {_UNUSED_COMMITS}")[0][0])
    if count and not dry_run:
        rows(db, f"DELETE {_UNUSED_COMMITS}")
    return count


def drop_edits(db: Connection, before: int, dry_run: bool) -> int:
    """Drops the records of edits from before a moment, but not those of commits. Returns how many."""
    count = int(rows(db, "SELECT count(*) FROM authored WHERE at < ? AND path <> ''", (before,))[0][0])
    if count and not dry_run:
        rows(db, "DELETE FROM authored WHERE at < ? AND path <> ''", (before,))
    return count


def shrink(db: Connection, is_wanted: Callable[[], bool] = lambda: False) -> bool:
    """Shrinks the file if much of it is free, outside any transaction. Returns whether it did.

    In steps that a writer waits for no longer than for any other, until somebody needs the store: the next run goes on. A store
    of before such steps is made anew as a whole, once, and not while others read.
    """
    ((free,), (pages,), (size,), (mode,)) = rows(
        db, "PRAGMA freelist_count; PRAGMA page_count; PRAGMA page_size; PRAGMA auto_vacuum"
    )
    if free * size < max(_FREE, pages * size * _FREE_SHARE):
        return False

    def steps() -> None:
        if mode != _INCREMENTAL:
            rows(db, f"PRAGMA auto_vacuum = {_INCREMENTAL}; VACUUM")
            return
        for _ in range(0, free, _STEP):
            if is_wanted():
                return
            rows(db, f"PRAGMA incremental_vacuum({_STEP})")

    return _rewritten(db, steps)


def repack(db: Connection) -> bool:
    """Rebuilds the file if much space is free inside its pages, which steps cannot release. Returns whether it did.

    Others wait meanwhile, one second per 150 MB. It is not done while others read.
    """
    ((size, unused),) = rows(db, "SELECT sum(pgsize), sum(unused) FROM dbstat WHERE aggregate = TRUE")
    if unused < max(_FREE, size * _FREE_SHARE):
        return False
    return _rewritten(db, lambda: rows(db, "VACUUM"))


def _rewritten(db: Connection, rewrite: Callable[[], object]) -> bool:
    """Rewrites the file, unless others use it or the disk is full: the next run tries again. Returns whether it did."""
    wait_for_locks(db, 0)
    try:
        rewrite()
        rows(db, "PRAGMA wal_checkpoint(TRUNCATE)")
        return True
    except (apsw.BusyError, apsw.LockedError, apsw.FullError, apsw.IOError):
        return False
    finally:
        wait_for_locks(db, LOCK_WAIT_MS)
