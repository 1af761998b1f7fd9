"""Running the service: one at a time, on a loopback address or a socket of this person's, until it is told to stop."""

from __future__ import annotations

import logging
import os
import resource
import signal
import socket
import sys
from contextlib import contextmanager

import uvicorn

from memcli import config
from memcli.errors import InvalidInput
from memcli.http import app, logs, protocol
from memcli.http.service import Address, Service, default_place
from memcli.project import now
from memcli.records import Record
from memcli.serving import instance, loopback

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from typing import Any

    from memcli.config import Config

_CLOSING = 5  # seconds that open answers get when the service is told to stop
_FILES = 4_096  # open at once: connections, and the stores that calls have open beside them
_SIGNALS = (signal.SIGINT, signal.SIGTERM)
_SWITCH = 0.001  # seconds after which a thread that computes lets another go on: the loop waits behind them


class Options(Record):
    """Where to listen, and which memory a call means that names none; None: as set, or by the working directory."""

    host: str | None = None
    port: int | None = None
    socket: str | None = None
    repo: str | None = None
    workspace: str | None = None


class _Server(uvicorn.Server):
    """A server that ends its streams when it is told to stop: they would keep it."""

    def __init__(self, settings: uvicorn.Config, service: Service) -> None:
        super().__init__(settings)
        self._service = service

    def handle_exit(self, sig: int, frame: Any) -> None:
        self._service.stopping = True
        super().handle_exit(sig, frame)

    @contextmanager
    def capture_signals(self) -> Iterator[None]:
        """Hears signals, without raising them again in the end: the lock's files are tidied up after that."""
        for one in _SIGNALS:
            signal.signal(one, self.handle_exit)
        self.should_exit = self._service.stopping  # it may have been told before
        yield


def run(options: Options, tell: Callable[[instance.About, Callable[[], str]], None]) -> None:
    """Serves until the process is told to stop. `tell` is told where, and how to make a link to the page.

    Raises MemError where a service runs already, InvalidInput for an address that cannot be had, NotFound for a repository.
    """
    os.umask(0o077)
    where = default_place(options.repo, options.workspace)
    settings = config.load(None, lambda key: None, lambda key, value: None)
    key = loopback.token()
    held = instance.take()
    try:
        listening, address = _listen(options, settings)
        try:
            service = Service(where, key, address)
            service.heartbeat = max(0.05, float(settings["serve.heartbeat_seconds"]))
            host, repo, workspace = address.host, where.repo if where else None, options.workspace
            asked = options.host is not None, options.port is not None
            about = instance.About(os.getpid(), address.url, address.port, address.socket, host, repo, workspace, now(), *asked)
            for one in _SIGNALS:
                signal.signal(one, lambda number, frame: setattr(service, "stopping", True))
            os.ftruncate(held, 0)
            os.pwrite(held, b"%d\n" % os.getpid(), 0)
            instance.tell(about)
            tell(about, service.link)
            _serve(service, listening)
        finally:
            listening.close()
            if address.socket and os.path.lexists(address.socket):
                os.unlink(address.socket)
            instance.leave()
    finally:
        os.close(held)


def _serve(service: Service, listening: socket.socket) -> None:
    sys.setswitchinterval(_SWITCH)
    logging.getLogger("uvicorn").addHandler(logging.NullHandler())  # what goes wrong is told by us, and without its words
    _make_room()
    os.chdir(config.data_dir())  # names of repositories are no paths here, and no directory is kept from being removed
    logs.write(f"info begins at {service.address.url}")
    _, gated = app.build(service)
    settings = uvicorn.Config(
        gated,
        http=protocol.Protocol,
        ws="none",
        log_config=None,
        access_log=False,
        server_header=False,
        date_header=False,
        proxy_headers=False,
        timeout_keep_alive=30,
        timeout_graceful_shutdown=_CLOSING,
        h11_max_incomplete_event_size=protocol.HEAD,
        lifespan="on",
    )
    server = _Server(settings, service)
    gated.connections = server.server_state.connections
    server.run(sockets=[listening])
    logs.write("info ends")


def _make_room() -> None:
    """Lets this process have as many files open as it may come to need."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if soft != resource.RLIM_INFINITY and soft < _FILES:
        resource.setrlimit(resource.RLIMIT_NOFILE, (_FILES if hard == resource.RLIM_INFINITY else min(_FILES, hard), hard))


def _listen(options: Options, settings: Config) -> tuple[socket.socket, Address]:
    """Returns a socket that listens, and its address. Raises InvalidInput."""
    if options.socket is not None:
        return _at_path(os.path.abspath(options.socket))
    host = loopback.checked_host(options.host or settings["serve.host"])
    port = settings["serve.port"] if options.port is None else options.port
    number = "127.0.0.1" if host == "localhost" else host
    bound = loopback.bound(number, loopback.checked_port(port))
    return bound, Address(number, bound.getsockname()[1])


def _check_deserted(path: str) -> None:
    """Raises InvalidInput for a socket at which somebody listens, OSError for one that cannot be asked."""
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as asking:
        asking.settimeout(1.0)
        try:
            asking.connect(path)
        except ConnectionRefusedError:
            return
    raise InvalidInput(f"somebody listens at {path[:200]} already", "give another path")


def _at_path(path: str) -> tuple[socket.socket, Address]:
    """Listens at a path that only this person reaches. What a service left there that was killed gives way; we hold the lock."""
    bound = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    try:
        if os.path.exists(path) and os.stat(path).st_mode & 0o170000 == 0o140000:
            _check_deserted(path)
            os.unlink(path)
        bound.bind(path)
        os.chmod(path, 0o600)
        bound.listen(socket.SOMAXCONN)
    except InvalidInput:
        bound.close()
        raise
    except OSError as problem:
        bound.close()
        why = (problem.strerror or str(problem)).lower()
        raise InvalidInput(f"cannot listen at {path[:200]}: {why}", "give a short path in a directory of yours") from None
    return bound, Address("localhost", None, path)
