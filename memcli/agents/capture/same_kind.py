"""Whether a different thing of the same kind is meant: completion for zsh is not the completion for fish that is left to do."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from memcli.agents.capture.weights import Stems

_WORD = re.compile(r"[^\W_][\w'-]*|[.,;:!?()]")
_NAME = re.compile(r"(?<=[\w,] )[A-Z][a-z]+\b")
_ARTICLES = frozenset(
    "a an the our my your this that these those its der die das den dem ein eine le la les un une el los las".split()
)
_RELATIONS = frozenset("for of in on to by with from at as für von im in zu mit pour de dans avec para en con".split())

_Word = tuple[str, frozenset[str]]  # as written, and its stems


def is_another(point: str, sentences: Iterable[str], done: frozenset[str], stems: Stems) -> bool:
    """Tells whether sentences lack a word of a point and name something else in its place: `for zsh`, not `for fish`.

    `done`: the stems of all that was said and done, including everyday words.
    """
    own = stems.whole(point)
    if _names(point, stems) - done and any(_names(line, stems) - own for line in sentences):
        return True
    slots = set(_slots(_words(point, stems), done))
    lines = [_words(line, stems) for line in sentences] if slots else []
    return any(_is_filled(slot, words, own) for words in lines for slot in slots)


def _names(text: str, stems: Stems) -> frozenset[str]:
    """Returns the stems of the words inside a sentence that begin with a capital: languages, months, products."""
    return stems.whole(" ".join(_NAME.findall(text)))


def _slots(words: list[_Word], done: frozenset[str]) -> Iterator[tuple[frozenset[str], str, bool]]:
    """Returns the slots of a point's missing words: beside which other word, with what between, on which side."""
    for i, (_, word) in list(enumerate(words))[1:]:  # the first is mostly a verb
        if not word or word & done:
            continue
        before = _from_noun(words[:i][::-1])
        relation = before[0][0] if before and before[0][0] in _RELATIONS else ""
        before = before[1:] if relation else before
        is_object = len(before) == 1 and before[0][0].isalpha()  # behind the verb that a point begins with; else it may be a verb
        if (relation or is_object) and before and before[0][1] & done:
            yield before[0][1], relation, True
        if i + 1 < len(words) and words[i + 1][1] & done:  # behind an article it would be a verb, which has synonyms
            yield words[i + 1][1], "", False


def _is_filled(slot: tuple[frozenset[str], str, bool], words: list[_Word], own: frozenset[str]) -> bool:
    """Tells whether another word fills a slot."""
    beside, relation, is_behind = slot
    for i, (_, word) in enumerate(words):
        if not word & beside:
            continue
        neighbours = _from_noun(words[i + 1 :]) if is_behind else words[:i][::-1]
        if relation:
            neighbours = _from_noun(neighbours[1:]) if neighbours and neighbours[0][0] == relation else []
        if neighbours and neighbours[0][1] and not neighbours[0][1] & own:
            return True
    return False


def _from_noun(words: list[_Word]) -> list[_Word]:
    return words[1:] if words and words[0][0] in _ARTICLES else words


def _words(text: str, stems: Stems) -> list[_Word]:
    """Returns the words of a text with their stems, without punctuation and stop words."""
    return [(word.lower(), stems.whole(word.lower())) for word in _WORD.findall(text)]
