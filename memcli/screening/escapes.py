"""Characters that tools write as escapes (`\\n`, `\\u003d`, `%3D`, `&quot;`), as what they stand for: they part words like it.

Runs on every text that has one. Backslashes count at any depth: each JSON inside JSON doubles them.
"""

from __future__ import annotations

from memcli.screening.first_look import COLOUR

_HEXADECIMAL = b"0123456789abcdefABCDEF"
_OCTAL, _OCTAL_FIRST = b"01234567", b"0123"
_BACKSLASH = (b"u005c", b"u005C")
_SIMPLE = {sign: b"%c" % code for sign, code in zip((b"n", b"t", b"r", b"v", b"f", b"b", b"a"), b"\n\t\r\v\f\b\a")}
_SIMPLE |= {sign: sign for sign in (b'"', b"'", b"/")}
_DIGITS_OF = {b"u": 4, b"x": 2, b"U": 8}  # hexadecimal ones behind a letter


def unescaped(raw: bytes) -> tuple[bytes, list[int], list[int]]:
    """Returns a text in which what a backslash begins is the character that it stands for, and how to get back.

    However many backslashes stand there: each JSON inside JSON doubles them. Behind the text: where in it such characters end,
    and by how much a place behind each of them is farther on in `raw`, beginning with that of the places before the first.
    """
    first, *following = raw.split(b"\\")
    pieces, ends, shifts = [first], [], [0]
    size, escape = len(first), 0  # bytes of the text so far, and of the backslashes
    for piece in following:
        escape += 1
        if piece[:5] in _BACKSLASH:
            escape, piece = escape + 5, piece[5:]
        if not piece:
            continue
        sign = _SIMPLE.get(piece[:1])
        width = 1
        if sign is None:
            sign, width = _coded(piece)
        if width:
            shifts.append(shifts[-1] + escape + width - len(sign))
            size += len(sign)
            ends.append(size)
        else:
            at = size + shifts[-1]
            sign = raw[at : at + escape]
            size += escape
        pieces += [sign, piece[width:]]
        size += len(piece) - width
        escape = 0
    pieces.append(raw[len(raw) - escape :])
    return b"".join(pieces), ends, shifts


def _coded(piece: bytes) -> tuple[bytes, int]:
    """Returns the character that the digits behind a backslash stand for, and how many bytes say so: 0 where none do."""
    kind = piece[:1]
    digits = _DIGITS_OF.get(kind, 0)
    if digits:
        code = piece[1 : 1 + digits]
        if len(code) == digits and not code.translate(None, _HEXADECIMAL):
            number = int(code, 16)
            if number <= 0x10FFFF:
                return b"%c" % number if kind == b"x" else chr(number).encode("utf-8", "surrogatepass"), 1 + digits
    elif kind in _OCTAL_FIRST:
        if len(piece) >= 3 and not piece[:3].translate(None, _OCTAL):
            return b"%c" % int(piece[:3], 8), 3
        if kind == b"0":
            return b" ", 1
    elif piece[:2] == b"e[":
        return b"\x1b[", 2
    return b"", 0


def _escapes() -> dict[bytes, tuple[tuple[int, ...], dict[bytes, bytes]]]:
    """Returns by the sign that begins escapes of addresses and HTML how many bytes may follow it, and what they stand for."""
    codes = {b"%02x" % sign: b"%c" % sign for sign in b" \"#&'(),:;<=>?@[]`{|}\t\n\r\x1b"}
    codes |= {code.upper(): sign for code, sign in codes.items()}
    entities = {b"quot;": b'"', b"apos;": b"'", b"amp;": b"&", b"lt;": b"<", b"gt;": b">", b"nbsp;": b" "}
    entities |= {b"#34;": b'"', b"#39;": b"'", b"#61;": b"="}
    twice = {b"25" + code: sign for code, sign in codes.items()}
    return {b"%": ((2, 4), codes | twice), b"&": ((5, 4, 3), entities)}


_SIGNS = (b"%", b"&")
_meanings: dict[bytes, tuple[tuple[int, ...], dict[bytes, bytes]]] = {}  # made for the first text that has one of the signs


def plain(raw: bytes) -> bytes:
    """Returns a text of the same length in which escapes of addresses, HTML and mail are what they stand for, behind blanks."""
    for sign in _SIGNS:
        if sign in raw:
            if not _meanings:
                _meanings.update(_escapes())
            raw = _written_out(raw, sign, *_meanings[sign])
    raw = raw.replace(b"=3D", b"  =")  # as mail writes it
    return _without_colours(raw) if COLOUR in raw else raw


def _written_out(raw: bytes, sign: bytes, sizes: tuple[int, ...], escapes: dict[bytes, bytes]) -> bytes:
    first, *following = raw.split(sign)
    pieces = [first]
    for piece in following:
        for size in sizes:
            if piece[:size] in escapes:
                pieces.append(escapes[piece[:size]].rjust(size + 1) + piece[size:])
                break
        else:
            pieces.append(sign + piece)
    return b"".join(pieces)


def _without_colours(raw: bytes) -> bytes:
    """Returns a text in which the sequences that colour a terminal are blanks."""
    first, *rest = raw.split(COLOUR)
    pieces = [first]
    for piece in rest:
        behind = piece.lstrip(b"0123456789;")
        size = len(piece) - len(behind) + (behind[:1].isalpha())
        pieces.append(b" " * (size + 2) + piece[size:])
    return b"".join(pieces)
