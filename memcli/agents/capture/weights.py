"""Weights of words: those that tell one subject from another weigh more than those of any text."""

from __future__ import annotations

from math import log
from typing import TYPE_CHECKING

from memcli.recall.prompts import CHATTER
from memcli.records import Record
from memcli.store import search
from memcli.text.analysis import STOP_WORDS

if TYPE_CHECKING:
    from memcli.store import Connection

_RARE = 0.04  # of the texts that hold a word, up to which it tells one subject from another


class Weights(Record):
    """Weights of stems: `idf`; `most` for one that no passage has; `rare`, from which on a stem tells subjects apart."""

    idf: dict[str, float]
    most: float
    rare: float

    def of(self, words: frozenset[str]) -> float:
        """Returns the total weight of some stems."""
        return sum([self.idf.get(word, self.most) for word in words])

    def rare_of(self, words: frozenset[str]) -> list[str]:
        """Returns the stems that tell one subject from another."""
        return [word for word in words if self.idf.get(word, self.most) >= self.rare]


class Stems:
    """Turns a text into the set of its words as the index has them, without stop words. Results are cached."""

    def __init__(self, db: Connection) -> None:
        self.stem = search.stemmer(db)
        self.stop_words = frozenset(self.stem(" ".join(STOP_WORDS)))
        self.common = frozenset(self.stem(" ".join([*STOP_WORDS, *CHATTER])))
        self._cache: dict[str, frozenset[str]] = {}

    def __call__(self, text: str) -> frozenset[str]:
        return self.whole(text) - self.common

    def whole(self, text: str) -> frozenset[str]:
        """Returns the set including everyday words, such as `run`, that a question is not about."""
        if text not in self._cache:
            words = [word for word in self.stem(text) if len(word) > 2 and not word.isdecimal()]
            self._cache[text] = frozenset(words) - self.stop_words
        return self._cache[text]


def weigh_words(texts: list[frozenset[str]]) -> Weights:
    """Returns the weights of stems by how many of some texts hold each."""
    counts: dict[str, int] = {}
    for words in texts:
        for word in words:
            counts[word] = counts.get(word, 0) + 1
    total = len(texts) + 1
    idf = {word: log(total / count) for word, count in counts.items()}
    return Weights(idf, log(total), log(total / max(4.0, _RARE * total)))
