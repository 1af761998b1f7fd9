"""Whether a text as a whole reads like an order to a model: a logistic regression over the words of its sentences.

What counts of a sentence are its words, their beginnings, and pairs of words that follow each other or nearly do, signs and both
ends of the sentence among them. `classifier.bin` has a weight for each that says something; scripts/train_orders.py makes it.
A text counts as much as its strongest sentence, or two that follow each other, so that a long one adds up to nothing.
"""

from __future__ import annotations

import os
from zlib import crc32

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

PATH = os.path.join(os.path.dirname(__file__), "classifier.bin")
SLOTS = 1 << 16  # of the table: a byte that tells features apart, and one of weight
UNIT = 20  # weights and odds are in twentieths of the natural logarithm
ZERO = 128  # the byte of no weight
ENOUGH = 20  # the odds from which on a text reads like an order

_WORTH_PAIRS = -60  # what words must weigh for their pairs to be looked at: for most sentences it ends here
_LONGEST = 60  # words and signs of a sentence; what goes on is another
_STEM = 5  # letters of the beginning of a word
_UNSPACED = "\u0e00"  # letters from here on are of scripts that part no words: each is a word
_FIRST, _LAST, _END = "\x01", "\x02", "\x03"  # of a sentence, and between two
_KEPT = 20_000  # words that are remembered
_NEXT, _SECOND = 0x9E3779B1, 0x85EBCA6B  # odd numbers that tell pairs of neighbours from others
_MASK = 0xFFFFFFFF
_SIGNS = '.,:;!?()[]{}<>`"#*=$/|-@'
_ENDS = ("\n", ". ", "! ", "? ", "。", "！", "？")

_table: list[bytes] = []  # what tells features apart, their weights, the weight of every text


class _Parted(dict[int, str]):
    """What stands for a character when words are parted."""

    def __missing__(self, code: int) -> str:
        char = chr(code)
        is_apart = char in _SIGNS or (char >= _UNSPACED and char.isalnum())
        self[code] = part = f" {char} " if is_apart else char if char.isalnum() or char == _END else " "
        return part


_PARTED = _Parted({ord("'"): "", ord("’"): ""})


class _Weights(dict[str, int]):
    """What a word or sign weighs by itself; looked up when it is met first."""

    def __missing__(self, word: str) -> int:
        own, beginning, _ = numbers(word)
        weight = self[word] = _sum([own, beginning])
        return weight


_weights = _Weights()


def is_order(text: str) -> bool:
    """Tells whether a text in small letters reads like an order."""
    return log_odds(text) >= ENOUGH


def log_odds(text: str) -> int:
    """Returns the logarithm of the odds that a text in small letters is an order, in parts of UNIT."""
    constant = (_table or _read())[2][0]
    sums = [_weight(words) for words in sentences(text)]
    return max([*sums, *[first + second for first, second in zip(sums, sums[1:])]], default=-ENOUGH) - constant


def _read() -> list[bytes]:
    with open(PATH, "rb") as file:
        _table[:] = [file.read(SLOTS), file.read(SLOTS), file.read(1)]
    return _table


def sentences(text: str) -> list[list[str]]:
    """Returns the words and signs of each sentence of a text in small letters."""
    for end in _ENDS:
        if end in text:
            text = text.replace(end, f" {_END} " if end == "\n" else f"{end[0]} {_END} ")
    found = []
    for sentence in text.translate(_PARTED).split(_END):
        words = ["0" if word.isdecimal() else word for word in sentence.split()]
        found += [[_FIRST, *words[start : start + _LONGEST], _LAST] for start in range(0, len(words), _LONGEST)]
    return found


def _weight(words: list[str]) -> int:
    if len(_weights) > _KEPT:
        _weights.clear()
    weight = sum(map(_weights.__getitem__, {*words}))
    if weight <= _WORTH_PAIRS:
        return weight
    return weight + _sum(pairs([(number, is_word) for number, _, is_word in map(numbers, words)]))


def _sum(features: Iterable[int]) -> int:
    """Returns what features weigh together."""
    fingerprints, weights, _ = _table
    return sum([weights[at & 0xFFFF] - ZERO for at in features if fingerprints[at & 0xFFFF] == at >> 16 & 0xFF])


def numbers(word: str) -> tuple[int, int, bool]:
    """Returns the number of a word or sign, that of its beginning, and whether it is a word."""
    return crc32(word.encode()), crc32(f"{word[:_STEM]}*".encode()), word[0].isalnum() or word in (_FIRST, _LAST)


def pairs(read: list[tuple[int, bool]]) -> set[int]:
    """Returns the numbers of the pairs of a sentence: neighbours, signs among them, and words with one between them."""
    every = [number for number, _ in read]
    words = [number for number, is_word in read if is_word]
    near = {(first * _SECOND ^ second) & _MASK for first, second in zip(words, words[2:])}
    near.update([(first * _NEXT ^ second) & _MASK for first, second in zip(every, every[1:])])
    return near
