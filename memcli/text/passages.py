"""Splitting a long text into passages: what answers one question each, at headings, list items and paragraphs.

A sentence and a block of code are never split. A passage has the heading that it stands under, and the lead of its list.
"""

from __future__ import annotations

from memcli.records import Record
from memcli.text.forms import FENCES, is_fence

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

LONGEST = 700  # characters of a paragraph that stays whole; a longer one is split between sentences
ENDLESS = 2_000  # characters from which on what has no end is no sentence
ITEM = 160  # characters from which a list item is a passage of its own
ITEMS = 360  # characters of shorter items that stand together
MOST = 200  # passages of a text; the rest of a longer one stays in the last
_LEAD = 90  # characters of a line that can be the heading of what follows
_LONG_LEAD = 160  # characters of the last sentences of a paragraph that lead what follows ...
_LONGEST_LEAD = 300  # ... or of the last one alone
_INDENTED = 3  # spaces before a line from which on it is no heading
_WORDS = 3  # that a passage has at least, but for a standing instruction ...
_LETTERS = 6  # ... or, in a script without spaces, characters
_WORD = 40  # characters at the end of which a sentence may end
_CODE = 120  # characters behind a place in code in a sentence in which the code ends
_BULLETS = ("- ", "* ", "+ ", "• ", "– ")
_CLOSING = "\"')]>`*”“’‘»«›」』"  # what may stand behind the end of a sentence
_ENDS = (".", "!", "?", "。", "！", "？")
_HERE = (" .", " ..")  # a directory, as in `git add .`
_ABBREVIATIONS = ("e.g.", "i.e.", "etc.", "vs.", "cf.", "approx.", "no.", "fig.")


class Fragment(Record):
    """A passage of a text, and the headings above it, empty for none."""

    heading: str
    text: str


class _Block(Record):
    """Some lines that belong together. `kind`: heading, line (a short one by itself), lead, item, text or code."""

    kind: str
    text: str


def split(text: str, is_spoken: bool = False) -> list[Fragment]:
    """Returns the passages of a text in their order; together they have all its words, but for those of headings.

    `is_spoken`: its paragraphs were said one by one over time, so that a colon at the end of one leads to a call rather than to
    the next, and a heading to no more than what was said with it.
    """
    result: list[Fragment] = []
    section = lead = first = ""  # first: the kind of what stands first under the heading; one that begins a list is the list's
    is_led = False  # the last block was the lead of the next
    bare = ""  # a short line that may be a heading, as long as nothing stands under it
    short: list[str] = []

    def flush() -> None:
        if short:
            result.append(Fragment(_joined(section, lead), _listed(short)))
            short.clear()

    def flush_bare() -> None:
        if bare:
            result.append(Fragment("", bare))

    for block in _blocks(text, is_spoken):
        if block.kind != "item" or (short and len("\n".join([*short, block.text])) > ITEMS):
            flush()
        if block.kind in ("heading", "line"):
            flush_bare()
            section, lead, first = block.text, "", ""
            bare = block.text if block.kind == "line" else ""
            continue
        bare = ""
        section = "" if block.kind == "text" and (first == "item" or (first and is_spoken)) else section
        first = first or block.kind
        is_led = (is_led and block.kind == "text") or block.kind == "lead"
        if block.kind == "lead":
            lead = block.text
        elif block.kind == "item" and len(block.text) < ITEM:
            short.append(block.text)
        elif block.kind == "item":
            flush()
            result += [Fragment(_joined(section, lead), piece) for piece in _paragraphs(block.text)]
        elif block.kind == "code":
            lead = _add_code(result, section, lead, block.text)
        elif not is_spoken and not is_led and _is_announced(result, section, block.text):
            result[-1] = Fragment(result[-1].heading, f"{result[-1].text}\n{block.text}")
        else:
            result += [Fragment(_joined(section, lead if is_led else ""), piece) for piece in _paragraphs(block.text)]
            lead, is_led = "", False
    flush()
    flush_bare()
    return _at_most([it for it in result if _says_something(it.text) or (it.heading and it.text.strip())])


def _at_most(fragments: list[Fragment]) -> list[Fragment]:
    """Returns MOST passages; what is behind them stays in the last."""
    surplus = fragments[MOST - 1 :]
    if len(surplus) <= 1:
        return fragments
    return [*fragments[: MOST - 1], Fragment(surplus[0].heading, "\n".join([fragment.text for fragment in surplus]))]


def _listed(items: list[str]) -> str:
    """Returns short list items as one text, which packs print on one line: what ends no sentence gets a semicolon."""
    ended = [item if item.endswith((*_ENDS, ":", ";", ",")) or _is_numbered(item) else f"{item};" for item in items[:-1]]
    return "\n".join([*ended, items[-1]])


def _has_room(before: list[Fragment], section: str, code: str) -> bool:
    """Tells whether a block of code can stand with the passage before it, under one heading."""
    return bool(before) and before[-1].heading == section and len(before[-1].text) + len(code) < LONGEST


def _add_code(before: list[Fragment], section: str, lead: str, code: str) -> str:
    """Adds a block of code, to the passage before if both have room and it has no lead of its own, and returns its lead."""
    if not lead and _has_room(before, section, code):
        before[-1] = Fragment(before[-1].heading, f"{before[-1].text}\n{code}")
    else:
        lead = lead or _taken_lead(before, section)
        before.append(Fragment(_joined(section, lead), code))
    return lead


def _is_announced(before: list[Fragment], section: str, text: str) -> bool:
    """Tells whether a paragraph is what the one before it announces, and both can stand together."""
    return _has_room(before, section, text) and before[-1].text.endswith(":")


def _taken_lead(before: list[Fragment], section: str) -> str:
    """Takes the last sentences of the passage before, if they announce what follows, and returns them as its lead."""
    if not before or before[-1].heading != section or not before[-1].text.endswith(":"):
        return ""
    text, lead = _parted(before.pop().text)
    if text:
        before.append(Fragment(section, text))
    return lead


def _says_something(text: str) -> bool:
    words = len(text.split())
    if words >= _WORDS or (not text.isascii() and len(text) >= _LETTERS):
        return True
    from memcli.text._terse_cues import terse

    return words > 1 and bool(terse(text))


def _joined(section: str, lead: str) -> str:
    return f"{section}: {lead}" if section and lead else section or lead


def _blocks(text: str, is_spoken: bool) -> Iterator[_Block]:
    """Yields the blocks of a text. A line that ends in a colon, with something below it, is its lead."""
    lines = text.split("\n")
    paragraph: list[str] = []
    number = 0
    while number < len(lines):
        line = lines[number]
        stripped = line.strip()
        kind = _kind(stripped, not paragraph and _stands_alone(lines, number))
        if kind == "lead" and is_spoken and not _begins_list(_below(lines, number + 1), FENCES):
            kind = "text"
        if kind in ("heading", "line") and _indent(line) > _INDENTED:
            kind = "text"  # a comment in code
        if kind == "text" and paragraph:
            paragraph.append(stripped if not stripped.startswith("|") else line)
        elif kind == "text":
            paragraph = [stripped]
        elif kind or not stripped:
            if paragraph:
                yield from _paragraph(paragraph, kind, _leads(lines, number))
                paragraph = []
            if kind == "code":
                end = _end_of_code(lines, number)
                yield _Block("code", "\n".join(lines[number : end + 1]))
                number = end
            elif kind == "item":
                end = _end_of_item(lines, number)
                yield _Block(
                    "item", "\n".join([_without_bullet(stripped), *[piece.strip() for piece in lines[number + 1 : end]]])
                )
                number = end - 1
            elif kind:
                yield _Block(kind, stripped.strip("#*_ ").rstrip(":"))
        number += 1
    if paragraph:
        yield from _paragraph(paragraph, "", False)


def _paragraph(lines: list[str], following: str, leads: bool) -> Iterator[_Block]:
    """Yields a paragraph. A short one that ends in a colon is the lead of what follows; of a long one its last sentences are."""
    text = "\n".join(lines)
    is_lead = text.endswith(":") and len(text) <= _LEAD and bool(following)
    if leads and following == "item" and len(lines) == 1 and _is_bare(text):
        yield _Block("heading", text.strip("#*_ "))
        return
    if is_lead:
        yield _Block("lead", text.rstrip(":"))
        return
    text, lead = _parted(text) if leads and text.endswith(":") else (text, "")
    if text:
        yield _Block("text", text)
    if lead:
        yield _Block("lead", lead)


def _leads(lines: list[str], number: int) -> bool:
    """Tells whether a list stands below a paragraph that ends before a line."""
    return _begins_list(_below(lines, number))


def _below(lines: list[str], number: int) -> str:
    """Returns the next line that is not empty; "" for none near."""
    return next((line.strip() for line in lines[number : number + 3] if line.strip()), "")


def _begins_list(line: str, also: tuple[str, ...] = ()) -> bool:
    return line.startswith((*_BULLETS, *also)) or bool(line and _is_numbered(line))


def _parted(text: str) -> tuple[str, str]:
    """Returns (a text without the sentence that leads what follows, its last sentences as the lead); "" for a lead too long."""
    said = list(sentences(text))
    if len(said[-1]) > _LONGEST_LEAD:
        return text, ""
    lead = said[-1]
    for sentence in said[-2::-1]:
        if len(sentence) + len(lead) > _LONG_LEAD:
            break
        lead = sentence + lead
    return "".join(said[:-1]).rstrip(), " ".join(lead.split()).rstrip(":")


def _kind(line: str, stands_alone: bool) -> str:
    """Returns what a line begins: heading, lead, item, code or text; "" for an empty line."""
    if not line or (set(line) <= set("-*_=") and len(line) > 2):
        return ""
    if is_fence(line):
        return "code"
    if line.startswith("#") and line.lstrip("#").startswith(" "):
        return "heading"
    if line.startswith("**") and line.rstrip(":").endswith("**") and line.count("**") == 2 and len(line) <= _LEAD:
        return "heading"
    if line.startswith(_BULLETS) or _is_numbered(line):
        return "item"
    if stands_alone and len(line) <= _LEAD:
        if line.endswith(":"):
            return "lead"
        if _is_bare(line):
            return "line"
    return "text"


def _is_bare(line: str) -> bool:
    """Tells whether a line is short and ends like a title rather than a sentence."""
    return len(line) <= _LEAD // 2 and line[-1].isalnum() and not line.startswith("|")


def _is_numbered(line: str) -> bool:
    number = line.split(" ", 1)[0]
    return number[-1] in ".)" and number[:-1].isdecimal() and len(number) <= 4 and " " in line


def _stands_alone(lines: list[str], number: int) -> bool:
    """Tells whether a line is a paragraph by itself and another text follows."""
    before = number == 0 or not lines[number - 1].strip()
    after = number + 1 < len(lines) and not lines[number + 1].strip()
    return before and after and any(line.strip() for line in lines[number + 1 : number + 4])


def _end_of_code(lines: list[str], start: int) -> int:
    fence = lines[start].strip()[:3]
    for number in range(start + 1, len(lines)):
        if lines[number].strip().startswith(fence):
            return number
    return len(lines) - 1


def _end_of_item(lines: list[str], start: int) -> int:
    """Returns the line behind a list item: its own lines are indented, and what is listed below it belongs to it."""
    indent = _indent(lines[start])
    for number in range(start + 1, len(lines)):
        line = lines[number]
        if not line.strip() or line.strip().startswith(FENCES) or _indent(line) <= indent:
            return number
    return len(lines)


def _indent(line: str) -> int:
    return len(line) - len(line.lstrip())


def _without_bullet(line: str) -> str:
    return line[2:].strip() if line.startswith(_BULLETS) else line


def _paragraphs(text: str) -> Iterator[str]:
    """Yields a text, a long one in pieces of whole sentences."""
    if len(text) <= LONGEST:
        yield text
        return
    piece = ""
    for sentence in _bounded(sentences(text)):
        if piece and len(piece) + len(sentence) > LONGEST and not piece.rstrip().endswith(":"):
            yield piece.strip()
            piece = ""
        piece += sentence
    if piece.strip():
        yield piece.strip()


def _bounded(sentences: Iterable[str]) -> Iterator[str]:
    """Yields sentences, and what has no end for far too long in pieces between words."""
    for sentence in sentences:
        start = 0
        while len(sentence) - start > ENDLESS:
            end = sentence.rfind(" ", start + 1, start + LONGEST) + 1 or start + LONGEST
            yield sentence[start:end]
            start = end
        yield sentence[start:]


def sentences(text: str) -> Iterator[str]:
    """Yields a text sentence by sentence, each with the space behind it."""
    start = 0
    for number, char in enumerate(text):
        if not char.isspace() or number <= start:
            continue
        before = text[max(start, number - _WORD) : number].rstrip(_CLOSING)
        is_end = (
            before.endswith(_ENDS)
            and not before.endswith(_HERE)
            and not before.lower().endswith(_ABBREVIATIONS)
            and not _is_numbered(f"{_last(before)} ")
            and not _is_in_code(text, start, number)
        )
        if is_end or (char == "\n" and text[number + 1 : number + 2] in ("|", "-", "*")):
            yield text[start : number + 1]
            start = number + 1
    yield text[start:]


def _is_in_code(text: str, start: int, number: int) -> bool:
    """Tells whether a place in a sentence that begins at `start` is between two backticks of one line."""
    if text.count("`", start, number) % 2 == 0:
        return False
    rest = text[number : number + _CODE]
    return "`" in rest.partition("\n")[0]


def digest(text: str) -> str:
    """Returns what tells the text of one passage from that of another: twelve hexadecimal digits."""
    from _sha1 import sha1  # type: ignore[import-not-found]  # hashlib costs 3 ms to import

    return str(sha1(text.encode("utf-8", "surrogatepass")).hexdigest()[:12])


def _last(text: str) -> str:
    return text.rsplit(None, 1)[-1]
