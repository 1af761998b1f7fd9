"""What an unknown word of a question may be a misspelling of, among the words that the store knows."""

from __future__ import annotations

from memcli.recall import languages, near
from memcli.store import index_words, search
from memcli.text import analysis

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from memcli.project import Project
    from memcli.store import Connection

LETTERS = "abcdefghijklmnopqrstuvwxyz"
MOST = 4  # corrections of one word
TWO_EDITS_FROM = 6  # letters; a shorter word is corrected by one edit
LONG = 8  # letters from which on two edits may be any; in a shorter word not two changed letters
CHANGED = 2  # letters that a change takes and gives
OTHER_START = 0.5  # what a different first letter adds to the distance: people rarely miss it
# One of them turns nearly every stem back into a word that has it.
ENDINGS = ("", "e", "s", "y", "ed", "ing", "ion", "al", "ent", "er", "able", "ation", "ization")
# Rows of an index from which on words must share more letters at their start to be looked at: the walk stays some milliseconds.
FEW = {"memory": 20_000, "passage": 20_000, "chunk": 5_000}  # code has more words than prose
MANY = {"memory": 300_000, "passage": 300_000, "chunk": 50_000}
FOREIGN = 3  # unknown words, most of a question that has no English word, from which on it is in another language
CORRECTED_STEM, ENDING = 4, 2  # letters of a word in another language that stay, and of an ending
LONGEST = 64  # letters of a word that is completed; longer ones are data
SHORTEST = 3  # letters of a stem that has a start and a rest to compare


def corrections(project: Project, doubted: Sequence[str], terms: Sequence[str], text: str) -> dict[str, tuple[str, ...]]:
    """Returns, for each word that no store holds, the known ones nearest in spelling, best first; words without any are left out.

    `text`: the question as typed; `terms`: its words that are looked up. Where most are unknown and no word of English stands
    between them, it is in another language. Where none does, the commonest words of some others are not doubted, and in a
    question in one of those only another ending of the same word is taken.
    """
    is_foreign = languages.is_foreign(analysis.terms(text), text)
    is_english = not languages.ENGLISH.isdisjoint(text.lower().split())
    doubted = [word for word in doubted if is_english or word not in languages.COMMON]
    stores = [db for db in (project.db, project.user_db) if db is not None]
    stored = {word for db in stores for word in search.stored_terms(db, doubted)}
    unknown = [word for word in doubted if word not in stored]
    if len(unknown) >= FOREIGN and len(unknown) > len(terms) / 2 and not is_english:
        return {}
    corrected: dict[str, tuple[str, ...]] = {}
    for db in stores:
        for word, words in of_store(db, unknown).items():
            words = tuple([other for other in words if not is_foreign or _is_inflected(word, other)])
            corrected[word] = tuple(dict.fromkeys([*corrected.get(word, ()), *words]))
    if is_foreign:
        return {word: words for word, words in corrected.items() if words}
    return {word: words for word in unknown if (words := _in_english(project.db, word, corrected.get(word, ())))}


def completions(db: Connection, start: str) -> tuple[str, ...]:
    """Returns the stored words that begin with some letters, those of most rows first: at most MOST, and none for few letters.

    In a large store one letter begins too many words to look at. An index holds stems: `authenticat` is longer than `authent`.
    """
    for table, needed in _starts(db, start):
        if len(start) < len(needed) or not start.isalnum():
            continue
        counts = dict(index_words.vocabulary(db, table, start[: len(needed) or 1], 1, LONGEST))
        stems = [stem for stem in counts if stem.startswith(start) or (len(stem) >= SHORTEST and start.startswith(stem))]
        ordered = sorted(stems, key=lambda stem: (not stem.startswith(start), -counts[stem], stem))
        words = [index_words.as_written(db, _surface(db, stem, start)) for stem in ordered[:MOST]]
        if words := [word for word in words if word.startswith(start)]:
            return tuple(dict.fromkeys(words))
    return ()


def _is_inflected(word: str, other: str) -> bool:
    """Tells whether two words differ in their endings only: umlaute, umlauten."""
    short, long = sorted((word, other), key=len)
    return len(short) >= CORRECTED_STEM and long.startswith(short) and len(long) - len(short) <= ENDING


def _in_english(db: Connection, word: str, stored: Sequence[str]) -> tuple[str, ...]:
    """Returns the similar stored words that are one edit away, or another form of the word; else what it may be in English.

    A store may lack `wedding` itself and hold a word that is near it in meaning.
    """
    english = closest(word, [(other, 1) for other in near.beginning_with(word[0])], 1)
    stems = set(index_words.stems(db, english))
    pairs = zip(stored, index_words.stems(db, stored))
    close = [other for other, stem in pairs if stem in stems or distance(word, other, 1) <= 1]
    return tuple(close or english or stored)


def of_store(db: Connection, unknown: Sequence[str]) -> dict[str, tuple[str, ...]]:
    """Returns the corrections from one store.

    Looks among the words that start alike, in memories and then in chunks, then for another start, then for a slip in the ending.
    """
    corrected = {}
    for word, stem in zip(unknown, index_words.stems(db, unknown)):
        if len(stem) < SHORTEST or not stem.isascii() or not stem.isalpha():
            continue
        most = 2 if len(word) >= TWO_EDITS_FROM else 1
        alike = _alike(db, word, stem, most) or _other_start(db, stem, most)
        if nearest := [other for other in alike if _are_slips(stem, other) or _are_slips(word, other)]:
            candidates = _nearest_written([_surface(db, nearby, word) for nearby in nearest], word)
        else:
            candidates = list(_other_ending(db, word, stem))
        if candidates:
            corrected[word] = tuple(dict.fromkeys([index_words.as_written(db, candidate) for candidate in candidates]))
    return corrected


def _starts(db: Connection, stem: str) -> Iterator[tuple[str, str]]:
    """Yields each index with the prefix that its words must have to be considered."""
    for table in FEW:
        total = search.indexed(db, table)
        yield table, stem[: 1 if total <= FEW[table] else 2 if total <= MANY[table] else 3]


def _alike(db: Connection, word: str, stem: str, most: int) -> tuple[str, ...]:
    """Returns the stems with the same start that are nearest to the stem or to the word: a slip may look like another ending."""
    for table, start in _starts(db, stem):
        vocabulary = index_words.vocabulary(db, table, start, len(stem) - most, len(word) + most)
        if nearest := closest(stem, vocabulary, most, word):
            return nearest
    return ()


def _other_start(db: Connection, stem: str, most: int) -> tuple[str, ...]:
    """Returns the nearest words of memories that differ from the stem's start in the first letter only."""
    put_in, swapped = stem[1:4], stem[1] + stem[0] + stem[2]
    changed, left_out = [letter + stem[1:3] for letter in LETTERS], [letter + stem[:2] for letter in LETTERS]
    counts: dict[str, int] = {}
    for start in (put_in, swapped, *changed, *left_out):
        counts.update(index_words.vocabulary(db, "memory", start, len(stem) - most, len(stem) + most))
    return closest(stem, counts.items(), most)


def _other_ending(db: Connection, word: str, stem: str) -> tuple[str, ...]:
    """Returns the words one edit away whose stems are known: a slip can keep an ending from being taken off.

    `authenticatoin` is its own stem, which is far from `authent`, as `ctiviti` is from `activ`.
    """
    tries = edits(word, SHORTEST)
    stems = index_words.stems(db, tries)
    for table, start in _starts(db, stem):
        counts = dict(index_words.vocabulary(db, table, start, SHORTEST, len(word) + 1))
        word_of = {tried_stem: tried for tried, tried_stem in zip(tries, stems) if tried_stem in counts}
        if word_of:
            return tuple([word_of[tried_stem] for tried_stem in sorted(word_of, key=lambda stem: (-counts[stem], stem))[:MOST]])
    same_start = set(tries)
    of_other_start = [tried for tried in edits(word, 0) if tried not in same_start]
    stored = search.stored_terms(db, of_other_start)
    return tuple([tried for tried in of_other_start if tried in stored][:MOST])


def _surface(db: Connection, stem: str, typed: str) -> str:
    """Returns a word that has the stem, the nearest to what was typed: a stem itself may be stemmed further (`databas`)."""
    words = [stem + ending for ending in ENDINGS]
    if stem.endswith("i"):
        words.insert(0, stem[:-1] + "y")  # gatewai, gateway
    alike = [word for word, word_stem in zip(words, index_words.stems(db, words)) if word_stem == stem]
    return min(alike, key=lambda word: (distance(word, typed, 9), len(word)), default=stem)


def _nearest_written(words: Sequence[str], typed: str) -> list[str]:
    """Returns the words nearest to what was typed, each with its best ending."""
    far = [distance(word, typed, len(typed)) for word in words]
    return [word for word, edits in zip(words, far) if edits == min(far)]


def closest(word: str, vocabulary: Iterable[tuple[str, int]], most: int, whole: str = "") -> tuple[str, ...]:
    """Returns the words of a vocabulary at the smallest distance from `word`, up to `most` edits, the most frequent first.

    `vocabulary`: words with the number of rows that hold each. A word at distance 0 is its own and only correction. `whole`: the
    word of which `word` is the stem, where a word may be near to either.
    """
    nearest: list[tuple[float, int, str]] = []
    forms = [(form, set(form)) for form in dict.fromkeys([word, whole or word])]
    for other, count in vocabulary:
        edits = most + 1
        for form, letters in forms:
            if len(letters ^ set(other)) <= 2 * most:  # each edit takes one letter and gives one
                edits = min(edits, distance(form, other, most))
        if edits <= most:
            nearest.append((edits + (OTHER_START if edits and other[0] != word[0] else 0), -count, other))
    nearest.sort()
    return tuple([other for edits, _, other in nearest if edits == nearest[0][0]][:MOST])


def _are_slips(typed: str, other: str) -> bool:
    """Tells whether one word may be a slip for another. Two changed letters make another word: ingress and increase.

    In a long word they may be; elsewhere one of two edits swaps, adds or leaves out letters.
    """
    changed = sum([abs(typed.count(letter) - other.count(letter)) for letter in {*typed, *other}])
    return len(typed) >= LONG or changed < 2 * CHANGED or distance(typed, other, 1) <= 1


def distance(first: str, second: str, most: int) -> int:
    """Returns the optimal string alignment distance: letters inserted, deleted, changed, or swapped with the next one.

    Anything above `most` is returned as `most` + 1. Source: Damerau 1964, restricted to one edit of each substring.
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


def edits(word: str, prefix: int) -> list[str]:
    """Returns every word one edit away that has the same first `prefix` letters; inserted letters are LETTERS."""
    words = []
    for index in range(prefix, len(word) + 1):
        before, after = word[:index], word[index:]
        words += [before + letter + after for letter in LETTERS]
        if after:
            words += [before + after[1:], *[before + letter + after[1:] for letter in LETTERS if letter != after[0]]]
        if len(after) > 1:
            words.append(before + after[1] + after[0] + after[2:])
    return [other for other in dict.fromkeys(words) if other != word]
