"""The worker's loop: take in what hooks left in files, work up what waits, look after what is old, leave when nothing is left."""

from __future__ import annotations

import os
import time

from memcli.agents.capture import handlers, log, payloads, reingest, upkeep, worker_lock
from memcli.errors import InvalidInput, MemError
from memcli.models import compressors
from memcli.project import Location, Where, now, open_for_writing, waits_in_files
from memcli.store import db as store
from memcli.store import inbox, queue

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from memcli.project import Project
    from memcli.store.queue import Job

    After = Callable[[str, str], None]

LEVELS = ("error", "info", "debug")
_NAP = 0.1  # seconds between two looks at an empty letterbox
_CARE_AFTER, _CARE_EVERY = 1.0, 10.0  # seconds of quiet
_LIFE = 24 * 3600.0  # seconds after which a worker leaves at the next quiet moment


class Stop:
    """Whether the worker was told to end."""

    def __init__(self) -> None:
        self.told = False

    def listen(self) -> None:
        """Ends the worker after the job at hand when the system, a person or `mem worker stop` says so."""
        import signal

        for one in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
            signal.signal(one, self._hear)
        compressors.cancel_checks.append(lambda: self.told)

    def _hear(self, *about: object) -> None:
        self.told = True

    def hold(self) -> None:
        """Waits before a job where something else goes first; here nothing does."""

    def gives_way(self) -> bool:
        """Tells a worker with nothing to do whether another store waits for its place; here none does."""
        return False


def run(where: Where, stop: Stop | None = None, is_service: bool = False, then: After = lambda folder, root: None) -> int | None:
    """Runs the worker of a memory until nothing is left to do. Returns how many jobs it worked up; None where one runs already.

    `then` is called with the store's directory and its working tree whenever nothing waits. Raises NotFound where there is no
    memory.
    """
    project = open_for_writing(where, create=False)
    try:
        home = Location(project.repo_id, project.checkout, project.name, project.root)
        file = worker_lock.take(project.folder)
        if file is None:
            return None
        done = 0
        while file is not None:
            worker_lock.sign(file, os.getpid(), is_service)
            try:
                queue.take_over(project.db)  # nobody else can be at work
                done += _rounds(project, home, stop or Stop(), then)
            finally:
                worker_lock.let_go(file)
            again = not (stop and stop.told) and queue.is_due(project.db, now(), lease(project))
            file = worker_lock.take(project.folder) if again else None  # an event may have come while the lock was still held
        return done
    finally:
        project.close()


def lease(project: Project) -> int:
    """Returns for how long a job is claimed, in ms."""
    return int(project.config["queue.lease_minutes"]) * 60_000


def _rounds(project: Project, home: Location, stop: Stop, then: After) -> int:
    """Works until told to stop, or until nothing has come for `worker.idle_seconds`. Returns how many jobs were worked up."""
    done, began = 0, time.monotonic()
    quiet_since, looked_after = began, _CARE_AFTER
    idle, quiet_ms = float(project.config["worker.idle_seconds"]), int(project.config["session.summary_seconds"]) * 1000
    gave_way = False
    roots: set[str] = set()
    note(project, "info", f"worker of {project.name} begins")
    while not stop.told and _is_ours(project):
        if waits_in_files(project.folder):
            inbox.take_in(project.db, project.folder)
        job = None
        if queue.is_due(project.db, now(), lease(project)):
            stop.hold()
            job = queue.claim(project.db, now(), lease(project))
        if job is not None:
            count, project = attempt(project, job, home)
            done += count
            roots.add(project.root)
            quiet_since, looked_after = time.monotonic(), _CARE_AFTER
            continue
        waited = time.monotonic() - quiet_since
        if waited >= looked_after:
            upkeep.look_after(project, quiet_ms)
            then(project.folder, home.root)
            _catch_up(project, roots, stop)
            looked_after = waited + _CARE_EVERY
        gave_way = stop.gives_way()
        if gave_way:
            break
        if (waited >= idle and not _comes_soon(project, idle)) or time.monotonic() - began > _LIFE:
            break
        time.sleep(min(_NAP, idle) if idle else 0)
    if not stop.told:
        upkeep.look_after(project, quiet_ms if gave_way else None)  # who gave way comes back for the rest
        then(project.folder, home.root)
        _catch_up(project, roots, stop)
    note(project, "info", f"worker of {project.name} leaves, {done} worked up")
    return done


def _catch_up(project: Project, roots: set[str], stop: Stop) -> None:
    def is_wanted() -> bool:
        return stop.told or queue.is_due(project.db, now(), lease(project))

    reingest.catch_up(project, roots, is_wanted, lambda text: note(project, "error", text))


def _comes_soon(project: Project, idle: float) -> bool:
    """Tells whether a job waits for its next attempt, which is never long."""
    due = queue.next_due(project.db)
    return idle > 0 and due is not None and due - now() < queue.BACKOFF_MS * 4**queue.ATTEMPTS


def _is_ours(project: Project) -> bool:
    """Tells whether the store is still there and of our schema: a newer mem may have migrated it, a person removed it."""
    return os.path.exists(os.path.join(project.folder, "memory.db")) and store.version(project.db) == store.LATEST


def attempt(project: Project, job: Job, home: Location) -> tuple[int, Project]:
    """Works up one claimed job; what goes wrong is noted in it.

    Returns (1 for a job that is done, else 0; the project as seen from where the event happened).
    """
    try:
        event = payloads.read(job)
        project = handlers.at_event(project, event, home)
        result = handlers.work_up(project, job, event)
        note(project, "debug", f"job {job.n} {job.event}: {result}")
        return 1, project
    except queue.Lost:
        note(project, "info", f"job {job.n} {job.event}: somebody else has it")
        return 0, project
    except InvalidInput as problem:
        _failed(project, job, str(problem), final=True)
    except (MemError, store.Error, OSError, ValueError, TypeError, KeyError, AttributeError, LookupError, MemoryError) as problem:
        _failed(project, job, f"{type(problem).__name__}: {problem}", final=False)
    return 0, project


def _failed(project: Project, job: Job, error: str, final: bool) -> None:
    parked = queue.fail(project.db, job, error, now(), final)
    level = "error" if parked else "info"
    note(project, level, f"job {job.n} {job.event} failed{', parked' if parked else ''}: {error}")


def note(project: Project, level: str, text: str) -> None:
    """Writes a line into the worker's log, unless the setting wants to know less."""
    wanted = project.config["log.level"]
    if wanted not in LEVELS or LEVELS.index(level) <= LEVELS.index(wanted):
        log.write("worker", f"{level} {text}")
