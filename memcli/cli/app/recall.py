"""Declarations: get, explain, search, recent, threads, thread, show, log."""

from __future__ import annotations

from typing import Annotated

import typer

from memcli.cli.app.options import (
    Batch,
    Format,
    IncludeOrphans,
    Json,
    Kind,
    Limit,
    NoColor,
    Repo,
    Semantic,
    SessionOption,
    Thread,
    User,
    Workspace,
    command,
)
from memcli.cli.verbs import explain as why
from memcli.cli.verbs import reading, recall, state
from memcli.cli.verbs import search as finding

GROUP = "Recall"


@command(GROUP, recall.get, recall.Get)
def get(
    query: Annotated[str, typer.Argument(metavar="QUERY", help="The task or question, in any words; - reads standard input.")],
    format: Format = None,
    budget: Annotated[int | None, typer.Option("--budget", metavar="N", help="At most this many tokens as printed.")] = None,
    max_bytes: Annotated[int | None, typer.Option("--max-bytes", metavar="N", help="At most this many bytes as printed.")] = None,
    harness: Annotated[
        str | None,
        typer.Option("--for", metavar="HARNESS", help="What claude, codex, gemini, copilot or cursor takes, as a prompt."),
    ] = None,
    include_orphans: IncludeOrphans = False,
    debug: Annotated[bool, typer.Option("--debug", help="Timings on standard error.")] = False,
    semantic: Semantic = False,
    repo: Repo = None,
    workspace: Workspace = None,
    user: User = False,
    json: Json = False,
    no_color: NoColor = False,
) -> None:
    """Print what is known about a task and holds on this commit."""


@command(GROUP, why.explain, why.Explain)
def explain(
    query: Annotated[str, typer.Argument(metavar="QUERY", help="The task or question; - reads standard input.")],
    include_orphans: IncludeOrphans = False,
    semantic: Semantic = False,
    repo: Repo = None,
    workspace: Workspace = None,
    user: User = False,
    json: Json = False,
    no_color: NoColor = False,
) -> None:
    """Show how each memory scored for a question and why it is in the pack or not."""


@command(GROUP, finding.search, finding.Search)
def search(
    query: Annotated[
        str | None,
        typer.Argument(metavar="QUERY", help='Words; also "a phrase", prefix*, AND, OR, NOT, ( ); - reads standard input.'),
    ] = None,
    limit: Limit = 10,
    offset: Annotated[int, typer.Option("--offset", metavar="N", help="Leave out the first hits.")] = 0,
    kind: Kind = None,
    thread: Thread = None,
    since: Annotated[str | None, typer.Option("--since", metavar="WHEN", help="A date, or a span back: 3d, 2w.")] = None,
    until: Annotated[str | None, typer.Option("--until", metavar="WHEN", help="A date, or a span back: 3d, 2w.")] = None,
    session: SessionOption = None,
    batch: Batch = None,
    semantic: Semantic = False,
    repo: Repo = None,
    workspace: Workspace = None,
    user: User = False,
    json: Json = False,
    no_color: NoColor = False,
) -> None:
    """List matching memories, best first, with a snippet each: mem search '"session expired" OR (cache* NOT redis)'."""


@command(GROUP, reading.recent, reading.Recent)
def recent(
    limit: Limit = 20,
    repo: Repo = None,
    workspace: Workspace = None,
    user: User = False,
    json: Json = False,
    no_color: NoColor = False,
) -> None:
    """List the newest memories."""


@command(GROUP, reading.threads, reading.Threads)
def threads(
    repo: Repo = None,
    workspace: Workspace = None,
    user: User = False,
    json: Json = False,
    no_color: NoColor = False,
) -> None:
    """List the threads."""


@command(GROUP, reading.thread, reading.OneThread)
def thread(
    id: Annotated[str, typer.Argument(metavar="NAME", help="The thread's name.")],
    limit: Limit = 20,
    repo: Repo = None,
    workspace: Workspace = None,
    user: User = False,
    json: Json = False,
    no_color: NoColor = False,
) -> None:
    """List the newest memories of one thread."""


@command(GROUP, reading.show, reading.Show)
def show(
    id: Annotated[
        list[str], typer.Argument(metavar="ID...", help="Ids of memories, chunks, sessions or prompts, or their beginnings.")
    ],
    context: Annotated[int, typer.Option("--context", metavar="N", help="Of a chunk, this many lines around it, too.")] = 0,
    repo: Repo = None,
    workspace: Workspace = None,
    user: User = False,
    json: Json = False,
    no_color: NoColor = False,
) -> None:
    """Show everything about memories, chunks, sessions or prompts."""


@command(GROUP, state.log, state.Log)
def log(
    id: Annotated[
        str | None, typer.Argument(metavar="[ID]", help="Only the operations on this memory, state, session or prompt.")
    ] = None,
    limit: Limit = 20,
    repo: Repo = None,
    workspace: Workspace = None,
    user: User = False,
    json: Json = False,
    no_color: NoColor = False,
) -> None:
    """Show the operation log, newest first."""
