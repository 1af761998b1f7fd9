"""Access control: only this machine, under its own name, from no foreign page, with the token or the key of a page's session.

Everything is decided before routing, in this order: request id, connections, Host, Origin, size and type of the body, token or
key. Without a token come calls by a socket, which the permissions of its file guard, and, where the person allows it, calls
of the routes that other memories' clients use.
"""

from __future__ import annotations

import os
from collections.abc import Collection, Sequence

from starlette.exceptions import HTTPException
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from memcli import serving
from memcli.http import pages, problem
from memcli.http.problem import Problem
from memcli.http.visitors import Visitors
from memcli.serving.bodies import SLOW, LimitedBody, LongBody, SlowBody
from memcli.serving.protocol import make_room, waiting

Headers = list[tuple[bytes, bytes]]

MAX_CONNECTIONS = 450  # open at once with a request
MAX_HEAD = 163_840  # bytes of a head: the longest query and names, each character as nine
MAX_BODY = 2 << 20  # bytes
_PUBLIC = ("/health", "/login", "/")  # paths that need neither token nor key
STREAM = "/stream"  # never ends, so that it has no head alone
_PAGE_FILES = "/viewer/"  # so do the files of the page
_TOKEN_ONLY = ("/v2/link",)  # a page gives nobody access
EVERYWHERE = ("/",)  # beginnings of paths: all of them
CLIENTS = ("/api/", "/sessions/", "/v1/", "/stream")  # those of C-Mem, mecho and the long-term memory
_INJECTED = "/api/context/inject"  # clients without a token do not look at the status: they write the answer into a file
_WRITES = ("POST", "PUT", "PATCH", "DELETE")
_ID = frozenset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_.")
SECURITY_HEADERS = (
    (b"x-content-type-options", b"nosniff"),
    (b"x-frame-options", b"DENY"),
    (b"referrer-policy", b"no-referrer"),
    (b"cache-control", b"no-store"),
    (b"cross-origin-resource-policy", b"same-origin"),
)


def own_hosts(port: int | None) -> frozenset[str] | None:
    """Returns the allowed Host headers of a request. None, for a socket in the file system: any.

    A browser, which a foreign page could direct here under its own host name, cannot open such a socket.
    """
    names = ("127.0.0.1", "localhost", "[::1]")
    return None if port is None else frozenset([f"{name}:{port}" for name in names] + (list(names) if port == 80 else []))


class AccessGate:
    """Passes a request on to the service, or answers it with a problem.

    `without_token`: prefixes of paths that need none.
    """

    def __init__(
        self, app: ASGIApp, token: str, visitors: Visitors, hosts: frozenset[str] | None, without_token: tuple[str, ...] = ()
    ) -> None:
        self._app = app
        self._token = token
        self._visitors = visitors
        self._without_token = without_token
        self.hosts = hosts
        self.connections: Collection[object] = ()  # open at the moment

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            return await self._app(scope, receive, send)
        headers: Headers = scope["headers"]
        request_id = _request_id(headers)
        scope.setdefault("state", {})["request_id"] = request_id
        send = _with_headers(send, request_id)
        if scope["path"] == _INJECTED and not serving.is_token(serving.bearer(headers), self._token):
            send = _without_error_text(send)
        try:
            self._check(scope, headers)
        except Problem as rejected:
            if rejected.status == 401 and _single(headers, b"sec-fetch-dest") == "document":
                return await pages.file("nowhere.html", 401)(scope, receive, send)  # somebody typed an address
            headers_out = {"connection": "close"}
            if rejected.status == 401:
                headers_out["www-authenticate"] = "Bearer"
            return await problem.answer(rejected.status, rejected, request_id, headers_out)(scope, receive, send)
        if scope["method"] == "HEAD" and scope["path"] != STREAM:
            scope = {**scope, "method": "GET"}  # the server leaves the body out
        await self._app(scope, _limited(receive), send)

    def _check(self, scope: Scope, headers: Headers) -> None:
        """Raises Problem for a request that may not pass."""
        if len(self.connections) - waiting() > MAX_CONNECTIONS and not make_room():
            raise Problem(503, "too many connections are open", "close one, or wait")
        if len(scope["path"]) + len(scope["query_string"]) + sum([len(name) + len(value) for name, value in headers]) > MAX_HEAD:
            raise long_head()  # one that came in at once; another one is refused before it is there
        scheme, _, address = scope["path"].partition("://")  # an absolute URL in place of a path names a host, too
        host = address.partition("/")[0].lower() if address and not scheme.startswith("/") else ""
        hosts = self.hosts
        if hosts is not None and (_single(headers, b"host").lower() not in hosts or (host and host not in hosts)):
            raise Problem(421, "this service answers to its own name only", "use 127.0.0.1, localhost or [::1]", "wrong_host")
        origin = [value for name, value in headers if name == b"origin"]
        if origin and not self._is_own(origin):
            raise Problem(403, "the request comes from another page", "open the page with: mem serve open", "foreign_origin")
        _check_body(headers)
        key = serving.bearer(headers)
        if _is_public(scope) or serving.is_token(key, self._token):
            return
        if scope["path"].startswith(self._without_token) and not origin and not _is_of_page(headers):
            return
        if not self._visitors.has(key) or scope["path"] in _TOKEN_ONLY:
            raise Problem(401, "the token is missing or wrong", "send Authorization: Bearer, with what is in the file `token`")
        scope["state"]["session"] = key
        site = _single(headers, b"sec-fetch-site")
        if (scope["method"] in _WRITES and not origin) or site in ("cross-site", "same-site"):
            raise Problem(403, "the request comes from another page", "open the page with: mem serve open", "foreign_origin")

    def _is_own(self, origin: Sequence[bytes]) -> bool:
        value = origin[0].decode("latin-1").lower()
        return len(origin) == 1 and value.startswith("http://") and value.removeprefix("http://") in (self.hosts or ())


def _is_public(scope: Scope) -> bool:
    return scope["path"] in _PUBLIC or (scope["path"].startswith(_PAGE_FILES) and scope["method"] in ("GET", "HEAD"))


def _is_of_page(headers: Headers) -> bool:
    """Tells whether a browser sends a request. Node's fetch sends a mode, but no site."""
    return any(name in (b"sec-fetch-site", b"sec-fetch-dest") for name, _ in headers)


def long_head() -> Problem:
    """Returns the answer to a head that is too large."""
    return Problem(431, f"a request head may have at most {MAX_HEAD:,} bytes", "send less")


def _check_body(headers: Headers) -> None:
    """Raises Problem for a body that is too large, has two lengths, or is not JSON."""
    lengths = [value for name, value in headers if name == b"content-length"]
    chunked = any(name == b"transfer-encoding" for name, _ in headers)
    if len(lengths) > 1 or (lengths and chunked):
        raise Problem(400, "the body has two lengths", "send Content-Length or chunks, once", "two_lengths")
    size = int(lengths[0]) if lengths and lengths[0].isdigit() and len(lengths[0]) < 16 else MAX_BODY + 1 if lengths else 0
    if size > MAX_BODY:
        raise Problem(413, f"a body may have at most {MAX_BODY:,} bytes", "send less")
    if (size or chunked) and _single(headers, b"content-type").partition(";")[0].strip().lower() != "application/json":
        raise Problem(415, "a body has to be JSON", "send Content-Type: application/json")


def _single(headers: Headers, header: bytes) -> str:
    """Returns the value of a header, empty if it is missing or repeated."""
    values = [value for name, value in headers if name == header]
    return values[0].decode("latin-1") if len(values) == 1 else ""


def _request_id(headers: Headers) -> str:
    """Returns the client's own id of its request, if it is a valid name; else a new one."""
    value = _single(headers, b"x-request-id")
    return value if 0 < len(value) <= 64 and _ID.issuperset(value) else os.urandom(8).hex()


def _with_headers(send: Send, request_id: str) -> Send:
    async def send_with_headers(message: Message) -> None:
        if message["type"] == "http.response.start":
            present = {name for name, _ in message["headers"]}
            guards = [(name, value) for name, value in SECURITY_HEADERS if name not in present]
            message["headers"] = [*message["headers"], (b"x-request-id", request_id.encode()), *guards]
        await send(message)

    return send_with_headers


def _without_error_text(send: Send) -> Send:
    """Drops the text of an error, so that a client that stores the answer stores nothing."""
    is_error = False

    async def send_without_text(message: Message) -> None:
        nonlocal is_error
        if message["type"] == "http.response.start" and message["status"] >= 400:
            is_error = True
            headers = [(name, value) for name, value in message["headers"] if name not in (b"content-type", b"content-length")]
            message["headers"] = [*headers, (b"content-type", b"text/markdown; charset=utf-8"), (b"content-length", b"0")]
        elif is_error:
            message["body"] = b""
        await send(message)

    return send_without_text


def _limited(receive: Receive) -> Receive:
    """Receives a body within the limits. Raises HTTPException, which the application answers, if it exceeds them."""
    body = LimitedBody(receive, MAX_BODY)

    async def receive_limited() -> Message:
        try:
            return await body()
        except SlowBody:
            raise HTTPException(408, SLOW, {"connection": "close"}) from None
        except LongBody:
            raise HTTPException(413, f"a body may have at most {MAX_BODY:,} bytes") from None

    return receive_limited
