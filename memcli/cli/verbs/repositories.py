"""init, repos, use, template: repositories with a memory, and the instructions in them."""

from __future__ import annotations

import os
from typing import Any

from memcli import config as settings
from memcli import fields, invitations, registry
from memcli.agents.setup import instructions
from memcli.cli import output
from memcli.cli.invoke import Common, writing
from memcli.cli.verbs import migrate
from memcli.errors import InvalidInput, MemError, NotFound
from memcli.fields import Request, to_json
from memcli.memory import entries
from memcli.operations import machine
from memcli.project import Project, Where, locate
from memcli.registry import StoredRepository
from memcli.replication import remote
from memcli.repo import head
from memcli.repo.head import Checkout
from memcli.store import memories, oplog
from memcli.text.terminal import oneline, padded

ACTOR = "init"
_NAME = 23  # columns of a repository's name
WELCOME = (
    "Welcome to mem",
    "mem add keeps what is worth knowing; mem get brings back what holds on this commit. This memory may be forgotten.",
)

_PATIENCE = 3.0  # seconds for a new clone's remotes to say whether they have a shared memory


class InitOptions(Request):
    """The options of `mem init`."""

    directory: str | None = fields.text("The directory; the working directory by default.", default=None, metavar="DIR")
    no_git: bool = fields.flag("Allow a directory without git; its memories hold everywhere.", default=False)
    no_agents: bool = fields.flag("Do not write instruction files for agents.", default=False)
    claude: bool = fields.flag("Also write CLAUDE.md.", default=False)
    gemini: bool = fields.flag("Also write GEMINI.md.", default=False)


class ReposOptions(Request):
    """`mem repos` has no options of its own."""


class UseOptions(Request):
    """The repository that `mem use` chooses."""

    repository: str | None = fields.text("The repository.", default=None, metavar="ID|PATH|NAME")
    join: bool = fields.flag("Use its memory for the current clone; asks at a terminal.", default=False)


class TemplateOptions(Request):
    """The options of `mem template`."""

    name: str = fields.text("Which instructions.", default="agents", choices=("agents",))
    write: bool = fields.flag("Write missing files.", default=False)


def init(request: InitOptions, common: Common) -> None:
    """Creates the memory of a repository and the files that tell agents about it. Can be run again at any time."""
    where = common.where
    if request.directory is not None or not (where.repo or where.user):
        where = Where(request.directory or ".", where.workspace)  # never the active repository: init means this place
    checkout = head.find(where.repo or ".") if not where.user else None
    namesake = _namesake(checkout) if checkout is not None else None
    if checkout is not None and namesake is not None and head.recorded_id(checkout) is None and not common.json and at_terminal():
        _ask(checkout, namesake)
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
    if created["shared_by"]:
        output.show(invitations.worded(created["shared_by"]))
    if namesake is not None and namesake.repo_id != created["repo_id"]:
        output.show(f"{namesake.repo_id} ({oneline(namesake.name)}) is a memory of this name without a directory;")
        output.show(f"mem use --join {namesake.repo_id} makes it this repository's in place of its own")
    if not where.user:
        migrate.name_stores(_at(common, where), ["mempack"])
    output.show('Try: mem add "..." --summary "..."   then   mem get "..."')


def counted(memories: int) -> str:
    """Returns a number of memories in words."""
    return "1 memory" if memories == 1 else f"{memories:,} memories"


def _at(common: Common, where: Where) -> Common:
    return type(common)(where.repo, where.workspace, where.user, common.json, common.no_color)


def _welcome(project: Project, request: InitOptions, stubs: list[str]) -> dict[str, Any]:
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
        "shared_by": remote.invite(project, _PATIENCE) or None,
    }


def repos(request: ReposOptions, common: Common) -> None:
    """Lists every repository that has a memory on this machine."""
    repositories = machine.repositories(registry.active())
    if common.json:
        return output.data(to_json(repositories))
    lines = []
    for repo in repositories:
        head = f"{'*' if repo.active else ' '} {repo.repo_id}", padded(oneline(repo.root_name), _NAME)
        lines += [
            (*head, oneline(repo.git_root)),
            *((" " * len(head[0]), " " * _NAME, oneline(root)) for root in repo.git_roots[1:]),
        ]
    if lines:
        output.show("\n".join(output.table(lines, ("id", "", "dim"))))
    if not repositories:
        output.show("no repository has a memory yet; go into one and run mem init")
    if others := registry.foreign_stores():
        stores = "1 store" if len(others) == 1 else f"{len(others):,} stores"
        output.tell(f"{stores} of another mempack, passed by; take one in, in its repository: mem import --from mempack")


def use(request: UseOptions, common: Common) -> None:
    """Chooses the repository that commands outside any repository use, or whose memory this clone uses."""
    if request.join:
        return _join(request, common)
    if request.repository is None:
        raise InvalidInput("no repository is given", "see mem repos, or mem use --help")
    location = locate(Where(request.repository)) if os.path.isdir(request.repository) else registry.by_name(request.repository)
    if location.repo_id is None:
        raise NotFound(f"{request.repository} has no memory yet", "run mem init there")
    registry.set_active(location.repo_id)
    if common.json:
        return output.data({"active_repo": location.repo_id, "git_root": location.root})
    output.show(f"Outside any repository, mem now means {location.repo_id} ({oneline(location.name)})")


def _join(request: UseOptions, common: Common) -> None:
    """Attaches a memory to the clone around the working directory, once a person at a terminal agrees."""
    checkout = head.find(common.repo or ".")
    if checkout is None:
        raise NotFound("not inside a git repository", "go into the clone that is to have the memory")
    own = head.recorded_id(checkout)
    candidates = dict.fromkeys([*registry.candidates(checkout), *registry.namesakes(checkout)])
    others = [other for other in candidates if other != own]
    if request.repository is None and not others:
        raise NotFound("no other memory has this name, origin or directory", "see mem repos, and name one: mem use --join ID")
    if request.repository is None and len(others) > 1:
        raise InvalidInput(f"{len(others)} memories have this name, origin or directory", "name one: mem use --join ID")
    repository = _candidate(request.repository, others) or registry.by_name(request.repository or others[0])
    if not at_terminal():
        raise InvalidInput("joining a memory needs a terminal", "run mem use --join there yourself")
    if not _ask(checkout, repository):
        raise MemError("not joined", "type yes to join")
    output.show(f"{oneline(checkout.root)} has the memory {repository.repo_id}")


def _candidate(name: str | None, ids: list[str]) -> StoredRepository | None:
    """Returns the one of these memories with a name that the clone's own memory has, too."""
    called = [
        repository for repository in map(registry.by_name, ids) if name in (repository.name, repository.name.rpartition("/")[2])
    ]
    return called[0] if len(called) == 1 else None


def _namesake(checkout: Checkout) -> StoredRepository | None:
    """Returns the memory with a repository's name that has no directory, such as one from a program that knew only the name."""
    namesakes = registry.namesakes(checkout)
    repository = registry.by_name(namesakes[0]) if namesakes else None
    return repository if repository and not repository.root else None


def _ask(checkout: Checkout, repository: StoredRepository) -> bool:
    """Attaches a memory to a clone if the person at the terminal agrees. Returns whether they did."""
    output.tell(f"{oneline(checkout.root)} will read and write the memory {repository.repo_id} ({oneline(repository.name)}).")
    output.tell("Whoever wrote the files there did not have to know that memory. Type yes to join:")
    if os.read(0, 64).strip() != b"yes":
        return False
    registry.join(checkout, repository.repo_id)
    return True


def at_terminal() -> bool:
    """Tells whether a person can be asked."""
    return output.is_terminal(0) and output.is_terminal(2)


def _folder(common: Common) -> str:
    """Returns the root of the repository, or the working directory outside of any."""
    try:
        return locate(common.where).root or os.getcwd()
    except NotFound:
        if common.repo:
            raise
        return os.getcwd()


def template(request: TemplateOptions, common: Common) -> None:
    """Prints the instructions for agents, or writes them if they are missing."""
    if not request.write:
        text = instructions.template("AGENTS.md")
        return (
            output.data({"AGENTS.md": text, "MEMORY.md": instructions.template("MEMORY.md")})
            if common.json
            else output.show(text)
        )
    files = instructions.write(_folder(common), ["agents"])
    if common.json:
        return output.data([{"path": file.path, "created": file.created} for file in files])
    for file in files:
        output.show(f"{'wrote' if file.created else 'kept '} {file.path}")
