"""The worker's loop inside the service: a thread for each store with something to do, where no other worker has its lock."""

from __future__ import annotations

import threading
import time

from memcli.capture import loop
from memcli.errors import MemError
from memcli.http import logs, projects
from memcli.models import compressors
from memcli.project import Where, now, open_for_reading, waits_in_files
from memcli.store import db as store
from memcli.store import queue
from memcli.text import dates
from memcli.turns import bridge

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from memcli.http.service import Service

MOST = 4  # stores that are worked on at once
_LOOK = 10.0  # seconds between two looks at every store of this machine
_CALM, _HELD = 0.04, 0.5  # seconds without an event after which work goes on, and for which it is held back at most
_PATIENCE = 8.0  # seconds for loops to end what they are doing


class _Yielding(loop.Stop):
    """Lets a burst of events be taken in before they are worked up: whoever tells them waits for an answer."""

    heard = 0.0  # when the last one came, in seconds of the monotonic clock

    def hold(self) -> None:
        """Waits until no event has come for a moment, half a second at most."""
        began = time.monotonic()
        while not self.told and time.monotonic() < min(self.heard + _CALM, began + _HELD):
            time.sleep(_CALM / 4)


class Workers:
    """Starts a loop where events wait. `counted`: what waits in all stores, as of the last look."""

    def __init__(self, service: Service) -> None:
        self._service = service
        self._told = threading.Event()
        self._stop = _Yielding()
        self._wanted: set[Where] = set()
        self._running: dict[Where, threading.Thread] = {}
        self._guard = threading.Lock()
        self._thread = threading.Thread(target=self._run, name="workers", daemon=True)
        self.counted: dict[str, Any] = {"pending": 0, "processing": 0, "stuck": 0, "failed": 0}
        self.counted |= {"oldest_seconds": None, "last_success": None}

    def start(self) -> None:
        """Begins to look after the stores."""
        compressors.stop_asked.append(lambda: self._stop.told)
        self._thread.start()

    def stop(self) -> None:
        """Lets every loop finish its event, and waits for that."""
        self._stop.told = True
        self._told.set()
        deadline = time.monotonic() + _PATIENCE
        for thread in [self._thread, *self._running.values()]:
            thread.join(max(0.0, deadline - time.monotonic()))

    def wake(self, where: Where) -> None:
        """Says that something waits in a store."""
        with self._guard:
            self._wanted.add(where)
        self._told.set()

    def hear(self, where: Where) -> None:
        """Says that an event was put into a store."""
        self._stop.heard = time.monotonic()
        self.wake(where)

    def _run(self) -> None:
        looked = -_LOOK
        while not self._stop.told:
            try:
                if time.monotonic() - looked >= _LOOK:
                    self._look()
                    looked = time.monotonic()
                self._begin()
            except (MemError, store.Error, OSError) as problem:
                logs.write(f"error workers: {type(problem).__name__}: {problem}")
            self._told.wait(1.0)
            self._told.clear()

    def _look(self) -> None:
        """Counts what waits in every store, and wants a loop where something does."""
        total = {"pending": 0, "processing": 0, "stuck": 0, "failed": 0}
        oldest: int | None = None
        last: int | None = None
        for where in projects.everything():
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
        bridge.poll()
        age = None if oldest is None else max(0, now() - oldest) // 1000
        self.counted = {**total, "oldest_seconds": age, "last_success": None if last is None else dates.iso(last)}

    def _begin(self) -> None:
        with self._guard:
            self._running = {where: thread for where, thread in self._running.items() if thread.is_alive()}
            free = [where for where in self._wanted if where not in self._running][: max(0, MOST - len(self._running))]
            self._wanted.difference_update([*free, *self._running])
            for where in free:
                thread = threading.Thread(target=self._work, args=(where,), name="worker", daemon=True)
                self._running[where] = thread
                thread.start()

    def _work(self, where: Where) -> None:
        try:
            loop.run(where, self._stop, is_service=True, then=bridge.follow)
        except Exception as problem:
            logs.trouble("worker", problem)


def _counts(where: Where) -> tuple[queue.Counts, int | None, bool] | None:
    """Returns what waits in a store, when one was worked up last, and whether a loop is needed; None where it cannot be read."""
    try:
        project = open_for_reading(where)
    except (MemError, store.Error, OSError):
        return None
    try:
        lease = loop.lease(project)
        counts = queue.counts(project.db, now(), lease)
        waits = queue.is_due(project.db, now(), lease) or waits_in_files(project.folder)
        return counts, queue.last_processed(project.db), waits and project.config["capture.worker"] == "auto"
    except (store.Error, OSError):
        return None
    finally:
        project.close()
