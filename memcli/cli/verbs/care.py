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


class InitOptions(Request):
    """The options of `mem init`."""

    directory: str | None = fields.text("The directory; the working directory by default.", default=None, metavar="DIR")
    no_git: bool = fields.flag("Allow a directory without git; its memories hold everywhere.", default=False)
    no_agents: bool = fields.flag("Do not write instruction files for agents.", default=False)
    claude: bool = fields.flag("Also write CLAUDE.md.", default=False)
    gemini: bool = fields.flag("Also write GEMINI.md.", default=False)


class DoctorOptions(Request):
    """The options of `mem doctor`."""

    repair: bool = fields.flag("Rebuild what is damaged; keep the original.", default=False)
    verbose: bool = fields.flag("Also show paths and counts.", default=False)
    stale: bool = fields.flag("List memories whose files have changed since, oldest first.", default=False)
    secrets: bool = fields.flag("List stored objects that contain a secret.", default=False)


class ConfigOptions(Request):
    """The options of `mem config`."""

    action: str = fields.text("The action.", default="list", metavar="[list|get|set|unset]")
    key: str | None = fields.text("A setting, such as budget.total.", default=None, metavar="KEY")
    value: str | None = fields.text("Its new value in your own settings.", default=None, metavar="VALUE")


class ReposOptions(Request):
    """`mem repos` has no options of its own."""


class UseOptions(Request):
    """What `mem use` was told."""

    repository: str = fields.text("The repository.", metavar="ID|PATH|NAME")


class TemplateOptions(Request):
    """The options of `mem template`."""

    name: str = fields.text("Which instructions.", default="agents", metavar="agents")
    write: bool = fields.flag("Write missing files.", default=False)


def init(request: InitOptions, common: Common) -> None:
    """Makes the memory of a repository and the files that tell agents about it. May be run again at any time."""
    where = common.where
    if request.directory is not None or not (where.repo or where.user):
        where = Where(request.directory or ".", where.workspace)  # never the active repository: init means this place
    if request.no_git:
        if head.find(request.directory or "."):
            raise InvalidInput(f"{request.directory or '.'} is inside a git repository", "leave out --no-git")
        registry.adopt_directory(request.directory or ".")
    stubs = [name for name, enabled in (("agents", True), ("claude", request.claude), ("gemini", request.gemini)) if enabled]
    created = writing(
        common if where == common.where else _at(common, where), lambda project: _welcome(project, request, stubs), create=True
    )
    if common.json:
        return output.data(created)
    output.show(f"{oneline(created['name'])} has a memory: {created['repo_id']}, {counted(created['memories'])}")
    for file in created["files"]:
        output.show(f"{'wrote' if file['created'] else 'kept '} {file['path']}")
    if any(file["path"] == os.path.join(".mempack", "AGENTS.md") for file in created["files"]):
        output.show("AGENTS.md is your own: add a line to it that points to .mempack/MEMORY.md")
    output.show('Try: mem add "..." --summary "..."   then   mem get "..."')


def counted(memories: int) -> str:
    """Returns a number of memories in words."""
    return "1 memory" if memories == 1 else f"{memories:,} memories"


def _at(common: Common, where: Where) -> Common:
    return type(common)(where.repo, where.workspace, where.user, common.json, common.no_color)


def _welcome(project: Project, request: InitOptions, stubs: list[str]) -> dict[str, Any]:
    from memcli.memory import entries
    from memcli.store import memories, oplog

    if oplog.revision(project.db) == 0 and not project.is_user:
        new = entries.NewMemory(title=WELCOME[0], summary=WELCOME[1], thread="welcome", tags=("mem",))
        entries.add(project, new, ACTOR, anchored=False)
    if project.checkout and project.repo_id:
        registry.note_origin(project.checkout, project.repo_id)
    settings.write_example()
    files = [] if request.no_agents or not project.root else instructions.write(project.root, stubs)
    return {
        "repo_id": project.repo_id,
        "name": project.name,
        "git_root": project.root,
        "workspace": project.workspace,
        "memories": memories.count(project.db),
        "files": [{"path": file.path, "created": file.created} for file in files],
    }


def doctor(request: DoctorOptions, common: Common) -> int:
    """Checks the memory and reports what is wrong; with --repair, repairs it and keeps the original."""
    if request.secrets:
        from memcli.cli.verbs import privacy

        return privacy.secrets(request.repair or request.stale, common)
    if request.stale:
        if request.repair:
            raise InvalidInput("--stale only lists memories", "leave out --repair")
        reading(common, lambda project: _stale(project, common.json))
        return 0
    from memcli.maintenance import repair
    from memcli.maintenance.doctor import examine

    actions = repair.repair(common.where) if request.repair else None
    report = examine(common.where, request.verbose)
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


def config(request: ConfigOptions, common: Common) -> None:
    """Prints settings with where each value comes from, or sets one for this person."""
    if request.action not in ("get", "set", "unset", "list"):
        raise InvalidInput(f"no action {request.action!r}", "use list, get KEY, set KEY VALUE, or unset KEY")
    if request.action != "list" and request.key not in settings.SETTINGS:
        raise NotFound(f"no setting {request.key or ''}".rstrip(), "see mem config list")
    if request.action == "set":
        return _set(request, common)
    if request.action == "unset" and request.key is not None:
        path = settings.unset_user(request.key)
        return output.data({"key": request.key, "path": path}) if common.json else output.show(f"{request.key} is as by default")
    if request.value is not None or (request.action == "list" and request.key is not None):
        raise InvalidInput("too many words", "use mem config list, or mem config get KEY")
    current = _in_force(common)
    keys = [request.key] if request.action == "get" and request.key else list(settings.SETTINGS)
    listed = [shapes.setting(current, key) for key in keys]
    if common.json:
        return output.data(listed[0] if request.action == "get" else listed)
    if request.action == "get":
        return output.show(str(listed[0]["value"]))
    for setting in listed:
        source = paint(f"{setting['source']:<12}", "dim")
        output.show(f"{setting['key']:<22} {setting['value']!s:<10} {source} {setting['about']}")


def _in_force(common: Common) -> settings.Config:
    """Returns the settings of the repository around the working directory, or the person's own outside any."""
    try:
        project = open_for_reading(common.where)
    except NotFound:
        return settings.load(None, lambda key: None, lambda key, value: None)
    project.close()
    return project.config


def _set(request: ConfigOptions, common: Common) -> None:
    if request.key is None or request.value is None:
        raise InvalidInput("a value is missing", "use mem config set KEY VALUE")
    value = settings.from_text(request.key, request.value, request.key)
    path = settings.write_user({request.key: value})
    if common.json:
        return output.data({"key": request.key, "value": value, "path": path})
    output.show(f"{request.key} = {value}")


def repos(request: ReposOptions, common: Common) -> None:
    """Lists every repository that has a memory on this machine."""
    repositories = registry.repositories()
    active = registry.active()
    if common.json:
        return output.data(shapes.repositories(repositories, active))
    for repo in repositories:
        mark = "*" if repo.repo_id == active else " "
        output.show(f"{mark} {paint(str(repo.repo_id), 'id')}  {oneline(repo.name):<24} {paint(oneline(repo.root), 'dim')}")
    if not repositories:
        output.show("no repo has a memory yet; go into one and run mem init")


def use(request: UseOptions, common: Common) -> None:
    """Chooses the repository that commands outside any repository mean."""
    location = locate(Where(request.repository)) if os.path.isdir(request.repository) else registry.by_name(request.repository)
    if location.repo_id is None:
        raise NotFound(f"{request.repository} has no memory yet", "run mem init there")
    registry.set_active(location.repo_id)
    if common.json:
        return output.data({"active_repo": location.repo_id, "git_root": location.root})
    output.show(f"Outside any repository, mem now means {location.repo_id} ({oneline(location.name)})")


def template(request: TemplateOptions, common: Common) -> None:
    """Prints the instructions for agents, or writes them where they are missing."""
    if request.name != "agents":
        raise InvalidInput(f"no template {request.name!r}", "the only one is: agents")
    if not request.write:
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
