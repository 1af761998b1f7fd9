"""Working trees whose files were ingested: which one this is, and what it held of each file when that was read."""

from __future__ import annotations

import os

from memcli.records import Record, many
from memcli.store.db import rows

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from apsw import Connection


class Tree(Record):
    """A working tree or plain directory. `inode`: of its git directory, else of itself."""

    n: int
    root: str
    inode: int


class Content(Record):
    """One content of one path. `size` in bytes and `mtime_ns` are those of a tree's file that has it; None: it has none."""

    n: int
    path: str
    hash: str
    language: str
    size: int | None
    mtime_ns: int | None


def every(db: Connection) -> list[Tree]:
    """Returns all trees, the oldest first."""
    return many(Tree, rows(db, "SELECT n, root, inode FROM tree ORDER BY n"))


def find(db: Connection, root: str, inode: int) -> int | None:
    """Returns the number of the tree at `root`, or of the one that was moved here; None where it was never ingested."""
    return ours(every(db), root, inode)


def was_read_whole(db: Connection, tree: int) -> bool:
    """Tells whether a tree was ever read to its end, not only some paths of it."""
    return bool(rows(db, "SELECT 1 FROM tree WHERE n = ? AND ingested_at > 0", (tree,)))


def ours(trees: Sequence[Tree], root: str, inode: int) -> int | None:
    """Returns what `find` does, from all trees. A moved tree is known by its inode, if nothing is where it was."""
    kept_as = storable(root)
    for tree in trees:
        if tree.root == kept_as:
            return tree.n
    for tree in trees:
        if inode and tree.inode == inode and is_gone(tree):
            return tree.n
    return None


def storable(root: str) -> str:
    """Returns a directory's path as it is kept: what is not UTF-8 in it is written out."""
    return root.encode("utf-8", "surrogateescape").decode("utf-8", "backslashreplace")


def is_gone(tree: Tree) -> bool:
    """Tells whether nothing is at a tree's place any more. A name that `storable` wrote out is looked for as it was, too."""
    first, *rest = tree.root.split("\\x")
    named = first + "".join([_byte(part) for part in rest])
    return not os.path.lexists(tree.root) and (named == tree.root or not os.path.lexists(named))


def _byte(part: str) -> str:
    """Returns what follows a `\\x` as Python names it in a path: a byte that is not UTF-8, else as it stands."""
    digits = part[:2].lower()
    if len(digits) == 2 and digits[0] in "89abcdef" and digits[1] in "0123456789abcdef":
        return chr(0xDC00 + int(digits, 16)) + part[2:]
    return f"\\x{part}"


def contents(db: Connection, tree: int | None, numbers: Iterable[int]) -> dict[int, Content]:
    """Returns artifacts by their numbers, each with what a tree's file was like that holds it."""
    sql = """
        SELECT artifact.n, artifact.path, hash, language, size, mtime_ns
        FROM artifact LEFT JOIN tree_file ON artifact = artifact.n AND tree = ?
        WHERE artifact.n IN (SELECT value FROM json_each(?))
    """
    return {one.n: one for one in many(Content, rows(db, sql, (tree, str(list(numbers)))))}


def holds(db: Connection, path: str, blob: str) -> bool:
    """True where some tree has, at a path, the content with a blob id."""
    return bool(rows(db, "SELECT 1 FROM artifact WHERE path = ? AND hash = ?", (path, blob)))


_LOST_FILES = "tree_file WHERE artifact NOT IN (SELECT n FROM artifact) OR tree NOT IN (SELECT n FROM tree)"
_LOST_CHUNKS = "chunk WHERE artifact > 0 AND artifact NOT IN (SELECT n FROM artifact)"


def lost(db: Connection) -> int:
    """Returns how many rows speak of a tree or of a content that is not there."""
    return int(rows(db, f"SELECT (SELECT count(*) FROM {_LOST_FILES}) + (SELECT count(*) FROM {_LOST_CHUNKS})")[0][0])


def forget_lost(db: Connection) -> None:
    """Takes those rows out, inside the caller's transaction; the text index has to be written again.

    Of what is left a part may be missing, so every file is cut again by the next ingestion.
    """
    rows(db, f"DELETE FROM {_LOST_FILES}; DELETE FROM {_LOST_CHUNKS}; UPDATE artifact SET cut_by = ''")
