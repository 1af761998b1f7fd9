"""From a file to what is stored of it: its bytes are read once, hashed, decoded, masked, cut, counted. Opens no store.

The processes of pool.py do this, so what goes in and comes out is plain data.
"""

from __future__ import annotations

import hashlib
import os
import stat
import time
from collections.abc import Sequence
from typing import Any

from memcli.errors import NotFound
from memcli.ingest import rules
from memcli.ingest.chunk import to_chunk
from memcli.ingest.cut import CUT_BY, cut
from memcli.ingest.rules import RULES
from memcli.records import Record, many, replace, values
from memcli.repo.worktree import Top
from memcli.screening import mask
from memcli.store.chunks import Chunk
from memcli.text.files import decoded

_ATTEMPTS = 2  # to read a file that changes meanwhile
_TICK_NS = 50_000_000  # a file system's clock may advance in such steps: a change within one does not show in the time of a file
_COARSE_TICK_NS = 2_000_000_000  # the same where times are whole seconds
_SECOND_NS = 1_000_000_000


class Limits(Record):
    """How files are read. `cut_by` identifies all of it: content that was cut differently is cut again."""

    root: str
    max_bytes: int
    chunk_tokens: int
    overlap_tokens: int
    shown_tokens: int  # of a chunk that packs print
    dry_run: bool = False  # decide whether a file would be stored, and do not cut it

    @property
    def cut_by(self) -> str:
        """The rules and limits in one short text."""
        return f"{CUT_BY} {RULES} {self.chunk_tokens}/{self.overlap_tokens}/{self.shown_tokens}"


class FileToRead(Record):
    """A file, and the hashes of those contents of its path that are stored already and need no cutting. `parses`: see `cut`."""

    path: str
    stored_hashes: tuple[str, ...]
    parses: bool = True


class FileContent(Record):
    """What was read of a file. `error`: why it could not be read; `skipped`: why its content is not stored."""

    path: str
    hash: str = ""
    size: int = 0
    mtime_ns: int = 0  # 0: it changed while it was read, or just before
    is_stored: bool = False
    language: str = ""
    fell_back: str = ""
    masked: tuple[int, ...] = ()  # lines in which a secret was masked
    error: str = ""
    skipped: str = ""
    chunks: tuple[Chunk, ...] = ()  # without id, thread and time


def read_all(limits: Limits, files: Sequence[FileToRead]) -> list[FileContent]:
    """Reads files of one tree. Raises NotFound where the tree itself cannot be opened."""
    try:
        top = Top(limits.root)
    except OSError as problem:
        raise root_gone(limits.root) from problem
    try:
        return [_read(top, limits, file) for file in files]
    finally:
        top.close()


def root_gone(root: str) -> NotFound:
    """Returns the error for a tree that was removed meanwhile."""
    return NotFound(f"{root} is gone or cannot be opened", "run it again where the files are now")


def plain(contents: Sequence[FileContent]) -> list[tuple[object, ...]]:
    """Returns contents as tuples of plain data, which can be sent to another process."""
    return [values(replace(content, chunks=[values(chunk) for chunk in content.chunks])) for content in contents]


def from_plain(rows: Sequence[tuple[Any, ...]]) -> list[FileContent]:
    """Returns the contents from which `plain` made the rows."""
    contents = many(FileContent, rows)
    return [replace(content, chunks=tuple(many(Chunk, content.chunks))) for content in contents]  # type: ignore[arg-type]


def _read(top: Top, limits: Limits, file: FileToRead) -> FileContent:
    path = file.path
    try:
        data, mtime_ns = _read_stable(top, path, limits.max_bytes)
    except (FileNotFoundError, NotADirectoryError):
        return FileContent(path, error="gone")
    except OSError:
        return FileContent(path, error="unreadable")
    if data is None:
        return FileContent(path, error="special file" if mtime_ns < 0 else "too large")
    digest = hashlib.sha1(b"blob %d\0" % len(data) + data, usedforsecurity=False).hexdigest()
    content = FileContent(path, digest, len(data), mtime_ns)
    if digest in file.stored_hashes:
        return replace(content, is_stored=True)
    text = decoded(data)
    skipped = "binary" if text is None else rules.of_text(path, text)
    if text is None or skipped or limits.dry_run:
        return replace(content, skipped=skipped)
    try:
        return _cut(content, text, limits, file.parses)
    except (RecursionError, MemoryError):
        return replace(content, skipped="nested too deep")
    except ImportError:
        raise  # an incomplete installation, not a matter of this file
    except Exception:  # whatever is odd about this file, the others are ingested
        if os.environ.get("MEMPACK_DEBUG"):
            raise
        return replace(content, skipped="failed")


def _cut(content: FileContent, text: str, limits: Limits, parses: bool) -> FileContent:
    masked = mask(text)
    result = cut(content.path, masked.text, limits.chunk_tokens, limits.overlap_tokens, parses)
    chunks = tuple([to_chunk(content.path, piece, limits.shown_tokens, "", 0) for piece in result.pieces])
    lines = _masked_lines(text, masked.text) if masked.rules else ()
    return replace(content, language=result.language, fell_back=result.fell_back, masked=lines, chunks=chunks)


def _masked_lines(text: str, masked: str) -> tuple[int, ...]:
    """Returns the numbers of the lines in which something was masked: of a block of several lines its first."""
    lines = zip(text.split("\n"), masked.split("\n"))
    return tuple([number for number, (before, after) in enumerate(lines, 1) if before != after and after])


def _read_stable(top: Top, path: str, max_bytes: int) -> tuple[bytes | None, int]:
    """Returns a file's bytes and mtime, which is 0 where the bytes may be newer than it says. Raises OSError.

    None for the bytes: the file is larger than `max_bytes`, or, with a time below 0, not a regular file.
    """
    for _ in range(_ATTEMPTS):
        started = time.time_ns()
        file = top.open(path)
        try:
            before = os.fstat(file)
            if not stat.S_ISREG(before.st_mode):
                return None, -1
            data = _bytes(file, max_bytes + 1)
            after = os.fstat(file)
        finally:
            os.close(file)
        if len(data) > max_bytes:
            return None, 0
        if (after.st_size, after.st_mtime_ns) == (before.st_size, before.st_mtime_ns) and len(data) == after.st_size:
            tick = _TICK_NS if after.st_mtime_ns % _SECOND_NS else _COARSE_TICK_NS
            return data, after.st_mtime_ns if started - after.st_mtime_ns > tick else 0
    return data, 0


def _bytes(file: int, max_bytes: int) -> bytes:
    blocks = []
    while max_bytes and (block := os.read(file, min(max_bytes, 1 << 20))):
        blocks.append(block)
        max_bytes -= len(block)
    return b"".join(blocks)
