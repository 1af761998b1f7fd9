"""Lines of segments, as a purge and a compaction see them: whose they are, what they are about, when they were written."""

from __future__ import annotations

from collections.abc import Iterable, Set
from typing import Any

from memcli.replication.transports import Segment, segment_of, split
from memcli.text import json


def lines_of(segment: Segment) -> list[str]:
    """Returns the lines of a segment; what is no UTF-8 in them is replaced."""
    return segment.data.decode("utf-8", "replace").removesuffix("\n").split("\n") if segment.data else []


def ids_of(segment: Segment) -> list[str]:
    """Returns the ids of a segment's operations."""
    return [name for line in lines_of(segment) if isinstance(name := _field(line, "id"), str)]


def without(segment: Segment, purged: Set[str]) -> Segment | None:
    """Returns a segment without what is purged, operations or objects: None where nothing is left, the same where it has none."""
    lines = lines_of(segment)
    remaining = [line for line in lines if not {str(_field(line, "o")), str(_field(line, "id"))} & purged]
    if len(remaining) == len(lines):
        return segment
    return segment_of(segment.writer, remaining) if remaining else None


def newest(segment: Segment) -> int:
    """Returns the moment of a segment's newest operation in ms since 1970; 0 where no line has one."""
    return max([clock[0] for line in lines_of(segment) if (clock := _clock(line))], default=0)


def folded(segments: Iterable[Segment]) -> list[Segment]:
    """Returns the same operations in as few segments as they fit in, a writer's in the order of their clock, each line once."""
    by_writer: dict[str, dict[str, tuple[int, ...]]] = {}
    for segment in segments:
        by_writer.setdefault(segment.writer, {}).update({line: _clock(line) for line in lines_of(segment)})
    return [
        segment
        for writer, clocks in sorted(by_writer.items())
        for segment in split(writer, sorted(clocks, key=lambda line: (clocks[line], line)))
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
