"""Real servers on the loopback that stand in for the vendors' APIs."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

ANSWER = """Here is what I would keep:
<facts>
<fact><kind>decision</kind><turn>1</turn>
<text>Tokens carry their age &amp; the guard checks it, because expired tokens passed.</text></fact>
<fact><kind>instruction</kind><turn>1</turn><text>Sign every commit with my key.</text></fact>
<fact><kind>open</kind><turn>1</turn><text>The docs of the guard are left to write.</text></fact>
<fact><kind>fix</kind><turn>1</turn><text>pytest failed in the login test until `return token.valid` replaced pass.</text></fact>
</facts>
<summary><title>Login checks the age of tokens</title><done>Checked the age; added a test</done></summary>
Anything else?"""


class Asked:
    """What a server was sent."""

    def __init__(self, path: str, headers: dict[str, str], body: Any) -> None:
        self.path, self.headers, self.body = path, headers, body

    @property
    def prompt(self) -> str:
        """The question."""
        return str(self.body["messages"][0]["content"])


Answer = tuple[int, Any]


def saying(text: str) -> Callable[[Asked], Answer]:
    """A server of either vendor that gives the same answer to everything."""

    def answer(asked: Asked) -> Answer:
        if asked.path.endswith("/messages"):
            usage = {"input_tokens": 100, "output_tokens": 20}
            told = {
                "id": "m",
                "type": "message",
                "role": "assistant",
                "model": "x",
                "stop_reason": "end_turn",
                "stop_sequence": None,
            }
            return 200, {**told, "usage": usage, "content": [{"type": "text", "text": text}]}
        choice = {"index": 0, "finish_reason": "stop", "message": {"role": "assistant", "content": text}}
        usage = {"prompt_tokens": 100, "completion_tokens": 20, "total_tokens": 120}
        return 200, {"id": "c", "object": "chat.completion", "created": 1, "model": "x", "choices": [choice], "usage": usage}

    return answer


def distilling(asked: Asked) -> Answer:
    """A server that does what it is asked to."""
    return saying(ANSWER)(asked)


@contextmanager
def serving(answer: Callable[[Asked], Answer]) -> Iterator[tuple[str, list[Asked]]]:
    """Runs a server that gives `answer`. Yields its address and what it was sent so far."""
    seen: list[Asked] = []

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
            asked = Asked(self.path, dict(self.headers), json.loads(body))
            seen.append(asked)
            status, told = answer(asked)
            said = told if isinstance(told, bytes) else json.dumps(told).encode()
            self.send_response(status)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(said)))
            if status in (301, 302, 307):
                self.send_header("Location", "http://127.0.0.1:9/elsewhere")
            self.end_headers()
            self.wfile.write(said)

        def log_message(self, *about: Any) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_address[1]}", seen
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
