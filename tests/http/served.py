"""A real service in a process of its own, and a plain client of it."""

from __future__ import annotations

import http.client
import json
import os
import signal
import socket
import subprocess
import sys
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

from tests.conftest import Terminal
from tests.servers import Server


@dataclass
class Answer:
    """What came back."""

    status: int
    headers: dict[str, str]
    body: bytes

    @property
    def json(self) -> Any:
        """The body as JSON."""
        return json.loads(self.body)

    @property
    def text(self) -> str:
        """The body as text."""
        return self.body.decode()


@dataclass
class Served:
    """A running service, and how to ask it."""

    process: Server | subprocess.Popen[bytes]
    about: dict[str, Any]
    token: str
    headers: dict[str, str] = field(default_factory=dict)

    @property
    def port(self) -> int:
        """Where it listens."""
        return int(self.about["port"])

    def ask(self, method: str, path: str, body: Any = None, headers: dict[str, str] | None = None, **query: Any) -> Answer:
        """Asks with the token. A body that is bytes is sent as it is, any other as JSON. A header of "" is left out."""
        if query:
            path += "?" + urlencode({name: value for name, value in query.items() if value is not None})
        all_headers: dict[str, str] = {"Authorization": f"Bearer {self.token}"}
        if body is not None and not isinstance(body, bytes):
            body = json.dumps(body).encode()
        if body is not None:
            all_headers["Content-Type"] = "application/json"
        all_headers |= headers or {}
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=60)
        try:
            connection.request(method, path, body, {name: value for name, value in all_headers.items() if value})
            answer = connection.getresponse()
            return Answer(answer.status, {name.lower(): value for name, value in answer.getheaders()}, answer.read())
        finally:
            connection.close()

    def get(self, path: str, **query: Any) -> Any:
        """Returns the JSON that a path answers with status 200."""
        answer = self.ask("GET", path, **query)
        assert answer.status == 200, answer.body
        return answer.json

    def items(self, path: str, **query: Any) -> Any:
        """Returns the items of the page of a list that a path answers."""
        page = self.get(path, **query)
        assert set(page) == {"items", "total", "limit", "offset", "has_more"}
        return page["items"]

    def post(self, path: str, body: Any = None, **query: Any) -> Any:
        """Returns the JSON that a path answers with status 200 or 201 to a body."""
        answer = self.ask("POST", path, body, **query)
        assert answer.status in (200, 201), answer.body
        return answer.json

    def refused(self, method: str, path: str, body: Any = None, **more: Any) -> tuple[int, str]:
        """Returns the status and the code of an answer that must be a problem."""
        answer = self.ask(method, path, body, **more)
        assert answer.headers["content-type"] == "application/problem+json", answer
        problem = answer.json
        assert problem["status"] == answer.status
        assert problem["request_id"] == answer.headers["x-request-id"]
        assert set(problem) == {"type", "title", "status", "detail", "code", "hint", "error", "request_id"}
        return answer.status, problem["code"]

    def refuses(self, requests: Iterable[tuple[str, str, Any, int]]) -> None:
        """Checks that every request is answered by a problem with the status that stands behind it."""
        for method, path, body, status in requests:
            assert (self.refused(method, path, body)[0], path) == (status, path), method

    def raw(self, request: bytes) -> bytes:
        """Returns all that comes back for some bytes until the service closes the connection."""
        with socket.create_connection(("127.0.0.1", self.port), timeout=60) as connection:
            connection.sendall(request)
            parts = []
            while part := connection.recv(65_536):
                parts.append(part)
            return b"".join(parts)

    def stop(self) -> int:
        """Asks the service to stop and returns its exit code."""
        self.process.send_signal(signal.SIGTERM)
        return self.process.wait(60)


@contextmanager
def serving(terminal: Terminal, *words: str, **env: str) -> Iterator[Served]:
    """A service on a free port, with the worker inside it unless `env` says otherwise."""
    place = () if "--port" in words or "--socket" in words else ("--port", "0")
    command, variables = ["serve", "--json", *place, *words], {**terminal.env, **env}
    process: Server | subprocess.Popen[bytes]
    if variables.get("PYTHONPATH") == os.getcwd():
        process = Server(command, terminal.folder, variables)
    else:  # other sources than those that are imported already
        command = [sys.executable, "-m", "memcli", *command]
        process = subprocess.Popen(command, cwd=terminal.folder, env=variables, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    try:
        assert process.stdout
        assert process.stderr
        line = process.stdout.readline()
        assert line.startswith(b"{"), line + process.stderr.read()
        yield Served(process, json.loads(line), Path(terminal.data, "token").read_text().strip())
    finally:
        process.kill()
        _, errors = process.communicate(timeout=60)
    assert b"Traceback" not in errors, errors.decode()


class Stream:
    """A stream of events that is read one by one."""

    def __init__(self, served: Served, last: int | str | None = None, key: str = "", **query: Any) -> None:
        self._connection = http.client.HTTPConnection("127.0.0.1", served.port, timeout=30)
        headers = {"Authorization": f"Bearer {key or served.token}"} | ({} if last is None else {"Last-Event-ID": str(last)})
        query = {name: value for name, value in query.items() if value is not None}
        query |= {} if query.keys() & {"own", "project", "repo", "user"} else {"own": "true"}
        self._connection.request("GET", "/stream?" + urlencode(query), headers=headers)
        self._answer = self._connection.getresponse()
        assert self._answer.status == 200, self._answer.read()
        assert self._answer.headers["Content-Type"].startswith("text/event-stream")
        self.heartbeats = 0
        self.ready = self.next()
        assert self.ready["event"] == "ready"

    def next(self) -> dict[str, Any]:
        """Returns the next event: its name, its id, and what it says; heartbeats are counted."""
        event: dict[str, Any] = {}
        while True:
            line = self._answer.readline()
            if not line:
                raise EOFError
            text = line.decode().rstrip("\n")
            if text.startswith(":"):
                self.heartbeats += 1
            elif not text and "event" in event:
                return event
            else:
                name, _, value = text.partition(": ")
                event[name] = json.loads(value) if name == "data" else value

    def until(self, name: str) -> dict[str, Any]:
        """Returns the next event of a name."""
        while True:
            event = self.next()
            if event["event"] == name:
                return event

    def rest(self) -> bytes:
        """Returns what comes until the stream ends. Raises http.client.IncompleteRead where it breaks off."""
        return self._answer.read()

    def close(self) -> None:
        """Closes the connection, as a client that leaves does."""
        self._answer.close()
        self._connection.close()


def tell(terminal: Terminal, event: str, payload: dict[str, Any]) -> None:
    """Fires a hook as a harness does."""
    body = json.dumps({"session_id": "s-1", "cwd": str(terminal.folder), **payload}).encode()
    command = [sys.executable, "-m", "memcli", "hook", event, "--harness", "generic"]
    subprocess.run(command, input=body, cwd=terminal.folder, env=terminal.env, capture_output=True, timeout=60, check=True)
