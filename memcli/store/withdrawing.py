"""What was undone before another store had it: neither the change nor what took it back leaves, and neither counts."""

from __future__ import annotations

from memcli.store import oplog, rows
from memcli.store.oplog import LOCAL, WITHDRAWN
from memcli.text import json

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from apsw import Connection

    from memcli.store.oplog import LoggedOperation

_CONTENT = ("put", "profile", "note", "link")  # kinds of operations that have texts; the others name ids alone
_REVIVED = ("T-", "K-")  # objects that come back with their next use: its undo forgets them again


def withdraw(db: Connection, undone: Sequence[LoggedOperation], undoing: Sequence[LoggedOperation]) -> None:
    """Keeps the changes of a command here, and those that took them back, where no other store has them.

    Where another store changed the same object meanwhile, what took them back leaves: it has a value for all that stays here.
    An object that the command began stays here as a whole: nothing of it left.
    """
    for name in dict.fromkeys([op.object for op in undone]):
        logged = oplog.of_object(db, name)
        changes = {op.revision for op in undone if op.object == name and op.kind in _CONTENT}
        is_local = all(op.vis == LOCAL for op in logged if op.revision in changes)
        if not changes or not is_local or min(op.revision for op in logged) in changes:
            continue
        if not any(op.vis not in (LOCAL, WITHDRAWN) and op.revision > min(changes) for op in logged):
            kinds = (*_CONTENT, "forget") if name.startswith(_REVIVED) else _CONTENT
            changes |= {op.revision for op in undoing if op.object == name and op.kind in kinds}
        sql = f"UPDATE op SET vis = '{WITHDRAWN}' WHERE revision = ? AND vis = '{LOCAL}'"
        db.executemany(sql, [(revision,) for revision in changes])


def count_again(db: Connection, ids: Iterable[str]) -> list[str]:
    """Lets operations count that other stores have after all: they were on their way when they were undone.

    What took them back waits to be pushed. Returns their objects, whose rows the caller writes anew.
    """
    sql = f"""
        SELECT object, min(revision) FROM op
        WHERE vis = '{WITHDRAWN}' AND id IN (SELECT value FROM json_each(?)) GROUP BY object
    """
    again = rows(db, sql, (json.dumps(list(ids)),))
    for name, revision in again:
        rows(db, f"UPDATE op SET vis = '{LOCAL}' WHERE object = ? AND revision >= ? AND vis = '{WITHDRAWN}'", (name, revision))
        rows(db, "UPDATE shared SET is_new = 1 WHERE object = ?", (name,))
    return [name for name, _ in again]
