"""From a file's bytes to its text, the same way for whoever cuts it and for whoever looks whether it still says the same."""

from __future__ import annotations

_MARKS = ((b"\xef\xbb\xbf", "utf-8"), (b"\xff\xfe\0\0", "utf-32-le"), (b"\xff\xfe", "utf-16-le"), (b"\xfe\xff", "utf-16-be"))
_CONTROLS = bytes({*range(0x20), 0x7F} - {*b"\t\n\r\f\b\x1b"})
_MOST_CONTROLS = 0.02  # share of control characters from which a text is taken for something else


def decoded(data: bytes) -> str | None:
    """Returns the text of a file with `\\n` as its line end; None where the bytes are no text.

    A lone `\\r` ends a line only in a text without `\\n`, as editors and git count.
    UTF-8, UTF-16 and UTF-32 with their mark; what is not valid UTF-8 is read as Windows-1252, the usual encoding of old sources.
    """
    for mark, encoding in _MARKS:
        if data.startswith(mark):
            try:
                return _lines(data[len(mark) :].decode(encoding))
            except UnicodeDecodeError:
                return None
    if b"\0" in data or len(data) - len(data.translate(None, _CONTROLS)) > len(data) * _MOST_CONTROLS:
        return None
    try:
        return _lines(data.decode())
    except UnicodeDecodeError:
        pass
    try:
        return _lines(data.decode("cp1252"))
    except UnicodeDecodeError:
        return _lines(data.decode("latin-1"))


def _lines(text: str) -> str | None:
    if "\0" in text:
        return None
    if "\r" in text:
        return text.replace("\r\n", "\n") if "\n" in text else text.replace("\r", "\n")
    return text
