"""Declarations: init, doctor, config, repos, use, export, import, embed, template, eval, version."""

from __future__ import annotations

from typing import Annotated

import typer

from memcli.cli.app.options import Json, Limit, NoColor, Repo, Semantic, User, Workspace, command
from memcli.cli.verbs import care, embed, evaluate, exchange
from memcli.cli.verbs import version as about

GROUP = "Care"


@command(GROUP, care.init, care.Init)
def init(
    directory: Annotated[str | None, typer.Argument(metavar="[DIR]", help="Where; the working directory if left out.")] = None,
    no_git: Annotated[bool, typer.Option("--no-git", help="For a directory without git; its memories hold everywhere.")] = False,
    no_agents: Annotated[bool, typer.Option("--no-agents", help="Write no files for agents.")] = False,
    claude: Annotated[bool, typer.Option("--claude", help="Also a stub CLAUDE.md.")] = False,
    gemini: Annotated[bool, typer.Option("--gemini", help="Also a stub GEMINI.md.")] = False,
    repo: Repo = None,
    workspace: Workspace = None,
    user: User = False,
    json: Json = False,
    no_color: NoColor = False,
) -> None:
    """Give a repository a memory, and its agents the instructions."""


@command(GROUP, care.doctor, care.Doctor)
def doctor(
    repair: Annotated[bool, typer.Option("--repair", help="Rebuild what is damaged; the original is kept.")] = False,
    verbose: Annotated[bool, typer.Option("--verbose", help="Also paths and numbers.")] = False,
    stale: Annotated[bool, typer.Option("--stale", help="List memories whose files changed since, oldest first.")] = False,
    secrets: Annotated[bool, typer.Option("--secrets", help="List what is stored and holds a secret.")] = False,
    repo: Repo = None,
    workspace: Workspace = None,
    user: User = False,
    json: Json = False,
    no_color: NoColor = False,
) -> None:
    """Check the memory, in plain words."""


@command(GROUP, care.config, care.Config)
def config(
    action: Annotated[str, typer.Argument(metavar="[list|get|set|unset]", help="What to do.")] = "list",
    key: Annotated[str | None, typer.Argument(metavar="[KEY]", help="A setting, such as budget.total.")] = None,
    value: Annotated[str | None, typer.Argument(metavar="[VALUE]", help="Its new value, for you.")] = None,
    repo: Repo = None,
    workspace: Workspace = None,
    user: User = False,
    json: Json = False,
    no_color: NoColor = False,
) -> None:
    """Show settings and where they come from, or set one."""


@command(GROUP, care.repos, care.Repos)
def repos(
    json: Json = False,
    no_color: NoColor = False,
) -> None:
    """List the repositories that have a memory here."""


@command(GROUP, care.use, care.Use)
def use(
    repository: Annotated[str, typer.Argument(metavar="ID|PATH|NAME", help="The repository.")],
    json: Json = False,
    no_color: NoColor = False,
) -> None:
    """Choose the repository meant outside any."""


@command(GROUP, exchange.export, exchange.Export)
def export(
    file: Annotated[str | None, typer.Argument(metavar="[FILE]", help="Where to; standard output if left out.")] = None,
    repo: Repo = None,
    workspace: Workspace = None,
    user: User = False,
    json: Json = False,
    no_color: NoColor = False,
) -> None:
    """Write every memory as a line of JSON."""


@command(GROUP, exchange.import_, exchange.Import)
def import_(
    file: Annotated[str, typer.Argument(metavar="FILE", help="Lines of JSON; - is standard input.")],
    repo: Repo = None,
    workspace: Workspace = None,
    user: User = False,
    json: Json = False,
    no_color: NoColor = False,
) -> None:
    """Take memories in, each once by its source_id."""


@command(GROUP, embed.embed, embed.Embed)
def embed_(
    action: Annotated[str | None, typer.Argument(metavar="[status]", help="status: only tell how much is encoded.")] = None,
    kind: Annotated[str, typer.Option("--kind", metavar="memory|chunk|all", help="What to encode.")] = "all",
    repo: Repo = None,
    workspace: Workspace = None,
    user: User = False,
    json: Json = False,
    no_color: NoColor = False,
) -> None:
    """Encode meanings for get --semantic; go on where it stopped."""


@command(GROUP, care.template, care.Template)
def template(
    name: Annotated[str, typer.Argument(metavar="[agents]", help="Which instructions.")] = "agents",
    write: Annotated[bool, typer.Option("--write", help="Write the files that are missing.")] = False,
    repo: Repo = None,
    json: Json = False,
    no_color: NoColor = False,
) -> None:
    """Print the instructions for agents, or write them."""


@command(GROUP, evaluate.evaluate, evaluate.Eval)
def eval_(
    set: Annotated[str, typer.Argument(metavar="SET", help="A directory: corpus.jsonl, queries.jsonl, qrels.tsv.")],
    limit: Limit = 10,
    queries: Annotated[str | None, typer.Option("--queries", metavar="NAME", help="Only the query file of this name.")] = None,
    packs: Annotated[bool, typer.Option("--packs", help="Also what arrives in packs of the budget in force.")] = False,
    budget: Annotated[
        list[str],
        typer.Option(
            "--budget",
            metavar="N",
            help="Also packs of so many tokens; may be repeated.",
            default_factory=list,
            show_default=False,
        ),
    ] = ...,
    semantic: Semantic = False,
    json: Json = False,
    no_color: NoColor = False,
) -> None:
    """Measure how well a benchmark's questions find their memories."""


@command(GROUP, about.version, about.Version)
def version(
    json: Json = False,
    no_color: NoColor = False,
) -> None:
    """Print version and commit."""
