"""Cuts a paragraph of a prompt into pieces that each state one thing: a wish, a choice with its reason, an open point.

So each piece is stored in its own words, and can be overtaken without the others.
"""

from __future__ import annotations

from memcli.text import passages, rule_lists, statements
from memcli.text.quotations import joined

_ENDS = (".", "!", "?", ":", ";", ",")


def split(heading: str, text: str) -> list[str]:
    """Returns the pieces of a marked paragraph or list; a single one if it states one thing or nothing."""
    items = text.split("\n")
    if len(items) > 1 and (rule_lists.lists_rules(heading) or _are_wishes(items)):
        return items
    if heading:
        return [text]
    stated = [sentence for sentence in passages.sentences(text) if sentence.strip()]
    roles = [statements.role_of(joined(sentence)) for sentence in stated]
    if sum(map(bool, roles)) < 2:
        return [text]
    result: list[str] = []
    role = ""  # of the last piece
    for number, sentence in enumerate(stated):
        begins = bool(roles[number]) and bool(role) and not statements.goes_on(joined(sentence))
        if begins or not result:
            result.append(sentence)
        else:
            result[-1] += sentence
        role = roles[number] or role
    return [piece.strip() for piece in result]


def _are_wishes(items: list[str]) -> bool:
    """Tells whether the lines of a text are items of a list, as text/passages.py ends them, of which several state something."""
    is_list = all(item.endswith(_ENDS) for item in items[:-1])
    return is_list and sum([bool(statements.role_of(joined(item.rstrip(";")))) for item in items]) > 1
