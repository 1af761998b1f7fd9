"""The servers, as processes of their own: what they answer, that they go on, and what they say on standard error."""

from __future__ import annotations

import http.client
import json
import os
import select
import socket
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

PATIENCE = 30.0  # seconds for an answer, of a busy machine
Ask = Callable[..., int]


class Broken(Exception):
    """A server that ended, gave no answer, answered with an error of its own, or printed a traceback."""


class _Process:
    """A server that is started when it is first asked."""

    def __init__(self, folder: Path, *words: str) -> None:
        self._words = [sys.executable, "-m", "memcli", *words]
        self._folder = folder
        self._errors = folder / f"{words[0]}.stderr"
        self._process: subprocess.Popen[bytes] | None = None

    def started(self) -> subprocess.Popen[bytes]:
        if self._process is None:
            env = {**os.environ, "PYTHONPATH": str(Path(__file__).resolve().parent.parent.parent)}
            with open(self._errors, "wb") as errors:
                pipe = subprocess.PIPE
                self._process = subprocess.Popen(
                    self._words, cwd=self._folder / "work", env=env, stdin=pipe, stdout=pipe, stderr=errors, bufsize=0
                )
        return self._process

    def line(self) -> bytes:
        """Returns the next line that it prints."""
        out = self.started().stdout
        assert out is not None
        data = b""
        while not data.endswith(b"\n"):
            ready, _, _ = select.select([out], [], [], PATIENCE)
            piece = os.read(out.fileno(), 1) if ready else b""
            if not piece:
                raise Broken(f"no answer; it said: {self.errors()[-2_000:]}")
            data += piece
        return data

    def check(self) -> None:
        """Raises Broken where it ended or printed a traceback."""
        if self.started().poll() is not None or "Traceback" in self.errors():
            raise Broken(f"it ended or broke: {self.errors()[-3_000:]}")

    def errors(self) -> str:
        return self._errors.read_text(encoding="utf-8", errors="replace")

    def stop(self) -> None:
        if self._process is not None:
            self._process.kill()
            self._process.wait()


@contextmanager
def mcp_service(folder: Path) -> Iterator[Ask]:
    """Yields what sends a line to `mem mcp`, and returns the size of the answers up to that to a ping behind it."""
    process = _Process(folder, "mcp")
    number = 0

    def begin() -> None:
        about = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "fuzz", "version": "1"}}
        send({"jsonrpc": "2.0", "id": "begin", "method": "initialize", "params": about})
        until("begin")
        send({"jsonrpc": "2.0", "method": "notifications/initialized"})

    def send(message: object) -> None:
        stdin = process.started().stdin
        assert stdin is not None
        stdin.write(message if isinstance(message, bytes) else json.dumps(message).encode() + b"\n")

    def until(name: str) -> int:
        size = 0
        while True:
            line = process.line()
            size += len(line)
            if json.loads(line).get("id") == name:
                return size

    def ask(data: bytes) -> int:
        nonlocal number
        if not number:
            begin()
        number += 1
        send(data.replace(b"\n", b" ").replace(b"\r", b" ") + b"\n")
        send({"jsonrpc": "2.0", "id": f"ping-{number}", "method": "ping"})
        size = until(f"ping-{number}")
        process.check()
        return size

    try:
        yield ask
    finally:
        process.stop()


@contextmanager
def http_service(folder: Path) -> Iterator[Ask]:
    """Yields what sends a body, or a whole request in bytes, to `mem serve`, and returns the size of the answer."""
    process = _Process(folder, "serve", "--json", "--port", "0")
    about: dict[str, object] = {}

    def ask(method: str, path: str, data: bytes) -> int:
        if not about:
            about.update(json.loads(process.line()))
        port = int(str(about["port"]))
        size = _of_body(port, token(), method, path, data) if method else _of_bytes(port, data)
        process.check()
        return size

    def token() -> str:
        return (folder / "data" / "token").read_text().strip()

    try:
        yield ask
    finally:
        process.stop()


def _of_body(port: int, token: str, method: str, path: str, data: bytes) -> int:
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=PATIENCE)
    try:
        connection.request(method, path, data, {"Authorization": f"Bearer {token}", "Content-Type": "application/json"})
        answer = connection.getresponse()
        body = answer.read()
    finally:
        connection.close()
    if answer.status >= 500:
        raise Broken(f"{method} {path} answered {answer.status}: {body[:1_000]!r}")
    return len(body)


def _of_bytes(port: int, data: bytes) -> int:
    """Sends bytes and closes the way there: the server answers, or closes, too."""
    with socket.create_connection(("127.0.0.1", port), timeout=PATIENCE) as connection:
        answer = b""
        try:
            connection.sendall(data)
            connection.shutdown(socket.SHUT_WR)
            while piece := connection.recv(1 << 16):
                answer += piece
        except (ConnectionError, BrokenPipeError):
            pass  # it refused to hear the rest
    if answer.startswith(b"HTTP/1.1 5"):
        raise Broken(f"answered {answer[:1_000]!r}")
    return len(answer)
