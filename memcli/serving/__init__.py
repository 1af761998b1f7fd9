"""What servers share: the one service of a data directory, an address that only this machine reaches, and a token.

A lock that the kernel releases says that the service runs; files beside it have its address and its port. The token is in a
file that only one person reads.
"""

from __future__ import annotations

import hmac
import os
import secrets
import socket
import time
from collections.abc import Iterable

from memcli import config, system
from memcli.errors import InvalidInput, MemError
from memcli.records import Record, as_dict
from memcli.text import json

HOST = "127.0.0.1"
HOSTS = ("127.0.0.1", "localhost", "::1")
LOCK, ABOUT, PORT = "serve.lock", "serve.json", "serve.port"
_TRIES, _RETRY = 20, 0.01


class RunningService(Record):
    """A running service. `port` None: it listens at a socket in the file system. `repo`, `workspace`: its own memory."""

    pid: int
    url: str
    port: int | None
    socket: str | None
    host: str
    repo: str | None
    workspace: str | None
    started_at: int
    host_is_option: bool = False  # not a setting
    port_is_option: bool = False


def path(name: str) -> str:
    """Returns the path of one of the files."""
    return os.path.join(config.data_dir(), name)


def take_lock() -> int:
    """Returns the open file that holds the lock. Raises MemError where a service runs."""
    os.makedirs(config.data_dir(), mode=0o700, exist_ok=True)
    file = system.open_private(path(LOCK), os.O_RDWR | os.O_CREAT)
    for _ in range(_TRIES):
        if system.try_lock(file):
            unpublish()  # the files of a service that was killed
            return file
        time.sleep(_RETRY)  # a process that only checks whether a service runs has it for a moment
    os.close(file)
    about = running()
    where = f" at {about.url} (process {about.pid})" if about else ""
    raise MemError(f"mem serve is already running{where}", "see mem serve status; mem serve restart replaces it", "runs")


def is_running() -> bool:
    """Tells whether a service runs."""
    try:
        file = system.open_private(path(LOCK), os.O_RDWR)
    except OSError:
        return False
    try:
        return not system.try_lock(file, shared=True)  # shared, so that two checks at once do not take each other for a service
    finally:
        os.close(file)


def running() -> RunningService | None:
    """Returns the service that runs; None where none runs, or it has not published its address yet."""
    if not is_running():
        return None
    try:
        with open(system.open_private(path(ABOUT), os.O_RDONLY), encoding="utf-8") as file:
            fields = json.loads(file.read(65_536))
        return RunningService(**{name: fields[name] for name in RunningService._fields if name in fields})
    except (OSError, json.Malformed, KeyError, TypeError):
        return None


def publish(about: RunningService) -> None:
    """Writes the service's address."""
    _write(ABOUT, json.dumps(as_dict(about)))
    if about.port is not None:
        _write(PORT, str(about.port))


def _write(name: str, text: str) -> None:
    temporary = f"{path(name)}.{os.getpid()}"
    flags = os.O_CREAT | os.O_TRUNC | os.O_WRONLY
    with open(system.open_private(temporary, flags), "w", encoding="utf-8") as file:
        file.write(text + "\n")
    os.replace(temporary, path(name))


def unpublish() -> None:
    """Removes the files with the service's address."""
    for name in (ABOUT, PORT):
        try:
            os.unlink(path(name))
        except FileNotFoundError:
            pass


def listen(host: str, port: int) -> socket.socket:
    """Returns a socket that listens at a port of a loopback address. Raises InvalidInput for a port that is not available."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    listener = socket.socket(family, socket.SOCK_STREAM, socket.IPPROTO_TCP)  # without the protocol, asyncio would leave Nagle on
    try:
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listener.bind((host, port))
        listener.listen(socket.SOMAXCONN)  # who reads the address may connect at once, though nobody answers yet
    except OSError as error:
        listener.close()
        raise InvalidInput(f"cannot listen at port {port}: {(error.strerror or '').lower()}", "give --port 0 for any") from None
    return listener


def checked_host(host: str) -> str:
    """Returns the address. Raises InvalidInput for one that others could reach."""
    if host not in HOSTS:
        raise InvalidInput(f"mem serves this machine only, not {host[:80]!r}", f"use {', '.join(HOSTS)}")
    return host


def checked_port(port: int) -> int:
    """Returns the port. Raises InvalidInput for an invalid number."""
    if not 0 <= port <= 65_535:
        raise InvalidInput(f"{port} is no port", "give --port 0 to 65535; 0 takes any that is free")
    return port


def token_path() -> str:
    """Returns the file that holds the token."""
    return os.path.join(config.data_dir(), "token")


def token() -> str:
    """Returns the token that clients have to show, made the first time. Raises MemError for a file that others can use."""
    path = token_path()
    os.makedirs(config.data_dir(), mode=0o700, exist_ok=True)
    try:
        handle = system.open_private(path, os.O_RDONLY)
    except FileNotFoundError:
        return _new_token(path)
    except OSError:
        raise MemError("the token's file is a symbolic link, or cannot be read", f"remove {path}; a new one is made") from None
    with open(handle, encoding="ascii", errors="replace") as file:
        status = os.fstat(handle)
        key = file.read(200).strip()
    if not system.is_private(status) or len(key) < 32:
        raise MemError("others can read the token's file, or it holds none", f"remove {path}; a new one is made")
    return key


def _new_token(path: str) -> str:
    key = secrets.token_urlsafe(32)
    aside = f"{path}.{os.getpid()}"
    with open(system.open_private(aside, os.O_CREAT | os.O_EXCL | os.O_WRONLY), "w", encoding="ascii") as file:
        file.write(key + "\n")
    try:
        os.link(aside, path)  # of two servers that start at once, one makes it
        return key
    except FileExistsError:
        return token()
    finally:
        os.unlink(aside)


def bearer(headers: Iterable[tuple[bytes, bytes]]) -> str:
    """Returns the token of a request that has one Authorization header, and only one; else "". `headers`: names in lower case.

    The scheme may be written in any case, with one space behind it or more (RFC 9110, 11.1 and 11.4).
    """
    values = [value for name, value in headers if name == b"authorization"]
    scheme, _, credentials = values[0].partition(b" ") if len(values) == 1 else (b"", b"", b"")
    return credentials.lstrip(b" ").decode("latin-1") if scheme.lower() == b"bearer" else ""


def is_token(sent: str, token: str) -> bool:
    """Tells whether what a request sent is the token."""
    return hmac.compare_digest(sent.encode(), token.encode())
