"""Random words behind the name of a key or token: secrets, whatever a language or tool puts between the two."""

from __future__ import annotations

from typing import TYPE_CHECKING

from memcli.screening.values import DIGITS, KEY, LETTERS, STRONG, ends_in_secret, is_strong, rule_for

if TYPE_CHECKING:
    from memcli.screening import Span

_AROUND, _MOST_LINES = 60, 2  # bytes and ends of lines between a name and a random word
_TO_TOKENS = bytes([byte if byte in LETTERS + DIGITS + b"_-+/=~%" else 32 for byte in range(256)])
_OTHER_NAMES = frozenset(
    b"id hash digest checksum integrity fingerprint commit sha version url http https public path file".split()
)
_HASHES = (b"sha1", b"sha2", b"sha3", b"sha5", b"md5")
_KNOWN_BEGINNINGS = (b"AAAA", b"/", b"Qm")  # of public keys, paths, addresses of content
_AROUND_WORD = b" \t\"'`().,;:]"


def next_word(raw: bytes, name: tuple[int, int], word: bytes) -> list[Span]:
    """Returns the next word behind a name, if it is random: it is a secret whatever the sentence or command says."""
    value = word.strip(_AROUND_WORD)
    if not (is_strong(value) and ends_in_secret(raw[name[0] : name[1]])):
        return []
    first = raw.find(value, name[1])
    rule = rule_for(raw[name[0] : name[1]], value, True)
    return [(first, first + len(value), rule)] if rule else []


def random_word(raw: bytes, name: tuple[int, int], text: bytes) -> list[Span]:
    """Returns the first word behind a name that is random, whatever a language or tool puts between them but other names."""
    label = raw[name[0] : name[1]]
    if label.strip(b"-").lower() in (b"key", b"keys"):
        return []
    at = lines = 0
    for part in text.translate(_TO_TOKENS).split(b" "):
        if at > _AROUND or lines > _MOST_LINES or part.lower() in _OTHER_NAMES or part.lower().startswith(_HASHES):
            return []
        if len(part) >= STRONG and is_strong(part) and not part.startswith(_KNOWN_BEGINNINGS):
            first = name[1] + at
            return [(first, first + len(part), rule)] if (rule := rule_for(label, part, True)) == KEY else []
        if len(part) >= STRONG and part.strip(b"-=+~_"):
            return []
        at += len(part) + 1
        lines += text[at - 1 : at] == b"\n"
    return []
