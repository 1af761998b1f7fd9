"""The worker's loop inside the service: a thread for each store with something to do, where no other worker has its lock."""

from __future__ import annotations

import threading
import time

from memcli.agents.capture import run_loop
from memcli.agents.turns import context_file
from memcli.errors import MemError
from memcli.http import logs, stores
from memcli.models import compressors
from memcli.project import DEFAULT_WORKSPACE, Where, locate, now, open_for_reading, waits_in_files
from memcli.repo import head
from memcli.store import db as store
from memcli.store import queue
from memcli.text import dates

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from memcli.http.service import Service

MOST = 4  # stores that are worked on at once
_AGAIN = 30.0  # seconds after which a store whose loop gave way is looked after again
_LOOK = 10.0  # seconds between two looks at every store of this machine
_CALM, _HELD = 0.04, 0.5  # seconds without an event after which work goes on, and for which it is held back at most
_PATIENCE = 8.0  # seconds for loops to end what they are doing


class _Turn(run_loop.Stop):
    """One store's loop: when it holds its work back, and whether it leaves its place to another store."""

    def __init__(self, workers: Workers, heard: float) -> None:
        super().__init__()
        self.heard = heard  # when its last event came, in seconds of the monotonic clock
        self.leaves = False
        self._workers = workers

    def hold(self) -> None:
        """Lets a burst of events be taken in before they are worked up: whoever tells them waits for an answer.

        Waits until no event has come for a moment, half a second at most.
        """
        began = time.monotonic()
        while not self.told and time.monotonic() < min(self.heard + _CALM, began + _HELD):
            time.sleep(_CALM / 4)

    def gives_way(self) -> bool:
        """Tells whether to leave, because more stores wait than there are places."""
        self.leaves = self.leaves or self._workers.need_a_place()
        return self.leaves


class Workers:
    """Starts a loop where events wait. `counted`: what waits in all stores, as of the last look."""

    def __init__(self, service: Service) -> None:
        self._service = service
        self._told = threading.Event()
        self._stopped = False
        self._wanted: dict[Where, float] = {}  # in the order they came -> when an event was last heard of
        self._later: dict[Where, float] = {}  # those that gave way -> when they are wanted again
        self._running: dict[Where, tuple[threading.Thread, _Turn]] = {}
        self._guard = threading.Lock()
        self._thread = threading.Thread(target=self._run, name="workers", daemon=True)
        self.counted: dict[str, Any] = {"pending": 0, "processing": 0, "stuck": 0, "failed": 0}
        self.counted |= {"oldest_seconds": None, "last_success": None}

    def start(self) -> None:
        """Begins to look after the stores."""
        compressors.cancel_checks.append(lambda: self._stopped)
        self._thread.start()

    def stop(self) -> None:
        """Lets every loop finish its event, and waits for that."""
        with self._guard:
            self._stopped = True
            running = list(self._running.values())
        for _, turn in running:
            turn.told = True
        self._told.set()
        deadline = time.monotonic() + _PATIENCE
        for thread in [self._thread, *[thread for thread, _ in running]]:
            thread.join(max(0.0, deadline - time.monotonic()))

    def wake(self, where: Where, heard: float = 0.0) -> None:
        """Says that something waits in a store. `heard`: when an event was put into it, in seconds of the monotonic clock."""
        where = _by_id(where)
        with self._guard:
            if where in self._running:
                self._running[where][1].heard = max(heard, self._running[where][1].heard)
            self._wanted[where] = max(heard, self._wanted.get(where, 0.0))
        self._told.set()

    def hear(self, where: Where) -> None:
        """Says that an event was put into a store."""
        self.wake(where, time.monotonic())

    def need_a_place(self) -> bool:
        """Tells whether a store waits for a place that nobody is about to leave."""
        if not self._wanted:
            return False
        with self._guard:
            waiting = sum(1 for where in self._wanted if where not in self._running)
            left = sum(1 for _, turn in self._running.values() if turn.leaves)
            return waiting > MOST - len(self._running) + left

    def _run(self) -> None:
        looked = -_LOOK
        while not self._stopped:
            try:
                self._begin()
                if time.monotonic() - looked >= _LOOK:
                    looked = time.monotonic()
                    self._look()
                    self._begin()
            except Exception as problem:  # whatever one look meets, the stores are looked after
                logs.trouble("workers", problem)
            self._told.wait(1.0)
            self._told.clear()

    def _look(self) -> None:
        """Counts what waits in every store, and wants a loop where something does."""
        total = {"pending": 0, "processing": 0, "stuck": 0, "failed": 0}
        oldest: int | None = None
        last: int | None = None
        for where in stores.everything():
            found = _counts(where)
            if found is None:
                continue
            counts, done, waits = found
            for name in total:
                total[name] += getattr(counts, name)
            oldest = min([moment for moment in (oldest, counts.oldest) if moment is not None], default=None)
            last = max([moment for moment in (last, done) if moment is not None], default=None)
            if waits:
                self.wake(where)
        context_file.poll()
        age = None if oldest is None else max(0, now() - oldest) // 1000
        self.counted = {**total, "oldest_seconds": age, "last_success": None if last is None else dates.iso(last)}

    def _begin(self) -> None:
        with self._guard:
            for where in [where for where, when in self._later.items() if when <= time.monotonic()]:
                del self._later[where]
                self._wanted.setdefault(where, 0.0)
            for where in self._running:
                self._wanted.pop(where, None)  # its loop looks by itself
            for where in list(self._wanted)[: 0 if self._stopped else MOST - len(self._running)]:
                turn = _Turn(self, self._wanted.pop(where))
                thread = threading.Thread(target=self._work, args=(where, turn), name="worker", daemon=True)
                self._running[where] = (thread, turn)
                thread.start()

    def _work(self, where: Where, turn: _Turn) -> None:
        try:
            run_loop.run(where, turn, is_service=True, then=context_file.follow)
        except Exception as problem:
            logs.trouble("worker", problem)
        with self._guard:
            del self._running[where]
            if time.monotonic() - turn.heard < _HELD:
                self._wanted.setdefault(where, turn.heard)  # it may have come after the loop's last look
            if turn.leaves:
                self._later[where] = time.monotonic() + _AGAIN
        self._told.set()


def _by_id(where: Where) -> Where:
    """Returns the one name of a store, however it was named."""
    if where.workspace == DEFAULT_WORKSPACE:
        where = Where(where.repo, None, where.user)
    if where.user or head.is_id(where.repo or ""):
        return where
    try:
        return Where(locate(where).repo_id or where.repo, where.workspace)
    except MemError:
        return where


def _counts(where: Where) -> tuple[queue.Counts, int | None, bool] | None:
    """Returns what waits in a store, when one was worked up last, and whether a loop is needed; None where it cannot be read."""
    try:
        project = open_for_reading(where)
    except (MemError, store.Error, OSError):
        return None
    try:
        lease = run_loop.lease(project)
        counts = queue.counts(project.db, now(), lease)
        waits = queue.is_due(project.db, now(), lease) or waits_in_files(project.folder)
        return counts, queue.last_processed(project.db), waits and project.config["capture.worker"] == "auto"
    except (store.Error, OSError):
        return None
    finally:
        project.close()
