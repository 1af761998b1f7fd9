"""Text as the word pieces of BERT's uncased vocabulary, which MiniLM reads (Devlin et al. 2018; Wu et al. 2016).

The vocabulary, wordpieces.txt, is that of the model (Apache-2.0): a piece's line is its number. The package that carries the
model's weights does not carry it.
"""

from __future__ import annotations

import os
import unicodedata

_LONGEST = 100  # characters of a word that is cut into pieces; the model knows no longer ones
_UNKNOWN, _START, _END = "[UNK]", "[CLS]", "[SEP]"


class WordPieces:
    """A vocabulary, with which texts are cut."""

    def __init__(self, pieces: list[str]) -> None:
        self._numbers = {piece: number for number, piece in enumerate(pieces)}
        self._cut: dict[str, list[int]] = {}  # word -> numbers of its pieces

    def numbers(self, text: str, most: int) -> list[int]:
        """Returns the numbers of a text's pieces between those of its start and its end, at most `most` in all."""
        found: list[int] = []
        for word in words(text):
            if len(found) > most - 2:
                break
            if word not in self._cut:
                self._cut[word] = self._pieces(word)
            found += self._cut[word]
        return [self._numbers[_START], *found[: most - 2], self._numbers[_END]]

    def _pieces(self, word: str) -> list[int]:
        """Cuts a word into the longest pieces that are known, from its beginning."""
        if len(word) > _LONGEST:
            return [self._numbers[_UNKNOWN]]
        found = []
        start = 0
        while start < len(word):
            for end in range(len(word), start, -1):
                number = self._numbers.get(("##" if start else "") + word[start:end])
                if number is not None:
                    break
            else:
                return [self._numbers[_UNKNOWN]]
            found.append(number)
            start = end
        return found


def load() -> WordPieces:
    """Reads the vocabulary."""
    with open(os.path.join(os.path.dirname(__file__), "wordpieces.txt"), encoding="utf-8") as file:
        return WordPieces(file.read().split("\n")[:-1])


def words(text: str) -> list[str]:
    """Returns a text's words, in lower case and without accents; every punctuation mark and every CJK character is one."""
    said = []
    for character in unicodedata.normalize("NFD", "".join(map(_plain, text))):
        kind = unicodedata.category(character)
        if kind != "Mn":
            said.append(f" {character} " if _is_mark(character, kind) else character)
    return "".join(said).lower().split()


def _plain(character: str) -> str:
    """Returns a character, a space for any space, nothing for a control, and a CJK character apart from its neighbours."""
    if character in "\t\n\r":
        return " "
    code = ord(character)
    if code in (0, 0xFFFD) or unicodedata.category(character) in ("Cc", "Cf", "Co", "Cs"):
        return ""
    if any(first <= code <= last for first, last in _CJK):
        return f" {character} "
    return " " if unicodedata.category(character) == "Zs" else character


def _is_mark(character: str, kind: str) -> bool:
    return kind[0] == "P" or (character.isascii() and character.isprintable() and not character.isalnum() and character != " ")


_CJK = (
    (0x4E00, 0x9FFF),
    (0x3400, 0x4DBF),
    (0x20000, 0x2A6DF),
    (0x2A700, 0x2B73F),
    (0x2B740, 0x2B81F),
    (0x2B820, 0x2CEAF),
    (0xF900, 0xFAFF),
    (0x2F800, 0x2FA1F),
)
