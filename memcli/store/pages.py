"""Reading the records of a damaged SQLite file page by page, without SQLite: what one bad page hides, its neighbours still tell.

A page that holds rows is known by its first byte and needs no tree above it, so a lost root, index or header costs nothing.
The format: https://sqlite.org/fileformat2.html
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from struct import unpack
from typing import Any, BinaryIO

Value = int | float | str | bytes | None

SIZE = 4096  # bytes of a page: SQLite's default, and what every store has
_TABLE_LEAF, _INDEX_LEAF, _INDEX_INNER = 13, 10, 2
_WAL_HEADER, _FRAME_HEADER = 32, 24
_LARGEST = 64 * 1024 * 1024  # bytes of one record; more is damage
_MIN_LOCAL = (SIZE - 12) * 32 // 255 - 23
_MAX_LOCAL = {_TABLE_LEAF: SIZE - 35, _INDEX_LEAF: (SIZE - 12) * 64 // 255 - 23, _INDEX_INNER: (SIZE - 12) * 64 // 255 - 23}
_INTEGER_BYTES = (0, 1, 2, 3, 4, 6, 8)  # by serial type


class _Unreadable(Exception):
    """A page or a record is invalid."""


def records(path: str) -> Iterator[tuple[int | None, list[Value]]]:
    """Yields every record that can be read from a database file and the `-wal` beside it, either of which may be missing.

    Of a table: (row number, values). Of an index or a table WITHOUT ROWID: (None, values). What makes no sense is left out.
    """
    with _Pages(path) as pages:
        for number in range(2, pages.count + 1):  # page 1 holds the schema
            try:
                page = pages.read(number)
            except _Unreadable:
                continue
            if page[0] in _MAX_LOCAL:
                yield from _of_page(pages, page)


def cut_off(path: str) -> int:
    """Returns how many pages a file lacks, of those that its header counts; 0 where the header says nothing."""
    with _Pages(path) as pages:
        try:
            header = pages.read(1)
        except _Unreadable:
            return 0
        expected = int.from_bytes(header[28:32], "big") if header.startswith(b"SQLite format 3\0") else 0
        return max(0, expected - pages.count)


class _Pages:
    """The pages of a file after the complete transactions in its write-ahead log."""

    def __init__(self, path: str) -> None:
        self._file = _opened(path)
        self._wal = _opened(path + "-wal")
        self._frames = _committed(self._wal) if self._wal else {}
        size = os.fstat(self._file.fileno()).st_size if self._file else 0
        self.count = max([-(-size // SIZE), *self._frames])

    def __enter__(self) -> _Pages:
        return self

    def __exit__(self, *problem: object) -> None:
        for file in (self._file, self._wal):
            if file:
                file.close()

    def read(self, number: int) -> bytes:
        """Returns one page. The last page of a truncated file is padded with zeros. Raises _Unreadable."""
        offset = self._frames.get(number)
        file, start = (self._file, (number - 1) * SIZE) if offset is None else (self._wal, offset)
        if file is None or not 0 < number <= self.count:
            raise _Unreadable
        try:
            file.seek(start)
            page = file.read(SIZE)
        except OSError:  # a bad sector
            raise _Unreadable from None
        return page.ljust(SIZE, b"\0")


def _opened(path: str) -> BinaryIO | None:
    try:
        return open(path, "rb")
    except FileNotFoundError:
        return None


def _committed(wal: BinaryIO) -> dict[int, int]:
    """Returns where in a write-ahead log the last committed image of each page starts. A log that makes no sense has none."""
    header = wal.read(_WAL_HEADER)
    magic = int.from_bytes(header[:4], "big")
    if len(header) < _WAL_HEADER or magic not in (0x377F0682, 0x377F0683) or int.from_bytes(header[8:12], "big") != SIZE:
        return {}
    order: Any = "big" if magic & 1 else "little"
    salt, sums = header[16:24], _checksum(header[:24], (0, 0), order)
    if header[24:32] != _packed(sums):
        return {}
    pending: dict[int, int] = {}
    images: dict[int, int] = {}
    while len(frame := wal.read(_FRAME_HEADER + SIZE)) == _FRAME_HEADER + SIZE and frame[8:16] == salt:
        sums = _checksum(frame[:8] + frame[_FRAME_HEADER:], sums, order)
        if frame[16:24] != _packed(sums):
            break
        pending[int.from_bytes(frame[:4], "big")] = wal.tell() - SIZE
        if frame[4:8] != b"\0\0\0\0":  # the last frame of a transaction
            images.update(pending)
            pending.clear()
    return images


def _checksum(data: bytes, sums: tuple[int, int], order: Any) -> tuple[int, int]:
    first, second = sums
    for offset in range(0, len(data), 8):
        first = first + int.from_bytes(data[offset : offset + 4], order) + second & 0xFFFFFFFF
        second = second + int.from_bytes(data[offset + 4 : offset + 8], order) + first & 0xFFFFFFFF
    return first, second


def _packed(sums: tuple[int, int]) -> bytes:
    return sums[0].to_bytes(4, "big") + sums[1].to_bytes(4, "big")


def _of_page(pages: _Pages, page: bytes) -> Iterator[tuple[int | None, list[Value]]]:
    """Yields the records of one page, skipping invalid cells."""
    kind = page[0]
    first = 12 if kind == _INDEX_INNER else 8
    cells = min(int.from_bytes(page[3:5], "big"), (SIZE - first) // 2)
    for pointer in range(first, first + 2 * cells, 2):
        start = int.from_bytes(page[pointer : pointer + 2], "big")
        try:
            if start < first + 2 * cells:
                raise _Unreadable
            yield _of_cell(pages, page, start)
        except (_Unreadable, IndexError, UnicodeDecodeError):
            continue


def _of_cell(pages: _Pages, page: bytes, start: int) -> tuple[int | None, list[Value]]:
    kind = page[0]
    length, at = _varint(page, start + 4 if kind == _INDEX_INNER else start)
    number = None
    if kind == _TABLE_LEAF:
        number, at = _varint(page, at)
    if length > _LARGEST:
        raise _Unreadable
    return number, _values(_payload(pages, page, at, length))


def _payload(pages: _Pages, page: bytes, at: int, length: int) -> bytes:
    """Returns the bytes of a record, following it over its overflow pages."""
    limit = _MAX_LOCAL[page[0]]
    local = length
    if length > limit:
        local = _MIN_LOCAL + (length - _MIN_LOCAL) % (SIZE - 4)
        local = local if local <= limit else _MIN_LOCAL
    pieces = [page[at : at + local]]
    if len(pieces[0]) < local:
        raise _Unreadable
    remaining, following = length - local, int.from_bytes(page[at + local : at + local + 4], "big")
    while remaining > 0:
        more = pages.read(following)
        pieces.append(more[4 : 4 + remaining])
        remaining, following = remaining - (SIZE - 4), int.from_bytes(more[:4], "big")
    return b"".join(pieces)


def _values(payload: bytes) -> list[Value]:
    """Returns the values of a record. Raises _Unreadable, IndexError or UnicodeDecodeError for bytes that are none."""
    end, at = _varint(payload, 0)
    kinds = []
    while at < end:
        kind, at = _varint(payload, at)
        kinds.append(kind)
    values: list[Value] = []
    for kind in kinds:
        size = _INTEGER_BYTES[kind] if kind < 7 else 8 if kind == 7 else (kind - 12) // 2 if kind >= 12 else 0
        raw = payload[at : at + size]
        if len(raw) < size or kind in (10, 11):
            raise _Unreadable
        values.append(_value(kind, raw))
        at += size
    if at != len(payload):
        raise _Unreadable
    return values


def _value(kind: int, raw: bytes) -> Value:
    if kind >= 12:
        return raw.decode("utf-8") if kind & 1 else raw
    if kind == 0:
        return None
    if kind in (8, 9):
        return kind - 8
    if kind == 7:
        return float(unpack(">d", raw)[0])
    return int.from_bytes(raw, "big", signed=True)


def _varint(data: bytes, at: int) -> tuple[int, int]:
    """Returns the number that starts at `at`, and where it ends."""
    number = 0
    for index in range(8):
        byte = data[at + index]
        number = number << 7 | byte & 127
        if byte < 128:
            return number, at + index + 1
    return number << 8 | data[at + 8], at + 9
