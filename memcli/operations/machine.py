"""The queue, the settings and the repositories of this machine as data."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from memcli import config
from memcli.agents.capture import worker
from memcli.project import Project
from memcli.records import as_dict
from memcli.registry import StoredRepository
from memcli.store import inbox
from memcli.store import queue as jobs
from memcli.text import dates

LISTED = 20  # parked jobs that are shown


def queue(project: Project) -> dict[str, Any]:
    """Returns the queue as data: counts, the worker, the model, what was parked and why."""
    counts = jobs.counts(project.db, project.now, worker.lease(project))
    state = worker.status(project)
    files = inbox.spooled(project.folder) if project.folder else inbox.SpooledEvents(0, None, 0)
    return {
        "pending": counts.pending,
        "processing": counts.processing,
        "stuck": counts.stuck,
        "failed": counts.failed,
        "processed": counts.processed,
        "in_files": files.events,
        "unreadable_files": files.unreadable,
        "oldest_seconds": None if counts.oldest is None else max(0, project.now - counts.oldest) // 1000,
        "worker": {"running": state.pid is not None, "pid": state.pid or None},
        "compressor": as_dict(state.compressor),
        "parked": [_parked(job) for job in jobs.listed(project.db, jobs.FAILED, LISTED)],
    }


def _parked(job: jobs.Job) -> dict[str, Any]:
    return {
        "job": job.n,
        "harness": job.harness,
        "session": job.session,
        "event": job.event,
        "attempts": job.attempts,
        "error": job.error,
        "created_at": dates.iso(job.created_at),
    }


def setting(settings: config.Config, key: str) -> dict[str, Any]:
    """Returns a setting as data: its value, where that comes from, what it means."""
    value, source = settings.values.get(key) or (config.SETTINGS[key][0], "default")
    name = config.environment_name(key)
    return {"key": key, "value": value, "source": source, "environment": name, "about": config.SETTINGS[key][1]}


def repositories(stored: Sequence[StoredRepository], active: str | None) -> list[dict[str, Any]]:
    """Returns the repositories with a memory on this machine as data."""
    return [
        {"repo_id": repo.repo_id, "root_name": repo.name, "git_root": repo.root, "active": repo.repo_id == active}
        for repo in stored
    ]
