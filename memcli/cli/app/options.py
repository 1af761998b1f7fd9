"""The options that commands share, and the decorator that joins a declaration to its verb."""

from __future__ import annotations

import functools
import inspect
import sys
from collections.abc import Callable
from typing import Annotated, Any

import typer

from memcli import operations
from memcli.cli.invoke import invoke
from memcli.fields import REQUIRED, Field, Request

Repo = Annotated[str | None, typer.Option("--repo", metavar="ID|PATH", help="The repository meant, by id, path or name.")]
Workspace = Annotated[str | None, typer.Option("--workspace", metavar="NAME", help="A separate memory beside the default one.")]
User = Annotated[bool, typer.Option("--user", help="Your own memory, which holds in every repository.")]
Json = Annotated[bool, typer.Option("--json", help="Print data as JSON, errors too.")]
NoColor = Annotated[bool, typer.Option("--no-color", help="No colour, as with NO_COLOR set.")]

MemoryId = Annotated[str, typer.Argument(metavar="ID", help="A memory's id, or the beginning of one.")]
Thread = Annotated[str | None, typer.Option("--thread", metavar="NAME", help="The thread it belongs to.")]
Kind = Annotated[str | None, typer.Option("--kind", metavar="KIND", help="decision, bugfix, feature, discovery, note, ...")]
Title = Annotated[str | None, typer.Option("--title", metavar="TEXT", help="The fact, in one line.")]
Summary = Annotated[str | None, typer.Option("--summary", metavar="TEXT", help="What holds and why; - reads standard input.")]
Tags = Annotated[str | None, typer.Option("--tags", metavar="A,B", help="Labels, comma-separated.")]
Entities = Annotated[str | None, typer.Option("--entities", metavar="A,B", help="Names it is about, comma-separated.")]
Limit = Annotated[int, typer.Option("--limit", metavar="N", help="At most this many.")]
Format = Annotated[str | None, typer.Option("--format", metavar="prompt|json|xml", help="For a prompt, a program, or a turn.")]
Batch = Annotated[str | None, typer.Option("--batch", metavar="FILE", help='One {"id","text"} a line, one answer a line.')]
Files = Annotated[
    list[str],
    typer.Option(
        "--file", metavar="PATH", help="A file it speaks of; may be repeated.", default_factory=list, show_default=False
    ),
]
StateFile = Annotated[str | None, typer.Option("--state-file", metavar="FILE", help="The state as JSON; - is standard input.")]
StateJson = Annotated[str | None, typer.Option("--state-json", metavar="JSON", help="The state itself; - is standard input.")]
StateView = Annotated[str, typer.Argument(metavar="[show|history|diff]", help="The state, its history, or the last change.")]
IncludeOrphans = Annotated[bool, typer.Option("--include-orphans", help="Also what was written on commits that HEAD cannot see.")]
Semantic = Annotated[bool, typer.Option("--semantic", help="Compare meanings, too; see mem embed.")]

SessionOption = Annotated[str | None, typer.Option("--session", metavar="ID", help="Only what is from this session of an agent.")]

app = typer.Typer(
    name="mem",
    help="What this repository remembers, for you and your agents.",
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
    no_args_is_help=False,
    context_settings={"help_option_names": ["--help", "-h"]},
)

_COMMON = {"repo": Repo, "workspace": Workspace, "user": User, "json": Json, "no_color": NoColor}
_TYPES: dict[str, Any] = {"number": int, "flag": bool, "paths": list[str], "ids": list[str]}
Verb = tuple[str, str, str]
VERBS: dict[str, Verb] = {}  # command -> module below memcli.cli.verbs, function, record


class Declared:
    """How a command takes a request: which fields are arguments, and which may be left out because the verb has its own error."""

    def __init__(self, *arguments: str, optional: tuple[str, ...] = (), common: tuple[str, ...] = tuple(_COMMON)) -> None:
        self.arguments = arguments
        self.optional = optional
        self.common = common

    def parameters(self, request: type[Request]) -> list[inspect.Parameter]:
        """Returns a parameter for each field of the request, and the common ones, as Typer reads them."""
        names = [*self.arguments, *[name for name in request.FIELDS if name not in self.arguments]]
        declared = [self._parameter(name, request.FIELDS[name]) for name in names]
        return declared + [
            inspect.Parameter(
                name,
                inspect.Parameter.KEYWORD_ONLY,
                default=None if name in ("repo", "workspace") else False,
                annotation=_COMMON[name],
            )
            for name in self.common
        ]

    def _parameter(self, name: str, field: Field) -> inspect.Parameter:
        """Returns a field as an argument or an option."""
        kind = _TYPES.get(field.kind, str)
        default = None if name in self.optional or field.kind == "labels" else field.default
        is_list = kind == list[str]
        if default is None:
            kind = kind | None
        info: Any
        if name in self.arguments:
            metavar = field.metavar if field.metavar.startswith(("ID", "[")) else name.upper()
            metavar = f"[{metavar}]" if default is not REQUIRED and not metavar.startswith("[") else metavar
            info = typer.Argument(metavar=metavar, help=field.help)
        else:
            flag = field.flag or f"--{name.replace('_', '-')}"
            more: dict[str, Any] = {"default_factory": list, "show_default": False} if is_list and not default else {}
            info = typer.Option(flag, metavar=field.metavar or None, help=field.help, **more)
            default = REQUIRED if more else default
        empty = inspect.Parameter.empty
        return inspect.Parameter(
            name,
            inspect.Parameter.KEYWORD_ONLY,
            default=empty if default is REQUIRED else default,
            annotation=Annotated[kind, info],
        )


def declare(group: str, verb: Callable[..., int | None], request: type[Request], how: Declared, summary: str) -> None:
    """Declares the command of a verb: its arguments and options are the fields of its request."""
    name = verb.__name__.rstrip("_").replace("_", "-")
    in_module = getattr(sys.modules[verb.__module__], request.__name__, None) is request
    VERBS[name] = (verb.__module__.rpartition(".")[2], verb.__name__, request.__name__ if in_module else "")

    def run(**values: Any) -> None:
        raise typer.Exit(invoke(verb, request, values))

    parameters = how.parameters(request)
    run.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
    run.__annotations__ = {parameter.name: parameter.annotation for parameter in parameters}
    run.__doc__ = summary
    app.command(name, rich_help_panel=group)(run)


def declare_operation(group: str, verb: Callable[..., int | None], how: Declared, request: type[Request] | None = None) -> None:
    """Declares the command of an operation; `request`: what the command line takes where that is more than the operation's."""
    operation = operations.load(verb.__name__)
    declare(group, verb, request or operation.request, how, operation.summary)


Declaration = Callable[..., None]


def command(group: str, verb: Callable[..., int | None], asks: type, name: str | None = None) -> Callable[[Declaration], None]:
    """Declares a command: the decorated function is its options and its help, `verb` is what it does with an `asks` record."""

    def declare(declaration: Declaration) -> None:
        called = name or declaration.__name__.rstrip("_").replace("_", "-")
        VERBS[called] = (verb.__module__.rpartition(".")[2], verb.__name__, asks.__name__)

        @functools.wraps(declaration)
        def run(**values: Any) -> None:
            raise typer.Exit(invoke(verb, asks, values))

        app.command(called, rich_help_panel=group)(run)

    return declare
