"""serve: the memory over HTTP, with a page to look at it."""

from __future__ import annotations

from memcli import fields
from memcli.cli import output
from memcli.errors import InvalidInput
from memcli.fields import Request
from memcli.http import control
from memcli.records import as_dict
from memcli.serving import instance
from memcli.text import dates
from memcli.text.terminal import oneline

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from memcli.cli.invoke import Common
    from memcli.serving.instance import About


class Serve(Request):
    """The options of `mem serve`."""

    action: str = fields.text("The action.", default="run", metavar="[run|start|stop|restart|status|open]")
    host: str | None = fields.text("127.0.0.1, localhost or ::1.", default=None, metavar="NAME")
    port: int | None = fields.number("37888 by default; 0 for any free one.", default=None)
    socket: str | None = fields.text("Listen on a socket in the file system instead.", default=None, metavar="PATH")
    open: bool = fields.flag("Open the page in your browser.", default=False)


def serve(asked: Serve, common: Common) -> int:
    """Serves until it is told to stop; or starts, stops, restarts or shows a service beside. Returns the exit code."""
    actions = {"run": _run, "start": _start, "stop": _stop, "restart": _restart, "status": _status, "open": _open}
    if asked.action not in actions:
        raise InvalidInput(f"no such action: {oneline(asked.action)[:40]!r}", f"use {', '.join(actions)}")
    return actions[asked.action](asked, common)


def _run(asked: Serve, common: Common) -> int:
    from memcli.http import server

    def tell(about: About, link: Callable[[], str]) -> None:
        _told(about, "serves", common)
        if asked.open:
            _show(link(), common)

    server.run(server.ServeOptions(asked.host, asked.port, asked.socket, common.repo, common.workspace), tell)
    return 0


def _start(asked: Serve, common: Common) -> int:
    _told(control.start(_words(asked, common)), "serves", common)
    if asked.open:
        _show(control.link(), common)
    return 0


def _words(asked: Serve, common: Common) -> list[str]:
    """Returns the command line that says what was asked."""
    given = (("--host", asked.host), ("--port", asked.port), ("--socket", asked.socket))
    meant = (("--repo", common.repo), ("--workspace", common.workspace))
    return [word for name, value in (*given, *meant) if value is not None for word in (name, str(value))]


def _stop(asked: Serve, common: Common) -> int:
    ran = control.stop()
    if common.json:
        output.data({"running": False, "changed": ran})
    else:
        output.show("mem serve stopped" if ran else "mem serve was not running")
    return 0


def _restart(asked: Serve, common: Common) -> int:
    """Starts the service anew: where it was told to be, unless somewhere else is asked for; else where the settings say."""
    before = instance.running()
    control.check(asked.host, asked.port, common.repo, common.workspace)  # one that cannot come must not end the one that runs
    control.stop()
    words = _words(asked, common)
    if before is not None and not (asked.host or asked.port is not None or asked.socket):
        words += ["--socket", before.socket] if before.socket else []
        words += ["--host", before.host] if before.asked_host else []
        words += ["--port", str(before.port)] if before.asked_port and before.port is not None else []
    if before is not None and common.repo is None and before.repo is not None:
        words += ["--repo", before.repo, *(["--workspace", before.workspace] if before.workspace else [])]
    _told(control.start(words), "serves", common)
    return 0


def _status(asked: Serve, common: Common) -> int:
    found = instance.running()
    if found is None:
        output.data({"running": False}) if common.json else output.show("mem serve does not run")
        return 0
    _told(found, "serves", common)
    return 0


def _told(about: About, what: str, common: Common) -> None:
    if common.json:
        said: dict[str, Any] = {"running": True, **as_dict(about), "started_at": dates.iso(about.started_at)}
        return output.data(said)
    place = about.socket or about.url
    output.show(f"mem {what} at {place} (process {about.pid}); mem serve open shows the page")


def _open(asked: Serve, common: Common) -> int:
    if not instance.is_held():
        _start(asked, common)
    _show(control.link(), common)
    return 0


def _show(url: str, common: Common) -> None:
    """Opens a link, and prints it where no browser took it."""
    opened = not common.json and output.is_terminal() and control.open_page(url)
    if common.json:
        output.data({"url": url, "opened": opened})
    else:
        output.show("the page opens in your browser" if opened else f"open this link within a minute, once: {url}")
