"""Declarations: setup, mcp, serve, turn."""

from __future__ import annotations

from typing import Annotated

import typer

from memcli.cli.app.options import Json, NoColor, Repo, User, Workspace, command
from memcli.cli.verbs import mcp as door
from memcli.cli.verbs import serve as service
from memcli.cli.verbs import setup as harnesses
from memcli.cli.verbs import turn as turns

GROUP = "Doors"


@command(GROUP, harnesses.setup, harnesses.Setup)
def setup(
    harness: Annotated[
        str, typer.Argument(metavar="HARNESS", help="claude, codex, gemini, copilot, cursor, opencode, openclaw.")
    ],
    project: Annotated[bool, typer.Option("--project", help="In this repository's configuration of it.")] = False,
    user: Annotated[
        bool, typer.Option("--user", help="In your own configuration of it, for every repository; the default.")
    ] = False,
    print_: Annotated[bool, typer.Option("--print", help="Write nothing; show what belongs where.")] = False,
    remove: Annotated[bool, typer.Option("--remove", help="Take out what setup put in; with --mcp, only the server.")] = False,
    mcp: Annotated[bool, typer.Option("--mcp", help="Register the MCP server, too.")] = False,
    write: Annotated[
        str | None, typer.Option("--write", metavar="ask|auto|off", help="Whether agents may write by MCP; your mcp.write.")
    ] = None,
    repo: Repo = None,
    json: Json = False,
    no_color: NoColor = False,
) -> None:
    """Have an agent harness use the memory: its hooks, and the MCP server."""


@command(GROUP, door.mcp, door.Mcp)
def mcp(
    allow_write: Annotated[bool, typer.Option("--allow-write", help="Let agents write; each time you are asked.")] = False,
    write_mode: Annotated[
        str | None, typer.Option("--write-mode", metavar="ask|auto|off", help="Ask you each time, never, or write nothing.")
    ] = None,
    http: Annotated[bool, typer.Option("--http", help="Streamable HTTP on this machine, with a token.")] = False,
    port: Annotated[
        int | None, typer.Option("--port", metavar="N", help="Of --http: 7347 if left out; 0 takes any that is free.")
    ] = None,
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


@command(GROUP, turns.turn, turns.Turn)
def turn(
    action: Annotated[str, typer.Argument(metavar="prepare|ack", help="Ask what is new for a session, or say that it was told.")],
    session: Annotated[str | None, typer.Option("--session", metavar="KEY", help="What your program calls the session.")] = None,
    engine: Annotated[
        str | None, typer.Option("--engine", metavar="NAME", help="claude, codex, ...: whose cap holds; generic by default.")
    ] = None,
    query: Annotated[
        str | None, typer.Option("--query", metavar="TEXT", help="The prompt: what is relevant to it is told, too.")
    ] = None,
    format: Annotated[
        str | None,
        typer.Option("--format", metavar="json|xml|prompt", help="JSON with the turn as xml (the default), or as text."),
    ] = None,
    full: Annotated[bool, typer.Option("--full", help="Everything again, as after a compaction.")] = False,
    prepare_id: Annotated[str | None, typer.Option("--prepare-id", metavar="ID", help="Of ack: which turn.")] = None,
    status: Annotated[str | None, typer.Option("--status", metavar="success|failed", help="Of ack: whether it was told.")] = None,
    repo: Repo = None,
    workspace: Workspace = None,
    user: User = False,
    json: Json = False,
    no_color: NoColor = False,
) -> None:
    """Tell a session only what is new: everything at its first turn, then what changed or became relevant."""
