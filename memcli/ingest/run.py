"""One run of ingestion: batches of files, read by one or more processes and written by this one, and the counts."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING

from memcli import system
from memcli.ingest import pool
from memcli.ingest.cut import is_harmless
from memcli.ingest.read import FileContent, FileToRead, Limits
from memcli.ingest.walk import TreeFiles, count_skipped
from memcli.ingest.writer import TreeWriter
from memcli.project import Project
from memcli.records import Record
from memcli.store import sync_commits, transaction, trees
from memcli.store.trees import TreeFile

if TYPE_CHECKING:
    from memcli.store import Connection

Progress = Callable[[int, int], None]
"""Called with the number of files that are done, and of all files."""

_MIN_PARALLEL = 1_500_000  # bytes to read; for fewer, starting more processes costs more than it saves
_JOB_BYTES = 200_000  # about
_JOB_FILES = 200
_BATCH_CHUNKS = 1_000  # written in a transaction, about: for a quarter of a second nobody else can write
_BATCH_FILES = 500
_BULK_FILES = 300  # from which on the text index is set for many rows
_BULK_INDEX = (16, 16 << 20)
_INDEX = (4, 1 << 20)  # its normal settings: migration 0007; FTS5's own default
_MERGE_PAGES = 500  # of the text index that are written in a transaction when it is merged, 4 KiB each
_MASKED_NAMED = 100  # lines with secrets that a summary names
_ROUNDS = 3  # attempts to read a file that another process writes meanwhile


class IngestSummary(Record):
    """What was done (or, in a dry run, would be): numbers of files, chunks and bytes; `skipped` by reason."""

    root: str
    new: int
    changed: int
    unchanged: int
    removed: int
    skipped: dict[str, int]
    chunks_added: int
    chunks_removed: int
    read_bytes: int
    masked: int  # files in which a secret was masked
    fell_back: int  # files whose structure could not be used
    masked_in: tuple[str, ...] = ()  # where: path:line, the first of them


class Run:
    """A run over one tree: its files, what the store has of it, and the counts while they grow."""

    def __init__(self, project: Project, writer: TreeWriter, files: TreeFiles, stored: dict[str, TreeFile]) -> None:
        self.project = project
        self.db = project.db
        self.writer = writer
        self.files = files
        self.stored = stored
        self.counts = _FileCounts(files)
        self._retry: list[str] = []
        self._is_bulk = False
        sync_commits(self.db, False)  # whatever is lost with the power is read again; nothing breaks

    def drop(self, gone: Sequence[TreeFile]) -> None:
        """Removes files that are gone, and first of all: what was renamed gets its ids back."""
        for start in range(0, len(gone), _BATCH_FILES):
            with transaction(self.db):
                self.counts.removed += len([file for file in gone[start : start + _BATCH_FILES] if self.writer.drop(file)])

    def read(self, todo: list[str], progress: Progress) -> None:
        """Reads files and stores their contents."""
        self._set_bulk(len(todo) >= _BULK_FILES)
        total, done = len(todo), 0
        for _ in range(_ROUNDS):
            for batch in _batches(self._contents(todo)):
                with transaction(self.db):
                    for content in batch:
                        self._write(content)
                done += len(batch)
                progress(min(done, total), total)
            todo, self._retry = self._retry, []
            if not todo:
                break
            # Another process was faster: compare with what it has written.
            fresh = {file.path: file for file in trees.files_of(self.db, self.writer.tree)}
            for path in todo:
                self.stored.pop(path, None)
                if path in fresh:
                    self.stored[path] = fresh[path]

    def _contents(self, todo: Sequence[str]) -> Iterator[list[FileContent]]:
        limits = self.writer.limits
        jobs = _jobs([FileToRead(path, tuple(trees.stored_hashes(self.db, path, limits.cut_by))) for path in todo], self.files)
        sizes = [(path, self.files.stamps[path][0]) for path in todo]
        processes = min(system.cores(), pool.MAX_PROCESSES) if sum([size for _, size in sizes]) >= _MIN_PARALLEL else 1
        if (processes < 2 or len(jobs) < 2) and all(is_harmless(path, size) for path, size in sizes):
            return pool.read_here(limits, jobs)
        return pool.read_in_processes(limits, jobs, processes)

    def _write(self, content: FileContent) -> None:
        before = self.stored.get(content.path)
        if content.error:
            removed = before is not None and self.writer.drop(before)
            self.counts.add(content, before, removed)
        elif self.writer.put(content, before):
            self.counts.add(content, before)
        else:
            self._retry.append(content.path)

    def set_thread(self, thread: str | None, todo: Sequence[str]) -> None:
        """Moves the chunks of the files that needed no reading to the thread that was given."""
        if thread is None:
            return
        read = set(todo)
        with transaction(self.db):
            for path, file in self.stored.items():
                if path in self.files.stamps and path not in read:
                    trees.set_thread(self.db, file.artifact, thread)

    def end(self, whole: bool, todo: Sequence[str]) -> None:
        """Counts what is still skipped, removes the trees that are gone, merges the index, records the time."""
        self.counts.add_still_skipped(self.stored, todo)
        self._drop_trees()
        with transaction(self.db):
            trees.remove_restored(self.db)
            if whole:
                trees.note_read_whole(self.db, self.writer.tree, self.project.now)
        was_bulk = self._is_bulk or trees.index_is_bulk(self.db, _INDEX[0])  # by a run that was killed
        self._is_bulk = was_bulk
        self._set_bulk(False)
        if was_bulk or self.counts.removed >= _BULK_FILES:
            _merge_all(self.db)
        elif self.writer.added or self.writer.removed:
            with transaction(self.db):
                trees.merge(self.db, _MERGE_PAGES)
        sync_commits(self.db, True)

    def _drop_trees(self) -> None:
        """Removes trees that are gone: a linked working tree that was removed, a clone that was deleted."""
        for tree in trees.all_trees(self.db):
            if tree.n == self.writer.tree or not trees.is_gone(tree):
                continue
            writer = self.writer.of_tree(tree.n)
            files = trees.files_of(self.db, tree.n)
            for start in range(0, len(files), _BATCH_FILES):
                with transaction(self.db):
                    for file in files[start : start + _BATCH_FILES]:
                        writer.drop(file)
            with transaction(self.db):
                trees.remove_if_empty(self.db, tree.n)
            self.writer.removed += writer.removed

    def _set_bulk(self, is_bulk: bool) -> None:
        if is_bulk != self._is_bulk:
            self._is_bulk = is_bulk
            with transaction(self.db):
                trees.set_index(self.db, *(_BULK_INDEX if is_bulk else _INDEX))

    def summary(self) -> IngestSummary:
        """Returns the counts."""
        return self.counts.summary(self.writer.limits.root, self.writer.added, self.writer.removed)


class _FileCounts:
    """What happened to the files of a tree."""

    def __init__(self, files: TreeFiles) -> None:
        self.files = files
        self.skipped = dict(files.skipped)
        self.new = self.changed = self.removed = self.bytes = self.masked = self.fell_back = 0
        self.masked_in: list[str] = []
        self._not_stored = 0  # of the files of the tree

    def add(self, content: FileContent, before: TreeFile | None, removed: bool = False) -> None:
        """Counts a file that was read. `removed`: it could not be read, and was removed from the store."""
        self.removed += removed
        self.bytes += content.size
        self.masked += bool(content.masked)
        self.masked_in += [f"{content.path}:{line}" for line in content.masked][: _MASKED_NAMED - len(self.masked_in)]
        self.fell_back += bool(content.fell_back)
        if reason := content.error or content.skipped:
            self._not_stored += 1
            count_skipped(self.skipped, reason)
        elif before is None:
            self.new += 1
        elif before.hash != content.hash:
            self.changed += 1

    def add_still_skipped(self, stored: dict[str, TreeFile], todo: Sequence[str]) -> None:
        """Counts the files that were skipped before and needed no reading."""
        read = set(todo)
        for path, file in stored.items():
            if file.skipped and path in self.files.stamps and path not in read:
                self._not_stored += 1
                count_skipped(self.skipped, file.skipped)

    def summary(self, root: str, chunks_added: int, chunks_removed: int) -> IngestSummary:
        """Returns the counts."""
        unchanged = len(self.files.stamps) - self.new - self.changed - self._not_stored
        numbers = (self.new, self.changed, unchanged, self.removed, dict(sorted(self.skipped.items())))
        sizes = (chunks_added, chunks_removed, self.bytes, self.masked, self.fell_back)
        return IngestSummary(root, *numbers, *sizes, tuple(sorted(self.masked_in)))


def preview(limits: Limits, files: TreeFiles, stored: dict[str, TreeFile], todo: list[str]) -> IngestSummary:
    """Returns what a run would do. Files are read, but not cut, and nothing is written."""
    counts = _FileCounts(files)
    counts.removed = len([path for path in stored if path not in files.stamps])
    for contents in pool.read_here(limits, _jobs([FileToRead(path, ()) for path in todo], files)):
        for content in contents:
            before = stored.get(content.path)
            counts.add(content, before, bool(content.error and before))
    counts.add_still_skipped(stored, todo)
    return counts.summary(limits.root, 0, 0)


def _merge_all(db: Connection) -> None:
    """Merges the text index into one segment, in steps: nobody who wants to write waits long."""
    pages = -_MERGE_PAGES  # a negative number first: it begins the merge of all segments
    while True:
        with transaction(db):
            if not trees.merge(db, pages):
                return
        pages = _MERGE_PAGES


def _jobs(todo: Sequence[FileToRead], files: TreeFiles) -> list[list[FileToRead]]:
    """Returns the files in jobs of about the same size."""
    jobs: list[list[FileToRead]] = []
    room = -1
    for file in todo:
        size = files.stamps[file.path][0]
        if room < size or len(jobs[-1]) >= _JOB_FILES:
            jobs.append([])
            room = max(_JOB_BYTES, size)
        jobs[-1].append(file)
        room -= size
    return jobs


def _batches(results: Iterator[list[FileContent]]) -> Iterator[list[FileContent]]:
    """Yields contents in batches, each for a transaction."""
    batch: list[FileContent] = []
    chunks = 0
    for contents in results:
        for content in contents:
            batch.append(content)
            chunks += len(content.chunks)
            if chunks >= _BATCH_CHUNKS or len(batch) >= _BATCH_FILES:
                yield batch
                batch, chunks = [], 0
    if batch:
        yield batch
