"""Where the log of a shared memory travels: four calls, and a way for each kind of remote.

A transport moves segments of lines and knows nothing of what they say. `open_transport` finds the one for a remote's address:
a git remote, `dir:PATH`, or `postgresql://HOST/DATABASE`.
"""

from __future__ import annotations

import hashlib
import re
import time
from collections.abc import Iterator, Sequence
from typing import Protocol

from memcli.errors import MemError
from memcli.records import Record
from memcli.store.oplog import MAX_BODY

SEGMENT_LINES = 10_000  # that are read
_LINES_SENT = 1_000  # git looks for likenesses among files each time that somebody fetches them: large ones cost seconds
SEGMENT_BYTES = 8 << 20
LINE_BYTES = MAX_BODY + 1_024
MAX_SEGMENTS = 200_000  # of a remote; what has more is not read to its end
_NAME = re.compile(r"([0-9a-f]{16})-([0-9a-f]{32})\.jsonl\Z")


class Segment(Record):
    """Some operations of one writer, a line each.

    `name` says which bytes it must have, and is empty for what could not be read; `cursor` where the remote goes on behind it.
    """

    name: str
    writer: str
    data: bytes
    cursor: str = ""


class Epoch(Record):
    """How often a remote was purged, and the ids of the objects and operations that were taken out for good.

    `roots`: the first commits of the history whose memory this is, where a git remote has them noted.
    """

    number: int = 0
    purged: tuple[str, ...] = ()
    roots: tuple[str, ...] = ()


class RemotePosition(Record):
    """How far a remote was read: the names of segments, the tip of each ref, the cursor."""

    names: set[str]
    tips: dict[str, str]
    cursor: str


NOTHING_READ = RemotePosition(set(), {}, "")


class Transport(Protocol):
    """One remote. Every call raises MemError for a remote that cannot be reached, refuses, or takes too long."""

    def open(self, position: RemotePosition) -> bool:
        """Looks at the remote as it is now. Returns whether it may have moved since this position."""

    def epoch(self) -> Epoch:
        """Returns the epoch of the remote as it was looked at."""

    def histories(self) -> dict[str, tuple[str, ...]]:
        """Returns the first commits of the histories whose memory is here, as each part of the remote, by its name, has them."""

    def is_set_back(self, position: RemotePosition) -> bool:
        """Tells whether the remote lacks what it had at this position: it was wiped, replaced, set back or compacted."""

    def contents(self) -> Iterator[tuple[str, list[str]]]:
        """Yields each segment that the remote has: its name, and the ids of its operations."""

    def segments(self, position: RemotePosition) -> Iterator[Segment]:
        """Yields what was not taken in yet. Bytes are as they came: whoever takes them in checks them."""

    def tips(self) -> dict[str, str]:
        """Returns the tip of each ref that `segments` read; empty where a remote has none."""

    def push(self, segments: Sequence[Segment]) -> None:
        """Adds segments, and notes whose history this is. A segment that is there already changes nothing.

        Raises MemError where the remote was purged meanwhile.
        """

    def is_behind(self, epoch: Epoch) -> bool:
        """Tells whether a part of the remote does not know yet that what this epoch purged is purged."""

    def purge(self, epoch: Epoch) -> None:
        """Rewrites what is behind this epoch of the remote, without the purged objects, and forgets the past."""

    def forget_past(self) -> None:
        """Takes out of what is kept beside the store all that the remote has no more."""

    def compact(self, before_ms: int) -> int:
        """Folds what is older into fewer segments. Returns how many segments went."""


class Deadline:
    """A moment after which a remote is not waited for any more."""

    def __init__(self, seconds: float) -> None:
        self.seconds = seconds
        self._end = time.monotonic() + seconds

    def remaining(self) -> float:
        """Returns the seconds that are left. Raises MemError where there are none."""
        seconds = self._end - time.monotonic()
        if seconds <= 0:
            raise too_slow(self.seconds)
        return seconds


def too_slow(seconds: float) -> MemError:
    """Returns the error for a remote that took too long."""
    return MemError(
        f"the remote did not answer within {seconds:g} seconds",
        "nothing is lost; run mem sync again, or allow more with --timeout SECONDS",
        "remote_slow",
    )


def purged_meanwhile() -> MemError:
    """Returns the error for a push that met a purge."""
    return MemError("the remote was purged meanwhile", "nothing was sent; run mem sync again", "remote_purged")


def is_followed(remote: Epoch, epoch: Epoch) -> bool:
    """Tells whether a remote's epoch knows of everything that another epoch purged."""
    return set(epoch.purged) <= set(remote.purged)


def segment_of(writer: str, lines: Sequence[str]) -> Segment:
    """Returns a segment of lines, named after their writer and their bytes."""
    data = "".join([line + "\n" for line in lines]).encode()
    return Segment(f"{writer}-{hashlib.sha256(data).hexdigest()[:32]}.jsonl", writer, data)


def split(writer: str, lines: Sequence[str]) -> list[Segment]:
    """Returns lines as segments, well within the limits of one."""
    segments, pending, size = [], list[str](), 0
    for line in lines:
        length = len(line.encode()) + 1
        if pending and (len(pending) == _LINES_SENT or size + length > SEGMENT_BYTES):
            segments.append(segment_of(writer, pending))
            pending, size = [], 0
        pending.append(line)
        size += length
    return [*segments, segment_of(writer, pending)] if pending else segments


def writer_of(name: str) -> str | None:
    """Returns the writer in a segment's name, None for a name that is none."""
    match = _NAME.match(name)
    return match[1] if match else None


def is_whole(segment: Segment) -> bool:
    """Tells whether a segment has the bytes that its name promises."""
    match = _NAME.match(segment.name)
    return bool(match) and hashlib.sha256(segment.data).hexdigest()[:32] == match[2]  # type: ignore[index]
