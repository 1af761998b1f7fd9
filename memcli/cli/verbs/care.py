"""init, doctor, config, repos, use, template, version: looking after the memory itself."""

from __future__ import annotations

import os

from memcli import config as settings
from memcli import fields, registry
from memcli.agents.setup import instructions
from memcli.cli import output
from memcli.cli.invoke import reading, writing
from memcli.cli.output import paint
from memcli.errors import InvalidInput, NotFound
from memcli.fields import Request
from memcli.operations import machine as shapes
from memcli.project import Where, locate, open_for_reading
from memcli.repo import head
from memcli.text.terminal import oneline

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from memcli.cli.invoke import Common
    from memcli.project import Project

ACTOR = "init"
WELCOME = (
    "Welcome to mem",
    "mem add keeps what is worth knowing; mem get brings back what holds on this commit. This memory may be forgotten.",
)


class Init(Request):
    """The options of `mem init`."""

    directory: str | None = fields.text("The directory; the working directory by default.", default=None, metavar="DIR")
    no_git: bool = fields.flag("Allow a directory without git; its memories hold everywhere.", default=False)
    no_agents: bool = fields.flag("Do not write instruction files for agents.", default=False)
    claude: bool = fields.flag("Also write CLAUDE.md.", default=False)
    gemini: bool = fields.flag("Also write GEMINI.md.", default=False)


class Doctor(Request):
    """The options of `mem doctor`."""

    repair: bool = fields.flag("Rebuild what is damaged; keep the original.", default=False)
    verbose: bool = fields.flag("Also show paths and counts.", default=False)
    stale: bool = fields.flag("List memories whose files have changed since, oldest first.", default=False)
    secrets: bool = fields.flag("List stored objects that contain a secret.", default=False)


class Config(Request):
    """The options of `mem config`."""

    action: str = fields.text("The action.", default="list", metavar="[list|get|set|unset]")
    key: str | None = fields.text("A setting, such as budget.total.", default=None, metavar="KEY")
    value: str | None = fields.text("Its new value in your own settings.", default=None, metavar="VALUE")


class Repos(Request):
    """`mem repos` has no options of its own."""


class Use(Request):
    """What `mem use` was told."""

    repository: str = fields.text("The repository.", metavar="ID|PATH|NAME")


class Template(Request):
    """The options of `mem template`."""

    name: str = fields.text("Which instructions.", default="agents", metavar="agents")
    write: bool = fields.flag("Write missing files.", default=False)


def init(asked: Init, common: Common) -> None:
    """Makes the memory of a repository and the files that tell agents about it. May be run again at any time."""
    where = common.where
    if asked.directory is not None or not (where.repo or where.user):
        where = Where(asked.directory or ".", where.workspace)  # never the active repository: init means this place
    if asked.no_git:
        if head.find(asked.directory or "."):
            raise InvalidInput(f"{asked.directory or '.'} is inside a git repository", "leave out --no-git")
        registry.adopt_directory(asked.directory or ".")
    stubs = [name for name, wanted in (("agents", True), ("claude", asked.claude), ("gemini", asked.gemini)) if wanted]
    made = writing(
        common if where == common.where else _at(common, where), lambda project: _welcome(project, asked, stubs), create=True
    )
    if common.json:
        return output.data(made)
    output.show(f"{oneline(made['name'])} has a memory: {made['repo_id']}, {counted(made['memories'])}")
    for file in made["files"]:
        output.show(f"{'wrote' if file['created'] else 'kept '} {file['path']}")
    if any(file["path"] == os.path.join(".mempack", "AGENTS.md") for file in made["files"]):
        output.show("AGENTS.md is your own: add a line to it that points to .mempack/MEMORY.md")
    output.show('Try: mem add "..." --summary "..."   then   mem get "..."')


def counted(memories: int) -> str:
    """Returns a number of memories in words."""
    return "1 memory" if memories == 1 else f"{memories:,} memories"


def _at(common: Common, where: Where) -> Common:
    return type(common)(where.repo, where.workspace, where.user, common.json, common.no_color)


def _welcome(project: Project, asked: Init, stubs: list[str]) -> dict[str, Any]:
    from memcli.memory import entries
    from memcli.store import memories, oplog

    if oplog.revision(project.db) == 0 and not project.is_user:
        new = entries.NewMemory(title=WELCOME[0], summary=WELCOME[1], thread="welcome", tags=("mem",))
        entries.add(project, new, ACTOR, anchored=False)
    if project.checkout and project.repo_id:
        registry.note_origin(project.checkout, project.repo_id)
    settings.write_example()
    files = [] if asked.no_agents or not project.root else instructions.write(project.root, stubs)
    return {
        "repo_id": project.repo_id,
        "name": project.name,
        "git_root": project.root,
        "workspace": project.workspace,
        "memories": memories.count(project.db),
        "files": [{"path": file.path, "created": file.created} for file in files],
    }


def doctor(asked: Doctor, common: Common) -> int:
    """Checks the memory and reports what is wrong; with --repair, repairs it and keeps the original."""
    if asked.secrets:
        from memcli.cli.verbs import privacy

        return privacy.secrets(asked.repair or asked.stale, common)
    if asked.stale:
        if asked.repair:
            raise InvalidInput("--stale only lists memories", "leave out --repair")
        reading(common, lambda project: _stale(project, common.json))
        return 0
    from memcli.maintenance import repair
    from memcli.maintenance.doctor import examine

    actions = repair.repair(common.where) if asked.repair else None
    report = examine(common.where, asked.verbose)
    if common.json:
        output.data(report.as_json() | ({"repaired": actions} if actions is not None else {}))
    else:
        for finding in report.findings:
            style = {"ok": "ok", "warn": "warn", "error": "error"}[finding.level]
            step = f"; {finding.hint}" if finding.hint else ""
            output.show(f"{paint(f'{finding.level:<5}', style)} {finding.subject:<12} {oneline(finding.text)}{step}")
        for action in actions or []:
            output.show(f"{paint('repair', 'ok')} {oneline(action)}")
        output.show(report.verdict())
    return 0 if report.ok else 1


def _stale(project: Project, as_json: bool) -> None:
    from memcli.cli import views
    from memcli.maintenance.audit import stale_memories

    memories = stale_memories(project)
    output.data([memory.as_json() for memory in memories]) if as_json else output.show(views.stale(memories, project.now))


def config(asked: Config, common: Common) -> None:
    """Prints settings with where each value comes from, or sets one for this person."""
    if asked.action not in ("get", "set", "unset", "list"):
        raise InvalidInput(f"no action {asked.action!r}", "use list, get KEY, set KEY VALUE, or unset KEY")
    if asked.action != "list" and asked.key not in settings.SETTINGS:
        raise NotFound(f"no setting {asked.key or ''}".rstrip(), "see mem config list")
    if asked.action == "set":
        return _set(asked, common)
    if asked.action == "unset" and asked.key is not None:
        path = settings.unset_user(asked.key)
        return output.data({"key": asked.key, "path": path}) if common.json else output.show(f"{asked.key} is as by default")
    if asked.value is not None or (asked.action == "list" and asked.key is not None):
        raise InvalidInput("too many words", "use mem config list, or mem config get KEY")
    found = _in_force(common)
    keys = [asked.key] if asked.action == "get" and asked.key else list(settings.SETTINGS)
    listed = [shapes.setting(found, key) for key in keys]
    if common.json:
        return output.data(listed[0] if asked.action == "get" else listed)
    if asked.action == "get":
        return output.show(str(listed[0]["value"]))
    for one in listed:
        source = paint(f"{one['source']:<12}", "dim")
        output.show(f"{one['key']:<22} {one['value']!s:<10} {source} {one['about']}")


def _in_force(common: Common) -> settings.Config:
    """Returns the settings of the repository around the working directory, or the person's own outside any."""
    try:
        project = open_for_reading(common.where)
    except NotFound:
        return settings.load(None, lambda key: None, lambda key, value: None)
    project.close()
    return project.config


def _set(asked: Config, common: Common) -> None:
    if asked.key is None or asked.value is None:
        raise InvalidInput("a value is missing", "use mem config set KEY VALUE")
    value = settings.from_text(asked.key, asked.value, asked.key)
    path = settings.write_user({asked.key: value})
    if common.json:
        return output.data({"key": asked.key, "value": value, "path": path})
    output.show(f"{asked.key} = {value}")


def repos(asked: Repos, common: Common) -> None:
    """Lists every repository that has a memory on this machine."""
    found = registry.repositories()
    active = registry.active()
    if common.json:
        return output.data(shapes.repositories(found, active))
    for place in found:
        mark = "*" if place.repo_id == active else " "
        output.show(f"{mark} {paint(str(place.repo_id), 'id')}  {oneline(place.name):<24} {paint(oneline(place.root), 'dim')}")
    if not found:
        output.show("no repository has a memory yet; go into one and run mem init")


def use(asked: Use, common: Common) -> None:
    """Chooses the repository that commands outside any repository mean."""
    place = locate(Where(asked.repository)) if os.path.isdir(asked.repository) else registry.by_name(asked.repository)
    if place.repo_id is None:
        raise NotFound(f"{asked.repository} has no memory yet", "run mem init there")
    registry.set_active(place.repo_id)
    if common.json:
        return output.data({"active_repo": place.repo_id, "git_root": place.root})
    output.show(f"Outside any repository, mem now means {place.repo_id} ({oneline(place.name)})")


def template(asked: Template, common: Common) -> None:
    """Prints the instructions for agents, or writes them where they are missing."""
    if asked.name != "agents":
        raise InvalidInput(f"no template {asked.name!r}", "the only one is: agents")
    if not asked.write:
        text = instructions.template("AGENTS.md")
        return (
            output.data({"AGENTS.md": text, "MEMORY.md": instructions.template("MEMORY.md")})
            if common.json
            else output.show(text)
        )
    files = instructions.write(locate(common.where).root or os.getcwd(), ["agents"])
    if common.json:
        return output.data([{"path": file.path, "created": file.created} for file in files])
    for file in files:
        output.show(f"{'wrote' if file.created else 'kept '} {file.path}")
