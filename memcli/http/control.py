"""The service as a process: started, stopped, asked after, its page opened. Nothing here loads what serves HTTP."""

from __future__ import annotations

import os
import sys
import time

from memcli import config
from memcli.agents.capture import spawn
from memcli.errors import InvalidInput, MemError, NotFound
from memcli.serving import instance
from memcli.text import json

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from memcli.serving.instance import About

_PATIENCE = 15.0  # seconds for a service to begin, and to end
_NAP = 0.02
_SIGTERM, _SIGKILL = 15, 9
_NOT_STARTED = MemError("mem serve did not start", "see what mem serve says in the foreground, and logs/ in the data directory")


def start(words: Sequence[str]) -> About:
    """Starts a service with options, detached from this process, and waits until it answers. Raises MemError, OSError."""
    if instance.is_held():
        found = instance.running()
        raise MemError(f"mem serve runs already{f' at {found.url}' if found else ''}", "see mem serve status", "runs")
    os.umask(0o077)
    os.makedirs(config.data_dir(), mode=0o700, exist_ok=True)
    errors = instance.path(f"serve.errors.{os.getpid()}")
    os.close(os.open(errors, os.O_CREAT | os.O_TRUNC | os.O_WRONLY | os.O_NOFOLLOW, 0o600))
    try:
        child = spawn.detached([sys.executable, "-P", "-m", "memcli", "serve", "run", *words], errors)
        deadline = time.monotonic() + _PATIENCE
        while time.monotonic() < deadline:
            if (found := instance.running()) and _answers(found):
                return found
            ended, status = os.waitpid(child, os.WNOHANG)
            if ended:
                raise _said(errors, os.waitstatus_to_exitcode(status))
            time.sleep(_NAP)
    finally:
        os.unlink(errors)
    raise _NOT_STARTED


def check(host: str | None, port: int | None, repo: str | None, workspace: str | None) -> None:
    """Raises InvalidInput or NotFound for what no service could be started with."""
    from memcli.http.service import default_place
    from memcli.serving import loopback

    default_place(repo, workspace)
    loopback.checked_host(host or loopback.HOST)
    loopback.checked_port(port or 0)


def _said(errors: str, code: int) -> MemError:
    """Returns the error that a service ended with at once, as it told it."""
    with open(errors, encoding="utf-8", errors="replace") as file:
        lines = file.read(65_536).splitlines()
    told = {name: line[len(name) :] for line in lines for name in ("Error: ", "Hint: ") if line.startswith(name)}
    if "Error: " not in told:
        return _NOT_STARTED
    kind = {2: InvalidInput, 3: NotFound}.get(code, MemError)
    return kind(told["Error: "], told.get("Hint: ", ""))


def stop() -> bool:
    """Tells the service to stop, and waits until it has. One that does not is killed. Returns whether one ran."""
    if not instance.is_held():
        return False
    signal, deadline = _SIGTERM, time.monotonic() + _PATIENCE
    told: tuple[int, int] | None = None
    while instance.is_held():
        pid = _pid()
        if pid and told != (pid, signal):
            _signal(pid, signal)
            told = (pid, signal)
        if time.monotonic() > deadline:
            signal, deadline = _SIGKILL, deadline + _PATIENCE
        time.sleep(_NAP)
    return True


def _pid() -> int:
    """Returns the process that holds the lock, 0 where it has not signed yet."""
    try:
        with open(os.open(instance.path(instance.LOCK), os.O_RDONLY | os.O_NOFOLLOW), encoding="ascii") as file:
            said = file.read(32).strip()
    except (OSError, ValueError):
        return 0
    return int(said) if said.isdigit() else 0


def _signal(pid: int, number: int) -> None:
    try:
        os.kill(pid, number)
    except ProcessLookupError:
        pass  # it ended by itself


def _answers(about: About) -> bool:
    try:
        return ask(about, "GET", "/health")["status"] == "ok"
    except (OSError, MemError, KeyError, TypeError):
        return False


def link() -> str:
    """Returns a link that opens the page of the running service, once. Raises NotFound where none runs."""
    found = instance.running()
    if found is None:
        raise NotFound("mem serve does not run", "start it with: mem serve start", "not_running")
    if found.port is None:
        raise MemError("it listens at a socket, which no browser reaches", "start it without --socket")
    return str(ask(found, "POST", "/v2/link")["url"])


def ask(about: About, method: str, path: str) -> dict[str, object]:
    """Returns what the service answers. Raises MemError, OSError."""
    from memcli import client

    status, said = client.request(client.Target(about.url, about.socket, token(), 5.0), method, path)
    answer = json.loads(said.decode("utf-8", "replace")) if said else {}
    if status >= 400 or not isinstance(answer, dict):
        raise MemError(f"mem serve answered {status}", "see mem serve status")
    return answer


def token() -> str:
    """Returns the token of the service."""
    from memcli.serving import loopback

    return loopback.token()


def show(url: str) -> bool:
    """Opens a link in the person's browser. Returns whether there is one."""
    import webbrowser
    from pathlib import Path

    from memcli.http import login_file

    try:
        return webbrowser.open(Path(login_file.file(url)).as_uri())
    except (webbrowser.Error, OSError):
        return False
