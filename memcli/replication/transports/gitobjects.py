"""Reading trees and files of a remote out of git, with one process for all of them, whatever the remote put there."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator, Sequence

from memcli import system
from memcli.errors import MemError
from memcli.replication.transports import MAX_SEGMENTS, SEGMENT_BYTES, Deadline, too_slow, writer_of
from memcli.replication.transports.gitcommand import Git

_TREE_BYTES = 16 << 20  # of a folder of segments: one has some 80 bytes for each
_TOP_BYTES = 1 << 16  # of the folders above
_SHARD = re.compile(rb"[0-9a-f]{2}\Z")
_FILE, _FOLDER = b"100644", b"40000"
_BLOCK = 1 << 16
_ASKED_AT_ONCE = 400  # objects: the questions fit into a pipe, so that git and we never wait for each other


class Objects:
    """`with Objects(git, deadline) as objects:` reads objects by name."""

    def __init__(self, git: Git, deadline: Deadline) -> None:
        self._git = git
        self._deadline = deadline
        self._buffer = b""

    def __enter__(self) -> Objects:
        self._process = self._git.start("cat-file", "--batch-command", "--buffer")
        return self

    def __exit__(self, *error: object) -> None:
        system.end_group(self._process)

    def content(self, name: str, kind: str, limit: int) -> bytes | None:
        """Returns what an object holds; None where there is none of that kind, or it is larger than `limit` bytes."""
        (content,) = self._contents([name], kind, limit)
        return content

    def blobs(self, names: Sequence[str]) -> Iterator[bytes]:
        """Yields what files hold, nothing of one that is too large or none."""
        for start in range(0, len(names), _ASKED_AT_ONCE):
            for content in self._contents(names[start : start + _ASKED_AT_ONCE], "blob", SEGMENT_BYTES):
                yield content or b""

    def _contents(self, names: Sequence[str], kind: str, limit: int) -> Iterator[bytes | None]:
        """Yields what each object holds. All are asked for before the first answer is read."""
        sizes = self._sizes(names, kind)
        fits = [size is not None and size <= limit for size in sizes]
        self._ask([f"contents {name}" for name, is_read in zip(names, fits) if is_read])
        for size, is_read in zip(sizes, fits):
            if is_read:
                self._line()
            yield self._read((size or 0) + 1)[:-1] if is_read else None

    def _sizes(self, names: Sequence[str], kind: str) -> list[int | None]:
        """Returns the size of each object; None for one that is missing or of another kind."""
        self._ask([f"info {name}" for name in names])
        answers = [self._line().split() for _ in names]
        return [int(words[2]) if len(words) == 3 and words[1] == kind else None for words in answers]

    def _ask(self, commands: Sequence[str]) -> None:
        stdin = self._process.stdin
        assert stdin is not None
        if not commands:
            return
        try:
            stdin.write("\n".join([*commands, "flush", ""]).encode())
            stdin.flush()
        except BrokenPipeError:
            raise _ended() from None

    def _line(self) -> str:
        while b"\n" not in self._buffer:
            self._fill()
        line, _, self._buffer = self._buffer.partition(b"\n")
        return line.decode("utf-8", "replace")

    def _read(self, size: int) -> bytes:
        blocks, missing = [self._buffer[:size]], size - len(self._buffer)
        self._buffer = self._buffer[size:]
        while missing > 0:
            self._fill()
            blocks.append(self._buffer[:missing])
            missing, self._buffer = missing - len(blocks[-1]), self._buffer[missing:]
        return b"".join(blocks)

    def _fill(self) -> None:
        stdout = self._process.stdout
        assert stdout is not None
        if not system.wait_readable(stdout.fileno(), self._deadline.remaining()):
            raise too_slow(self._deadline.seconds)
        block = os.read(stdout.fileno(), _BLOCK)
        if not block:
            raise _ended()
        self._buffer += block

    def entries(self, tree: str, limit: int) -> Iterator[tuple[bytes, bytes, str]]:
        """Yields (mode, name, object) of what a tree lists; nothing where it is none, or has more than `limit` bytes."""
        data = self.content(tree, "tree", limit) or b""
        width = 32 if len(tree.partition("^")[0]) == 64 else 20
        at = 0
        while at < len(data):
            space, end = data.find(b" ", at), data.find(b"\0", at)
            if space < 0 or end < 0:
                return
            yield data[at:space], data[space + 1 : end], data[end + 1 : end + 1 + width].hex()
            at = end + 1 + width

    def _shards(self, tip: str) -> list[str]:
        """Returns the folders of segments in the tree of a commit, each once. Whatever else is there is passed over."""
        folders = {name: tree for mode, name, tree in self.entries(f"{tip}^{{tree}}", _TOP_BYTES) if mode == _FOLDER}
        if b"seg" not in folders:
            return []
        entries = self.entries(folders[b"seg"], _TOP_BYTES)
        return list(dict.fromkeys([tree for mode, name, tree in entries if mode == _FOLDER and _SHARD.match(name)]))

    def smallest_first(self, tips: Iterable[str]) -> list[str]:
        """Returns commits by the size of their folders of segments: one without end keeps nobody from the others."""
        sizes = {tip: sum(size or 0 for size in self._sizes(self._shards(tip), "tree")) for tip in tips}
        return sorted(sizes, key=lambda tip: (sizes[tip], tip))

    def segments(self, tip: str) -> dict[str, str]:
        """Returns name -> object of each segment in the tree of a commit."""
        blobs: dict[str, str] = {}
        for shard in self._shards(tip):
            for mode, name, blob in self.entries(shard, _TREE_BYTES):
                text = name.decode("ascii", "replace")
                if mode == _FILE and writer_of(text):
                    blobs[text] = blob
                if len(blobs) == MAX_SEGMENTS:
                    return blobs
        return blobs

    def segments_of(self, tips: Iterable[str]) -> dict[str, str]:
        """Returns the same of several commits."""
        blobs: dict[str, str] = {}
        for tip in self.smallest_first(tips):
            self._deadline.remaining()
            if len(blobs) < MAX_SEGMENTS:
                blobs |= self.segments(tip)
        return blobs

    def file(self, tip: str, path: str, limit: int) -> bytes | None:
        """Returns a file of a commit, None where there is none, or it is larger than `limit` bytes."""
        return self.content(f"{tip}:{path}", "blob", limit)


def _ended() -> MemError:
    return MemError(
        "git ended while its objects were read", "run mem sync again; mem doctor looks at what is stored", "remote_failed"
    )
