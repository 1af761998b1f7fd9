"""Rules that a person lists under a heading for them, which need no word that says so: `House rules: - no default exports`."""

from __future__ import annotations

from memcli.text import _cues, _heading_cues, passages, quotations
from memcli.text.quotations import joined


def lists_rules(heading: str) -> bool:
    """Tells whether what a person lists under a heading is wanted from now on."""
    return bool(_heading_cues.RULES.search(last_of(heading)))


def last_of(heading: str) -> str:
    """Returns the last sentence of a heading, which says what stands under it."""
    stated = [sentence for sentence in passages.sentences(heading.rpartition(": ")[2]) if sentence.strip()]
    return joined(stated[-1]).strip(" :*#") if stated else ""


def rule(heading: str, text: str) -> str:
    """Returns an item of a list of rules; "" for a question, a quotation, or what is under another heading."""
    item = joined(quotations.own(text)).rstrip(";")
    is_rule = lists_rules(heading) and len(item.split()) > 1 and not item.endswith("?") and not quotations.is_quoted(item)
    if not is_rule or _cues.ONCE.search(item):
        return ""
    lead = last_of(heading)
    return f"{lead}: {item}" if _heading_cues.WORDED.match(lead) else item
