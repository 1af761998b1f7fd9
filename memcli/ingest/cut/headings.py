"""The headings of Markdown and reStructuredText.

Markdown is read line by line: markdown-it-py and the tree-sitter grammar find the same headings in all but odd cases, and make
ingesting Markdown 40 % slower.
"""

from __future__ import annotations

import re

from memcli.ingest.cut.document import SourceDocument, text_level
from memcli.ingest.cut.outline import Mark, Style

_NAME = 80  # characters of a heading that names its section
_FRONT_MATTER = 100  # lines within which front matter ends
_ATX = re.compile(r" {0,3}(#{1,6})(?:[ \t]+(.*))?")
_SETEXT = re.compile(r" {0,3}(=+|-+)[ \t]*")
_FENCE = re.compile(r" {0,3}(`{3,}(?!.*`)|~{3,})")
_NO_PARAGRAPH = re.compile(r" {4}|\t| {0,3}(?:[-*+>#|]|\d{1,9}[.)][ \t])")  # a line that = or - below does not make a heading
_UNDERLINE = re.compile(r"([!-/:-@\[-`{-~])\1*[ \t]*")  # of RST: a line of one punctuation mark
# HTML blocks: https://spec.commonmark.org/0.31.2/#html-blocks. Those that end with a text of their own, those that end at a
# blank line, and a tag alone on its line, which does not interrupt a paragraph.
_HTML = re.compile(
    r"""[ ]{0,3}<(?:(!--|\?|!\[cdata\[|!(?=[a-z])|(?:script|pre|style|textarea)(?=[\s>]|$))
    |(/?(?:address|article|aside|blockquote|body|center|dd|details|dialog|div|dl|dt|fieldset|figcaption|figure|footer|form|frame
    |h[1-6]|head|header|hr|html|iframe|legend|li|link|main|menu|nav|ol|optgroup|option|p|param|search|section|summary|table|tbody
    |td|tfoot|th|thead|title|tr|track|ul)(?=[\s/>]|$))
    |/?[a-z][a-z0-9-]*(?:\s[^<>]*)?/?>\s*$)""",
    re.IGNORECASE | re.VERBOSE,
)
_HTML_ENDS = {"!--": "-->", "?": "?>", "![cdata[": "]]>", "!": ">"}

STYLE = Style("section", " > ", text_level)


def markdown(document: SourceDocument) -> list[Mark]:
    """Returns the headings outside code, HTML, quotes and lists, `# such` and underlined ones, after front matter.

    Notes the rows of fenced code.
    """
    marks: list[Mark] = []
    fence = ""
    html_end: str | None = None  # None outside HTML; empty: it ends at a blank line
    for row in range(_front_matter(document.lines), len(document.lines)):
        line = document.lines[row]
        if fence:
            document.code_rows.add(row)
            closing = line.strip()
            if closing.startswith(fence) and not closing.strip(fence[0]):
                fence = ""
        elif html_end is not None or (html_end := _html_end(document, row)) is not None:
            if (html_end and html_end in line.lower()) or (not html_end and document.blank[row]):
                html_end = None
        elif match := _FENCE.match(line):
            fence = match[1]
        elif match := _ATX.fullmatch(line):
            marks.append(Mark(row, len(match[1]), _plain((match[2] or "").rstrip().rstrip("#"))))
        elif row and (match := _SETEXT.fullmatch(line)) and _is_title(document, row - 1, marks):
            marks.append(Mark(row - 1, 1 if "=" in match[1] else 2, _plain(document.lines[row - 1])))
    return marks


def _html_end(document: SourceDocument, row: int) -> str | None:
    """Returns the text that ends the HTML block that begins on a row, empty where a blank line does; None for another line."""
    line = document.lines[row]
    match = _HTML.match(line) if "<" in line[:4] else None
    if not match or not (match[1] or match[2] or not row or document.blank[row - 1]):
        return None
    return _HTML_ENDS.get(match[1].lower(), f"</{match[1].lower()}>") if match[1] else ""


def _is_title(document: SourceDocument, row: int, marks: list[Mark]) -> bool:
    """Tells whether a row can be the one line of text above an underline."""
    above = document.lines[row]
    is_new = not marks or marks[-1].row < row
    is_alone = row == 0 or document.blank[row - 1] or bool(marks and marks[-1].row == row - 1)
    is_paragraph = not document.blank[row] and not _NO_PARAGRAPH.match(above) and not _SETEXT.fullmatch(above)
    return is_new and is_alone and is_paragraph


def _front_matter(lines: list[str]) -> int:
    """Returns the row after front matter, which stands between two lines of `---` at the very beginning."""
    ends = [row for row, line in enumerate(lines[:_FRONT_MATTER]) if line.rstrip() == "---"] if lines[0].rstrip() == "---" else []
    return ends[1] + 1 if len(ends) > 1 else 0


def rst(document: SourceDocument) -> list[Mark]:
    """Returns the titles, underlined or with a line above, too. The depth of a title follows from the order of the styles."""
    marks: list[Mark] = []
    styles: list[tuple[str, bool]] = []
    lines = document.lines
    title_end = 0  # rows before it belong to a title already
    for row in range(1, len(lines)):
        underline = _UNDERLINE.fullmatch(lines[row])
        title = lines[row - 1].rstrip()
        if not underline or row - 1 < title_end or not title.strip() or _UNDERLINE.fullmatch(title):
            continue
        overlined = row - 2 >= title_end and lines[row - 2].rstrip() == lines[row].rstrip()
        first = row - 2 if overlined else row - 1
        length = len(lines[row].rstrip())
        if (title[0].isspace() and not overlined) or length < min(len(title.strip()), 4):
            continue
        if first and not document.blank[first - 1]:
            continue
        if row + 1 < len(lines) and lines[row + 1].rstrip() and length < len(title):
            continue
        style = (underline[1], overlined)
        if style not in styles:
            styles.append(style)
        marks.append(Mark(first, styles.index(style) + 1, _plain(title)))
        title_end = row + 1
    return marks


def _plain(title: str) -> str:
    """Returns a heading as a name: without the markup of links, code and emphasis."""
    title = title[: 4 * _NAME]
    title = re.sub(r"!?\[([^\]]*)\](?:\([^)]*\)|\[[^\]]*\])", r"\1", title)
    title = re.sub(r"\{#[^}]*\}|<[^>]*>|[`*]|(?<!\w)__?|__?(?!\w)", "", title)
    return " ".join(title.split())[:_NAME].strip()
