"""Secrets in what a name is given as a whole: a list, a mapping, the lines of a block. It is read once, and to its end."""

from __future__ import annotations

from memcli.screening.values import (
    DIGITS,
    LETTERS,
    QUOTES,
    ends_in_secret,
    is_code,
    lines_from,
    only_describes,
    rule_beside,
    rule_for,
    words_of,
)

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
_MAKER = 80  # bytes of what a program makes a list or mapping with
_KEY = 64  # bytes of a key in brackets
_DEEPEST = 8
_TO_WORDS = bytes([byte if byte in LETTERS + DIGITS else 32 for byte in range(256)])
_MAKERS = frozenset(
    b"""new of as list lists map maps set sets dict tuple frozenset array arrays vec vector seq string str char byte object const
    static std immutablelist immutablemap immutableset aslist arraylist hashmap hashset linkedhashmap treemap btreemap btreeset
    listof setof mapof arrayof hashmapof mutablelistof mutablemapof mutablesetof from entries ofentries dictionary ordereddict
    hashtable ienumerable ilist ireadonlylist readonly any w""".split()
)
# What a secret belongs to, in a mapping that holds both.
_OTHERS = frozenset(
    b"user username login email mail account owner role host hostname server service site domain title note".split()
)


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
    if not ends_in_secret(label) or raw[start - 1 : start] in QUOTES:
        return []
    start = _behind_maker(raw, start)
    opening = raw[start : start + 1]
    if not opening or opening not in _OPENING or reach.is_read(start) or (opening == b"{" and not is_plural(label)):
        return []
    values, at = _in_brackets(raw, start)
    reach.extend(start, at)
    return judged(label, [value for value in values if not is_code(value[1]) or opening != b"("])


def _behind_maker(raw: bytes, start: int) -> int:
    """Returns where the list or mapping at `start` begins, behind what a program makes it with: `[]string{`, `List.of(`."""
    before, quote, _ = raw[start : start + _MAKER].partition(b"\n")[0].replace(b"'", b'"').partition(b'"')
    head = before.rstrip()
    head = head if quote else raw[start : start + _MAKER].partition(b"\n")[0].rstrip()
    words = head.translate(_TO_WORDS).lower().split()
    if head[-1:] not in _OPENING or not words or not all(word in _MAKERS or word.isdigit() for word in words):
        return start
    inner = head.rstrip(_OPENING + b" @&")
    return start + len(inner) + len(head[len(inner) :]) - len(head[len(inner) :].lstrip(b" @&"))


def _in_brackets(raw: bytes, start: int) -> tuple[list[Value], int]:
    """Returns the values between the bracket at `start` and that which closes it, and the place behind that."""
    values: list[Value] = []
    opened = [0]  # for each open bracket how many values stand before it
    at, key, size, is_bare = start + 1, b"", len(raw), False
    while opened and at < size:
        sign = raw[at : at + 1]
        if sign in _BETWEEN:
            key = b"" if sign in b",;" else key
            is_bare = is_bare and sign not in b",;"
            at += 1
        elif sign in _CLOSING:
            before = opened.pop()
            if len(values) - before == 2 and opened and sign != b"}":
                del values[before]  # of a pair the first part is its name
            key, at = b"", at + 1
        elif sign == b"[" and (end := _key_end(raw, at)):
            key, at = b"", end  # of a shell: ["bob"]="..."
        elif sign in _OPENING:
            if len(opened) > _DEEPEST:
                break
            opened.append(len(values))
            at += 1
        else:
            first, last, at = _word(raw, at)
            if at < 0:
                return values, size
            gap = raw[at : at + 4].lstrip(b" ")[:1]
            if is_bare and raw[first:last] == b"for":
                return [], at  # a comprehension
            is_bare = raw[first - 1 : first] not in QUOTES
            if gap in (b":", b"="):
                key, at = raw[first:last], raw.find(gap, at) + 1
            elif not is_other(key):
                values.append((first, raw[first:last]))
    return values, at


def _key_end(raw: bytes, at: int) -> int:
    """Returns the place behind `[...]=`, 0 where something else stands there."""
    end = raw.find(b"]=", at, at + _KEY)
    inner = raw[at + 1 : end].strip(b"\"'") if end >= 0 else b""
    return end + 2 if inner and not inner.translate(_ENDS).count(b"\n") else 0


def is_other(key: bytes) -> bool:
    """True for the key of what only describes a secret, or of what it belongs to."""
    words = words_of(key)[-1:]
    return only_describes(words) or bool(_OTHERS.intersection(words))


def _word(raw: bytes, at: int) -> tuple[int, int, int]:
    """Returns where the string or bare word at `at` begins and ends, and what is behind it: -1 where there is none."""
    quote = raw[at : at + 1]
    if quote in QUOTES:
        last = raw.find(quote, at + 1, at + _QUOTED)
        return at + 1, last, last + 1 if last >= 0 and b"\n" not in raw[at:last] else -1
    word = raw[at : at + _QUOTED].translate(_ENDS).partition(b"\n")[0]
    return at, at + len(word), at + len(word) if word else -1


def is_plural(label: bytes) -> bool:
    """True for a name of several secrets."""
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
    may_be_several = is_plural(label)
    values: list[Value] = []
    stop, inner, misfits, was_key = end + 1, -1, 0, False
    for at, line in lines_from(raw, stop):
        text = line.strip()
        depth = len(line) - len(line.lstrip(b" "))
        item = text[2:].strip() if text[:2] in _BULLETS else b""
        is_over = misfits == _MISFITS or (text and depth < indent + (not item))
        if is_over or (is_section and text[:1] == b"["):
            break
        inner = depth if text and (inner < 0 or was_key) else inner
        was_key = text[-1:] == b":"
        value = item
        if not item and (not values or is_section or depth == inner):
            value = _of_key(text) if may_be_several and (text.count(b":") or text.count(b"=")) else text
        value = value.strip(b" \"'`,")
        is_value = len(value.split()) == 1 and value[-1:] != b":" and not is_code(value)
        misfits = 0 if is_value or (text and depth > indent) else misfits + 1
        if is_value:
            values.append((at + line.find(value), value))
        elif not may_be_several:
            break
        if is_value and not (item or may_be_several):
            break
        stop = at + len(line) + 1
    reach.extend(start, stop)
    return judged(label, values)


def _of_key(text: bytes) -> bytes:
    """Returns the value of a line `key: value` or `key = value`, "" of one whose key only describes."""
    colon, equals = text.find(b": "), text.find(b"=")
    at = colon if colon >= 0 and (equals < 0 or colon < equals) else equals
    key = text[:at].strip(b" \"'")
    return b"" if at < 0 or not key or is_other(key) else text[at + 1 :]


def beside_first(raw: bytes, name: tuple[int, int], end: int) -> list[Span]:
    """Returns the other secrets of a line that gives several to a name: `PASSWORDS=...,...`."""
    label = raw[name[0] : name[1]]
    if not is_plural(label):
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
