"""What an agent only announces, or agrees to: nothing that a later session needs to know."""

from __future__ import annotations

from memcli.text._cues import any_of
from memcli.text.statements import sentences

_FEW = 4  # sentences that say more than what comes next
_AGREEMENT = 6  # words of a sentence that may only agree
_ANNOUNCES = any_of(
    r"^\W*((good|great|perfect|excellent|ok(ay)?|now|first|next|then|all right)\b[,.! ]*)*"
    r"(let me|let'?s|let us|i'?ll|i will|i need to|i'?m going to|"
    r"(?<=now )(commit|run|wire|add|update|create|write|fix|check|verify|implement|test|push|stage|rename|remove|move))",
)
_AGREES = any_of(
    r"^\W*((oh|ah|ok|okay|yes|no|well)\b[, ]*)?(you'?re (\w+ )?right( [\w ']{0,30})?|you have an? \w+ point|i see( \w+){0,3}|"
    r"(good|great|excellent|fair) (catch|points?|questions?|idea|news)|excellent|perfect|great|good|nice|ah|oh|"
    r"interesting|wonderful|awesome|done|got it|understood|exactly|absolutely|sure|of course|committed)\W*$",
)
_REASONED = any_of(r"\b(because|since|so that|fails?|failed|error|issue|problem|but|instead|turns out)\b")


def announces(text: str) -> bool:
    """Tells whether a text only says what its writer does next, or agrees: nothing that a later session needs to know."""
    lines = sentences(text)[:_FEW]
    if not lines or len(lines) == _FEW or _REASONED.search(text):
        return False
    return all(_ANNOUNCES.match(line) or _AGREES.match(line) for line in lines)


def is_passing(sentence: str) -> bool:
    """Tells whether a sentence announces what its writer does next, or agrees, and gives no reason."""
    is_announced = _ANNOUNCES.match(sentence) and not _REASONED.search(sentence)
    return bool(is_announced) or agrees(sentence)


def agrees(sentence: str) -> bool:
    """Tells whether a sentence only says yes to somebody, or is glad."""
    words = sentence.lower().split()
    return bool(_AGREES.match(sentence)) and len(words) <= _AGREEMENT and "that" not in words and words[:2] != ["i", "see"]
