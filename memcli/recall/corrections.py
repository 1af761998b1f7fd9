"""What an unknown word of a question may have been meant to be, among the words that the store knows."""

from __future__ import annotations

from memcli.store import search
from memcli.text import spelling

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from memcli.project import Project
    from memcli.store.db import Connection

ENDINGS = ("", "e", "s", "y", "ed", "ing", "ion", "al")  # one of them turns nearly every stem back into a word that has it
# Rows of an index from which on words must share more letters at their start to be looked at: the walk stays some milliseconds.
FEW, MANY = {"memory": 20_000, "chunk": 5_000}, {"memory": 300_000, "chunk": 50_000}  # code has more words than prose
SHORTEST = 3  # letters of a stem that has a start and a rest to compare


def corrections(project: Project, doubted: Sequence[str]) -> dict[str, tuple[str, ...]]:
    """Returns for each word that no store holds the known ones nearest in spelling, best first; left out where there is none."""
    stores = [db for db in (project.db, project.user_db) if db is not None]
    known = {word for db in stores for word in search.known(db, doubted)}
    unknown = [word for word in doubted if word not in known]
    found: dict[str, tuple[str, ...]] = {}
    for db in stores:
        for word, words in of_store(db, unknown).items():
            found[word] = tuple(dict.fromkeys([*found.get(word, ()), *words]))
    return found


def of_store(db: Connection, unknown: Sequence[str]) -> dict[str, tuple[str, ...]]:
    """Returns the same of one store.

    Looks among the words that start alike, in memories and then in chunks, then for another start, then for a slip in the ending.
    """
    found = {}
    for word, stem in zip(unknown, search.stems(db, unknown)):
        if len(stem) < SHORTEST or not stem.isascii() or not stem.isalpha():
            continue
        most = 2 if len(word) >= spelling.TWO_EDITS_FROM else 1
        if nearest := _alike(db, stem, most) or _other_start(db, stem, most):
            meant = [_surface(db, one, word) for one in nearest]
        else:
            meant = list(_other_ending(db, word, stem))
        if meant:
            found[word] = tuple(dict.fromkeys([search.as_written(db, one) for one in meant]))
    return found


def _starts(db: Connection, stem: str) -> Iterator[tuple[str, str]]:
    """Yields each index with the letters that a word in it must begin with to be looked at."""
    for table in ("memory", "chunk"):
        total = search.indexed(db, table)
        yield table, stem[: 1 if total <= FEW[table] else 2 if total <= MANY[table] else 3]


def _alike(db: Connection, stem: str, most: int) -> tuple[str, ...]:
    for table, start in _starts(db, stem):
        if nearest := spelling.closest(stem, search.vocabulary(db, table, start, len(stem) - most, len(stem) + most), most):
            return nearest
    return ()


def _other_start(db: Connection, stem: str, most: int) -> tuple[str, ...]:
    """Returns the nearest of those memories' words that have the stem's start but for its first letter."""
    put_in, swapped = stem[1:4], stem[1] + stem[0] + stem[2]
    changed, left_out = [letter + stem[1:3] for letter in spelling.LETTERS], [letter + stem[:2] for letter in spelling.LETTERS]
    known: dict[str, int] = {}
    for start in (put_in, swapped, *changed, *left_out):
        known.update(search.vocabulary(db, "memory", start, len(stem) - most, len(stem) + most))
    return spelling.closest(stem, known.items(), most)


def _other_ending(db: Connection, word: str, stem: str) -> tuple[str, ...]:
    """Returns the words one edit away whose stems are known: a slip can keep an ending from being taken off.

    `authenticatoin` is its own stem, which is far from `authent`, as `ctiviti` is from `activ`.
    """
    tries = spelling.edits(word, SHORTEST)
    for table, start in _starts(db, stem):
        known = dict(search.vocabulary(db, table, start, SHORTEST, len(word) + 1))
        words = {found: tried for tried, found in zip(tries, search.stems(db, tries)) if found in known}
        if words:
            return tuple([words[found] for found in sorted(words, key=lambda one: (-known[one], one))[: spelling.MOST]])
    like = set(tries)
    rest = [tried for tried in spelling.edits(word, 0) if tried not in like]
    held = search.known(db, rest)
    return tuple([tried for tried in rest if tried in held][: spelling.MOST])


def _surface(db: Connection, stem: str, typed: str) -> str:
    """Returns a word that has the stem, the nearest to what was typed: a stem itself may be stemmed further (`databas`)."""
    words = [stem + ending for ending in ENDINGS]
    if stem.endswith("i"):
        words.insert(0, stem[:-1] + "y")  # gatewai, gateway
    alike = [word for word, found in zip(words, search.stems(db, words)) if found == stem]
    return min(alike, key=lambda word: (spelling.distance(word, typed, 9), len(word)), default=stem)
