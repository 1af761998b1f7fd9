"""Markdown as people write it: front matter, headings, items of lists, paragraphs."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import lru_cache
from itertools import pairwise

from markdown_it import MarkdownIt
from markdown_it.token import Token

from memcli.records import Record
from memcli.sync.sources.shape import Entry, skip
from memcli.text.terminal import oneline

_PAIR = re.compile(r"([A-Za-z][\w -]{0,60})\s*:(?:\s+(.*)|\s*)")
_BULLET = re.compile(r"( *)(?:[-*+]|\d{1,3}[.)])\s+(.*)")
_QUOTED = re.compile(r"^ {0,3}> ?", re.MULTILINE)
# Blocks only. Definitions of links and HTML stay paragraphs: they are text that somebody wrote.
_PARSER = MarkdownIt("commonmark").enable("table").disable(["inline", "reference", "html_block"])
_KINDS = {"list_item_open": "item", "paragraph_open": "text", "blockquote_open": "text", "table_open": "table"}
_NOT_TAKEN = {"code": "blocks of code", "table": "tables"}  # kind of a block -> why it is no memory
Value = str | list[str]


class MarkdownBlock(Record):
    """An item of a list with what is indented under it, a paragraph, code or a table.

    `line`: the first one; `heading`: the nearest above; `text`: without blank lines, and without code in an item.
    """

    kind: str
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
    headings = [(opening.tag, words) for opening, words in _headings(_tokens(body))]
    return min(headings, key=lambda heading: heading[0])[1] if headings else ""


def sections(body: str) -> dict[str, str]:
    """Returns heading -> the text under it; under an empty one what comes before. Of two equal headings the first."""
    lines = body.split("\n")
    texts_under: dict[str, list[str]] = {}
    name, start = "", 0
    for (first, end), heading in [
        *((_place(opening), words) for opening, words in _headings(_tokens(body))),
        ((len(lines), 0), ""),
    ]:
        texts_under.setdefault(name, []).extend(lines[start:first])
        name, start = (heading if heading not in texts_under else f"{heading} "), end
    return {heading: "\n".join(under).strip() for heading, under in texts_under.items()}


def blocks(body: str) -> Iterator[MarkdownBlock]:
    """Yields the blocks of a text. What is inside of an item or a quotation belongs to it, but code is a block of its own."""
    tokens = _tokens(body)
    lines = [line.expandtabs(4).rstrip() for line in _uncommented(body).split("\n")]
    headings = {id(opening): oneline(words) for opening, words in _headings(tokens)}
    code = {number for token in tokens if _is_code(token) for number in range(*_place(token))}
    heading, end = "", 0
    for token in tokens:
        heading = headings.get(id(token), heading)
        kind = "code" if _is_code(token) else _KINDS.get(token.type)
        if kind is None or (_place(token)[0] < end and kind != "code"):
            continue
        start, stop = _place(token)
        end = max(end, stop)
        words = [
            line
            for number, line in enumerate(lines[start:stop], start)
            if line.strip() and (number not in code or kind == "code")
        ]
        if text := _QUOTED.sub("", "\n".join(_item(words) if kind == "item" else [line.strip() for line in words])):
            yield MarkdownBlock(kind, start + 1, heading, text)


def bullets(body: str) -> list[MarkdownBlock]:
    """Returns the items of lists; an item of an item belongs to it."""
    return [block for block in blocks(body) if block.kind == "item"]


def fenced(body: str) -> Iterator[int]:
    """Yields the numbers, from 0, of the lines of fences, the marks with them. A fence that nothing ends is none."""
    lines = body.split("\n")
    for token in _PARSER.parse(body.replace("\r", " ")):  # to the parser it ends a line, too
        start, end = _place(token)
        last = lines[end - 1].strip(" \t>")
        if token.type == "fence" and end - 1 > start and last.startswith(token.markup) and not last.strip(token.markup[0]):
            yield from range(start, end)


def not_taken(parts: Sequence[MarkdownBlock], name: str) -> Iterator[Entry]:
    """Yields what says how many blocks of a file are of a kind that is never a memory."""
    for kind, reason in _NOT_TAKEN.items():
        if count := [part.kind for part in parts].count(kind):
            yield skip(reason, name, count)


def _item(lines: Sequence[str]) -> list[str]:
    """Returns the lines of an item, without its mark; items in it are indented as far as they are below it."""
    if not lines or not (mark := _BULLET.fullmatch(lines[0])):
        return []
    depth = len(mark[1]) + 2
    return [mark[2].strip(), *[line[depth:] if _BULLET.fullmatch(line) else line.strip() for line in lines[1:]]]


@lru_cache(maxsize=1)  # a file's title, sections and blocks are asked for one after the other
def _tokens(body: str) -> list[Token]:
    return _PARSER.parse(_uncommented(body))


def _uncommented(body: str) -> str:
    """Returns a text without comments; its lines are those of the text."""
    return without(body.replace("\r", " "), "<!--", "-->")


def _headings(tokens: Sequence[Token]) -> Iterator[tuple[Token, str]]:
    for opening, inline in pairwise(tokens):
        if opening.type == "heading_open" and opening.level == 0 and inline.content:
            yield opening, inline.content


def _place(token: Token) -> tuple[int, int]:
    """Returns (the first line of a block, the line after it), from 0."""
    start, end = token.map or (0, 0)
    return start, end


def _is_code(token: Token) -> bool:
    return token.type in ("fence", "code_block")


def without(body: str, start: str, end: str) -> str:
    """Returns a text without what stands between two marks; its lines keep their numbers."""
    pieces, at = [], 0
    while (begin := body.find(start, at)) >= 0 and (stop := body.find(end, begin)) >= 0:
        pieces += [body[at:begin], "\n" * body.count("\n", begin, stop)]
        at = stop + len(end)
    return "".join([*pieces, body[at:]])
