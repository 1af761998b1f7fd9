"""Chunks: pieces of the repository's own text, with the text index kept in step."""

from __future__ import annotations

from memcli.records import Record, many
from memcli.store import meta, rows, set_meta
from memcli.text import forms

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from apsw import Connection


class Chunk(Record):
    """A piece of the repository's own text with its place: lines `first_line` to `last_line` of `path`."""

    n: int
    id: str
    path: str
    first_line: int
    last_line: int
    symbol: str
    thread: str
    tags: str
    text: str
    words: str
    created_at: int
    suspicious: int
    shown_lines: int
    prompt_tokens: int
    xml_tokens: int
    artifact: int = 0  # 0: a text that was given without a file
    kind: str = ""  # what is defined there: function, class, section, …; empty where nothing is
    hidden: int = 0  # forgotten: kept, but in no index

    @property
    def place(self) -> str:
        """Its location: `src/a.py lines 3-9, name`."""
        return forms.chunk_place(self.path, self.first_line, self.last_line, self.symbol)

    def in_prompt(self, lines: Sequence[str]) -> tuple[str, str]:
        """Returns its form in a prompt, with some of its lines, as (up to its marks, the rest)."""
        return forms.chunk_prompt(self.id, self.place, lines)

    def in_xml(self, lines: Sequence[str]) -> tuple[str, str]:
        """Returns its form in XML, with some of its lines, as (up to its last attributes, the rest)."""
        return forms.chunk_xml(self.id, self.place, lines)


_COLUMNS = ", ".join(Chunk._fields)


def remove(db: Connection, chunk: Chunk) -> None:
    """Removes a chunk and its index entry, inside the caller's transaction."""
    if not chunk.hidden:
        _unindex(db, chunk)
    rows(db, "DELETE FROM chunk WHERE n = ?", (chunk.n,))


def hide(db: Connection, chunk: Chunk) -> None:
    """Removes a chunk from the index but keeps it, inside the caller's transaction."""
    if not chunk.hidden:
        _unindex(db, chunk)
        rows(db, "UPDATE chunk SET hidden = 1 WHERE n = ?", (chunk.n,))


_FORGOTTEN, _RESTORED = "forgotten_chunks", "restored_chunks"
_MOST_NOTES = 50  # of the last commands that hid chunks, or brought them back, so that undo can: chunks are not in the log
_WITH_OPERATIONS = "+"  # ends the note of a command that also changed what is in the log


def note_hidden(db: Connection, chunk_ids: Sequence[str], revision: int, with_operations: bool) -> None:
    """Records that a command hid chunks, inside the caller's transaction. `revision`: of the log after that command."""
    _add_note(db, _FORGOTTEN, f"{' '.join(chunk_ids)} {revision}{_WITH_OPERATIONS * with_operations}")


def note_restored(db: Connection, chunk_ids: Sequence[str], revision: int) -> None:
    """Records the chunks that a command restored while it also changed the log, inside its transaction. `revision`: its last."""
    _add_note(db, _RESTORED, f"{' '.join(chunk_ids)} {revision}")


def _add_note(db: Connection, key: str, note: str) -> None:
    """Appends a line to the notes under a key, and keeps the last ones."""
    set_meta(db, key, "\n".join([*(meta(db, key) or "").split("\n"), note][-_MOST_NOTES:]).strip())


def restored_by(db: Connection, revision: int) -> list[Chunk]:
    """Returns the chunks that the command with this last revision restored in addition to what is in the log."""
    notes = [line.split(" ") for line in (meta(db, _RESTORED) or "").split("\n")]
    return _by_ids(db, [chunk_id for *chunk_ids, last in notes if last == str(revision) for chunk_id in chunk_ids])


def last_hidden(db: Connection) -> tuple[list[Chunk], int, bool]:
    """Returns (the still hidden chunks of the last command that hid some, the revision then, whether it changed the log)."""
    for line in reversed((meta(db, _FORGOTTEN) or "").split("\n")):
        *chunk_ids, revision = line.split(" ")
        hidden = [chunk for chunk in _by_ids(db, chunk_ids) if chunk.hidden]
        if hidden and revision.rstrip(_WITH_OPERATIONS).isdigit():
            return hidden, int(revision.rstrip(_WITH_OPERATIONS)), revision.endswith(_WITH_OPERATIONS)
    return [], 0, False


def unhide(db: Connection, chunk: Chunk) -> None:
    """Restores a hidden chunk to the index, inside the caller's transaction."""
    if chunk.hidden:
        rows(db, "UPDATE chunk SET hidden = 0 WHERE n = ?", (chunk.n,))
        _index(db, chunk, chunk.n)


def _index(db: Connection, chunk: Chunk, number: int) -> None:
    values = (number, f"{chunk.path} {chunk.symbol}", chunk.text, chunk.tags, chunk.words)
    rows(db, "INSERT INTO chunk_fts(rowid, locator, text, tags, words) VALUES (?, ?, ?, ?, ?)", values)


def _unindex(db: Connection, chunk: Chunk) -> None:
    values = (chunk.n, f"{chunk.path} {chunk.symbol}", chunk.text, chunk.tags, chunk.words)
    rows(db, "INSERT INTO chunk_fts(chunk_fts, rowid, locator, text, tags, words) VALUES ('delete', ?, ?, ?, ?, ?)", values)


def by_prefix(db: Connection, prefix: str, limit: int) -> list[Chunk]:
    """Returns the chunks whose id starts with `prefix`, ordered by id."""
    return many(
        Chunk,
        rows(db, f"SELECT {_COLUMNS} FROM chunk WHERE id >= ? AND id < ? ORDER BY id LIMIT ?", (prefix, prefix + "~", limit)),
    )


def _by_ids(db: Connection, chunk_ids: Sequence[str]) -> list[Chunk]:
    """Returns those of some chunks that are still stored."""
    return [chunk for chunk_id in chunk_ids for chunk in by_prefix(db, chunk_id, 1) if chunk.id == chunk_id]


def by_numbers(db: Connection, numbers: Sequence[int]) -> dict[int, Chunk]:
    """Returns chunks by their row numbers."""
    marks = ", ".join("?" for _ in numbers)
    return {row[0]: Chunk(*row) for row in rows(db, f"SELECT {_COLUMNS} FROM chunk WHERE n IN ({marks})", numbers)}
