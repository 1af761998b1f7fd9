"""What was ingested: working trees, the content of their files, and the chunks cut from it. Every call is inside a transaction
of the caller's, but for those that only read."""

from __future__ import annotations

from memcli.records import Record, many
from memcli.store import trees
from memcli.store.chunks import Chunk
from memcli.store.db import rows

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from apsw import Connection

FORGOTTEN = -1  # artifact of a forgotten chunk whose file went


class Kept(Record):
    """What is kept of a tree's file."""

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


class Held(Record):
    """A chunk's id, its text's path, and whether it is forgotten."""

    id: str
    path: str
    text: str
    hidden: int
    thread: str


class Counts(Record):
    """What is kept of a tree: files with text, chunks, and when it was last read to its end (ms since 1970 UTC, 0: never)."""

    files: int
    chunks: int
    ingested_at: int


def enter(db: Connection, root: str, inode: int, moved: int | None = None) -> int:
    """Returns the number of the tree at `root`, making it where it is new. `moved`: the tree that was moved there."""
    if moved is not None:
        rows(db, "UPDATE tree SET root = ? WHERE n = ?", (trees.storable(root), moved))
    sql = "INSERT INTO tree(root, inode) VALUES (?, ?) ON CONFLICT(root) DO UPDATE SET inode = excluded.inode RETURNING n"
    return int(rows(db, sql, (trees.storable(root), inode))[0][0])


def ended(db: Connection, tree: int, now: int) -> None:
    """Notes that a tree was read to its end."""
    rows(db, "UPDATE tree SET ingested_at = ? WHERE n = ?", (now, tree))


def leave(db: Connection, tree: int) -> None:
    """Takes a tree out that holds no file."""
    rows(db, "DELETE FROM tree WHERE n = ? AND NOT EXISTS (SELECT 1 FROM tree_file WHERE tree = ?)", (tree, tree))


def kept(db: Connection, tree: int, scope: str = "") -> list[Kept]:
    """Returns what is kept of a tree's files: of all, or of a path and what lies under it."""
    sql = """
        SELECT file.path, file.artifact, file.size, file.mtime_ns, artifact.hash, artifact.cut_by, artifact.skipped
        FROM tree_file AS file JOIN artifact ON artifact.n = file.artifact WHERE file.tree = :tree
    """
    if scope:  # "0" is what follows "/"
        sql += " AND (file.path = :scope OR (file.path > :scope || '/' AND file.path < :scope || '0'))"
    return many(Kept, rows(db, sql + " ORDER BY file.path", {"tree": tree, "scope": scope} if scope else {"tree": tree}))


def known(db: Connection, path: str, cut_by: str) -> list[str]:
    """Returns the hashes of those contents of a path that were cut in a certain way, but for those that were left out."""
    sql = "SELECT hash FROM artifact WHERE path = ? AND cut_by = ? AND skipped = ''"
    return [name for (name,) in rows(db, sql, (path, cut_by))]


def artifact(db: Connection, path: str, name: str) -> tuple[int, str] | None:
    """Returns number and `cut_by` of a content of a path."""
    found = rows(db, "SELECT n, cut_by FROM artifact WHERE path = ? AND hash = ?", (path, name))
    return found[0] if found else None


def save_artifact(db: Connection, path: str, name: str, language: str, cut_by: str, skipped: str) -> int:
    """Adds a content of a path, or changes how it was cut. Returns its number."""
    sql = """
        INSERT INTO artifact(path, hash, language, cut_by, skipped) VALUES (?, ?, ?, ?, ?)
        ON CONFLICT(path, hash) DO UPDATE SET language = excluded.language, cut_by = excluded.cut_by, skipped = excluded.skipped
        RETURNING n
    """
    return int(rows(db, sql, (path, name, language, cut_by, skipped))[0][0])


def stamp(db: Connection, tree: int, path: str) -> tuple[int, int, int] | None:
    """Returns artifact, size and mtime that are noted for a file of a tree."""
    found = rows(db, "SELECT artifact, size, mtime_ns FROM tree_file WHERE tree = ? AND path = ?", (tree, path))
    return found[0] if found else None


def hold(db: Connection, tree: int, path: str, stamp: tuple[int, int, int]) -> None:
    """Notes that a tree's file has a content, and its size and mtime."""
    sql = """
        INSERT INTO tree_file(tree, path, artifact, size, mtime_ns) VALUES (?, ?, ?, ?, ?)
        ON CONFLICT(tree, path) DO UPDATE SET artifact = excluded.artifact, size = excluded.size, mtime_ns = excluded.mtime_ns
    """
    rows(db, sql, (tree, path, *stamp))


def let_go(db: Connection, tree: int, path: str) -> None:
    """Notes that a tree no longer has a file."""
    rows(db, "DELETE FROM tree_file WHERE tree = ? AND path = ?", (tree, path))


def is_held(db: Connection, artifact: int) -> bool:
    """Tells whether some tree has this content."""
    return bool(rows(db, "SELECT 1 FROM tree_file WHERE artifact = ? LIMIT 1", (artifact,)))


def remove_artifact(db: Connection, artifact: int) -> None:
    """Takes a content out, whose chunks are gone."""
    rows(db, "DELETE FROM artifact WHERE n = ?", (artifact,))


def chunks_of(db: Connection, artifact: int) -> list[Held]:
    """Returns the chunks of a content in the order of their lines."""
    return many(Held, rows(db, "SELECT id, path, text, hidden, thread FROM chunk WHERE artifact = ? ORDER BY n", (artifact,)))


def forgotten(db: Connection) -> list[Held]:
    """Returns the forgotten chunks whose file went."""
    return many(Held, rows(db, "SELECT id, path, text, hidden, thread FROM chunk WHERE artifact = -1 AND hidden"))


def remove_chunks(db: Connection, artifact: int) -> None:
    """Takes the chunks of a content and their index entries out; those that are forgotten are kept aside."""
    rows(db, "UPDATE chunk SET artifact = -1 WHERE artifact = ? AND hidden", (artifact,))
    rows(db, _UNINDEX + "SELECT n FROM chunk WHERE artifact = ?)", (artifact,))
    rows(db, "DELETE FROM chunk WHERE artifact = ?", (artifact,))


def remove_chunk(db: Connection, chunk_id: str) -> None:
    """Takes one chunk and its index entry out."""
    rows(db, _UNINDEX + "SELECT n FROM chunk WHERE id = ?)", (chunk_id,))
    rows(db, "DELETE FROM chunk WHERE id = ?", (chunk_id,))


def remove_restored(db: Connection) -> None:
    """Takes out what was forgotten, lost its file, and was brought back: there is no file to show it from."""
    rows(db, _UNINDEX + "SELECT n FROM chunk WHERE artifact = -1 AND NOT hidden)")
    rows(db, "DELETE FROM chunk WHERE artifact = -1 AND NOT hidden")


def owner(db: Connection, chunk_id: str) -> int | None:
    """Returns which content a chunk is of, None where no chunk has this id."""
    found = rows(db, "SELECT artifact FROM chunk WHERE id = ?", (chunk_id,))
    return int(found[0][0]) if found else None


def add_chunks(db: Connection, chunks: Sequence[Sequence[object]]) -> None:
    """Adds chunks, given as the values of a `Chunk` without the number, and their index entries."""
    if not chunks:
        return
    ((last,),) = rows(db, "SELECT coalesce(max(n), 0) FROM chunk")
    db.executemany(_ADD, [(last + place, *chunk) for place, chunk in enumerate(chunks, 1)])
    rows(db, _INDEX, (last,))


def set_thread(db: Connection, artifact: int, thread: str) -> None:
    """Moves the chunks of a content to a thread."""
    rows(db, "UPDATE chunk SET thread = ? WHERE artifact = ? AND thread <> ?", (thread, artifact, thread))


def chunks_under(db: Connection, tree: int, scope: str, limit: int) -> Iterator[tuple[object, ...]]:
    """Returns path, first line, last line, id, symbol, kind, language, tokens, hidden of the chunks of a path and below."""
    sql = """
        SELECT file.path, first_line, last_line, id, symbol, kind, language, prompt_tokens, hidden
        FROM tree_file AS file JOIN artifact ON artifact.n = file.artifact JOIN chunk ON chunk.artifact = artifact.n
        WHERE file.tree = :tree AND
            (:scope = '' OR file.path = :scope OR (file.path > :scope || '/' AND file.path < :scope || '0'))
        ORDER BY file.path, first_line LIMIT :limit
    """
    return iter(rows(db, sql, {"tree": tree, "scope": scope, "limit": limit}))


def counts(db: Connection, tree: int) -> Counts:
    """Returns how much is kept of a tree, and since when."""
    sql = """
        SELECT (SELECT count(*) FROM tree_file JOIN artifact ON n = artifact WHERE tree = :tree AND skipped = ''),
               (SELECT count(*) FROM tree_file JOIN chunk USING (artifact) WHERE tree = :tree AND NOT hidden),
               ingested_at
        FROM tree WHERE n = :tree
    """
    found = rows(db, sql, {"tree": tree})
    return Counts(*found[0]) if found else Counts(0, 0, 0)


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
