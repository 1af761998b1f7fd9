"""Secrets that a name gives away: `API_KEY=…`, `"password": "…"`, `--token …`, `<pwd>…</pwd>`.

A name says password, token, secret or key. Its value must look like one, too, because most such names in a program stand before
something else: another name, a type, a path, a count, an example. The thresholds were set on CPython's standard library.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from memcli.text.screening import Span

PASSWORD = "password"  # the rule for what a name calls a password
KEY = "api-key"  # and for what a name calls a token or key
_LOWER = b"abcdefghijklmnopqrstuvwxyz"
_DIGITS = b"0123456789"
_LETTERS = _LOWER + _LOWER.upper()
_NAME = _LETTERS + _DIGITS + b"_-."
_SIGNS = b"!@#$%^&*+=?~/"
_FAR = 64  # bytes of a name on either side of the word, and of what may stand between it and its value
_QUOTED = 1_024  # bytes in which a quoted value ends
_LOOKED_AT = 256  # bytes of a value that tell what it is
_ENDS = bytes([10 if byte in b" \t\r\n\f\v\0\"'`,;<\\" else byte for byte in range(256)])  # what ends a bare value, as newlines
_PARTED = bytes([32 if byte in b"-_./:+=" else byte for byte in range(256)])

# The words of a name that call its value a secret ...
_PASSWORD_ENDINGS = (b"password", b"passwd", b"passphrase", b"pwd")  # and `pass` as a whole word
_KEY_ENDINGS = (b"secret", b"token", b"apikey", b"accesskey", b"secretkey", b"authkey", b"credential")
_SECRET_KEYS = frozenset(b"api access secret auth private encryption signing master client account".split())
# ... the last words of a name that only describes a secret, and the words before `key` that make it no secret.
_ABOUT = frozenset(
    b"""id ids name names url uri file files path paths dir count counts type types len length limit limits budget size sizes
    hash hashes sha sha1 sha256 digest expiry expires ttl at field fields index prefix suffix regex pattern format list
    set map class kind usage per policy endpoint version status store manager provider env var header hint label
    placeholder ref arn error errors message rules strength reset required algorithm method encoding by""".split()
)
_PUBLIC_KEYS = frozenset(
    b"""public pub publishable primary foreign sort cache partition idempotency object dedupe host lookup group index unique
    natural row shift arrow function map dict hot short storage translation i18n query site""".split()
)
# What examples and references have in them.
EXAMPLES = (
    b"example", b"changeme", b"change_me", b"change-me", b"placeholder", b"your", b"xxxx", b"dummy", b"redacted", b"***", b"...",
)  # fmt: skip
_REFERENCES = (
    b"secret:", b"${", b"{{", b"%(", b"process.env", b"environ", b"getenv", b"12345678", b"00000000", b"aaaaaaaa",
)  # fmt: skip


def assigned(raw: bytes, low: bytes, hints: Sequence[bytes]) -> list[Span]:
    """Returns the values in a text (`low`: in lower case) that are secrets because of their names, which hold one of `hints`."""
    spans: list[Span] = []
    bare = _Bare(raw)
    options = b"--" in raw
    for hint in hints:
        at = low.find(hint)
        while at >= 0:
            end = at + len(hint)
            tail = raw[end : end + _FAR]
            behind = tail.lstrip(_NAME)
            mark = behind.lstrip(b"\"'`]) \t\\")
            if mark and (mark[0] in b"=:>" or (options and behind[0] in b" \t")):
                name_end = end + len(tail) - len(behind)
                before = raw[max(0, at - _FAR) : at]
                name_start = at - len(before) + len(before.rstrip(_NAME))
                start = _value_start(raw, name_start, name_end)
                if start and (span := _span(raw, bare, (name_start, name_end), start)):
                    spans.append(span)
                    end = span[1]
            at = low.find(hint, end)
    return spans


class _Bare:
    """Where values without quotes end. Keeps the last result, so that a run of names and values is searched once."""

    def __init__(self, raw: bytes) -> None:
        self.raw = raw
        self.ends = b""
        self.start = self.end = -1

    def stop(self, start: int) -> int:
        """Returns the byte behind the value that begins at `start`, which must not decrease from call to call."""
        if not self.ends:
            self.ends = self.raw.translate(_ENDS) + b"\n"
        if not self.start <= start <= self.end:
            self.start, self.end = start, self.ends.find(b"\n", start)
        return self.end


def _value_start(raw: bytes, name_start: int, name_end: int) -> int:
    """Returns where the value begins that a name is given, behind its quote; 0 where it is given none."""
    behind = raw[name_end : name_end + _FAR]
    mark = behind.lstrip(b"\"'`]) \t\\")
    before = raw[max(0, name_start - 3) : name_start]
    if before == b"://":  # a user of an address: the rule for addresses knows better where its password ends
        return 0
    if mark[:1] in (b"=", b":") or (mark[:1] == b">" and before[-1:] == b"<"):
        value = mark.lstrip(b"=:>").lstrip(b" \t")
    elif raw[name_start : name_start + 2] == b"--" and behind[:1] in b" \t":
        value = behind.lstrip(b" \t")
    else:
        return 0
    if value[1:2] in (b'"', b"'") and value[:1] in b"bfruBFRU":
        value = value[1:]
    value = value.lstrip(b"\\")
    value = value[1:] if value[:1] in (b'"', b"'", b"`") else value
    return name_end + len(behind) - len(value) if value else 0


def _span(raw: bytes, bare: _Bare, name: tuple[int, int], start: int) -> Span | None:
    """Returns the span of a value that begins at `start` if its name and looks make it a secret."""
    quote = raw[start - 1 : start]
    before = raw[max(0, name[0] - 7) : name[0]]
    setting = raw[name[1] : name[1] + 1] == b"=" and (before[-1:] in b"\n;?&" or before[-7:] == b"export ")
    stop = raw.find(quote, start, start + _QUOTED) if quote in (b'"', b"'", b"`") else -1
    if stop >= 0 and b"\n" not in raw[start:stop]:
        setting = True
        if raw[stop - 1 : stop] == b"\\":  # the quotes are escaped ones
            stop -= 1
    else:
        stop = bare.stop(start)
        if before[-1:] in (b"?", b"&"):
            amp = raw.find(b"&", start, stop)
            stop = amp if amp >= 0 else stop
        if raw[name[1] : name[1] + 1] == b">" and raw[stop : stop + 2] != b"</":
            return None  # <password> of a text about addresses, and no element
        last = raw[max(start, stop - 8) : stop]
        stop -= len(last) - len(last.rstrip(b")]}.:"))
    rule = rule_for(raw[name[0] : name[1]], raw[start : min(stop, start + _LOOKED_AT)], setting)
    return (start, stop, rule) if rule else None


def rule_for(name: bytes, value: bytes, plain: bool) -> str:
    """Returns the rule by which a value is a secret because of its name, "" for none.

    `plain`: it is quoted, or stands in a file of settings, so that it cannot be a piece of a program.
    """
    letters, digits, signs = (len(value) - len(value.translate(None, kind)) for kind in (_LETTERS, _DIGITS, _SIGNS))
    if len(value) < 6 or not letters or not (digits or signs) or len(value.split(None, 1)) != 1:
        return ""
    words = _words(name)
    rule, only_key = _rule_of(words)
    if not rule or _is_example(value) or (not plain and is_code(value)) or _is_wordy(value):
        return ""
    if rule == PASSWORD:
        return rule
    low = value.lower()
    if only_key:
        mixed = value not in (low, value.upper()) or (len(value) >= 32 and name.isupper())
        return rule if len(value) >= 20 and digits and mixed and spread(value) >= 10 else ""
    if len(value) == 40 and digits and b"access" in words and not value.translate(None, _LETTERS + _DIGITS + b"/+"):
        return "aws-secret-key"
    return rule if len(value) >= 10 and digits >= 2 and spread(value) >= 6 else ""


def _is_example(value: bytes) -> bool:
    """True for what stands where a secret will be, and for a path or address."""
    low = value.lower()
    if value[:1] in b"$%<{[(/.~*&-" or b"://" in value or value[1:3] == b":\\":
        return True
    return any(example in low for example in EXAMPLES) or any(example in low for example in _REFERENCES)


def _words(name: bytes) -> list[bytes]:
    """Returns the words of a name, in lower case: of accessToken_2, access and token."""
    parted = bytearray()
    before = 0
    for byte in name.strip(b"-_."):
        if 65 <= byte <= 90 and not 65 <= before <= 90:
            parted.append(32)
        parted.append(32 if byte in b"-_." else byte)
        before = byte
    return [word for word in bytes(parted).lower().split() if not word.isdigit()]


def _rule_of(words: list[bytes]) -> tuple[str, bool]:
    """Returns (the rule for values of a name, whether the name says no more than key): ("", False) for a name of no secret."""
    if not words or words[-1] in _ABOUT:
        return "", False
    plain = [word.rstrip(_DIGITS).removesuffix(b"s") if not word.endswith(b"pass") else word for word in words]
    if any(word.endswith(_PASSWORD_ENDINGS) or word == b"pass" for word in plain):
        return PASSWORD, False
    if any(word.endswith(_KEY_ENDINGS) for word in plain):
        return KEY, False
    if plain[-1].endswith(b"key"):
        kind = plain[-2] if len(plain) > 1 else plain[-1][:-3]
        return ("", False) if kind in _PUBLIC_KEYS else (KEY, kind not in _SECRET_KEYS)
    return "", False


def is_code(value: bytes) -> bool:
    """True for a piece of a program: a name, plain or with dots, or something with brackets."""
    if value.translate(None, b"()[]{}|") != value:
        return True
    names = value.replace(b"->", b".").replace(b"::", b".").split(b".")
    if len(names) == 1:
        return not value.translate(None, _LETTERS + b"_")
    return all(name[:1].isalpha() or name[:1] == b"_" for name in names) and not value.translate(None, _NAME)


def _is_wordy(value: bytes) -> bool:
    """True for words and numbers side by side: `step-2-of-3`, `2026-01-02`, `read/write`."""
    words = value.translate(_PARTED).split()
    return (len(words) != 1 or words[0] in (b"password", b"secret", b"token")) and all(
        word.isalpha() or word.isdigit() for word in words
    )


def spread(value: bytes) -> float:
    """Returns how many different characters a value has in effect: two to the power of its collision entropy."""
    return len(value) ** 2 / sum([value.count(byte) ** 2 for byte in set(value)])
