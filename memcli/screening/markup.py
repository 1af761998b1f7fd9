"""Secrets in tables and lists of markup: HTML, MediaWiki, AsciiDoc with a cell a line, elements of XML."""

from __future__ import annotations

from memcli.screening.lists import is_other, is_plural, judged
from memcli.screening.values import ends_in_secret, is_technical, lines_from

TYPE_CHECKING = False
if TYPE_CHECKING:
    from memcli.screening import Span
    from memcli.screening.assigned import Reach
    from memcli.screening.lists import Value

_ROW = 2_048  # bytes of a row of HTML, and of a head of a wiki
_GAP = 256  # bytes between the rows of a table of HTML
_LINE = 512  # bytes of a line of a wiki
_LIST_TABLE = b".. list-table::"
_MISFITS = 3  # lines in succession that end a table of a wiki


def in_markup(raw: bytes, name: tuple[int, int], reach: Reach) -> list[Span]:
    """Returns the values that stand below a name that heads a column, or inside an element of a name of several."""
    if reach.is_read(name[0]) or not ends_in_secret(raw[name[0] : name[1]]):
        return []
    before = raw[max(0, name[0] - _ROW) : name[0]]
    if b"<" in before and (spans := _in_html(raw, name, before, reach) or _in_xml(raw, name, before, reach)):
        return spans
    line = before.rpartition(b"\n")[2].lstrip()
    begin = before.rfind(_LIST_TABLE)
    if begin >= 0 and line[:2] in (b"* ", b"- "):
        return _in_list_table(raw, name, name[0] - len(before) + begin, reach)
    if line[:1] == b"!":
        return _in_wiki(raw, name, before, reach)
    above = before[: len(before) - len(before.rpartition(b"\n")[2])].rstrip()
    return _in_asciidoc(raw, name, line, reach) if above.endswith(b"|===") and line[:1] == b"|" else []


def _in_html(raw: bytes, name: tuple[int, int], before: bytes, reach: Reach) -> list[Span]:
    cell = max(before.rfind(b"<th"), before.rfind(b"<td"))
    row = before.rfind(b"<tr", 0, cell) if cell >= 0 else -1
    text = raw[name[1] : name[1] + _LINE].partition(b"<")[0]
    if row < 0 or b"</t" in before[cell:] or len(text.split()) > 0:
        return []
    column = len(_cells_of(before[row:])) - 1
    at = name[1]
    values: list[Value] = []
    while (start := raw.find(b"<tr", at, at + _GAP + (0 if at > name[1] else _ROW))) >= 0 and raw.find(b"</table", at, start) < 0:
        end = raw.find(b"</tr", start, start + _ROW)
        end = end if end >= 0 else min(len(raw), start + _ROW)
        cells = _cells_of(raw[start:end])
        if column < len(cells):
            values += _text_of(start + cells[column][0], cells[column][1])
        at = end
    reach.extend(name[0], at)
    return judged(raw[name[0] : name[1]], values)


def _cells_of(row: bytes) -> list[Value]:
    """Returns what stands between the cells of a row of HTML, each with where it begins."""
    first, *cells = row.replace(b"<th", b"<td").replace(b"<tdead", b"<thead").split(b"<td")
    at, places = len(first), []
    for cell in cells:
        at += 3
        places.append((at, cell.partition(b"</td")[0].partition(b"</th")[0]))
        at += len(cell)
    return places


def _text_of(first: int, cell: bytes) -> list[Value]:
    """Returns the text of a cell, without the elements that it stands in."""
    text = cell.partition(b">")[2].lstrip()
    while text[:1] == b"<":
        text = text.partition(b">")[2].lstrip()
    value = text.partition(b"<")[0].rstrip()
    is_value = value and not is_technical(value)
    return [(first + len(cell) - len(text), value)] if is_value else []


def _in_xml(raw: bytes, name: tuple[int, int], before: bytes, reach: Reach) -> list[Span]:
    label = raw[name[0] : name[1]]
    if before[-1:] != b"<" or raw[name[1] : name[1] + 1] != b">" or not is_plural(label):
        return []
    end = raw.find(b"</" + label, name[1])
    values: list[Value] = []
    at = name[1] + 1
    for piece in raw[at : max(at, end)].split(b"<"):
        tag, _, text = piece.partition(b">")
        value = text.strip()
        if value and tag[:1] != b"/" and not is_other((tag.split(None, 1) or [b""])[0]):
            values.append((at + len(tag) + 1 + text.find(value), value))
        at += len(piece) + 1
    reach.extend(name[0], max(end, name[1]) if end >= 0 else len(raw))
    return judged(label, values)


def _in_wiki(raw: bytes, name: tuple[int, int], before: bytes, reach: Reach) -> list[Span]:
    heads: list[bytes] = []
    for line in before.split(b"\n")[::-1]:
        if line.lstrip()[:1] != b"!":
            break
        heads = line.lstrip()[1:].split(b"!!") + heads
    column, number = len(heads) - 1, 0
    end = raw.find(b"\n", name[1], name[1] + _LINE)
    if end < 0 or len(raw[name[1] : end].partition(b"!!")[0].split()) > 0:
        return []
    values: list[Value] = []
    stop, misfits = end + 1, 0
    for at, line in lines_from(raw, stop):
        text = line.lstrip()
        if misfits == _MISFITS or text.startswith(b"|}"):
            break
        is_cell = text[:1] == b"|" and text[1:2] != b"-"
        misfits = misfits + 1 if text[:1] not in (b"|", b"!") else 0
        number = number if is_cell else 0
        first = at + len(line) - len(text) + 1
        for cell in text[1:].split(b"||") if is_cell else []:
            plain = cell.rpartition(b"|")[2]
            value = plain.strip(b" \t\r'")
            if number == column and value:
                values.append((first + len(cell) - len(plain) + plain.find(value), value))
            first += len(cell) + 2
            number += 1
        stop = at + len(line) + 1
    reach.extend(name[0], stop)
    return judged(raw[name[0] : name[1]], values)


def _in_list_table(raw: bytes, name: tuple[int, int], begin: int, reach: Reach) -> list[Span]:
    """Returns the values below a name in a table of lists of reStructuredText, or beside it."""
    rows: list[list[Value]] = []
    stop = begin
    for place, line in lines_from(raw, begin):
        text = line.lstrip(b" ")
        if text and len(text) == len(line) and place > begin:
            break
        stop = place + len(line) + 1
        is_row = text.startswith(b"* - ")
        rows += [[]] if is_row else []
        cell = text[4:] if is_row else text[2:] if text.startswith(b"- ") and rows else b""
        value = cell.strip(b" `*\r")
        if value:
            rows[-1].append((place + len(line) - len(text) + text.find(value, 2), value))
    reach.extend(begin, stop)
    heads = next((row for row in rows if any(first == name[0] or first + len(cell) == name[1] for first, cell in row)), [])
    column = next((number for number, (first, cell) in enumerate(heads) if first + len(cell) == name[1]), -1)
    if column < 0:
        return []
    label = raw[name[0] : name[1]]
    if heads is rows[0] and len(rows) > 1:
        return judged(label, [row[column] for row in rows[1:] if column < len(row)])
    return judged(label, heads[column + 1 : column + 2])


def _in_asciidoc(raw: bytes, name: tuple[int, int], line: bytes, reach: Reach) -> list[Span]:
    end = raw.find(b"\n", name[1], name[1] + _LINE)
    behind = raw[name[1] : max(name[1], end)]
    column, count = line.count(b"|") - 1, line.count(b"|") + behind.count(b"|")
    stop = raw.find(b"|===", name[1])
    if end < 0 or behind.partition(b"|")[0].strip():
        return []
    values: list[Value] = []
    at = end + 1
    for number, cell in enumerate(raw[at : stop if stop >= 0 else len(raw)].split(b"|"), -1):
        value = cell.strip(b" \t\r\n`*")
        if number >= 0 and number % count == column and value:
            values.append((at + cell.find(value), value))
        at += len(cell) + 1
    reach.extend(name[0], at)
    return judged(raw[name[0] : name[1]], values)
