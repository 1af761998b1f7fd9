"""What is kept of a working tree: its chunks, and how many there are."""

from __future__ import annotations

from memcli.records import Record, many
from memcli.repo import worktree
from memcli.store import trees
from memcli.store.trees import Counts

TYPE_CHECKING = False
if TYPE_CHECKING:
    from memcli.project import Project


class Listed(Record):
    """A chunk in a list: its place, its id, what it holds."""

    path: str
    first_line: int
    last_line: int
    id: str
    symbol: str
    kind: str
    language: str
    tokens: int
    forgotten: int


def chunks(project: Project, scope: str, limit: int) -> list[Listed]:
    """Returns the chunks of a path of the project's tree and of what lies under it, in the order of paths and lines."""
    tree = _tree(project)
    return [] if tree is None else many(Listed, trees.chunks_under(project.db, tree, scope, limit))


def counts(project: Project) -> Counts:
    """Returns how much is kept of the project's tree, and since when."""
    tree = _tree(project)
    return Counts(0, 0, 0) if tree is None else trees.counts(project.db, tree)


def _tree(project: Project) -> int | None:
    return trees.find(project.db, project.root, worktree.inode(project.root, project.checkout)) if project.root else None
