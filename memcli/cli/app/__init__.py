"""The command line as Typer declares it: the one declaration, from which the strict parser's table and the docs are made."""

from __future__ import annotations

from functools import cache
from typing import Any

import typer

from memcli.cli import output
from memcli.cli.app import reference
from memcli.cli.app.commands import COMMANDS, GROUPS
from memcli.cli.invoke import guarded
from memcli.cli.output import paint, paragraph
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
        output.show(overview_text())


@cache
def command_line() -> Any:
    """Returns the command line as Typer builds it, which takes 35 ms."""
    return typer.main.get_command(app)


def run_typer(words: list[str]) -> int:
    """Runs a command line through Typer. Returns the exit code; usage errors are one line and a hint."""
    as_json = "--json" in words
    if "--no-color" in words:
        output.use_color(False)
    if words in (["--help"], ["-h"], ["help"]):
        words = []
    return guarded(lambda: _run(words), as_json)


def _run(words: list[str]) -> int:
    try:
        result = command_line()(args=words, prog_name="mem", standalone_mode=False)
        return result if isinstance(result, int) else 0
    except typer.Abort:
        return 130
    except Exception as error:
        if not hasattr(error, "format_message"):
            raise
        raise _usage(error, words) from None


def _usage(error: Any, words: list[str]) -> MemError:
    """Returns Typer's usage error in our words: one line, and the help to read."""
    context = getattr(error, "ctx", None)
    command = context.command_path if context is not None else " ".join(["mem", *[word for word in words[:1] if word in NAMES]])
    message = " ".join(str(error.format_message()).split()).rstrip(".")
    message = message[:1].lower() + message[1:]
    if words and words[0] not in NAMES and message.startswith("no such command"):
        return InvalidInput(f"no such command {words[0][:40]!r}", _nearest(words[0].lower()), "usage")
    hint = _OF_MEMPACK.get(" ".join(words[:2])) or f"see {command} --help"
    return InvalidInput(message, hint, "usage")


# Commands of the Go mempack with options that ours of that name do not have -> what does it here.
_OF_MEMPACK = {
    "share export": "share takes ids of memories; for files there is mem export: see mem export --help",
    "share import": "share takes ids of memories; for files there is mem import: see mem import --help",
    "session upsert": "hooks keep sessions (mem setup); keep a text with: mem add TITLE --summary TEXT --tags session",
}


# What people type for a command of another name.
SYNONYMS = {
    "get": "ask recall query tell context",
    "search": "find grep lookup",
    "recent": "list ls latest last",
    "show": "cat view open read info",
    "why": "blame annotate",
    "log": "history changes reflog",
    "add": "remember save store put create new write commit",
    "update": "change modify amend set",
    "supersede": "replace override",
    "forget": "rm remove delete del drop hide erase",
    "restore": "unforget undelete recover",
    "undo": "revert rollback",
    "doctor": "check verify health fsck",
    "config": "settings configure options",
    "setup": "install connect hooks hook-install enable",
    "init": "start begin setup-repo",
    "gc": "clean cleanup prune vacuum compact",
    "sync": "push pull fetch publish",
    "share": "publish-memory send",
    "serve": "server web page daemon",
    "browse": "tui ui interactive terminal",
    "export": "dump",
    "backup": "snapshot copy",
    "import": "load migrate ingest-memory",
    "sessions": "conversations runs",
    "repos": "repositories projects",
    "note": "notes journal diary",
    "profile": "preferences prefs facts",
    "completion": "completions autocomplete",
}


def _nearest(typed: str) -> str:
    """Returns the hint for a command that does not exist: one that means the same, else one that is spelled alike."""
    from difflib import get_close_matches

    by_word = {word: name for name, words in SYNONYMS.items() if name in NAMES for word in words.split()}
    close = get_close_matches(typed, sorted(NAMES | set(by_word)), n=1, cutoff=0.75)
    name = by_word.get(typed) or (by_word.get(close[0], close[0]) if close else "")
    return f"did you mean: mem {name}" if name else "see mem --help"


def overview_text() -> str:
    """Returns the first screen: every command, grouped, and one thing to try."""
    lines = ["mem: what this repository remembers, for you and your agents", ""]
    for group, commands in COMMANDS.items():
        names = [command.name for command in commands if command.name not in UNLISTED] + ["hook"] * (group == "Integrations")
        lines += paragraph("  ".join(names), 14, "", paint(f"{group:<13}", "heading") + " ")
    lines += ["", *paragraph("Try: mem get why is login slow        Help on a command: mem get --help")]
    return "\n".join(lines)
