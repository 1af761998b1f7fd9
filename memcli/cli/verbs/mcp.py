"""mcp: the memory as tools for any agent."""

from __future__ import annotations

import os

from memcli import fields
from memcli.cli.invoke import Common
from memcli.errors import InvalidInput, NotFound
from memcli.fields import Request
from memcli.mcp import serve
from memcli.mcp.gate import WriteGate, checked
from memcli.records import replace

_PORT = 7347


class McpOptions(Request):
    """The options of `mem mcp`."""

    allow_write: bool = fields.flag("Let agents write; asks you each time.", default=False)
    write_mode: str | None = fields.text("Ask you each time, never ask, or refuse writes.", default=None, metavar="ask|auto|off")
    http: bool = fields.flag("Serve streamable HTTP on this machine, with a token.", default=False)
    port: int | None = fields.number("The port for --http; 7347 by default, 0 for any free one.", default=None)
    require_repo: bool = fields.flag(
        "Serve this directory's repository, never the active one; outside of any, the one that each call names.", default=False
    )
    repair: bool = fields.flag("Repair a damaged memory before serving it.", default=False)
    debug: bool = fields.flag("Print a JSON report at the start, and library logs.", default=False)


def mcp(request: McpOptions, common: Common) -> None:
    """Serves the memory until the client disconnects."""
    if request.port is not None and not request.http:
        raise InvalidInput("--port requires --http", "add --http, or leave out --port")
    port = (_PORT if request.port is None else request.port) if request.http else None
    gate = WriteGate(request.allow_write, checked(request.write_mode))
    is_here = request.require_repo and common.where.repo is None and not common.where.user
    where = replace(common.where, repo=_here()) if is_here else common.where
    serve.run(serve.McpServerOptions(where, gate, port, own_memory_outside=not is_here, repair=request.repair), request.debug)


def _here() -> str:
    """Returns the working directory. Raises NotFound if it was deleted."""
    try:
        return os.getcwd()
    except OSError:
        raise NotFound("the working directory is gone", "go into a repository, or name one with --repo") from None
