"""The service as a process: start and stop it, send it requests, open its page. Nothing here loads the server itself."""

from __future__ import annotations

import os
import sys
import time
import webbrowser
from collections.abc import Sequence
from pathlib import Path

from memcli import client, config, serving, system
from memcli.errors import InvalidInput, MemError, NotFound
from memcli.http import login_file
from memcli.serving import RunningService
from memcli.serving.projects import default_store
from memcli.text import json

_TIMEOUT = 15.0  # seconds for a service to start, and to stop
_POLL = 0.02
_NOT_STARTED = MemError("mem serve did not start", "see what mem serve says in the foreground, and logs/ in the data directory")


def start(words: Sequence[str]) -> RunningService:
    """Starts a service with options, detached from this process, and waits until it answers. Raises MemError or OSError."""
    if serving.is_running():
        about = serving.running()
        raise MemError(f"mem serve is already running{f' at {about.url}' if about else ''}", "see mem serve status", "runs")
    system.keep_private()
    os.makedirs(config.data_dir(), mode=0o700, exist_ok=True)
    errors = serving.path(f"serve.errors.{os.getpid()}")
    os.close(system.open_private(errors, os.O_CREAT | os.O_TRUNC | os.O_WRONLY))
    try:
        child = system.spawn_detached([sys.executable, "-P", "-m", "memcli", "serve", "run", *words], errors)
        deadline = time.monotonic() + _TIMEOUT
        while time.monotonic() < deadline:
            if (about := serving.running()) and _is_up(about):
                return about
            if (code := system.exit_code(child)) is not None:
                raise _startup_error(errors, code)
            time.sleep(_POLL)
    finally:
        os.unlink(errors)
    raise _NOT_STARTED


def check(host: str | None, port: int | None, repo: str | None, workspace: str | None) -> None:
    """Raises InvalidInput or NotFound for options that no service could be started with."""
    default_store(repo, workspace)
    serving.checked_host(host or serving.HOST)
    serving.checked_port(port or 0)


def _startup_error(errors: str, code: int) -> MemError:
    """Returns the error with which a service failed to start, from what it printed."""
    with open(errors, encoding="utf-8", errors="replace") as file:
        lines = file.read(65_536).splitlines()
    fields = {label: line[len(label) :] for line in lines for label in ("Error: ", "Hint: ") if line.startswith(label)}
    if "Error: " not in fields:
        return _NOT_STARTED
    error = {2: InvalidInput, 3: NotFound}.get(code, MemError)
    return error(fields["Error: "], fields.get("Hint: ", ""))


def stop() -> bool:
    """Stops the service and waits for it to end; kills it after a while. Returns whether one ran."""
    if not serving.is_running():
        return False
    system.end_holder(lambda: _pid() if serving.is_running() else None, _TIMEOUT, _POLL)
    return True


def _pid() -> int:
    """Returns the process that holds the lock, 0 if it has not written its id yet."""
    try:
        with open(system.open_private(serving.path(serving.LOCK), os.O_RDONLY), encoding="ascii") as file:
            text = file.read(32).strip()
    except (OSError, ValueError):
        return 0
    return int(text) if text.isdigit() else 0


def _is_up(about: RunningService) -> bool:
    try:
        return request(about, "GET", "/health")["status"] == "ok"
    except (OSError, MemError, KeyError, TypeError):
        return False


def link() -> str:
    """Returns a link that opens the page of the running service, once. Raises NotFound if none runs."""
    about = serving.running()
    if about is None:
        raise NotFound("mem serve is not running", "start it with: mem serve start", "not_running")
    if about.port is None:
        raise MemError("the service listens on a Unix socket, which browsers cannot open", "start it without --socket")
    return str(request(about, "POST", "/v2/link")["url"])


def request(about: RunningService, method: str, path: str) -> dict[str, object]:
    """Returns the service's answer. Raises MemError, OSError."""
    status, body = client.request(client.Target(about.url, about.socket, serving.token(), 5.0), method, path)
    answer = json.loads(body.decode("utf-8", "replace")) if body else {}
    if status >= 400 or not isinstance(answer, dict):
        raise MemError(f"mem serve answered {status}", "see mem serve status")
    return answer


def open_page(url: str) -> bool:
    """Opens a link in the person's browser. Returns whether there is one."""
    try:
        return webbrowser.open(Path(login_file.write(url)).as_uri())
    except (webbrowser.Error, OSError):
        return False
