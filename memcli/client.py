"""A thin client of `mem serve` for programs that run agents, with nothing but the standard library.

    from memcli.client import Client, session_key

    memory = Client()
    key = session_key("riko", "claude", "user-7", "channel-3")
    turn = memory.prepare_turn(key, "claude")
    answer = run(f"{turn['xml']}\\n{prompt}" if turn and turn["xml"] else prompt)
    if turn:
        memory.ack_turn(turn["prepareId"], key)

When the service is away, slow or refuses, a call gives None and leaves one warning in the log `memcli.client`. It never raises
into the caller's loop, unless the client was made with `raises=True`.

| variable | meaning |
| --- | --- |
| MEMPACK_ENABLED | 0, false, no, off: every call gives None at once |
| MEMPACK_API_URL | where the service is; http:// or unix:PATH; left out: the one that runs for the data directory |
| MEMPACK_TIMEOUT_MS | how long a call may take, all of it, 2000 |
| MEMPACK_MODE | the mode of turns and of core, curated and archival memory, `default` |
| MEMPACK_TOKEN | the token; left out: what is in the file `token` in the data directory |
"""

from __future__ import annotations

import http.client
import json
import logging
import os
import socket
import time
from typing import Any
from urllib.parse import quote, urlencode, urlsplit

from memcli import config
from memcli.errors import MemError
from memcli.records import Record
from memcli.serving import instance

_TIMEOUT_MS = 2_000
_LARGEST = 16 << 20  # bytes of an answer
_OFF = ("0", "false", "no", "off")
_MOST_KEY = 200  # characters
_log = logging.getLogger("memcli.client")
_Path = str | tuple[str, str, str]  # or one with a session in the middle


class Target(Record):
    """A service: its address, the path of its socket where it has one, the token, and seconds that a call may take."""

    url: str
    socket: str | None
    token: str
    timeout: float


class Unanswered(MemError):
    """The service did not answer, or said no. `status`: of HTTP, 0 where nothing came."""

    def __init__(self, message: str, hint: str, code: str, status: int = 0) -> None:
        super().__init__(message, hint, code)
        self.status = status


class _Timed(socket.socket):
    """A socket whose reads and writes end at one moment, however many they are."""

    until = 0.0  # of the monotonic clock

    def recv_into(self, *args: Any, **more: Any) -> int:
        self._hurry()
        return super().recv_into(*args, **more)

    def sendall(self, *args: Any, **more: Any) -> None:
        self._hurry()
        super().sendall(*args, **more)

    def _hurry(self) -> None:
        left = self.until - time.monotonic()
        if left <= 0:
            raise TimeoutError("timed out")
        self.settimeout(left)


class _Connection(http.client.HTTPConnection):
    """A connection to a port, or to a socket in the file system, for one call that ends in time."""

    def __init__(self, target: Target) -> None:
        where = urlsplit(target.url)
        super().__init__(where.hostname or "localhost", where.port or 80, timeout=target.timeout)
        self._path = target.socket
        self._until = time.monotonic() + target.timeout

    def connect(self) -> None:
        if self._path:
            self.sock = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
            self.sock.settimeout(self.timeout)
            self.sock.connect(self._path)
        else:
            super().connect()
        plain = self.sock
        self.sock = _Timed(plain.family, plain.type, plain.proto, plain.detach())
        self.sock.until = self._until


def request(target: Target, method: str, path: str, body: bytes | None = None) -> tuple[int, bytes]:
    """Returns (status, body) of one answer. Raises OSError, ValueError, or HTTPException for what is no HTTP."""
    where = urlsplit(target.url)
    if not target.socket and (where.scheme != "http" or not where.hostname):
        raise ValueError("the address has to begin with http:// or unix:, since nothing else is spoken")
    connection = _Connection(target)
    headers = {"Authorization": f"Bearer {target.token}"}
    if body is not None:
        headers["Content-Type"] = "application/json"
    try:
        try:
            connection.request(method, ("" if target.socket else where.path.rstrip("/")) + path, body, headers)
        except (BrokenPipeError, ConnectionResetError):  # it may have said why it hears no more
            if connection.sock is None:
                raise
        answer = connection.getresponse()
        return answer.status, answer.read(_LARGEST)
    finally:
        connection.close()


def session_key(mode: str, engine: str, user: str, context: str) -> str:
    """Returns the name of a session that is the same whenever the same user goes on in the same context."""
    key = ":".join([quote(str(part), safe="-_.", errors="surrogatepass") for part in (mode, engine, user, context)])
    if len(key) <= _MOST_KEY:
        return key
    from hashlib import sha256

    return f"{key[: _MOST_KEY - 65]}.{sha256(key.encode()).hexdigest()}"


class Client:
    """Calls of a service. Every call gives None where it could not be made. `raises`: it raises Unanswered instead."""

    def __init__(self, url: str | None = None, token: str | None = None, mode: str | None = None, raises: bool = False) -> None:
        self.enabled = os.environ.get("MEMPACK_ENABLED", "1").strip().lower() not in _OFF
        self.mode = mode or os.environ.get("MEMPACK_MODE") or "default"
        self.raises = raises
        self._url = url or os.environ.get("MEMPACK_API_URL") or None
        self._token = token or os.environ.get("MEMPACK_TOKEN")
        self._timeout = _number(os.environ.get("MEMPACK_TIMEOUT_MS"), _TIMEOUT_MS) / 1000

    def prepare_turn(self, session: str, engine: str = "generic", query: str = "") -> dict[str, Any] | None:
        """Returns what a session is to be told now: prepareId, mode (full, delta, none), fromRevision, toRevision, xml."""
        said: dict[str, Any] | None = self._json(
            "POST", "/v1/turn/prepare", self._of_mode(sessionKey=session, engine=engine, query=query)
        )
        return said

    def ack_turn(self, prepare_id: str, session: str, status: str = "success") -> bool | None:
        """Says how a prepared turn ended: success, or failed. Returns True once that is noted."""
        said: dict[str, Any] | None = self._json(
            "POST", "/v1/turn/ack", self._of_mode(prepareId=prepare_id, sessionKey=session, status=status)
        )
        return None if said is None else bool(said.get("ok"))

    def core(self) -> dict[str, str] | None:
        """Returns the values that always hold, by their keys."""
        said = self._json("GET", "/v1/memory/core", asked={"modeId": self.mode})
        part: dict[str, str] | None = self._part(said, "core", dict)
        return part

    def put_core(self, key: str, value: str | None) -> dict[str, str] | None:
        """Keeps a value under a key; None takes it out. Returns all of them."""
        said = self._json("PUT", "/v1/memory/core", self._of_mode(core={key: value}))
        part: dict[str, str] | None = self._part(said, "core", dict)
        return part

    def remember(self, title: str, content: str, entry: str | None = None) -> str | None:
        """Keeps a curated entry, or changes one. Returns its id."""
        said = self._json("PUT", "/v1/memory/curated", self._of_mode(id=entry, title=title, content=content))
        part: str | None = self._part(said, "id", str)
        return part

    def begin(self, session: str, project: str, prompt: str = "", number: int | None = None) -> dict[str, Any] | None:
        """Begins a session, or tells what a person asked in it."""
        body = {"project": project, "userPrompt": prompt, "promptNumber": number}
        said: dict[str, Any] | None = self._json("POST", ("/sessions/", session, "/init"), body)
        return said

    def observe(self, session: str, tool: str, given: Any, result: Any, call: str | None = None) -> dict[str, Any] | None:
        """Tells what a tool did. `call`: the harness's id of the call, so that the same is not told twice."""
        body = {"tool_name": tool, "tool_input": given, "tool_result": result, "correlation_id": call}
        said: dict[str, Any] | None = self._json("POST", ("/sessions/", session, "/observations"), body)
        return said

    def summarize(self, session: str, asked: str | None = None, answered: str | None = None) -> dict[str, Any] | None:
        """Has a session summed up."""
        body = {"last_user_message": asked, "last_assistant_message": answered}
        said: dict[str, Any] | None = self._json("POST", ("/sessions/", session, "/summarize"), body)
        return said

    def complete(self, session: str, reason: str = "other") -> dict[str, Any] | None:
        """Ends a session."""
        said: dict[str, Any] | None = self._json("POST", ("/sessions/", session, "/complete"), {"reason": reason})
        return said

    def status(self, session: str) -> dict[str, Any] | None:
        """Returns how far a session is."""
        said: dict[str, Any] | None = self._json("GET", ("/sessions/", session, "/status"))
        return said

    def context(self, project: str, observations: int = 50, sessions: int = 10) -> str | None:
        """Returns what a new session should know, as Markdown; empty where nothing is."""
        said = self._call("GET", "/api/context/inject", asked={"project": project, "limit": observations, "sessions": sessions})
        return None if said is None else said.decode("utf-8", "replace")

    def search(self, query: str, project: str | None = None, limit: int = 20) -> list[dict[str, Any]] | None:
        """Returns memories that match, best first."""
        asked = {"query": query, "limit": limit} | ({"project": project} if project else {})
        found: list[dict[str, Any]] | None = self._part(self._json("GET", "/api/search", asked=asked), "results", list)
        return found

    def health(self) -> dict[str, Any] | None:
        """Returns whether the service is well."""
        said: dict[str, Any] | None = self._json("GET", "/health")
        return said

    def _of_mode(self, **body: Any) -> dict[str, Any]:
        return {"modeId": self.mode, **body}

    def _part(self, said: dict[str, Any] | None, name: str, kind: type) -> Any:
        """Returns one part of an answer, where it is of the kind that it has to be."""
        if said is None or isinstance(said.get(name), kind):
            return None if said is None else said[name]
        return self._failed(Unanswered(f"no {name} came", "is it mem serve that listens there?", "no_json"))

    def _json(self, method: str, path: _Path, body: dict[str, Any] | None = None, asked: dict[str, Any] | None = None) -> Any:
        said = self._call(method, path, body, asked)
        if said is None:
            return None
        try:
            found = json.loads(said)
        except ValueError:
            found = None
        if not isinstance(found, dict):
            return self._failed(Unanswered("no JSON came", "is it mem serve that listens there?", "no_json"))
        return found

    def _call(self, method: str, path: _Path, body: dict[str, Any] | None = None, asked: dict[str, Any] | None = None) -> Any:
        if not self.enabled:
            return None
        try:
            content = None if body is None else _encoded(body)
            where = _address(path, asked)
            status, said = request(self._target(), method, where, content)
        except Unanswered as problem:
            return self._failed(problem)
        except Exception as problem:  # whatever it is: the caller's loop goes on
            return self._failed(Unanswered(f"mem serve is away: {type(problem).__name__}: {problem}", "mem serve start", "away"))
        return said if status < 400 else self._failed(_refused(status, said))

    def _target(self) -> Target:
        """Returns where the service is: as told, else the one that holds the lock. A port by itself may be anybody's."""
        token = self._token or _line("token") or ""
        if self._url is None:
            found = instance.running()
            if found is None:
                raise Unanswered("mem serve does not run", "mem serve start", "away")
            return Target(found.url, found.socket, token, self._timeout)
        path = self._url.removeprefix("unix:").removeprefix("//") if self._url.startswith("unix:") else None
        return Target(self._url, path, token, self._timeout)

    def _failed(self, problem: Unanswered) -> Any:
        if self.raises:
            raise problem
        _log.warning("%s", problem.message)
        return None


def _encoded(body: dict[str, Any]) -> bytes:
    """Returns what is told as JSON. Raises Unanswered for what cannot be, such as NaN or an object of the caller's own."""
    try:
        return json.dumps({name: part for name, part in body.items() if part is not None}, allow_nan=False).encode()
    except (TypeError, ValueError, RecursionError) as problem:
        raise Unanswered(f"what is told is no JSON: {problem}", "give text, numbers, lists and dictionaries", "no_json") from None


def _address(path: _Path, asked: dict[str, Any] | None) -> str:
    """Returns the path and the query of a call. Raises Unanswered for what cannot stand there, such as half a character."""
    try:
        whole = path if isinstance(path, str) else path[0] + quote(path[1], safe="") + path[2]
        return f"{whole}?{urlencode(asked)}" if asked else whole
    except (TypeError, ValueError) as problem:
        raise Unanswered(f"what is told cannot be in an address: {problem}", "give text", "no_address") from None


def _number(said: str | None, default: int) -> int:
    return int(said) if said and said.isascii() and said.isdigit() and 0 < len(said) < 8 and int(said) else default


def _line(name: str) -> str | None:
    """Returns what a file in the data directory says, None where there is none."""
    try:
        with open(os.path.join(config.data_dir(), name), encoding="ascii") as file:
            return file.read(200).strip()
    except (OSError, ValueError):
        return None


def _refused(status: int, said: bytes) -> Unanswered:
    try:
        told = json.loads(said)
        return Unanswered(f"mem serve said {status}: {told['detail']}", str(told["hint"]), str(told["code"]), status)
    except (ValueError, KeyError, TypeError):
        return Unanswered(f"mem serve said {status}", "see mem serve status", "refused", status)
