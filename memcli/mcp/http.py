"""Streamable HTTP, for this machine only: a loopback address, the SDK's checks of Host and Origin, and a token in a file."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import uvicorn
from mcp.server.transport_security import TransportSecuritySettings
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from memcli import serving
from memcli.mcp.malformed import answer_to_body
from memcli.mcp.server import McpServer
from memcli.serving import HOST
from memcli.serving.bodies import SLOW, LimitedBody, LongBody, SlowBody
from memcli.serving.protocol import PatientServer, TimedProtocol

PATH = "/mcp"
_MAX_REQUEST = 4 << 20  # bytes
_SHUTDOWN = 2  # seconds that open responses get when the server is stopped


def serve(server: McpServer, port: int, report: Callable[[dict[str, Any]], None]) -> None:
    """Serves until the process is stopped. `report` gets the address. Raises InvalidInput for a port in use."""
    token = serving.token()
    listener = serving.listen(HOST, port)
    hosts = [f"{name}:{listener.getsockname()[1]}" for name in (HOST, "localhost", "[::1]")]
    security = TransportSecuritySettings(allowed_hosts=hosts, allowed_origins=[f"http://{name}" for name in hosts])
    app = server.server().streamable_http_app(
        streamable_http_path=PATH, transport_security=security, max_request_body_size=_MAX_REQUEST
    )
    settings = uvicorn.Config(
        _TokenGuard(app, token),
        http=TimedProtocol,
        ws="none",
        log_config=None,
        access_log=False,
        server_header=False,
        date_header=False,
        timeout_graceful_shutdown=_SHUTDOWN,
    )
    report({"url": f"http://{hosts[0]}{PATH}", "token": serving.token_path()})
    PatientServer(settings).run(sockets=[listener])


class _TokenGuard:
    """Passes on requests with the token, refuses all others with 401, and answers bodies that are no message itself."""

    def __init__(self, app: ASGIApp, token: str) -> None:
        self._app = app
        self._token = token

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "http" and not serving.is_token(serving.bearer(scope["headers"]), self._token):
            headers = [(b"www-authenticate", b"Bearer"), (b"content-type", b"text/plain")]
            await _respond(send, 401, headers, b"the token is missing or wrong\n")
            return
        if scope["type"] == "http" and scope["method"] == "POST" and scope["path"] == PATH:
            try:
                messages, body = await _read_body(receive)
            except SlowBody:
                await _respond(send, 408, [(b"connection", b"close"), (b"content-type", b"text/plain")], SLOW.encode() + b"\n")
                return
            except LongBody:
                await _respond(send, 413, [(b"content-type", b"text/plain")], b"the body is too large\n")
                return
            if body is not None and (answer := answer_to_body(body)):
                await _respond(send, 400, [(b"content-type", b"application/json")], answer)
                return
            receive = _replay(messages, receive)
        await self._app(scope, receive, send)


async def _respond(send: Send, status: int, headers: list[tuple[bytes, bytes]], body: bytes) -> None:
    await send({"type": "http.response.start", "status": status, "headers": headers})
    await send({"type": "http.response.body", "body": body})


async def _read_body(receive: Receive) -> tuple[list[Message], bytes | None]:
    """Reads a request's body. Returns its messages, and the whole; None if it was cut off. Raises SlowBody, LongBody."""
    messages: list[Message] = []
    limited = LimitedBody(receive, _MAX_REQUEST)
    more = True
    while more:
        message = await limited()
        messages.append(message)
        if message["type"] != "http.request":
            return messages, None
        more = message.get("more_body", False)
    return messages, b"".join([message.get("body", b"") for message in messages])


def _replay(messages: list[Message], receive: Receive) -> Receive:
    """Returns a `receive` that first returns the messages already read."""

    async def replayed() -> Message:
        return messages.pop(0) if messages else await receive()

    return replayed
