"""Answers lines that are not valid messages. The SDK drops them, and their sender would wait forever."""

from __future__ import annotations

from typing import Any, Self

import anyio
import mcp_types as types
from mcp.shared._stream_protocols import ReadStream, WriteStream
from mcp.shared.message import SessionMessage

_PATIENCE = 10.0  # seconds
_ANSWER_FIELDS = ("result", "error")  # only an answer has these, and an answer gets no answer


class CountedOutput:
    """The outgoing messages, and the requests that none of them has answered yet."""

    def __init__(self, outgoing: WriteStream[SessionMessage]) -> None:
        self._outgoing = outgoing
        self._unanswered: set[object] = set()
        self._asks = False  # the client was asked something: after its end no answer comes

    def note(self, item: object) -> None:
        """Notes a request of the client, or its cancellation."""
        message = item.message if isinstance(item, SessionMessage) else None
        if isinstance(message, types.JSONRPCRequest):
            self._unanswered.add(message.id)
        elif isinstance(message, types.JSONRPCNotification) and message.method == "notifications/cancelled":
            self._unanswered.discard((message.params or {}).get("requestId"))

    async def send(self, item: SessionMessage) -> None:
        """Sends a message."""
        await self._outgoing.send(item)
        if isinstance(item.message, types.JSONRPCResponse | types.JSONRPCError):
            self._unanswered.discard(item.message.id)
        elif isinstance(item.message, types.JSONRPCRequest):
            self._asks = True

    async def settled(self) -> None:
        """Waits, for a limited time, until every request is answered, including those that a pipe sent just before its end."""
        with anyio.move_on_after(_PATIENCE):
            while self._unanswered and not self._asks:
                await anyio.sleep(0.01)

    async def aclose(self) -> None:
        """Closes the stream."""
        await self._outgoing.aclose()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *error: object) -> None:
        await self.aclose()


class AnsweringStream:
    """The incoming messages. Each malformed line is answered as JSON-RPC 2.0 requires (section 5.1).

    It ends only when everything before its end is answered.
    """

    def __init__(self, incoming: ReadStream[SessionMessage | Exception], outgoing: CountedOutput) -> None:
        self._incoming = incoming
        self._outgoing = outgoing

    @property
    def last_context(self) -> Any:
        """The context of the last message's sender."""
        return getattr(self._incoming, "last_context", None)

    async def receive(self) -> SessionMessage | Exception:
        """Returns the next message. Raises what the stream raises at its end."""
        while True:
            try:
                item = await self._incoming.receive()
            except anyio.EndOfStream:
                await self._outgoing.settled()
                raise
            self._outgoing.note(item)
            answer = answer_to(item)
            if answer is None:
                return item
            try:
                await self._outgoing.send(SessionMessage(answer))
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

    async def __aexit__(self, *error: object) -> None:
        await self.aclose()


def answer_to_body(body: bytes) -> bytes | None:
    """Returns the answer to a body over HTTP, None for a valid message and for what gets no answer."""
    try:
        types.jsonrpc_message_adapter.validate_json(body, by_name=False)
    except ValueError as error:
        answer = answer_to(error)
        return answer.model_dump_json(by_alias=True, exclude_unset=True).encode() if answer else None
    return None


def answer_to(item: object) -> types.JSONRPCError | None:
    """Returns the answer to a malformed line, for which the SDK passes on pydantic's error; None for any other item.

    An empty line gets no answer, nor does a malformed answer or notification.
    """
    list_problems = getattr(item, "errors", None)
    if not isinstance(item, ValueError) or list_problems is None:
        return None
    problems = list_problems()
    if problems[0]["type"] == "json_invalid":
        return _error(None, types.PARSE_ERROR, "invalid JSON") if str(problems[0]["input"]).strip() else None
    # For each kind of message pydantic reports what is missing, and from which input: that is the whole line.
    inputs = [problem["input"] for problem in problems if (problem["type"], len(problem["loc"])) in _WHOLE_LINE]
    line = inputs[0] if inputs else {"result": None}
    if not isinstance(line, dict):
        return _error(None, types.INVALID_REQUEST, "not a request; batches are not supported")
    if any(name in line for name in _ANSWER_FIELDS) or ("id" not in line and isinstance(line.get("method"), str)):
        return None
    request_id = line.get("id")
    is_valid = isinstance(request_id, (int, str)) and not isinstance(request_id, bool)
    return _error(request_id if is_valid else None, types.INVALID_REQUEST, "not a JSON-RPC 2.0 request")


_WHOLE_LINE = (("missing", 2), ("model_type", 1))  # types and depths of problems whose input is the whole line


def _error(request_id: int | str | None, code: int, message: str) -> types.JSONRPCError:
    return types.JSONRPCError(jsonrpc="2.0", id=request_id, error=types.ErrorData(code=code, message=message))
