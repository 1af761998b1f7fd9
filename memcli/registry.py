"""The memories on this machine: their names, origins, directories without git, and which one is active."""

from __future__ import annotations

import contextlib
import hashlib
import os
from collections.abc import Sequence

from memcli import config, store
from memcli.errors import Call, InvalidInput, MemError, NotFound
from memcli.records import Record
from memcli.repo import ancestry, head, identity, proof
from memcli.repo.head import Checkout
from memcli.store import memories, opening
from memcli.text import bounded
from memcli.text.terminal import is_storable, oneline

_MOST_NAMED = 10  # workspaces that a refusal lists
_READABLE = 30  # characters of a name that begin the name made of it
_MAX_ANCHORS = 5_000  # commits of a memory that are searched for in a clone
MAX_NAME = 200  # characters of a name that belongs to no directory
_LARGEST_ID = 1 << 10  # bytes of a file that holds an id


class StoredRepository(Record):
    """A repository that has a memory on this machine; `root` is where it was last written from."""

    repo_id: str
    name: str
    root: str


apart: list[str] = []  # memories of the origin or directory of the last clone looked up, which it shares no commit with
DAMAGED = "(damaged: mem doctor --repo ID)"  # stands for the name of a memory that cannot be read


def index_path() -> str:
    """Returns the file that maps origins, and directories without git, to ids."""
    return os.path.join(config.data_dir(), "repos", "index")


def id_of(checkout: Checkout) -> str | None:
    """Returns the id of a clone in which none was recorded: one it claims and may have, by its path, or by a shared history.

    What a history proved is recorded: to prove it again takes five processes of git, at each command and event.
    """
    if claimed := _proved_claim(checkout):
        return claimed
    index = index_path()
    if not os.path.exists(index):
        return None
    repo_id = identity.lookup(index, f"path:{checkout.common_dir}") or identity.lookup(index, f"path:{checkout.root}")
    if repo_id:
        return repo_id
    others = candidates(checkout)
    repo_id = next((other for other in others if shares_history(checkout, other)), None)
    apart[:] = [] if repo_id else others
    return _recorded(checkout, repo_id) if repo_id else None


def _proved_claim(checkout: Checkout) -> str | None:
    """Returns the id that a copied file claims, if nothing is kept under it or the clone proves it by place or history."""
    claimed = head.claimed_id(checkout)
    if claimed is None or not is_stored(claimed) or claimed in identity.lookup_all(index_path(), f"root:{checkout.root}"):
        return claimed
    return _recorded(checkout, claimed) if shares_history(checkout, claimed) else None


def _recorded(checkout: Checkout, repo_id: str) -> str:
    """Records an id in a clone where that can be written to. Returns it."""
    with contextlib.suppress(OSError):
        return identity.record(checkout, repo_id)
    return repo_id


def candidates(checkout: Checkout) -> list[str]:
    """Returns the memories that a clone may belong to by what it says of itself: its id, those of its origin and its directory.

    Anybody's files can say that; a memory is joined where they hold one of its commits, or where the person says so.
    """
    keys = [f"origin:{origin}"] if (origin := identity.origin(checkout)) else []
    ids = [repo_id for key in (*keys, f"root:{checkout.root}") for repo_id in identity.lookup_all(index_path(), key)]
    claimed = head.claimed_id(checkout)
    return [repo_id for repo_id in dict.fromkeys([*([claimed] if claimed else []), *ids]) if is_stored(repo_id)]


def shares_history(checkout: Checkout, repo_id: str, by_itself: bool = True) -> bool:
    """Tells whether a clone holds a commit that a memory knows: an anchor, one that was checked out, or one in its clone.

    `by_itself`: that clone may be this very one.
    """
    try:
        db = opening.open_reader(_store_of(repo_id) or "")
        try:
            commits = [*(store.meta(db, "commits") or "").split(), *memories.anchors(db, _MAX_ANCHORS)]
            clone = head.find(store.meta(db, "root") or "")
        finally:
            db.close()
    except (MemError, store.Error):
        return False
    is_itself = clone is not None and clone.common_dir == checkout.common_dir
    if (
        checkout.commit and clone and (by_itself or not is_itself) and head.claimed_id(clone) == repo_id
    ):  # a shallow clone may hold nothing but its HEAD
        commits += ancestry.existing_commits(clone, (checkout.commit,))
    return proof.holds_commit(checkout, commits)


def join(checkout: Checkout, repo_id: str) -> None:
    """Makes a memory that of a clone in place of the one it has, because the person said so. Raises OSError."""
    with contextlib.suppress(FileNotFoundError):
        os.unlink(head.id_file(checkout))
    identity.record(checkout, repo_id)
    _make_index_folder()
    identity.remember(index_path(), f"root:{checkout.root}", repo_id, several=True)


def identify(checkout: Checkout) -> str:
    """Gives a clone its id: that of a memory whose history it shares, else a new one.

    Many processes may do so at once; all get the same.
    """
    _make_index_folder()
    current_id = id_of(checkout)
    try:
        return identity.record(checkout, current_id or identity.new_id())
    except OSError:  # a read-only git directory: this machine remembers the path instead
        return identity.remember(index_path(), f"path:{checkout.common_dir}", current_id or identity.new_id())


def name_of(checkout: Checkout) -> str:
    """Returns the name of a repository for people: owner and name of its origin (`acme/shop`), else its directory."""
    origin = identity.origin(checkout) or ""
    if not origin or origin.startswith("file:"):
        main = os.path.basename(checkout.common_dir) == ".git"
        return readable(os.path.basename(os.path.dirname(checkout.common_dir) if main else checkout.root))
    return "/".join(origin.split("/")[1:][-2:])


def readable(path: str) -> str:
    """Returns a path, which may not be valid Unicode, as text that can be stored and printed."""
    return os.fsencode(path).decode("utf-8", "replace")


def note_origin(checkout: Checkout, repo_id: str) -> str | None:
    """Records the id for a repository's origin and its directory, so that another clone of it finds the memory.

    Returns the commit that is checked out, None where there is none or a HEAD only names one.
    """
    _make_index_folder()
    origin = identity.origin(checkout)
    for key in (f"root:{checkout.root}", *([f"origin:{origin}"] if origin else [])):
        identity.remember(index_path(), key, repo_id, several=True)
    return checkout.commit if checkout.commit and proof.holds_commit(checkout, (checkout.commit,)) else None


def directory(start: str) -> StoredRepository | None:
    """Finds the directory without git, `start` or above, that was given a memory."""
    if not os.path.exists(index_path()):
        return None
    folder = os.path.realpath(start)
    while True:
        if repo_id := identity.lookup(index_path(), f"path:{folder}"):
            return StoredRepository(repo_id, head.storable_name(os.path.basename(folder)), folder)
        parent = os.path.dirname(folder)
        if parent == folder:
            return None
        folder = parent


def adopt_directory(path: str) -> str:
    """Gives a directory without git an id of its own, so that it can have a memory. Returns the id."""
    folder = os.path.realpath(path)
    if not os.path.isdir(folder):
        raise NotFound(f"no directory {path}", "make it first")
    _make_index_folder()
    return identity.remember(index_path(), f"path:{folder}", identity.new_id())


def note_former_ids(names: Sequence[str], repo_id: str) -> None:
    """Records the ids that the Go mempack gave to a repository whose memory was imported."""
    for name in filter(_is_of_mempack, names):
        identity.remember(index_path(), f"mempack:{name}", repo_id)


def _is_of_mempack(name: str) -> bool:
    return name[:2] in ("r_", "p_") and len(name) == 10 and set(name[2:]) <= set("0123456789abcdef")


def by_name(name: str) -> StoredRepository:
    """Finds a memory by its id, a unique prefix of it, its name, or the id that it had in the Go mempack.

    Raises NotFound or InvalidInput.
    """
    if head.is_id(name) and (repository := _stored(name)):
        return repository
    stored = repositories()
    matches = [repo for repo in stored if repo.repo_id == name] or [repo for repo in stored if repo.name == name]
    matches = matches or [repo for repo in stored if len(name) > 2 and repo.repo_id.startswith(name.upper())]
    if len(matches) > 1:
        raise InvalidInput(
            f"{name!r} means {len(matches)} repositories", ("give more of the id; see ", Call("repos")), "ambiguous"
        )
    if not matches and _is_of_mempack(name):
        repo_id = identity.lookup(index_path(), f"mempack:{name}")
        if repo_id and (repository := _stored(repo_id)):
            return repository
        message = f"no repository {name}, which is an id of the Go mempack"
        raise NotFound(message, ("run mem import --from mempack in it, or give a path, or an id from ", Call("repos")))
    if not matches:
        raise NotFound(f"no repository {name}", ("give a path, or an id from ", Call("repos")))
    return matches[0]


def _stored(repo_id: str) -> StoredRepository | None:
    """Returns the repository with an id, None if nothing is stored under it."""
    return _described(repo_id, path) if (path := _store_of(repo_id)) else None


def is_stored(repo_id: str) -> bool:
    """Tells whether something is stored under an id."""
    return _store_of(repo_id) is not None


def _store_of(repo_id: str) -> str | None:
    """Returns the store of a repository, or that of one of its workspaces."""
    base = os.path.join(config.data_dir(), "repos", repo_id)
    first = os.path.join(base, "memory.db")
    if os.path.isfile(first):
        return first
    return next(filter(os.path.isfile, _workspaces(os.path.join(base, "workspaces"))), None)


def adopt_name(name: str) -> str:
    """Gives a name that belongs to no directory an id of its own, so that it can have a memory. Returns the id.

    Raises InvalidInput for an invalid name.
    """
    if not name.strip() or len(name) > MAX_NAME or not name.isprintable() or not is_storable(name):
        raise InvalidInput(f"not a name: {oneline(name)[:80]!r}", f"use 1 to {MAX_NAME} printable characters")
    _make_index_folder()
    return identity.remember(index_path(), f"name:{head.storable_name(name)}", identity.new_id())


def adopted(name: str) -> str | None:
    """Returns the id of a name, None if it has none or nothing is stored under it yet."""
    repo_id = identity.lookup(index_path(), f"name:{head.storable_name(name)}")
    return repo_id if repo_id and is_stored(repo_id) else None


def namesakes(checkout: Checkout) -> list[str]:
    """Returns the memories without a directory whose name may mean a clone: its name, or that of its directory."""
    name = name_of(checkout)
    ids = [adopted(alias) for alias in dict.fromkeys((name, name.rpartition("/")[2], os.path.basename(checkout.root)))]
    return [repo_id for repo_id in dict.fromkeys(ids) if repo_id]


def by_short_name(name: str) -> str | None:
    """Returns the id of the only repository with this directory or last part of a name; None if there are none or several."""
    matches = [repo for repo in repositories() if name in (os.path.basename(repo.root), repo.name.rpartition("/")[2])]
    return matches[0].repo_id if len(matches) == 1 else None


def repositories() -> list[StoredRepository]:
    """Returns every repository that has a memory on this machine, sorted by name."""
    stored = [repository for name in store_ids() if (repository := _stored(name))]
    return sorted(stored, key=lambda repository: (repository.name, repository.repo_id))


def places(repositories: Sequence[StoredRepository]) -> dict[str, list[str]]:
    """Returns for each memory, by its id, the directories that have it: where it was last written from, then its other clones.

    An existing directory that has another memory by now counts only for that one.
    """
    clones = {repository.repo_id: {repository.root: None} if repository.root else {} for repository in repositories}
    for path, repo_id in identity.keys_of(index_path(), "root:"):
        if repo_id in clones and _id_at(path) == repo_id:
            clones[repo_id][readable(path)] = None
    return {repo_id: [path for path in paths if _id_at(path) in (None, repo_id)] for repo_id, paths in clones.items()}


def _id_at(path: str) -> str | None:
    """Returns the id that is recorded in the repository at the root of a directory, or None."""
    checkout = head.find(path)
    return head.recorded_id(checkout) if checkout and checkout.root == os.path.realpath(path) else None


def foreign_stores() -> list[str]:
    """Returns the directories beside ours that hold stores of another program: the Go mempack keeps its own there."""
    return sorted([name for name in _store_folders() if not head.is_id(name) and is_stored(name)])


def store_ids() -> list[str]:
    """Returns the ids under which something of ours is stored; a directory of another program has another kind of name."""
    return [name for name in _store_folders() if head.is_id(name)]


def _store_folders() -> list[str]:
    base = os.path.join(config.data_dir(), "repos")
    opening.is_there(index_path(), config.data_dir())  # raises where nobody can see what is there
    return os.listdir(base) if os.path.isdir(base) else []


def _workspaces(folder: str) -> list[str]:
    names = sorted(os.listdir(folder)) if os.path.isdir(folder) else []
    return [os.path.join(folder, name, "memory.db") for name in names]


def workspaces(folder: str) -> list[str]:
    """Returns the names of a memory's workspaces other than the default one. `folder`: the directory of its files."""
    paths = _workspaces(os.path.join(folder, "workspaces"))
    names = [os.path.basename(os.path.dirname(path)) for path in paths if os.path.isfile(path)]
    return [name for name in names if name != "default"]


def renamed_workspace(folder: str, name: str) -> str:
    """Returns the workspace that an import made for a name that is invalid here. Raises InvalidInput if there is none."""
    existing = workspaces(folder) if folder else []
    if (other := digested(name).lower()) in existing:
        return other
    hint = "use letters, digits, - and _, at most 64"
    if existing:
        hint += f"; there are {', '.join(existing[:_MOST_NAMED])}{' …' if len(existing) > _MOST_NAMED else ''}"
    raise InvalidInput(f"not a name for a workspace: {head.storable_name(name)[:80]!r}", hint)


def digested(name: str) -> str:
    """Returns a valid name of a workspace for an invalid one: its valid characters, and a digest."""
    shown = head.storable_name(name).casefold()
    readable = "".join([char if char.isascii() and char.isalnum() else "-" for char in shown])[:_READABLE]
    return f"{readable}_{hashlib.sha256(name.encode('utf-8', 'surrogatepass')).hexdigest()[:16]}"


def _described(repo_id: str, path: str) -> StoredRepository:
    try:
        db = opening.open_reader(path)
        try:
            return StoredRepository(repo_id, store.meta(db, "name") or repo_id, store.meta(db, "root") or "")
        finally:
            db.close()
    except (MemError, store.Error):
        return StoredRepository(repo_id, DAMAGED, "")


def active() -> str | None:
    """Returns the id of the repository for commands outside any repository, chosen by `mem use`."""
    content = bounded.read(os.path.join(config.data_dir(), "active"), _LARGEST_ID) or b""
    return content.decode("ascii").strip() or None if content.isascii() else None


def set_active(repo_id: str) -> None:
    """Chooses the repository for commands outside any repository."""
    from memcli import system  # who only reads makes nothing

    system.keep_private()
    os.makedirs(config.data_dir(), mode=0o700, exist_ok=True)
    aside = os.path.join(config.data_dir(), f"active.{os.getpid()}")
    with open(aside, "w", encoding="ascii") as file:
        file.write(repo_id + "\n")
    os.replace(aside, os.path.join(config.data_dir(), "active"))


def _make_index_folder() -> None:
    from memcli import system  # who only reads makes nothing

    system.keep_private()
    os.makedirs(os.path.dirname(index_path()), mode=0o700, exist_ok=True)
