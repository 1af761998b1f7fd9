"""Declarations: ingest, chunks, for the files of the repository."""

from __future__ import annotations

from typing import Annotated

import typer

from memcli.cli.app.options import Json, Limit, NoColor, Repo, Thread, User, Workspace, command
from memcli.cli.verbs import ingest as evidence


@command("Remember", evidence.ingest, evidence.Ingest)
def ingest(
    paths: Annotated[
        list[str],
        typer.Argument(
            metavar="[PATH...]",
            help="Directories or files; all of the repository if left out.",
            default_factory=list,
            show_default=False,
        ),
    ],
    thread: Thread = None,
    watch: Annotated[bool, typer.Option("--watch", help="Go on, and follow every change until Ctrl-C.")] = False,
    max_file_mb: Annotated[int | None, typer.Option("--max-file-mb", metavar="N", help="Skip larger files.")] = None,
    chunk_tokens: Annotated[int | None, typer.Option("--chunk-tokens", metavar="N", help="At most so many in a chunk.")] = None,
    overlap_tokens: Annotated[
        int | None, typer.Option("--overlap-tokens", metavar="N", help="Shared by parts of one definition.")
    ] = None,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Only tell what would be done.")] = False,
    remove: Annotated[str | None, typer.Option("--remove", metavar="PATH", help="Take out what is kept of a path.")] = None,
    repo: Repo = None,
    workspace: Workspace = None,
    user: User = False,
    json: Json = False,
    no_color: NoColor = False,
) -> None:
    """Take in the repository's files as evidence, and keep up with them."""


@command("Recall", evidence.chunks, evidence.Chunks)
def chunks(
    path: Annotated[str | None, typer.Argument(metavar="[PATH]", help="A directory or a file; all if left out.")] = None,
    limit: Limit = 50,
    repo: Repo = None,
    workspace: Workspace = None,
    user: User = False,
    json: Json = False,
    no_color: NoColor = False,
) -> None:
    """List the chunks that were cut from files."""
