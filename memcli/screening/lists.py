"""Secrets in what a name is given as a whole: a list, a mapping, the lines of a block. It is read once, and to its end."""

from __future__ import annotations

from memcli.screening.values import QUOTES, ends_in_secret, is_code, only_describes, rule_beside, rule_for

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from memcli.screening import Span
    from memcli.screening.assigned import Reach

    Value = tuple[int, bytes]  # where a value begins, and its text

_QUOTED = 1_024  # bytes in which a quoted value ends
_BEFORE = 80  # bytes of a line before a name
_OPENING, _CLOSING = b"[({", b"])}"
_ENDS = bytes([10 if byte in b" \t\r\n\"'`,;:=[](){}" else byte for byte in range(256)])  # of a bare word, as newlines
_BETWEEN = b" \t\r\n,;>\\"
_BULLETS = (b"- ", b"* ", b"+ ", b"> ")
_MISFITS = 2  # lines in succession that end a block
_INLINE = 256  # bytes between two values in a line
_EMPTY = (b"", b"|", b">", b"|-", b">-")


def judged(label: bytes, values: Sequence[Value]) -> list[Span]:
    """Returns which values of a name are secrets. Where most of them are, the others are by the company that they keep."""
    rules = [rule_for(label, value, True) for _, value in values]
    count = len(rules) - rules.count("")
    if count > 1 and count * 2 >= len(rules):
        rules = [rule or rule_beside(label, value) for rule, (_, value) in zip(rules, values)]
    return [(first, first + len(value), rule) for rule, (first, value) in zip(rules, values) if rule]


def as_a_whole(raw: bytes, name: tuple[int, int], start: int, reach: Reach) -> list[Span]:
    """Returns the secrets of the list, mapping or block at `start` that a name is given."""
    return in_brackets(raw, name, start, reach) or in_lines(raw, name, start, reach)


def in_brackets(raw: bytes, name: tuple[int, int], start: int, reach: Reach) -> list[Span]:
    """Returns the secrets of a list or mapping that a name is given: `passwords = ["...", "..."]`, `"tokens": {"ci": "..."}`."""
    label = raw[name[0] : name[1]]
    opening = raw[start : start + 1]
    if not opening or opening not in _OPENING or raw[start - 1 : start] in QUOTES or reach.is_read(start):
        return []
    if not ends_in_secret(label) or (opening == b"{" and not _is_plural(label)):
        return []
    values: list[Value] = []
    at, depth, key, size = start + 1, 1, b"", len(raw)
    while depth and at < size:
        sign = raw[at : at + 1]
        if sign in _BETWEEN:
            key = b"" if sign in b",;" else key
            at += 1
        elif sign in _CLOSING:
            depth, at = depth - 1, at + 1
        elif sign == b"[" or (sign == b"(" and depth < 3):
            depth, at = depth + 1, at + 1
        else:
            first, last, at = _word(raw, at)
            if at < 0:
                break
            gap = raw[at : at + 4].lstrip(b" ")[:1]
            if gap in (b":", b"="):
                key, at = raw[first:last], raw.find(gap, at) + 1
            elif not only_describes(key.lower().replace(b"_", b" ").split()[-1:]):
                values.append((first, raw[first:last]))
    reach.extend(start, at if at >= 0 else size)
    return judged(label, [value for value in values if not is_code(value[1]) or opening != b"("])


def _word(raw: bytes, at: int) -> tuple[int, int, int]:
    """Returns where the string or bare word at `at` begins and ends, and what is behind it: -1 where there is none."""
    quote = raw[at : at + 1]
    if quote in QUOTES:
        last = raw.find(quote, at + 1, at + _QUOTED)
        return at + 1, last, last + 1 if last >= 0 and b"\n" not in raw[at:last] else -1
    word = raw[at : at + _QUOTED].translate(_ENDS).partition(b"\n")[0]
    return at, at + len(word), at + len(word) if word else -1


def _is_plural(label: bytes) -> bool:
    return label.rstrip(b"_-.")[-1:].lower() == b"s" and not label.lower().endswith(b"pass")


def in_lines(raw: bytes, name: tuple[int, int], start: int, reach: Reach) -> list[Span]:
    """Returns the secrets that stand in the lines behind a name: a block of YAML, a list, a section of settings."""
    end = raw.find(b"\n", start)
    label = raw[name[0] : name[1]]
    before = raw[max(0, name[0] - _BEFORE) : name[0]].rpartition(b"\n")[2]
    is_section = before.strip()[-1:] == b"["
    if end < 0 or end - start > _QUOTED or raw[start:end].strip() not in _EMPTY or reach.is_read(start):
        return []
    if raw[name[1] : name[1] + 1] != b":" and not is_section:
        return []
    indent = -1 if is_section else len(before) - len(before.lstrip(b" "))
    is_plural = _is_plural(label)
    values: list[Value] = []
    at, size, inner, misfits = end + 1, len(raw), -1, 0
    while at < size and misfits < _MISFITS:
        end = raw.find(b"\n", at)
        end = end if end >= 0 else size
        line = raw[at:end]
        text = line.strip()
        depth = len(line) - len(line.lstrip(b" "))
        item = text[2:].strip() if text[:2] in _BULLETS else b""
        if (text and depth < indent + (not item)) or (is_section and text[:1] == b"["):
            break
        inner = depth if inner < 0 and text else inner
        value = item
        if not item and (not values or is_section or depth == inner):
            value = _of_key(text) if is_plural and (text.count(b":") or text.count(b"=")) else text
        value = value.strip(b" \"'`,")
        is_value = len(value.split()) == 1 and value[-1:] != b":" and not is_code(value)
        misfits = 0 if is_value or (text and depth > indent) else misfits + 1
        if is_value:
            values.append((at + line.find(value), value))
        elif not is_plural:
            break
        if is_value and not (item or is_plural):
            break
        at = end + 1
    reach.extend(start, at)
    return judged(label, values)


def _of_key(text: bytes) -> bytes:
    """Returns the value of a line `key: value` or `key = value`, "" of one whose key only describes."""
    colon, equals = text.find(b": "), text.find(b"=")
    at = colon if colon >= 0 and (equals < 0 or colon < equals) else equals
    key = text[:at].strip(b" \"'")
    return b"" if at < 0 or not key or only_describes(key.lower().replace(b"_", b" ").split()[-1:]) else text[at + 1 :]


def beside_first(raw: bytes, name: tuple[int, int], end: int) -> list[Span]:
    """Returns the other secrets of a line that gives several to a name: `PASSWORDS=...,...`."""
    label = raw[name[0] : name[1]]
    if not _is_plural(label):
        return []
    line = raw[end : end + _INLINE].partition(b"\n")[0]
    values: list[Value] = []
    while line[:1] in (b",", b";", b"|", b"/") or line[:2] in (b" |", b" /", b'",', b"',"):
        word = line.lstrip(b" ,;|/\"'`")
        first = end + len(line) - len(word)
        value = word.translate(_ENDS).partition(b"\n")[0].partition(b"|")[0]
        if not value:
            break
        values.append((first, value))
        end = first + len(value)
        line = raw[end : end + _INLINE].partition(b"\n")[0]
    return [(first, first + len(value), rule) for first, value in values if (rule := rule_for(label, value, True))]
