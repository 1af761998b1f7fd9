"""What an unknown word may have been meant to be: known words of nearly the same spelling."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

LETTERS = "abcdefghijklmnopqrstuvwxyz"
MOST = 4  # corrections of one word
TWO_EDITS_FROM = 6  # letters; a shorter word is corrected by one edit
OTHER_START = 0.5  # what a different first letter adds to the distance: people rarely miss it


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
