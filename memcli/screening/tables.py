"""Secrets in tables: in the cell beside the name, or below it where it heads a column; in the rows that SQL inserts."""

from __future__ import annotations

from memcli.screening.values import before_end, ends_in_secret, is_technical, only_describes, rule_for

TYPE_CHECKING = False
if TYPE_CHECKING:
    from memcli.screening import Span

_LONGEST_ROW, _MOST_ROWS = 512, 24  # of a table
_AROUND = b' *`_"\r\t[]'  # the name in its cell
_VALUES = b"values"
_COLUMNS = 256  # bytes of a list of columns before and behind a name
_INSERTED = 4_096  # bytes of the rows that SQL inserts


def in_table(raw: bytes, name: tuple[int, int]) -> list[Span]:
    """Returns the values of a name in a table: in the cell beside it, or below it where it heads a column."""
    above, newline, cells_before = raw[max(0, name[0] - _LONGEST_ROW) : name[0]].rpartition(b"\n")
    if not newline and name[0] > _LONGEST_ROW:
        return []
    begin = name[0] - len(cells_before)
    end = raw.find(b"\n", name[1], name[1] + _LONGEST_ROW)
    end = end if end >= 0 else min(len(raw), name[1] + _LONGEST_ROW)
    line = raw[begin:end]
    sign = next((sign for sign in (b"|", b"\t", b",", b";") if sign in line), b"")
    if not sign:
        return _in_columns(raw, begin, end, name)
    cells = line.split(sign)
    column = raw[begin : name[0]].count(sign)
    if column >= len(cells):
        return []
    words = cells[column].strip(_AROUND).split()
    label = b"_".join(words)
    if not 1 <= len(words) <= 3 or not label.endswith(raw[name[0] : name[1]]) or not ends_in_secret(label):
        return []
    rows = above.split(b"\n")[::-1]
    is_first = rows[0].count(sign) != len(cells) - 1 and not _is_rule(rows[0])
    is_first = is_first or (_is_rule(rows[0]) and b"".join(rows[1:2]).count(sign) != len(cells) - 1)
    is_list = len(cells) > 1 and all(_is_name(cell) for cell in cells if cell.rpartition(b'"')[2].strip() or sign != b"|")
    under = raw[end + 1 : end + 1 + _LONGEST_ROW].partition(b"\n")[0]
    spans: list[Span] = []
    if is_first and (_is_rule(under) or is_list):
        spans = _in_rows(raw, end + 1, sign, len(cells), column, label)
    if spans or sign != b"|" or (is_first and _is_rule(under)):
        return spans
    head = next((row for row in rows[1:_MOST_ROWS] if row.count(sign) == len(cells) - 1 and not _is_rule(row)), b"")
    if any(_is_rule(row) for row in rows[:_MOST_ROWS]) and only_describes(head.split(sign)[column + 1 : column + 2]):
        return []
    return _cell(begin, cells, column + 1, label)


def _in_columns(raw: bytes, begin: int, end: int, name: tuple[int, int]) -> list[Span]:
    """Returns the values below a name in a table whose columns only blanks part."""
    heads = raw[begin:end].split()
    label = raw[name[0] : name[1]]
    if b"  " not in raw[begin:end].strip() or label not in heads or not all(map(_is_name, heads)) or not ends_in_secret(label):
        return []
    column = heads.index(label)
    spans: list[Span] = []
    at = end + 1
    for row in raw[at : at + _LONGEST_ROW * _MOST_ROWS].split(b"\n")[:_MOST_ROWS]:
        words = row.split()
        if len(words) != len(heads) and not _is_rule(row):
            break
        if not _is_rule(row) and (rule := rule_for(label, words[column], True)):
            first = at + (row.rfind(words[column]) if column == len(heads) - 1 else row.find(words[column]))
            spans.append((first, first + len(words[column]), rule))
        at += len(row) + 1
    return spans


def _is_rule(row: bytes) -> bool:
    """True for the line between the head of a table and its rows."""
    return b"-" in row and not row.translate(None, b"|-+: \t\r=")


def _is_name(cell: bytes) -> bool:
    """True for what may head a column: a name of one word."""
    return cell.strip(b' "\r\t*`').rpartition(b'"')[2].replace(b"_", b"a").replace(b"-", b"a").isalnum()


def _in_rows(raw: bytes, at: int, sign: bytes, count: int, column: int, label: bytes) -> list[Span]:
    spans: list[Span] = []
    for row in raw[at : at + _LONGEST_ROW * _MOST_ROWS].split(b"\n")[:_MOST_ROWS]:
        values = row.split(sign)
        if len(values) > count:
            values = before_end(row).split(sign)
        if len(values) != count and not _is_rule(row):
            break
        spans += _cell(at, values, column, label)
        at += len(row) + 1
    return spans


def _cell(at: int, cells: list[bytes], column: int, label: bytes) -> list[Span]:
    """Returns the secret in a cell of a row that begins at `at`."""
    if column >= len(cells):
        return []
    value = before_end(cells[column]).strip(b" \t\r`\"'*")
    if not value or is_technical(value):
        return []
    first = at + sum([len(cell) + 1 for cell in cells[:column]]) + cells[column].find(value)
    return [(first, first + len(value), rule)] if (rule := rule_for(label, value, True)) else []


def inserted(raw: bytes, name: tuple[int, int]) -> list[Span]:
    """Returns the values of a column in `INSERT INTO t (name, password) VALUES ('bob', '...'), ...`."""
    before = raw[max(0, name[0] - _COLUMNS) : name[0]]
    behind = raw[name[1] : name[1] + _COLUMNS]
    rest, closing, after = behind.partition(b")")
    opening = before.rpartition(b"(")[2]
    is_list = closing and b"(" not in rest and b")" not in opening and b"into" in before.lower()
    if not (is_list and ends_in_secret(raw[name[0] : name[1]])) or not after.lstrip().lower().startswith(_VALUES):
        return []
    column = opening.count(b",")
    at = name[1] + len(rest) + 1 + after.lower().find(_VALUES) + len(_VALUES)
    end = min(len(raw), at + _INSERTED)
    spans: list[Span] = []
    while (start := raw.find(b"(", at, end)) >= 0 and not raw[at:start].strip(b" \t\r\n,"):
        cells, at = _row_of_sql(raw, start + 1, end)
        if column < len(cells):
            first, last = cells[column]
            value = raw[first:last].strip()
            if value[:1] in (b"'", b'"') and (rule := rule_for(raw[name[0] : name[1]], value[1:-1], True, True)):
                first = raw.find(value, first) + 1
                spans.append((first, first + len(value) - 2, rule))
    return spans


def _row_of_sql(raw: bytes, at: int, end: int) -> tuple[list[tuple[int, int]], int]:
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
        elif byte in b",)":
            cells.append((first, at))
            first = at + 1
            if byte == 41:
                return cells, at + 1
        at += 1
    return cells, end
