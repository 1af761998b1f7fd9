"""An answer for lines that are no message: the SDK drops them, and whoever sent one waits for ever."""

from __future__ import annotations

from typing import Any, Self

import anyio
import mcp_types as types
from mcp.shared.message import SessionMessage

TYPE_CHECKING = False
if TYPE_CHECKING:
    from mcp.shared._stream_protocols import ReadStream, WriteStream

_OF_ANSWERS = ("result", "error")  # what only an answer has, and nobody answers an answer


class Answering:
    """The messages that come in; each line that is none is answered on the way, as JSON-RPC 2.0 wants it (section 5.1)."""

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
            said = answer_to(item)
            if said is None:
                return item
            try:
                await self._outgoing.send(SessionMessage(said))
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


def answer_to_body(body: bytes) -> bytes | None:
    """Returns what the sender of a body over HTTP is told, None for a message and where that is no error of its own."""
    try:
        types.jsonrpc_message_adapter.validate_json(body, by_name=False)
    except ValueError as problem:
        said = answer_to(problem)
        return said.model_dump_json(by_alias=True, exclude_unset=True).encode() if said else None
    return None


def answer_to(item: object) -> types.JSONRPCError | None:
    """Returns what the sender of a line is told, None where that is no error of its own. The SDK passes on pydantic's words.

    An empty line is nobody's question, nor is what was meant as an answer or as a notification.
    """
    found = getattr(item, "errors", None)
    if not isinstance(item, ValueError) or found is None:
        return None
    told = found()
    if told[0]["type"] == "json_invalid":
        return _error(None, types.PARSE_ERROR, "this is no JSON") if str(told[0]["input"]).strip() else None
    # Of each kind of message that this is not, pydantic says what is missing, and from what.
    wholes = [one["input"] for one in told if (one["type"], len(one["loc"])) in (("missing", 2), ("model_type", 1))]
    whole = wholes[0] if wholes else {"result": None}
    if not isinstance(whole, dict):
        return _error(None, types.INVALID_REQUEST, "this is no request; several at once are not served")
    if any(name in whole for name in _OF_ANSWERS) or ("id" not in whole and isinstance(whole.get("method"), str)):
        return None
    name = whole.get("id")
    usable = isinstance(name, (int, str)) and not isinstance(name, bool)
    return _error(name if usable else None, types.INVALID_REQUEST, "this is no request of JSON-RPC 2.0")


def _error(request_id: int | str | None, code: int, message: str) -> types.JSONRPCError:
    return types.JSONRPCError(jsonrpc="2.0", id=request_id, error=types.ErrorData(code=code, message=message))
