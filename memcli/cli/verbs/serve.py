"""serve: the memory over HTTP, with a web page."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from memcli import fields, http, serving
from memcli.cli import output
from memcli.cli.invoke import Common
from memcli.fields import Request
from memcli.records import as_dict
from memcli.serving import RunningService
from memcli.text import dates


class ServeOptions(Request):
    """The options of `mem serve`."""

    action: str = fields.text("The action.", default="run", choices=("run", "start", "stop", "restart", "status", "open"))
    host: str | None = fields.text("127.0.0.1, localhost or ::1.", default=None, metavar="NAME")
    port: int | None = fields.number("37888 by default; 0 for any free one.", default=None)
    socket: str | None = fields.text("Listen on a socket in the file system instead.", default=None, metavar="PATH")
    open: bool = fields.flag("Open the page in your browser.", default=False)


def serve(request: ServeOptions, common: Common) -> int:
    """Serves until told to stop; or starts, stops, restarts or shows a background service. Returns the exit code."""
    actions = {"run": _run, "start": _start, "stop": _stop, "restart": _restart, "status": _status, "open": _open}
    return actions[request.action](request, common)


def _run(request: ServeOptions, common: Common) -> int:
    from memcli.http import server

    def tell(about: RunningService, link: Callable[[], str]) -> None:
        _report(about, "serves", common)
        if request.open:
            _show(link(), common)

    server.run(server.HttpServerOptions(request.host, request.port, request.socket, common.repo, common.workspace), tell)
    return 0


def _start(request: ServeOptions, common: Common) -> int:
    _report(http.start(_words(request, common)), "serves", common)
    if request.open:
        _show(http.link(), common)
    return 0


def _words(request: ServeOptions, common: Common) -> list[str]:
    """Returns the command line that repeats the request."""
    endpoint = (("--host", request.host), ("--port", request.port), ("--socket", request.socket))
    memory = (("--repo", common.repo), ("--workspace", common.workspace))
    return [word for name, value in (*endpoint, *memory) if value is not None for word in (name, str(value))]


def _stop(request: ServeOptions, common: Common) -> int:
    ran = http.stop()
    if common.json:
        output.data({"running": False, "changed": ran})
    else:
        output.show("mem serve stopped" if ran else "mem serve was not running")
    return 0


def _restart(request: ServeOptions, common: Common) -> int:
    """Restarts the service at the requested address, else at its earlier one, else at that of the settings."""
    before = serving.running()
    # A service that cannot start must not end the one that runs.
    http.check(request.host, request.port, common.repo, common.workspace)
    http.stop()
    words = _words(request, common)
    if before is not None and not (request.host or request.port is not None or request.socket):
        words += ["--socket", before.socket] if before.socket else []
        words += ["--host", before.host] if before.host_is_option else []
        words += ["--port", str(before.port)] if before.port_is_option and before.port is not None else []
    if before is not None and common.repo is None and before.repo is not None:
        words += ["--repo", before.repo, *(["--workspace", before.workspace] if before.workspace else [])]
    _report(http.start(words), "serves", common)
    return 0


def _status(request: ServeOptions, common: Common) -> int:
    service = serving.running()
    if service is None:
        output.data({"running": False}) if common.json else output.show("mem serve is not running")
        return 0
    _report(service, "serves", common)
    return 0


def _report(about: RunningService, verb: str, common: Common) -> None:
    if common.json:
        facts: dict[str, Any] = {"running": True, **as_dict(about), "started_at": dates.iso(about.started_at)}
        return output.data(facts)
    address = about.socket or about.url
    page = "no browser opens a socket: without --socket there is a page" if about.socket else "mem serve open shows the page"
    output.show(f"mem {verb} at {address} (process {about.pid}); {page}")


def _open(request: ServeOptions, common: Common) -> int:
    if not serving.is_running():
        _start(request, common)
    _show(http.link(), common)
    return 0


def _show(url: str, common: Common) -> None:
    """Opens a link in a browser, or prints it if there is none."""
    opened = not common.json and output.is_terminal() and http.open_page(url)
    if common.json:
        output.data({"url": url, "opened": opened})
    else:
        output.show("the page opens in your browser" if opened else f"open this link within a minute, once: {url}")
