"""A real server on the loopback that stands in for an embeddings API, and a provider that knows a few meanings."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from memcli.models import Unavailable

AXES = ("sleep", "water", "iron", "other")
MEANINGS = {"cats": "sleep", "zibblewonk": "sleep", "harbour": "water", "quxmarine": "water", "hammer": "iron"}

Answer = tuple[int, bytes] | tuple[int, bytes, dict[str, str]]


def meaning(text: str) -> list[float]:
    """A text's vector: how often each axis is meant, and a little of the last so that every text has a direction."""
    meant = [MEANINGS.get(word.strip(".,?"), "") for word in text.lower().split()]
    return [float(meant.count(axis)) for axis in AXES[:-1]] + [0.3]


class Dictionary:
    """A provider that knows MEANINGS. It may fail after some batches."""

    batch = 2

    def __init__(self, fails_after: int = 1_000) -> None:
        self.asked: list[str] = []
        self.left = fails_after

    def encode(self, texts: Sequence[str]) -> list[Sequence[float]]:
        """Returns a vector for each text."""
        if self.left == 0:
            raise Unavailable("the dictionary is closed", "come back later")
        self.left -= 1
        self.asked += texts
        return [meaning(text) for text in texts]


class Asked:
    """What a server was sent: path, headers, body."""

    def __init__(self, path: str, headers: dict[str, str], body: Any) -> None:
        self.path, self.headers, self.body = path, headers, body


def good(asked: Asked) -> Answer:
    """The answer of a server that works; its rows are in another order than the texts."""
    rows = [{"index": place, "embedding": meaning(text)} for place, text in enumerate(asked.body["input"])]
    return 200, json.dumps({"data": rows[::-1]}).encode()


@contextmanager
def serving(answer: Callable[[Asked], Answer]) -> Iterator[tuple[str, list[Asked]]]:
    """Runs a server that gives `answer`. Yields its address and what it was sent so far."""
    seen: list[Asked] = []

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            asked = Asked(self.path, {name.lower(): value for name, value in self.headers.items()}, body)
            seen.append(asked)
            code, text, *more = answer(asked)
            try:
                self.send_response(code)
                for name, value in {"Content-Length": str(len(text)), **(more[0] if more else {})}.items():
                    self.send_header(name, value)
                self.end_headers()
                self.wfile.write(text)
            except OSError:
                pass  # the client did not wait

        def do_GET(self) -> None:
            seen.append(Asked(self.path, {name.lower(): value for name, value in self.headers.items()}, None))

        def log_message(self, format: str, *values: Any) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_address[1]}/v1", seen
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
