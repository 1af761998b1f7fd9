"""What an unknown word of a question may have been meant to be, among the words that the store knows."""

from __future__ import annotations

from memcli.store import search

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from memcli.project import Project
    from memcli.store.db import Connection

LETTERS = "abcdefghijklmnopqrstuvwxyz"
MOST = 4  # corrections of one word
TWO_EDITS_FROM = 6  # letters; a shorter word is corrected by one edit
OTHER_START = 0.5  # what a different first letter adds to the distance: people rarely miss it
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
        most = 2 if len(word) >= TWO_EDITS_FROM else 1
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
        if nearest := closest(stem, search.vocabulary(db, table, start, len(stem) - most, len(stem) + most), most):
            return nearest
    return ()


def _other_start(db: Connection, stem: str, most: int) -> tuple[str, ...]:
    """Returns the nearest of those memories' words that have the stem's start but for its first letter."""
    put_in, swapped = stem[1:4], stem[1] + stem[0] + stem[2]
    changed, left_out = [letter + stem[1:3] for letter in LETTERS], [letter + stem[:2] for letter in LETTERS]
    known: dict[str, int] = {}
    for start in (put_in, swapped, *changed, *left_out):
        known.update(search.vocabulary(db, "memory", start, len(stem) - most, len(stem) + most))
    return closest(stem, known.items(), most)


def _other_ending(db: Connection, word: str, stem: str) -> tuple[str, ...]:
    """Returns the words one edit away whose stems are known: a slip can keep an ending from being taken off.

    `authenticatoin` is its own stem, which is far from `authent`, as `ctiviti` is from `activ`.
    """
    tries = edits(word, SHORTEST)
    for table, start in _starts(db, stem):
        known = dict(search.vocabulary(db, table, start, SHORTEST, len(word) + 1))
        words = {found: tried for tried, found in zip(tries, search.stems(db, tries)) if found in known}
        if words:
            return tuple([words[found] for found in sorted(words, key=lambda one: (-known[one], one))[:MOST]])
    like = set(tries)
    rest = [tried for tried in edits(word, 0) if tried not in like]
    held = search.known(db, rest)
    return tuple([tried for tried in rest if tried in held][:MOST])


def _surface(db: Connection, stem: str, typed: str) -> str:
    """Returns a word that has the stem, the nearest to what was typed: a stem itself may be stemmed further (`databas`)."""
    words = [stem + ending for ending in ENDINGS]
    if stem.endswith("i"):
        words.insert(0, stem[:-1] + "y")  # gatewai, gateway
    alike = [word for word, found in zip(words, search.stems(db, words)) if found == stem]
    return min(alike, key=lambda word: (distance(word, typed, 9), len(word)), default=stem)


def closest(word: str, known: Iterable[tuple[str, int]], most: int) -> tuple[str, ...]:
    """Returns the known words at the smallest distance from `word`, up to `most` edits, those in most rows first.

    `known` gives words with the number of rows that hold each. A word at distance 0 is its own and only correction.
    """
    found: list[tuple[float, int, str]] = []
    letters = set(word)
    for other, count in known:
        if len(letters ^ set(other)) > 2 * most:  # each edit takes one letter and gives one
            continue
        edits = distance(word, other, most)
        if edits <= most:
            found.append((edits + (OTHER_START if edits and other[0] != word[0] else 0), -count, other))
    found.sort()
    return tuple([other for edits, _, other in found if edits == found[0][0]][:MOST])


def distance(first: str, second: str, most: int) -> int:
    """Returns the optimal string alignment distance: letters put in, left out, changed, or swapped with the next one.

    Anything above `most` comes back as `most` + 1. Source: Damerau 1964, restricted to one edit of each substring.
    """
    if abs(len(first) - len(second)) > most:
        return most + 1
    older: list[int] = []
    old = list(range(len(second) + 1))
    for i, char in enumerate(first, 1):
        new = [i]
        for j, other in enumerate(second, 1):
            cost = min(old[j - 1] + (char != other), old[j] + 1, new[j - 1] + 1)
            if i > 1 and j > 1 and char == second[j - 2] and first[i - 2] == other:
                cost = min(cost, older[j - 2] + 1)
            new.append(cost)
        if min(new) > most:
            return most + 1
        older, old = old, new
    return min(old[-1], most + 1)


def edits(word: str, kept: int) -> list[str]:
    """Returns every word one edit away that begins with the same `kept` letters; letters put in are LETTERS."""
    found = []
    for place in range(kept, len(word) + 1):
        before, after = word[:place], word[place:]
        found += [before + letter + after for letter in LETTERS]
        if after:
            found += [before + after[1:], *[before + letter + after[1:] for letter in LETTERS if letter != after[0]]]
        if len(after) > 1:
            found.append(before + after[1] + after[0] + after[2:])
    return [other for other in dict.fromkeys(found) if other != word]
