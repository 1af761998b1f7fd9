"""setup: telling an agent harness of the memory."""

from __future__ import annotations

from memcli.cli import output
from memcli.cli.output import paint
from memcli.errors import InvalidInput, NotFound
from memcli.records import Record, as_dict

TYPE_CHECKING = False
if TYPE_CHECKING:
    from memcli.agents.setup.configure import Ask, Done, Step
    from memcli.cli.invoke import Common


class Setup(Record):
    """What `mem setup` was asked."""

    harness: str
    project: bool = False
    print_: bool = False
    remove: bool = False
    mcp: bool = False
    write: str | None = None


def setup(asked: Setup, common: Common) -> None:
    """Merges our part into a harness's configuration, takes it out, or shows it; says what the person has to approve."""
    from memcli.agents.adapters.spec import PROJECT, USER
    from memcli.agents.setup import configure as work

    _check(asked, common)
    root = _root(common) if asked.project or common.repo else ""
    ask = work.Ask(asked.harness, PROJECT if asked.project else USER, root, asked.mcp, asked.remove)
    steps = work.plan(ask)
    if asked.print_:
        return _show(steps, common)
    done = work.carry_out(steps)
    if not asked.remove:
        work.follow_up(ask)
    if asked.write is not None and not asked.remove:
        _allow(asked.write)
    approve = [] if asked.remove else work.approvals(ask)
    if common.json:
        said = {"harness": ask.harness, "scope": ask.scope, "files": [as_dict(one) for one in done], "approve": approve}
        return output.data(said)
    _tell(ask, done, approve)


def _check(asked: Setup, common: Common) -> None:
    if asked.project and common.user:
        raise InvalidInput("--project and --user are two places", "give one of them")
    if common.workspace:
        raise InvalidInput("setup knows no workspaces", "leave out --workspace")
    if asked.write is not None and not asked.mcp:
        raise InvalidInput("--write is about the server", "give --mcp, too")
    if asked.write is not None:
        from memcli.mcp.gate import checked

        checked(asked.write)
    if asked.print_ and asked.remove:
        raise InvalidInput("--print shows what setup writes, --remove takes it out", "give one of them")


def _root(common: Common) -> str:
    from memcli.project import locate

    try:
        return locate(common.where).root
    except NotFound as problem:
        if common.repo:
            raise
        raise NotFound(problem.message, "go into a repository, or leave out --project", problem.code) from None


def _show(steps: list[Step], common: Common) -> None:
    """Prints our part of each file; which file it belongs into goes beside it, so that one fragment can be piped."""
    if common.json:
        return output.data([{"path": step.path, "fragment": step.fragment} for step in steps])
    for step in steps:
        output.tell(f"for {step.path}:")
        output.show(step.fragment.rstrip("\n"))


def _allow(mode: str) -> None:
    from memcli import config
    from memcli.mcp.gate import SETTING

    config.write_user({SETTING: mode})


def _tell(ask: Ask, done: list[Done], approve: list[str]) -> None:
    from memcli.agents.adapters.spec import shown

    for one in done:
        copy = f"; a copy of the old one: {shown(one.copy)}" if one.copy else ""
        output.show(f"{paint(f'{one.action:<9}', 'ok')} {shown(one.path)}{copy}")
    if all(one.action == "unchanged" for one in done):
        output.show("nothing of mem was there" if ask.remove else "all of it was there already")
    for step in approve:
        output.show(f"{paint('now', 'heading')}       {step}")
