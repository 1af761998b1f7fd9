"""Declarations: mcp, serve."""

from __future__ import annotations

from typing import Annotated

import typer

from memcli.cli.app.options import Json, NoColor, Repo, Workspace, command
from memcli.cli.verbs import mcp as door
from memcli.cli.verbs import serve as service

GROUP = "Doors"


@command(GROUP, door.mcp, door.Mcp)
def mcp(
    allow_write: Annotated[bool, typer.Option("--allow-write", help="Let agents write; each time you are asked.")] = False,
    write_mode: Annotated[
        str | None, typer.Option("--write-mode", metavar="ask|auto|off", help="Ask you each time, never, or write nothing.")
    ] = None,
    http: Annotated[bool, typer.Option("--http", help="Streamable HTTP on this machine, with a token.")] = False,
    port: Annotated[int, typer.Option("--port", metavar="N", help="Of --http; 0 takes any that is free.")] = 7347,
    debug: Annotated[bool, typer.Option("--debug", help="A JSON report at the start, and what the libraries log.")] = False,
    repo: Repo = None,
    workspace: Workspace = None,
    json: Json = False,
    no_color: NoColor = False,
) -> None:
    """Serve the memory as MCP tools, over standard input and output."""


@command(GROUP, service.serve, service.Serve)
def serve(
    action: Annotated[str, typer.Argument(metavar="[run|start|stop|restart|status|open]", help="What to do.")] = "run",
    host: Annotated[str | None, typer.Option("--host", metavar="NAME", help="127.0.0.1, localhost or ::1.")] = None,
    port: Annotated[int | None, typer.Option("--port", metavar="N", help="37888 if left out; 0 takes any.")] = None,
    socket: Annotated[str | None, typer.Option("--socket", metavar="PATH", help="A socket in the file system instead.")] = None,
    open: Annotated[bool, typer.Option("--open", help="Open the page in your browser.")] = False,
    repo: Repo = None,
    workspace: Workspace = None,
    json: Json = False,
    no_color: NoColor = False,
) -> None:
    """Serve the memory over HTTP on this machine, with a page to look at it."""
