"""From requests to commands: each field of a request becomes an argument or an option of Typer."""

from __future__ import annotations

import inspect
import sys
from collections.abc import Callable
from typing import Annotated, Any

import typer

from memcli import operations
from memcli.cli import help
from memcli.cli.invoke import invoke, worded
from memcli.fields import REQUIRED, Field, Request

Verb = Callable[..., Any]
COMMON: dict[str, Any] = {
    "repo": Annotated[str | None, typer.Option("--repo", metavar="ID|PATH", help="The repository, by id, path or name.")],
    "workspace": Annotated[str | None, typer.Option("--workspace", metavar="NAME", help="A separate memory of the repository.")],
    "user": Annotated[bool, typer.Option("--user", help="Use your own memory, which all repositories share.")],
    "json": Annotated[bool, typer.Option("--json", help="Print JSON, including errors.")],
    "no_color": Annotated[bool, typer.Option("--no-color", help="Print without colour, as with NO_COLOR.")],
}
_OF_COMMAND: dict[tuple[str, str], Any] = {  # where a common option says something else
    ("setup", "user"): Annotated[
        bool, typer.Option("--user", help="Write to your own configuration, for all repositories: the default.")
    ],
}
_TYPES: dict[str, Any] = {"number": int, "flag": bool, "paths": list[str], "ids": list[str]}


class _WithPage(typer.core.TyperCommand):
    """A Typer command whose help is the generated page."""

    def get_help(self, ctx: Any) -> str:
        """Returns the page."""
        return help.page(self.name or "")


class Command:
    """A command: the function that runs it, or words the result of its operation; the request it takes; one line of help.

    `arguments` are the fields without a flag; one written `name...` is a text of all remaining words. `optional`: those whose
    absence the verb reports itself; `common`: the options of COMMON that it has.
    """

    def __init__(
        self,
        verb: Verb,
        request: type[Request],
        summary: str,
        *arguments: str,
        name: str = "",
        optional: tuple[str, ...] = (),
        common: tuple[str, ...] = tuple(COMMON),
    ) -> None:
        self.verb = verb
        self.request = request
        self.summary = summary
        self.arguments = tuple([argument.removesuffix("...") for argument in arguments])
        self.worded = {argument.removesuffix("...") for argument in arguments if argument.endswith("...")}
        self.name = name or verb.__name__.rstrip("_")
        self.optional = optional
        self.common = common

    def row(self) -> tuple[str, str, str | None]:
        """Returns what the strict parser calls: module below memcli.cli, function, request.

        The request is "" where it is that of the operation of the same name, None where the function words its result.
        """
        module = sys.modules[self.verb.__module__]
        is_there = getattr(module, self.request.__name__, None) is self.request
        request = None if self.words_result else self.request.__name__ if is_there else ""
        return self.verb.__module__.removeprefix("memcli.cli."), self.verb.__name__, request

    @property
    def words_result(self) -> bool:
        """Whether the verb only words the result of the operation."""
        return len(inspect.signature(self.verb).parameters) == 1

    def add_to(self, app: typer.Typer, group: str) -> None:
        """Declares the command to Typer."""

        def run(typer_context: typer.Context, **values: Any) -> None:
            verb = worded(self.name, self.verb) if self.words_result else self.verb
            raise typer.Exit(invoke(verb, self.request, values, typer_context.obj))

        parameters = [_keyword("typer_context", REQUIRED, typer.Context), *self._parameters()]
        run.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
        run.__annotations__ = {parameter.name: parameter.annotation for parameter in parameters}
        run.__doc__ = self.summary
        settings = {"help_option_names": ["--help", "-h"]}
        app.command(self.name, cls=_WithPage, context_settings=settings, rich_help_panel=group)(run)

    def _parameters(self) -> list[inspect.Parameter]:
        names = [*self.arguments, *[name for name in self.request.FIELDS if name not in self.arguments]]
        return [self._parameter(name, self.request.FIELDS[name]) for name in names] + [
            _keyword(name, None if name in ("repo", "workspace") else False, _OF_COMMAND.get((self.name, name), COMMON[name]))
            for name in self.common
        ]

    def _parameter(self, name: str, field: Field) -> inspect.Parameter:
        """Returns a field as an argument or an option."""
        kind = _TYPES.get(field.kind, str)
        default = None if name in self.optional or field.kind == "labels" else field.default
        if name in self.worded:
            kind = list[str]
        elif name in self.arguments and kind is int:
            kind = str  # as the strict parser hands it on; cli/invoke.py reads it
        elif default is None:
            kind = kind | None
        more: dict[str, Any] = {}
        if kind == list[str] and default is not REQUIRED:
            more, default = {"default_factory": list, "show_default": False}, REQUIRED
        is_optional = more or default is not REQUIRED
        metavar = "|".join(field.choices) or field.metavar
        if name in self.arguments:
            metavar = name.upper() if metavar in ("", "TEXT") else metavar
            metavar = f"{metavar}..." if name in self.worded else metavar
            metavar = f"[{metavar}]" if is_optional and not metavar.startswith("[") else metavar
            info: Any = typer.Argument(metavar=metavar, help=field.help, **more)
        else:
            flags = (field.flag or f"--{name.replace('_', '-')}").split(",")
            info = typer.Option(*flags, metavar=metavar or None, help=field.help, **more)
        return _keyword(name, default, Annotated[kind, info])


def _keyword(name: str, default: Any, annotation: Any) -> inspect.Parameter:
    default = inspect.Parameter.empty if default is REQUIRED else default
    return inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=default, annotation=annotation)


def operation(verb: Verb, *arguments: str, request: type[Request] | None = None, optional: tuple[str, ...] = ()) -> Command:
    """Returns the command of the operation with the name of `verb`.

    `request`: what the command line takes, if that is more than the operation's request.
    """
    declared = operations.load(verb.__name__)
    return Command(verb, request or declared.request, declared.summary, *arguments, optional=optional)
