"""mcp: the memory as tools for any agent."""

from __future__ import annotations

from memcli import fields
from memcli.cli.invoke import Common
from memcli.errors import InvalidInput
from memcli.fields import Request
from memcli.mcp import serve
from memcli.mcp.gate import WriteGate, checked

_PORT = 7347


class McpOptions(Request):
    """The options of `mem mcp`."""

    allow_write: bool = fields.flag("Let agents write; asks you each time.", default=False)
    write_mode: str | None = fields.text("Ask you each time, never ask, or refuse writes.", default=None, metavar="ask|auto|off")
    http: bool = fields.flag("Serve streamable HTTP on this machine, with a token.", default=False)
    port: int | None = fields.number("The port for --http; 7347 by default, 0 for any free one.", default=None)
    debug: bool = fields.flag("Print a JSON report at the start, and library logs.", default=False)


def mcp(request: McpOptions, common: Common) -> None:
    """Serves the memory until the client leaves."""
    if request.port is not None and not request.http:
        raise InvalidInput("--port requires --http", "add --http, or leave out --port")
    port = (_PORT if request.port is None else request.port) if request.http else None
    options = serve.McpServerOptions(common.where, WriteGate(request.allow_write, checked(request.write_mode)), port)
    serve.run(options, request.debug)
