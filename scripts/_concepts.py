"""What is made of memcli/screening/evidence.txt: concepts.txt, which evidence.py reads in a fraction of the time.

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
    """Returns memcli/screening/concepts.txt: what of a text to look for, by tables, and the evidence."""
    bits, entries, evidence = read()
    tables: dict[str, list[str]] = {"WORDS": [], "BEGINNINGS": [], "SIGNS": [], "UNSPACED": [], "PHRASES": []}
    for entry in sorted(entries, key=lambda entry: (-len(entry), entry)):
        tables[kind(entry)].append(entry)
    uses = {bit: sum(link & bit > 0 for line in evidence for link in line.links) for bit in bits}
    lines = ["\t".join([str(line.weight), f"{rarest(line, uses):x}", *map(written, line.chains)]) + "\n" for line in evidence]
    by_word: dict[str, list[str]] = {}
    for phrase in tables["PHRASES"]:
        by_word.setdefault(max([word for word in phrase.split() if word[-1] != "*"], key=len), []).append(phrase)
    phrases = ["\t".join([word, *by_word[word]]) + "\n" for word in sorted(by_word)]
    return "\n".join([*[rows(table, entries) for table in tables.values()], "".join(phrases), "".join(lines)])


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
    """Returns the concepts of the words of a phrase: what is more than its words is still these."""
    concepts = 0
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
    """Returns the table of an entry."""
    plain = entry.rstrip("*")
    if max(plain) >= UNSPACED:
        return "UNSPACED"
    if plain.replace("_", "").replace("-", "").isalnum():
        return "BEGINNINGS" if plain != entry else "WORDS"
    return "PHRASES" if all(word.replace("_", "").replace("-", "").isalnum() for word in plain.split()) else "SIGNS"


def rows(table: list[str], entries: dict[str, int]) -> str:
    """Returns a table: the concepts of each line, and its entries."""
    by_concepts: dict[int, list[str]] = {}
    for entry in table:
        as_written = entry if kind(entry) == "PHRASES" else entry.rstrip("*")
        by_concepts.setdefault(entries[entry], []).append(as_written)
    return "".join([f"{concepts:x}\t" + "\t".join(words) + "\n" for concepts, words in by_concepts.items()])


if __name__ == "__main__":
    (ROOT / "memcli/screening/concepts.txt").write_text(concepts_text(), encoding="utf-8")
    sys.stdout.write("memcli/screening/concepts.txt\n")
