"""`Project`: one opened memory of a repository: where it is, what is stored, how it is configured, what time it is.

Which memory a command means: `--repo`, else the repository around the working directory, else the active one (`mem use`).
Reading never creates anything: where no memory was written yet, an empty store in this process stands in.
"""

from __future__ import annotations

import os
import time

from memcli import config, store
from memcli.errors import Call, MemError, NotFound, Option
from memcli.records import Record, replace
from memcli.repo import head
from memcli.store import opening
from memcli.store.cache import Cache

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from memcli.config import Config
    from memcli.repo.head import Checkout
    from memcli.store import Connection

DEFAULT_WORKSPACE = "default"
_NOTED_COMMITS = 63  # commits that were checked out, by which a memory without anchors knows its history
MODE = "mode"  # in the facts of a store: the id of the mode that it is of (memory/modes.py)
USER = "user"  # stands for an id where the person's own memory is meant
CLOCK = "MEMPACK_CLOCK"  # a moment that stands in for now, so that tests and demonstrations repeat


class Where(Record):
    """Names a memory: by a repository's id, path or name, a workspace of it, or the person's own memory."""

    repo: str | None = None
    workspace: str | None = None
    user: bool = False


class Location(Record):
    """The place of a memory: its id (None: not made yet), its checkout, its name for people, its directory."""

    repo_id: str | None
    checkout: Checkout | None
    name: str
    root: str


class Project(Record):
    """An opened memory: where it is, what is stored, its settings, the time, and where changes come from. Immutable.

    `now` is in ms since 1970. Close it: an open SQLite handle leaves files behind. A project made from another one by
    `replace` or `renewed` shares its handles, and one `close` closes them for both.
    """

    repo_id: str | None
    name: str
    root: str
    checkout: Checkout | None
    workspace: str
    folder: str
    db: Connection
    user_db: Connection | None
    cache: Cache
    config: Config
    now: int
    via: dict[str, str]  # where a change comes from: kept with every operation
    masked: dict[str, None]  # collects the rules by which secrets were masked in what this project wrote
    based_on: int | None = None  # the log's revision that a change was made for

    @property
    def commit(self) -> str | None:
        """The full hash that is checked out; None outside git and before the first commit."""
        return self.checkout.commit if self.checkout else None

    @property
    def is_user(self) -> bool:
        """Whether this is the person's own memory, which belongs to no repository."""
        return self.repo_id == USER

    @property
    def is_apart(self) -> bool:
        """Whether the memory belongs to a program: a workspace, such as a mode, or a name without a directory."""
        return not self.is_user and (self.workspace != DEFAULT_WORKSPACE or not self.root)

    def close(self) -> None:
        """Closes every handle."""
        self.cache.close()
        for handle in (self.db, self.user_db):
            if handle is not None:
                handle.close()


def project_of(
    location: Location, workspace: str, folder: str, db: Connection, cache: Cache | None = None, settings: Config | None = None
) -> Project:
    """Returns the project of an open store. `folder`: its directory; `cache`, `settings`: if they are already loaded."""
    cache = cache or Cache(folder)
    return Project(
        location.repo_id,
        location.name,
        location.root,
        location.checkout,
        workspace,
        folder,
        db,
        None,
        cache,
        settings or config.load(location.root or None, cache.note, cache.keep_note),
        now(),
        {},
        {},
    )


def renewed(project: Project, root: str, checkout: Checkout | None) -> Project:
    """Returns the same open memory at the present time, seen from this working tree and commit, with nothing masked yet."""
    return replace(project, now=now(), root=root, checkout=checkout, masked={})


def now() -> int:
    """Returns the present time in ms since 1970, or the one in MEMPACK_CLOCK."""
    fixed = os.environ.get(CLOCK)
    if fixed:
        from memcli.text import dates

        return dates.parse(fixed, source=f"{CLOCK}: ")
    return int(time.time() * 1000)


def open_for_reading(where: Where) -> Project:
    """Opens a memory that will not be changed, together with the person's own. Raises NotFound outside any repository."""
    location = locate(where)
    folder = folder_of(location.repo_id, where.workspace)
    path = os.path.join(folder, "memory.db")
    db = opening.open_reader(path) if is_stored(folder) else opening.empty_store()
    try:
        store.begin_snapshot(db)  # all that one command reads is of one moment
        project = project_of(_with_stored_name(location, db), where.workspace or DEFAULT_WORKSPACE, folder, db)
    except BaseException:
        db.close()
        raise
    return with_user_memory(project)


def read_open_store(location: Location, folder: str, db: Connection, cache: Cache, settings: Config) -> Project:
    """Returns the project of an open store, for reading it as of now, together with the person's own memory.

    `folder` is the store's directory. Whoever opened the store closes the project instead.
    """
    store.begin_snapshot(db)
    return with_user_memory(project_of(_with_stored_name(location, db), DEFAULT_WORKSPACE, folder, db, cache, settings))


def with_user_memory(project: Project) -> Project:
    """Returns a project that can also read the person's own memory. The caller closes `user_db` if the old one had none."""
    if project.user_db is not None or project.is_user or not shows_own_memory(project):
        return project
    return replace(project, user_db=_open_user_memory())


def shows_own_memory(project: Project) -> bool:
    """Tells whether a memory shows the person's own. One of a program, such as a bot's mode, does if the settings say so."""
    names = [name.strip() for name in project.config["workspace.own_memory"].split(",")]
    return not project.is_apart or not {"*", project.workspace, store.meta(project.db, MODE)}.isdisjoint(names)


def _open_user_memory() -> Connection | None:
    """Opens the person's own memory. One that cannot be read must not stop the work in a repository; mem doctor --user tells."""
    path = os.path.join(folder_of(USER, None), "memory.db")
    try:
        db = opening.open_reader(path) if os.path.exists(path) else None
        if db is not None:
            store.begin_snapshot(db)
        return db
    except (MemError, store.Error):
        return None


def open_for_writing(where: Where, create: bool = True, rehearse: Callable[[Project], object] | None = None) -> Project:
    """Opens a memory for writing. Creates its id and its store the first time.

    `rehearse` is called with an empty memory if there is no store, so that a refusal creates none.
    Raises NotFound outside any repository, or if there is no store and none may be created.
    """
    location = locate(where)
    folder = folder_of(location.repo_id or "", where.workspace)
    if not is_stored(folder):
        if rehearse is not None:
            rehearse_on_empty(location, rehearse)
        if not create:
            raise NotFound("nothing is stored here yet", ("start with: ", Call("add", '"..."', summary='"..."')))
        config.refuse_sudo(folder)
    from memcli import system  # who only reads makes nothing

    system.keep_private()
    repo_id = _identify(location)
    location, folder = replace(location, repo_id=repo_id), folder_of(repo_id, where.workspace)
    if not os.path.lexists(path := os.path.join(folder, "memory.db")):
        opening.create_store(path, _about(location, repo_id))
    db = opening.open_writer(path)
    try:
        if waits_in_files(folder):
            _take_in(db, folder)
        if location.root and store.meta(db, "root") != _root_of_clone(location):
            name = _name(location) if _is_gone(store.meta(db, "root") or "", repo_id) else None
            with store.transaction(db):
                store.set_meta(db, "root", _root_of_clone(location))
                if name:
                    store.set_meta(db, "name", name)
        _note_origin(location, repo_id, db)
        return project_of(_with_stored_name(location, db), where.workspace or DEFAULT_WORKSPACE, folder, db)
    except BaseException:
        db.close()
        raise


def _is_gone(root: str, repo_id: str) -> bool:
    """Tells whether a clone no longer has this memory. As long as it does, the memory has the name of the clone."""
    checkout = head.find(root) if root else None
    return checkout is None or head.recorded_id(checkout) != repo_id


def rehearse_on_empty(location: Location, rehearse: Callable[[Project], object]) -> None:
    """Runs `rehearse` on an empty memory that is thrown away. Raises what it raises."""
    project = project_of(location, DEFAULT_WORKSPACE, "", opening.empty_store())
    try:
        rehearse(project)
    finally:
        project.close()


def open_named(name: str, workspace: str | None) -> Project:
    """Opens the memory of a name without a directory for writing. Creates it the first time. Raises InvalidInput."""
    from memcli import registry, system

    system.keep_private()
    repo_id = registry.adopt_name(name)
    path = os.path.join(folder_of(repo_id, workspace), "memory.db")
    if not os.path.lexists(path):
        opening.create_store(path, _about(Location(repo_id, None, name, ""), repo_id))
    return open_for_writing(Where(repo_id, workspace))


def _note_origin(location: Location, repo_id: str, db: Connection) -> None:
    """Records origin, directory and commit whenever git's configuration changed, so that other clones find the memory."""
    if location.checkout is None:
        return
    try:
        status = os.stat(os.path.join(location.checkout.common_dir, "config"))
        stamp = f"{status.st_mtime_ns} {status.st_size} {bool(location.checkout.commit)} {_root_of_clone(location)}"
        if store.meta(db, "git_config") == stamp:
            return
        from memcli import registry

        commit = registry.note_origin(location.checkout, repo_id)
    except OSError:
        return  # an index that cannot be written now must not keep a memory from being written
    with store.transaction(db):
        store.set_meta(db, "git_config", stamp)
        if commit:
            earlier = (store.meta(db, "commits") or "").split()[-_NOTED_COMMITS:]
            store.set_meta(db, "commits", " ".join(dict.fromkeys([*earlier, commit])))


def waits_in_files(folder: str) -> bool:
    """Tells whether events of harnesses may wait in files for the store in `folder` (store/inbox.py): three looks at the disk."""
    return any(map(os.path.isdir, (f"{folder}/spool", f"{config.data_dir()}/spool"))) or os.path.exists(f"{folder}/reserve.used")


def _take_in(db: Connection, folder: str) -> None:
    from memcli.store import inbox

    try:
        inbox.take_in(db, folder)
    except (store.Error, OSError):
        pass  # they wait for the next writer; what this one came for says by itself whether it can be stored
    store.sync_commits(db, True)


def locate(where: Where) -> Location:
    """Finds a named memory without creating anything. Raises NotFound or InvalidInput."""
    if where.user:
        return Location(USER, None, "you", "")
    if where.repo and not os.path.isdir(where.repo):
        from memcli import registry

        if head.is_id(where.repo) and registry.is_stored(where.repo):
            return Location(where.repo, None, where.repo, "")  # whoever opens it finds its name
        repository = registry.by_name(where.repo)
        return Location(repository.repo_id, None, repository.name, "")
    try:
        directory = where.repo or os.getcwd()
    except OSError:  # the working directory was deleted
        directory = ""
    checkout = head.find(directory) if directory else None
    return _of_checkout(checkout) if checkout else _without_git(directory, where.repo)


def _of_checkout(checkout: Checkout) -> Location:
    repo_id = head.recorded_id(checkout)
    if repo_id is None:
        from memcli import registry

        repo_id = registry.id_of(checkout)
    return Location(repo_id, checkout, head.storable_name(os.path.basename(checkout.root)), checkout.root)


def _without_git(directory: str, repo: str | None) -> Location:
    from memcli import registry

    if directory and (adopted := registry.directory(directory)):
        return Location(adopted.repo_id, None, adopted.name, adopted.root)
    if repo and repo != ".":
        raise NotFound(
            f"no repository at {repo}",
            ("give the path of a git repository, or run ", Call("init", "--no-git"), " there"),
            "no_repository",
        )
    if not repo and (active := registry.active()):
        return Location(active, None, "", "")
    raise NotFound(
        "not inside a repository",
        ("go into one, name one with ", Option("repo"), ", or run ", Call("init", "--no-git"), " here"),
        "no_repository",
    )


def _with_stored_name(location: Location, db: Connection) -> Location:
    """Adds to a location what its store knows: the name and, if it was given by id, directory and checkout."""
    if location.repo_id == USER:
        return location
    name = store.meta(db, "name") or location.name or str(location.repo_id)
    if location.root:
        return Location(location.repo_id, location.checkout, name, location.root)
    root = store.meta(db, "root") or ""
    checkout = head.find(root) if root and os.path.isdir(root) else None
    if checkout and head.claimed_id(checkout) != location.repo_id:
        checkout = None
    return Location(location.repo_id, checkout, name, root)


def _identify(location: Location) -> str:
    """Returns the id of a memory that is about to be written, and records it in the clone if it is not recorded yet."""
    if location.repo_id and (location.checkout is None or head.recorded_id(location.checkout)):
        return location.repo_id
    from memcli import registry

    assert location.checkout is not None  # every other location has an id
    return registry.identify(location.checkout)


def is_stored(folder: str) -> bool:
    """Tells whether a directory, "" for none, holds a store. Raises MemError if that cannot be seen."""
    return opening.is_there(os.path.join(folder, "memory.db"), config.data_dir()) and bool(folder)


def folder_of(repo_id: str | None, workspace: str | None) -> str:
    """Returns the directory of a memory's files, "" without an id. Raises InvalidInput for an invalid name of a workspace."""
    name = DEFAULT_WORKSPACE if workspace is None else workspace
    base = os.path.join(config.data_dir(), *([USER] if repo_id == USER else ["repos", repo_id or ""]))
    is_name = name.isascii() and name.replace("-", "").replace("_", "").isalnum() and len(name) <= 64
    if not is_name or head.storable_name(name) != name:  # no name of a directory holds a secret
        from memcli import registry

        name = registry.renamed_workspace(base if repo_id else "", name)
    folder = base if name == DEFAULT_WORKSPACE else os.path.join(base, "workspaces", name.lower())
    return "" if repo_id is None else folder


def _name(location: Location) -> str:
    from memcli import registry

    return head.storable_name(registry.name_of(location.checkout) if location.checkout else location.name)


def _root_of_clone(location: Location) -> str:
    """Returns the lasting directory of a clone: its main working tree, since others come and go.

    A path that is not UTF-8, and could not be read back, is not stored; nor is one with a secret.
    """
    main = location.checkout is not None and os.path.basename(location.checkout.common_dir) == ".git"
    path = os.path.dirname(location.checkout.common_dir) if main and location.checkout else location.root
    try:
        path.encode("utf-8")
    except UnicodeEncodeError:
        return ""
    return path if head.storable_name(path) == path else ""


def _about(location: Location, repo_id: str) -> dict[str, str]:
    name, root = _name(location), _root_of_clone(location)
    if name in ("", repo_id):  # only its id was said: the workspace that is there already knows the rest
        from memcli import registry

        if registry.is_stored(repo_id) and (stored := registry.by_name(repo_id)).name != registry.DAMAGED:
            name, root = stored.name, stored.root
    return {"repo_id": repo_id, "writer": os.urandom(8).hex(), "name": name, "root": root, "created_at": str(now())}
