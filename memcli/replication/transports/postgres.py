"""A PostgreSQL database as a remote: one table of operations for all repositories (store/postgres.py)."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import groupby
from typing import TypeVar

from memcli.errors import MemError
from memcli.records import replace
from memcli.replication.transports import (
    LINE_BYTES,
    Deadline,
    Epoch,
    RemotePosition,
    Segment,
    is_followed,
    purged_meanwhile,
    segment_of,
)
from memcli.replication.transports.epochs import MOST_PURGED, MOST_ROOTS, checked, purgeable, roots_of, roots_to_note
from memcli.replication.transports.lines import lines_of

try:
    import psycopg

    from memcli.store import postgres
except ImportError as problem:
    raise MemError(
        "sharing through PostgreSQL needs psycopg", "install it with: pip install 'memcli[postgres]'", "missing"
    ) from problem

T = TypeVar("T")
_ABBREVIATED = 12  # characters of a commit's name


class Postgres:
    """A remote in a database."""

    def __init__(self, address: str, repository: str, deadline: Deadline, roots: tuple[str, ...] = ()) -> None:
        self._repository = repository
        self._deadline = deadline
        self._roots = roots
        self._opened = Epoch()
        self._db = postgres.connect(address, deadline.remaining())

    def open(self, position: RemotePosition) -> bool:
        """Looks at the epoch of the repository's log."""
        self._opened = self.epoch()
        return True

    def epoch(self) -> Epoch:
        """Returns the epoch of the repository's log."""
        number, purged, count = self._try(lambda: postgres.epoch(self._db, self._repository, MOST_PURGED))
        return checked(number, purged, count, "mem_epoch")

    def histories(self) -> dict[str, tuple[str, ...]]:
        """Returns the first commits of each history that shares under the name of the repository."""
        histories = self._try(lambda: postgres.histories(self._db, self._repository, MOST_ROOTS))
        return {f"first commit {roots[0][:_ABBREVIATED]}": roots for roots in map(roots_of, histories) if roots}

    def _try(self, work: Callable[[], T]) -> T:
        self._deadline.remaining()
        try:
            return work()
        except psycopg.Error as problem:
            raise postgres.failure(problem) from None
        except UnicodeError:
            raise MemError("the database has text that is no UTF-8", "whoever runs it can help", "remote_malformed") from None

    def tips(self) -> dict[str, str]:
        """Returns nothing: a database has no refs."""
        return {}

    def is_set_back(self, position: RemotePosition) -> bool:
        """Tells whether the operation that was read last is not there any more, or not in its place."""
        sequence, _, name = position.cursor.partition(" ")
        return bool(name) and not self._try(lambda: postgres.has(self._db, self._repository, int(sequence), name))

    def contents(self) -> Iterator[tuple[str, list[str]]]:
        """Yields the operations of the repository, without names of segments."""
        for page in self._pages(0):
            yield "", [name for _, name, _, _ in page]

    def segments(self, position: RemotePosition) -> Iterator[Segment]:
        """Yields the operations behind the cursor, those of one writer at a time."""
        sequence = position.cursor.partition(" ")[0]
        for page in self._pages(int(sequence) if sequence.isdigit() else 0):
            for (writer, _), rows in groupby(page, key=lambda row: (row[2], row[3] is not None)):
                group = list(rows)
                segment = segment_of(writer, [line for *_, line in group if line is not None])
                yield replace(segment, cursor=f"{group[-1][0]} {group[-1][1]}")

    def _pages(self, sequence: int) -> Iterator[list[tuple[int, str, str, str | None]]]:
        pages = postgres.after(self._db, self._repository, sequence, LINE_BYTES)
        while (page := self._try(lambda: next(pages, None))) is not None:
            yield page

    def push(self, segments: Sequence[Segment]) -> None:
        """Appends the operations of segments."""
        if roots := roots_to_note(self._roots, self.histories()):
            self._try(lambda: postgres.note_history(self._db, self._repository, roots))
        for segment in segments:
            lines = lines_of(segment)
            if not self._try(lambda lines=lines: postgres.append(self._db, self._repository, lines, self._opened.number)):  # type: ignore[misc]
                raise purged_meanwhile()

    def is_behind(self, epoch: Epoch) -> bool:
        """Tells whether the database does not know yet what this epoch purged."""
        return not is_followed(self._opened, epoch)

    def purge(self, epoch: Epoch) -> None:
        """Deletes the purged objects."""
        known = purgeable(epoch)
        self._try(lambda: postgres.purge(self._db, self._repository, known.number, known.purged))
        self._opened = self.epoch()

    def forget_past(self) -> None:
        """Does nothing: nothing is kept beside the store."""

    def compact(self, before_ms: int) -> int:
        """Does nothing: a table has no segments."""
        return 0
