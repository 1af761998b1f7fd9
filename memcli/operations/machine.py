"""queue; settings and repositories: what this machine does for its memories, whatever they contain."""

from __future__ import annotations

from typing import Any

from memcli import config, registry
from memcli.agents.capture import worker_process
from memcli.agents.capture.worker_process import WorkerStatus
from memcli.fields import Request, Result
from memcli.operations import Operation
from memcli.project import Project
from memcli.records import Record, as_dict, replace
from memcli.settings import SETTINGS
from memcli.store import inbox, reserve
from memcli.store import queue as jobs
from memcli.store.inbox import SpooledEvents
from memcli.store.queue import Job, JobCounts
from memcli.text import dates

LISTED = 20  # parked jobs that are shown


class QueueRequest(Request):
    """A request for the queue, without options."""


class RunningWorker(Result):
    """Whether a worker runs."""

    running: bool
    pid: int | None


class ParkedEvent(Result):
    """An event that the worker gave up on."""

    job: int
    harness: str
    session: str
    event: str
    attempts: int
    error: str
    created_at: str


class QueueStatus(Result):
    """How many events wait in the store and in files, the worker and its model, and which events were parked and why."""

    pending: int
    processing: int
    stuck: int
    failed: int
    processed: int
    in_files: int
    unreadable_files: int
    oldest_seconds: int | None
    worker: RunningWorker
    compressor: dict[str, Any]
    parked: list[ParkedEvent]


class Setting(Result):
    """A setting: its value, where the value comes from, and what it means."""

    key: str
    value: bool | int | float | str
    source: str
    environment: str
    about: str


class Repository(Result):
    """A repository with a memory on this machine. `git_roots`: its clones' directories, the last used one first."""

    repo_id: str
    root_name: str
    git_root: str
    git_roots: tuple[str, ...]
    active: bool


class Queue(Record):
    """The queue of a memory."""

    counts: JobCounts
    files: SpooledEvents
    worker: WorkerStatus
    parked: list[Job]
    now: int

    def answer(self) -> QueueStatus:
        """Returns the queue as a result."""
        pid, oldest = self.worker.pid, self.counts.oldest
        return QueueStatus(
            **{name: getattr(self.counts, name) for name in ("pending", "processing", "stuck", "failed", "processed")},
            in_files=self.files.events,
            unreadable_files=self.files.unreadable,
            oldest_seconds=None if oldest is None else max(0, self.now - oldest) // 1000,
            worker=RunningWorker(pid is not None, pid or None),
            compressor=as_dict(self.worker.compressor),
            parked=[
                ParkedEvent(job.n, job.harness, job.session, job.event, job.attempts, job.error, dates.iso(job.created_at))
                for job in self.parked
            ],
        )


def queue(project: Project, request: QueueRequest) -> Queue:
    """Returns what waits, which worker processes it, and what was parked."""
    return Queue(
        jobs.counts(project.db, project.now, worker_process.lease(project)),
        _in_files(project.folder) if project.folder else SpooledEvents(0, None, 0),
        worker_process.status(project),
        jobs.with_status(project.db, jobs.FAILED, LISTED),
        project.now,
    )


def _in_files(folder: str) -> SpooledEvents:
    """Returns the events that wait outside of the store in `folder`: in files, or in the reserve."""
    files = inbox.spooled(folder)
    return replace(files, events=files.events + reserve.status(folder)[0])


def setting(settings: config.Config, key: str) -> Setting:
    """Returns the result for a setting."""
    value, source = settings.values.get(key) or (SETTINGS[key][0], "default")
    return Setting(key, value, source, config.environment_name(key), SETTINGS[key][1])


def repositories(active: str | None) -> list[Repository]:
    """Returns the repositories with a memory on this machine, sorted by name. `active`: the id of the active one."""
    stored = registry.repositories()
    directories = registry.places(stored)
    return [
        Repository(
            repo.repo_id,
            repo.name,
            next(iter(directories[repo.repo_id]), ""),
            tuple(directories[repo.repo_id]),
            repo.repo_id == active,
        )
        for repo in stored
    ]


OPERATIONS = {"queue": Operation("queue", "Show waiting events; retry or remove failed ones.", QueueRequest, Queue, read=queue)}
