"""Secrets in tables: in the cell beside the name, or in all rows below it where it heads a column.

A table is read once and to its end, so that no row of it is left out, and the time stays linear whatever names stand in it.
"""

from __future__ import annotations

from memcli.screening.lists import judged
from memcli.screening.values import (
    before_end,
    ends_in_secret,
    is_technical,
    lines_from,
    only_describes,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Container, Sequence

    from memcli.screening import Span
    from memcli.screening.assigned import Reach
    from memcli.screening.lists import Value

_LONGEST_ROW, _ROWS_ABOVE = 512, 24  # of the head of a table, and above a cell
_AROUND = b' *`_"\r\t[]'  # the name in its cell
_BLANK = b" *`_\r\t"
_BESIDE_LETTERS = b"_-/.#()" + bytes(range(0x80, 0x100))  # of a name, which may be of any language
_MARKS = b" \t>#/*-"  # of a quotation or a comment that the table stands in
_HEADER = b":header:"  # of a table of reStructuredText
_MORE_CELLS = 4  # of a row than its table has columns, where a value holds the sign between them
_BARS = (b"|", "│".encode(), "┃".encode(), "║".encode())
_STROKES = (b"-", b"=", "─".encode(), "━".encode(), "═".encode())  # of the line between a head and its rows
_OF_RULES = b"|-+: \t\r=>#" + bytes(range(0x80, 0xC0)) + b"\xe2"  # of plain signs and of boxes
_SIGNS = (*_BARS, b"\t", b",", b";", b"&", b":")  # between cells
_SIDES = (b"|", b">", b"#", b"\xe2")  # how a row begins
_MOST_WORDS = 3  # of the head of a column
_MISFITS = 2  # rows in succession that end a table


def in_table(raw: bytes, name: tuple[int, int], reach: Reach) -> list[Span]:
    """Returns the values of a name in a table: in the cell beside it, or those of all columns where it heads one."""
    above, newline, cells_before = raw[max(0, name[0] - _LONGEST_ROW) : name[0]].rpartition(b"\n")
    begin = name[0] - len(cells_before)
    end = raw.find(b"\n", name[1], name[1] + _LONGEST_ROW)
    end = end if end >= 0 else min(len(raw), name[1] + _LONGEST_ROW)
    if (not newline and name[0] > _LONGEST_ROW) or begin == reach.begin:
        return []
    line = raw[begin:end]
    sign = _sign(line)
    if not sign:
        return _in_columns(raw, begin, line, name, reach)
    cells = [cell.rpartition(_HEADER)[2] for _, cell in _cells(line, sign)]
    column = len(_cells(raw[begin : name[0]], sign)) - 1
    label = _label(cells[column]) if column < len(cells) else b""
    if not label.endswith(raw[name[0] : name[1]].replace(b" ", b"_")) or not ends_in_secret(label):
        return []
    rows = above.split(b"\n")[::-1]
    under = raw[end + 1 : end + 1 + _LONGEST_ROW].partition(b"\n")[0]
    is_head = _is_rule(under) or _is_list(cells, sign)
    if is_head and raw[end : end + 1] == b"\n" and not reach.is_read(begin) and _is_first(rows, sign, len(cells)):
        spans, read = in_rows(raw, end + 1, sign, cells)
        reach.extend(begin, read)
        if spans or _is_rule(under):
            return spans
    count = min(len(cells), len(_cells(before_end(line), sign)))  # the line may stand in a string
    is_pair = sign not in _BARS and count == 2 and column == 0 and _is_name(_in_string(cells[0])) and sign != b":"
    is_argument = raw[name[0] - 1 : name[0]] == b"(" and raw[name[0] - 2 : name[0] - 1].isalnum()
    if not (sign in _BARS or is_pair) or is_argument:
        return []
    head = next((row for row in rows[1:_ROWS_ABOVE] if len(_cells(row, sign)) == len(cells) and not _is_rule(row)), b"")
    if any(map(_is_rule, rows[:_ROWS_ABOVE])) and only_describes(head.split(sign)[column + 1 : column + 2]):
        return []
    beside = _cells(line, sign)[column + 1 : column + 2]
    values = [(begin + beside[0][0], beside[0][1])] if beside else []
    return judged(label, [value for cell in values for value in _value(*cell)])


def _sign(line: bytes) -> bytes:
    """Returns what stands between the cells of a row, "" where nothing does."""
    sign = next((sign for sign in _SIGNS if sign in line), b"")
    if sign == b"," and line.count(b";") > line.count(b","):
        return b";"
    return b"" if sign == b":" and (b" " in line.strip() or b"/" in line) else sign


def _is_first(rows: Sequence[bytes], sign: bytes, count: int) -> bool:
    """True for what stands below no other row of its table. `rows`: the lines above, the nearest first."""
    above = next((row for row in rows[:2] if not _is_rule(row)), b"")
    return above.rstrip().endswith(b":") or len(_cells(above, sign)) != count


def _is_rule(row: bytes) -> bool:
    """True for the line between the head of a table and its rows."""
    return any(stroke in row for stroke in _STROKES) and not row.translate(None, _OF_RULES)


def _is_list(cells: Sequence[bytes], sign: bytes) -> bool:
    """True for cells that may all head columns: each holds a name of a few words."""
    plain = [_in_string(cell) for cell in cells]
    may_be_empty = sign in _BARS or sign == b"\t"
    return len(cells) > 1 and all(_is_name(cell) for cell in plain if cell.strip(_MARKS) or not may_be_empty)


def _in_string(cell: bytes) -> bytes:
    """Returns a cell without quotes, and without what stands before the string that the table may stand in."""
    cell = cell.strip(_BLANK)
    is_quoted = len(cell) > 1 and cell[:1] == cell[-1:] == b'"'
    return cell[1:-1] if is_quoted else cell.rpartition(b'"')[2]


def _is_name(cell: bytes) -> bool:
    words = cell.strip(b" *`").translate(None, _BESIDE_LETTERS).split()
    return len(words) <= _MOST_WORDS and all(word.isalnum() for word in words) and bool(words)


def _label(cell: bytes) -> bytes:
    """Returns the name that a cell holds, "" where it holds more."""
    words = cell.strip(_AROUND).split()
    return b"_".join(words) if len(words) <= _MOST_WORDS else b""


def _cells(row: bytes, sign: bytes) -> list[Value]:
    """Returns the cells of a row. A sign inside quotes parts nothing."""
    if sign in _BARS and sign not in row:  # the head of a box may have heavier lines
        sign = next((bar for bar in _BARS if bar in row), sign)
    row = row if row[:2] != b"||" else b" |" + row[2:].replace(b"||", b" |")  # heads of wikis
    if sign == b"&":
        row = row.partition(b"\\\\")[0]  # the end of a row of LaTeX
    cells, at, first, is_open = [], 0, 0, False
    for part in row.split(sign):
        first = first if is_open else at
        is_odd = part.count(b'"') % 2 == 1
        is_open = is_open != is_odd and (is_open or part.lstrip()[:1] == b'"') and sign not in _BARS
        at += len(part) + len(sign)
        if not is_open:
            cells.append((first, row[first : at - len(sign)]))
    return cells if not is_open else [*cells, (first, row[first:])]


def in_rows(raw: bytes, at: int, sign: bytes, heads: Sequence[bytes]) -> tuple[list[Span], int]:
    """Returns the secrets below those of the heads that name one, and where the table ends that begins at `at`."""
    labels = {column: label for column, cell in enumerate(heads) if ends_in_secret(label := _label(cell))}
    values: dict[int, list[Value]] = {column: [] for column in labels}
    misfits, stop = 0, at
    has_side = sign == b"|" and not heads[0].strip()
    for begin, row in lines_from(raw, at):
        if misfits == _MISFITS:
            break
        cells = _cells(row, sign)
        if len(cells) > len(heads):
            cells = _cells(before_end(row), sign)
        if has_side and len(cells) > 1 and row.strip()[:1] not in _SIDES:
            cells = [(0, b""), *cells]
        more = min(_MORE_CELLS, max(0, len(cells) - len(heads)))
        fits = len(cells) >= (len(heads) if sign not in _BARS else 2)
        misfits = 0 if fits or _is_rule(row) or row.lstrip()[:1] == b":" else misfits + 1
        if fits and not _is_rule(row) and not _is_about(cells, labels):
            for column in labels:
                for first, cell in cells[column : column + 1 + more]:
                    values[column] += _value(begin + first, cell)
        stop = begin + len(row) + 1
    return [span for column, label in labels.items() for span in judged(label, values[column])], stop


def _is_about(cells: Sequence[Value], labels: Container[int]) -> bool:
    """True for a row whose first cell says what of the secret the others are: its length, its type."""
    number = next((number for number, (_, cell) in enumerate(cells) if cell.strip(_MARKS)), 0)
    return number not in labels and only_describes(cells[number][1].split()[-1:])


def _value(first: int, cell: bytes) -> list[Value]:
    """Returns what a cell that begins at `first` holds; nothing for an empty one."""
    value = before_end(cell).strip(b" \t\r`\"'*")
    return [] if not value or is_technical(value) else [(first + cell.find(value), value)]


def _in_columns(raw: bytes, begin: int, line: bytes, name: tuple[int, int], reach: Reach) -> list[Span]:
    """Returns the values below a name in a table whose columns only blanks part."""
    words = [_in_string(word) for word in line.split()]
    label = raw[name[0] : name[1]]
    under = raw[begin + len(line) + 1 : begin + len(line) + 1 + _LONGEST_ROW].partition(b"\n")[0]
    is_ruled = _is_rule(under) and len(under.split()) == len(words) > 1
    is_head = (is_ruled or b"  " in line.strip()) and label in words and all(map(_is_name, words))
    if not is_head or not ends_in_secret(label):
        return []
    above = raw[max(0, begin - 1 - _LONGEST_ROW) : max(0, begin - 1)].rpartition(b"\n")[2].rpartition(b'"')[2]
    if reach.is_read(begin) or (b"  " in above.strip() and len(above.split()) == len(words) and not _is_rule(above)):
        return []
    place, number = name[0] - begin, words.index(label)
    stop, misfits = begin + len(line) + 1, 0
    values: list[Value] = []
    for at, row in lines_from(raw, stop):
        if misfits == _MISFITS:
            break
        first = _of_column(row, place, number, len(words), is_ruled)
        misfits = 0 if first >= 0 or _is_rule(row) else misfits + 1
        if first >= 0 and not _is_rule(row):
            values += _value(at + first, row[first:].split(None, 1)[0])
        stop = at + len(row) + 1
    reach.extend(begin, stop)
    return judged(label, values)


def _of_column(row: bytes, place: int, number: int, count: int, is_ruled: bool) -> int:
    """Returns where a word begins in a row, below the place of the head or as the word of its number; -1 for none."""
    is_wide = b"  " in row.strip() or (is_ruled and len(row.split()) >= count)
    if row[place : place + 1].strip() and not row[place - 1 : place].strip() and is_wide:
        return place
    words = row.split(None, number + 1)
    if len(row.split()) != count or len(words) <= number:
        return -1
    return row.rfind(words[number]) if number == count - 1 else row.find(words[number])
