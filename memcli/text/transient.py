"""What a later session need not know: what an agent only announces or agrees to, and what is so at the moment and soon is not.

Such as that nothing is uncommitted, the branch that is checked out, that a server runs.
"""

from __future__ import annotations

import re

from memcli.text import passages
from memcli.text._cues import any_of
from memcli.text.statements import sentences

_FEW = 4  # sentences that say more than what comes next
_AGREEMENT = 7  # words of a sentence that may only agree
_NEXT = "|".join([f"(?<={word}{sign} )" for word in ("now", "first", "next", "then", "finally") for sign in ("", ",")])
_ANNOUNCES = any_of(
    r"^\W*((good|great|perfect|excellent|ok(ay)?|now|first|next|then|finally|all right)\b[,.! ]*)*"
    r"(let me|let'?s|let us|i'?ll|i will|i need to|i'?m going to|"
    rf"(?:{_NEXT})(commit|run|wire|add|update|create|write|fix|check|verify|implement|test|push|stage|rename|remove|move|"
    r"instrument|refactor|extract|replace|build|document|extend|register|configure|install|close|file|mark|convert|use)\b)",
)
_AGREES = any_of(
    r"^\W*((oh|ah|ok|okay|yes|no|well)\b[, ]*)?(you'?re (\w+ )?right( [\w ']{0,30})?|you have an? \w+ point|i see( \w+){0,3}|"
    r"(good|great|excellent|fair) (catch|points?|questions?|idea|news)|excellent|perfect|great|good|nice|ah|oh|"
    r"interesting|wonderful|awesome|done|got it|understood|exactly|absolutely|sure|of course|committed|"
    r"((good|great|ok|okay|now)\b[,.! ]*)*i (now )?(have|see|get) (a|the) (\w+ )?(picture|idea|overview|context)( now)?)\W*$",
)
_LEADS = any_of(
    r"^\W*(so )?(here'?s|here is|here are|here was|below (is|are)|the following|as follows|these are)\b",
    r"\b(as follows|the following|like this|follows)\W*$",
)
_REASONED = any_of(r"\b(because|since|so that|fails?|failed|error|issue|problem|but|instead|turns out)\b")
_LONGEST = 140  # characters of a sentence that says no more
_ANSWERS = r"^\W*(?:(?:yes|no|right|ok|okay|currently|now|right now|at the moment|as of now)\b[,.:! –—-]*)*"
_NOW = r"(?:now |still |currently |all |again |already )*"
_STATE = re.compile(
    _ANSWERS
    + r"(?:"
    + r"|".join(
        (
            r"(?:there (?:is|are) )?(?:nothing|no (?:other |further )?(?:uncommitted|unstaged|staged|local|pending|untracked|"
            r"modified) (?:changes?|files?|edits?))(?: \w+){0,4}"
            r"(?: in (?:the|your) (?:working (?:tree|copy|directory)|repo\w*|index))?(?:, working tree clean)?\W*$",
            rf"(?:the |your |our )?(?:working (?:tree|copy|directory)|git status|checkout) (?:is|looks|shows|comes back) {_NOW}"
            r"(?:clean|empty|nothing|unchanged)\b.*$",
            rf"(?:you(?:'re| are)|we(?:'re| are)|i(?:'m| am)|head is) {_NOW}on (?:the )?(?:branch )?\S+(?: branch)?\W*$",
            rf"(?:the |your |our )?(?:[\w-]+ )?(?:server|process|container|service|app|worker|build) (?:is|are) {_NOW}"
            r"(?:running|up|down|stopped|listening)(?: (?:on|at) \S+(?: \S+)?)?\W*$",
            rf"(?:all |the )*(?:\d+ )?tests {_NOW}(?:are {_NOW})?(?:pass|passing|green)(?: (?:again|now))*\W*$",
            rf"(?:everything|all of it) (?:is|was) {_NOW}(?:committed|pushed|saved|clean|in sync|up to date)"
            r"(?:,? (?:and )?(?:committed|pushed|saved|clean|in sync|up to date))*\W*$",
        )
    )
    + r")",
    re.I,
)
_CHANGED = re.compile(r"\b(?:chang|commit|stag|modif|uncommitted|untracked|pending|edit|clean)", re.I)


def announces(text: str) -> bool:
    """Tells whether a text only says what its writer does next, or agrees: nothing that a later session needs to know."""
    lines = sentences(text)[:_FEW]
    if not lines or len(lines) == _FEW or _REASONED.search(text):
        return False
    return all(_ANNOUNCES.match(line) or _AGREES.match(line) for line in lines)


def leads(sentence: str) -> bool:
    """Tells whether a sentence only says that something follows."""
    return bool(_LEADS.search(sentence))


def is_passing(sentence: str) -> bool:
    """Tells whether a sentence announces what its writer does next, or agrees, and gives no reason."""
    is_announced = _ANNOUNCES.match(sentence) and not _REASONED.search(sentence)
    return bool(is_announced) or agrees(sentence)


def agrees(sentence: str) -> bool:
    """Tells whether a sentence only says yes to somebody, or is glad."""
    words = sentence.lower().split()
    return bool(_AGREES.match(sentence)) and len(words) <= _AGREEMENT and "that" not in words and words[:2] != ["i", "see"]


def is_momentary(text: str) -> bool:
    """Tells whether every sentence of a text only says how things are at the moment, and none what is left to do."""
    lines = [" ".join(sentence.split()) for sentence in passages.sentences(text) if sentence.strip()]
    return bool(lines) and all(_is_state(line) for line in lines)


def _is_state(line: str) -> bool:
    if len(line) > _LONGEST or not _STATE.match(line):
        return False
    return bool(_CHANGED.search(line)) or not re.match(_ANSWERS + r"(?:there is )?nothing\b", line, re.I)
