"""Visitors of the page: links that work once, and the sessions of browser tabs that opened one.

A session is a random key that a tab keeps and sends as a header, never a cookie: browsers send cookies to every port of a
host. The keys exist only in this process, so none outlives the service.
"""

from __future__ import annotations

import hashlib
import secrets
import time

from memcli.http import login_file

SESSION_LIFE = 12 * 3600.0  # seconds
_MAX_SESSIONS = 200  # beyond that the oldest one ends


class Visitors:
    """The links and the sessions of one start of the service."""

    def __init__(self) -> None:
        self._links: dict[str, float] = {}  # digest of a code -> when it expires
        self._sessions: dict[str, float] = {}  # digest of a key -> when it expires

    def new_code(self) -> str:
        """Returns the code of a link that works once, within a minute."""
        code = secrets.token_hex(24)
        self._links = _unexpired(self._links) | {_digest(code): time.monotonic() + login_file.LIFE}
        return code

    def begin(self, code: str) -> str | None:
        """Exchanges a link's code for the key of a new session; None for an invalid code."""
        expires = self._links.pop(_digest(code), 0.0)
        if expires:
            login_file.remove(code)
        if expires <= time.monotonic():
            return None
        key = secrets.token_urlsafe(32)
        self._sessions = dict(list(_unexpired(self._sessions).items())[1 - _MAX_SESSIONS :])
        self._sessions[_digest(key)] = time.monotonic() + SESSION_LIFE
        return key

    def has(self, key: str) -> bool:
        """Tells whether a key's session is open."""
        return self._sessions.get(_digest(key), 0.0) > time.monotonic()

    def end(self, key: str) -> None:
        """Ends a session."""
        self._sessions.pop(_digest(key), None)


def _digest(key: str) -> str:
    """Returns the digest by which a key is looked up, so that timing reveals nothing about the key."""
    return hashlib.sha256(key.encode("utf-8", "replace")).hexdigest()


def _unexpired(expiries: dict[str, float]) -> dict[str, float]:
    now = time.monotonic()
    return {digest: expires for digest, expires in expiries.items() if expires > now}
