"""A PostgreSQL database as a remote: one table of operations for all repositories (store/postgres.py)."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import groupby
from operator import itemgetter
from typing import TypeVar

from memcli.errors import MemError
from memcli.records import replace
from memcli.replication.transports import Deadline, Epoch, RemotePosition, Segment, purged_meanwhile, segment_of
from memcli.replication.transports.lines import lines_of

try:
    import psycopg

    from memcli.store import postgres
except ImportError as problem:
    raise MemError(
        "sharing through PostgreSQL needs psycopg", "install it with: pip install 'memcli[postgres]'", "missing"
    ) from problem

T = TypeVar("T")


class Postgres:
    """A remote in a database."""

    def __init__(self, address: str, repository: str, deadline: Deadline) -> None:
        self._repository = repository
        self._deadline = deadline
        self._opened = 0
        self._db = postgres.connect(address, deadline.remaining())

    def open(self, position: RemotePosition) -> int:
        """Returns the number of the epoch of the repository's log."""
        self._opened = self.epoch().number
        return self._opened

    def epoch(self) -> Epoch:
        """Returns the epoch of the repository's log."""
        return Epoch(*self._try(lambda: postgres.epoch(self._db, self._repository)))

    def _try(self, work: Callable[[], T]) -> T:
        self._deadline.remaining()
        try:
            return work()
        except psycopg.Error as problem:
            raise postgres.failure(problem) from None

    def tips(self) -> dict[str, str]:
        """Returns nothing: a database has no refs."""
        return {}

    def segments(self, position: RemotePosition) -> Iterator[Segment]:
        """Yields the operations behind the cursor, those of one writer at a time."""
        cursor = int(position.cursor) if position.cursor.isdigit() else 0
        pages = postgres.after(self._db, self._repository, cursor)
        while (page := self._try(lambda: next(pages, None))) is not None:
            for writer, rows in groupby(page, key=itemgetter(1)):
                group = list(rows)
                yield replace(segment_of(writer, [line for _, _, line in group]), cursor=str(group[-1][0]))

    def push(self, segments: Sequence[Segment]) -> None:
        """Appends the operations of segments."""
        for segment in segments:
            lines = lines_of(segment)
            if not self._try(lambda lines=lines: postgres.append(self._db, self._repository, lines, self._opened)):  # type: ignore[misc]
                raise purged_meanwhile()

    def purge(self, epoch: Epoch) -> None:
        """Deletes the purged objects."""
        self._try(lambda: postgres.purge(self._db, self._repository, epoch.number, epoch.purged))

    def compact(self, before_ms: int) -> int:
        """Does nothing: a table has no segments."""
        return 0
