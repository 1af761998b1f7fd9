"""What an unknown word of a question may have been meant to be, among the words that the store knows."""

from __future__ import annotations

from memcli.store import search
from memcli.text import spelling

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from memcli.project import Project
    from memcli.store.db import Connection

LETTERS = "abcdefghijklmnopqrstuvwxyz"
ENDINGS = ("", "e", "s", "y", "ed", "ing", "ion", "al")  # one of them turns nearly every stem back into a word that has it
# Rows of an index from which on words must share more letters at their start to be looked at: the walk stays some milliseconds.
FEW, MANY = 20_000, 300_000


def corrections(project: Project, doubted: Sequence[str]) -> dict[str, tuple[str, ...]]:
    """Returns for each word that nothing holds the known ones nearest in spelling, best first; words without any are left out.

    Looks among the words that start alike, in memories and then in chunks, then among those that differ at the start.
    """
    db = project.db
    known = search.known(db, doubted)
    if project.user_db is not None:
        known |= search.known(project.user_db, doubted)
    unknown = [word for word in doubted if word not in known]
    found = {}
    for word, stem in zip(unknown, search.stems(db, unknown)):
        most = 2 if len(word) >= spelling.TWO_EDITS_FROM else 1
        for table, start in _places(db, stem):
            like = search.vocabulary(db, table, start, len(stem) - most, len(stem) + most)
            if nearest := spelling.closest(stem, like, most):
                found[word] = tuple([_surface(db, one, word) for one in nearest])
                break
    return found


def _places(db: Connection, stem: str) -> Iterator[tuple[str, str]]:
    """Yields indexes and beginnings of words to look at."""
    if not stem.isascii() or not stem.isalpha():
        return
    for table in ("memory", "chunk"):
        total = search.indexed(db, table)
        alike = 1 if total <= FEW else 2 if total <= MANY else 3
        yield table, stem[:alike]
    for letter in (stem[1], *LETTERS):  # swapped or put in at the start; changed or left out there
        yield "memory", letter + (stem[0] if letter == stem[1] else stem[1:3])
        yield "memory", letter + stem[:2]


def _surface(db: Connection, stem: str, typed: str) -> str:
    """Returns a word that has the stem, the nearest to what was typed: a stem itself may be stemmed further (`databas`)."""
    words = [stem + ending for ending in ENDINGS]
    alike = [word for word, found in zip(words, search.stems(db, words)) if found == stem]
    return min(alike, key=lambda word: (spelling.distance(word, typed, 9), len(word)), default=stem)
