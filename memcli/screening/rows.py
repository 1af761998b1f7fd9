"""Secrets in the rows below a list of columns: of SQL's INSERT, of JSON, of HTML. All rows are read, each once."""

from __future__ import annotations

from memcli.screening.lists import judged
from memcli.screening.values import QUOTES, ends_in_secret

TYPE_CHECKING = False
if TYPE_CHECKING:
    from memcli.screening import Span
    from memcli.screening.assigned import Reach

_COLUMNS = 256  # bytes of a list of columns before and behind a name
_BETWEEN = 64  # bytes between the columns and the first row
_BRACKETS = {b"(": b")", b"[": b"]"}
_VALUES, _COPY = b"values", b"from stdin"


def below_columns(raw: bytes, name: tuple[int, int], reach: Reach) -> list[Span]:
    """Returns the values of a column in `INSERT INTO t (name, password) VALUES ('bob', '...'), ...` and in
    `"columns": ["name", "password"], "rows": [["bob", "..."], ...]`."""
    before = raw[max(0, name[0] - _COLUMNS) : name[0]]
    opening, names_before = max((before.rfind(sign), sign) for sign in _BRACKETS)
    if opening < 0 or reach.is_read(name[0]):
        return []
    sign, columns = names_before, before[opening + 1 :]
    rest, closing, after = raw[name[1] : name[1] + _COLUMNS].partition(_BRACKETS[sign])
    if not closing or sign in rest or _BRACKETS[sign] in columns or not ends_in_secret(raw[name[0] : name[1]]):
        return []
    at = name[1] + len(rest) + 1
    if sign == b"(":
        if after.lstrip().lower().startswith(_COPY):
            return _copied(raw, name, columns, rest, reach)
        if b"into" not in before.lower() or not after.lstrip().lower().startswith(_VALUES):
            return []
        at += after.lower().find(_VALUES) + len(_VALUES)
    else:
        between, rows, _ = raw[at : at + _BETWEEN].partition(b"[")
        if not rows or not _is_in_string(columns) or between.translate(None, b"\"',:= \n\r\tdatrowsvluecordi"):
            return []
        at += len(between) + (b":" in between or b"=" in between or b"," not in between)
        sign = raw[at : at + _BETWEEN].lstrip()[:1]
        sign = sign if sign in _BRACKETS else b"["
    return _below(raw, at, sign, columns.count(b","), raw[name[0] : name[1]], reach)


def _is_in_string(columns: bytes) -> bool:
    return columns.count(b'"') % 2 == 1 or columns.count(b"'") % 2 == 1


def _copied(raw: bytes, name: tuple[int, int], columns: bytes, rest: bytes, reach: Reach) -> list[Span]:
    """Returns the values of a column in `COPY t (name, password) FROM stdin;`."""
    from memcli.screening.tables import in_rows

    at = raw.find(b"\n", name[1], name[1] + _COLUMNS + _BETWEEN) + 1
    heads = (columns + raw[name[0] : name[1]] + rest).split(b",")
    spans, end = in_rows(raw, at, b"\t", heads) if at else ([], name[1])
    reach.extend(name[0], end)
    return spans


def _below(raw: bytes, at: int, sign: bytes, column: int, label: bytes, reach: Reach) -> list[Span]:
    values = []
    begin, size = at, len(raw)
    while (start := raw.find(sign, at, min(size, at + _BETWEEN))) >= 0 and not raw[at:start].strip(b" \t\r\n,"):
        cells, at = _row(raw, start + 1, size)
        if column < len(cells):
            first, last = cells[column]
            value = raw[first:last].strip()
            if value[:1] in QUOTES and value[:1]:
                values.append((raw.find(value, first) + 1, value[1:-1]))
    reach.extend(begin, at)
    return judged(label, values)


def _row(raw: bytes, at: int, end: int) -> tuple[list[tuple[int, int]], int]:
    """Returns where the values of a row stand that begins at `at`, and the byte behind the bracket that closes it."""
    cells, first, quote, depth = [], at, 0, 0
    while at < end:
        byte = raw[at]
        if quote:
            quote = 0 if byte == quote else quote
        elif byte in b"'\"":
            quote = byte
        elif byte in b"([":
            depth += 1
        elif byte in b")]" and depth:
            depth -= 1
        elif byte in b",)]":
            cells.append((first, at))
            first = at + 1
            if byte in b")]":
                return cells, at + 1
        at += 1
    return cells, end
