"""The worker of a store: turns queued events into memories, takes care of old ones, and exits when it is idle."""

from __future__ import annotations

import os
import signal
import time

from memcli import config, logs, store, system
from memcli.agents.capture import handlers, payloads, upkeep
from memcli.agents.capture.worker_process import lease, most_attempts, release_lock, sign_lock, take_lock
from memcli.agents.turns import context_file
from memcli.errors import InvalidInput, MemError
from memcli.models import compressors
from memcli.project import Location, Project, Where, now, open_for_writing, waits_in_files
from memcli.records import replace
from memcli.store import inbox, queue, reserve
from memcli.store.queue import Job

_NAP = 0.1  # seconds between two looks at an empty queue
_UPKEEP_AFTER, _UPKEEP_EVERY = 1.0, 10.0  # seconds of quiet
_MAX_LIFE = 24 * 3600.0  # seconds after which a worker leaves at the next quiet moment


class RunControl:
    """Whether the worker should end, wait, or yield. A service with many stores overrides these decisions."""

    def __init__(self) -> None:
        self.stopped = False
        self.maintains = True  # whether it takes care of what is old when nothing waits; not one of many runs in a row

    def listen(self) -> None:
        """Ends the worker after the current job when the system, a person or `mem worker stop` signals it."""
        for number in system.stop_signals():
            signal.signal(number, self._stop)
        compressors.cancel_checks.append(lambda: self.stopped)

    def _stop(self, *signal_and_frame: object) -> None:
        self.stopped = True

    def wait_before_job(self) -> None:
        """Waits before a job if something else goes first; here nothing does."""

    def should_yield(self) -> bool:
        """Tells an idle worker whether another store waits for its turn; here none does."""
        return False


def run(where: Where, control: RunControl | None = None, is_service: bool = False) -> int | None:
    """Runs the worker of a memory until nothing is left to do. Returns how many jobs it did; None if another worker runs.

    Raises NotFound if there is no memory.
    """
    project = open_for_writing(where, create=False)
    control = control or RunControl()
    try:
        if not control.maintains:
            store.sync_commits(project.db, False)  # a loss of power costs the last jobs, which are done again then
        home = Location(project.repo_id, project.checkout, project.name, project.root)
        file = take_lock(project.folder)
        if file is None:
            return None
        done = 0
        while file is not None:
            sign_lock(file, is_service)
            reserve.make(project.folder)
            try:
                queue.take_over(project.db, now(), most_attempts(project))  # nobody else can be at work
                done += _WorkerRun(project, home, control).jobs_until_idle()
            finally:
                release_lock(file)
            # An event may have come while the lock was still held, whose hook started no worker.
            is_due = not control.stopped and queue.is_due(project.db, now(), lease(project), most_attempts(project))
            file = take_lock(project.folder) if is_due else None
        return done
    finally:
        project.close()


class _WorkerRun:
    """One run of a worker, from taking its lock to releasing it."""

    def __init__(self, project: Project, home: Location, control: RunControl) -> None:
        self.project = project
        self.home = home
        self.control = control
        self.roots: set[str] = set()  # working trees of events, whose files may have changed

    @property
    def quiet_ms(self) -> int:
        """How long a session must have been silent to be summed up between two events."""
        return int(self.project.config["session.summary_seconds"]) * 1000

    def jobs_until_idle(self) -> int:
        """Works until told to stop, or until idle for `worker.idle_seconds`. Returns how many jobs were done."""
        project, control = self.project, self.control
        done, start = 0, time.monotonic()
        quiet_since, upkeep_at = start, _UPKEEP_AFTER
        yielded = False
        logs.write_worker(project.config, "info", f"the worker of {project.name} started")
        while not control.stopped and _is_usable(project):
            if waits_in_files(project.folder):
                inbox.take_in(project.db, project.folder)
            self.project = _with_settings(self.project, self.home)
            idle = float(self.project.config["worker.idle_seconds"])
            job = None
            if self.is_due():
                control.wait_before_job()
                job = queue.claim(project.db, now(), lease(project), most_attempts(project))
            if job is not None:
                count, self.project = attempt(self.project, job, self.home)
                done += count
                self.roots.add(self.project.root)
                quiet_since, upkeep_at = time.monotonic(), _UPKEEP_AFTER
                continue
            quiet = time.monotonic() - quiet_since
            if quiet >= upkeep_at:
                self._maintain(self.quiet_ms)
                upkeep_at = quiet + _UPKEEP_EVERY
            yielded = control.should_yield()
            is_idle = quiet >= idle and not _is_retry_near(project, idle)
            if yielded or is_idle or time.monotonic() - start > _MAX_LIFE:
                break
            time.sleep(min(_NAP, idle) if idle else 0)
        if not control.stopped:
            self._maintain(self.quiet_ms if yielded else None)  # who yielded comes back for the sessions that are still active
        logs.write_worker(project.config, "info", f"the worker of {project.name} stopped, {done} events processed")
        return done

    def is_due(self) -> bool:
        """Tells whether a job waits."""
        return queue.is_due(self.project.db, now(), lease(self.project), most_attempts(self.project))

    def is_wanted(self) -> bool:
        """Tells whether something else has to be done first."""
        return self.control.stopped or self.is_due()

    def _maintain(self, quiet_ms: int | None) -> None:
        if not self.control.maintains:
            return
        while upkeep.run(self.project, quiet_ms, self.is_wanted) and not self.is_wanted():
            pass
        context_file.follow(self.project.folder, self.home.root)
        upkeep.synchronize(self.project)
        upkeep.ingest_changes(self.project, self.roots, self.is_wanted)


def _with_settings(project: Project, home: Location) -> Project:
    """Returns a project with the current settings; with the earlier ones if those are unreadable, which `mem doctor` reports."""
    try:
        return replace(project, config=config.load(home.root or None, project.cache.note, project.cache.keep_note))
    except InvalidInput:
        return project


def _is_retry_near(project: Project, idle: float) -> bool:
    """Tells whether a job waits for its next attempt, which is never long."""
    due = queue.next_due(project.db)
    return idle > 0 and due is not None and due - now() < queue.LONGEST_WAIT


def _is_usable(project: Project) -> bool:
    """Tells whether the store still exists and has our schema: a newer mem may have migrated it, a person removed it."""
    return os.path.exists(os.path.join(project.folder, "memory.db")) and store.version(project.db) == store.LATEST


def attempt(project: Project, job: Job, home: Location) -> tuple[int, Project]:
    """Does one claimed job, and records its failure in it.

    Returns (1 for a job that is done, else 0; the project as seen from where the event happened).
    """
    try:
        event = payloads.read(job)
        project = handlers.at_event(project, event, home)
        result = handlers.handle(project, job, event)
        logs.write_worker(project.config, "debug", f"job {job.n} {job.event}: {result}")
        return 1, project
    except queue.LeaseLost:
        logs.write_worker(project.config, "info", f"job {job.n} {job.event}: another worker has it")
        return 0, project
    except InvalidInput as problem:
        _fail(project, job, str(problem), final=True)
    except (MemError, store.Error, OSError, ValueError, TypeError, KeyError, AttributeError, LookupError, MemoryError) as problem:
        _fail(project, job, f"{type(problem).__name__}: {problem}", final=False)
    return 0, project


def _fail(project: Project, job: Job, error: str, final: bool) -> None:
    is_parked = queue.fail(project.db, job, error, now(), 0 if final else most_attempts(project))
    level = "error" if is_parked else "warn"
    logs.write_worker(project.config, level, f"job {job.n} {job.event} failed{', parked' if is_parked else ''}: {error}")
