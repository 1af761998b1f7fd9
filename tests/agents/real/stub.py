"""A model that is none: answers the clients' requests on this machine, and keeps each, so that a test sees what a model would.

It speaks Anthropic's messages, OpenAI's responses and chat completions, and Google's generateContent. A prompt with
`RUN<<command>>` in it is answered once with a call of the client's shell tool, one with `CALL<<tool {"json": 1}>>` with a call of
that tool, everything else with "so be it".
"""

from __future__ import annotations

import json
import re
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

SHELLS = ("Bash", "exec_command", "shell_command", "shell", "bash", "run_shell_command", "exec")
ARGUMENT = {"exec_command": "cmd"}
ANSWER = "so be it"
ASKED = re.compile(r"RUN<<(.+?)>>|CALL<<(\S+) (.+?)>>")
REMEMBERED = re.compile(r"(?:<|&lt;)mem-context.*?/mem-context", re.S)  # what was asked for before is not asked for again
RESULTS = ('"tool_result"', "function_call_output", '"role": "tool"', "functionResponse")  # how a finished call looks
UNKNOWN = "unsupported call"  # what Codex says of a tool that it has not
MOST_TRIES = 20


class Stub(ThreadingHTTPServer):
    """The server; `requests` is every body that was posted to a model, in order."""

    daemon_threads = True

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), Handler)
        self.requests: list[Any] = []
        threading.Thread(target=self.serve_forever, daemon=True).start()

    @property
    def url(self) -> str:
        """Where it listens."""
        return f"http://127.0.0.1:{self.server_address[1]}"

    def texts(self, since: int = 0) -> list[str]:
        """Every string that a model was sent, from request number `since` on."""
        return [text for body in self.requests[since:] for text in strings(body)]


def strings(value: Any) -> Iterator[str]:
    """Yields every string in a JSON value."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, (dict, list)):
        for part in value.values() if isinstance(value, dict) else value:
            yield from strings(part)


def example(schema: Any) -> Any:
    """Returns a value that a JSON schema allows, as far as clients ask for such."""
    if "enum" in schema:
        return schema["enum"][0]
    kind = str(schema.get("type")).lower()
    if kind == "object":
        return {name: example(inner) for name, inner in schema.get("properties", {}).items()}
    return {"array": [], "number": 1, "integer": 1, "boolean": False}.get(kind, ANSWER)


def wanted(said: Any, tools: list[str]) -> tuple[str, dict[str, Any]] | None:
    """Returns the tool that a conversation asks for and its arguments, None where it has been called or none is offered.

    A server's tool that the client does not know yet, because the server still starts, is asked for again a second later.
    """
    found = next((match for text in strings(said) if (match := ASKED.search(REMEMBERED.sub("", text)))), None)
    everything = json.dumps(said)
    results = sum(everything.count(sign) for sign in RESULTS)
    early = everything.count(UNKNOWN)
    if found is None or results > min(2 * early, MOST_TRIES):
        return None
    if found[2] and results == 2 * early:
        return found[2], json.loads(found[3].replace('\\"', '"'))  # OpenCode quotes its command line again
    shell = next((name for name in SHELLS if name in tools), None)
    return (shell, {ARGUMENT.get(shell, "command"): found[1] or "sleep 1", "description": "as asked"}) if shell else None


class Handler(BaseHTTPRequestHandler):
    """One request."""

    protocol_version = "HTTP/1.1"
    server: Stub

    def log_message(self, *words: Any) -> None:
        """Says nothing."""

    def do_HEAD(self) -> None:
        """Is there."""
        self._send(b"", "text/plain")

    def do_GET(self) -> None:
        """Lists the one model."""
        self._json({"object": "list", "data": [{"id": "stub", "object": "model"}], "models": []})

    def do_POST(self) -> None:
        """Answers as the model of whoever asks."""
        body = self._body()
        path = self.path.split("?")[0]
        if path.endswith("/count_tokens") or ":countTokens" in path:
            return self._json({"input_tokens": 10, "totalTokens": 10})
        speak = next((speak for end, speak in APIS.items() if path.endswith(end)), None)
        if speak is None:
            return self._json({})
        self.server.requests.append(body)
        return speak(self, body)

    def _body(self) -> Any:
        if "chunked" in self.headers.get("transfer-encoding", ""):
            raw = b""
            while size := int(self.rfile.readline().strip() or b"0", 16):
                raw += self.rfile.read(size)
                self.rfile.readline()
            self.rfile.readline()
        else:
            raw = self.rfile.read(int(self.headers.get("content-length") or 0))
        try:
            return json.loads(raw or b"{}")
        except ValueError:
            return {}

    def _json(self, value: Any) -> None:
        self._send(json.dumps(value).encode(), "application/json")

    def _events(self, events: list[Any], named: bool = True, end: str = "") -> None:
        lines = [(f"event: {one['type']}\n" if named else "") + f"data: {json.dumps(one)}\n\n" for one in events]
        self._send(("".join(lines) + end).encode(), "text/event-stream")

    def _send(self, content: bytes, kind: str) -> None:
        self.send_response(200)
        self.send_header("content-type", kind)
        self.send_header("content-length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)

    def anthropic(self, body: Any) -> None:
        """Anthropic."""
        call = wanted(body.get("messages"), [tool.get("name") for tool in body.get("tools", [])])
        block: dict[str, Any] = {"type": "text", "text": ANSWER}
        if call:
            block = {"type": "tool_use", "id": f"toolu_{len(self.server.requests)}", "name": call[0], "input": call[1]}
        reason = "tool_use" if call else "end_turn"
        usage = {"input_tokens": 9, "output_tokens": 3}
        whole = {"id": "msg_1", "type": "message", "role": "assistant", "model": "stub", "stop_sequence": None, "usage": usage}
        if not body.get("stream"):
            return self._json({**whole, "content": [block], "stop_reason": reason})
        first = {**block, "input": {}} if call else {"type": "text", "text": ""}
        part = (
            {"type": "input_json_delta", "partial_json": json.dumps(call[1])} if call else {"type": "text_delta", "text": ANSWER}
        )
        return self._events(
            [
                {"type": "message_start", "message": {**whole, "content": [], "stop_reason": None}},
                {"type": "content_block_start", "index": 0, "content_block": first},
                {"type": "content_block_delta", "index": 0, "delta": part},
                {"type": "content_block_stop", "index": 0},
                {"type": "message_delta", "delta": {"stop_reason": reason, "stop_sequence": None}, "usage": usage},
                {"type": "message_stop"},
            ]
        )

    def openai(self, body: Any) -> None:
        """OpenAI, as Codex asks."""
        call = wanted(body.get("input"), [tool.get("name") for tool in body.get("tools", [])])
        text = {"type": "output_text", "text": ANSWER, "annotations": []}
        item: dict[str, Any] = {"type": "message", "id": "msg_1", "role": "assistant", "status": "completed", "content": [text]}
        if call:
            item = {"type": "function_call", "id": "fc_1", "call_id": f"call_{len(self.server.requests)}", "status": "completed"}
            space, _, name = call[0].rpartition(".")
            item |= {"name": name, "arguments": json.dumps(call[1])} | ({"namespace": space} if space else {})
        usage = {"input_tokens": 9, "output_tokens": 3, "total_tokens": 12}
        usage |= {"input_tokens_details": {"cached_tokens": 0}, "output_tokens_details": {"reasoning_tokens": 0}}  # type: ignore[dict-item]
        done = {"id": "resp_1", "object": "response", "status": "completed", "output": [item], "usage": usage}
        if body.get("stream") is False:
            return self._json(done)
        return self._events(
            [
                {"type": "response.created", "response": {**done, "status": "in_progress", "output": []}},
                {"type": "response.output_item.added", "output_index": 0, "item": item},
                {"type": "response.output_item.done", "output_index": 0, "item": item},
                {"type": "response.completed", "response": done},
            ]
        )

    def chat(self, body: Any) -> None:
        """OpenAI, as OpenCode and Copilot ask."""
        call = wanted(body.get("messages"), [tool["function"]["name"] for tool in body.get("tools", [])])
        said: dict[str, Any] = {"role": "assistant", "content": ANSWER}
        if call:
            function = {"name": call[0], "arguments": json.dumps(call[1])}
            said = {"role": "assistant", "tool_calls": [{"index": 0, "id": "call_1", "type": "function", "function": function}]}
        reason = "tool_calls" if call else "stop"
        usage = {"prompt_tokens": 9, "completion_tokens": 3, "total_tokens": 12}
        whole = {"id": "c_1", "created": 1, "model": "stub", "usage": usage}
        if not body.get("stream"):
            choice = {"index": 0, "message": said, "finish_reason": reason}
            return self._json({**whole, "object": "chat.completion", "choices": [choice]})
        parts = [{"index": 0, "delta": said, "finish_reason": None}, {"index": 0, "delta": {}, "finish_reason": reason}]
        chunks = [{**whole, "object": "chat.completion.chunk", "choices": [part]} for part in parts]
        return self._events(chunks, named=False, end="data: [DONE]\n\n")

    def google(self, body: Any) -> None:
        """Google."""
        declared = [one["name"] for tool in body.get("tools", []) for one in tool.get("functionDeclarations", [])]
        call = wanted(body.get("contents"), declared)
        schema = body.get("generationConfig", {}).get("responseJsonSchema")
        text = json.dumps(example(schema)) if schema else ANSWER
        part: dict[str, Any] = {"functionCall": {"name": call[0], "args": call[1]}} if call else {"text": text}
        usage = {"promptTokenCount": 9, "candidatesTokenCount": 3, "totalTokenCount": 12}
        candidate = {"content": {"role": "model", "parts": [part]}, "finishReason": "STOP", "index": 0}
        answer = {"candidates": [candidate], "usageMetadata": usage}
        return self._events([answer], named=False) if "stream" in self.path else self._json(answer)


APIS = {
    "/messages": Handler.anthropic,
    "/responses": Handler.openai,
    "/chat/completions": Handler.chat,
    ":streamGenerateContent": Handler.google,
    ":generateContent": Handler.google,
}
