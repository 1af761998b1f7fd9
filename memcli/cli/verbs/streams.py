"""Input that comes from files or, as `-`, from standard input."""

from __future__ import annotations

import os

from memcli.errors import InvalidInput, NotFound

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

MAX_BYTES = 16 << 20  # of one text; memories and states are far smaller
_BLOCK = 1 << 16


def read_text(path: str) -> str:
    """Returns the text of a file, or of standard input for `-`. Raises NotFound or InvalidInput."""
    blocks: list[bytes] = []
    size = 0
    for block in _blocks(path):
        blocks.append(block)
        size += len(block)
        if size > MAX_BYTES:
            raise InvalidInput(f"more than {MAX_BYTES >> 20} MiB of input", "the limit is far above any memory; split it")
    return _decoded(b"".join(blocks))


def read_lines(path: str) -> Iterator[str]:
    """Yields the lines of a file, or of standard input for `-`. Raises NotFound or InvalidInput."""
    pieces: list[bytes] = []  # of the line that goes on
    size = 0
    for block in _blocks(path):
        *lines, rest = block.split(b"\n")
        if lines:
            lines[0] = b"".join([*pieces, lines[0]])
            pieces, size = [], 0
            for line in lines:
                yield _decoded(line)
        pieces.append(rest)
        size += len(rest)
        if size > MAX_BYTES:
            raise InvalidInput(f"a line of more than {MAX_BYTES >> 20} MiB", "write one JSON object a line")
    if (last := b"".join(pieces)).strip():
        yield _decoded(last)


def size_of(path: str) -> int:
    """Returns a file's size in bytes, 0 where it is not known."""
    try:
        return os.stat(path).st_size if path != "-" else 0
    except OSError:
        return 0


def _blocks(path: str) -> Iterator[bytes]:
    try:
        handle = 0 if path == "-" else os.open(path, os.O_RDONLY)
        try:
            while block := os.read(handle, _BLOCK):
                yield block
        finally:
            if handle:
                os.close(handle)
    except FileNotFoundError:
        raise NotFound(f"no file {path}", "check the path, or give - for standard input") from None
    except OSError as problem:
        raise InvalidInput(
            f"{path} cannot be read: {(problem.strerror or '').lower()}", "check the path and its permissions"
        ) from None


def _decoded(data: bytes) -> str:
    try:
        return data.decode("utf-8-sig" if data.startswith(b"\xef\xbb\xbf") else "utf-8")
    except UnicodeDecodeError as problem:
        raise InvalidInput(f"the input is not valid UTF-8 at byte {problem.start}", "encode it as UTF-8", "encoding") from None
