"""One run of ingestion: batches of files read by one or many processes and written by this one, and what came of it."""

from __future__ import annotations

from memcli.ingest import crew
from memcli.ingest.read import Wanted
from memcli.records import Record
from memcli.store import trees
from memcli.store.db import sync_commits, transaction

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from memcli.ingest.keep import Keeper
    from memcli.ingest.read import Content, Limits
    from memcli.ingest.walk import Seen
    from memcli.project import Project
    from memcli.store.db import Connection
    from memcli.store.trees import Kept

    Tick = Callable[[int, int], None]
    """Told how many files were done, of how many."""

_ALONE = 1_500_000  # bytes to be read up to which starting further processes costs more than it brings
_JOB = 200_000  # bytes of a job, about
_JOB_FILES = 200
_BATCH = 1_000  # chunks that are written in a transaction, about: a quarter of a second in which others wait to write
_BATCH_FILES = 500
_BULK = 300  # files from which the text index is set to take many rows
_BULK_INDEX = (16, 16 << 20)
_INDEX = (4, 1 << 20)  # how it is otherwise: migration 0007; FTS5's own default
_MERGED = 500  # pages of the text index that are written in a transaction when it is tidied, 4 KiB each
_ROUNDS = 3  # times that a file is looked at because another process wrote meanwhile
GONE = "gone"


class Summary(Record):
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


class Run:
    """A run over one tree: what is seen of it, what is kept of it, and the numbers while they grow."""

    def __init__(self, project: Project, keeper: Keeper, seen: Seen, kept: dict[str, Kept]) -> None:
        self.project = project
        self.db = project.db
        self.keeper = keeper
        self.seen = seen
        self.kept = kept
        self.skipped = dict(seen.skipped)
        self.new = self.changed = self.removed = self.bytes = self.masked = self.fell_back = 0
        self._again: list[str] = []
        self._left_out = 0  # of the files seen
        self._is_bulk = False
        sync_commits(self.db, False)  # whatever is lost with the power is read again; nothing breaks

    def drop(self, gone: Sequence[Kept]) -> None:
        """Takes out what is no longer there, and first of all: what was renamed gets its ids back."""
        for start in range(0, len(gone), _BATCH_FILES):
            with transaction(self.db):
                self.removed += len([was for was in gone[start : start + _BATCH_FILES] if self.keeper.drop(was)])

    def read(self, todo: list[str], tick: Tick) -> None:
        """Reads files and writes what they hold now."""
        self._set_bulk(len(todo) >= _BULK)
        total, done = len(todo), 0
        for _ in range(_ROUNDS):
            for batch in _batches(self._contents(todo)):
                with transaction(self.db):
                    for content in batch:
                        self._take(content)
                done += len(batch)
                tick(min(done, total), total)
            todo, self._again = self._again, []
            if not todo:
                break
            fresh = {one.path: one for one in trees.kept(self.db, self.keeper.tree)}
            for path in todo:
                self.kept.pop(path, None)
                self.kept.update({path: fresh[path]} if path in fresh else {})

    def _contents(self, todo: Sequence[str]) -> Iterator[list[Content]]:
        limits = self.keeper.limits
        wanted = [Wanted(path, tuple(trees.known(self.db, path, limits.cut_by))) for path in todo]
        jobs = _jobs(wanted, self.seen)
        size = min(crew.cores(), crew.MOST)
        if size < 2 or len(jobs) < 2 or sum([self.seen.files[path][0] for path in todo]) < _ALONE:
            return crew.alone(limits, jobs)
        return crew.together(limits, jobs, size)

    def _take(self, content: Content) -> None:
        path = content.path
        was = self.kept.get(path)
        if content.why_not:
            if was is not None and self.keeper.drop(was):
                self.removed += 1
            self._left_out += 1
            return count(self.skipped, content.why_not)
        if not self.keeper.put(content, was):
            return self._again.append(path)
        self.bytes += content.size
        self.masked += content.masked > 0
        self.fell_back += bool(content.fell_back)
        if content.skipped:
            self._left_out += 1
            count(self.skipped, content.skipped)
        elif was is None:
            self.new += 1
        elif was.hash != content.hash:
            self.changed += 1

    def set_thread(self, thread: str | None, todo: Sequence[str]) -> None:
        """Moves the chunks of the files that needed no reading to the thread that was named."""
        if thread is None:
            return
        read = set(todo)
        with transaction(self.db):
            for path, was in self.kept.items():
                if path in self.seen.files and path not in read:
                    trees.set_thread(self.db, was.artifact, thread)

    def end(self, whole: bool, todo: Sequence[str]) -> None:
        """Counts what was left out as before, takes out the trees that are gone, tidies the index, notes the time."""
        read = set(todo)
        for path, was in self.kept.items():
            if was.skipped and path in self.seen.files and path not in read:
                self._left_out += 1
                count(self.skipped, was.skipped)
        self._drop_trees()
        with transaction(self.db):
            trees.remove_restored(self.db)
            if whole:
                trees.ended(self.db, self.keeper.tree, self.project.now)
        was_bulk = self._is_bulk or trees.index_is_bulk(self.db, _INDEX[0])  # by a run that was killed
        self._is_bulk = was_bulk
        self._set_bulk(False)
        if was_bulk or self.removed >= _BULK:
            _merge_all(self.db)
        elif self.keeper.added or self.keeper.removed:
            with transaction(self.db):
                trees.merge(self.db, _MERGED)
        sync_commits(self.db, True)

    def _drop_trees(self) -> None:
        """Takes out what is kept of trees that are gone: a linked working tree that was removed, a clone that was deleted."""
        for tree in trees.every(self.db):
            if tree.n == self.keeper.tree or not trees.is_gone(tree):
                continue
            other = self.keeper.of_tree(tree.n)
            gone = trees.kept(self.db, tree.n)
            for start in range(0, len(gone), _BATCH_FILES):
                with transaction(self.db):
                    for was in gone[start : start + _BATCH_FILES]:
                        other.drop(was)
            with transaction(self.db):
                trees.leave(self.db, tree.n)
            self.keeper.removed += other.removed

    def _set_bulk(self, wanted: bool) -> None:
        if wanted != self._is_bulk:
            self._is_bulk = wanted
            with transaction(self.db):
                trees.set_index(self.db, *(_BULK_INDEX if wanted else _INDEX))

    def summary(self) -> Summary:
        """Returns what came of it."""
        unchanged = len(self.seen.files) - self.new - self.changed - self._left_out
        numbers = (self.new, self.changed, unchanged, self.removed, dict(sorted(self.skipped.items())))
        chunks = (self.keeper.added, self.keeper.removed)
        return Summary(self.keeper.limits.root, *numbers, *chunks, self.bytes, self.masked, self.fell_back)


def _merge_all(db: Connection) -> None:
    """Makes one segment of the text index, a piece at a time: nobody who wants to write waits long."""
    pages = -_MERGED
    while True:
        with transaction(db):
            if not trees.merge(db, pages):
                return
        pages = _MERGED


def foretell(limits: Limits, seen: Seen, kept: dict[str, Kept], todo: list[str]) -> Summary:
    """Returns what a run would do. Files are read, but not cut, and nothing is written."""
    new = changed = size = left_out = 0
    gone = len([path for path in kept if path not in seen.files])
    skipped = dict(seen.skipped)
    for contents in crew.alone(limits, _jobs([Wanted(path, ()) for path in todo], seen)):
        for one in contents:
            was = kept.get(one.path)
            size += one.size
            reason = one.why_not or one.skipped
            gone += bool(one.why_not and was)
            if reason:
                left_out += 1
                count(skipped, reason)
            elif was is None:
                new += 1
            elif was.hash != one.hash:
                changed += 1
    read = set(todo)
    for path, was in kept.items():
        if was.skipped and path in seen.files and path not in read:
            left_out += 1
            count(skipped, was.skipped)
    numbers = (new, changed, len(seen.files) - new - changed - left_out, gone, dict(sorted(skipped.items())))
    return Summary(limits.root, *numbers, 0, 0, size, 0, 0)


def count(skipped: dict[str, int], reason: str) -> None:
    """Counts a file that is left out; one that vanished counts nowhere."""
    if reason != GONE:
        skipped[reason] = skipped.get(reason, 0) + 1


def _jobs(wanted: Sequence[Wanted], seen: Seen) -> list[list[Wanted]]:
    """Returns the files in jobs of about the same size."""
    jobs: list[list[Wanted]] = []
    room = -1
    for one in wanted:
        size = seen.files[one.path][0]
        if room < size or len(jobs[-1]) >= _JOB_FILES:
            jobs.append([])
            room = max(_JOB, size)
        jobs[-1].append(one)
        room -= size
    return jobs


def _batches(contents: Iterator[list[Content]]) -> Iterator[list[Content]]:
    """Yields what was read in portions that are written at once."""
    batch: list[Content] = []
    chunks = 0
    for some in contents:
        for one in some:
            batch.append(one)
            chunks += len(one.chunks)
            if chunks >= _BATCH or len(batch) >= _BATCH_FILES:
                yield batch
                batch, chunks = [], 0
    if batch:
        yield batch
