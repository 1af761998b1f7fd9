"""`mem ingest`: bringing what is kept of a working tree into step with its files, and reading only those that changed."""

from __future__ import annotations

import os

from memcli.errors import InvalidInput, MemError, NotFound
from memcli.ingest import walk
from memcli.ingest.keep import Keeper
from memcli.ingest.read import Limits
from memcli.ingest.run import Run, foretell
from memcli.ingest.walk import Seen
from memcli.memory.fields import check_name
from memcli.records import Record
from memcli.repo import head, worktree
from memcli.store import db as store
from memcli.store import trees
from memcli.store.db import Error, transaction

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from memcli.ingest.run import Summary, Tick
    from memcli.project import Project
    from memcli.store.trees import Kept

_MB = 1 << 20


class Asked(Record):
    """What to ingest: `paths` from the top of the tree (none: all of it). None in a limit: as the settings say.

    `must_exist`: a path at which there is nothing, and nothing is kept of it, is an error.
    """

    paths: tuple[str, ...] = ()
    thread: str | None = None
    max_file_mb: int | None = None
    chunk_tokens: int | None = None
    overlap_tokens: int | None = None
    dry_run: bool = False
    must_exist: bool = True


def ingest(project: Project, asked: Asked, tick: Tick = lambda files, of: None) -> Summary:
    """Reads what is new or changed, and takes out what is gone. `tick` is told how many files of how many were read.

    Each batch is a transaction: what was interrupted goes on where it stopped. Raises InvalidInput, NotFound, MemError.
    """
    root = top_of(project)
    limits = _limits(project, asked, root)
    thread = None if asked.thread is None else check_name("thread", asked.thread)
    seen = walk.look(root, project.checkout, asked.paths, limits.most_bytes)
    tree = _tree(project, root, asked.dry_run)
    kept = _kept(project, tree, asked.paths)
    if asked.must_exist:
        _must_be_something(root, asked.paths, kept)
    todo = [path for path, stamp in seen.files.items() if not _is_current(kept.get(path), stamp, limits)]
    if asked.dry_run:
        return foretell(limits, seen, kept, todo)
    run = Run(project, Keeper(project, tree, limits, thread), seen, kept)
    try:
        run.drop([was for path, was in kept.items() if path not in seen.files])
        run.read(todo, tick)
        run.set_thread(thread, todo)
        run.end(not asked.paths, todo)
    except Error as error:
        if (found := store.explain(error)).code != "full":
            raise
        wait = "free some space; mem ingest then goes on from there"
        raise MemError("no space left on the disk; what was read so far is kept", wait, found.code) from error
    return run.summary()


def top_of(project: Project) -> str:
    """Returns the top of the tree that is ingested. Raises InvalidInput where there is none."""
    if project.is_user:
        raise InvalidInput("your own memory has no files", "leave out --user")
    if project.checkout is not None and head.is_bare(project.checkout):
        raise InvalidInput("a bare repository has no files", "run it in a working tree")
    if not project.root or not os.path.isdir(project.root):
        raise NotFound("the repository's directory is not here", "go into it, or give --repo PATH")
    return project.root


def _limits(project: Project, asked: Asked, root: str) -> Limits:
    def chosen(value: int | None, key: str) -> int:
        return int(project.config[key] if value is None else value)

    largest = chosen(asked.max_file_mb, "ingest.max_file_mb")
    size = chosen(asked.chunk_tokens, "ingest.chunk_tokens")
    overlap = chosen(asked.overlap_tokens, "ingest.overlap_tokens")
    if not 1 <= largest <= 1_000:
        raise InvalidInput(f"no file size {largest} MB", "give 1 to 1,000")
    if not 32 <= size <= 8_000:
        raise InvalidInput(f"no chunk of {size} tokens", "give 32 to 8,000")
    if asked.overlap_tokens is None:
        overlap = min(overlap, size // 2)
    if not 0 <= overlap <= size // 2:
        raise InvalidInput(f"no overlap of {overlap} tokens", f"give 0 to half of a chunk, {size // 2}")
    return Limits(root, largest * _MB, size, overlap, int(project.config["budget.chunk_each"]), asked.dry_run)


def _tree(project: Project, root: str, look_only: bool) -> int:
    """Returns the number of a tree, 0 where it is not known and nothing may be written."""
    inode = worktree.inode(root, project.checkout)
    known = trees.every(project.db)
    here = next((one for one in known if one.root == trees.storable(root)), None)
    found = here.n if here else trees.ours(known, root, inode)
    if look_only or (here and here.inode == inode):
        return found or 0
    with transaction(project.db):
        return trees.enter(project.db, root, inode, None if here else found)


def _kept(project: Project, tree: int, paths: Sequence[str]) -> dict[str, Kept]:
    found = {}
    for scope in paths or ("",):
        found.update({one.path: one for one in trees.kept(project.db, tree, scope)})
    return found


def _must_be_something(root: str, paths: Sequence[str], kept: dict[str, Kept]) -> None:
    for path in paths:
        is_kept = any(one == path or one.startswith(path + "/") for one in kept)
        if not is_kept and not os.path.lexists(os.path.join(root, path)):
            raise NotFound(f"no file or directory {path}", "give a path inside the repository")


def _is_current(was: Kept | None, stamp: tuple[int, int], limits: Limits) -> bool:
    return was is not None and was.mtime_ns != 0 and (was.size, was.mtime_ns) == stamp and was.cut_by == limits.cut_by


def remove(project: Project, scope: str) -> Summary:
    """Takes out what is kept of a path of the tree (empty: of all) and of what lies under it. Raises NotFound."""
    root = top_of(project)
    limits = _limits(project, Asked(), root)
    tree = trees.find(project.db, root, worktree.inode(root, project.checkout)) or 0
    kept = {one.path: one for one in trees.kept(project.db, tree, scope)}
    if not kept:
        raise NotFound(f"nothing is kept of {scope or root}", "see mem chunks")
    run = Run(project, Keeper(project, tree, limits, None), Seen({}, {}), kept)
    run.drop(list(kept.values()))
    run.end(False, ())
    return run.summary()
