"""mcp: the memory as tools for any agent."""

from __future__ import annotations

from memcli.errors import InvalidInput
from memcli.records import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from memcli.cli.invoke import Common

_PORT = 7347


class Mcp(Record):
    """What `mem mcp` was asked."""

    allow_write: bool = False
    write_mode: str | None = None
    http: bool = False
    port: int | None = None
    debug: bool = False


def mcp(asked: Mcp, common: Common) -> None:
    """Serves the memory until the client leaves."""
    from memcli.mcp import serve
    from memcli.mcp.gate import Gate, checked

    if asked.port is not None and not asked.http:
        raise InvalidInput("--port is of --http", "add --http, or leave out --port")
    port = (_PORT if asked.port is None else asked.port) if asked.http else None
    options = serve.Options(common.where, Gate(asked.allow_write, checked(asked.write_mode)), port)
    serve.run(options, asked.debug)
