"""The one place that prints. Data goes to standard output, everything else to standard error."""

from __future__ import annotations

import os

from memcli.errors import MemError
from memcli.records import Record
from memcli.text.terminal import columns, padded, visible, wrapped

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from typing import Any

STYLES = {"heading": "35;1", "id": "36", "dim": "2", "bold": "1", "warn": "33", "error": "31", "ok": "32"}
_ANY = 1 << 20  # columns of what is no terminal
_PLAIN = 100  # columns by which lists are aligned there
_ALONE = 44  # columns of a text that stands in no list there
_LEAST = 20  # columns of any text there
_WIDEST = 40  # columns of a cell
_NARROW = 24  # columns that any text gets
_without_color = False
_masked: tuple[str, ...] = ()  # rules that the next JSON answer names


def use_color(enabled: bool) -> None:
    """Turns colour off for this process; on a terminal it is on by default."""
    global _without_color
    _without_color = not enabled


def is_terminal(stream: int = 1) -> bool:
    """Tells whether a person sees what is written to the stream (1: output, 2: errors)."""
    try:
        return os.isatty(stream)
    except OSError:
        return False


def wants_color() -> bool:
    """Tells whether colour was not turned off."""
    return not (_without_color or os.environ.get("NO_COLOR") or os.environ.get("TERM") == "dumb")


def paint(text: str, style: str, stream: int = 1) -> str:
    """Returns the text in a style of STYLES, if the stream is a terminal with colour."""
    if not is_terminal(stream) or not wants_color():
        return text
    return f"\x1b[{STYLES[style]}m{text}\x1b[0m"


def width(stream: int = 1) -> int:
    """Returns how many columns a line may have: on a terminal $COLUMNS or its width, in a file or a pipe any number."""
    if not is_terminal(stream):
        return _ANY
    chosen = os.environ.get("COLUMNS", "")
    if chosen.isdecimal() and 20 < int(chosen) < _ANY:
        return int(chosen)
    try:
        return os.get_terminal_size(stream).columns or _PLAIN
    except OSError:
        return _PLAIN


def is_wide() -> bool:
    """Tells whether lines may have any length, because the output is no terminal."""
    return width() == _ANY


def counted(count: int, thing: str) -> str:
    """Returns a number with its noun: 1 session, 2 sessions."""
    return f"{count:,} {thing}" if count == 1 else f"{count:,} {thing}s"


def counts(pairs: Iterable[tuple[int, str]]) -> str:
    """Returns numbers with their words, without zeros: 3 stored already, 1 still going on."""
    return ", ".join([f"{count:,} {words}" for count, words in pairs if count])


def not_here(count: int) -> str:
    """Returns the words for `count` things that do not hold on this commit."""
    return f"{'does' if count == 1 else 'do'} not hold here"


def invalid_note(count: int, why: str = "") -> list[str]:
    """Returns the line below a list of which `count` entries do not hold here, or no line."""
    return [paint(f"{count:,} of these {not_here(count)}{why}", "dim")] * bool(count)


def paragraph(text: str, indent: int = 0, style: str = "", first: str = "") -> list[str]:
    """Returns a text wrapped into indented lines that fit. `first`: what the first line has in place of its indent, painted."""
    lines = wrapped(text, max(_NARROW, width() - indent))
    painted = [paint(line, style) if style and line else line for line in lines]
    return [(" " * indent if number or not first else first) + line for number, line in enumerate(painted)]


class ListItem(Record):
    """An entry of a list: a name, a text, a few words about it. `remarks` warn; `below`: more lines of text."""

    name: str
    text: str
    tail: str = ""
    remarks: tuple[str, ...] = ()
    below: str = ""


def rows(items: Sequence[ListItem]) -> list[str]:
    """Returns the entries of a list. Texts wrap in their own column; a tail that would take too much of it goes below."""
    names = max([columns(item.name) for item in items], default=0) + 2
    if is_wide():
        return _plain(items, names)
    room = max(_NARROW, width() - names)
    longest = max([columns(item.text) for item in items], default=0)
    tails = max([columns(item.tail) for item in items if columns(item.tail) <= room * 3 // 8], default=0)
    tails = tails if room - tails - 2 >= _NARROW else 0
    texts = max(_NARROW, min(longest, room - tails - 2 if tails else room))
    return [_fitted(item, names, texts, tails) for item in items]


def row(name: str, text: str, tail: str = "") -> str:
    """Returns the lines of one entry; its tail goes below if the text leaves no room."""
    item, names = ListItem(name, text, tail), columns(name) + 2
    free = width() - names - columns(tail) - 2
    if max(columns(text), _LEAST) <= free:
        return _plain([item], names, min(_ALONE, free))[0]
    return _fitted(item, names, max(_NARROW, width() - names), 0)


def _plain(items: Sequence[ListItem], names: int, least: int = 0) -> list[str]:
    """Returns one line per row, which programs can read, followed by what goes below. `least`: columns of a text."""
    tails = [" · ".join([*filter(None, [item.tail]), *item.remarks]) for item in items]
    longest = max([columns(item.text) for item in items], default=0)
    room = max(_LEAST, min(max(longest, least), _PLAIN - names - 2 - max(map(columns, tails), default=0)))
    lines = []
    for item, tail in zip(items, tails):
        line = f"{_name(item, names)}{padded(item.text, room)}  {paint(tail, 'dim') if tail else ''}".rstrip()
        lines.append("\n".join([line, *[" " * names + more for more in item.below.split("\n") if more]]))
    return lines


def _fitted(item: ListItem, names: int, texts: int, tails: int) -> str:
    """Returns a row that fits the columns of a terminal."""
    first, *more = wrapped(item.text, texts)
    lines = [_name(item, names) + _title(item, first)]
    if beside := item.tail and columns(item.tail) <= tails:
        lines[0] += " " * (texts - columns(first)) + f"  {paint(item.tail, 'dim')}"
    lines += [" " * names + _title(item, line) for line in more]
    lines += paragraph(item.tail, names, "dim") if item.tail and not beside else []
    lines += [line for remark in item.remarks for line in paragraph(remark, names, "warn")]
    lines += [line for text in item.below.split("\n") if text for line in paragraph(text, names)]
    return "\n".join(lines)


def _title(item: ListItem, line: str) -> str:
    return paint(line, "bold") if item.below else line


def _name(item: ListItem, room: int) -> str:
    return paint(item.name, "id") + " " * (room - columns(item.name))


def table(
    lines: Sequence[Sequence[str]], styles: Sequence[str] = (), heading: bool = False, most: Sequence[int] = ()
) -> list[str]:
    """Returns rows of cells in columns. The last cell wraps; it goes below the others if they leave it little room.

    `styles`: of the first columns; `heading`: the first row is one. `most`: how wide columns get; a wider cell widens none.
    """
    cells_of = list(zip(*lines))[:-1]  # none of no rows
    limits = [*most, *[_WIDEST] * len(cells_of)]
    sizes = [
        max([columns(cell) for cell in cells if columns(cell) <= limit], default=0) for cells, limit in zip(cells_of, limits)
    ]
    plain = [*styles, *[""] * len(cells_of), ""]
    return [_cells(line, sizes, ["heading"] * len(line) if heading and line is lines[0] else plain) for line in lines]


def _cells(line: Sequence[str], sizes: Sequence[int], styles: Sequence[str]) -> str:
    """Returns a row of a table."""
    *cells, last = line
    spaces = [" " * max(2, size + 2 - columns(cell)) for cell, size in zip(cells, sizes)]
    head = "".join(
        [(paint(cell, style) if style and cell else cell) + space for cell, style, space in zip(cells, styles, spaces)]
    )
    used, indent = sum(map(columns, cells)) + sum(map(len, spaces)), sum(sizes) + 2 * len(sizes)
    style = styles[len(cells)]
    if used + columns(last) <= width():
        return f"{head}{paint(last, style) if style and last else last}".rstrip()
    if used - len(spaces[-1]) > width():
        first, *others = cells
        return "\n".join([*paragraph(first, 0, styles[0]), *paragraph("  ".join(others), 4), *paragraph(last, 4, style)])
    if width() - indent < _NARROW:
        return "\n".join([head.rstrip(), *paragraph(last, 4, style)])
    if used > indent:
        return "\n".join([head.rstrip(), *paragraph(last, indent, style)])
    return "\n".join(paragraph(last, indent, style, head))


def show(text: str) -> None:
    """Prints a line, or lines, on standard output."""
    _write(1, text if text.endswith("\n") or not text else text + "\n")


def masked(rules: tuple[str, ...], as_json: bool) -> None:
    """Reports the masked parts of what was just written: in the JSON answer that follows (`"masked"`), else on standard error."""
    global _masked
    _masked = rules if as_json else ()
    if not as_json:
        tell(f"{paint('Masked:', 'warn', 2)} {', '.join(rules)} (mem stores no secrets and nothing private)")


def data(value: Any) -> None:
    """Prints a value as one line of JSON on standard output."""
    global _masked
    from memcli.text import json

    if _masked and isinstance(value, dict):
        value = {**value, "masked": list(_masked)}
    _masked = ()
    _write(1, json.dumps(value) + "\n")


def tell(text: str) -> None:
    """Prints a line on standard error."""
    try:
        _write(2, text + "\n")
    except OSError:
        pass  # there is nowhere left to say it


def fail(error: MemError, as_json: bool) -> None:
    """Prints an error: one line and a hint, or the same as JSON on standard error."""
    if as_json:
        from memcli.text import json

        return tell(json.dumps({"error": {"code": error.code, "message": error.message, "hint": error.hint}}))
    _tell_wrapped(paint("Error:", "error", 2), _flat(error.message))
    if error.hint:
        _tell_wrapped(paint("Hint:", "warn", 2), _flat(error.hint))


def _tell_wrapped(head: str, text: str) -> None:
    """Prints a line on standard error, wrapped between words on a terminal."""
    first, *more = wrapped(text, max(_NARROW, width(2) - len("Error: ")))
    tell("\n".join([f"{head} {first}", *more]))


def _flat(text: str) -> str:
    return " ".join(visible(text).split())


def _write(stream: int, text: str) -> None:
    remaining = memoryview(text.encode("utf-8", "backslashreplace"))
    try:
        while remaining:
            remaining = remaining[os.write(stream, remaining) :]
    except OSError as problem:
        import errno

        if problem.errno in (errno.EPIPE, errno.EBADF):
            raise BrokenPipeError(errno.EPIPE, "nobody reads the output") from None
        raise
