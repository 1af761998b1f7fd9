"""What is made of memcli/screening/evidence.txt: concepts.py, which loads in a fraction of the time.

A line of concepts names one and lists its entries: words, beginnings of words (`instruc*`) and phrases. Every entry is read as a
text is (evidence.py): compatible letters as one, small, without apostrophes. What has signs is looked for as it stands, and so is
what is of a script that parts no words; other phrases are whole words, and their last may be a beginning.
"""

from __future__ import annotations

import sys
import unicodedata
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).resolve().parent.parent
EVIDENCE = ROOT / "memcli/screening/evidence.txt"
HEAD = '''"""The tables of evidence.txt, as evidence.py uses them. Made by scripts/docs.

A table maps keys to lines of entries, each with its concepts as bits, which are read when a text needs them. WORDS: by the
first two letters. PHRASES: by a word of each. SIGNS: what is looked for as it stands, by a character of each. LINES: a weight,
and chains of concepts. NEEDING: a concept -> the lines that it may make true.
"""

# fmt: off
# ruff: noqa
'''
UNSPACED = "\u0e00"  # letters from here on are of scripts that part no words


class Link(NamedTuple):
    """A place in a chain: the concepts that may stand there, whether they begin a clause, whether they follow at once."""

    concepts: int
    begins: bool
    at_once: bool


class Evidence(NamedTuple):
    """A line of evidence: its weight, and the chains of concepts that all stand in a sentence."""

    weight: int
    chains: list[list[Link]]

    @property
    def links(self) -> list[int]:
        return [link.concepts for chain in self.chains for link in chain]


def concepts_text() -> str:
    """Returns memcli/screening/concepts.py: what of a text to look for, by tables, and the evidence."""
    bits, entries, evidence = read()
    tables: dict[str, dict[str, dict[str, int]]] = {"WORDS": {}, "PHRASES": {}, "SIGNS": {}}
    for entry in sorted(entries):
        table = kind(entry)
        tables[table].setdefault(KEYS[table](entry), {})[entry.rstrip("*") if table == "SIGNS" else entry] = entries[entry]
    uses = {bit: sum(link & bit > 0 for line in evidence for link in line.links) for bit in bits}
    needing: dict[int, list[int]] = {}
    for number, line in enumerate(evidence):
        for bit in [bit for bit in bits if rarest(line, uses) & bit]:
            needing.setdefault(bit, []).append(number)
    lines = ["\t".join([str(line.weight), *map(written, line.chains)]) for line in evidence]
    values = {
        **{name: {key: listed(of_key) for key, of_key in table.items()} for name, table in tables.items()},
        "LINES": tuple(lines),
        "NEEDING": {bit: tuple(of_bit) for bit, of_bit in needing.items()},
    }
    return HEAD + "".join([f"{name} = {value!r}\n" for name, value in values.items()])


def listed(entries: dict[str, int]) -> str:
    return "\t".join([f"{entry} {concepts:x}" for entry, concepts in entries.items()])


def rarest(line: Evidence, uses: dict[int, int]) -> int:
    """Returns the link of a line that fewest others need: where none of its concepts is, the line cannot stand."""
    return min(line.links, key=lambda link: sum(uses[bit] for bit in uses if link & bit))


def read() -> tuple[list[int], dict[str, int], list[Evidence]]:
    """Returns the bits of all concepts, the entries with their concepts, and the evidence."""
    bits: dict[str, int] = {}
    entries: dict[str, int] = {}
    evidence = []
    for line in EVIDENCE.read_text(encoding="utf-8").split("\n"):
        name, equals, words = line.partition(" = ")
        if equals:
            bits[name] = 1 << len(bits)
            for word in words.split(", "):
                entry = unicodedata.normalize("NFKC", word).lower().replace("’", "").replace("'", "")
                entries[entry] = entries.get(entry, 0) | bits[name]
        elif line and line[0] not in "#[":
            evidence.append(parsed(line, bits))
    return list(bits.values()), {entry: concepts | of_words(entry, entries) for entry, concepts in entries.items()}, evidence


def of_words(entry: str, entries: dict[str, int]) -> int:
    """Returns the concepts of the words of a phrase: what is more than its words is still these.

    Where words are not parted, any entry that a longer one contains is a word of it.
    """
    concepts = 0
    for start in range(len(entry)) if entry[0] >= UNSPACED else ():
        for end in range(start + 1, len(entry) + 1):
            concepts |= entries.get(entry[start:end], 0)
    for word in entry.split() if kind(entry) == "PHRASES" else ():
        concepts |= entries.get(word, 0)
        for end in range(2, len(word) + 1):
            concepts |= entries.get(f"{word[:end]}*", 0)
    return concepts


def parsed(line: str, bits: dict[str, int]) -> Evidence:
    weight, _, chains = line.partition(" ")
    return Evidence(
        int(weight),
        [
            [
                Link(sum({bits[name] for name in link.strip("^+()").split()}), link.startswith("^"), link.startswith("+"))
                for link in chain.replace(" + ", " > +").split(" > ")
            ]
            for chain in chains.split(" & ")
        ],
    )


def written(chain: list[Link]) -> str:
    return " ".join([f"{'^' * link.begins}{'+' * link.at_once}{link.concepts:x}" for link in chain])


def kind(entry: str) -> str:
    """Returns the table of an entry; SIGNS: what is looked for as it stands, with signs or of a script that parts no words."""
    plain = entry.rstrip("*")
    if max(plain) >= UNSPACED:
        return "SIGNS"
    if plain.replace("_", "").replace("-", "").isalnum():
        return "WORDS"
    return "PHRASES" if all(word.replace("_", "").replace("-", "").isalnum() for word in plain.split()) else "SIGNS"


def uncommon(sign: str) -> str:
    """Returns the first character that a text without this sign seldom has."""
    return next((char for char in sign if not char.isascii() or not (char.isalnum() or char == " ")), sign[0])


def longest(phrase: str) -> str:
    """Returns the longest of the whole words of a phrase."""
    return max([word for word in phrase.split() if word[-1] != "*"], key=len)


KEYS = {"WORDS": lambda entry: entry[:2], "PHRASES": longest, "SIGNS": uncommon}


if __name__ == "__main__":
    (ROOT / "memcli/screening/concepts.py").write_text(concepts_text(), encoding="utf-8")
    sys.stdout.write("memcli/screening/concepts.py\n")
