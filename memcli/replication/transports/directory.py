"""A shared directory as a remote: a network drive, or one that another program keeps the same on several machines.

    PATH/epoch.json   PATH/history/COMMIT.json   PATH/seg/HH/WRITER-DIGEST.jsonl

A segment is written aside and renamed, so that a reader finds it whole or not at all; nothing is ever changed in place.
"""

from __future__ import annotations

import errno
import os
import stat
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

from memcli import system
from memcli.errors import MemError
from memcli.replication.transports import (
    MAX_SEGMENTS,
    SEGMENT_BYTES,
    Deadline,
    Epoch,
    RemotePosition,
    Segment,
    is_followed,
    is_whole,
    lines,
    purged_meanwhile,
    writer_of,
)
from memcli.replication.transports.epochs import EPOCH_BYTES, MOST_ROOTS, epoch_of, epoch_text, newer, roots_of, roots_to_note
from memcli.text import bounded, files, json

_EPOCH = "epoch.json"
_HISTORY, _HISTORY_BYTES = "history", 1 << 16


class Directory:
    """A remote in a directory."""

    def __init__(self, path: str, deadline: Deadline, roots: tuple[str, ...] = ()) -> None:
        self._path = Path(path)
        self._deadline = deadline
        self._roots = roots
        self._opened = Epoch()

    def open(self, position: RemotePosition) -> bool:
        """Looks at the directory."""
        self._opened = self.epoch()
        return True

    def epoch(self) -> Epoch:
        """Returns the epoch as it is now."""
        if not self._path.is_dir():
            raise MemError(f"no directory: {self._path}", "make it, or mount what it is on", "remote_unreachable")
        path = self._path / _EPOCH
        return epoch_of(bounded.read(str(path), EPOCH_BYTES) or b"", str(path)) if os.path.lexists(path) else Epoch()

    def histories(self) -> dict[str, tuple[str, ...]]:
        """Returns the first commits that each file below `history` names."""
        paths = sorted(self._named(self._path / _HISTORY, lambda name: name.endswith(".json"), MOST_ROOTS))
        return {str(path): _roots_in(bounded.read(str(path), _HISTORY_BYTES) or b"") for path in paths}

    def _note_history(self) -> None:
        """Notes whose history this is, each in a file of its own: two that begin at once do not overwrite each other's."""
        if roots := roots_to_note(self._roots, self.histories()):
            self._write(self._path / _HISTORY / f"{self._roots[0]}.json", json.canonical(roots).encode())

    def tips(self) -> dict[str, str]:
        """Returns nothing: a directory has no refs."""
        return {}

    def segments(self, position: RemotePosition) -> Iterator[Segment]:
        """Yields the segments that were not taken in yet."""
        for path in self._paths():
            self._deadline.remaining()
            if path.name not in position.names:
                yield from self._read(path)

    def is_set_back(self, position: RemotePosition) -> bool:
        """Tells whether a file that was read or written is not there any more."""
        return not position.names <= {path.name for path in self._paths()}

    def contents(self) -> Iterator[tuple[str, list[str]]]:
        """Yields each segment in the directory."""
        for path in self._paths():
            self._deadline.remaining()
            for segment in self._read(path):
                yield segment.name, lines.ids_of(segment)

    def _paths(self) -> list[Path]:
        paths: list[Path] = []
        for number in range(256):
            paths += self._named(self._path / "seg" / f"{number:02x}", writer_of, MAX_SEGMENTS - len(paths))
        return sorted(paths, key=lambda path: path.name)

    def _named(self, folder: Path, is_meant: Callable[[str], object], most: int) -> list[Path]:
        """Returns the files of a folder that are meant, `most` of them at most; none of what is no folder."""
        paths: list[Path] = []
        try:
            with os.scandir(folder) as entries:
                for entry in entries:
                    self._deadline.remaining()
                    if len(paths) < most and is_meant(entry.name) and entry.is_file(follow_symlinks=False):
                        paths.append(Path(entry.path))
        except (FileNotFoundError, NotADirectoryError):
            return []
        except OSError as problem:
            raise _unreadable(problem) from None
        return paths

    def _read(self, path: Path) -> Iterator[Segment]:
        """Yields the segment of a file; one that is too large without its bytes, so that it is counted as refused."""
        yield Segment(path.name, writer_of(path.name) or "", bounded.read(str(path), SEGMENT_BYTES) or b"")

    def push(self, segments: Sequence[Segment]) -> None:
        """Adds segments as files."""
        if not is_followed(self._opened, self.epoch()):
            raise purged_meanwhile()
        self._note_history()
        self._add(segments)

    def _add(self, segments: Sequence[Segment]) -> None:
        for segment in segments:
            self._deadline.remaining()
            path = self._place(segment.name)
            if not any(is_whole(stored) for stored in self._read(path)):  # none there, or damaged
                self._write(path, segment.data)

    def _place(self, name: str) -> Path:
        return self._path / "seg" / name[17:19] / name

    def _write(self, path: Path, data: bytes) -> None:
        try:
            self._make_folder(path.parent)
            files.write(str(path), data.decode(), mode=0o666 & self._allowed())
            files.sync_folder(str(path.parent))
        except OSError as problem:
            raise _unreadable(problem) from None

    def _make_folder(self, folder: Path) -> None:
        """Makes a directory below the shared one, and those above it."""
        if folder.is_dir():
            return
        self._make_folder(folder.parent)
        try:
            folder.mkdir()
        except FileExistsError:
            return  # another store was faster
        inherited = folder.stat().st_mode & stat.S_ISGID
        folder.chmod(inherited | 0o777 & self._allowed())

    def _allowed(self) -> int:
        """Returns what is permitted in the shared directory: what the person's umask leaves, and to a group what it has there.

        A directory whose group all that is made in it gets (setgid) is a group's.
        """
        mode = self._path.stat().st_mode
        return 0o777 & ~system.persons_umask() | (mode & 0o070 if mode & stat.S_ISGID else 0)

    def is_behind(self, epoch: Epoch) -> bool:
        """Tells whether the directory does not know yet what this epoch purged."""
        return not is_followed(self._opened, epoch)

    def purge(self, epoch: Epoch) -> None:
        """Writes the epoch first, so that readers drop the objects; then each segment that has one of them without it."""
        self._opened = newer([epoch, self.epoch()])
        self._write(self._path / _EPOCH, epoch_text(self._opened).encode())
        for path in self._paths():
            for segment in self._read(path):
                remaining = lines.without(segment, set(epoch.purged))
                if remaining is not segment:
                    if remaining is not None:
                        self._write(self._place(remaining.name), remaining.data)
                    path.unlink(missing_ok=True)

    def forget_past(self) -> None:
        """Does nothing: nothing is kept beside the store."""

    def compact(self, before_ms: int) -> int:
        """Folds segments that are older. A reader that lists the directory meanwhile finds each operation at least once."""
        old = [(path, segment) for path in self._paths() for segment in self._read(path) if 0 < lines.newest(segment) < before_ms]
        segments = lines.folded([segment for _, segment in old])
        names = {segment.name for segment in segments}
        if len(names) >= len(old):
            return 0
        self._add(segments)
        for path, segment in old:
            if segment.name not in names:
                path.unlink(missing_ok=True)
        return len(old) - len(names)


def _roots_in(data: bytes) -> tuple[str, ...]:
    try:
        return roots_of(json.loads(data.decode("utf-8", "replace")))
    except json.Malformed:
        return ()


def _unreadable(problem: OSError) -> MemError:
    reason = "no space left" if problem.errno == errno.ENOSPC else (problem.strerror or str(problem)).lower()
    return MemError(f"the shared directory cannot be used: {reason}", "check the path and its permissions", "remote_unreachable")
