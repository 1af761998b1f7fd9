"""One service for each data directory: a lock that the kernel releases, a file with the address, and one with the port."""

from __future__ import annotations

import fcntl
import os
import time

from memcli import config
from memcli.errors import MemError
from memcli.records import Record, as_dict
from memcli.text import json

LOCK, ABOUT, PORT = "serve.lock", "serve.json", "serve.port"
_TRIES, _RETRY = 20, 0.01
_FLAGS = os.O_RDWR | os.O_CREAT | getattr(os, "O_CLOEXEC", 0) | getattr(os, "O_NOFOLLOW", 0)


class About(Record):
    """A running service. `port` None: it listens at a socket in the file system. `repo`, `workspace`: what it stands for."""

    pid: int
    url: str
    port: int | None
    socket: str | None
    host: str
    repo: str | None
    workspace: str | None
    started_at: int
    asked_host: bool = False  # whether the address was an option of the start, not a setting
    asked_port: bool = False


def path(name: str) -> str:
    """Returns the path of one of the files."""
    return os.path.join(config.data_dir(), name)


def take() -> int:
    """Returns the open file that holds the lock. Raises MemError where a service runs."""
    os.makedirs(config.data_dir(), mode=0o700, exist_ok=True)
    file = os.open(path(LOCK), _FLAGS, 0o600)
    for _ in range(_TRIES):
        if _lock(file):
            unpublish()  # the files of a service that was killed
            return file
        time.sleep(_RETRY)  # a process that only checks whether a service runs has it for a moment
    os.close(file)
    about = running()
    where = f" at {about.url} (process {about.pid})" if about else ""
    raise MemError(f"mem serve is already running{where}", "see mem serve status; mem serve restart replaces it", "runs")


def _lock(file: int, shared: bool = False) -> bool:
    try:
        fcntl.flock(file, (fcntl.LOCK_SH if shared else fcntl.LOCK_EX) | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


def is_held() -> bool:
    """Tells whether a service runs."""
    try:
        file = os.open(path(LOCK), _FLAGS & ~os.O_CREAT)
    except OSError:
        return False
    try:
        return not _lock(file, shared=True)  # shared, so that two checks at once do not take each other for a service
    finally:
        os.close(file)


def running() -> About | None:
    """Returns the service that runs; None where none runs, or it has not published its address yet."""
    if not is_held():
        return None
    try:
        with open(os.open(path(ABOUT), os.O_RDONLY | os.O_NOFOLLOW), encoding="utf-8") as file:
            fields = json.loads(file.read(65_536))
        return About(**{name: fields[name] for name in About._fields if name in fields})
    except (OSError, json.Malformed, KeyError, TypeError):
        return None


def publish(about: About) -> None:
    """Writes the service's address."""
    _write(ABOUT, json.dumps(as_dict(about)))
    if about.port is not None:
        _write(PORT, str(about.port))


def _write(name: str, text: str) -> None:
    temporary = f"{path(name)}.{os.getpid()}"
    flags = os.O_CREAT | os.O_TRUNC | os.O_WRONLY | os.O_NOFOLLOW
    with open(os.open(temporary, flags, 0o600), "w", encoding="utf-8") as file:
        file.write(text + "\n")
    os.replace(temporary, path(name))


def unpublish() -> None:
    """Removes the files with the service's address."""
    for name in (ABOUT, PORT):
        try:
            os.unlink(path(name))
        except FileNotFoundError:
            pass
