"""Streamable HTTP, for this machine only: a loopback address, the SDK's checks of Host and Origin, and a token in a file."""

from __future__ import annotations

from memcli.mcp.malformed import answer_to_body
from memcli.serving import loopback
from memcli.serving.loopback import HOST

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from starlette.types import ASGIApp, Message, Receive, Scope, Send

    from memcli.mcp.server import Door

PATH = "/mcp"
_MAX_REQUEST = 4 << 20  # bytes
_CLOSING = 2  # seconds that open answers get when the server is told to stop


def serve(door: Door, port: int, tell: Callable[[dict[str, Any]], None]) -> None:
    """Serves until the process is told to stop. `tell` is told the address. Raises InvalidInput for a port that is taken."""
    import uvicorn
    from mcp.server.transport_security import TransportSecuritySettings

    key = loopback.token()
    bound = loopback.listen(HOST, port)
    here = [f"{name}:{bound.getsockname()[1]}" for name in (HOST, "localhost", "[::1]")]
    checks = TransportSecuritySettings(allowed_hosts=here, allowed_origins=[f"http://{name}" for name in here])
    app = door.server().streamable_http_app(
        streamable_http_path=PATH, transport_security=checks, max_request_body_size=_MAX_REQUEST
    )
    settings = uvicorn.Config(
        _Guarded(app, key),
        log_config=None,
        access_log=False,
        server_header=False,
        date_header=False,
        timeout_graceful_shutdown=_CLOSING,
    )
    tell({"url": f"http://{here[0]}{PATH}", "token": loopback.token_path()})
    uvicorn.Server(settings).run(sockets=[bound])


class _Guarded:
    """Lets a request through that shows the token; 401 for any other, whatever it asks."""

    def __init__(self, app: ASGIApp, key: str) -> None:
        self._app = app
        self._key = key

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "http" and not loopback.has_token(scope["headers"], self._key):
            headers = [(b"www-authenticate", b"Bearer"), (b"content-type", b"text/plain")]
            await send({"type": "http.response.start", "status": 401, "headers": headers})
            await send({"type": "http.response.body", "body": b"the token is missing or wrong\n"})
            return
        if scope["type"] == "http" and scope["method"] == "POST" and scope["path"] == PATH:
            taken, body = await _taken(receive)
            if body is not None and (said := answer_to_body(body)):
                headers = [(b"content-type", b"application/json")]
                await send({"type": "http.response.start", "status": 400, "headers": headers})
                await send({"type": "http.response.body", "body": said})
                return
            receive = _again(taken, receive)
        await self._app(scope, receive, send)


async def _taken(receive: Receive) -> tuple[list[Message], bytes | None]:
    """Takes in a request's body. Returns its parts, and the whole; None for one that is too large, or that broke off."""
    taken: list[Message] = []
    size, more = 0, True
    while more and size <= _MAX_REQUEST:
        part = await receive()
        taken.append(part)
        if part["type"] != "http.request":
            return taken, None
        size += len(part.get("body", b""))
        more = part.get("more_body", False)
    return taken, None if size > _MAX_REQUEST else b"".join([part.get("body", b"") for part in taken])


def _again(taken: list[Message], receive: Receive) -> Receive:
    """Returns what gives back the parts that were taken, and then what comes after them."""

    async def given() -> Message:
        return taken.pop(0) if taken else await receive()

    return given
