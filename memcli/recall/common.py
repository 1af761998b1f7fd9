"""The common words of a question in a large store.

To score every row that holds one would cost more than all else. So they are looked for in the text of a few rows: the best that
rare words found, and the newest that hold several common ones. What they count for there is bm25, as if SQLite had scored them.
"""

from __future__ import annotations

from memcli.recall.candidates import Part, idf_of, sharpened, weights_of
from memcli.store import search

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Container, Iterator, Mapping, Sequence

    from memcli.config import Config
    from memcli.recall.candidates import Asked, Matches, Scores
    from memcli.store.db import Connection
    from memcli.store.search import Filter

BEST = 96  # rows that rare words found, whose text is read
SEVERAL = 64  # newest rows with several common words, whose text is read, too
TOGETHER = 4  # common words that are looked for together, the rarest
K1, B = 1.2, 0.75  # as in SQLite's bm25 (fts5_aux.c)
COUNTED = 8  # common words that are counted, the rarest


def worth_reading(
    db: Connection, table: str, asked: Asked, counts: Mapping[str, int], only: Filter | None, found: Matches
) -> list[int]:
    """Returns the numbers of the rows whose text is read. `counts`: of common words, rarest first, how many rows hold each."""
    best = sorted(found.scores, key=lambda n: (-found.scores[n], n))[:BEST]
    return best if asked.required else best + holding_several(db, table, list(counts), only)


def parts(
    db: Connection, table: str, asked: Asked, counts: Mapping[str, int], config: Config, numbers: Sequence[int]
) -> Iterator[Part]:
    """Yields what common words, and pairs with one, bring to some rows."""
    words = list(counts)[:COUNTED]
    pairs = [pair for pair in zip(asked.terms, asked.terms[1:]) if not counts.keys().isdisjoint(pair)]
    wanted = list({*words, *[word for pair in pairs for word in pair]})
    stem_of = dict(zip(wanted, search.stems(db, wanted)))
    shares = shares_in(db, table, numbers, weights_of(table, config), set(stem_of.values()))
    total = search.indexed(db, table)
    for word in words:
        idf = idf_of(total, counts[word])
        yield Part("words", idf, sharpened(idf), shares.get((stem_of[word],), {}), word)
    for first, second in pairs:
        idf = idf_of(total, min([counts[word] for word in (first, second) if word in counts]))
        weight = config["rank.pairs"] * sharpened(idf)
        yield Part("pairs", 0.0, weight, shares.get((stem_of[first], stem_of[second]), {}))


def holding_several(db: Connection, table: str, words: Sequence[str], only: Filter | None) -> list[int]:
    """Returns the newest rows that hold as many of the first words as still stand together often enough, and those with fewer."""
    numbers: list[int] = []
    for many in range(min(2, len(words)), min(len(words), TOGETHER) + 1):
        found = search.rows_with(db, table, search.all_of(words[:many]), SEVERAL, only)
        numbers += found
        if len(found) < SEVERAL:
            break
    return numbers


def shares_in(
    db: Connection, table: str, numbers: Sequence[int], weights: Sequence[float], wanted: Container[str]
) -> dict[tuple[str, ...], Scores]:
    """Returns what each stem, and each two side by side, count for in the rows that hold them: their bm25 without idf."""
    stems = search.stemmer(db)
    average = search.average_length(db, table)
    shares: dict[tuple[str, ...], Scores] = {}
    for n, *columns in search.texts(db, table, numbers):
        often: dict[tuple[str, ...], float] = {}
        length = 0
        for weight, text in zip(weights, columns):
            said = stems(text) if text else []
            length += len(said)
            before = ""
            for stem in said:
                if stem not in wanted:
                    before = ""
                    continue
                often[stem,] = often.get((stem,), 0.0) + weight
                if before:
                    often[before, stem] = often.get((before, stem), 0.0) + weight
                before = stem
        least = K1 * (1 - B + B * length / average)
        for key, f in often.items():
            shares.setdefault(key, {})[n] = f * (K1 + 1) / (f + least)
    return shares
