"""Declarations: sessions, session, timeline, worker, queue."""

from __future__ import annotations

from typing import Annotated

import typer

from memcli.cli.app.options import Json, Limit, NoColor, Repo, User, Workspace, command
from memcli.cli.verbs import sessions as past
from memcli.cli.verbs import worker as work

RECALL, CARE = "Recall", "Care"


@command(RECALL, past.sessions, past.Sessions)
def sessions(
    limit: Limit = 20,
    index: Annotated[bool, typer.Option("--index", help="The last observations and summaries instead, a line each.")] = False,
    needs_summary: Annotated[bool, typer.Option("--needs-summary", help="Only what is not summed up to its end.")] = False,
    repo: Repo = None,
    workspace: Workspace = None,
    user: User = False,
    json: Json = False,
    no_color: NoColor = False,
) -> None:
    """List the sessions of agents, the last ones first."""


@command(RECALL, past.session, past.OneSession)
def session(
    id: Annotated[str, typer.Argument(metavar="ID", help="A session's id or name, or the id of something in it.")],
    repo: Repo = None,
    workspace: Workspace = None,
    user: User = False,
    json: Json = False,
    no_color: NoColor = False,
) -> None:
    """Show a session: its summary, what was asked, done and answered."""


@command(RECALL, past.timeline, past.Timeline)
def timeline(
    id: Annotated[str, typer.Argument(metavar="ID", help="A memory's or a prompt's id, or the beginning of one.")],
    before: Annotated[int, typer.Option("--before", metavar="N", help="How many things before it.")] = 5,
    after: Annotated[int, typer.Option("--after", metavar="N", help="How many things after it.")] = 5,
    repo: Repo = None,
    workspace: Workspace = None,
    user: User = False,
    json: Json = False,
    no_color: NoColor = False,
) -> None:
    """Show what happened before and after something."""


@command(CARE, work.worker, work.Worker)
def worker(
    action: Annotated[str, typer.Argument(metavar="[run|start|stop|restart|status]", help="What to do.")] = "status",
    repo: Repo = None,
    workspace: Workspace = None,
    user: User = False,
    json: Json = False,
    no_color: NoColor = False,
) -> None:
    """Work up what hooks have seen, or see to it that somebody does."""


@command(CARE, work.queue, work.Queue)
def queue(
    action: Annotated[str, typer.Argument(metavar="[status|retry|purge]", help="What to do.")] = "status",
    job: Annotated[str | None, typer.Argument(metavar="[EVENT]", help="The number of one parked event.")] = None,
    repo: Repo = None,
    workspace: Workspace = None,
    user: User = False,
    json: Json = False,
    no_color: NoColor = False,
) -> None:
    """Show what hooks have seen and nobody has worked up; retry or remove what was parked."""
