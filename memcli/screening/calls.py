"""Secrets in calls: a list that is filled one by one, `passwords.append("...")`, and a function that returns its secret."""

from __future__ import annotations

from memcli.screening.lists import is_plural
from memcli.screening.values import LETTERS, QUOTES, ends_in_secret, is_technical, rule_for

TYPE_CHECKING = False
if TYPE_CHECKING:
    from memcli.screening import Span

_CALL = 320  # bytes of a call, and of a function
_BEFORE = 40  # bytes before a name
_MOST_STRINGS = 2  # of a call: what a secret belongs to, and the secret
_ADDERS = (
    b"append", b"add", b"push", b"insert", b"put", b"set", b"emplace", b"enqueue", b"unshift", b"extend", b"store", b"register",
)  # fmt: skip
_FUNCTIONS = (b"append", b"push", b"array_push", b"unshift", b"conj", b"cons", b"lappend", b"add", b"insert", b"define")
_CONTAINERS = (b"list", b"set", b"map", b"dict", b"array", b"vec", b"table")
_ENDS = (b")", b"]", b"}", b";", b"")  # behind the last string of a call
_RETURNS = (b"return ", b"echo ", b"{ ")


def in_call(raw: bytes, name: tuple[int, int]) -> list[Span]:
    """Returns the secret that a call adds to a list of that name, or that a function of that name returns."""
    label = raw[name[0] : name[1]]
    text = raw[name[1] : name[1] + _CALL].partition(b"\n")[0]
    owner, dot, method = label.rpartition(b".")
    if text[:1] == b"(":
        if dot and method.lower().startswith(_ADDERS) and (secret := _contained(owner)):
            return _last_string(secret, name[1] + 1, text[1:])
        return _returned(label, name[1], text) if ends_in_secret(label) else []
    before = raw[max(0, name[0] - _BEFORE) : name[0]].rpartition(b"\n")[2].rstrip(b"$@&*:( ")
    function = before[len(before.rstrip(LETTERS + b"_")) :].lower()
    if text[:1] == b"," and function in _FUNCTIONS and (is_plural(label) or function == b"define"):
        return _last_string(label, name[1] + 1, text[1:])
    secret = _contained(label)
    if text[:1] == b"[" and (b"] =" in text or b"]=" in text) and secret:
        at = text.find(b"]")
        is_set = text[at + 1 :].lstrip()[:1] == b"=" and text[at + 1 :].lstrip()[1:].lstrip()[:1] in QUOTES
        return _last_string(secret, name[1] + at + 1, text[at + 1 :], 1) if is_set else []
    return _last_string(secret, name[1], text, 1) if secret and text.lstrip()[:2] == b"+=" else []


def _contained(name: bytes) -> bytes:
    """Returns the name of what a list holds, "" unless it is that of several secrets: `passwords`, `password_list`."""
    plain = name.rstrip(b"_-.")
    word = next((plain[: -len(kind)] for kind in _CONTAINERS if plain.lower().endswith(kind)), b"").rstrip(b"_-.")
    secret = word or (plain if is_plural(plain) else b"")
    return secret if secret and ends_in_secret(secret) else b""


def _last_string(label: bytes, start: int, call: bytes, most: int = _MOST_STRINGS) -> list[Span]:
    """Returns the last string of a call, of `most` at most, if it is a secret of that name."""
    strings: list[tuple[int, int]] = []
    at = 0
    while len(strings) < most:
        first = min([place for quote in QUOTES if (place := call.find(quote, at)) >= 0], default=-1)
        last = call.find(call[first : first + 1], first + 1) if first >= 0 else -1
        if last < 0 or b";" in call[at:first]:
            break
        strings.append((first + 1, last))
        at = last + 1
        if call[at:].lstrip()[:1] in _ENDS:
            break
    if not strings or call[at:].lstrip()[:1] == b",":
        return []
    first, last = strings[-1]
    value = call[first:last]
    rule = "" if is_technical(value) else rule_for(label, value, True)
    return [(start + first, start + last, rule)] if rule else []


def _returned(label: bytes, start: int, text: bytes) -> list[Span]:
    """Returns the string that the function of a line returns: `def password(): return "..."`."""
    body, sign = next(((text.partition(word)[2], word) for word in _RETURNS if word in text), (b"", b""))
    if not sign or body[:1] not in QUOTES or not body:
        return []
    return _last_string(label, start + len(text) - len(body), body[: body.find(body[:1], 1) + 1])
