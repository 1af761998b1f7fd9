"""An answer for lines that are no JSON: the SDK drops them, and whoever sent one waits for ever."""

from __future__ import annotations

from typing import Any, Self

import anyio
import mcp_types as types
from mcp.shared.message import SessionMessage

TYPE_CHECKING = False
if TYPE_CHECKING:
    from mcp.shared._stream_protocols import ReadStream, WriteStream

_SAID = types.JSONRPCError(jsonrpc="2.0", id=None, error=types.ErrorData(code=types.PARSE_ERROR, message="this is no JSON"))


class Answering:
    """The messages that come in; each line that is no JSON is answered on the way, as JSON-RPC 2.0 wants it (section 5.1)."""

    def __init__(self, incoming: ReadStream[SessionMessage | Exception], outgoing: WriteStream[SessionMessage]) -> None:
        self._incoming = incoming
        self._outgoing = outgoing

    @property
    def last_context(self) -> Any:
        """The context of the last message's sender."""
        return getattr(self._incoming, "last_context", None)

    async def receive(self) -> SessionMessage | Exception:
        """Returns the next message. Raises what the stream raises at its end."""
        while True:
            item = await self._incoming.receive()
            if not _is_garbled(item):
                return item
            try:
                await self._outgoing.send(SessionMessage(_SAID))
            except (anyio.ClosedResourceError, anyio.BrokenResourceError):
                return item

    async def aclose(self) -> None:
        """Closes the stream."""
        await self._incoming.aclose()

    def __aiter__(self) -> Self:
        return self

    async def __anext__(self) -> SessionMessage | Exception:
        try:
            return await self.receive()
        except anyio.EndOfStream:
            raise StopAsyncIteration from None

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *problem: object) -> None:
        await self.aclose()


def _is_garbled(item: object) -> bool:
    """Tells whether a line was no JSON; an empty one is nobody's question. The SDK passes on what pydantic said of it."""
    found = getattr(item, "errors", None)
    if not isinstance(item, ValueError) or found is None:
        return False
    first = found()[0]
    return first["type"] == "json_invalid" and bool(str(first["input"]).strip())
