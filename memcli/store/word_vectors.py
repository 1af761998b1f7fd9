"""What words mean, as vectors of our own: what a question and a text have in common without a common word.

A text is the sum of the vectors of its pieces, at unit length. `scripts/train_vectors.py` makes the file; docs/retrieval.md says
of what, and what it brings.
"""

from __future__ import annotations

import os
from _operator import mul
from math import dist

from memcli.errors import MemError
from memcli.store import Error, immutable, rows
from memcli.text.analysis import parts, runs

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Container, Iterable

    from apsw import Connection

PATH = os.path.join(os.path.dirname(__file__), "word_vectors.db")
LENGTH = 400  # of the vector of a text; one byte a dimension, so that few are cut off at 127
_FROM_ZERO = bytes([byte ^ 0x80 for byte in range(256)])  # signed bytes moved to 0 to 255: distances stay
_WORDS = 100  # of a text, the first ones
_CHARS = 1_000  # that are looked at

# The pieces are those of BERT's uncased vocabulary (Wu et al., Google's Neural Machine Translation System, 2016, section 4.1).
INNER = "##"  # before a piece that does not begin a word
_LONGEST_WORD = 32  # characters of a word that are looked at

_sums: dict[str, int] = {}  # the vectors of the pieces of a word, added up, as one whole number (_number)
_db: Connection | None = None
_MOST_KEPT = 10_000  # words: 4 MB
_AT_ONCE = 2_000  # pieces in one question
_BYTES = 3  # of a dimension within such a number: no text has as many pieces as would fill them


def encode(text: str) -> bytes:
    """Returns the vector of a text, a signed byte for each dimension; empty for one without a word. Raises MemError."""
    words = words_of(text[:_CHARS], _WORDS)
    unread = [word for word in dict.fromkeys(words) if word not in _sums]
    if unread:
        if len(_sums) > _MOST_KEPT:
            _sums.clear()
            unread = list(dict.fromkeys(words))
        _sums.update(_added_up(unread))
    return _unit(_values(sum([_sums[word] for word in words])))


def _added_up(words: list[str]) -> dict[str, int]:
    """Returns the vectors of the pieces of each word, added up."""
    vectors = _read(words)
    unknown = [word for word in words if word not in vectors]
    if unknown:
        vectors |= _read(dict.fromkeys([piece for word in unknown for piece in _candidates(word)]))
    return {
        word: sum([_number(vectors[piece]) for piece in ([word] if word in vectors else split(word, vectors))]) for word in words
    }


def _number(vector: bytes) -> int:
    """Returns a vector as one whole number: its values, moved to 0 to 255, and a 1 that counts the vectors of a sum.

    C adds such numbers a hundred times faster than Python adds lists of values.
    """
    lanes = bytearray(_BYTES * len(vector) + _BYTES)
    lanes[:-_BYTES:_BYTES] = vector.translate(_FROM_ZERO)
    lanes[-_BYTES] = 1
    return int.from_bytes(lanes, "little")


def _values(total: int) -> list[int]:
    """Returns the values of a sum of vectors."""
    lanes = total.to_bytes((total.bit_length() + 7) // 8 + _BYTES, "little")
    width = (total.bit_length() - 1) // (8 * _BYTES) * _BYTES  # of all lanes but that of the count
    zero = 128 * int.from_bytes(lanes[width : width + _BYTES], "little")
    low, middle, high = [lanes[at:width:_BYTES] for at in range(_BYTES)]
    return [(first | second << 8 | third << 16) - zero for first, second, third in zip(low, middle, high)]


def similarities(vector: bytes, vectors: Iterable[bytes]) -> list[float]:
    """Returns the cosine of a text's vector with each of others; 0 for one that is none.

    The product follows from two lengths and a distance, all of them roots of whole numbers: C computes a distance in a quarter of
    the time that a product takes in Python.
    """
    point, origin = tuple(vector.translate(_FROM_ZERO)), (128,) * len(vector)
    length = dist(point, origin) ** 2
    cosines = []
    for other in vectors:
        end = tuple(other.translate(_FROM_ZERO))
        product = round(length + dist(end, origin) ** 2 - dist(point, end) ** 2) / 2 if len(end) == len(point) else 0.0
        cosines.append(product / LENGTH**2)
    return cosines


def words_of(text: str, most: int) -> list[str]:
    """Returns the first words of a text, in lower case, the parts of identifiers one by one."""
    words: list[str] = []
    for run in runs(text):
        pieces = [run] if run.islower() and run.isalpha() else parts(run)
        words += [piece.lower()[:_LONGEST_WORD] for piece in pieces]
        if len(words) >= most:
            break
    return words[:most]


def _candidates(word: str) -> list[str]:
    """Returns every piece that a word could be made of."""
    size = len(word)
    beginnings = [word[:end] for end in range(1, size + 1)]
    return beginnings + [INNER + word[start:end] for start in range(1, size) for end in range(start + 1, size + 1)]


def split(word: str, vocabulary: Container[str]) -> list[str]:
    """Returns the pieces of a word; a letter that begins none of the known ones is passed over."""
    pieces, start = [], 0
    while start < len(word):
        prefix = INNER if start else ""
        end = len(word)
        while end > start and prefix + word[start:end] not in vocabulary:
            end -= 1
        if end > start:
            pieces.append(prefix + word[start:end])
        start = max(end, start + 1)
    return pieces


# Spelt as the indexes of migration 0014 spell them: they are read instead of the tables.
_WITHOUT = {
    "memory": "SELECT n, title || ' ' || summary FROM memory INDEXED BY memory_without_vector "
    "WHERE n > 0 AND vector IS NULL AND origin NOT IN ('hook', 'api') LIMIT ?",
    "passage": "SELECT n, heading || ' ' || text FROM passage INDEXED BY passage_without_vector "
    "WHERE n > 0 AND vector IS NULL LIMIT ?",
}


def rows_without(db: Connection, limit: int) -> list[tuple[str, int, str]]:
    """Returns (table, row, text) of memories and passages that still lack their vector, up to `limit` of each."""
    return [(table, n, text) for table, sql in _WITHOUT.items() for n, text in rows(db, sql, (limit,))]


def set_vector(db: Connection, table: str, n: int, vector: bytes) -> None:
    """Writes the vector of a row that lacks it; one that was written anew meanwhile has a newer one."""
    rows(db, f"UPDATE {table} SET vector = ? WHERE n = ? AND vector IS NULL", (vector, n))


def _unit(sums: list[int]) -> bytes:
    """Returns a vector with these directions, of length LENGTH; empty for zeros."""
    norm = sum(map(mul, sums, sums)) ** 0.5
    if not norm:
        return b""
    values = [round(value * LENGTH / norm) for value in sums]
    if max(values) > 127 or min(values) < -127:
        values = [value if -127 <= value <= 127 else 127 if value > 0 else -127 for value in values]
    return bytes([value & 255 for value in values])


def _read(pieces: Iterable[str]) -> dict[str, bytes]:
    """Returns the vectors of those pieces that have one."""
    global _db
    vectors: dict[str, bytes] = {}
    unread = list(pieces)
    for start in range(0, len(unread), _AT_ONCE):
        batch = unread[start : start + _AT_ONCE]
        try:
            _db = _db or immutable(PATH)
            marks = ", ".join("?" for _ in batch)
            vectors.update(rows(_db, f"SELECT piece, vector FROM word_piece WHERE piece IN ({marks})", batch))
        except Error as error:
            problem = f"the word vectors {PATH} cannot be read: {error}"
            raise MemError(problem, "reinstall memcli", "damaged_installation") from error
    return vectors
