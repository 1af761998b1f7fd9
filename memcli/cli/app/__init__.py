"""The command line as a Typer app: the single declaration from which the strict parser's table and the docs are generated."""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import cache
from typing import Any

import typer

from memcli.cli import help, output
from memcli.cli.app import reference
from memcli.cli.app.commands import COMMANDS, GROUPS
from memcli.cli.invoke import guarded
from memcli.cli.verbs.version import line
from memcli.errors import InvalidInput, MemError

__all__ = ["COMMANDS", "GROUPS", "app", "command_line", "run_typer"]

app = typer.Typer(
    name="mem",
    help="What this repository remembers, for you and your agents.",
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
    no_args_is_help=False,
    context_settings={"help_option_names": ["--help", "-h"]},
)
UNLISTED = ("merge-memory",)  # for git, not for people
NAMES = {command.name for commands in COMMANDS.values() for command in commands}
for _group, _commands in COMMANDS.items():
    for _command in _commands:
        _command.add_to(app, _group)


@app.callback(invoke_without_command=True)
def overview(
    context: typer.Context,
    version: bool = typer.Option(False, "--version", help="Print version and commit."),
    man: bool = typer.Option(False, "--man", help="Print the manual page: mem --man | man -l -"),
    no_color: bool = typer.Option(False, "--no-color", help="No colour."),
) -> None:
    """What this repository remembers, for you and your agents."""
    if no_color:
        output.use_color(False)
    if version:
        output.show(line())
        raise typer.Exit
    if man:
        output.show(reference.manual(app, line()))
        raise typer.Exit
    if context.invoked_subcommand is None:
        output.show(help.overview())


@cache
def command_line() -> Any:
    """Returns the command line as Typer builds it, which takes 35 ms."""
    return typer.main.get_command(app)


def run_typer(words: list[str], hinted: Callable[[MemError], MemError] | None = None) -> int:
    """Runs a command line through Typer. Returns the exit code; usage errors are one line and a hint.

    `hinted`: adds to an error a hint at the intended command line.
    """
    as_json = "--json" in words
    if "--no-color" in words:
        output.use_color(False)
    if words in (["--help"], ["-h"], ["help"]):
        words = []
    return guarded(lambda: _run(words, hinted), as_json, hinted)


def _run(words: list[str], hinted: Callable[[MemError], MemError] | None) -> int:
    try:
        result = command_line()(args=words, prog_name="mem", standalone_mode=False, obj=hinted)
        return result if isinstance(result, int) else 0
    except typer.Abort:
        return 130
    except Exception as error:
        if not hasattr(error, "format_message"):
            raise
        raise _usage(error, words) from None


def _usage(error: Any, words: list[str]) -> MemError:
    """Returns Typer's usage error in our words: one line, and which help to read."""
    context = getattr(error, "ctx", None)
    command = context.command_path if context is not None else " ".join(["mem", *[word for word in words[:1] if word in NAMES]])
    message = " ".join(str(error.format_message()).split()).partition(" (Possible options:")[0].rstrip(".")
    message = message[:1].lower() + message[1:].replace("is not a valid int", "is not a whole number")
    message = re.sub(r"^(.*?'--[\w-]+')( / '-\w')+", r"\1", message)  # an option by its long name
    if words and words[0] not in NAMES and message.startswith("no such command"):
        return InvalidInput(f"no such command {words[0][:40]!r}", "see mem --help", "usage")
    return InvalidInput(message, f"see {command} --help", "usage")
