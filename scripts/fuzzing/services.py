"""The servers, as processes of their own: what they answer, that they go on, and what they say on standard error."""

from __future__ import annotations

import http.client
import json
import os
import select
import signal
import socket
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from scripts.fuzzing import NoAnswer

PATIENCE = 300.0  # seconds for an answer: on a busy machine a start alone takes more than thirty
Ask = Callable[..., int]


class Broken(Exception):
    """A server that ended, answered with an error of its own, or printed a traceback."""


class _Process:
    """A server that is started when it is first asked, and anew after an input that it did not bear."""

    def __init__(self, folder: Path, *words: str) -> None:
        self._words = [sys.executable, "-m", "memcli", *words]
        self._folder = folder
        self._errors = folder / f"{words[0]}.stderr"
        self._process: subprocess.Popen[bytes] | None = None

    @property
    def is_running(self) -> bool:
        return self._process is not None

    def started(self) -> subprocess.Popen[bytes]:
        if self._process is None:
            root = str(Path(__file__).resolve().parent.parent.parent)
            env = {**os.environ, "PYTHONPATH": root, "PYTHONFAULTHANDLER": "1"}
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
            if not ready:
                raise TimeoutError
            piece = os.read(out.fileno(), 1)
            if not piece:
                raise Broken(f"it ended: {self.errors()[-3_000:]}")
            data += piece
        return data

    @contextmanager
    def checked(self) -> Iterator[None]:
        """Raises Broken or NoAnswer where it ended, printed a traceback or gave no answer, and ends what is left of it."""
        try:
            yield
            if self.started().poll() is not None or "Traceback" in self.errors():
                raise Broken(f"it ended or broke: {self.errors()[-3_000:]}")
        except TimeoutError:
            self.stop(signal.SIGABRT)  # Python prints the stack of each thread
            raise NoAnswer(self.errors()[-6_000:]) from None
        except BaseException:
            self.stop()
            raise

    def errors(self) -> str:
        return self._errors.read_text(encoding="utf-8", errors="replace")

    def stop(self, number: int = signal.SIGKILL) -> None:
        if self._process is not None:
            self._process.send_signal(number)
            self._process.wait()
            self._process = None


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
        number += 1
        with process.checked():
            if not process.is_running:
                begin()
            send(data.replace(b"\n", b" ").replace(b"\r", b" ") + b"\n")
            send({"jsonrpc": "2.0", "id": f"ping-{number}", "method": "ping"})
            return until(f"ping-{number}")

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
        with process.checked():
            if not process.is_running:
                about.update(json.loads(process.line()))
            port = int(str(about["port"]))
            return _of_body(port, token(), method, path, data) if method else _of_bytes(port, data)

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
