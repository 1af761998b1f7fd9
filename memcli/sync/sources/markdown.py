"""Markdown as people write it: front matter, headings, bullets."""

from __future__ import annotations

import re
from collections.abc import Iterator

from memcli.records import Record
from memcli.text.terminal import oneline

_PAIR = re.compile(r"([A-Za-z][\w -]{0,60})\s*:(?:\s+(.*)|\s*)")
_BULLET = re.compile(r"( *)(?:[-*+]|\d{1,3}[.)])\s+(.*)")
_FENCE = re.compile(r" {0,3}(```+|~~~+)")
Value = str | list[str]


class Bullet(Record):
    """One item of a list, on the line `line`, with what is indented under it, or a paragraph; `heading`: the nearest above."""

    line: int
    heading: str
    text: str


def front_matter(text: str) -> tuple[dict[str, Value], str]:
    """Returns (the values above a note, the rest of it). Values are texts and lists of texts; what is nested is passed over."""
    lines = text.removeprefix("\ufeff").split("\n")
    if not lines or lines[0].strip() != "---":
        return {}, text
    end = next((number for number, line in enumerate(lines[1:], 1) if line.strip() in ("---", "...")), 0)
    if not end:
        return {}, text
    values: dict[str, Value] = {}
    name = ""
    for line in lines[1:end]:
        if (pair := _PAIR.fullmatch(line.rstrip())) is not None:
            name = pair[1].strip()
            values[name] = _value(pair[2] or "")
        elif name and line.strip().startswith("- "):
            items = values[name]
            if not isinstance(items, list):
                items = values[name] = []
            items.append(_plain(line.strip()[2:]))
    return values, "\n".join(lines[end + 1 :])


def _value(text: str) -> Value:
    text = text.strip()
    if text.startswith("[") and text.endswith("]"):
        return [_plain(item) for item in text[1:-1].split(",") if item.strip()]
    return _plain(text)


def _plain(text: str) -> str:
    text = text.strip()
    if len(text) > 1 and text[0] == text[-1] and text[0] in "\"'":
        return text[1:-1]
    return text.partition(" #")[0].strip()


def texts(value: Value | None) -> list[str]:
    """Returns a value as a list: a text is split at commas."""
    return [item.strip() for item in (value if isinstance(value, list) else (value or "").split(",")) if item.strip()]


def title_of(body: str) -> str:
    """Returns the first heading of the highest level, empty where there is none."""
    headings = [heading for line in _visible(body) if (heading := _heading(line))]
    return min(headings, key=lambda heading: heading[0])[1] if headings else ""


def sections(body: str) -> dict[str, str]:
    """Returns heading -> the text under it; under an empty one what comes before. Of two equal headings the first."""
    texts_under: dict[str, list[str]] = {"": []}
    name = ""
    for line, visible in zip(body.split("\n"), _visible(body)):
        if heading := _heading(visible):
            name = heading[1] if heading[1] not in texts_under else f"{heading[1]} "
            texts_under.setdefault(name, [])
        else:
            texts_under[name].append(line)
    return {heading: "\n".join(lines).strip() for heading, lines in texts_under.items()}


def bullets(body: str) -> Iterator[Bullet]:
    """Yields the items of lists outside code, each with what is indented under it; an item of an item belongs to it."""
    heading, lines, start, depth = "", list[str](), 0, 0
    for number, line in enumerate(_visible(body), 1):
        title, item = _heading(line), _BULLET.fullmatch(line)
        indent = len(line) - len(line.lstrip(" "))
        if lines and (title or not line.strip() or indent <= depth):
            if not line.strip():
                continue
            yield Bullet(start, heading, "\n".join(lines))
            lines = []
        if title:
            heading = oneline(title[1])
        elif lines:
            lines.append(line[depth + 2 :].rstrip() if item else line.strip())
        elif item and item[2].strip():
            lines, start, depth = [item[2].strip()], number, len(item[1])
    if lines:
        yield Bullet(start, heading, "\n".join(lines))


def prose(body: str) -> Iterator[Bullet]:
    """Yields the paragraphs outside of lists, headings and code, each with the heading above it."""
    heading, lines, start, before = "", list[str](), 0, "none"
    for number, line in enumerate([*_visible(body), ""], 1):
        title = _heading(line)
        if not line.strip() or title:
            kind = "none"
        elif _BULLET.fullmatch(line) or (before == "item" and line.startswith(" ")):
            kind = "item"
        else:
            kind = "item" if before == "item" else "text"
        if lines and kind != "text":
            yield Bullet(start, heading, "\n".join(lines))
            lines = []
        if title:
            heading = oneline(title[1])
        if kind == "text":
            start = start if lines else number
            lines.append(line.strip())
        before = kind


def _heading(line: str) -> tuple[int, str] | None:
    """Returns (the level of a heading, its text); None for a line that is none."""
    text = line.lstrip("#")
    level = len(line) - len(text)
    words = text.strip().rstrip("#").strip()
    return (level, words) if 1 <= level <= 6 and text.startswith(" ") and words else None


def without(body: str, start: str, end: str) -> str:
    """Returns a text without what stands between two marks; its lines keep their numbers."""
    pieces, at = [], 0
    while (begin := body.find(start, at)) >= 0 and (stop := body.find(end, begin)) >= 0:
        pieces += [body[at:begin], "\n" * body.count("\n", begin, stop)]
        at = stop + len(end)
    return "".join([*pieces, body[at:]])


def _visible(body: str) -> list[str]:
    """Returns the lines of a text, those of code blocks and comments emptied."""
    body = without(body, "<!--", "-->")
    fence, lines = "", []
    for line in body.split("\n"):
        match = _FENCE.match(line)
        if fence:
            lines.append("")
            fence = "" if match and match[1].startswith(fence) and line.strip() == match[1] else fence
        elif match:
            fence = match[1]
            lines.append("")
        else:
            lines.append(line.expandtabs(4).rstrip())
    return lines
