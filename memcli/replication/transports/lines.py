"""Lines of batches, as a purge and a compaction see them: whose they are, what they are about, when they were written."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from typing import Any

from memcli.replication.transports import Segment, batch_of, split
from memcli.text import json


def lines_of(batch: Segment) -> list[str]:
    """Returns the lines of a batch; what is no UTF-8 in them is replaced."""
    return batch.data.decode("utf-8", "replace").removesuffix("\n").split("\n") if batch.data else []


def without(batch: Segment, purged: Collection[str]) -> Segment | None:
    """Returns a batch without the operations on purged objects; None where nothing is left. The same batch where it has none."""
    lines = lines_of(batch)
    remaining = [line for line in lines if _field(line, "o") not in purged]
    if len(remaining) == len(lines):
        return batch
    return batch_of(batch.writer, remaining) if remaining else None


def newest(batch: Segment) -> int:
    """Returns the moment of a batch's newest operation in ms since 1970; 0 where no line has one."""
    return max([clock[0] for line in lines_of(batch) if (clock := _clock(line))], default=0)


def folded(batches: Iterable[Segment]) -> list[Segment]:
    """Returns the same operations in as few batches as they fit in, a writer's in the order of their clock, each line once."""
    by_writer: dict[str, dict[str, tuple[int, ...]]] = {}
    for batch in batches:
        by_writer.setdefault(batch.writer, {}).update({line: _clock(line) for line in lines_of(batch)})
    return [
        batch
        for writer, clocks in sorted(by_writer.items())
        for batch in split(writer, sorted(clocks, key=lambda line: (clocks[line], line)))
    ]


def _clock(line: str) -> tuple[int, ...]:
    clock = _field(line, "hlc")
    is_clock = isinstance(clock, list) and len(clock) == 2 and all(type(value) is int for value in clock)
    return tuple(clock) if is_clock else ()


def _field(line: str, name: str) -> Any:
    try:
        value = json.loads(line)
    except json.Malformed:
        return None
    return value.get(name) if isinstance(value, dict) else None
