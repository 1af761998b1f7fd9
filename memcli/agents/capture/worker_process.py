"""The worker process of a store: whether one runs, starting and stopping it, and its lock.

There is one worker per store. It holds a lock on FOLDER/worker.lock while it runs. The kernel releases the lock when its holder
dies, so that it is never stale. The content of the file is for people, and for `mem worker stop`.
"""

from __future__ import annotations

import os
import time

from memcli import system
from memcli.agents.capture.compressor import CompressorUsage, usage
from memcli.agents.capture.event_queue import LOCK, spawn_worker
from memcli.errors import Call, MemError, NotFound
from memcli.project import Project, now
from memcli.records import Record
from memcli.store import queue

_PATIENCE = 10.0  # seconds for a worker to begin, and to end what it is doing
_POLL = 0.02  # seconds between two looks at its lock
_LOCK_TRIES, _LOCK_NAP = 20, 0.01
_SERVICE = b" service"


class WorkerStatus(Record):
    """`pid`: of the worker process, None if there is none, 0 if it is just starting; `compressor`: the model and its usage."""

    pid: int | None
    compressor: CompressorUsage


def status(project: Project) -> WorkerStatus:
    """Returns whether the worker of a memory runs, and how much of its limits its model has used."""
    return WorkerStatus(worker_pid(project.folder) if project.folder else None, usage(project))


def start(folder: str) -> bool:
    """Starts the worker of the store in `folder`, fully detached from this process, and waits until it runs.

    Returns False if one ran already. Raises MemError if it does not start, or OSError.
    """
    if worker_pid(folder) is not None:
        return False
    spawn_worker(folder)  # if it starts none, another process just did
    deadline = time.monotonic() + _PATIENCE
    while not worker_pid(folder):
        if time.monotonic() > deadline:
            raise MemError("the worker did not start", "run mem worker run, and see logs/worker.log in the data directory")
        time.sleep(_POLL)
    return True


def stop(folder: str) -> bool:
    """Tells the worker of the store in `folder` to end, and waits until it does. Returns whether one ran.

    One that does not end within ten seconds is killed; the next worker repeats its job. Raises MemError if it is a service.
    """
    if worker_pid(folder) is None:
        return False
    if is_service(folder):
        raise MemError("mem serve runs the worker of this memory", ("stop it with ", Call("serve stop")), "served")
    system.end_holder(lambda: worker_pid(folder), _PATIENCE, _POLL)
    return True


def change_parked(project: Project, action: str, number: int | None) -> int:
    """Puts parked and stuck events back into the queue (`retry`), or removes parked ones (`purge`). `number`: only this one.

    Returns how many. Raises NotFound if that event is not parked.
    """
    if action == "retry":
        changed = queue.retry(project.db, number, now(), lease(project))
    else:
        changed = queue.purge(project.db, number)
    if number is not None and not changed:
        raise NotFound(f"no parked event {number}", ("see ", Call("queue")))
    return changed


def take_lock(folder: str) -> int | None:
    """Returns the open file that holds the lock of the store in `folder`, None while another process holds it. Raises OSError."""
    file = system.open_private(os.path.join(folder, LOCK), os.O_RDWR | os.O_CREAT)
    for _ in range(_LOCK_TRIES):
        if system.try_lock(file):
            return file
        time.sleep(_LOCK_NAP)  # who only looks whether a worker runs holds it for a moment
    os.close(file)
    return None


def sign_lock(file: int, is_service: bool) -> None:
    """Writes into the lock's file who holds it. A service does other work, too, and must not be stopped for this."""
    system.sign(file, b"%d%s\n" % (os.getpid(), _SERVICE if is_service else b""))


def release_lock(file: int) -> None:
    """Releases the lock."""
    os.ftruncate(file, 0)
    os.close(file)


def worker_pid(folder: str) -> int | None:
    """Returns the worker process of the store in `folder`: None if there is none, 0 if it has not signed the lock yet."""
    signature = _signature(folder)
    if signature is None:
        return None
    pid = signature.partition(b" ")[0]
    return int(pid) if pid.isdigit() else 0


def is_service(folder: str) -> bool:
    """Tells whether the worker of the store in `folder` is a service."""
    return (_signature(folder) or b"").endswith(_SERVICE)


def _signature(folder: str) -> bytes | None:
    """Returns what the holder of a lock wrote into its file, None if nobody holds it."""
    try:
        file = system.open_private(os.path.join(folder, LOCK), os.O_RDWR)
    except OSError:
        return None
    try:
        return None if system.try_lock(file) else system.signature(file).strip()
    finally:
        os.close(file)


def lease(project: Project) -> int:
    """Returns for how long a job is claimed, in ms."""
    return int(project.config["queue.lease_minutes"]) * 60_000


def most_attempts(project: Project) -> int:
    """Returns how often an event is tried before it is parked."""
    return int(project.config["queue.attempts"])
