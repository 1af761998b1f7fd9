"""Which of the options of an answer somebody picks: `go with option 2`, `the second one`, `yes, B`; and what that option is."""

from __future__ import annotations

import re

from memcli.text.quotations import joined, plain

_NUMBERS = {"first": "1", "one": "1", "second": "2", "two": "2", "third": "3", "three": "3", "fourth": "4", "four": "4"}
_KIND = r"(?:option|variant|approach|plan|number|solution|alternative|choice|variante|opción)"
_MARK = r"(\d{1,2}|[a-h])"
_LONGEST = 180  # characters of an option
_BRIEF = 12  # words of a prompt that says little beside which option it picks
_PICKS = re.compile(
    rf"\b{_KIND} #?(\d{{1,2}}|[a-h]|one|two|three|four)\b(?!\.?\d)|"
    rf"\b(?:the )?(first|second|third|fourth|last) (?:\w+ )?(?:one|{_KIND}|version|suggestion|way|proposal)\b",
    re.I,
)
_MARK_ALONE = re.compile(
    r"^(?:(?:yes|yeah|ok|okay|sure|good|great|fine|please|then|so|let'?s|do|take|use|try|pick|choose|go|with|for|i'?d|i|would|prefer|"
    r"like|want|ja|nimm|oui|sí)\b[,.:! –-]*)*(?:(?-i:([A-H]))|([b-h])|(\d))(?: (?:please|it is|then|now|bitte))*[ .!,]*$",
    re.I,
)
_ITEM = re.compile(  # of a list, a heading or a table, with its mark
    rf"^[ \t>]*(?:[-*+][ \t]+|#{{1,6}}[ \t]+)?(?:\|[ \t]*)?(?:\*\*|__)?\(?(?:{_KIND}[ \t]+)?#?{_MARK}(?:\*\*|__)?"
    r"(?:[.):]|[ \t]*[|–—]|[ \t]+-)(?:\*\*|__)?[ \t]*(\S.*)$",
    re.I | re.M,
)
_OFFERS = re.compile(  # an answer that leaves a choice: its list is none of what was done, or is to be done
    rf"\?|\b(?:{_KIND}s?|which|recommend\w*|suggest\w*|prefer\w*|choos\w+|either|would you|shall|should (?:i|we)|i'?d|i would)\b",
    re.I,
)
_RUN_IN = re.compile(rf"(?:(?<=^)|(?<=\s))\(?(?:{_KIND} )?{_MARK}[.):]\s+(?=\S)", re.I)
_END = re.compile(r"[.!](?=\s+\S)")
_EMPTY = re.compile(
    rf"\b(?:{_KIND}|first|second|third|fourth|last|one|two|three|four|version|suggestion|way|proposal|yes|yeah|no|ok|okay|sure|good|"
    r"great|fine|then|sounds|let'?s|let|us|go|going|with|for|do|take|use|pick|choose|try|implement|prefer|like|want|i'?d|i|we|would|"
    r"please|the|your|that|it|is|and|now|thanks|thank|you|[a-h])\b|[\d\W_]+",
    re.I,
)


def picks(text: str) -> bool:
    """Tells whether a text names an option by its mark or its place."""
    return bool(_PICKS.search(text) or _MARK_ALONE.match(text.strip()))


def _picked(text: str, options: list[str]) -> str:
    """Returns the mark of the option that a text picks, of some that were offered; "" for none of them."""
    if match := _PICKS.search(text):
        name = (match[1] or match[2]).lower()
        number = len(options) if name == "last" else int(_NUMBERS.get(name, 0))
        return name if name in options else options[number - 1] if 0 < number <= len(options) else ""
    alone = _MARK_ALONE.match(text.strip())
    return next((mark.lower() for mark in alone.groups() if mark and mark.lower() in options), "") if alone else ""


def offered(answer: str) -> dict[str, str]:
    """Returns the options of an answer by their marks, which count from `1` or `a` on; of several lists those of the last."""
    items = [(match[1].lower(), match[2]) for match in _ITEM.finditer(answer)]
    if len(items) < 2:
        pieces = _RUN_IN.split(joined(answer))
        items = [(mark.lower(), text) for mark, text in zip(pieces[1::2], pieces[2::2])]
    lists: list[dict[str, str]] = []
    for mark, text in items:
        if mark in ("1", "a"):
            lists.append({})
        if lists and mark not in lists[-1] and len(lists[-1]) == _place(mark):
            lists[-1][mark] = _clipped(text)
    return next((options for options in reversed(lists) if len(options) > 1), {})


def chosen(text: str, answer: str) -> str:
    """Returns the option of an answer that a text picks, with its mark; "" where none can be told."""
    if not picks(text) or not (_PICKS.search(text) or _OFFERS.search(answer)):
        return ""
    options = offered(answer)
    mark = _picked(text, list(options))
    return f"{mark.upper()}: {options[mark]}" if mark else ""


def is_pick(text: str) -> bool:
    """Tells whether a text is brief and picks an option."""
    return len(text.split()) <= _BRIEF and picks(text)


def is_empty(text: str) -> bool:
    """Tells whether a text says nothing beside which option it picks."""
    return picks(text) and not _EMPTY.sub("", text)


def with_option(statement: str, option: str) -> str:
    """Returns a statement with the option behind the sentence that picks it."""
    match = _PICKS.search(statement)
    end = _END.search(statement, match.end()) if match else None
    at = end.start() if end else len(statement.rstrip(" .!"))
    return f"{statement[:at]} ({option}){statement[at:] if end else ''}"


def _place(mark: str) -> int:
    return int(mark) - 1 if mark.isdecimal() else ord(mark) - ord("a")


def _clipped(text: str) -> str:
    """Returns an option on one line, the cells of a table apart, up to a few words."""
    line = joined(plain(text.replace("**", "").replace("__", "")))
    line = "; ".join([cell.strip() for cell in line.strip(" |").split("|") if cell.strip()]).rstrip(" .;:")
    return line if len(line) <= _LONGEST else f"{line[:_LONGEST].rpartition(' ')[0]}…"
