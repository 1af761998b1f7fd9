"""Sentences in which a person asks to take work back, or to go back to how something was."""

from __future__ import annotations

import re

from memcli.text import statements

_LOOKED_AT = 2_000  # characters of a text
_HINTS = re.compile(
    r"back|out again|revert|undo|restor|zurück|rückgäng|revenons|reviens|revient|annule|vuelv|volvamos|deshaz", re.I
)
_LEADS = (
    r"^\W*(?:(?:no|nope|nah|ok(?:ay)?|hmm+|actually|sorry|oh|wait|stop|well|then|and|so|but|please|nein|doch|bitte|"
    r"non|also|alright|right|fine|yes|yeah|ja|oui|sí)\b[\s,.;:!–—-]*)*"
    r"(?:(?:let'?s|let us|we(?:'ll| will| must| should| have to| need to| had better)?|you(?: should| must)?|"
    r"(?:can|could|would) you|i(?:'d| would)? (?:like|want|prefer)(?: you| us)? to|"
    r"i(?:'d| would) rather|lass uns|wir|du|kannst du|on|nous)\s+)?"
    r"(?:(?:please|just|now|better|rather|simply|all|jetzt|bitte|lieber|doch|wieder)\s+)*"
)
_OBJECT = r"(?:it|that|this|these|those|them|the|your|my|our|what|both|all|everything|last|commit|[0-9a-f]{7,40})\b"
_ASKS = (
    r"(?:(?:go|get|switch|change|move|come) (?:\S+ ){0,3}?back\b"
    r"(?! (?:and forth|to (?:work|me|you|us|him|her|them|bed|basics)\b))|"
    r"back to (?!work\b|me\b|you\b|basics\b|the (?:question|topic|point|task)\b)|"
    r"(?:roll|take|put|bring|set|turn) (?:\S+ ){0,6}?back\b|(?:take|rip|pull) (?:\S+ ){1,6}?out again\b|"
    r"roll ?back\b|revert\b(?!ing|s\b)|undo " + _OBJECT + r"|"
    r"restore (?:\S+ ){0,2}?(?:old|previous|earlier|former|original)\b|"
    r"(?:zurück (?:zu|auf)\b|(?:geh\w*|mach\w*|nimm|nehmen|setz\w*|stell\w*|wechsel\w*)\b.{1,60}\b(?:zurück|rückgängig)\b)|"
    r"(?:revenons|reviens|revient) (?:à|au)\b|annule\w* |(?:vuelve|volvamos) a\b|deshaz )"
)
_RETURN = re.compile(_LEADS + _ASKS, re.I)
_CONDITION = re.compile(r"^\W*(?:if|when|whenever|unless|once|in case|before|after|falls|wenn|si)\b", re.I)
# A wish in the shape of a question.
_POLITE = re.compile(r"^\W*(?:(?:please|ok|sorry|no)\W+)*(?:(?:can|could|would|will) you|kannst du)\b", re.I)
_CLAUSE = re.compile(r"[,;:] (?!back to\b)", re.I)


def request(text: str) -> str:
    """Returns the first sentence of a prompt that asks to undo work or to go back to something, or ""."""
    head = text[:_LOOKED_AT]
    return next((it for it in statements.sentences(head) if _asks(it)), "") if _HINTS.search(head) else ""


def _asks(sentence: str) -> bool:
    if _CONDITION.match(sentence) or (sentence.rstrip().endswith("?") and not _POLITE.match(sentence)):
        return False
    return any(_RETURN.match(part) for part in (sentence, *_CLAUSE.split(sentence)[1:]))
