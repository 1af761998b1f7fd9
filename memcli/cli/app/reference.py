"""Every command with its usage and its options, for docs/cli.md and the manual page."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import typer

from memcli.cli import hook_help
from memcli.cli.app.commands import COMMANDS, GROUPS
from memcli.records import Record

INTRODUCTION = """\
Options may stand before, between or after arguments; after `--`, all are arguments.
The words of a query need no quotes. Data goes to standard output, everything else to standard error.
Exit codes: 0 done (an empty result, too), 1 failure, 2 usage or invalid input, 3 not found.
With `--json`, an error is `{"error": {"code", "message", "hint"}}` on standard error.
`show`, `forget`, `restore`, `pin` and `unpin` answer with an object where one id is given,
and with a list in the order of the ids where several are."""


class CommandEntry(Record):
    """A command: its name, what it does, its usage, and its options as (label, meaning, default)."""

    name: str
    summary: str
    usage: str
    options: list[tuple[str, str, str]]


def groups(app: typer.Typer) -> Iterator[tuple[str, list[CommandEntry]]]:
    """Yields each group's title with its commands, in the order of the help."""
    commands: dict[str, Any] = typer.main.get_command(app).commands  # type: ignore[attr-defined]
    for group, about in GROUPS.items():
        yield f"{group}: {about}", [_entry(command.name, commands[command.name]) for command in COMMANDS[group]]


def _entry(name: str, command: Any) -> CommandEntry:
    parameters = [parameter for parameter in command.params if parameter.name != "help"]
    arguments = [parameter.metavar for parameter in parameters if parameter.param_type_name == "argument"]
    usage = " ".join([f"mem {name}", *arguments, "[options]"])
    return CommandEntry(
        name, command.help.strip(), usage, [(_label(each), each.help or "", _default(each)) for each in parameters]
    )


def _label(parameter: Any) -> str:
    if parameter.param_type_name == "argument":
        return str(parameter.metavar)
    return " ".join([", ".join(parameter.opts), parameter.metavar or ""]).strip()


def _default(parameter: Any) -> str:
    value = default_of(parameter)
    return "required" if parameter.required else "" if value in (None, False, ()) else str(parameter.default)


def default_of(parameter: Any) -> Any:
    """Returns the value that a verb gets if the option is not given."""
    if parameter.param_type_name == "option" and parameter.required:
        return ...
    return () if getattr(parameter, "multiple", False) or parameter.nargs == -1 else parameter.default


def manual(app: typer.Typer, version: str) -> str:
    """Returns the manual page mem(1), in the macros of man(7)."""
    lines = [
        f'.TH MEM 1 "" "{version}"',
        ".SH NAME",
        r"mem \- the memory of a repository, for its people and their coding agents",
    ]
    lines += [".SH SYNOPSIS", ".B mem", r".I COMMAND\c", r"\& [options] [arguments]", ".SH DESCRIPTION"]
    lines += [_roff(line) for line in INTRODUCTION.replace("`", "").split("\n")]
    for title, entries in groups(app):
        lines.append(f".SH {_roff(title.upper())}")
        for entry in entries:
            lines += [f'.SS "{_roff(entry.usage)}"', _roff(entry.summary)]
            for label, meaning, default in entry.options:
                lines += [".TP", f".B {_roff(label)}", _roff(meaning + (f" ({default})" if default else ""))]
    lines += [".SH MEM HOOK", ".nf", *[_roff(line) for line in hook_help.text().split("\n")], ".fi"]
    return "\n".join(lines)


def _roff(text: str) -> str:
    """Returns a text escaped for roff: backslashes, hyphens, quotes and dots have no special meaning."""
    text = text.replace("\\", r"\e").replace("-", r"\-").replace('"', r"\(dq").replace("'", r"\(aq")
    return rf"\&{text}" if text.startswith(".") else text
