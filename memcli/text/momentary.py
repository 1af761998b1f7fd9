"""What is so at the moment and soon is not: that nothing is uncommitted, the branch that is checked out, that a server runs."""

from __future__ import annotations

import re

from memcli.text.passages import sentences

_LONGEST = 140  # characters of a sentence that says no more
_ANSWERS = r"^\W*(?:(?:yes|no|right|ok|okay|currently|now|right now|at the moment|as of now)\b[,.:! –-]*)*"
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
        )
    )
    + r")",
    re.I,
)
_CHANGED = re.compile(r"\b(?:chang|commit|stag|modif|uncommitted|untracked|pending|edit|clean)", re.I)


def is_momentary(text: str) -> bool:
    """Tells whether every sentence of a text only says how things are at the moment, and none what is left to do."""
    lines = [" ".join(sentence.split()) for sentence in sentences(text) if sentence.strip()]
    return bool(lines) and all(_is_state(line) for line in lines)


def _is_state(line: str) -> bool:
    if len(line) > _LONGEST or not _STATE.match(line):
        return False
    return bool(_CHANGED.search(line)) or not re.match(_ANSWERS + r"(?:there is )?nothing\b", line, re.I)
