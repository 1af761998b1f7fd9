"""A store in three numbers, for a shell's prompt: asked for each time that one is printed, so in one statement."""

from __future__ import annotations

from memcli.records import Record
from memcli.store import rows

TYPE_CHECKING = False
if TYPE_CHECKING:
    from apsw import Connection


class Summary(Record):
    """How many memories there are, how many changes wait to be pushed, how many events were given up."""

    memories: int
    unpushed: int
    failed: int


def read(db: Connection) -> Summary:
    """Returns the numbers of a store."""
    sql = """
        SELECT
          (SELECT count(*) FROM memory WHERE forgotten = 0),
          (SELECT count(*) FROM op
           WHERE revision > (SELECT coalesce(max(value + 0), 0) FROM meta WHERE key = 'sync_mark') AND vis = 'local'
             AND object IN (SELECT object FROM shared WHERE is_stopped = 0) AND kind NOT IN ('share', 'unshare', 'erase')),
          (SELECT count(*) FROM job WHERE status = 'failed')
    """
    return Summary(*rows(db, sql)[0])
