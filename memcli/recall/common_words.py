"""The common words of a question in a large store. Scoring every row that holds one would cost more than everything else.

So they are searched for in the text of a few rows: the best that rare words found, and the newest that hold several common words.
There they score as in bm25, as if SQLite had scored them.
"""

from __future__ import annotations

from memcli.store import index_words, search

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Container, Iterator, Mapping, Sequence

    from memcli.recall.candidates import Matches, ParsedQuery, Scores
    from memcli.store import Connection
    from memcli.store.search import Filter

BEST = 96  # rows that rare words found, whose text is read
SEVERAL = 64  # newest rows with several common words, whose text is read, too
TOGETHER = 4  # common words that are searched for together, the rarest
K1, B = 1.2, 0.75  # as in SQLite's bm25 (fts5_aux.c)
COUNTED = 8  # common words that are counted, the rarest


def rows_to_read(
    db: Connection, table: str, query: ParsedQuery, counts: Mapping[str, int], only: Filter | None, matches: Matches
) -> list[int]:
    """Returns the numbers of the rows whose text is read. `counts`: common words, rarest first, with how many rows hold each."""
    best = sorted(matches.scores, key=lambda n: (-matches.scores[n], n))[:BEST]
    if query.required:
        return best
    words = list(counts)
    written = _written_with_several(db, words, only) if table == "memory" and not best else []
    return best + _rows_with_several(db, table, words, only) + written


def _rows_with_several(db: Connection, table: str, words: Sequence[str], only: Filter | None) -> list[int]:
    """Returns the newest rows that hold as many of the first words as occur together often enough, then rows with fewer."""
    numbers: list[int] = []
    for count in range(min(2, len(words)), min(len(words), TOGETHER) + 1):
        rows = search.rows_with(db, table, search.all_of(words[:count]), SEVERAL, only)
        numbers += rows
        if len(rows) < SEVERAL:
            break
    return numbers


def _written_with_several(db: Connection, words: Sequence[str], only: Filter | None) -> list[int]:
    """Returns the newest rows that somebody wrote on purpose and that hold as many of the words as occur together.

    Among all rows, the newest would soon be only what hooks saw.
    """
    for count in range(min(len(words), TOGETHER), min(2, len(words)) - 1, -1):
        if numbers := search.written_rows_with(db, search.all_of(words[:count]), SEVERAL, only):
            return numbers
    return []


def scores(
    db: Connection, table: str, query: ParsedQuery, counts: Mapping[str, int], weights: Sequence[float], numbers: Sequence[int]
) -> Iterator[tuple[str, int, Scores, str]]:
    """Yields common words and pairs: feature, about how many rows hold it, bm25 of some rows without the idf, the word."""
    words = list(counts)[:COUNTED]
    pairs = [pair for pair in zip(query.terms, query.terms[1:]) if not counts.keys().isdisjoint(pair)]
    all_words = list({*words, *[word for pair in pairs for word in pair]})
    stem_of = dict(zip(all_words, index_words.stems(db, all_words)))
    bm25 = bm25_without_idf(db, table, numbers, weights, set(stem_of.values()))
    for word in words:
        yield "words", counts[word], bm25.get((stem_of[word],), {}), word
    for first, second in pairs:
        rarest = min([counts[word] for word in (first, second) if word in counts])
        yield "pairs", rarest, bm25.get((stem_of[first], stem_of[second]), {}), ""


def bm25_without_idf(
    db: Connection, table: str, numbers: Sequence[int], weights: Sequence[float], stems: Container[str]
) -> dict[tuple[str, ...], Scores]:
    """Returns, for each stem and each adjacent pair of stems, the rows that hold them, with their bm25 without the idf."""
    stemmed = search.stemmer(db)
    average = search.average_length(db, table)
    bm25: dict[tuple[str, ...], Scores] = {}
    for n, *columns in search.texts(db, table, numbers):
        frequencies: dict[tuple[str, ...], float] = {}
        length = 0
        for weight, text in zip(weights, columns):
            words = stemmed(text) if text else []
            length += len(words)
            previous = ""
            for stem in words:
                if stem not in stems:
                    previous = ""
                    continue
                frequencies[stem,] = frequencies.get((stem,), 0.0) + weight
                if previous:
                    frequencies[previous, stem] = frequencies.get((previous, stem), 0.0) + weight
                previous = stem
        saturation = K1 * (1 - B + B * length / average)
        for key, frequency in frequencies.items():
            bm25.setdefault(key, {})[n] = frequency * (K1 + 1) / (frequency + saturation)
    return bm25
