"""Events that could not be put into the store, as files beside it: one JSON object a line, with the fields of a Job.

A file appears whole, by a rename, and goes when what it holds is in the store. A taker that is killed in between leaves it, and
it is taken again: the store knows an event by its `dedupe`.
"""

from __future__ import annotations

import os
import time

from memcli import config
from memcli.records import Record, as_dict
from memcli.store import jobs
from memcli.store.db import sync_commits, transaction
from memcli.store.jobs import Job
from memcli.text import json

TYPE_CHECKING = False
if TYPE_CHECKING:
    from apsw import Connection

FOLDER = "spool"
MOST = 5_000  # files in one directory: a store that nobody repairs must not fill the disk
_AT_ONCE = 200  # files that one writer takes in: the next takes the rest
_LARGEST = 1 << 20  # bytes of a file that can be one of ours
_STALE = 3_600  # seconds after which a file that is still being written is not


class Waiting(Record):
    """How many events wait in files, since when (ms since 1970) the oldest does, and how many files hold none that is ours."""

    events: int
    oldest: int | None
    unreadable: int


def waiting(folder: str) -> Waiting:
    """Counts what waits in files for the store in `folder`, by their names alone."""
    names: list[str] = []
    for place in folders(folder):
        try:
            names += [] if os.path.islink(place) else os.listdir(place)
        except OSError:
            continue
    ours = sorted([name for name in names if name.endswith(".jsonl")])
    began = ours[0].partition("-")[0] if ours else ""
    bad = len([name for name in names if name.endswith(".jsonl.bad")])
    return Waiting(len(ours), int(began) if began.isascii() and began.isdigit() else None, bad)


def folders(folder: str) -> tuple[str, str]:
    """Returns the directories for the events of a store: beside it and, where that cannot be written, in the data directory."""
    name = os.path.relpath(folder, config.data_dir()).replace(os.sep, "-")
    return os.path.join(folder, FOLDER), os.path.join(config.data_dir(), FOLDER, name)


def put_aside(folder: str, job: Job) -> bool:
    """Writes an event into a file of its own, readable only by its owner. Returns False where that is not possible."""
    line = (json.dumps(as_dict(job)) + "\n").encode()
    name = f"{job.created_at:014d}-{time.monotonic_ns():020d}-{os.getpid()}-{os.urandom(3).hex()}"
    return any(_write(place, name, line) for place in folders(folder))


def _write(place: str, name: str, line: bytes) -> bool:
    part = os.path.join(place, f"{name}.part")
    try:
        os.makedirs(place, mode=0o700, exist_ok=True)
        if os.path.islink(place) or len(os.listdir(place)) >= MOST:
            return False
        handle = os.open(part, os.O_CREAT | os.O_EXCL | os.O_WRONLY | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600)
    except OSError:
        return False
    try:
        try:
            left = memoryview(line)
            while left:
                left = left[os.write(handle, left) :]
        finally:
            os.close(handle)
        os.rename(part, os.path.join(place, f"{name}.jsonl"))
    except OSError:
        _remove(part)
        return False
    return True


def take_in(db: Connection, folder: str) -> int:
    """Puts what waits in files into the store, oldest first, and removes the files. Returns how many events were new.

    Raises apsw.Error where the store refuses; the files stay then.
    """
    taken = 0
    for place in folders(folder):
        try:
            names = [] if os.path.islink(place) else sorted(os.listdir(place))
        except OSError:
            continue
        taken += _take_from(db, place, [name for name in names if name.endswith(".jsonl")][:_AT_ONCE])
        for name in names:
            if name.endswith(".part"):
                _remove_stale(os.path.join(place, name))
        try:
            os.rmdir(place)  # so that nobody looks into it again
            os.rmdir(os.path.dirname(place))
        except OSError:
            pass
    return taken


def _take_from(db: Connection, place: str, names: list[str]) -> int:
    found = {os.path.join(place, name): _read(os.path.join(place, name)) for name in names}
    if not found:
        return 0
    taken = 0
    sync_commits(db, True)  # the files are gone afterwards
    with transaction(db):
        for known in found.values():
            taken += sum([jobs.put(db, job) for job in known or ()])
    for path, known in found.items():
        if known is None:
            os.rename(path, path + ".bad")
        else:
            _remove(path)
    return taken


def _read(path: str) -> list[Job] | None:
    """Returns the events in a file, None where it is not one of ours."""
    try:
        handle = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    except FileNotFoundError:
        return []
    except OSError:
        return None
    try:
        content = os.read(handle, _LARGEST)
        values = [json.loads(line) for line in content.decode("utf-8").splitlines()]
        known = [Job(**value) for value in values]
    except (OSError, ValueError, TypeError):
        return None
    finally:
        os.close(handle)
    texts = all(isinstance(part, str) for job in known for part in list(as_dict(job).values())[:-1])
    return known if texts and all(isinstance(job.created_at, int) for job in known) else None


def _remove_stale(path: str) -> None:
    try:
        if time.time() - os.lstat(path).st_mtime > _STALE:
            os.unlink(path)
    except OSError:
        pass


def _remove(path: str) -> None:
    try:
        os.unlink(path)
    except OSError:
        pass
