"""The worker's loop inside the service: a thread for each store with work, where no other worker holds the store's lock."""

from __future__ import annotations

import threading
import time
from typing import Any

from memcli import store
from memcli.agents.capture import worker
from memcli.agents.turns import context_file
from memcli.errors import MemError
from memcli.http import logs, stores
from memcli.models import compressors
from memcli.project import DEFAULT_WORKSPACE, Where, locate, now, open_for_reading, waits_in_files
from memcli.repo import head
from memcli.store import queue
from memcli.text import dates

MAX_LOOPS = 4  # stores that are worked on at once
_RETRY_AFTER = 30.0  # seconds after which a store whose loop yielded its slot is scheduled again
_SCAN_EVERY = 10.0  # seconds between two scans of every store of this machine
_QUIET, _MAX_HOLD = 0.04, 0.5  # seconds without an event after which work goes on, and for which it is held back at most
_STOP_TIMEOUT = 8.0  # seconds for loops to finish their job
_COUNTS = ("pending", "processing", "stuck", "failed")


class _StoreRun(worker.RunControl):
    """One store's loop: when it holds its work back, and whether it leaves its slot to another store."""

    def __init__(self, workers: Workers, last_event: float) -> None:
        super().__init__()
        self.last_event = last_event  # seconds of the monotonic clock
        self.leaves = False
        self._workers = workers

    def wait_before_job(self) -> None:
        """Lets a burst of events be stored before they are processed, because their senders wait for an answer.

        Waits until no event has come for a moment, half a second at most.
        """
        began = time.monotonic()
        while not self.stopped and time.monotonic() < min(self.last_event + _QUIET, began + _MAX_HOLD):
            time.sleep(_QUIET / 4)

    def should_yield(self) -> bool:
        """Tells whether to leave, because more stores wait than there are slots."""
        self.leaves = self.leaves or self._workers.needs_slot()
        return self.leaves


class Workers:
    """Starts a loop for each store where events wait. `counts`: the queues of all stores, as of the last scan."""

    def __init__(self) -> None:
        self._signal = threading.Event()
        self._stopped = False
        self._waiting: dict[Where, float] = {}  # in the order they came -> when the last event was stored
        self._retry: dict[Where, float] = {}  # stores that yielded their slot -> when they are scheduled again
        self._running: dict[Where, tuple[threading.Thread, _StoreRun]] = {}
        self._lock = threading.Lock()
        self._thread = threading.Thread(target=self._schedule, name="workers", daemon=True)
        self.counts: dict[str, Any] = {**dict.fromkeys(_COUNTS, 0), "oldest_seconds": None, "last_success": None}

    def start(self) -> None:
        """Begins to look after the stores."""
        compressors.cancel_checks.append(lambda: self._stopped)
        self._thread.start()

    def stop(self) -> None:
        """Lets every loop finish its job, and waits for that."""
        with self._lock:
            self._stopped = True
            running = list(self._running.values())
        for _, run in running:
            run.stopped = True
        self._signal.set()
        deadline = time.monotonic() + _STOP_TIMEOUT
        for thread in [self._thread, *[thread for thread, _ in running]]:
            thread.join(max(0.0, deadline - time.monotonic()))

    def wake(self, where: Where, stored_at: float = 0.0) -> None:
        """Schedules a store. `stored_at`: when its last event was stored, in seconds of the monotonic clock."""
        where = _by_id(where)
        with self._lock:
            if where in self._running:
                run = self._running[where][1]
                run.last_event = max(stored_at, run.last_event)
            self._waiting[where] = max(stored_at, self._waiting.get(where, 0.0))
        self._signal.set()

    def event_stored(self, where: Where) -> None:
        """Schedules a store into which an event was just put."""
        self.wake(where, time.monotonic())

    def needs_slot(self) -> bool:
        """Tells whether a store waits for a slot that no loop is about to leave."""
        if not self._waiting:
            return False
        with self._lock:
            waiting = sum(1 for where in self._waiting if where not in self._running)
            leaving = sum(1 for _, run in self._running.values() if run.leaves)
            return waiting > MAX_LOOPS - len(self._running) + leaving

    def _schedule(self) -> None:
        scanned = -_SCAN_EVERY
        while not self._stopped:
            try:
                self._start_loops()
                if time.monotonic() - scanned >= _SCAN_EVERY:
                    scanned = time.monotonic()
                    self._scan()
                    self._start_loops()
            except Exception as error:  # whatever one scan runs into, the stores are looked after
                logs.exception("workers", error)
            self._signal.wait(1.0)
            self._signal.clear()

    def _scan(self) -> None:
        """Counts the queue of every store, and schedules the stores with work."""
        total = dict.fromkeys(_COUNTS, 0)
        oldest: list[int] = []
        processed: list[int] = []
        for where in stores.all_stores():
            summary = _queue_of(where)
            if summary is None:
                continue
            counts, last_processed, has_work = summary
            for name in total:
                total[name] += getattr(counts, name)
            oldest += [] if counts.oldest is None else [counts.oldest]
            processed += [] if last_processed is None else [last_processed]
            if has_work:
                self.wake(where)
        context_file.poll()
        age = max(0, now() - min(oldest)) // 1000 if oldest else None
        self.counts = {**total, "oldest_seconds": age, "last_success": dates.iso(max(processed)) if processed else None}

    def _start_loops(self) -> None:
        with self._lock:
            for where in [where for where, due in self._retry.items() if due <= time.monotonic()]:
                del self._retry[where]
                self._waiting.setdefault(where, 0.0)
            for where in self._running:
                self._waiting.pop(where, None)  # its loop looks by itself
            for where in list(self._waiting)[: 0 if self._stopped else MAX_LOOPS - len(self._running)]:
                run = _StoreRun(self, self._waiting.pop(where))
                thread = threading.Thread(target=self._work, args=(where, run), name="worker", daemon=True)
                self._running[where] = (thread, run)
                thread.start()

    def _work(self, where: Where, run: _StoreRun) -> None:
        try:
            worker.run(where, run, is_service=True)
        except Exception as error:
            logs.exception("worker", error)
        with self._lock:
            del self._running[where]
            if time.monotonic() - run.last_event < _MAX_HOLD:
                self._waiting.setdefault(where, run.last_event)  # it may have come after the loop's last look
            if run.leaves:
                self._retry[where] = time.monotonic() + _RETRY_AFTER
        self._signal.set()


def _by_id(where: Where) -> Where:
    """Returns the canonical form of a store's name, so that it is scheduled once."""
    if where.workspace == DEFAULT_WORKSPACE:
        where = Where(where.repo, None, where.user)
    if where.user or head.is_id(where.repo or ""):
        return where
    try:
        return Where(locate(where).repo_id or where.repo, where.workspace)
    except MemError:
        return where


def _queue_of(where: Where) -> tuple[queue.JobCounts, int | None, bool] | None:
    """Returns (counts, when a job was last processed, whether a loop is needed); None for a store that cannot be read."""
    try:
        project = open_for_reading(where)
    except (MemError, store.Error, OSError):
        return None
    try:
        lease = worker.lease(project)
        counts = queue.counts(project.db, now(), lease)
        has_work = queue.is_due(project.db, now(), lease) or waits_in_files(project.folder)
        return counts, queue.last_processed(project.db), has_work and project.config["capture.worker"] == "auto"
    except (store.Error, OSError):
        return None
    finally:
        project.close()
