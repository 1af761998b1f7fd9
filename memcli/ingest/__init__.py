"""`mem ingest` and `mem chunks`: bringing the store in step with a working tree by reading what changed, and what it then has."""

from __future__ import annotations

import os
from collections.abc import Sequence

from memcli import store
from memcli.errors import InvalidInput, MemError, NotFound
from memcli.ingest import walk
from memcli.ingest.read import Limits
from memcli.ingest.run import IngestSummary as IngestSummary
from memcli.ingest.run import Progress, Run, preview
from memcli.ingest.walk import TreeFiles
from memcli.ingest.writer import TreeWriter
from memcli.memory import check_name
from memcli.project import Project
from memcli.records import Record, many
from memcli.repo import head, worktree
from memcli.store import Error, transaction, trees
from memcli.store.trees import TreeCounts, TreeFile

_MB = 1 << 20


class IngestOptions(Record):
    """What to ingest: `paths` from the root of the tree (none: all of it). None for a limit: as configured.

    `must_exist`: a path that neither exists nor is stored is an error.
    """

    paths: tuple[str, ...] = ()
    thread: str | None = None
    max_file_mb: int | None = None
    chunk_tokens: int | None = None
    overlap_tokens: int | None = None
    dry_run: bool = False
    must_exist: bool = True


class ListedChunk(Record):
    """A chunk in a list: its place, its id, what it is."""

    path: str
    first_line: int
    last_line: int
    id: str
    symbol: str
    kind: str
    language: str
    tokens: int
    forgotten: int


def ingest(project: Project, options: IngestOptions, progress: Progress = lambda done, total: None) -> IngestSummary:
    """Reads what is new or changed, and removes what is gone. Calls `progress` while it reads.

    Each batch is a transaction: an interrupted run continues where it stopped. Raises InvalidInput, NotFound, MemError.
    """
    root = root_of(project)
    limits = _limits(project, options, root)
    thread = None if options.thread is None else check_name("thread", options.thread)
    files = walk.list_files(root, project.checkout, options.paths, limits.max_bytes)
    tree = _tree(project, root, options.dry_run)
    stored = _stored(project, tree, options.paths)
    if options.must_exist:
        _check_exist(root, options.paths, stored)
    todo = [path for path, stamp in files.stamps.items() if not _is_current(stored.get(path), stamp, limits)]
    if options.dry_run:
        return preview(limits, files, stored, todo)
    run = Run(project, TreeWriter(project, tree, limits, thread), files, stored)
    try:
        run.drop([file for path, file in stored.items() if path not in files.stamps])
        run.read(todo, progress)
        run.set_thread(thread, todo)
        run.end(not options.paths, todo)
    except Error as error:
        if (failure := store.explain(error)).code != "full":
            raise
        hint = "free some space; mem ingest then continues"
        raise MemError("no space left on the disk; what was read so far is stored", hint, failure.code) from error
    return run.summary()


def remove(project: Project, scope: str) -> IngestSummary:
    """Removes what is stored of a path of the tree (empty: of all) and of what lies under it. Raises NotFound."""
    root = root_of(project)
    limits = _limits(project, IngestOptions(), root)
    tree = trees.find(project.db, root, worktree.inode(root, project.checkout)) or 0
    stored = {file.path: file for file in trees.files_of(project.db, tree, scope)}
    if not stored:
        raise NotFound(f"nothing from {scope or root} is stored", "see mem chunks")
    run = Run(project, TreeWriter(project, tree, limits, None), TreeFiles({}, {}), stored)
    run.drop(list(stored.values()))
    run.end(False, ())
    return run.summary()


def chunks(project: Project, scope: str, limit: int) -> list[ListedChunk]:
    """Returns the chunks of a path of the project's tree and of what lies under it, in the order of paths and lines."""
    tree = _existing_tree(project)
    return [] if tree is None else many(ListedChunk, trees.chunks_under(project.db, tree, scope, limit))


def count_chunks(project: Project, scope: str) -> int:
    """Returns how many chunks a path of the project's tree has, with what lies under it."""
    tree = _existing_tree(project)
    return 0 if tree is None else trees.count_under(project.db, tree, scope)


def counts(project: Project) -> TreeCounts:
    """Returns how much is stored of the project's tree, and since when."""
    tree = _existing_tree(project)
    return TreeCounts(0, 0, 0) if tree is None else trees.counts(project.db, tree)


def root_of(project: Project) -> str:
    """Returns the root of the tree to ingest. Raises InvalidInput or NotFound where there is none."""
    if project.is_user:
        raise InvalidInput("your own memory has no files", "leave out --user")
    if project.checkout is not None and head.is_bare(project.checkout):
        raise InvalidInput("a bare repository has no files", "run it in a working tree")
    if not project.root or not os.path.isdir(project.root):
        raise NotFound("the repository's directory is not here", "go into it, or give --repo PATH")
    return project.root


def _limits(project: Project, options: IngestOptions, root: str) -> Limits:
    def setting(option: int | None, key: str) -> int:
        return int(project.config[key] if option is None else option)

    max_mb = setting(options.max_file_mb, "ingest.max_file_mb")
    size = setting(options.chunk_tokens, "ingest.chunk_tokens")
    overlap = setting(options.overlap_tokens, "ingest.overlap_tokens")
    if not 1 <= max_mb <= 1_000:
        raise InvalidInput(f"{max_mb} MB is not a valid file size", "give 1 to 1,000")
    if not 32 <= size <= 8_000:
        raise InvalidInput(f"{size} tokens is not a valid chunk size", "give 32 to 8,000")
    if options.overlap_tokens is None:
        overlap = min(overlap, size // 2)
    if not 0 <= overlap <= size // 2:
        raise InvalidInput(f"{overlap} tokens is not a valid overlap", f"give 0 to half of a chunk, {size // 2}")
    return Limits(root, max_mb * _MB, size, overlap, int(project.config["budget.chunk_each"]), options.dry_run)


def _tree(project: Project, root: str, dry_run: bool) -> int:
    """Returns the number of a tree, 0 where it is new and nothing may be written."""
    inode = worktree.inode(root, project.checkout)
    all_trees = trees.all_trees(project.db)
    same_root = next((tree for tree in all_trees if tree.root == trees.storable(root)), None)
    number = same_root.n if same_root else trees.find_among(all_trees, root, inode)
    if dry_run or (same_root and same_root.inode == inode):
        return number or 0
    with transaction(project.db):
        return trees.register(project.db, root, inode, None if same_root else number)


def _existing_tree(project: Project) -> int | None:
    return trees.find(project.db, project.root, worktree.inode(project.root, project.checkout)) if project.root else None


def _stored(project: Project, tree: int, paths: Sequence[str]) -> dict[str, TreeFile]:
    files = {}
    for scope in paths or ("",):
        files.update({file.path: file for file in trees.files_of(project.db, tree, scope)})
    return files


def _check_exist(root: str, paths: Sequence[str], stored: dict[str, TreeFile]) -> None:
    for path in paths:
        is_stored = any(file == path or file.startswith(path + "/") for file in stored)
        if not is_stored and not os.path.lexists(os.path.join(root, path)):
            raise NotFound(f"no file or directory {path}", "give a path inside the repository")


def _is_current(file: TreeFile | None, stamp: tuple[int, int], limits: Limits) -> bool:
    return file is not None and file.mtime_ns != 0 and (file.size, file.mtime_ns) == stamp and file.cut_by == limits.cut_by
