"""Starts a server. The store is checked before the SDK is loaded, which takes most of a second, so that errors show at once."""

from __future__ import annotations

import logging
import os
import signal
import warnings
from typing import TYPE_CHECKING, Any

from memcli import config, serving, store, system
from memcli.agents.adapters import session_origin
from memcli.errors import MemError, NotFound
from memcli.mcp.gate import Mode, WriteGate
from memcli.project import Where, open_for_reading
from memcli.recall.search import search
from memcli.records import Record
from memcli.serving import projects
from memcli.text import json
from memcli.text.terminal import oneline

if TYPE_CHECKING:
    from memcli.mcp.server import McpServer

_OUTSIDE = "not inside a repository: serves your own memory; each call may name a repository, as repo"
_NO_STORE = "nothing is stored here yet; start with mem init"


class McpServerOptions(Record):
    """What to serve, who may write, and the port of HTTP; None: standard input and output.

    `own_memory_outside`: outside any repository the person's own memory is served; else each call names a repository.
    `repair`: a memory that cannot be read is repaired first.
    """

    where: Where
    gate: WriteGate
    port: int | None = None
    own_memory_outside: bool = True
    repair: bool = False


def run(options: McpServerOptions, debug: bool) -> None:
    """Serves until the client disconnects. Raises NotFound for an unknown repository, InvalidInput for an invalid port."""
    if options.port is not None:
        serving.checked_port(options.port)
    status, mode = _check(options)
    _silence(debug)
    from memcli.mcp.server import McpServer  # imports the SDK

    server = McpServer(options.where, options.gate, mode)
    status |= {"tools": len(server.tools), "write_mode": mode}
    if options.port is None:
        _report(status, debug)
        server.via = session_origin()
        _serve_stdio(server)
    else:
        from memcli.mcp import http

        http.serve(server, options.port, lambda address: _report(status | address, debug))


def _check(options: McpServerOptions) -> tuple[dict[str, Any], Mode]:
    """Returns the status of the store and the write mode. Raises NotFound for an unknown repository."""
    where = options.where
    try:
        return _with_repair(where, options)
    except NotFound as error:
        if error.code != "no_repository" or ((where.repo or where.workspace) and options.own_memory_outside):
            raise
        if not options.own_memory_outside:
            return {"repo": "none", "hint": "each call names one, as repo"}, options.gate.mode_for(config.of_person())
        return _with_repair(Where(user=True), options)


def _with_repair(where: Where, options: McpServerOptions) -> tuple[dict[str, Any], Mode]:
    """Returns the status of a store. One that cannot be read is repaired first, if requested."""
    try:
        return _status(where, options.gate)
    except NotFound:
        raise
    except (MemError, store.Error):
        if not options.repair:
            raise
    from memcli.maintenance import repair

    for action in repair.repair(where):
        os.write(2, f"mem mcp: {oneline(action)}\n".encode("utf-8", "backslashreplace"))
    return _status(where, options.gate)


def _status(where: Where, write_gate: WriteGate) -> tuple[dict[str, Any], Mode]:
    project = open_for_reading(where)
    try:
        path = os.path.join(project.folder, "memory.db")
        has_store = bool(project.folder) and os.path.isfile(path)
        search(project, "memory", None, 1)  # raises for an unreadable text index
        status = {
            "repo": "none" if where.user else project.repo_id or "new",
            "name": project.name,
            "db": path if has_store else "none",
            "schema": store.version(project.db),
            "fts": "ok",
        }
        if problem := projects.loss(project.folder):
            status["hint"] = f"{problem.message}; {problem.hint}"
        elif not has_store or where.user:
            status["hint"] = _OUTSIDE if where.user else _NO_STORE
        return status, write_gate.mode_for(project.config)
    finally:
        project.close()


def _report(status: dict[str, Any], debug: bool) -> None:
    """Prints to standard error what is served: one line, or JSON."""
    if debug:
        line = json.dumps(status)
    else:
        fields = {name.replace("_", "-"): value for name, value in status.items() if name not in ("name", "hint")}
        hint = f" ({status['hint']})" if "hint" in status else ""
        line = f"mem mcp: {' '.join([f'{name}={oneline(str(value))}' for name, value in fields.items()])}{hint}"
    os.write(2, (line + "\n").encode("utf-8", "backslashreplace"))


def _silence(debug: bool) -> None:
    """Keeps the libraries' log messages off standard error unless `debug`."""
    logging.disable(logging.NOTSET if debug else logging.CRITICAL)
    warnings.simplefilter("ignore")
    signal.signal(signal.SIGINT, signal.SIG_DFL)  # otherwise a thread that waits for input would delay an interrupt


def _serve_stdio(server: McpServer) -> None:
    import anyio
    from mcp.server.stdio import stdio_server

    from memcli.mcp import pipes
    from memcli.mcp.malformed import AnsweringStream, CountedOutput

    sdk_server = server.server()
    streams: Any = (pipes.StandardInput(), pipes.StandardOutput()) if system.WAITS_FOR_PIPES else ()

    async def serve() -> None:
        async with stdio_server(*streams) as (incoming, outgoing):
            options = sdk_server.create_initialization_options()
            counted = CountedOutput(outgoing)
            await sdk_server.run(AnsweringStream(incoming, counted), counted, options)

    anyio.run(serve)
