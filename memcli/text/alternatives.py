"""How one wish takes the place of another: it lifts it, says the contrary, or names another value of the same kind.

Such values are tabs or spaces, English or German, npm or pnpm, 100 or 120 characters.
"""

from __future__ import annotations

import re

from memcli.text import _cues

_SETS = (
    "tab tabs tabulator tabulatoren | space spaces leerzeichen espaces espacios",
    "single einfache simples | double doppelte doubles dobles",
    "english englisch englische anglais inglés | german deutsch deutsche allemand alemán | french französisch français francés | "
    "spanish spanisch espagnol español | italian italienisch italiano | portuguese | dutch | polish | japanese |"
    " chinese | russian",
    "npm | yarn | pnpm | bun",
    "pip | poetry | pipenv | conda | uv",
    "pytest | unittest | nose | tox | nox",
    "jest | vitest | mocha | jasmine",
    "maven | gradle",
    "camelcase camel | snake_case snake | kebab-case kebab | pascalcase",
    "rebase rebasing | merge merging | squash squashing",
    "docker | podman",
    "lf | crlf",
    "utc | local lokal lokale lokalzeit",
    "british | american",
)
_VALUES = {
    word: (number, place)
    for number, group in enumerate(_SETS)
    for place, value in enumerate(group.split("|"))
    for word in value.split()
}
_NUMBERS = -1  # the group of what has a digit in it
_WORD = re.compile(r"[\w-]+")

Values = dict[int, set[int | str]]  # by group


def read(text: str) -> tuple[Values, str]:
    """Returns (the values that a text names, the text without them)."""
    values: Values = {}
    remainder = []
    for word in _WORD.findall(text.lower()):
        if any(char.isdigit() for char in word):
            values.setdefault(_NUMBERS, set()).add(word)
        elif word in _VALUES:
            group, value = _VALUES[word]
            values.setdefault(group, set()).add(value)
        else:
            remainder.append(word)
    return values, " ".join(remainder)


def exclude(first: Values, second: Values) -> bool:
    """Tells whether the values of two texts exclude each other: of some group that both name, they share no value."""
    return any(first[group].isdisjoint(second[group]) for group in first.keys() & second.keys())


def are_counts(first: Values, second: Values) -> bool:
    """Tells whether at most the numbers of two texts differ: the count of one thing says nothing about another thing."""
    return not any(group != _NUMBERS and first[group].isdisjoint(second[group]) for group in first.keys() & second.keys())


def replaces(text: str, other: str) -> bool:
    """Tells whether an instruction can take the place of an earlier one on its subject: lifts it, or says the contrary."""
    return lifts(text) or forbids(text) != forbids(other)


def lifts(text: str) -> bool:
    """Tells whether an instruction says that an earlier one holds no more, or that something takes its place."""
    return bool(_cues.LIFTED.search(text))


def forbids(text: str) -> bool:
    """Tells whether an instruction rules something out."""
    return bool(_cues.FORBIDS.search(text))
