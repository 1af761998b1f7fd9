"""Quotation marks of any language, and those of code in a line: where what one opens ends."""

from __future__ import annotations

import re
from bisect import bisect_left
from re import Match

from memcli.text import _quotation_cues as cues


class Marks:
    """The quotation marks of a text. `paragraphs`: where they end."""

    def __init__(self, text: str, paragraphs: list[int]) -> None:
        self._text = text
        self._paragraphs = paragraphs
        self._closings: dict[str, list[int]] = {}  # of each mark that also opens, where it can close

    def end(self, opening: Match[str]) -> int | None:
        """Returns where what a mark opens ends; None where it opens nothing."""
        mark, start = opening.group(), opening.end()
        paragraph = self._end_of_paragraph(start)
        if mark[0] == "`" and (len(mark) != 2 or "''" not in self._text[start:paragraph]):
            return self._end_of_code(mark, start, paragraph)
        if mark in cues.APOSTROPHES:
            ends = [self._closing(sign, start) for sign in cues.PAIRS.get(mark, (mark,))]
            return min([end for end in ends if 0 <= end <= paragraph], default=None)
        if mark == '"':
            end = self._closing(mark, start)
            is_next = end >= 0 and not re.search(r"(?<![\w\\])\"(?=\w)", self._text[start:end])
            return end if 0 <= end <= paragraph or is_next else paragraph
        first, *others = cues.PAIRS[mark]
        if first != mark and (end := self._end_of_pair(mark, first, start)) >= 0:
            return end
        ends = [at for sign in (first, *others) if (at := self._text.find(sign, start)) >= 0]
        return ends[0] if ends else paragraph

    def _end_of_pair(self, mark: str, sign: str, start: int) -> int:
        """Returns where what a mark opens ends, with others of its sort in it; -1: nowhere."""
        depth, last = 1, -1
        if self._text.rfind(sign) < start:
            return -1
        for other in re.compile(f"{mark}|{sign}").finditer(self._text, start):
            depth += 1 if other.group() == mark else -1
            last = other.start() if other.group() == sign else last
            if depth == 0:
                break
        return last

    def _end_of_code(self, mark: str, start: int, paragraph: int) -> int | None:
        """Returns where code in a line ends; a fence that was left open runs to the end of the text."""
        limit = len(self._text) if len(mark) > 2 else paragraph
        closing = re.compile(rf"(?<!`){mark}(?!`)" if len(mark) > 2 else "`+").search(self._text, start, limit)
        return closing.start() if closing else limit if len(mark) > 2 else None

    def _end_of_paragraph(self, position: int) -> int:
        index = bisect_left(self._paragraphs, position)
        return self._paragraphs[index] if index < len(self._paragraphs) else len(self._text)

    def _closing(self, sign: str, start: int) -> int:
        """Returns where a mark that also opens, or is an apostrophe, closes: behind something, before no word; -1: nowhere."""
        if sign not in self._closings:
            self._closings[sign] = [it.start() for it in re.finditer(rf"(?<=\S){re.escape(sign)}(?!\w)", self._text)]
        index = bisect_left(self._closings[sign], start)
        return self._closings[sign][index] if index < len(self._closings[sign]) else -1
