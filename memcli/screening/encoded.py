"""Secrets inside base64 of a text: what `kubectl get secret`, `docker login` and many configurations keep.

Only text is decoded, once: images, hashes and keys of random bytes are none.
"""

from __future__ import annotations

from binascii import Error, a2b_base64
from collections.abc import Callable, Sequence

Span = tuple[int, int, str]  # first byte, byte behind the last one, rule

RULE = "base64-credential"  # for `user:password` behind a name like `auth`
_FAR = 24  # bytes before a word in which its name stands
_PRINTABLE = bytes(range(32, 127)) + b"\t\r\n"


def find_encoded(raw: bytes, words: Sequence[bytes], find: Callable[[bytes], list[Span]]) -> list[Span]:
    """Returns the words of a text that are base64 of a secret which `find` knows, or of a user and a password."""
    spans: list[Span] = []
    end = 0
    for word in words:
        at = raw.find(word, end)
        if at < 0:
            continue
        end = at + len(word)
        end += len(raw[end : end + 2]) - len(raw[end : end + 2].lstrip(b"="))
        text = _decoded(word)
        if secrets := find(text) if text else []:
            spans.append((at, end, secrets[0][2]))
        elif b"auth" in raw[max(0, at - _FAR) : at].lower() and _is_login(text):
            spans.append((at, end, RULE))
    return spans


def _decoded(word: bytes) -> bytes:
    """Returns the text that a word of base64 stands for, nothing where it stands for none."""
    try:
        text = a2b_base64(word + b"=" * (-len(word) % 4))
    except Error:
        return b""
    return text if not text.translate(None, _PRINTABLE) else b""


def _is_login(text: bytes) -> bool:
    """True for a user and a password with a colon between them."""
    user, colon, password = text.partition(b":")
    return bool(colon and user) and len(password) >= 6 and len(text.split()) == 1
