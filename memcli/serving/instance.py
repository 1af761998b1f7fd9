"""One service a data directory: a lock that the kernel lets go of, a file that says where it is, and a file with its port."""

from __future__ import annotations

import os
import time

from memcli import config
from memcli.errors import MemError
from memcli.records import Record, as_dict
from memcli.text import json

LOCK, ABOUT, PORT = "serve.lock", "serve.json", "serve.port"
_TRIES, _NAP = 20, 0.01
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
    asked_host: bool = False  # whether the address was said when it was started, and is not a setting
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
            leave()  # what one said that was killed
            return file
        time.sleep(_NAP)  # whoever only looks whether one runs has it for a moment
    os.close(file)
    found = running()
    where = f" at {found.url} (process {found.pid})" if found else ""
    raise MemError(f"mem serve runs already{where}", "see mem serve status; mem serve restart makes a new one", "runs")


def _lock(file: int, shared: bool = False) -> bool:
    import fcntl

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
        return not _lock(file, shared=True)  # two that look do not take each other for a service
    finally:
        os.close(file)


def running() -> About | None:
    """Returns the service that runs; None for none, or one that has not said yet where it is."""
    if not is_held():
        return None
    try:
        with open(os.open(path(ABOUT), os.O_RDONLY | os.O_NOFOLLOW), encoding="utf-8") as file:
            said = json.loads(file.read(65_536))
        return About(**{name: said[name] for name in About._fields if name in said})
    except (OSError, json.Malformed, KeyError, TypeError):
        return None


def tell(about: About) -> None:
    """Writes where the service is."""
    _write(ABOUT, json.dumps(as_dict(about)))
    if about.port is not None:
        _write(PORT, str(about.port))


def _write(name: str, text: str) -> None:
    aside = f"{path(name)}.{os.getpid()}"
    flags = os.O_CREAT | os.O_TRUNC | os.O_WRONLY | os.O_NOFOLLOW
    with open(os.open(aside, flags, 0o600), "w", encoding="utf-8") as file:
        file.write(text + "\n")
    os.replace(aside, path(name))


def leave() -> None:
    """Takes the files away that say where the service is."""
    for name in (ABOUT, PORT):
        try:
            os.unlink(path(name))
        except FileNotFoundError:
            pass
