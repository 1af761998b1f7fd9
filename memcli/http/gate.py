"""Who gets in: this machine, by its own name, from no foreign page, with the token or the cookie made of it.

Everything is decided before routing. The order: request id, room, Host, Origin, size, kind of the body, token or cookie.
"""

from __future__ import annotations

import asyncio
import hmac
import os
import time

from starlette.exceptions import HTTPException

from memcli.http import problem
from memcli.http.problem import Problem
from memcli.serving import loopback

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    from starlette.types import ASGIApp, Message, Receive, Scope, Send

    Headers = list[tuple[bytes, bytes]]

CONNECTIONS = 600  # open at once
MAX_BODY = 2 << 20  # bytes
PATIENCE = 5.0  # seconds without a byte of a body that was announced
WHOLE = 30.0  # seconds for all of it
COOKIE = "mem_page"
_COOKIE_LIFE = 12 * 3600  # seconds
OPEN = ("/health", "/login")  # paths that need neither token nor cookie
_WRITES = ("POST", "PUT", "PATCH", "DELETE")
_ID = frozenset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_.")
GUARDS = (
    (b"x-content-type-options", b"nosniff"),
    (b"x-frame-options", b"DENY"),
    (b"referrer-policy", b"no-referrer"),
    (b"cache-control", b"no-store"),
    (b"cross-origin-resource-policy", b"same-origin"),
)


def own_hosts(port: int | None) -> frozenset[str]:
    """Returns what a request's Host may be. None: a socket in the file system, which has no port."""
    names = ("127.0.0.1", "localhost", "[::1]")
    return frozenset(names if port is None else [f"{name}:{port}" for name in names] + (list(names) if port == 80 else []))


class Gate:
    """Lets a request through to the service, or answers it with a problem."""

    def __init__(self, app: ASGIApp, key: str, hosts: frozenset[str]) -> None:
        self._app = app
        self._key = key
        self.hosts = hosts
        self.connections: Collection[object] = ()  # those that are open

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            return await self._app(scope, receive, send)
        headers: Headers = scope["headers"]
        request_id = _request_id(headers)
        scope.setdefault("state", {})["request_id"] = request_id
        marked = _marking(send, request_id)
        try:
            self._check(scope, headers)
        except Problem as refused:
            more = {"connection": "close"}
            if refused.status == 401:
                more["www-authenticate"] = "Bearer"
                if scope["path"] == "/":
                    from memcli.http.pages import LOCKED

                    return await LOCKED(scope, receive, marked)
            return await problem.answer(refused.status, refused, request_id, more)(scope, receive, marked)
        await self._app(scope, _Limited(receive), marked)

    def _check(self, scope: Scope, headers: Headers) -> None:
        """Raises Problem for a request that may not pass."""
        if len(self.connections) > CONNECTIONS:
            raise Problem(503, "too many connections are open", "close one, or wait")
        form, _, rest = scope["path"].partition("://")  # an address in place of a path names a host, too
        named = rest.partition("/")[0].lower() if rest and not form.startswith("/") else ""
        if _only(headers, b"host").lower() not in self.hosts or (named and named not in self.hosts):
            raise Problem(421, "this service answers to its own name only", "ask 127.0.0.1, localhost or [::1]", "wrong_host")
        origin = [value for name, value in headers if name == b"origin"]
        if origin and not self._is_own(origin):
            raise Problem(403, "another page asked", "open the page with: mem serve open", "foreign_origin")
        _check_body(headers)
        if scope["path"] in OPEN or loopback.shows(headers, self._key):
            return
        if not self._has_cookie(headers):
            raise Problem(401, "the token is missing or wrong", "send Authorization: Bearer, with what is in the file `token`")
        site = _only(headers, b"sec-fetch-site")
        if (scope["method"] in _WRITES and not origin) or site in ("cross-site", "same-site"):
            raise Problem(403, "another page asked", "open the page with: mem serve open", "foreign_origin")

    def _is_own(self, origin: Sequence[bytes]) -> bool:
        said = origin[0].decode("latin-1").lower()
        return len(origin) == 1 and said.startswith("http://") and said.removeprefix("http://") in self.hosts

    def _has_cookie(self, headers: Headers) -> bool:
        for name, value in headers:
            if name == b"cookie":
                for part in value.decode("latin-1").split(";"):
                    key, _, said = part.strip().partition("=")
                    if key == COOKIE and cookie_holds(said, self._key):
                        return True
        return False


def _check_body(headers: Headers) -> None:
    """Raises Problem for a body that is too large, of two lengths, or no JSON."""
    lengths = [value for name, value in headers if name == b"content-length"]
    chunked = any(name == b"transfer-encoding" for name, _ in headers)
    if len(lengths) > 1 or (lengths and chunked):
        raise Problem(400, "the body has two lengths", "send Content-Length or chunks, once", "two_lengths")
    size = int(lengths[0]) if lengths and lengths[0].isdigit() and len(lengths[0]) < 16 else MAX_BODY + 1 if lengths else 0
    if size > MAX_BODY:
        raise Problem(413, f"a body may have {MAX_BODY:,} bytes", "send less")
    if (size or chunked) and _only(headers, b"content-type").partition(";")[0].strip().lower() != "application/json":
        raise Problem(415, "a body has to be JSON", "send Content-Type: application/json")


def _only(headers: Headers, wanted: bytes) -> str:
    """Returns the value of a header, empty where it is missing or there several times."""
    found = [value for name, value in headers if name == wanted]
    return found[0].decode("latin-1") if len(found) == 1 else ""


def _request_id(headers: Headers) -> str:
    """Returns what the client calls its request, where that is a name; else a new one."""
    said = _only(headers, b"x-request-id")
    return said if 0 < len(said) <= 64 and _ID.issuperset(said) else os.urandom(8).hex()


def _marking(send: Send, request_id: str) -> Send:
    async def marked(message: Message) -> None:
        if message["type"] == "http.response.start":
            known = {name for name, _ in message["headers"]}
            guards = [(name, value) for name, value in GUARDS if name not in known]
            message["headers"] = [*message["headers"], (b"x-request-id", request_id.encode()), *guards]
        await send(message)

    return marked


class _Limited:
    """A body as it comes in: up to MAX_BODY bytes, whole within WHOLE, and never silent for longer than PATIENCE before."""

    def __init__(self, receive: Receive) -> None:
        self._receive = receive
        self._size = 0
        self._whole = False
        self._until = time.monotonic() + WHOLE

    async def __call__(self) -> Message:
        if self._whole:
            return await self._receive()  # whoever waits for the client to leave may wait
        try:
            message = await asyncio.wait_for(self._receive(), min(PATIENCE, self._until - time.monotonic()))
        except TimeoutError:
            raise HTTPException(408, "the body did not come within its time") from None
        self._size += len(message.get("body", b""))
        self._whole = not message.get("more_body", False)
        if self._size > MAX_BODY:
            raise HTTPException(413, f"a body may have {MAX_BODY:,} bytes")
        return message


def cookie(key: str) -> str:
    """Returns a cookie's value: when it ends, and a signature that only who knows the token can make."""
    until = str(int(time.time()) + _COOKIE_LIFE)
    return f"{until}.{_signature(until, key)}"


def cookie_holds(value: str, key: str) -> bool:
    """Tells whether a cookie's value is one of ours that has not ended."""
    until, _, signature = value.partition(".")
    if not (until.isascii() and until.isdigit() and len(until) < 16 and signature.isascii()):
        return False
    return hmac.compare_digest(signature, _signature(until, key)) and int(until) > time.time()


def cookie_header(key: str) -> str:
    """Returns the Set-Cookie header that lets a browser in."""
    return f"{COOKIE}={cookie(key)}; Path=/; Max-Age={_COOKIE_LIFE}; HttpOnly; SameSite=Strict"


def _signature(until: str, key: str) -> str:
    return hmac.new(key.encode(), f"{COOKIE} {until}".encode(), "sha256").hexdigest()
