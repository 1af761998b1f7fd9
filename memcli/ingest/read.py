"""From a file to what is stored of it: its bytes read once, hashed, decoded, masked, cut, counted. Opens no store.

This is the work of the processes in crew.py, so what goes in and comes out is plain data.
"""

from __future__ import annotations

import hashlib
import os
import stat
import time

from memcli.errors import NotFound
from memcli.ingest import rules
from memcli.ingest.chunk import finished
from memcli.ingest.cut import CUT_BY, cut
from memcli.ingest.rules import RULES
from memcli.records import Record, as_dict, many, replace
from memcli.repo.files import Top
from memcli.store.chunks import Chunk
from memcli.text.decoding import decoded
from memcli.text.secrets import mask

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

_AGAIN = 2  # readings of a file that changes meanwhile
_TICK_NS = 50_000_000  # a file system's clock may stand still for as long: a change within is not seen in the time of a file
_COARSE_NS = 2_000_000_000  # the same where times are whole seconds
_SECOND_NS = 1_000_000_000


class Limits(Record):
    """How files are read. `cut_by` names all of it: content that was cut otherwise is cut again."""

    root: str
    most_bytes: int
    chunk_tokens: int
    overlap_tokens: int
    shown_tokens: int  # of a chunk that packs print
    look_only: bool = False  # tell whether it would be taken in, and do not cut

    @property
    def cut_by(self) -> str:
        """The rules and limits in one short text."""
        return f"{CUT_BY} {RULES} {self.chunk_tokens}/{self.overlap_tokens}/{self.shown_tokens}"


class Wanted(Record):
    """A file to read, and the hashes of those contents of its path that are stored already and need no cutting."""

    path: str
    known: tuple[str, ...]


class Content(Record):
    """What was read of a file. `why_not`: it could not be read at all; `skipped`: what is in it is not taken in."""

    path: str
    hash: str = ""
    size: int = 0
    mtime_ns: int = 0  # 0: it changed while it was read, or just before
    known: bool = False
    language: str = ""
    fell_back: str = ""
    masked: int = 0  # rules that found a secret
    why_not: str = ""
    skipped: str = ""
    chunks: tuple[Chunk, ...] = ()  # without id, thread and time


def read_all(limits: Limits, wanted: Sequence[Wanted]) -> list[Content]:
    """Reads files of one tree. Raises NotFound where the tree itself cannot be opened."""
    try:
        top = Top(limits.root)
    except OSError as problem:
        raise gone(limits.root) from problem
    try:
        return [_read(top, limits, one.path, one.known) for one in wanted]
    finally:
        top.close()


def gone(root: str) -> NotFound:
    """Returns what to say of a tree that went away."""
    return NotFound(f"{root} is gone or cannot be opened", "run it again where the files are now")


def plain(contents: Sequence[Content]) -> list[tuple[object, ...]]:
    """Returns the same as tuples of plain data, which can be sent to another process."""
    return [flat(replace(one, chunks=[flat(chunk) for chunk in one.chunks])) for one in contents]


def flat(record: object) -> tuple[object, ...]:
    """Returns a record's values."""
    return tuple(as_dict(record).values())


def from_plain(contents: Sequence[tuple[Any, ...]]) -> list[Content]:
    """Returns what `plain` was given."""
    return [replace(content, chunks=tuple(many(Chunk, content.chunks))) for content in many(Content, contents)]  # type: ignore[arg-type]


def _read(top: Top, limits: Limits, path: str, known: Sequence[str]) -> Content:
    try:
        data, mtime_ns = _steady(top, path, limits.most_bytes)
    except (FileNotFoundError, NotADirectoryError):
        return Content(path, why_not="gone")
    except OSError:
        return Content(path, why_not="unreadable")
    if data is None:
        return Content(path, why_not="special file" if mtime_ns < 0 else "too large")
    name = hashlib.sha1(b"blob %d\0" % len(data) + data, usedforsecurity=False).hexdigest()
    found = Content(path, name, len(data), mtime_ns)
    if name in known:
        return replace(found, known=True)
    text = decoded(data)
    skipped = "binary" if text is None else rules.of_text(path, text)
    if text is None or skipped or limits.look_only:
        return replace(found, skipped=skipped)
    try:
        return _cut(found, text, limits)
    except (RecursionError, MemoryError):
        return replace(found, skipped="nested too deep")
    except ImportError:
        raise  # an installation that is not whole, and no matter of this file
    except Exception:  # whatever is odd about this file, the others are ingested
        if os.environ.get("MEMPACK_DEBUG"):
            raise
        return replace(found, skipped="failed")


def _cut(found: Content, text: str, limits: Limits) -> Content:
    masked = mask(text)
    cut_up = cut(found.path, masked.text, limits.chunk_tokens, limits.overlap_tokens)
    chunks = tuple([finished(found.path, piece, limits.shown_tokens, "", 0) for piece in cut_up.pieces])
    return replace(found, language=cut_up.language, fell_back=cut_up.fell_back, masked=len(masked.rules), chunks=chunks)


def _steady(top: Top, path: str, most: int) -> tuple[bytes | None, int]:
    """Returns a file's bytes and mtime, which is 0 where the bytes may be newer than it tells. Raises OSError.

    No bytes: the file is larger than `most`, or, with a time below 0, no regular file.
    """
    for _ in range(_AGAIN):
        started = time.time_ns()
        file = top.open(path)
        try:
            before = os.fstat(file)
            if not stat.S_ISREG(before.st_mode):
                return None, -1
            data = _bytes(file, most + 1)
            after = os.fstat(file)
        finally:
            os.close(file)
        if len(data) > most:
            return None, 0
        if (after.st_size, after.st_mtime_ns) == (before.st_size, before.st_mtime_ns) and len(data) == after.st_size:
            tick = _TICK_NS if after.st_mtime_ns % _SECOND_NS else _COARSE_NS
            return data, after.st_mtime_ns if started - after.st_mtime_ns > tick else 0
    return data, 0


def _bytes(file: int, most: int) -> bytes:
    blocks = []
    while most and (block := os.read(file, min(most, 1 << 20))):
        blocks.append(block)
        most -= len(block)
    return b"".join(blocks)
