"""Full-text matches, with bounded work whatever the size of the store.

A question is asked word by word, so that whoever ranks knows what each word brings. A common word would make SQLite score every
row that holds it, so words are taken rarest first until their postings reach a cap: the rare words of a question decide anyway,
and the cap bounds the work at a million rows as at a thousand. Where every word is common, the newest rows that hold one count.
"""

from __future__ import annotations

import apsw

from memcli.records import Record, many
from memcli.store import rows
from memcli.store.memories import OBSERVED, OF_ORIGIN

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence
    from typing import Any

    from apsw import Connection

    # Of memories kind, thread, origin, since, until (ms since 1970), session (its row); what is missing or None: any. Of chunks
    # the tree that holds them.
    Filter = dict[str, str | int | None]

FILTERS = ("kind", "thread", "origin", "since", "until", "session")
# Rows of an index in which every word is asked for; no more than that, the newest, are scored for one expression.
SMALL = {"memory": 3_000, "passage": 3_000, "chunk": 500}
# Rows of a larger one that are scored for one question, about 1 us each; of chunks a pack prints a handful.
MAX_POSTINGS = {"memory": 1_500, "passage": 1_500, "chunk": 500}
EXAMINED_CHUNKS = 3_000  # chunks with a word, the newest, of which those of one tree are picked out, about 1 us each
EXAMINED_MEMORIES = 4_000  # newest memories with some words that are searched for those that somebody wrote, about 0.3 us each
_COMMON = 200  # memories that hold a term, from which on it distinguishes as little as any
COUNTED_TERMS = 24  # terms whose postings are counted at a time
TIDY = 10_000  # rows of an index that is still merged at once


class Hit(Record):
    """A memory or a passage that matches, with what ranking needs of it."""

    n: int
    id: str
    title: str
    thread: str
    anchor: str | None
    created_at: int
    superseded_by: str | None
    pinned: int
    suspicious: int
    origin: str = ""
    kind: str = ""
    vector: bytes | None = None
    role: str = ""  # of a passage: what it states
    is_passage: int = 0  # 1 for a part of a prompt, an answer or a memory, whose row is in another table


OF_MEMORY = f"{', '.join(Hit._fields[:-2])}, '', 0"  # the columns of a hit


def quoted(*words: str) -> str:
    """Returns the FTS5 phrase of the words, whose content is text, never syntax."""
    return '"' + " ".join(words).replace('"', '""') + '"'


def any_of(terms: Iterable[str]) -> str:
    """Returns the FTS5 expression that matches any of the terms."""
    return " OR ".join([quoted(term) for term in terms])


def indexed(db: Connection, table: str) -> int:
    """Returns how many rows the index of `memory` or `chunk` holds, which is the size of the collection for FTS5.

    Counting them would cost a walk through the index.
    """
    return next(_averages(db, table), 0)


def average_length(db: Connection, table: str) -> float:
    """Returns the average number of words in a row of an index, at least 1."""
    count, *lengths = _averages(db, table)
    return max(1.0, sum(lengths) / count)


def _averages(db: Connection, table: str) -> Iterator[int]:
    """Yields the numbers of an index's averages record: its rows, then the words of each column in all of them; as varints."""
    blocks = rows(db, f"SELECT block FROM {table}_fts_data WHERE id = 1")
    number = 0
    for byte in blocks[0][0] if blocks else b"":
        number = number << 7 | byte & 0x7F
        if byte < 0x80:
            yield number
            number = 0


def scores(
    db: Connection, table: str, expression: str, weights: Sequence[float], only: Filter | None = None
) -> list[tuple[int, float]]:
    """Returns the newest rows that match an FTS5 expression, as (row number, bm25 with its sign turned: more is better).

    `weights` are bm25 column weights, in the order of the index's columns.
    """
    values = {"match": expression, "most": SMALL[table], **_named(weights)}
    if only is None:
        return rows(db, _SCORES[table], values)
    if table == "chunk":
        return rows(db, _OF_TREE, {**values, **only, "through": EXAMINED_CHUNKS})
    return rows(db, _FILTERED[table], {**values, **dict.fromkeys(FILTERS), **only})


def _named(weights: Sequence[float]) -> dict[str, float]:
    return {f"w{column}": weight for column, weight in enumerate(weights)}


def hits(db: Connection, table: str, numbers: Iterable[int]) -> list[Hit]:
    """Returns what ranking needs of some memories or passages, given by row number, unordered."""
    return many(Hit, rows(db, _HITS[table], (str(list(numbers)),)))


def links_among(db: Connection, ids: Sequence[str]) -> list[tuple[str, str]]:
    """Returns the links between memories that leave or reach some of them, given by id. Replacements are no such links."""
    marks = ", ".join("?" for _ in ids)
    kind = "rel NOT IN ('file', 'mention', 'supersedes')"
    sql = f"""
        SELECT from_id, to_id FROM memory_link WHERE from_id IN ({marks}) AND {kind}
        UNION SELECT from_id, to_id FROM memory_link WHERE to_id IN ({marks}) AND {kind}
    """
    return rows(db, sql, (*ids, *ids))


def chunks_of_tree(db: Connection, numbers: Iterable[int], only: Filter) -> set[int]:
    """Returns the row numbers of those chunks that a tree holds, or that were given without a file."""
    sql = f"SELECT value FROM json_each(:numbers) WHERE {_IN_TREE.format(rowid='value')}"
    return {n for (n,) in rows(db, sql, {**only, "numbers": str(list(numbers))})}


def rows_with(db: Connection, table: str, expression: str, limit: int, only: Filter | None = None, oldest: int = 0) -> list[int]:
    """Returns the numbers, from `oldest` on, of the newest rows that match an FTS5 expression. Nothing is scored.

    Of terms joined by AND the index skips from one row of the rarest to the next.
    """
    condition = ""
    values = {"match": expression, "oldest": oldest, "most": limit}
    if only is not None:
        condition = f"AND {(_IN_TREE if table == 'chunk' else PASSES[table]).format(rowid=f'{table}_fts.rowid')}"
        values |= only if table == "chunk" else {**dict.fromkeys(FILTERS), **only}
    sql = f"""
        SELECT rowid FROM {table}_fts WHERE {table}_fts MATCH :match AND rowid >= :oldest {condition}
        ORDER BY rowid DESC LIMIT :most
    """
    return [n for (n,) in rows(db, sql, values)]


def written_rows_with(db: Connection, expression: str, limit: int, only: Filter | None = None) -> list[int]:
    """Returns the numbers of the newest memories that match an FTS5 expression and that somebody wrote on purpose.

    Looks through the newest EXAMINED_MEMORIES rows that match; nowhere where nothing was observed.
    """
    if not rows(db, "SELECT 1 FROM memory WHERE session > 0 LIMIT 1"):
        return []
    values = {"match": expression, "most": limit, "through": EXAMINED_MEMORIES, **dict.fromkeys(FILTERS), **(only or {})}
    return [n for (n,) in rows(db, _WRITTEN, values)]


def written_among(db: Connection, numbers: Iterable[int]) -> set[int]:
    """Returns the numbers of those of some memories that somebody wrote on purpose."""
    sql = f"SELECT n FROM memory INDEXED BY memory_not_observed WHERE n IN (SELECT value FROM json_each(?)) AND {_ON_PURPOSE}"
    return {n for (n,) in rows(db, sql, (str(list(numbers)),))}


def texts(db: Connection, table: str, numbers: Iterable[int]) -> list[tuple[Any, ...]]:
    """Returns row number and indexed columns of some memories or passages, unordered."""
    return rows(
        db, f"SELECT n, {_INDEXED[table]} FROM {table} WHERE n IN (SELECT value FROM json_each(?))", (str(list(numbers)),)
    )


def all_of(terms: Iterable[str]) -> str:
    """Returns the FTS5 expression that matches all of the terms."""
    return " AND ".join([quoted(term) for term in terms])


def chunk_labels(db: Connection, numbers: Iterable[int]) -> list[tuple[int, str, str, int]]:
    """Returns row number, path and symbol of chunks, and whether they give orders to a model, unordered."""
    sql = "SELECT n, path, symbol, suspicious FROM chunk WHERE n IN (SELECT value FROM json_each(?))"
    return rows(db, sql, (str(list(numbers)),))


def rarest(db: Connection, table: str, terms: Sequence[str], only: Filter | None = None) -> tuple[list[str], dict[str, int]]:
    """Returns the rarest terms up to MAX_POSTINGS rows; all terms in a small store.

    Of the others that some row holds it tells, rarest first, about how many rows hold them. `only`: of chunks, the tree.
    """
    if not terms or indexed(db, table) <= SMALL[table]:
        return list(terms), {}
    cap = MAX_POSTINGS[table]
    longest = sorted(terms, key=lambda term: (-len(term), term))
    counted: list[tuple[int, int, str]] = []
    for start in range(0, len(longest), COUNTED_TERMS):  # of a pasted text the longest words; the rest where nothing holds those
        batch = longest[start : start + COUNTED_TERMS]
        counted = sorted(
            [(count, -len(term), term) for term, count in zip(batch, _postings(db, table, batch, cap, only)) if count]
        )
        if counted:
            break
    chosen: list[str] = []
    spent = 0
    for count, _, term in counted:
        spent += count
        if spent > cap:
            break
        chosen.append(term)
    return chosen, {term: count for count, _, term in counted[len(chosen) :]}


def distinctive(db: Connection, terms: Sequence[str], most: int) -> list[str]:
    """Returns the `most` rarest terms that some memory holds, in their own order; all terms if none is held."""
    counts = dict(zip(terms, _postings(db, "memory", terms, _COMMON)))
    rarest_terms = sorted([term for term in terms if counts[term]], key=lambda term: (counts[term], -len(term), term))[:most]
    return [term for term in terms if term in rarest_terms] or list(terms)


def stored_terms(db: Connection, terms: Sequence[str]) -> set[str]:
    """Returns the terms that a memory, a passage or a chunk holds."""
    indexed_terms: set[str] = set()
    for table in ("memory", "passage", "chunk"):
        remaining = [term for term in terms if term not in indexed_terms]
        indexed_terms.update([term for term, count in zip(remaining, _postings(db, table, remaining, 0)) if count])
    return indexed_terms


def _postings(db: Connection, table: str, terms: Sequence[str], cap: int, only: Filter | None = None) -> list[int]:
    """Returns how many rows hold each term; beyond the cap, how many would if it stood as often in all rows as in the oldest.

    Of chunks only those of a tree count. A word that more than EXAMINED_CHUNKS chunks hold is common in every tree.
    """
    if not terms:
        return []
    listed = '","'.join([quoted(term).replace("\\", "\\\\").replace('"', '\\"') for term in terms])
    values = {"most": cap + 1, "terms": f'["{listed}"]', "total": indexed(db, table)}
    if table == "chunk" and only is not None:
        counts = rows(db, _POSTINGS_OF_TREE, {**values, **only, "through": EXAMINED_CHUNKS})
        return [count if all_trees < EXAMINED_CHUNKS else cap + 1 for count, all_trees in counts]
    return [count for (count,) in rows(db, _POSTINGS[table], values)]


def tidy(db: Connection, table: str) -> None:
    """Merges the segments of an index into one if that takes milliseconds. For a larger index, FTS5 itself keeps them few.

    A word is looked up in every segment, and each write makes a new one: with six, twenty words take four times as long.
    """
    if indexed(db, table) <= TIDY:
        rows(db, f"INSERT INTO {table}_fts({table}_fts) VALUES ('optimize')")


def stemmer(db: Connection, *tokenizers: str) -> Callable[[str], list[str]]:
    """Returns a function from a text to its words as the index has them, in order.

    `tokenizers`: others than those of the index: `unicode61` for words that are not stemmed.
    """
    name, *more = tokenizers or ("porter", "unicode61")
    split: Any = db.fts5_tokenizer(name, more)

    def stems(text: str) -> list[str]:
        words: list[str] = split(text.encode(), apsw.FTS5_TOKENIZE_DOCUMENT, None, include_offsets=False, include_colocated=False)
        return words

    return stems


def placer(db: Connection) -> Callable[[str], list[tuple[int, int, str]]]:
    """Returns a function from a text to its words as the index has them, each with the UTF-8 bytes where it begins and ends."""
    split: Any = db.fts5_tokenizer("porter", ["unicode61"])

    def places(text: str) -> list[tuple[int, int, str]]:
        words: list[tuple[int, int, str]] = split(text.encode(), apsw.FTS5_TOKENIZE_DOCUMENT, None, include_colocated=False)
        return words

    return places


_INDEXED = {
    "memory": "title, summary, tags, entities, words",
    "passage": "heading, text, question, words",
    "chunk": "locator, text, tags, words",
}
_SCORED = {
    table: f"SELECT rowid, -bm25({table}_fts, {', '.join(f':w{n}' for n in range(columns.count(',') + 1))}) FROM {table}_fts"
    for table, columns in _INDEXED.items()
}
_NEWEST = "ORDER BY rowid DESC LIMIT :most"
_SCORES = {table: f"{scored} WHERE {table}_fts MATCH :match {_NEWEST}" for table, scored in _SCORED.items()}
_PASSES = """
    EXISTS (
      SELECT 1 FROM {table} AS wanted WHERE wanted.n = {rowid}
        AND (:kind IS NULL OR wanted.kind = :kind{or_role}) AND (:thread IS NULL OR wanted.thread = :thread)
        AND (:since IS NULL OR wanted.created_at >= :since) AND (:until IS NULL OR wanted.created_at < :until)
        AND (:session IS NULL OR wanted.session = :session) AND (:origin IS NULL OR {of_origin})
    )
"""
PASSES = {
    table: _PASSES.replace("{table}", table).replace("{of_origin}", OF_ORIGIN).replace("{or_role}", or_role)
    for table, or_role in (("memory", ""), ("passage", " OR wanted.role = :kind"))
}
_FILTERED = {
    table: f"{_SCORED[table]} WHERE {table}_fts MATCH :match AND {passes.format(rowid=f'{table}_fts.rowid')} {_NEWEST}"
    for table, passes in PASSES.items()
}
_ON_PURPOSE = f"forgotten = 0 AND origin NOT IN {OBSERVED}"
_WRITTEN = f"""
    SELECT n FROM (SELECT rowid AS n FROM memory_fts WHERE memory_fts MATCH :match ORDER BY rowid DESC LIMIT :through) AS held
    WHERE EXISTS (SELECT 1 FROM memory INDEXED BY memory_not_observed WHERE n = held.n AND {_ON_PURPOSE})
      AND {PASSES["memory"].format(rowid="held.n")}
    LIMIT :most
"""
_IN_TREE = """
    EXISTS (
      SELECT 1 FROM chunk AS piece INDEXED BY chunk_artifact WHERE piece.n = {rowid} AND (piece.artifact = 0 OR EXISTS (
        SELECT 1 FROM tree_file WHERE tree_file.artifact = piece.artifact AND tree_file.tree = :tree
      ))
    )
"""
_OF_TREE = f"""
    {_SCORED["chunk"]} WHERE chunk_fts MATCH :match AND {_IN_TREE.format(rowid="chunk_fts.rowid")} AND rowid >= (
      SELECT min(n) FROM (SELECT rowid AS n FROM chunk_fts WHERE chunk_fts MATCH :match ORDER BY rowid DESC LIMIT :through)
    ) {_NEWEST}
"""
_POSTINGS = {
    table: f"""
        SELECT (
            SELECT CASE WHEN count(*) < :most THEN count(*) ELSE max(:most, count(*) * :total / (max(n) - min(n) + 1)) END
            FROM (SELECT rowid AS n FROM {table}_fts WHERE {table}_fts MATCH asked.value LIMIT :most)
          )
        FROM json_each(:terms) AS asked
    """
    for table in _SCORES
}
_POSTINGS_OF_TREE = f"""
    SELECT (
        SELECT count(*) FROM (
          SELECT 1 FROM (
            SELECT rowid AS n FROM chunk_fts WHERE chunk_fts MATCH asked.value ORDER BY rowid DESC LIMIT :through
          ) AS held
          WHERE {_IN_TREE.format(rowid="held.n")} LIMIT :most
        )
      ), (
        SELECT count(*) FROM (SELECT 1 FROM chunk_fts WHERE chunk_fts MATCH asked.value LIMIT :through)
      )
    FROM json_each(:terms) AS asked
"""
_SHARED = "thread, anchor, created_at, superseded_by"
_OF_NUMBERS = "WHERE n IN (SELECT value FROM json_each(?))"
_HITS = {
    "memory": f"SELECT {OF_MEMORY} FROM memory {_OF_NUMBERS}",
    "passage": f"""
        SELECT n, id, CASE heading WHEN '' THEN text ELSE heading END, {_SHARED}, 0, suspicious, origin, kind, vector, role, 1
        FROM passage {_OF_NUMBERS}
    """,
}
_BEGIN, _END = "\ue000", "\ue001"  # of a private use; where a text holds one, at worst a word too many is named


def matched(db: Connection, n: int, terms: Sequence[str], required: str = "") -> list[str]:
    """Returns the words of memory `n` that match terms or an expression, as its text, tags and entities spell them."""
    expression = " OR ".join(filter(None, (any_of(terms), f"({required})" if required else "")))
    if not expression:
        return []
    marked = ", ".join(f"highlight(memory_fts, {column}, '{_BEGIN}', '{_END}')" for column in range(4))
    texts = rows(db, f"SELECT {marked} FROM memory_fts WHERE memory_fts MATCH ? AND rowid = ?", (expression, n))
    phrases = [end.partition(_END)[0] for text in (texts[0] if texts else ()) for end in (text or "").split(_BEGIN)[1:]]
    return sorted({word for phrase in phrases for word in phrase.split()})
