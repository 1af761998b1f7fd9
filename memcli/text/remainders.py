"""What a report says is left, beside what it says is done: often both in one sentence."""

from __future__ import annotations

import re
from functools import lru_cache

from memcli.text import _open_cues, quotations
from memcli.text.statements import sentences

_PART = re.compile(
    r"[,;]\s+(?:(?:and|but|only|und|aber|nur|et|mais|y|pero)\s+)?|\s+(?:--?|[–—])\s+|\s+(?:but|while|whereas|aber|mais|pero)\s+"
)
_AND = re.compile(r"\s+(?:and|und|et|y)\s+(?:only\s+)?")
_DONE = re.compile(  # in a part of a sentence that is no part of what is left
    r"\b(?:done|finished|complete|ready|written|wrote|built|made|ran|in place|there now|works?|pass(?:es)?|\w{3,}ed|fertig|"
    r"erledigt|ge\w+t|ge\w+en|fait\w*|écrit\w*|terminé\w*|hech[oa]s?|escrit[oa]s?|\w+ad[oa]s?)\b|\bnow\b|[✅✓✔]",
    re.I,
)
_REMEMBERED = 256  # texts: each answer is held against every point that is open


@lru_cache(_REMEMBERED)
def left(text: str) -> tuple[str, ...]:
    """Returns the parts of the sentences of a text that say what is left to do."""
    return tuple([clause for sentence in sentences(text) for clause in _left_of(sentence)])


def without(text: str) -> str:
    """Returns the sentences of a text without those parts."""
    return " ".join([clause for sentence in sentences(text) for clause in _done_of(sentence)])


@lru_cache(_REMEMBERED)
def says_done(text: str) -> tuple[str, ...]:
    """Returns the sentences of a text that say that something was done meanwhile, by whomever, without what is left."""
    return tuple([line for line in sentences(without(text)) if _open_cues.MEANWHILE.search(line)])


def _left_of(sentence: str) -> list[str]:
    return [clause for clause in _parts(sentence) if _is_left(clause)] if _says_left(sentence) else []


def _done_of(sentence: str) -> list[str]:
    return [clause for clause in _parts(sentence) if not _is_left(clause)] if _says_left(sentence) else [sentence]


def _parts(sentence: str) -> list[str]:
    """Returns the parts of a sentence. It is split at `and` only where one side is left to do and the other is done."""
    clauses = []
    for clause in _PART.split(sentence):
        halves = _AND.split(clause, maxsplit=1)
        clauses += halves if len({_is_left(half) for half in halves}) > 1 and any(map(_says_left, halves)) else [clause]
    return [clause for clause in clauses if clause.strip()]


def _is_left(clause: str) -> bool:
    """Tells whether a part of a sentence that says what is left belongs to what is left."""
    return _says_left(clause) or not _DONE.search(clause)


def _says_left(text: str) -> bool:
    return bool(_open_cues.OPEN.search(text)) and not _open_cues.CLOSED.search(text) and not quotations.is_quoted(text)
