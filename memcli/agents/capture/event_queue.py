"""The queue of events: stores what a harness reports, whatever state the store is in, and starts the worker for it."""

from __future__ import annotations

import os
import sys
import time

from memcli import config as settings
from memcli import store
from memcli.agents.capture import normalize
from memcli.errors import InvalidInput, MemError, NotFound
from memcli.project import Where, folder_of, is_stored, locate, now, waits_in_files
from memcli.records import Record
from memcli.repo import head
from memcli.store import inbox, opening
from memcli.store.cache import Cache
from memcli.text import json
from memcli.text.terminal import storable

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from memcli.config import Config
    from memcli.project import Location
    from memcli.store import Connection

QUEUED = "queued"
ANSWERED = "answered"  # an event of which nothing is kept
_SENDERS = ("http", "generic")  # programs of any kind, whose events may come late
_LATE_MS = 30 * 86_400_000  # at most
# Where a session began; most harnesses set the first one, whoever they are.
_START_DIRECTORIES = ("CLAUDE_PROJECT_DIR", "CURSOR_PROJECT_DIR")
LOCK = "worker.lock"  # held as long as a worker runs; the system releases it when the process ends, however it does
_STARTED = b"started\n"
_START_SECONDS = 5.0  # in which a started worker takes the lock; no second one is started meanwhile


class Receipt(Record):
    """The outcome of an event. `status`: queued, or why it was not; `folder`: of the store, "" if there is none.

    `number`: of a prompt within its session, from 1. `db`: the open store; None if it did not take the event, and `problem`
    says why, and whether the event waits in a file or is lost. `cache`: None if the settings cannot be read.
    """

    status: str
    location: Location | None = None
    folder: str = ""
    config: Config | None = None
    event: normalize.HarnessEvent | None = None
    number: int = 0
    db: Connection | None = None
    cache: Cache | None = None
    problem: str = ""

    def close(self) -> None:
        """Closes the store and its cache."""
        for handle in (self.db, self.cache):
            if handle is not None:
                handle.close()


def enqueue(harness: str, event: str, payload: dict[str, Any]) -> Receipt:
    """Stores an event if there is a store: in its queue, else in a file. The caller closes the receipt.

    An agent that leaves its repository for a directory without a store stays in its session: the harness says where it began.
    """
    target = _store_of(_directory_of(payload)) or _store_of_start() or _create_memory(event, _directory_of(payload))
    if target is None:
        return Receipt("no_store")
    location, folder = target
    return enqueue_to(location, folder, harness, event, payload)


def receive(harness: str, event: str, payload: dict[str, Any]) -> Receipt:
    """Opens the store, if there is one, for an event that is only answered. The caller closes the receipt."""
    target = _store_of(_directory_of(payload)) or _store_of_start()
    if target is None:
        return Receipt("no_store")
    location, folder = target
    cache = Cache(folder)
    try:
        config = settings.load(location.root or None, cache.note, cache.keep_note)
        db = inbox.open_queue(os.path.join(folder, "memory.db"))
    except BaseException:
        cache.close()
        raise
    return Receipt(ANSWERED, location, folder, config, normalize.before_call(harness, event, payload, now()), db=db, cache=cache)


def enqueue_to(location: Location, folder: str, harness: str, event: str, payload: dict[str, Any]) -> Receipt:
    """Stores an event in the store in `folder`, which exists: in its queue, else in a file. The caller closes the receipt."""
    path = os.path.join(folder, "memory.db")
    opened = Cache(folder)
    cache: Cache | None = opened
    try:
        config = settings.load(location.root or None, opened.note, opened.keep_note)
    except InvalidInput:  # the event does not come again: it is stored by the defaults, and whoever answers it says what is wrong
        cache, config = None, settings.Config({}, [])
    moment = now()
    queued, reason = prepared(harness, event, payload, config, moment, _position(location))
    if reason:
        return Receipt(reason, location, folder, config, queued, cache=cache)
    at = _timestamp(payload, moment) if harness in _SENDERS else moment
    job = inbox.QueuedEvent(queued.dedupe, harness, queued.session, event, json.canonical(queued.body), at)
    try:
        db, number = _insert(path, folder, job)
    except (MemError, store.Error, OSError) as problem:
        return _put_aside(folder, job, problem, Receipt(QUEUED, location, folder, config, queued, cache=cache))
    return Receipt(queued.body.get("skipped", QUEUED), location, folder, config, queued, number, db, cache)


def _position(location: Location) -> dict[str, str | None]:
    """Returns where an event happens: the working tree, the commit, and the anchor if that differs from the commit."""
    checkout = location.checkout
    root = location.root if head.storable_name(location.root) == location.root else ""  # masked, it would lead nowhere
    position = {"root": root, "commit": checkout.commit if checkout else None}
    if checkout is None or not head.may_await(checkout):
        return position
    from memcli.repo import next_commit

    return {**position, "anchor": next_commit.anchor_at(checkout)}


def prepared(
    harness: str, event: str, payload: dict[str, Any], config: Config, moment: int, position: dict[str, str | None]
) -> tuple[normalize.HarnessEvent, str]:
    """Returns (an event as the queue stores it, why it is skipped, or ""). `position`: root, commit and anchor."""
    queued = normalize.read(harness, event, payload, config["capture.result_chars"], moment)
    queued.body.update({name: storable(value) for name, value in position.items() if value})
    if event != "post-tool-use":
        return queued, ""
    from memcli.agents.capture import own_calls

    if reason := own_calls.skip_reason(queued.body, config["capture.skip_tools"].replace(",", " ").split()):
        cited = own_calls.cited(queued.body) if reason == own_calls.OWN else ""
        if not cited:
            return queued, reason
        for name in ("tool", "tool_id", "input", "result"):
            queued.body.pop(name, None)
        queued.body["cited"] = cited  # shows that the session uses what it was told
    return queued, ""


def _timestamp(payload: dict[str, Any], now: int) -> int:
    """Returns when an event happened, by its timestamp in ms or as text; now, if it has none or an impossible one."""
    value = payload.get("timestamp")
    if isinstance(value, str):
        from memcli.text import dates

        try:
            value = int(value) if value.isascii() and value.isdigit() and len(value) < 16 else dates.parse(value)
        except InvalidInput:
            return now
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        return now
    return int(value) if now - _LATE_MS <= value <= now else now


def named_directory(payload: dict[str, Any]) -> str:
    """Returns the directory that a payload names, or ""."""
    return normalize.text_of(payload, "cwd")


def _directory_of(payload: dict[str, Any]) -> str:
    """Returns the directory that a payload names, if it exists, else the working directory, or "" if that is gone."""
    path = named_directory(payload)
    try:
        return path if path and "\0" not in path and os.path.isdir(path) else os.getcwd()
    except (OSError, UnicodeEncodeError):
        return ""


def _store_of_start() -> tuple[Location, str] | None:
    folders = [os.environ.get(name, "") for name in _START_DIRECTORIES]
    return next((target for folder in folders if os.path.isdir(folder) and (target := _store_of(folder))), None)


def _create_memory(event: str, directory: str) -> tuple[Location, str] | None:
    """Creates a memory in a git repository if the person's settings let hooks do that, else returns None."""
    if event not in ("session-start", "user-prompt") or not directory:
        return None
    try:
        if not settings.load(None, lambda key: None, lambda key, value: None)["capture.begin"]:
            return None
        from memcli.project import open_for_writing

        if locate(Where(directory)).checkout is not None:
            open_for_writing(Where(directory)).close()
    except (MemError, OSError, store.Error):
        return None
    return _store_of(directory)


def _store_of(directory: str) -> tuple[Location, str] | None:
    """Returns (the location of a directory, its store's directory), or None if it has no store."""
    if not directory:
        return None
    try:
        location = locate(Where(directory))
    except NotFound:
        return None
    folder = folder_of(location.repo_id, None)
    try:
        is_known = is_stored(folder) or opening.is_lost(os.path.join(folder, "memory.db"))
    except MemError:  # nobody can see whether it is there
        is_known = bool(folder)
    return (location, folder) if is_known else None  # the events of one that is gone or out of reach wait


def _insert(path: str, folder: str, job: inbox.QueuedEvent) -> tuple[Connection, int]:
    """Puts a job into the store, after those that wait in files. Returns the store, open, and a prompt's number."""
    is_stored(folder)  # raises an error that names the directory which is closed
    db = inbox.open_queue(path)
    try:
        if waits_in_files(folder):
            inbox.take_in(db, folder)
            if inbox.spooled(folder).events and inbox.put_aside(folder, job):
                return db, 0  # more wait than one hook takes in, and they come first
        inbox.put(db, job)
        return db, inbox.prompts(db, job.harness, job.session) if job.event == "user-prompt" and job.harness == "generic" else 0
    except BaseException:
        db.close()
        raise


def _put_aside(folder: str, job: inbox.QueuedEvent, problem: Exception, receipt: Receipt) -> Receipt:
    from memcli import logs
    from memcli.records import replace

    error = problem if isinstance(problem, MemError) else store.explain(problem)
    is_stored = inbox.put_aside(folder, job)
    text = f"{error.message}; the event {'waits in a file until it can be stored' if is_stored else 'is lost'}"
    logs.write("hook", f"{job.harness} {job.event}: {text}")
    return replace(receipt, status=QUEUED if is_stored else "lost", problem=text)


def spawn_worker(folder: str) -> bool:
    """Starts a worker for the store in `folder` unless one runs. Returns whether one was started. Raises OSError.

    The worker has a session of its own and none of our files open, so that the hook's parent neither waits for it nor ends it.
    It signs the lock file once it holds the lock (worker.py): `_STARTED` in it means that one was started and does not run yet.
    """

    from memcli import system

    lock = system.open_private(os.path.join(folder, LOCK), os.O_CREAT | os.O_RDWR)
    try:
        if not system.try_lock(lock):
            return False  # one runs, or is being started
        modified = os.fstat(lock).st_mtime
        if system.signature(lock) == _STARTED and 0 <= time.time() - modified < _START_SECONDS:
            return False
        system.sign(lock, _STARTED)
        os.utime(lock)
    finally:
        os.close(lock)
    # -P: nothing of the working directory is imported.
    system.spawn_detached([sys.executable, "-P", "-m", "memcli", "worker", "run", "--repo", os.path.basename(folder)])
    return True
