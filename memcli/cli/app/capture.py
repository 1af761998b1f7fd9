"""Declarations: sessions, session, timeline, worker, queue."""

from __future__ import annotations

from typing import Annotated

import typer

from memcli.cli.app.options import Json, NoColor, Repo, User, Workspace, command
from memcli.cli.verbs import worker as work

CARE = "Care"


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
