"""Ingested working trees: which tree this is, the content of its files, and the chunks cut from it.

Every function that writes is called inside a transaction of the caller's.
"""

from __future__ import annotations

import os

from memcli.records import Record, many
from memcli.store import first, rows
from memcli.store.chunks import Chunk
from memcli.text.ids import MASK
from memcli.text.terminal import may_hold_secret

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


def all_trees(db: Connection) -> list[Tree]:
    """Returns all trees, the oldest first."""
    return many(Tree, rows(db, "SELECT n, root, inode FROM tree ORDER BY n"))


def find(db: Connection, root: str, inode: int) -> int | None:
    """Returns the number of the tree at `root`, or of the one that was moved here; None where it was never ingested."""
    return find_among(all_trees(db), root, inode)


def was_read_whole(db: Connection, tree: int) -> bool:
    """Tells whether a tree was ever read completely, not only some of its paths."""
    return bool(rows(db, "SELECT 1 FROM tree WHERE n = ? AND ingested_at > 0", (tree,)))


def find_among(trees: Sequence[Tree], root: str, inode: int) -> int | None:
    """Returns what `find` does, from all trees. A moved tree is known by its inode, if nothing is where it was."""
    stored_root = storable(root)
    for tree in trees:
        if tree.root == stored_root:
            return tree.n
    for tree in trees:
        if inode and tree.inode == inode and is_gone(tree):
            return tree.n
    return None


def storable(root: str) -> str:
    """Returns a directory's path as it is stored: with escapes for what is not UTF-8, and secrets masked."""
    root = root.encode("utf-8", "surrogateescape").decode("utf-8", "backslashreplace")
    if not may_hold_secret(root):
        return root
    from memcli.screening import safe_name

    return safe_name(root)


def is_gone(tree: Tree) -> bool:
    """Tells whether a tree's place is empty now. A name that `storable` wrote out is looked up in its original form, too.

    Where a secret in it was masked, nobody can tell: such a tree counts as there.
    """
    if MASK in tree.root:
        return False
    first, *escapes = tree.root.split("\\x")
    decoded = first + "".join([_byte(escape) for escape in escapes])
    return not os.path.lexists(tree.root) and (decoded == tree.root or not os.path.lexists(decoded))


def _byte(escape: str) -> str:
    """Returns what follows a `\\x` as Python names it in a path: a byte that is not UTF-8, else as it stands."""
    digits = escape[:2].lower()
    if len(digits) == 2 and digits[0] in "89abcdef" and digits[1] in "0123456789abcdef":
        return chr(0xDC00 + int(digits, 16)) + escape[2:]
    return f"\\x{escape}"


def contents(db: Connection, tree: int | None, numbers: Iterable[int]) -> dict[int, Content]:
    """Returns artifacts by their numbers, each with what a tree's file was like that holds it."""
    sql = """
        SELECT artifact.n, artifact.path, hash, language, size, mtime_ns
        FROM artifact LEFT JOIN tree_file ON artifact = artifact.n AND tree = ?
        WHERE artifact.n IN (SELECT value FROM json_each(?))
    """
    return {content.n: content for content in many(Content, rows(db, sql, (tree, str(list(numbers)))))}


def has_content(db: Connection, path: str, blob: str) -> bool:
    """Tells whether some tree has, at a path, the content with a blob id."""
    return bool(rows(db, "SELECT 1 FROM artifact WHERE path = ? AND hash = ?", (path, blob)))


_ORPHANED_FILES = "tree_file WHERE artifact NOT IN (SELECT n FROM artifact) OR tree NOT IN (SELECT n FROM tree)"
_ORPHANED_CHUNKS = "chunk WHERE artifact > 0 AND artifact NOT IN (SELECT n FROM artifact)"


def count_orphans(db: Connection) -> int:
    """Returns how many rows refer to a tree or content that is missing."""
    return int(rows(db, f"SELECT (SELECT count(*) FROM {_ORPHANED_FILES}) + (SELECT count(*) FROM {_ORPHANED_CHUNKS})")[0][0])


def remove_orphans(db: Connection) -> None:
    """Removes rows that refer to a tree or content that is missing. The text index must be rebuilt afterwards.

    Of what is left a part may be missing, so every file is cut again by the next ingestion.
    """
    rows(db, f"DELETE FROM {_ORPHANED_FILES}; DELETE FROM {_ORPHANED_CHUNKS}; UPDATE artifact SET cut_by = ''")


FORGOTTEN = -1  # artifact of a forgotten chunk whose file went


class TreeFile(Record):
    """What is stored of a tree's file."""

    path: str
    artifact: int
    size: int
    mtime_ns: int  # 0: look at its bytes again
    hash: str
    cut_by: str
    skipped: str  # why it has no chunks

    @property
    def stamp(self) -> tuple[int, int, int]:
        """What is compared before it is replaced: another process may have been quicker."""
        return (self.artifact, self.size, self.mtime_ns)


class StoredChunk(Record):
    """A chunk's id, its text's path, and whether it is forgotten."""

    id: str
    path: str
    text: str
    hidden: int
    thread: str


class TreeCounts(Record):
    """What is kept of a tree: files with text, chunks, and when it was last read to its end (ms since 1970 UTC, 0: never)."""

    files: int
    chunks: int
    ingested_at: int


def register(db: Connection, root: str, inode: int, moved: int | None = None) -> int:
    """Returns the number of the tree at `root`, making it where it is new. `moved`: the tree that was moved there."""
    if moved is not None:
        rows(db, "UPDATE tree SET root = ? WHERE n = ?", (storable(root), moved))
    sql = "INSERT INTO tree(root, inode) VALUES (?, ?) ON CONFLICT(root) DO UPDATE SET inode = excluded.inode RETURNING n"
    return int(rows(db, sql, (storable(root), inode))[0][0])


def note_read_whole(db: Connection, tree: int, now: int) -> None:
    """Records that a tree was read completely."""
    rows(db, "UPDATE tree SET ingested_at = ? WHERE n = ?", (now, tree))


def remove_if_empty(db: Connection, tree: int) -> None:
    """Removes a tree without files."""
    rows(db, "DELETE FROM tree WHERE n = ? AND NOT EXISTS (SELECT 1 FROM tree_file WHERE tree = ?)", (tree, tree))


def files_of(db: Connection, tree: int, scope: str = "") -> list[TreeFile]:
    """Returns what is stored of a tree's files: all of them, or those of a path and below."""
    sql = """
        SELECT file.path, file.artifact, file.size, file.mtime_ns, artifact.hash, artifact.cut_by, artifact.skipped
        FROM tree_file AS file JOIN artifact ON artifact.n = file.artifact WHERE file.tree = :tree
    """
    if scope:  # "0" is what follows "/"
        sql += " AND (file.path = :scope OR (file.path > :scope || '/' AND file.path < :scope || '0'))"
    return many(TreeFile, rows(db, sql + " ORDER BY file.path", {"tree": tree, "scope": scope} if scope else {"tree": tree}))


def stored_hashes(db: Connection, path: str, cut_by: str) -> list[str]:
    """Returns the hashes of those contents of a path that were cut in a certain way, but for those that were left out."""
    sql = "SELECT hash FROM artifact WHERE path = ? AND cut_by = ? AND skipped = ''"
    return [hash_ for (hash_,) in rows(db, sql, (path, cut_by))]


def artifact(db: Connection, path: str, hash_: str) -> tuple[int, str] | None:
    """Returns number and `cut_by` of a content of a path, None where it is not stored."""
    row = first(db, "SELECT n, cut_by FROM artifact WHERE path = ? AND hash = ?", (path, hash_))
    return row if row else None


def save_artifact(db: Connection, path: str, hash_: str, language: str, cut_by: str, skipped: str) -> int:
    """Adds a content of a path, or changes how it was cut. Returns its number."""
    sql = """
        INSERT INTO artifact(path, hash, language, cut_by, skipped) VALUES (?, ?, ?, ?, ?)
        ON CONFLICT(path, hash) DO UPDATE SET language = excluded.language, cut_by = excluded.cut_by, skipped = excluded.skipped
        RETURNING n
    """
    return int(rows(db, sql, (path, hash_, language, cut_by, skipped))[0][0])


def stamp(db: Connection, tree: int, path: str) -> tuple[int, int, int] | None:
    """Returns artifact, size and mtime (ns) that are noted for a file of a tree, None where it is not stored."""
    row = first(db, "SELECT artifact, size, mtime_ns FROM tree_file WHERE tree = ? AND path = ?", (tree, path))
    return row if row else None


def save_file(db: Connection, tree: int, path: str, stamp: tuple[int, int, int]) -> None:
    """Notes that a tree's file has a content, and its size and mtime."""
    sql = """
        INSERT INTO tree_file(tree, path, artifact, size, mtime_ns) VALUES (?, ?, ?, ?, ?)
        ON CONFLICT(tree, path) DO UPDATE SET artifact = excluded.artifact, size = excluded.size, mtime_ns = excluded.mtime_ns
    """
    rows(db, sql, (tree, path, *stamp))


def remove_file(db: Connection, tree: int, path: str) -> None:
    """Records that a tree no longer has a file."""
    rows(db, "DELETE FROM tree_file WHERE tree = ? AND path = ?", (tree, path))


def is_used(db: Connection, artifact: int) -> bool:
    """Tells whether some tree has this content."""
    return bool(rows(db, "SELECT 1 FROM tree_file WHERE artifact = ? LIMIT 1", (artifact,)))


def remove_artifact(db: Connection, artifact: int) -> None:
    """Removes a content whose chunks are gone."""
    rows(db, "DELETE FROM artifact WHERE n = ?", (artifact,))


def chunks_of(db: Connection, artifact: int) -> list[StoredChunk]:
    """Returns the chunks of a content in the order of their lines."""
    return many(
        StoredChunk, rows(db, "SELECT id, path, text, hidden, thread FROM chunk WHERE artifact = ? ORDER BY n", (artifact,))
    )


def forgotten_chunks(db: Connection) -> list[StoredChunk]:
    """Returns the forgotten chunks whose file went."""
    return many(StoredChunk, rows(db, "SELECT id, path, text, hidden, thread FROM chunk WHERE artifact = -1 AND hidden"))


def remove_chunks(db: Connection, artifact: int) -> None:
    """Removes the chunks of a content and their index entries. Forgotten ones are set aside."""
    rows(db, "UPDATE chunk SET artifact = -1 WHERE artifact = ? AND hidden", (artifact,))
    rows(db, _UNINDEX + "SELECT n FROM chunk WHERE artifact = ?)", (artifact,))
    rows(db, "DELETE FROM chunk WHERE artifact = ?", (artifact,))


def remove_chunk(db: Connection, chunk_id: str) -> None:
    """Removes one chunk and its index entry."""
    rows(db, _UNINDEX + "SELECT n FROM chunk WHERE id = ?)", (chunk_id,))
    rows(db, "DELETE FROM chunk WHERE id = ?", (chunk_id,))


def remove_restored(db: Connection) -> None:
    """Removes chunks that were forgotten, lost their file and were restored: there is no file to show them from."""
    rows(db, _UNINDEX + "SELECT n FROM chunk WHERE artifact = -1 AND NOT hidden)")
    rows(db, "DELETE FROM chunk WHERE artifact = -1 AND NOT hidden")


def artifact_of(db: Connection, chunk_id: str) -> int | None:
    """Returns the content of a chunk, None if no chunk has this id."""
    row = first(db, "SELECT artifact FROM chunk WHERE id = ?", (chunk_id,))
    return int(row[0]) if row else None


def add_chunks(db: Connection, chunks: Sequence[Sequence[object]]) -> None:
    """Adds chunks, given as the values of a `Chunk` without the number, and their index entries."""
    if not chunks:
        return
    ((last,),) = rows(db, "SELECT coalesce(max(n), 0) FROM chunk")
    db.executemany(_ADD, [(last + offset, *chunk) for offset, chunk in enumerate(chunks, 1)])
    rows(db, _INDEX, (last,))


def set_thread(db: Connection, artifact: int, thread: str) -> None:
    """Moves the chunks of a content to a thread."""
    rows(db, "UPDATE chunk SET thread = ? WHERE artifact = ? AND thread <> ?", (thread, artifact, thread))


_UNDER = """
    FROM tree_file AS file JOIN artifact ON artifact.n = file.artifact JOIN chunk ON chunk.artifact = artifact.n
    WHERE file.tree = :tree AND
        (:scope = '' OR file.path = :scope OR (file.path > :scope || '/' AND file.path < :scope || '0'))
"""


def count_under(db: Connection, tree: int, scope: str) -> int:
    """Returns how many chunks a path has, with those below."""
    return int(rows(db, f"SELECT count(*) {_UNDER}", {"tree": tree, "scope": scope})[0][0])


def chunks_under(db: Connection, tree: int, scope: str, limit: int) -> list[tuple[object, ...]]:
    """Returns path, first line, last line, id, symbol, kind, language, tokens, hidden of the chunks of a path and below."""
    columns = "file.path, first_line, last_line, id, symbol, kind, language, prompt_tokens, hidden"
    sql = f"SELECT {columns} {_UNDER} ORDER BY file.path, first_line LIMIT :limit"
    return rows(db, sql, {"tree": tree, "scope": scope, "limit": limit})


def counts(db: Connection, tree: int) -> TreeCounts:
    """Returns how much is kept of a tree, and since when."""
    sql = """
        SELECT (SELECT count(*) FROM tree_file JOIN artifact ON n = artifact WHERE tree = :tree AND skipped = ''),
               (SELECT count(*) FROM tree_file JOIN chunk USING (artifact) WHERE tree = :tree AND NOT hidden),
               ingested_at
        FROM tree WHERE n = :tree
    """
    row = first(db, sql, {"tree": tree})
    return TreeCounts(*row) if row else TreeCounts(0, 0, 0)


def merge(db: Connection, pages: int) -> bool:
    """Merges some of the text index's segments, writing about so many pages. Returns whether there is more to merge.

    A negative number begins to make one segment of all: https://sqlite.org/fts5.html#the_merge_command
    """
    before = db.total_changes()
    rows(db, "INSERT INTO chunk_fts(chunk_fts, rank) VALUES ('merge', ?)", (pages,))
    return db.total_changes() - before >= 2


def index_is_bulk(db: Connection, crisis: int) -> bool:
    """Tells whether the text index merges at another number of segments than `crisis`."""
    return rows(db, "SELECT v FROM chunk_fts_config WHERE k = 'crisismerge'") != [(crisis,)]


def set_index(db: Connection, crisis: int, hash_bytes: int) -> None:
    """Sets how the text index takes many rows: how many segments of a size are merged at once, and how much it gathers first."""
    rows(db, "INSERT INTO chunk_fts(chunk_fts, rank) VALUES ('crisismerge', ?)", (crisis,))
    rows(db, "INSERT INTO chunk_fts(chunk_fts, rank) VALUES ('hashsize', ?)", (hash_bytes,))


_ADD = f"INSERT INTO chunk({', '.join(Chunk._fields)}) VALUES ({', '.join('?' for _ in Chunk._fields)})"
_INDEX = """
    INSERT INTO chunk_fts(rowid, locator, text, tags, words) SELECT n, locator, text, tags, words FROM chunk_text WHERE n > ?
"""
_UNINDEX = """
    INSERT INTO chunk_fts(chunk_fts, rowid, locator, text, tags, words)
    SELECT 'delete', n, locator, text, tags, words FROM chunk_text WHERE n IN (
"""
