"""The worker's loop inside the service: a thread for each store with work, unless another worker holds the store's lock."""

from __future__ import annotations

import threading
import time
from queue import SimpleQueue
from typing import Any

from memcli import store
from memcli.agents.capture import worker, worker_process
from memcli.agents.turns import context_file
from memcli.errors import MemError
from memcli.http import logs, stores
from memcli.models import compressors
from memcli.project import DEFAULT_WORKSPACE, Where, locate, now, open_for_reading, waits_in_files
from memcli.repo import head
from memcli.store import queue
from memcli.text import dates

MAX_LOOPS = 4  # stores that are worked on at once
_SCAN_EVERY = 10.0  # seconds between two scans of every store of this machine
_QUIET, _MAX_HOLD = 0.04, 0.5  # seconds without an event after which work goes on, and for which it is held back at most
_STOP_TIMEOUT = 8.0  # seconds for loops to finish their job
_COUNTS = ("pending", "processing", "stuck", "failed")


class _StoreRun(worker.RunControl):
    """One store's loop: when it delays its work, and whether it gives its thread to another store."""

    def __init__(self, workers: Workers, last_event: float) -> None:
        super().__init__()
        self.last_event = last_event  # seconds of the monotonic clock
        self.began = False
        self.leaves = False
        self._workers = workers

    def wait_before_job(self) -> None:
        """Lets a burst of events be stored before they are processed, because their senders wait for an answer.

        Waits until no event has arrived for a moment, at most half a second.
        """
        began = time.monotonic()
        while not self.stopped and time.monotonic() < min(self.last_event + _QUIET, began + _MAX_HOLD):
            time.sleep(_QUIET / 4)

    def should_yield(self) -> bool:
        """Tells an idle loop whether to end, because more stores wait than there are threads."""
        self.leaves = self.leaves or self._workers.needs_thread()
        return self.leaves


class Workers:
    """Runs a loop for each store with waiting events, several in parallel. `counts`: all queues as of the last scan."""

    def __init__(self) -> None:
        self._stopped = threading.Event()
        self._runs: dict[Where, _StoreRun] = {}  # of stores that wait or are worked on
        self._waiting: SimpleQueue[Where | None] = SimpleQueue()
        self._lock = threading.Lock()
        targets = (self._scan_regularly, *[self._work] * MAX_LOOPS)
        self._threads = [threading.Thread(target=target, name="worker", daemon=True) for target in targets]
        self.counts: dict[str, Any] = {**dict.fromkeys(_COUNTS, 0), "oldest_seconds": None, "last_success": None}

    def start(self) -> None:
        """Starts scanning the stores."""
        compressors.cancel_checks.append(self._stopped.is_set)
        for thread in self._threads:
            thread.start()

    def stop(self) -> None:
        """Waits until every loop has finished its job."""
        with self._lock:
            self._stopped.set()
            for run in self._runs.values():
                run.stopped = True
        for _ in range(MAX_LOOPS):
            self._waiting.put(None)
        deadline = time.monotonic() + _STOP_TIMEOUT
        for thread in self._threads:
            thread.join(max(0.0, deadline - time.monotonic()))

    def wake(self, where: Where, stored_at: float = 0.0) -> None:
        """Schedules a store. `stored_at`: when its last event was stored, in seconds of the monotonic clock."""
        where = _by_id(where)
        with self._lock:
            if where in self._runs:
                self._runs[where].last_event = max(stored_at, self._runs[where].last_event)
            elif not self._stopped.is_set():
                self._schedule(where, stored_at)

    def _schedule(self, where: Where, stored_at: float) -> None:
        self._runs[where] = _StoreRun(self, stored_at)
        self._waiting.put(where)

    def event_stored(self, where: Where) -> None:
        """Schedules a store that just got an event."""
        self.wake(where, time.monotonic())

    def needs_thread(self) -> bool:
        """Tells whether a store waits for a thread while no loop is about to end."""
        with self._lock:
            running = [run for run in self._runs.values() if run.began]
            leaving = [run for run in running if run.leaves]
            return len(self._runs) - len(running) > MAX_LOOPS - len(running) + len(leaving)

    def _work(self) -> None:
        while (where := self._waiting.get()) is not None:
            run = self._runs[where]
            run.began = True
            try:
                if not run.stopped:
                    worker.run(where, run, is_service=True)
            except Exception as error:
                logs.exception("worker", error)
            with self._lock:
                del self._runs[where]
                if time.monotonic() - run.last_event < _MAX_HOLD and not run.stopped:
                    self._schedule(where, 0.0)  # an event may have come after the loop's last look

    def _scan_regularly(self) -> None:
        while not self._stopped.is_set():
            try:
                self._scan()
            except Exception as error:  # whatever one scan runs into, the stores are looked after
                logs.exception("workers", error)
            self._stopped.wait(_SCAN_EVERY)

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
        lease = worker_process.lease(project)
        counts = queue.counts(project.db, now(), lease)
        is_orphaned = counts.processing > 0 and worker_process.worker_pid(project.folder) is None  # whoever claimed them is dead
        has_work = (
            is_orphaned
            or queue.is_due(project.db, now(), lease, worker_process.most_attempts(project))
            or waits_in_files(project.folder)
        )
        return counts, queue.last_processed(project.db), has_work and project.config["capture.worker"] == "auto"
    except (store.Error, OSError):
        return None
    finally:
        project.close()
