"""Starting a server: what it will serve is looked at before the SDK is loaded, so that a mistake is told at once."""

from __future__ import annotations

import os

from memcli.errors import NotFound
from memcli.mcp.gate import Gate
from memcli.project import Where, from_session, open_for_reading
from memcli.recall.search import search
from memcli.records import Record
from memcli.serving import loopback
from memcli.store import db as store
from memcli.text import json
from memcli.text.terminal import oneline

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from memcli.mcp.gate import Mode
    from memcli.mcp.server import Door


class Options(Record):
    """What to serve, who may write, and the port of HTTP; None: standard input and output."""

    where: Where
    gate: Gate
    port: int | None = None


def run(options: Options, debug: bool) -> None:
    """Serves until the client leaves. Raises NotFound where there is no store, InvalidInput for a port that is not available."""
    if options.port is not None:
        loopback.checked_port(options.port)
    about, mode = _about(options)
    _quiet(debug)
    from memcli.mcp.server import Door
    from memcli.mcp.tools import READING, WRITING

    tools = len(READING) + (len(WRITING) if mode != "off" else 0)
    about |= {"tools": tools, "write_mode": mode}
    door = Door(options.where, options.gate, mode)
    if options.port is None:
        _tell(about, debug)
        door.via = from_session()
        _stdio(door)
    else:
        from memcli.mcp import http

        http.serve(door, options.port, lambda more: _tell(about | more, debug))


def _about(options: Options) -> tuple[dict[str, Any], Mode]:
    """Returns what there is to be told of the store, and who may write. Raises NotFound where there is none."""
    project = open_for_reading(options.where)
    try:
        path = os.path.join(project.folder, "memory.db")
        if not project.folder or not os.path.isfile(path):
            raise NotFound("nothing is stored here yet", "run mem init there, then start the server again", "no_store")
        search(project, "memory", None, 1)  # a text index that cannot be read is told now
        about = {"repo": project.repo_id, "name": project.name, "db": path, "schema": store.version(project.db), "fts": "ok"}
        return about, options.gate.of(project.config)
    finally:
        project.close()


def _tell(about: dict[str, Any], debug: bool) -> None:
    """Says on standard error what is served: one line, or a JSON report."""
    if debug:
        line = json.dumps(about)
    else:
        shown = [f"{name.replace('_', '-')}={oneline(str(value))}" for name, value in about.items() if name != "name"]
        line = f"mem mcp: {' '.join(shown)}"
    os.write(2, (line + "\n").encode("utf-8", "backslashreplace"))


def _quiet(debug: bool) -> None:
    """Keeps what the libraries log off standard error, unless somebody looks for a fault."""
    import logging
    import signal
    import warnings

    logging.disable(logging.NOTSET if debug else logging.CRITICAL)
    warnings.simplefilter("ignore")
    signal.signal(signal.SIGINT, signal.SIG_DFL)  # a thread that waits for input would keep an interrupt waiting, too


def _stdio(door: Door) -> None:
    import anyio
    from mcp.server.stdio import stdio_server

    from memcli.mcp import pipes
    from memcli.mcp.malformed import Answering

    server = door.server()
    streams: Any = (pipes.Incoming(), pipes.Outgoing()) if pipes.POSSIBLE else ()

    async def serve() -> None:
        async with stdio_server(*streams) as (incoming, outgoing):
            await server.run(Answering(incoming, outgoing), outgoing, server.create_initialization_options())

    anyio.run(serve)
