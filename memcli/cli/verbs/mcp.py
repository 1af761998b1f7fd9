"""mcp: the memory as tools for any agent."""

from __future__ import annotations

from memcli.records import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from memcli.cli.invoke import Common


class Mcp(Record):
    """What `mem mcp` was asked."""

    allow_write: bool = False
    write_mode: str | None = None
    http: bool = False
    port: int = 7347
    debug: bool = False


def mcp(asked: Mcp, common: Common) -> None:
    """Serves the memory until the client leaves."""
    from memcli.mcp import serve
    from memcli.mcp.gate import Gate, checked

    options = serve.Options(common.where, Gate(asked.allow_write, checked(asked.write_mode)), asked.port if asked.http else None)
    serve.run(options, asked.debug)
