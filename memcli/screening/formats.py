"""Finds secrets by their published formats (secret_rules.toml) with RE2, which is linear in the text, whatever the text.

Loaded only where the first look finds that a rule may match. A write waits for it, so it does without `typing`,
which takes longer to import than all else here.
"""

from __future__ import annotations

from collections.abc import Callable, Set
from functools import cache

import re2

from memcli.screening.patterns import RULES
from memcli.screening.values import (
    DIGITS,
    EXAMPLES,
    KEYS_OF_TABLES,
    LETTERS,
    MESSAGE,
    is_code,
    is_passphrase,
    is_strong,
    is_technical,
    is_wordy,
    spread,
)

_PLAIN = frozenset(b"password passwd pass pwd secret user username token key admin root test mypassword".split())
_OPTIONS = frozenset(  # -print and others, which are no -p with a password
    b"rint rint0 rintf rune retty rogress rofile assword assphrase asswd ass ort ath arallel rotocol latform refix age".split()
)
_OF_SENTENCES = frozenset(
    b"""stored kept asked ask entered enter required needed needs need changed change used uses use generated generate read taken
    same see saved shared share sent send here there from inside vault keyring manager file never always only once each every
    they them when where then than that what which who why how will would could shall may might does did get gets got set
    field input prompt value string hash login user users admin server please still now but also one two first last per
    expires expired works fails missing unknown reset resets rotated given passed printed logged hidden shown empty der die das
    den dem des ein eine ist und oder nicht mit auf von les des une est pas dans los las una por para con""".split()
)
_SCHEMES = (b"basic ", b"bearer", b"token ", b"apikey ", b"negotiate ")
_WITHOUT_QUOTES = bytes([32 if byte in b"\\\"'+,>|#*-" else byte for byte in range(256)])  # of a key in a program's string


def find_formats(raw: bytes, keywords: Set[bytes] | None = None) -> list[tuple[int, int, str]]:
    """Returns every secret in a text of which the format is known: (first byte, byte behind the last one, rule).

    `keywords`: of the rules that may match (first_look.py); without it all are tried.
    """
    spans: list[tuple[int, int, str]] = []
    for rule, check, required, words, pattern in RULES:
        is_due = any(name == required for _, _, name in spans) if required else keywords is None or not keywords.isdisjoint(words)
        if is_due:
            spans += _matches(raw, rule, check, pattern)
    return spans


def _matches(raw: bytes, rule: str, check: str, pattern: str) -> list[tuple[int, int, str]]:
    is_real = _CHECKS[check]
    spans = []
    end = 0
    for match in _compiled(pattern).finditer(raw):
        first, last = match.span(1)
        if first >= end and is_real(raw[first:last], match.group(0)):
            begin = first if match.start() < first else max(end, _word_begin(raw, first))
            end = _word_end(raw, last)
            spans.append((begin, end, rule))
    return spans


@cache
def _compiled(pattern: str) -> re2._Regexp:
    return re2.compile(pattern.encode())


def _word_begin(raw: bytes, first: int) -> int:
    """Returns where the word begins in which a secret stands: its beginning may be another one, which no sign parts from it."""
    while first and raw[first - 1 : first].isalnum():
        first -= 1
    return first


def _word_end(raw: bytes, end: int) -> int:
    """Returns where the word ends that a secret begins: what is left of it would look like the beginning of another one."""
    while raw[end : end + 1].isalnum() or raw[end : end + 1] == b"_":
        end += 1
    return end


# Each check takes a secret and the whole match; False for what only looks like one: an example, a placeholder, a letter repeated.


def _is_block(secret: bytes, whole: bytes) -> bool:
    return any(len(line) >= 24 for line in secret.translate(_WITHOUT_QUOTES).split())


def _is_password(secret: bytes, whole: bytes) -> bool:
    low = secret.lower()
    before, sign, _ = whole.partition(b":" + secret)
    user = before.rpartition(b"/")[2] if sign else b""
    is_plain = len(secret) < 4 or low in _PLAIN or low == user.lower() or secret[:1] in b"$%{<[@" or low.strip(b"*x.") == b""
    return not is_plain and not _is_example(low) and not _is_port(secret) and low not in _OPTIONS


def _is_credential(secret: bytes, whole: bytes) -> bool:
    low = secret.lower()
    if _is_example(low):
        return False
    if is_code(secret) and not any(scheme in whole.lower() for scheme in _SCHEMES):
        return False  # authorization = base64.b64encode(...)
    return _has_digit(secret) or (secret[1:] not in (low[1:], low[1:].upper()) and b"asic" in whole)


def _is_token(secret: bytes, whole: bytes) -> bool:
    variety = spread(secret[-40:])
    is_varied = _has_digit(secret) or variety >= (10 if len(secret) >= 30 or secret.isupper() else 14)
    return variety >= 4 and is_varied and not _is_example(secret.rstrip(b".").lower())  # dots behind it cut it short at most


def _is_cookie(secret: bytes, whole: bytes) -> bool:
    """Tells whether one of the cookies is long and random: names, languages and consents are no secrets, ids of UUIDs neither."""
    values = [pair.partition(b"=")[2] or pair for pair in secret.split(b";")]
    return any(
        len(value) >= 16 and _has_digit(value) and spread(value) >= 7 and value.count(b"-") < 3 and not is_wordy(value)
        for value in values
    )


def _is_hash(secret: bytes, whole: bytes) -> bool:
    return spread(secret[-40:]) >= 6


def _is_bare(secret: bytes, whole: bytes) -> bool:
    return _is_token(secret, whole) and spread(secret) >= 14


def _is_example(low: bytes) -> bool:
    return any(example in low for example in EXAMPLES)


def _has_digit(secret: bytes) -> bool:
    return any(48 <= byte <= 57 for byte in secret)


def _is_port(secret: bytes) -> bool:
    """True for what stands behind a host and its colon, as in http://host:8080/path@2, and for -p127.0.0.1:3306:3306."""
    number, slash, _ = secret.partition(b"/")
    is_published = b":" in secret and not secret.strip(b"0123456789.:")
    return is_published or (bool(slash) and number.isdigit())


def _is_value(secret: bytes, whole: bytes) -> bool:
    """True for what a store of secrets is given: a user beside a password is a plain word."""
    letters = secret.translate(None, LETTERS) != secret
    return (
        letters
        and secret.translate(None, DIGITS + b"!@#$%^&*") != secret
        and _is_password(secret, whole)
        and (not is_wordy(secret) or is_passphrase(secret))
    )


def _is_setting(secret: bytes, whole: bytes) -> bool:
    """True for what looks like a secret among settings that are none."""
    is_mixed = secret not in (secret.lower(), secret.upper()) or secret.translate(None, b"!#$%^&*") != secret
    is_long = len(secret) >= 16 and spread(secret) >= 8
    return _is_value(secret, whole) and len(secret) >= 6 and (is_mixed or is_long) and not secret.startswith((b"/", b"http"))


def _is_printed(secret: bytes, whole: bytes) -> bool:
    """Tells whether a word that a command prints is no word of a message, and no name or path."""
    is_mixed = secret not in (secret.lower(), secret.upper()) or secret.translate(None, b"!#$%^&*+") != secret
    is_random = len(secret) >= 20 and spread(secret) >= 8
    return _is_value(secret, whole) and (is_mixed or is_random) and not is_code(secret) and b"/" not in secret[:1] + secret[-1:]


def _is_strong(secret: bytes, whole: bytes) -> bool:
    return is_strong(secret)


def _is_spoken(secret: bytes, whole: bytes) -> bool:
    """True for a word of a sentence, or behind a colon, that is no word: it has digits or signs among its letters."""
    value = secret.rstrip(b".:!?)")
    if b"lave" in whole and any(word in whole for word in KEYS_OF_TABLES):
        return False
    return len(value) >= 6 and _is_value(value, whole) and not is_technical(value) and not is_code(value) and value.isascii()


def _is_pin(secret: bytes, whole: bytes) -> bool:
    """True for digits that are neither a year nor what examples have."""
    in_order = b"0123456789".startswith(secret) or b"1234567890".startswith(secret)
    return len(set(secret)) > 1 and not in_order and not (len(secret) == 4 and secret[:2] in (b"19", b"20"))


def _are_words(secret: bytes, whole: bytes) -> bool:
    """True for words in no order, of which a phrase is made, and no sentence about one."""
    return not (MESSAGE | _OF_SENTENCES).intersection(secret.split())


_CHECKS: dict[str, Callable[[bytes, bytes], bool]] = {
    "token": _is_token,
    "block": _is_block,
    "credential": _is_credential,
    "password": _is_password,
    "bare": _is_bare,
    "cookie": _is_cookie,
    "hash": _is_hash,
    "value": _is_value,
    "setting": _is_setting,
    "printed": _is_printed,
    "strong": _is_strong,
    "spoken": _is_spoken,
    "pin": _is_pin,
    "words": _are_words,
}
