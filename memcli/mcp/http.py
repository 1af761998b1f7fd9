"""Streamable HTTP, for this machine only: a loopback address, the SDK's checks of Host and Origin, and a token in a file."""

from __future__ import annotations

import os
import socket

from memcli import config
from memcli.errors import InvalidInput, MemError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from starlette.types import ASGIApp, Receive, Scope, Send

    from memcli.mcp.server import Door

HOST, PATH = "127.0.0.1", "/mcp"
_MAX_REQUEST = 4 << 20  # bytes
_CLOSING = 2  # seconds that open answers get when the server is told to stop


def serve(door: Door, port: int, tell: Callable[[dict[str, Any]], None]) -> None:
    """Serves until the process is told to stop. `tell` is told the address. Raises InvalidInput for a port that is taken."""
    import uvicorn
    from mcp.server.transport_security import TransportSecuritySettings

    key = token()
    bound = _bound(port)
    here = [f"{name}:{bound.getsockname()[1]}" for name in (HOST, "localhost")]
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
    tell({"url": f"http://{here[0]}{PATH}", "token": token_path()})
    uvicorn.Server(settings).run(sockets=[bound])


def _bound(port: int) -> socket.socket:
    bound = socket.socket(socket.AF_INET, socket.SOCK_STREAM, socket.IPPROTO_TCP)  # unnamed, asyncio would leave Nagle on
    try:
        bound.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        bound.bind((HOST, port))
        bound.listen(socket.SOMAXCONN)  # who reads the address may connect at once, though nobody answers yet
    except OSError as problem:
        bound.close()
        raise InvalidInput(f"port {port} cannot be had: {(problem.strerror or '').lower()}", "give --port 0 for any") from None
    return bound


def token_path() -> str:
    """Returns the file that holds the token."""
    return os.path.join(config.data_dir(), "token")


def token() -> str:
    """Returns the token that clients have to show, made the first time. Raises MemError for a file that others can use."""
    path = token_path()
    os.makedirs(config.data_dir(), mode=0o700, exist_ok=True)
    try:
        handle = os.open(path, os.O_RDONLY | os.O_NOFOLLOW)
    except FileNotFoundError:
        return _new_token(path)
    except OSError:
        raise MemError("the token's file is a symbolic link, or cannot be read", f"remove {path}; a new one is made") from None
    with open(handle, encoding="ascii", errors="replace") as file:
        found = os.fstat(handle)
        key = file.read(200).strip()
    if found.st_mode & 0o077 or found.st_uid != os.getuid() or len(key) < 32:
        raise MemError("others can read the token's file, or it holds none", f"remove {path}; a new one is made")
    return key


def _new_token(path: str) -> str:
    import secrets

    key = secrets.token_urlsafe(32)
    aside = f"{path}.{os.getpid()}"
    with open(os.open(aside, os.O_CREAT | os.O_EXCL | os.O_WRONLY | os.O_NOFOLLOW, 0o600), "w", encoding="ascii") as file:
        file.write(key + "\n")
    try:
        os.link(aside, path)  # of two servers that start at once, one makes it
        return key
    except FileExistsError:
        return token()
    finally:
        os.unlink(aside)


class _Guarded:
    """Lets a request through that shows the token; 401 for any other, whatever it asks."""

    def __init__(self, app: ASGIApp, key: str) -> None:
        self._app = app
        self._wanted = f"Bearer {key}".encode("ascii")

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        import hmac

        if scope["type"] == "http":
            shown = [value for name, value in scope["headers"] if name == b"authorization"]
            if len(shown) != 1 or not hmac.compare_digest(shown[0], self._wanted):
                headers = [(b"www-authenticate", b"Bearer"), (b"content-type", b"text/plain")]
                await send({"type": "http.response.start", "status": 401, "headers": headers})
                await send({"type": "http.response.body", "body": b"the token is missing or wrong\n"})
                return
        await self._app(scope, receive, send)
