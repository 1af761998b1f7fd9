"""Running the service: one at a time, on a loopback address or a socket in the file system, until told to stop."""

from __future__ import annotations

import os
import signal
import socket
import stat
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import uvicorn

from memcli import config, serving, system
from memcli.config import Config
from memcli.errors import InvalidInput
from memcli.http import app, logs, protocol
from memcli.http.gate import MAX_HEAD
from memcli.http.service import Address, Service
from memcli.project import now
from memcli.records import Record
from memcli.serving.projects import default_store
from memcli.serving.protocol import PatientServer

_GRACE = 5  # seconds that open responses get when the service is told to stop
_MAX_FILES = 4_096  # open at once: connections, and the stores that calls open beside them
_SIGNALS = (signal.SIGINT, signal.SIGTERM)
_SWITCH_INTERVAL = 0.001  # seconds after which a thread that computes yields: the event loop waits behind it


class HttpServerOptions(Record):
    """Where to listen, and the memory of a call that names none; None: by the settings, or the working directory."""

    host: str | None = None
    port: int | None = None
    socket: str | None = None
    repo: str | None = None
    workspace: str | None = None


class _Server(PatientServer):
    """A server that leaves its signal handlers in place, since the files of the lock are removed after it ends."""

    @contextmanager
    def capture_signals(self) -> Iterator[None]:
        """Handles signals without raising them again at the end."""
        for number in _SIGNALS:
            signal.signal(number, self.handle_exit)
        yield


def run(options: HttpServerOptions, announce: Callable[[serving.RunningService, Callable[[], str]], None]) -> None:
    """Serves until the process is told to stop. `announce` gets the address and a function that makes a link to the page.

    Raises MemError if a service runs already, InvalidInput for an unavailable address, NotFound for an unknown repository.
    """
    system.keep_private()
    where = default_store(options.repo, options.workspace)
    settings = config.of_person()
    token = serving.token()
    lock = serving.take_lock()
    try:
        listener, address = _listen(options, settings)
        try:
            heartbeat = max(0.05, float(settings["serve.heartbeat_seconds"]))
            service = Service(where, token, address, heartbeat, settings["serve.without_token"])
            about = serving.RunningService(
                os.getpid(),
                address.url,
                address.port,
                address.socket,
                address.host,
                where.repo if where else None,
                options.workspace,
                now(),
                host_is_option=options.host is not None,
                port_is_option=options.port is not None,
            )
            server = _server(service)
            for number in _SIGNALS:
                signal.signal(number, server.handle_exit)  # a signal may come before the server runs
            system.sign(lock, b"%d\n" % os.getpid())
            serving.publish(about)
            announce(about, service.link)
            _serve(server, service, listener)
        finally:
            listener.close()
            if address.socket and os.path.lexists(address.socket):
                os.unlink(address.socket)
            serving.unpublish()
    finally:
        os.close(lock)


def _server(service: Service) -> _Server:
    _, gate = app.build(service)
    settings = uvicorn.Config(
        gate,
        http=protocol.Protocol,
        ws="none",
        log_config=None,
        access_log=False,
        server_header=False,
        date_header=False,
        proxy_headers=False,
        timeout_keep_alive=30,
        timeout_graceful_shutdown=_GRACE,
        h11_max_incomplete_event_size=MAX_HEAD,
        lifespan="on",
    )
    server = _Server(settings)
    gate.connections = server.server_state.connections
    return server


def _serve(server: _Server, service: Service, listener: socket.socket) -> None:
    sys.setswitchinterval(_SWITCH_INTERVAL)
    system.allow_open_files(_MAX_FILES)
    os.chdir(config.data_dir())  # names of repositories are no paths here, and no directory is kept from being removed
    logs.write(f"info begins at {service.address.url}")
    server.run(sockets=[listener])
    logs.write("info ends")


def _listen(options: HttpServerOptions, settings: Config) -> tuple[socket.socket, Address]:
    """Returns a listening socket, and its address. Raises InvalidInput."""
    if options.socket is not None:
        return _listen_at_path(os.path.abspath(options.socket))
    host = serving.checked_host(options.host or settings["serve.host"])
    port = settings["serve.port"] if options.port is None else options.port
    number = "127.0.0.1" if host == "localhost" else host
    listener = serving.listen(number, serving.checked_port(port))
    return listener, Address(number, listener.getsockname()[1])


def _check_abandoned(path: str) -> None:
    """Raises InvalidInput for a socket on which a process listens, OSError for one that cannot be probed."""
    with system.local_socket() as probe:
        probe.settimeout(1.0)
        try:
            probe.connect(path)
        except ConnectionRefusedError:
            return
    raise InvalidInput(f"another process listens at {path[:200]} already", "give another path")


def _listen_at_path(path: str) -> tuple[socket.socket, Address]:
    """Listens at a path that only this person can open. Replaces the socket of a service that was killed; we hold the lock."""
    listener: socket.socket | None = None
    try:
        listener = system.local_socket()
        if os.path.exists(path) and stat.S_ISSOCK(os.stat(path).st_mode):
            _check_abandoned(path)
            os.unlink(path)
        listener.bind(path)
        os.chmod(path, 0o600)
        listener.listen(socket.SOMAXCONN)
    except (InvalidInput, OSError) as error:
        if listener is not None:
            listener.close()
        if isinstance(error, InvalidInput):
            raise
        reason = (error.strerror or str(error)).lower()
        raise InvalidInput(f"cannot listen at {path[:200]}: {reason}", "give a short path in a directory of yours") from None
    return listener, Address("localhost", None, path)
