"""What of a text is quotation: pasted, quoted or printed by a program. None of it counts as the word of whoever sent the text.

In a marked text each letter of a quotation is replaced by its twin in a plane of private use, which no stored text has. Whatever
looks for words finds none in it, and everything else, such as lines and the marks of Markdown, is where it was. `plain` makes
letters of twins again.

Signs decide: a fence, `>`, an indented block, an element, a line as programs print it, quotation marks of any language, and words
that introduce what others wrote. What has no end runs to the end of the text: too much is quoted rather than too little.
"""

from __future__ import annotations

import re
from functools import lru_cache
from itertools import pairwise
from re import Match

from memcli.text import _quotation_cues as cues
from memcli.text._client_frames import ClientFrames
from memcli.text._pastes import Pastes
from memcli.text._quotation_marks import Marks
from memcli.text.terminal import oneline, storable

_PLANE = 0xF0000
_FIRST, _LAST = chr(_PLANE), chr(_PLANE + 0xFFFF)
_STRETCH = re.compile(f"[{_FIRST}-{_LAST}](?:[\\W\\d_]*[{_FIRST}-{_LAST}])?")  # of a quotation, from letter to letter
_KEPT = 128  # texts that are kept marked: whoever works up a turn asks for the same ones again and again
_NAME = 3  # words of a quotation that names something
_FENCES = ("```", "~~~")
_INDENT = 4  # spaces before the lines of a block of code
_MARKS = ('"', "“", "„", "«", "»", "‹", "「", "『", "'", "‘", "‚", "```")  # what opens a quotation that shows where it ends


def marked(text: str, is_answer: bool = False) -> str:
    """Returns a text in which the letters of quotations are replaced by their twins. `is_answer`: an agent wrote it.

    A person pastes whole documents behind a line that names them; an agent goes on in its own words after a paragraph.
    """
    return _marked(text, is_answer)


@lru_cache(_KEPT)
def _marked(text: str, is_answer: bool) -> str:
    text = storable(text)
    if not is_answer and (whole := cues.COMMAND_LINE.fullmatch(text)):
        return f"{whole[1]}{marked(whole[2])}{whole[3]}"
    scan = _Scan(text, is_answer)
    scan.blocks()
    scan.introduced()
    scan.marks()
    if not any(scan.quoted):
        return text
    return "".join([_twin(char) if is_quoted else char for char, is_quoted in zip(text, scan.quoted)])


def plain(text: str) -> str:
    """Returns a text with letters in the place of their twins."""
    if text.isascii() or not _has_twins(text):
        return text
    return "".join([chr(ord(char) - _PLANE) if _FIRST <= char <= _LAST else char for char in text])


def is_quoted(text: str) -> bool:
    """Tells whether a marked text is quotation alone: no letter of it is its writer's own."""
    return _has_twins(text) and not any(char.isalpha() for char in text)


def quotes_more(text: str) -> bool:
    """Tells whether a marked text has more letters of quotations than of its own."""
    twins = sum([_FIRST <= char <= _LAST for char in text])
    return twins > sum([char.isalpha() for char in text])


def own(text: str) -> str:
    """Returns the lines of a marked text that are not quotation alone, and no fences; still marked."""
    return "\n".join([line for line in text.split("\n") if not (is_quoted(line) or line.lstrip().startswith(_FENCES))])


def elided(text: str) -> str:
    """Returns a marked text as plain text in which each quotation of more than a few words is three dots."""
    return plain(_STRETCH.sub(lambda it: it.group() if len(it.group().split()) <= _NAME else "…", text))


def joined(text: str) -> str:
    """Returns a marked text on one line. What acts on a reader is in it still, until it is plain and `oneline` writes it out."""
    return " ".join(text.split())


def own_words(text: str, is_answer: bool = False) -> str:
    """Returns what is no quotation of a text as one line of those lines that have something of it."""
    return oneline(plain(own(marked(text, is_answer))))


def _has_twins(text: str) -> bool:
    return any(_FIRST <= char <= _LAST for char in text)


def _twin(char: str) -> str:
    return chr(ord(char) + _PLANE) if char.isalpha() and ord(char) < 0xFFFE else char


class _Scan:
    """Looks a text through for quotations. `quoted`: of each character whether it stands in one."""

    def __init__(self, text: str, is_answer: bool) -> None:
        self.text = text
        self.is_answer = is_answer
        self.quoted = bytearray(len(text))
        self.lines: list[tuple[int, int]] = []  # where each begins and ends
        start = 0
        for line in text.split("\n"):
            self.lines.append((start, start + len(line)))
            start += len(line) + 1
        self._blanks = [match.start() for match in re.finditer(r"\n[ \t\r]*\n", text)]  # ends of paragraphs
        self._marks = Marks(text, self._blanks)
        lines = [self._line(number) for number in range(len(self.lines))]
        self._pastes = Pastes(lines, is_answer)
        self._frames = ClientFrames([] if is_answer else lines)
        self._ends: dict[str, int] = {}  # of elements, by name
        self._kinds = [""] * len(self.lines)  # block: of a quotation that shows where it ends; log: as programs print

    def _line(self, number: int) -> str:
        start, end = self.lines[number]
        return self.text[start:end].rstrip("\r")

    def _quote(self, start: int, end: int) -> None:
        self.quoted[start:end] = b"\1" * (min(end, len(self.text)) - start)

    def _quote_lines(self, first: int, last: int, kind: str) -> None:
        for number in range(first, min(last, len(self.lines) - 1) + 1):
            self._quote(*self.lines[number])
            self._kinds[number] = kind

    def _number_at(self, position: int) -> int:
        return next((number for number, (_, end) in enumerate(self.lines) if position <= end), len(self.lines) - 1)

    # Blocks

    def blocks(self) -> None:
        """Finds what is quoted line by line."""
        number, base = 0, self._base()
        is_listed = is_code = False
        while number < len(self.lines):
            line = self._line(number)
            indent = _indent(line) - base
            if not line.strip():
                number += 1
                continue
            is_apart = number == 0 or not self._line(number - 1).strip() or is_code
            is_listed = bool(cues.ITEM.match(line)) or (is_listed and (indent > 0 or not is_apart))
            is_code = is_apart and indent >= _INDENT and not is_listed
            last = self._end_of_block(number)
            if last is not None:
                self._quote_lines(number, last, "block")
                number = last + 1
            elif (fence := cues.FENCE_BEHIND.match(line)) and line.count(fence.group(1)) % 2:
                last = self._end_of_fence(number, fence)
                self._quote_lines(number + 1, last, "block")
                number = last + 1
            elif (last := self._pastes.end(number)) is not None:
                self._quote_lines(number, last, "block")
                number = last + 1
            elif is_code or cues.QUOTE_LINE.match(line):
                self._quote_lines(number, number, "block")
                number += 1
            elif cues.DIFF.match(line) or cues.TYPED.match(line):
                last = self._end_of_printed(number, bool(cues.DIFF.match(line)))
                self._quote_lines(number, last, "log")
                number = last + 1
            elif cues.LOG.match(line):
                self._quote_lines(number, number, "log")
                number += 1
            else:
                number = self._elements(number) + 1
        self._fill()

    def _base(self) -> int:
        """Returns by how much all lines are indented."""
        lines = [line for start, end in self.lines if (line := self.text[start:end]).strip()]
        return min([_typed_indent(line) for line in lines], default=0)

    def _end_of_block(self, number: int) -> int | None:
        """Returns the last line of a block that begins in a line with a mark of its own, None where none does."""
        line = self._line(number)
        if not self.is_answer and (last := self._frames.end(number)) is not None:
            return last
        if fence := cues.FENCE.match(line):
            return self._end_of_fence(number, fence)
        for begins, ends in cues.BLOCKS:
            if match := begins.match(line):
                end = re.compile(ends % re.escape(match.group(1)), re.I)
                if end.search(line, match.end()):
                    return number
                return next((at for at in range(number + 1, len(self.lines)) if end.search(self._line(at))), len(self.lines) - 1)
        return None

    def _end_of_fence(self, number: int, fence: Match[str]) -> int:
        """Returns the last line of a fenced block. A fence in it that names a language begins a block of its own.

        In one of prose bare fences do so, too, where as many follow that the last of them ends it all.
        """
        mark = fence.group(1)
        bare: list[int] = []
        depth = 1
        for at in range(number + 1, len(self.lines)):
            inner = cues.FENCE.match(self._line(at))
            if inner is None or inner.group(1)[0] != mark[0] or len(inner.group(1)) < len(mark):
                continue
            if inner.group(2).strip():
                depth += 1
            else:
                depth -= 1
                bare.append(at)
            if depth == 0 and not cues.FENCE_OF_PROSE.match(fence.group(2)):
                return at
        if depth > 0 or not bare:
            return len(self.lines) - 1
        return bare[0] if len(bare) % 2 == 0 else bare[-1]

    def _end_of_printed(self, number: int, is_diff: bool) -> int:
        """Returns the last line of what a command printed, or of a change, which begins in a line."""
        for at in range(number + 1, len(self.lines)):
            line = self._line(at)
            if not (cues.OF_DIFF.match(line) if is_diff else line.strip()):
                return at - 1
        return len(self.lines) - 1

    def _elements(self, number: int) -> int:
        """Finds the elements that begin in a line. Returns the line that the last of them ends in."""
        start, end = self.lines[number]
        position = start
        while position < end and (tag := cues.ELEMENT.search(self.text, position, end)):
            before = self.text[start : tag.start()]
            is_code = bool(before.count("`") % 2)
            closed = -1 if is_code else self._end_of_element(tag, not before.strip())
            if not is_code:
                self._quote(tag.start(), tag.end())
            if closed >= 0:
                self._quote(tag.start(), closed)
                self._kinds[number] = "" if before.strip() or (tag.group(2) or "p").lower() in cues.OF_PAGES else "block"
                number = self._number_at(closed)
                start, end = self.lines[number]
            position = max(closed, tag.end())
        return number

    def _end_of_element(self, tag: Match[str], is_first: bool) -> int:
        """Returns where an element ends, -1 where a tag begins none. `is_first`: nothing stands before the tag in its line."""
        if tag.group(1):
            closed = self.text.find("-->" if tag.group(1) == "!--" else "]]>", tag.end())
            return closed + 3 if closed >= 0 else len(self.text)
        name = tag.group(2).lower()
        is_typed = name in cues.TRANSPARENT or (name in cues.TRANSPARENT_FIRST and not self.text[: tag.start()].strip())
        if is_typed or tag.group(3).endswith("/"):
            return -1
        depth, last = 1, -1
        has_end = self._last_end_of(name) > tag.end()
        for other in re.compile(rf"<(/?){re.escape(name)}(?:\s[^<>]*)?>", re.I).finditer(self.text, tag.end()) if has_end else ():
            depth += -1 if other.group(1) else 1
            last = other.end() if other.group(1) else last
            if depth == 0 and not self._is_closed_again(name, last):
                return last
        if last >= 0:
            return last if depth <= 0 else len(self.text)
        is_alone = is_first and self.text[tag.end() : tag.end() + 1] == "\n"
        return len(self.text) if is_alone or name in cues.PASTES else -1

    def _last_end_of(self, name: str) -> int:
        """Returns where the last end of elements of a name begins, -1 where there is none."""
        if name not in self._ends:
            self._ends[name] = self.text.lower().rfind(f"</{name}")
        return self._ends[name]

    def _is_closed_again(self, name: str, position: int) -> bool:
        """Tells whether an element is closed once more before another one opens: then what it quotes had the first end tag."""
        other = re.compile(rf"<(/?){re.escape(name)}(?:\s[^<>]*)?>", re.I).search(self.text, position)
        return other is not None and other.group(1) == "/"

    def _fill(self) -> None:
        """Quotes what stands between the lines that a program printed, where no blank line parts them."""
        last = -1
        for number, kind in enumerate(self._kinds):
            if kind == "log":
                if last >= 0:
                    self._quote_lines(last + 1, number - 1, "log")
                last = number
            elif kind == "block" or not self._line(number).strip():
                last = -1

    # What is introduced

    def introduced(self) -> None:
        """Finds what words such as `the page says:` introduce."""
        for number, (start, end) in enumerate(self.lines):
            if self._kinds[number]:
                continue
            line = self._line(number)
            if self.is_answer and (last := self._pastes.end_of_section(number)):
                self._quote_all(number + 1, last)
            elif lead := list(cues.INTRODUCED.finditer(line))[:1] or (
                [] if self.is_answer else [*cues.PASTED.finditer(line), *cues.PASTED_ABROAD.finditer(line)][:1]
            ):
                is_printed = bool(cues.PRINTED.search(lead[0].group()))
                rest = line[lead[0].end() :].lstrip(" *_")
                if not rest:
                    self._quote_below(number, is_printed, bool(cues.DOCUMENT.search(lead[0].group())))
                elif not rest.startswith(_MARKS):
                    self._quote(start + lead[0].end(), end)
                    if not is_printed:
                        self._quote_paragraph(number + 1)
        if self.is_answer:
            self._quote_reported()

    def _quote_reported(self) -> None:
        """Quotes what a sentence says that others wrote: what stands behind the words that say so, or else before them."""
        for start, end in pairwise([0, *self._blanks, len(self.text)]):
            for report in cues.REPORTED.finditer(self.text, start, end):
                if self.quoted[report.start()]:
                    continue
                stop = cues.END.search(self.text, report.end(), end)
                last = stop.start() if stop else end
                if len(self.text[report.end() : last].split()) > 1:
                    self._quote(report.end(), last)
                else:
                    ends = [it.end() for it in cues.END.finditer(self.text, start, report.start())]
                    self._quote(ends[-1] if ends else start, report.start())

    def _quote_below(self, number: int, is_printed: bool, is_document: bool) -> None:
        """Quotes what follows a line that introduces it: what shows by itself where it ends, a paragraph, or all the rest."""
        first = next((at for at in range(number + 1, len(self.lines)) if self._line(at).strip()), None)
        if first is None or self._kinds[first] == "block":
            return
        if rule := cues.RULE.match(self._line(first)):
            ends = (at for at in range(first + 1, len(self.lines)) if self._line(at).strip() == rule.group(1))
            self._quote_lines(first, next(ends, len(self.lines) - 1), "block")
            return
        if self.is_answer and is_document:
            self._quote_all(first, self._pastes.end_of_document(first, self._kinds))
        elif is_printed or self.is_answer:
            self._quote_paragraph(first)
        else:
            self._quote_lines(first, len(self.lines) - 1, "block")

    def _quote_paragraph(self, number: int) -> None:
        lines = range(number, len(self.lines))
        self._quote_all(number, next((at - 1 for at in lines if not self._line(at).strip()), lines.stop - 1))

    def _quote_all(self, first: int, last: int) -> None:
        for number in range(first, last + 1):
            self._quote_lines(number, number, self._kinds[number] or "block")

    # Quotation marks

    def marks(self) -> None:
        """Finds what stands between quotation marks, and longer code in a line. A word by itself is a name, and no quotation."""
        position = 0
        while opening := cues.OPENING.search(self.text, position):
            position = opening.end()
            if self.quoted[opening.start()]:
                continue
            end = self._marks.end(opening)
            if end is None:
                continue
            if len(self.text[opening.end() : end].split()) > 1:
                self._quote(opening.end(), end)
            position = end + 1


def _indent(line: str) -> int:
    expanded = line.expandtabs(_INDENT)
    return len(expanded) - len(expanded.lstrip())


def _typed_indent(line: str) -> int:
    """Returns the width of an indent of spaces and tabs alone: other spaces stand before what was copied from a page."""
    typed = line[: len(line) - len(line.lstrip(" \t"))]
    return len(typed.expandtabs(_INDENT))
