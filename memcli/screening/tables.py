"""Secrets in tables, of Markdown or with commas: in the cell beside the name, or below it where it heads a column."""

from __future__ import annotations

from memcli.screening.values import before_end, ends_in_secret, rule_for

TYPE_CHECKING = False
if TYPE_CHECKING:
    from memcli.screening import Span

_LONGEST_ROW, _MOST_ROWS = 512, 24  # of a table


def in_table(raw: bytes, name: tuple[int, int]) -> list[Span]:
    """Returns the values of a name in a table: in the cell beside it, or below it where it heads a column."""
    above, newline, cells_before = raw[max(0, name[0] - _LONGEST_ROW) : name[0]].rpartition(b"\n")
    if not newline and name[0] > _LONGEST_ROW:
        return []
    begin = name[0] - len(cells_before)
    end = raw.find(b"\n", name[1], name[1] + _LONGEST_ROW)
    end = end if end >= 0 else min(len(raw), name[1] + _LONGEST_ROW)
    sign = b"|" if b"|" in raw[begin:end] else b","
    cells = raw[begin:end].split(sign)
    column = raw[begin : name[0]].count(sign)
    label = raw[name[0] : name[1]]
    if column >= len(cells) or cells[column].strip(b' *`_"\r') != label or not ends_in_secret(label):
        return []
    under = raw[end + 1 : end + 1 + _LONGEST_ROW].partition(b"\n")[0]
    is_ruled = b"-" in under and not under.translate(None, b"|-: \t\r")
    is_list = b"pass" in label.lower() and all(
        cell.strip(b' "\r').rpartition(b'"')[2].replace(b"_", b"a").isalnum() for cell in cells
    )
    is_first = above.rpartition(b"\n")[2].count(sign) != len(cells) - 1
    is_head = is_first and (is_ruled if sign == b"|" else is_list and len(cells) > 1)
    if not is_head:
        return _cell(begin, cells, column + 1, label) if sign == b"|" else []
    spans: list[Span] = []
    at = end + 1
    for row in raw[at : at + _LONGEST_ROW * _MOST_ROWS].split(b"\n")[:_MOST_ROWS]:
        values = row.split(sign)
        if len(values) > len(cells):
            values = before_end(row).split(sign)
        if len(values) != len(cells):
            break
        spans += _cell(at, values, column, label)
        at += len(row) + 1
    return spans


def _cell(at: int, cells: list[bytes], column: int, label: bytes) -> list[Span]:
    """Returns the secret in a cell of a row that begins at `at`."""
    if column >= len(cells):
        return []
    value = before_end(cells[column]).strip(b" \t\r`\"'*")
    first = at + sum([len(cell) + 1 for cell in cells[:column]]) + cells[column].find(value)
    return [(first, first + len(value), rule)] if value and (rule := rule_for(label, value, True)) else []
