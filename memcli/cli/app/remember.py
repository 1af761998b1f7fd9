"""Declarations: add, update, supersede, confirm, forget, restore, undo, link, pin, unpin, checkpoint, state, profile, note."""

from __future__ import annotations

from typing import Annotated

import typer

from memcli.cli.app.options import (
    Declared,
    Entities,
    Json,
    Kind,
    Limit,
    MemoryId,
    NoColor,
    Repo,
    StateFile,
    StateJson,
    StateView,
    Summary,
    Tags,
    Thread,
    Title,
    User,
    Workspace,
    command,
    declare_operation,
)
from memcli.cli.verbs import add as adding
from memcli.cli.verbs import keeping, memories
from memcli.cli.verbs import state as states

GROUP = "Remember"


declare_operation(GROUP, adding.add, Declared("title", optional=("title", "summary")), adding.Add)


@command(GROUP, memories.update, memories.Update)
def update(
    id: MemoryId,
    title: Title = None,
    summary: Summary = None,
    thread: Thread = None,
    kind: Kind = None,
    tags: Tags = None,
    entities: Entities = None,
    repo: Repo = None,
    workspace: Workspace = None,
    user: User = False,
    json: Json = False,
    no_color: NoColor = False,
) -> None:
    """Correct a memory; its history stays in the log."""


@command(GROUP, memories.supersede, memories.Supersede)
def supersede(
    id: MemoryId,
    title: Title = None,
    summary: Summary = None,
    thread: Thread = None,
    tags: Tags = None,
    entities: Entities = None,
    repo: Repo = None,
    workspace: Workspace = None,
    user: User = False,
    json: Json = False,
    no_color: NoColor = False,
) -> None:
    """Replace a memory by what holds now."""


@command(GROUP, memories.confirm, memories.Several)
def confirm(
    id: Annotated[list[str], typer.Argument(metavar="ID...", help="Ids of memories, or their beginnings.")],
    repo: Repo = None,
    workspace: Workspace = None,
    user: User = False,
    json: Json = False,
    no_color: NoColor = False,
) -> None:
    """Say that memories hold on this commit and for its files."""


@command(GROUP, memories.forget, memories.Forget)
def forget(
    id: Annotated[str, typer.Argument(metavar="ID", help="A memory or a chunk; with --erase any id.")],
    erase: Annotated[bool, typer.Option("--erase", help="Take its text out of everything, for good.")] = False,
    repo: Repo = None,
    workspace: Workspace = None,
    user: User = False,
    json: Json = False,
    no_color: NoColor = False,
) -> None:
    """Hide a memory or a chunk from every recall, or erase it."""


@command(GROUP, memories.restore, memories.One)
def restore(
    id: Annotated[str, typer.Argument(metavar="ID", help="A memory or a chunk that was forgotten.")],
    repo: Repo = None,
    workspace: Workspace = None,
    user: User = False,
    json: Json = False,
    no_color: NoColor = False,
) -> None:
    """Bring a forgotten memory back."""


@command(GROUP, states.undo, states.Undo)
def undo(
    repo: Repo = None,
    workspace: Workspace = None,
    user: User = False,
    json: Json = False,
    no_color: NoColor = False,
) -> None:
    """Take the last command back."""


@command(GROUP, memories.link, memories.Link)
def link(
    from_id: Annotated[str, typer.Argument(metavar="FROM", help="A memory.")],
    rel: Annotated[str, typer.Argument(metavar="REL", help="How they are related, such as depends_on.")],
    to_id: Annotated[str, typer.Argument(metavar="TO", help="A memory, a chunk, or a web address.")],
    repo: Repo = None,
    workspace: Workspace = None,
    user: User = False,
    json: Json = False,
    no_color: NoColor = False,
) -> None:
    """Link a memory to another, a chunk or a web address."""


@command(GROUP, memories.pin, memories.One)
def pin(
    id: MemoryId,
    repo: Repo = None,
    workspace: Workspace = None,
    user: User = False,
    json: Json = False,
    no_color: NoColor = False,
) -> None:
    """Keep a memory from ageing."""


@command(GROUP, memories.unpin, memories.One)
def unpin(
    id: MemoryId,
    repo: Repo = None,
    workspace: Workspace = None,
    user: User = False,
    json: Json = False,
    no_color: NoColor = False,
) -> None:
    """Let a memory age again."""


@command(GROUP, states.checkpoint, states.Checkpoint)
def checkpoint(
    reason: Annotated[str, typer.Option("--reason", metavar="TEXT", help="Why now.")],
    state_file: StateFile = None,
    state_json: StateJson = None,
    thread: Thread = None,
    repo: Repo = None,
    workspace: Workspace = None,
    user: User = False,
    json: Json = False,
    no_color: NoColor = False,
) -> None:
    """Store where the work stands, and a memory that says why."""


@command(GROUP, states.state, states.State)
def state(
    view: StateView = "show",
    limit: Limit = 20,
    repo: Repo = None,
    workspace: Workspace = None,
    user: User = False,
    json: Json = False,
    no_color: NoColor = False,
) -> None:
    """Show where the work stands."""


@command(GROUP, keeping.profile, keeping.Profile)
def profile(
    action: Annotated[str, typer.Argument(metavar="[list|get|set|delete]", help="What to do.")] = "list",
    key: Annotated[str | None, typer.Argument(metavar="[KEY]", help="A name, such as editor.")] = None,
    value: Annotated[str | None, typer.Argument(metavar="[VALUE]", help="What holds; - reads standard input.")] = None,
    repo: Repo = None,
    workspace: Workspace = None,
    user: User = False,
    json: Json = False,
    no_color: NoColor = False,
) -> None:
    """Keep what holds for good under a key, word for word."""


@command(GROUP, keeping.note, keeping.Note)
def note(
    action: Annotated[str, typer.Argument(metavar="[list|add|show]", help="What to do.")] = "list",
    text: Annotated[str | None, typer.Argument(metavar="[TEXT|DAY]", help="The note (- reads standard input), or a day.")] = None,
    days: Annotated[int, typer.Option("--days", metavar="N", help="Today and the days before it, so many in all.")] = 3,
    repo: Repo = None,
    workspace: Workspace = None,
    user: User = False,
    json: Json = False,
    no_color: NoColor = False,
) -> None:
    """Keep a note of today, or read those of some days."""
