"""What is made of memcli/screening/orders.txt: signs.py, which loads in a fraction of the time that reading the text takes."""

from __future__ import annotations

import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
ORDERS = ROOT / "memcli/screening/orders.txt"
HEAD = '''"""The signs of orders.txt, as orders.py uses them. Made by scripts/docs.

NEAR, ORDER: the groups of a sign. NEAR_BY_WORD, ORDER_BY_WORD: a word of a sign's rarest group -> the numbers of the signs.
FOREIGN: the first letters of a verb -> its number, the verb, the number of its NOUNS. LITERAL: what is looked for as it stands.
"""

# fmt: off
# ruff: noqa
'''
UNSPACED = 0x0E00  # letters from here on are of scripts that part no words, or in which more than a beginning counts
# Words that most texts have: a sign is looked up by a group without them.
EVERYDAY = frozenset(
    """a all an and any are as at do every for i if in is it me no not of on or that the this to was what when with you
    your""".split()
)


def signs_text() -> str:
    """Returns memcli/screening/signs.py."""
    lines = read()
    near = [[group.split() for group in line.split("|")] for line in lines["near"]]
    order = [[group.split() for group in line.split(">")] for line in lines["order"]]
    foreign = [[group.split() for group in line.split("|")] for line in lines["foreign"]]
    by_beginning: dict[str, list[str]] = {}
    verbs = [(verb, number) for number, (verbs, _) in enumerate(foreign) for verb in verbs]
    for place, (verb, number) in enumerate(verbs):
        beginning = "" if ord(verb[0]) >= UNSPACED else verb.partition("_")[0][:3]
        by_beginning.setdefault(beginning, []).append(f"{place} {verb} {number}")
    values = {
        "NEAR": tuple(["|".join(map(" ".join, sign)) for sign in near]),
        "NEAR_BY_WORD": by_word(near),
        "ORDER": tuple(["|".join(map(" ".join, sign)) for sign in order]),
        "ORDER_BY_WORD": by_word(order),
        "FOREIGN": {beginning: "\t".join(entries) for beginning, entries in sorted(by_beginning.items())},
        "NOUNS": tuple([" ".join(nouns) for _, nouns in foreign]),
        "LITERAL": tuple([line.replace("\\n", "\n") for line in lines["literal"]]),
    }
    return HEAD + "".join([f"{name} = {value!r}\n" for name, value in values.items()])


def by_word(signs: list[list[list[str]]]) -> dict[str, str]:
    """Returns the signs of each word of the group by which they are looked up."""
    numbers: dict[str, list[int]] = {}
    for number, sign in enumerate(signs):
        for word in dict.fromkeys(next((group for group in sign if EVERYDAY.isdisjoint(group)), sign[0])):
            numbers.setdefault(word, []).append(number)
    return {word: " ".join(map(str, of_word)) for word, of_word in sorted(numbers.items())}


def read() -> dict[str, list[str]]:
    """Returns the lines of orders.txt by section, with the names of lists filled in."""
    sections: dict[str, list[str]] = {}
    for line in ORDERS.read_text(encoding="utf-8").split("\n"):
        if line.startswith("[") and line.endswith("]") and not sections.get("literal"):
            lines = sections.setdefault(line[1:-1].partition(":")[0], [])
        elif line and not line.startswith("# "):
            lines.append(line)
    lists: list[tuple[str, str]] = []
    for line in sections.pop("words"):
        name, _, words = filled(line, lists).partition(" = ")
        lists.append((f"<{name}>", words))
    return {name: [filled(line, lists) for line in lines] for name, lines in sections.items()}


def filled(line: str, lists: list[tuple[str, str]]) -> str:
    """Returns a line with lists in place of their names."""
    for name, words in lists if "<" in line else ():
        line = line.replace(name, words)
    return line


if __name__ == "__main__":
    (ROOT / "memcli/screening/signs.py").write_text(signs_text(), encoding="utf-8")
    sys.stdout.write("memcli/screening/signs.py\n")
