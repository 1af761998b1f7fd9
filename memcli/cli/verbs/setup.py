"""setup: connect an agent harness to the memory."""

from __future__ import annotations

import os

from memcli import config, fields
from memcli.agents.adapters import CONFIGURED, PROJECT, USER
from memcli.agents.setup import configure, git_hooks, leaving, places
from memcli.agents.setup.configure import FilePlan, FileResult, SetupRequest
from memcli.cli import output
from memcli.cli.invoke import Common
from memcli.cli.output import paint
from memcli.cli.verbs.repositories import at_terminal
from memcli.errors import InvalidInput, NotFound
from memcli.fields import Request
from memcli.mcp.gate import SETTING, checked
from memcli.project import locate
from memcli.records import as_dict

GIT = "git"


class SetupOptions(Request):
    """The options of `mem setup`."""

    harness: str | None = fields.text(
        f"{', '.join(CONFIGURED)}; or git, whose hooks follow amended commits.", default=None, metavar="HARNESS"
    )
    project: bool = fields.flag("Write to this repository's configuration instead of yours.", default=False)
    print_: bool = fields.flag("Only print what would be written.", default=False, flag="--print")
    remove: bool = fields.flag("Remove what setup wrote; with --mcp, only the server.", default=False)
    all: bool = fields.flag("With --remove: what setup wrote for every harness and git, in every project.", default=False)
    mcp: bool = fields.flag("Also register the MCP server.", default=False)
    write: str | None = fields.text("Whether agents may write over MCP; sets mcp.write.", default=None, metavar="ask|auto|off")


def setup(request: SetupOptions, common: Common) -> int | None:
    """Merges our part into a harness's configuration, removes it, or shows it; says what the person has to approve."""
    _check(request, common)
    if request.all:
        return _leave(common)
    _connect(request, common)
    return None


def _connect(request: SetupOptions, common: Common) -> None:
    if request.harness == GIT:
        return _git_hooks(request, common)
    root = _root(common) if request.project or common.repo else ""
    scope = PROJECT if request.project else USER
    setup_request = configure.SetupRequest(request.harness or "", scope, root, request.mcp, request.remove)
    plans = configure.plan(setup_request)
    if request.print_:
        return _show(plans, common)
    results = configure.apply(plans)
    if scope == PROJECT and not request.remove:
        places.note(places.PROJECT, [root])
    if request.write is not None and not request.remove:
        _allow(request.write)
        if request.write != "off" and not common.json and at_terminal():
            _ask_scope()
    approve = [] if request.remove else configure.approvals(setup_request)
    if common.json:
        files = [as_dict(result) for result in results]
        return output.data({"harness": request.harness, "scope": scope, "files": files, "approve": approve})
    _print_results(setup_request, results, approve)


def _check(request: SetupOptions, common: Common) -> None:
    if request.all:
        if not request.remove or request.harness or request.project or request.mcp or common.repo or common.user:
            raise InvalidInput("--all goes with --remove alone", "use mem setup --remove --all")
    elif not request.harness:
        raise InvalidInput("missing argument 'HARNESS'", _unnamed(request.remove))
    if request.project and common.user:
        raise InvalidInput("--project and --user exclude each other", "give one of them")
    if common.workspace:
        raise InvalidInput("setup does not support workspaces", "leave out --workspace")
    if request.write is not None and not request.mcp:
        raise InvalidInput("--write requires --mcp", "add --mcp, or leave out --write")
    if request.write is not None:
        checked(request.write)
    if request.print_ and request.remove:
        raise InvalidInput("--print and --remove exclude each other", "give one of them")


def _unnamed(remove: bool) -> str:
    """Returns the hint for a call that names no harness."""
    names = "|".join(CONFIGURED)
    if remove:
        return f"name what to remove: mem setup {names} --remove; or remove everything: mem setup --remove --all"
    return f"name what to connect: mem setup {names}"


def _git_hooks(request: SetupOptions, common: Common) -> None:
    """Installs, removes or shows the git hooks."""
    if request.mcp or request.project or common.user:
        raise InvalidInput("git takes neither --mcp nor --project nor --user", "leave them out")
    checkout = locate(common.where).checkout
    if checkout is None:
        raise NotFound("no git repository here", "go into one, or name one with --repo", "no_repository")
    if request.print_:
        return _show([FilePlan(path, None, None, text) for path, text in git_hooks.manual_texts(checkout).items()], common)
    results = git_hooks.remove(checkout) if request.remove else git_hooks.install(checkout)
    if not request.remove:
        places.note(places.PROJECT, [checkout.root])
    if common.json:
        files = [as_dict(result) for result in results]
        return output.data({"harness": GIT, "scope": PROJECT, "files": files, "approve": []})
    _print_results(configure.SetupRequest(GIT, PROJECT, checkout.root, remove=request.remove), results, [])


def _leave(common: Common) -> int:
    """Removes what setup wrote, everywhere. Returns 1 if something is left that could not be removed."""
    done = leaving.remove_all()
    if common.json:
        output.data({"files": [as_dict(file) for file in done.files], "problems": [list(pair) for pair in done.problems]})
        return int(bool(done.problems))
    for file in done.files:
        output.show(f"{paint(f'{file.action:<9}', 'ok')} {file.location}")
    if not done.files and not done.problems:
        output.show("nothing to remove")
    for message, hint in done.problems:
        output.tell(f"{paint('Warning:', 'warn', 2)} left as it is: {message}; {hint}")
    return int(bool(done.problems))


def _root(common: Common) -> str:
    try:
        return locate(common.where).root
    except NotFound as problem:
        if common.repo:
            raise
        raise NotFound(problem.message, "go into a repository, or leave out --project", problem.code) from None


def _show(plans: list[FilePlan], common: Common) -> None:
    """Prints our part of each file. The file's name goes to standard error, so that the fragment can be piped."""
    if common.json:
        return output.data([{"path": file.path, "fragment": file.fragment} for file in plans])
    for file in plans:
        output.tell(f"for {file.path}:")
        output.show(file.fragment.rstrip("\n"))


def _allow(mode: str) -> None:
    config.write_user({SETTING: mode})


def _ask_scope() -> None:
    """Asks a person at a terminal where agents should store what they are told to remember word for word."""
    output.tell("Agents keep what they are asked to remember (memory_write) in the repository they work in.")
    output.tell("Type yes to have it kept for you in every repository instead:")
    if os.read(0, 64).strip() == b"yes":
        config.write_user({"mcp.scope": "user"})


def _print_results(request: SetupRequest, results: list[FileResult], approve: list[str]) -> None:
    for file in results:
        output.show(f"{paint(f'{file.action:<9}', 'ok')} {file.location}")
    if all(file.action == "unchanged" for file in results):
        output.show("nothing to remove" if request.remove else "already set up")
    for step in approve:
        output.show(f"{paint('next', 'heading')}      {step}")
