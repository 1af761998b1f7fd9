"""The headings of Markdown and reStructuredText."""

from __future__ import annotations

import re

from memcli.ingest.cut.outline import Mark, Style
from memcli.ingest.cut.paragraphs import paragraph

TYPE_CHECKING = False
if TYPE_CHECKING:
    from memcli.ingest.cut.sheet import Sheet

_NAME = 80  # characters of a heading that names its section
_FRONT = 100  # lines in which front matter ends
_ATX = re.compile(r" {0,3}(#{1,6})(?:[ \t]+(.*))?")
_SETEXT = re.compile(r" {0,3}(=+|-+)[ \t]*")
_FENCE = re.compile(r" {0,3}(`{3,}(?!.*`)|~{3,})")
_NO_PARAGRAPH = re.compile(r" {4}|\t| {0,3}(?:[-*+>#|]|\d{1,9}[.)][ \t])")  # what a line of = or - below does not make a heading
_RULE = re.compile(r"([!-/:-@\[-`{-~])\1*[ \t]*")  # of RST: a line of one sign of punctuation


STYLE = Style("section", " > ", paragraph)


def markdown(sheet: Sheet) -> list[Mark]:
    """Returns the headings outside fenced code, `# so` and underlined ones; not those of front matter."""
    marks: list[Mark] = []
    fence = ""
    for row in range(_front_matter(sheet.lines), len(sheet.lines)):
        line = sheet.lines[row]
        if fence:
            sheet.solid.add(row)
            closing = line.strip()
            if closing.startswith(fence) and not closing.strip(fence[0]):
                fence = ""
        elif found := _FENCE.match(line):
            fence = found[1]
        elif found := _ATX.fullmatch(line):
            marks.append(Mark(row, len(found[1]), _plain((found[2] or "").rstrip().rstrip("#"))))
        elif row and (found := _SETEXT.fullmatch(line)) and _is_title(sheet, row - 1, marks):
            marks.append(Mark(row - 1, 1 if "=" in found[1] else 2, _plain(sheet.lines[row - 1])))
    return marks


def _front_matter(lines: list[str]) -> int:
    """Returns the row after front matter, between two lines of `---` at the very beginning."""
    ends = [row for row, line in enumerate(lines[:_FRONT]) if line.rstrip() == "---"] if lines[0].rstrip() == "---" else []
    return ends[1] + 1 if len(ends) > 1 else 0


def _is_title(sheet: Sheet, row: int, marks: list[Mark]) -> bool:
    """Tells whether a row can be the one line of text above an underline."""
    above = sheet.lines[row]
    fresh = not marks or marks[-1].row < row
    alone = row == 0 or sheet.blank[row - 1] or bool(marks and marks[-1].row == row - 1)
    return not sheet.blank[row] and fresh and alone and not _NO_PARAGRAPH.match(above) and not _SETEXT.fullmatch(above)


def rst(sheet: Sheet) -> list[Mark]:
    """Returns the titles, underlined or with a line above, too. How deep one is follows from the order of their styles."""
    marks: list[Mark] = []
    styles: list[tuple[str, bool]] = []
    after = 0  # rows before it belong to a title already
    for row in range(1, len(sheet.lines)):
        found = _RULE.fullmatch(sheet.lines[row])
        title = sheet.lines[row - 1].rstrip()
        if not found or row - 1 < after or not title.strip() or _RULE.fullmatch(title):
            continue
        over = row - 2 >= after and sheet.lines[row - 2].rstrip() == sheet.lines[row].rstrip()
        first = row - 2 if over else row - 1
        length = len(sheet.lines[row].rstrip())
        if (title[0].isspace() and not over) or length < min(len(title.strip()), 4) or (first and not sheet.blank[first - 1]):
            continue
        if row + 1 < len(sheet.lines) and sheet.lines[row + 1].rstrip() and length < len(title):
            continue
        style = (found[1], over)
        if style not in styles:
            styles.append(style)
        marks.append(Mark(first, styles.index(style) + 1, _plain(title)))
        after = row + 1
    return marks


def _plain(title: str) -> str:
    """Returns a heading as a name: without the marks of links, code and emphasis."""
    title = title[: 4 * _NAME]
    title = re.sub(r"!?\[([^\]]*)\](?:\([^)]*\)|\[[^\]]*\])", r"\1", title)
    title = re.sub(r"\{#[^}]*\}|<[^>]*>|[`*]|(?<!\w)__?|__?(?!\w)", "", title)
    return " ".join(title.split())[:_NAME].strip()
