"""worker, queue: the process that handles the events of hooks, and the events that wait for it."""

from __future__ import annotations

import os

from memcli import config, fields
from memcli.agents.capture.worker_process import change_parked, start, stop, worker_pid
from memcli.cli import captured, output
from memcli.cli.invoke import Common, answer, show, writing
from memcli.errors import InvalidInput, NotFound
from memcli.fields import Request
from memcli.operations.machine import QueueRequest
from memcli.project import DEFAULT_WORKSPACE, folder_of, is_stored, locate
from memcli.repo import head
from memcli.text.terminal import oneline


class WorkerOptions(Request):
    """The options of `mem worker`."""

    action: str = fields.text("The action.", default="status", choices=("run", "start", "stop", "restart", "status"))


class QueueOptions(Request):
    """The options of `mem queue`."""

    action: str = fields.text("The action.", default="status", choices=("status", "retry", "purge"))
    job: str | None = fields.text("The number of a failed event.", default=None, metavar="EVENT")


def worker(request: WorkerOptions, common: Common) -> int:
    """Runs, starts, stops or restarts the worker of a memory, or says whether it runs. Returns the exit code."""
    actions = {"run": _run, "start": _start, "stop": _stop, "restart": _restart, "status": _status}
    return actions[request.action](common)


def _folder(common: Common) -> str:
    """Returns the directory of the memory. Raises NotFound if there is none."""
    location = locate(common.where)
    folder = folder_of(location.repo_id, common.workspace)
    if not is_stored(folder):
        raise NotFound("nothing is stored here yet", 'start with: mem add "..." --summary "..."')
    return folder


def _run(common: Common) -> int:
    from memcli.agents.capture.worker import (  # reads sessions, with thousands of patterns: not for help and errors
        RunControl,
        run,
    )

    control = RunControl()
    control.listen()
    if common.repo and head.is_id(common.repo):  # started by a hook: its directory may be removed meanwhile
        os.chdir(config.data_dir())
    done = run(common.where, control)
    if common.json:
        output.data({"ran": done is not None, "processed": done or 0})
    else:
        output.show("a worker is already running" if done is None else f"processed {output.counted(done, 'event')}")
    return 0


def _start(common: Common) -> int:
    if common.user or common.workspace not in (None, DEFAULT_WORKSPACE):
        raise InvalidInput("hooks write into a repository's default workspace only", "mem worker run processes any other")
    folder = _folder(common)
    return _report(folder, start(folder), "started", "is already running", common)


def _stop(common: Common) -> int:
    folder = _folder(common)
    return _report(folder, stop(folder), "stopped", "was not running", common)


def _restart(common: Common) -> int:
    stop(_folder(common))
    return _start(common)


def _status(common: Common) -> int:
    folder = _folder(common)
    return _report(folder, worker_pid(folder) is not None, "is running", "is not running", common)


def _report(folder: str, is_so: bool, yes: str, no: str, common: Common) -> int:
    """Prints whether the worker runs and whether the command changed that. Returns the exit code."""
    pid = worker_pid(folder)
    if common.json:
        output.data({"running": pid is not None, "pid": pid or None, "changed": is_so and yes in ("started", "stopped")})
    else:
        output.show(f"the worker {yes if is_so else no}" + (f" (process {pid})" if pid else ""))
    return 0


def queue(request: QueueOptions, common: Common) -> None:
    """Prints what waits, or retries or removes what was parked."""
    if request.action == "status":
        return show(common, answer(common, "queue", QueueRequest()), captured.queue)
    n = _number(request.job)
    changed = writing(common, lambda project: change_parked(project, request.action, n))
    if common.json:
        return output.data({request.action: changed})
    done = "put back into the queue" if request.action == "retry" else "removed"
    output.show(f"{output.counted(changed, 'event')} {done}")


def _number(job: str | None) -> int | None:
    if job is None:
        return None
    if not (job.isascii() and job.isdigit() and len(job) < 16):
        raise InvalidInput(f"not the number of an event: {oneline(job)[:40]!r}", "see mem queue")
    return int(job)
