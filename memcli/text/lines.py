"""Lines of a file as they are numbered: what a chunk's first and last line count."""

from __future__ import annotations

BOM = "\ufeff"


def split(text: str) -> list[str]:
    """Returns the lines of a file without their ends: the same ones for LF and CRLF, with or without a final line end.

    A lone CR ends a line only in a text without LF, elsewhere it is a character of its line, as editors and git count. A byte
    order mark is dropped. An empty text has no line.
    """
    text = text.removeprefix(BOM)
    if "\r" in text:
        text = text.replace("\r\n", "\n") if "\n" in text else text.replace("\r", "\n")
    lines = text.split("\n")
    if not lines[-1]:
        lines.pop()
    return lines
