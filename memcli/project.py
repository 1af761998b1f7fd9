"""`Project`: one repository's memory, opened: where it is, what is stored, how it is configured, what time it is.

Which memory a command means: `--repo`, else the repository around the working directory, else the active one (`mem use`).
Reading never creates anything: where no memory was written yet, an empty store in this process stands in.
"""

from __future__ import annotations

import os
import time

from memcli import config
from memcli.errors import InvalidInput, MemError, NotFound
from memcli.records import record
from memcli.repo import head, identity
from memcli.store import db as store
from memcli.store.cache import Cache
from memcli.text import dates

TYPE_CHECKING = False
if TYPE_CHECKING:
    from memcli.config import Config
    from memcli.repo.head import Checkout
    from memcli.store.db import Connection

DEFAULT_WORKSPACE = "default"
CLOCK = "MEMPACK_CLOCK"  # a moment that stands in for now, so that tests and demonstrations repeat


@record
class Where:
    """Which memory is meant: a repository's id, path or name; a workspace of it; or the person's own memory."""

    repo: str | None = None
    workspace: str | None = None
    user: bool = False


@record
class Place:
    """A memory that was found: its id (None: not made yet), the checkout it belongs to, its name for people, its directory."""

    repo_id: str | None
    checkout: Checkout | None
    name: str
    root: str


class Project:
    """One memory, opened. Close it: an open SQLite handle leaves files behind."""

    def __init__(self, place: Place, workspace: str, folder: str, db: Connection) -> None:
        self.repo_id = place.repo_id
        self.name = place.name
        self.root = place.root
        self.workspace = workspace
        self.folder = folder
        self.db = db
        self.user_db: Connection | None = None
        self.cache = Cache(folder)
        self.now = now()
        self.checkout = place.checkout
        self.config: Config = config.load(place.checkout.root if place.checkout else None, self.cache.note, self.cache.keep_note)

    @property
    def commit(self) -> str | None:
        """The full hash that is checked out; None outside git and before the first commit."""
        return self.checkout.commit if self.checkout else None

    @property
    def is_user(self) -> bool:
        """True for the person's own memory, which belongs to no repository."""
        return self.repo_id == "user"

    def close(self) -> None:
        """Closes every handle."""
        self.cache.close()
        for handle in (self.db, self.user_db):
            if handle is not None:
                handle.close()


def now() -> int:
    """Returns the present moment in ms since 1970, or what MEMPACK_CLOCK says it is."""
    fixed = os.environ.get(CLOCK)
    return dates.parse(fixed) if fixed else int(time.time() * 1000)


def open_for_reading(where: Where) -> Project:
    """Opens a memory that will not be changed, together with the person's own. Raises NotFound outside any repository."""
    place = locate(where)
    folder = _folder(place.repo_id, where.workspace) if place.repo_id else ""
    path = os.path.join(folder, "memory.db")
    exists = bool(place.repo_id) and os.path.lexists(path)
    db = store.open_reader(path) if exists else store.memory_store()
    project = Project(_at_home(place, db), where.workspace or DEFAULT_WORKSPACE, folder, db)
    own = os.path.join(_folder("user", None), "memory.db")
    if not project.is_user and os.path.exists(own):
        project.user_db = store.open_reader(own)
    return project


def open_for_writing(where: Where) -> Project:
    """Opens a memory to change it, making its id and its store if this is the first time. Raises NotFound outside any repository."""
    place = locate(where)
    os.umask(0o077)
    repo_id = place.repo_id or _identify(place)
    folder = _folder(repo_id, where.workspace)
    path = os.path.join(folder, "memory.db")
    if not os.path.lexists(path):
        store.create(path, _about(place, repo_id))
    db = store.open_writer(path)
    place = Place(repo_id, place.checkout, place.name, place.root)
    project = Project(_at_home(place, db), where.workspace or DEFAULT_WORKSPACE, folder, db)
    if place.root and store.meta(db, "root") != place.root:
        store.set_meta(db, "root", place.root)
    return project


def locate(where: Where) -> Place:
    """Finds which memory is meant, without making anything. Raises NotFound or InvalidInput."""
    if where.user:
        return Place("user", None, "you", "")
    if where.repo:
        return _named(where.repo)
    try:
        here = os.getcwd()
    except OSError:
        here = ""
    if here:
        if checkout := head.find(here):
            return _of_checkout(checkout)
        if found := _of_directory(here):
            return found
    if active := active_repo():
        return Place(active, None, active, "")
    raise NotFound("not inside a repository", "go into one, name one with --repo, or run mem init --no-git here", "no_repository")


def _of_checkout(checkout: Checkout) -> Place:
    repo_id = identity.recorded(checkout)
    if repo_id is None and os.path.exists(index_path()):
        repo_id = identity.lookup(index_path(), f"path:{checkout.common_dir}")
        if repo_id is None and (origin := identity.origin(checkout)):
            repo_id = identity.lookup(index_path(), f"origin:{origin}")
    return Place(repo_id, checkout, os.path.basename(checkout.root), checkout.root)


def _of_directory(start: str) -> Place | None:
    """Finds the directory without git, `start` or above, that `mem init --no-git` was run in."""
    if not os.path.exists(index_path()):
        return None
    folder = os.path.realpath(start)
    while True:
        if repo_id := identity.lookup(index_path(), f"path:{folder}"):
            return Place(repo_id, None, os.path.basename(folder), folder)
        parent = os.path.dirname(folder)
        if parent == folder:
            return None
        folder = parent


def _named(name: str) -> Place:
    """Finds a memory by path, by id or its unique prefix, or by name."""
    if os.path.isdir(name):
        if checkout := head.find(name):
            return _of_checkout(checkout)
        if found := _of_directory(name):
            return found
        raise NotFound(f"no repository at {name}", "give the path of a git repository, or run mem init --no-git there")
    known = repositories()
    found_ids = [r.repo_id for r in known if r.repo_id == name] or [r.repo_id for r in known if r.name == name]
    found_ids = found_ids or [r.repo_id for r in known if len(name) > 2 and str(r.repo_id).startswith(name.upper())]
    if len(found_ids) > 1:
        raise InvalidInput(f"{name!r} means {len(found_ids)} repositories", "give more of the id; see mem repos", "ambiguous")
    if not found_ids:
        raise NotFound(f"no repository {name}", "give a path, or an id from mem repos")
    return next(r for r in known if r.repo_id == found_ids[0])


def _at_home(place: Place, db: Connection) -> Place:
    """Adds to a place that was named by its id what its store knows: name, directory, checkout."""
    if place.root or place.repo_id == "user":
        return place
    root = store.meta(db, "root") or ""
    checkout = head.find(root) if root and os.path.isdir(root) else None
    if checkout and identity.recorded(checkout) != place.repo_id:
        checkout = None
    return Place(place.repo_id, checkout, store.meta(db, "name") or place.name, root)


def _identify(place: Place) -> str:
    """Gives a repository its id. Many processes may do so at once; all get the same."""
    assert place.checkout is not None
    os.makedirs(os.path.dirname(index_path()), mode=0o700, exist_ok=True)
    origin = identity.origin(place.checkout)
    try:
        repo_id = identity.record(place.checkout, identity.new_id())
    except OSError:  # a read-only git directory: this machine remembers the path instead
        repo_id = identity.remember(index_path(), f"path:{place.checkout.common_dir}", identity.new_id())
    if origin:
        identity.remember(index_path(), f"origin:{origin}", repo_id)
    return repo_id


def remember_origin(project: Project) -> None:
    """Notes on this machine which id a repository's origin has, so that another clone of it shares the memory."""
    if project.checkout and project.repo_id and (origin := identity.origin(project.checkout)):
        identity.remember(index_path(), f"origin:{origin}", project.repo_id)


def adopt_directory(path: str) -> str:
    """Gives a directory without git an id of its own, so that it can have a memory. Returns the id."""
    folder = os.path.realpath(path)
    if not os.path.isdir(folder):
        raise NotFound(f"no directory {path}", "make it first")
    os.umask(0o077)
    os.makedirs(os.path.dirname(index_path()), mode=0o700, exist_ok=True)
    return identity.remember(index_path(), f"path:{folder}", identity.new_id())


def index_path() -> str:
    """Returns the file that maps origins, and directories without git, to ids."""
    return os.path.join(config.data_dir(), "repos", "index")


def _folder(repo_id: str, workspace: str | None) -> str:
    base = os.path.join(config.data_dir(), repo_id) if repo_id == "user" else os.path.join(config.data_dir(), "repos", repo_id)
    if workspace is None or workspace == DEFAULT_WORKSPACE:
        return base
    if not (workspace.isascii() and workspace.replace("-", "").replace("_", "").isalnum() and len(workspace) <= 64):
        raise InvalidInput(f"no workspace can be called {workspace[:80]!r}", "use letters, digits, - and _, at most 64")
    return os.path.join(base, "workspaces", workspace.lower())


def _about(place: Place, repo_id: str) -> dict[str, str]:
    return {
        "repo_id": repo_id,
        "writer": os.urandom(8).hex(),
        "name": place.name,
        "root": place.root,
        "created_at": str(now()),
    }


def repositories() -> list[Place]:
    """Returns every repository that has a memory on this machine, in the order of names."""
    base = os.path.join(config.data_dir(), "repos")
    found = []
    for repo_id in sorted(os.listdir(base)) if os.path.isdir(base) else []:
        path = os.path.join(base, repo_id, "memory.db")
        if os.path.isfile(path):
            try:
                db = store.open_reader(path)
                found.append(Place(repo_id, None, store.meta(db, "name") or repo_id, store.meta(db, "root") or ""))
                db.close()
            except (MemError, store.Error):
                found.append(Place(repo_id, None, "(damaged: mem doctor)", ""))
    return sorted(found, key=lambda place: (place.name, place.repo_id))


def active_repo() -> str | None:
    """Returns the id that commands outside any repository mean, chosen by `mem use`."""
    try:
        with open(os.path.join(config.data_dir(), "active"), encoding="ascii") as file:
            return file.read().strip() or None
    except (OSError, ValueError):
        return None


def set_active_repo(repo_id: str) -> None:
    """Chooses the repository that commands outside any repository mean."""
    os.umask(0o077)
    os.makedirs(config.data_dir(), mode=0o700, exist_ok=True)
    aside = os.path.join(config.data_dir(), f"active.{os.getpid()}")
    with open(aside, "w", encoding="ascii") as file:
        file.write(repo_id + "\n")
    os.replace(aside, os.path.join(config.data_dir(), "active"))
