"""Declarations: add, update, supersede, confirm, forget, restore, undo, link, pin, unpin, checkpoint, state, profile, note."""

from __future__ import annotations

from memcli.cli.app.options import (
    Declared,
    Json,
    Limit,
    NoColor,
    Repo,
    StateView,
    User,
    Workspace,
    command,
    declare,
    declare_operation,
)
from memcli.cli.verbs import add as adding
from memcli.cli.verbs import keeping, memories
from memcli.cli.verbs import state as states

GROUP = "Remember"
ID = Declared("id")

declare_operation(GROUP, adding.add, Declared("title", optional=("title", "summary")), adding.Add)
declare_operation(GROUP, memories.update, ID)
declare_operation(GROUP, memories.supersede, ID)
declare_operation(GROUP, memories.confirm, ID)
declare_operation(GROUP, memories.forget, ID)
declare_operation(GROUP, memories.restore, ID)
declare_operation(GROUP, memories.undo, Declared())
declare_operation(GROUP, memories.link, Declared("from_id", "rel", "to_id"))
declare_operation(GROUP, memories.pin, ID)
declare_operation(GROUP, memories.unpin, ID)
declare_operation(GROUP, states.checkpoint, Declared(), states.Checkpoint)


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


declare(
    GROUP,
    keeping.profile,
    keeping.Profile,
    Declared("action", "key", "value"),
    "Keep what holds for good under a key, word for word.",
)
declare(GROUP, keeping.note, keeping.Note, Declared("action", "text"), "Keep a note of today, or read those of some days.")
