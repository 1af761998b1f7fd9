"""The clauses of a sentence in which somebody wants or chooses several things, each of which can be taken back by itself."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from memcli.text.passages import digest

if TYPE_CHECKING:
    from collections.abc import Collection

_BREAK = re.compile(r"(?<=[,;:.!])\s+|\s+(?=(?:and|but) )", re.I)
_DEPENDS = re.compile(  # how a clause begins that is nothing without the one before it
    r"^(?:and |but )?(?:because|since|so that|otherwise|as|which|who|unless|until|when|where|if|before|after|to|for|than)\b",
    re.I,
)
_LEADS_BACK = re.compile(  # a short sentence that is nothing without the one before it: `Write a new one.`
    r"^(?:[\w'-]+ ){1,3}(?:(?:a |the )?(?:new|other|next|right) one|another(?: one)?|one|it|them|that|those)"
    r"(?: instead| too| then)?[.!]*$",
    re.I,
)
_JOINS = re.compile(r"^(?:(?:and|but|also)\b|[\s,;:])+", re.I)
_REJECTED = re.compile(
    r"\b(?:instead of|rather than|not|no|never|no longer|over|statt|anstatt|anstelle von|keine?n?|nicht|plutôt que|"
    r"au lieu de|pas de|en lugar de|en vez de|away from|(?:mov|switch|chang|migrat)\w* (?:[\w-]+ ){0,4}from|"
    r"(?:drop|forget|scrap|skip|remove|undo)(?: about)?)\s+((?:[^.,;:!?]|\.\S)+)",
    re.I,
)
_TO = re.compile(r"\b(?:to|in favou?r of|but|because|since|so)\b", re.I)
_REASON = re.compile(r",? \b(?:because|since|so that|as (?=our|we|it|they|the))", re.I)


def split(sentence: str) -> list[str]:
    """Returns the clauses of a sentence, each with what depends on it, in their order."""
    clauses: list[str] = []
    for piece in _BREAK.split(sentence.strip()):
        if clauses and (_DEPENDS.match(piece) or _LEADS_BACK.match(piece) or not piece.strip(" .,;:!")):
            clauses[-1] += f" {piece}"
        else:
            clauses.append(piece)
    return clauses


def mark(clause: str) -> str:
    """Returns what tells a clause from others, however the sentence around it reads now."""
    return digest(_JOINS.sub("", clause).strip(" ,;:.!").lower())


def without(sentence: str, marks: Collection[str]) -> str:
    """Returns a sentence without the clauses that have some marks; "" where none is left."""
    remaining = [clause for clause in split(sentence) if mark(clause) not in marks]
    text = _JOINS.sub("", " ".join(remaining)).rstrip(" ,;:")
    if not text.strip(" .!"):
        return ""
    return f"{text[:1].upper()}{text[1:]}{'' if text.endswith(('.', '!', '…')) else '.'}"


def rejected(sentence: str) -> list[str]:
    """Returns what a sentence says is not to be: behind `instead of`, `not`, `no longer` and their like."""
    return [_TO.split(match)[0] for match in _REJECTED.findall(sentence)]


def chosen(sentence: str) -> str:
    """Returns a sentence without what it rejects, and without its reason."""
    return _REJECTED.sub(" ", _REASON.split(sentence)[0])
