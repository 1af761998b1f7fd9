"""What is exchanged with other stores: which objects are shared, which operations wait to be pushed, what was taken in."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from apsw import Connection

from memcli.records import many
from memcli.store import SYNC_AGREEMENT, delete_meta, meta, rows
from memcli.store.oplog import LOCAL, NO_COMMAND, SHARE, UNSHARE, WITHDRAWN, LoggedOperation
from memcli.text import dates, json

# Further values of op.vis: pushed to, or taken from, others; taken from others and not in the tables yet; exchanged once, and not
# at the remote any more.
SHARED, ARRIVED, MISSING = "shared", "arrived", "missing"
_EXCHANGED = (SHARED, MISSING)
_NOBODY_ELSES = (LOCAL, WITHDRAWN)
AGREEMENT, FORMER = SYNC_AGREEMENT, "sync_former"  # in meta: what is agreed to; what was, where sharing is off
LAST = "sync_last"  # in meta, as JSON: when the last exchange was and how it ended
CURSOR, EPOCH = "sync_cursor", "sync_epoch"  # in meta: how far a remote without refs was read; the number of the remote's epoch
UNCLEAN = "sync_unclean"  # in meta: what was purged may still be among git's objects beside the store
ROOTS = "sync_roots"  # in meta: the first commits of the clone's history, once they were asked for
MARK = "sync_mark"  # in meta: the revision up to which all that is shared was pushed
_SOON = 60_000  # ms after which what waits is pushed though the next exchange is not due
_COLUMNS = "op.revision, op.id, op.hlc_ms, op.hlc_n, op.writer, op.kind, op.object, op.body, op.actor, op.vis, op.command"
UNCOMMITTED = "SELECT id FROM memory WHERE anchor LIKE '% %'"  # memories that wait for a branch's next commit: they stay here
_NEVER_LEFT = f"is_new = 1 AND NOT EXISTS (SELECT 1 FROM op WHERE op.object = shared.object AND vis NOT IN {_NOBODY_ELSES})"
# Objects that were forgotten before anything of them left, as by mem undo: they stay here, and so do the names of threads that
# nothing is in but such.
_FORGOTTEN_BEFORE = f"""
    SELECT object FROM shared
    WHERE {_NEVER_LEFT}
      AND ((object LIKE 'M-%' AND object NOT IN (SELECT id FROM memory WHERE forgotten = 0))
        OR (object LIKE 'S-%' AND object NOT IN (SELECT id FROM state))
        OR (object LIKE 'K-%' AND object NOT IN (SELECT id FROM profile))
        OR (object LIKE 'N-%' AND object NOT IN (SELECT id FROM note)))
"""
_STAYING = f"""
    {_FORGOTTEN_BEFORE}
    UNION SELECT object FROM shared
    WHERE {_NEVER_LEFT} AND object LIKE 'T-%' AND substr(object, 3) NOT IN (
      SELECT thread FROM (SELECT id, thread FROM memory UNION ALL SELECT id, thread FROM state)
      WHERE id IN (SELECT object FROM shared WHERE is_stopped = 0) AND id NOT IN ({_FORGOTTEN_BEFORE})
    )
"""
OWN_KINDS = (SHARE, UNSHARE, "erase")  # of operations that concern this store alone


def share(db: Connection, objects: Iterable[str]) -> None:
    """Notes that objects are shared from now on. Those that are already stay as they are."""
    sql = """
        INSERT INTO shared(object, is_new) VALUES (?, 1)
        ON CONFLICT(object) DO UPDATE SET is_new = 1, is_stopped = 0 WHERE is_stopped = 1
    """
    db.executemany(sql, [(name,) for name in objects])


def received(db: Connection, objects: Iterable[str]) -> None:
    """Notes objects that other stores share: what is changed here goes back to them. Of a thread its name does at once."""
    sql = """
        INSERT INTO shared(object, is_new)
        VALUES (?1, ?1 LIKE 'T-%' AND EXISTS (SELECT 1 FROM op WHERE object = ?1 AND vis = 'local'))
        ON CONFLICT DO NOTHING
    """
    db.executemany(sql, [(name,) for name in objects])


def kept_here(db: Connection, objects: Iterable[str]) -> set[str]:
    """Returns those of some memories, states and notes that were written here and of which no other store has anything.

    What was imported is somebody else's, too. Whoever sends operations on such an object knows no more of it than its id.
    """
    sql = f"""
        SELECT value FROM json_each(?)
        WHERE substr(value, 1, 2) IN ('M-', 'S-', 'N-') AND value NOT IN (SELECT object FROM shared WHERE is_stopped = 0)
          AND (SELECT actor FROM op WHERE object = value ORDER BY revision LIMIT 1) <> 'import'
          AND NOT EXISTS (SELECT 1 FROM op WHERE object = value AND (vis NOT IN {_NOBODY_ELSES} OR kind = 'erase'))
    """
    return {name for (name,) in rows(db, sql, (json.dumps(list(objects)),))}


# Objects that other stores share and nobody shared here: nothing that was written here about them belongs to others.
_OF_OTHERS = f"""
    EXISTS (SELECT 1 FROM op WHERE object = :object AND actor LIKE '%@%')
    AND NOT EXISTS (
      SELECT 1 FROM shared WHERE object = :object AND is_stopped = 0 AND (
        is_new = 1 OR EXISTS (
          SELECT 1 FROM op
          WHERE object = :object AND kind IN ('profile', 'put') AND actor NOT LIKE '%@%' AND vis NOT IN {_NOBODY_ELSES}
        )
      )
    )
"""


def is_of_others(db: Connection, name: str) -> bool:
    """Tells whether an object came from other stores, and was not shared in this one."""
    return bool(rows(db, f"SELECT {_OF_OTHERS}", {"object": name})[0][0])


def set_apart(db: Connection, name: str, own_name: str) -> bool:
    """Gives what was written here about an object that others share, and was not shared, to an object of its own.

    Returns whether there is something.
    """
    local = f"object = :object AND vis IN {_NOBODY_ELSES} AND actor NOT LIKE '%@%'"
    sql = f"""
        UPDATE op SET object = :own
        WHERE {local} AND kind IN ('profile', 'put', 'forget', 'restore') AND {_OF_OTHERS}
          AND EXISTS (SELECT 1 FROM op WHERE {local} AND kind = 'profile')
    """
    rows(db, sql, {"object": name, "own": own_name})
    return bool(db.changes())


def written_here(db: Connection, objects: Iterable[str]) -> list[str]:
    """Returns the ids of those of some objects of which this store wrote something."""
    sql = """
        SELECT DISTINCT object FROM op
        WHERE object IN (SELECT value FROM json_each(?)) AND kind IN ('put', 'state', 'profile', 'note') AND actor NOT LIKE '%@%'
        ORDER BY object
    """
    return [name for (name,) in rows(db, sql, (json.dumps(list(objects)),))]


def stop_sharing(db: Connection, objects: Iterable[str]) -> None:
    """Notes that further changes of objects stay here, and what was not pushed yet; no rule shares them again."""
    sql = "INSERT INTO shared(object, is_new, is_stopped) VALUES (?, 1, 1) ON CONFLICT(object) DO UPDATE SET is_stopped = 1"
    db.executemany(sql, [(name,) for name in objects])


def leave_to_rules(db: Connection, name: str) -> None:
    """Notes that nobody said whether an object is shared."""
    rows(db, "DELETE FROM shared WHERE object = ?", (name,))


def stopped_objects(db: Connection) -> set[str]:
    """Returns the ids of the objects that stay here."""
    return {name for (name,) in rows(db, "SELECT object FROM shared WHERE is_stopped = 1")}


def shared_objects(db: Connection) -> list[str]:
    """Returns the ids of all shared objects."""
    return [name for (name,) in rows(db, "SELECT object FROM shared WHERE is_stopped = 0 ORDER BY object")]


def is_shared(db: Connection, name: str) -> bool:
    """Tells whether an object is shared."""
    return bool(rows(db, "SELECT 1 FROM shared WHERE object = ? AND is_stopped = 0", (name,)))


def live_objects(db: Connection, objects: Iterable[str]) -> list[str]:
    """Returns the ids of those of some objects that are memories, states, notes or profile entries and not forgotten."""
    sql = """
        SELECT value FROM json_each(?)
        WHERE value IN (SELECT id FROM memory WHERE forgotten = 0)
          OR value IN (SELECT id FROM state UNION ALL SELECT id FROM note UNION ALL SELECT id FROM profile)
    """
    return [name for (name,) in rows(db, sql, (json.dumps(list(objects)),))]


def ever_shared(db: Connection) -> set[str]:
    """Returns the ids of all objects that are or were shared and of which something was exchanged."""
    return {name for (name,) in rows(db, f"SELECT DISTINCT object FROM op WHERE vis IN {_EXCHANGED}")}


def waiting(db: Connection, mark: int, limit: int) -> list[LoggedOperation]:
    """Returns operations on shared objects that are not at the remote, the last of the log first.

    `mark`: the revision up to which all of them were pushed, but for objects that are shared since, and what the remote lost.
    """
    sql = f"""
        SELECT {_COLUMNS} FROM op
        WHERE revision > :mark AND vis = '{LOCAL}' AND object IN (SELECT object FROM shared WHERE is_stopped = 0)
        UNION
        SELECT {_COLUMNS} FROM shared JOIN op ON op.object = shared.object
        WHERE is_new = 1 AND is_stopped = 0 AND vis = '{LOCAL}'
        UNION
        SELECT {_COLUMNS} FROM op
        WHERE vis = '{MISSING}' AND object NOT IN (SELECT object FROM shared WHERE is_stopped = 1)
    """
    sql = f"""
        SELECT * FROM ({sql})
        WHERE kind NOT IN {OWN_KINDS} AND object NOT IN ({UNCOMMITTED}) AND object NOT IN ({_STAYING})
          AND id NOT IN (SELECT object FROM purged)
        ORDER BY 1 DESC LIMIT :limit
    """
    return many(LoggedOperation, rows(db, sql, {"mark": mark, "limit": limit}))


def own_pushed(db: Connection, objects: Iterable[str]) -> list[LoggedOperation]:
    """Returns the operations of this store on some objects that are at the remote."""
    sql = f"""
        SELECT {_COLUMNS} FROM json_each(?) AS name JOIN op ON op.object = name.value
        WHERE vis = '{SHARED}' AND actor NOT LIKE '%@%'
    """
    return many(LoggedOperation, rows(db, sql, (json.dumps(list(objects)),)))


def has_exchanged(db: Connection, writer: str) -> bool:
    """Tells whether others have something that a writer wrote."""
    return bool(rows(db, f"SELECT 1 FROM op WHERE writer = ? AND vis IN {_EXCHANGED} LIMIT 1", (writer,)))


def is_due(db: Connection, now: int, every: int, selects_some: Callable[[], bool]) -> bool:
    """Tells whether a memory is shared and the last exchange is `every` ms ago; one minute where something waits.

    `selects_some`: whether the settings share something that is not shared yet.
    """
    if meta(db, AGREEMENT) is None:
        return False
    last = meta(db, LAST)
    age = now - (dates.parse(json.loads(last)["at"]) if last else 0)
    return age >= every or (age >= _SOON and (bool(waiting(db, int(meta(db, MARK) or 0), 1)) or selects_some()))


def note_pushed(db: Connection, operations: Sequence[LoggedOperation]) -> None:
    """Notes that operations are at the remote."""
    db.executemany(f"UPDATE op SET vis = '{SHARED}' WHERE revision = ?", [(op.revision,) for op in operations])


def note_whole(db: Connection, objects: Iterable[str]) -> None:
    """Notes that nothing of these objects waits but what follows the mark of the log, but for what stays here."""
    db.executemany("UPDATE shared SET is_new = 0 WHERE object = ?", [(name,) for name in objects])
    rows(db, f"UPDATE shared SET is_new = 1 WHERE object IN ({UNCOMMITTED})")


def known_ids(db: Connection, ids: Sequence[str]) -> set[str]:
    """Returns those of some operations that the log has."""
    sql = "SELECT id FROM op WHERE id IN (SELECT value FROM json_each(?))"
    return {name for (name,) in rows(db, sql, (json.dumps(list(ids)),))}


def note_exchanged(db: Connection, ids: Iterable[str]) -> None:
    """Notes that the remote has these operations of the log: a copy of this store sent them, or another what the remote lost."""
    db.executemany(f"UPDATE op SET vis = '{SHARED}' WHERE id = ? AND vis IN ('{LOCAL}', '{MISSING}')", [(name,) for name in ids])


def insert(db: Connection, operations: Sequence[LoggedOperation]) -> None:
    """Appends operations of other stores to the log, inside the caller's transaction; their revisions are given here."""
    revision = rows(db, "SELECT coalesce(max(revision), 0) FROM op")[0][0]
    columns = _COLUMNS.replace("op.", "")
    values = [
        (revision + number, *list(op)[1:-2], ARRIVED, NO_COMMAND)  # type: ignore[call-overload]
        for number, op in enumerate(operations, 1)
    ]
    db.executemany(f"INSERT INTO op({columns}) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)", values)


def arrived(db: Connection, after: str, limit: int) -> list[str]:
    """Returns some of the objects whose operations arrived and are not in the tables yet, those behind an id."""
    sql = f"SELECT DISTINCT object FROM op WHERE vis = '{ARRIVED}' AND object > ? ORDER BY object LIMIT ?"
    return [name for (name,) in rows(db, sql, (after, limit))]


def operations_of(db: Connection, objects: Iterable[str]) -> list[tuple[str, list[tuple[object, ...]]]]:
    """Returns each of some objects with its operations, in the order of the clock, as plain values."""
    sql = f"""
        SELECT {_COLUMNS} FROM json_each(?) AS name JOIN op ON op.object = name.value
        ORDER BY object, hlc_ms, hlc_n, writer, op.id
    """
    operations: dict[str, list[tuple[object, ...]]] = {}
    for row in rows(db, sql, (json.dumps(list(objects)),)):
        operations.setdefault(row[6], []).append(row)
    return list(operations.items())


def latest(db: Connection, objects: Sequence[str]) -> dict[str, int]:
    """Returns the revision of the last operation on each of some objects."""
    sql = "SELECT object, max(revision) FROM op WHERE object IN (SELECT value FROM json_each(?)) GROUP BY object"
    return dict(rows(db, sql, (json.dumps(list(objects)),)))


def note_applied(db: Connection, last: str) -> None:
    """Notes that the tables say what the operations on objects up to an id do."""
    rows(db, f"UPDATE op SET vis = '{SHARED}' WHERE vis = '{ARRIVED}' AND object <= ?", (last,))


def rename_writer(db: Connection, old: str, new: str) -> None:
    """Gives the operations that no other store has to another writer, but for what the old one is called: its own to say."""
    sql = f"UPDATE op SET writer = ? WHERE writer = ? AND vis IN {_NOBODY_ELSES} AND object <> 'W-' || writer"
    rows(db, sql, (new, old))


def segments(db: Connection) -> set[str]:
    """Returns the names of the segments that were taken in."""
    return {name for (name,) in rows(db, "SELECT name FROM segment")}


def add_segments(db: Connection, names: Iterable[str]) -> None:
    """Notes segments as taken in."""
    db.executemany("INSERT INTO segment(name) VALUES (?) ON CONFLICT DO NOTHING", [(name,) for name in names])


def keep_segments(db: Connection, names: Iterable[str]) -> None:
    """Forgets all other segments: the remote has them no more."""
    rows(db, "DELETE FROM segment WHERE name NOT IN (SELECT value FROM json_each(?))", (json.dumps(list(names)),))


def tips(db: Connection) -> dict[str, str]:
    """Returns the commit that was read last of each ref of the remote."""
    return dict(rows(db, "SELECT name, tip FROM remote_ref"))


def save_tips(db: Connection, tips: dict[str, str]) -> None:
    """Writes which commit of each ref was read; refs that are gone are forgotten."""
    rows(db, "DELETE FROM remote_ref")
    db.executemany("INSERT INTO remote_ref(name, tip) VALUES (?, ?)", list(tips.items()))


def last_clock(db: Connection, writer: str) -> int:
    """Returns when, by its clock, a writer wrote last what is or will be shared, in ms since 1970; 0 for never."""
    sql = (
        "SELECT coalesce(max(hlc_ms), 0) FROM op WHERE writer = ? AND object IN (SELECT object FROM shared WHERE is_stopped = 0)"
    )
    return int(rows(db, sql, (writer,))[0][0])


NAMELESS = "?"  # in the operation of a writer who has taken the name back: none may be empty


def save_writer(db: Connection, writer: str, name: str) -> None:
    """Writes what the owner of another store calls it."""
    sql = "INSERT INTO writer(id, name) VALUES (?, ?) ON CONFLICT(id) DO UPDATE SET name = excluded.name"
    rows(db, sql, (writer, "" if name == NAMELESS else name))


def writers(db: Connection) -> dict[str, str]:
    """Returns the name of each other store that has one, by its id."""
    return dict(rows(db, "SELECT id, name FROM writer"))


def jobs(db: Connection) -> set[str]:
    """Returns those of the other stores that say, by their name or a state, that a CI job has them."""
    sql = """
        SELECT writer FROM op JOIN writer ON op.object = 'W-' || writer.id WHERE actor = 'ci@' || writer
        UNION SELECT writer FROM state JOIN op ON op.object = state.id WHERE ci = 1 AND actor = 'ci@' || writer
    """
    return {name for (name,) in rows(db, sql)}


def forget(db: Connection, key: str) -> None:
    """Takes a note out of meta."""
    delete_meta(db, key)


_WHOLE = "object NOT IN (SELECT object FROM op WHERE kind = 'erase') AND id NOT IN (SELECT object FROM purged)"


def exchanged(db: Connection) -> set[str]:
    """Returns the ids of the operations that were pushed to, or taken from, others, but for those on what was erased."""
    return {name for (name,) in rows(db, f"SELECT id FROM op WHERE vis IN {_EXCHANGED} AND {_WHOLE}")}


def note_missing(db: Connection, ids: Iterable[str]) -> None:
    """Notes that of all that was exchanged the remote lacks these operations: whoever wrote them, the next push sends them."""
    rows(db, f"UPDATE op SET vis = '{SHARED}' WHERE vis = '{MISSING}'")
    db.executemany(f"UPDATE op SET vis = '{MISSING}' WHERE id = ? AND vis = '{SHARED}'", [(name,) for name in ids])


def is_missing_some(db: Connection) -> bool:
    """Tells whether something must be looked up at the remote, and pushed again where it is missing.

    What is not shared any more is not sent again: where others do, it comes as a segment.
    """
    stopped = "SELECT object FROM shared WHERE is_stopped = 1"
    return bool(rows(db, f"SELECT 1 FROM op WHERE vis = '{MISSING}' AND object NOT IN ({stopped}) LIMIT 1"))


def forget_remote(db: Connection) -> None:
    """Forgets what was read and pushed, as when the remote changes: what the next one lacks is pushed there."""
    rows(db, "DELETE FROM segment; DELETE FROM remote_ref")
    forget(db, CURSOR)
    forget(db, LAST)
    rows(db, f"UPDATE op SET vis = '{MISSING}' WHERE vis = '{SHARED}' AND {_WHOLE}")


def owned_writers(db: Connection) -> list[tuple[str, int]]:
    """Returns (writer, operations) of each other store whose operations are in the log."""
    sql = f"""
        SELECT writer, count(*) FROM op
        WHERE vis IN {_EXCHANGED} AND writer <> (SELECT value FROM meta WHERE key = 'writer') GROUP BY writer ORDER BY writer
    """
    return rows(db, sql)


def operations_of_shared(db: Connection) -> list[tuple[object, ...]]:
    """Returns every operation on a shared object, in the order of objects and of the clock; not on those that stay here.

    Of an object that is not shared any more, those that others have: what the remote lost of it is not sent again from here.
    """
    sql = f"""
        SELECT {_COLUMNS} FROM op JOIN shared ON shared.object = op.object
        WHERE op.object NOT IN ({_STAYING}) AND op.vis <> '{WITHDRAWN}'
          AND (is_stopped = 0 OR op.vis NOT IN ('{LOCAL}', '{MISSING}'))
        ORDER BY op.object, op.hlc_ms, op.hlc_n, op.writer, op.id
    """
    return rows(db, sql)
