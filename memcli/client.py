"""A thin client of `mem serve` for programs that run agents, using the standard library only.

    from memcli.client import Client, session_key

    memory = Client()
    key = session_key("riko", "claude", "user-7", "channel-3")
    turn = memory.prepare_turn(key, "claude")
    answer = run(f"{turn['xml']}\\n{prompt}" if turn and turn["xml"] else prompt)
    if turn:
        memory.ack_turn(turn["prepareId"], key)

When the service is not running, slow or refuses, a call returns None and logs one warning to `memcli.client`. It never raises
into the caller's loop, unless the client was created with `raises=True`.

The public names are those in `__all__`; everything else may change in any release.

| variable | meaning |
| --- | --- |
| MEMPACK_ENABLED | 0, false, no, off: every call returns None at once |
| MEMPACK_API_URL | the service's address, http:// or unix:PATH; default: the service that runs for the data directory |
| MEMPACK_TIMEOUT_MS | how long a whole call may take, 2000 |
| MEMPACK_MODE | the mode of turns and of core, curated and archival memory, `default` |
| MEMPACK_TOKEN | the token; default: the content of the file `token` in the data directory |
"""

from __future__ import annotations

import hashlib
import http.client
import json
import logging
import os
import socket
import time
from typing import Any, TypeVar
from urllib.parse import quote, urlencode, urlsplit

from memcli import config, serving, system
from memcli.errors import MemError
from memcli.records import Record

__all__ = ["Client", "Target", "Unanswered", "request", "session_key"]

_TIMEOUT_MS = 2_000
_MAX_ANSWER = 16 << 20  # bytes
_OFF = ("0", "false", "no", "off")
_MAX_KEY = 200  # characters
_log = logging.getLogger("memcli.client")
T = TypeVar("T")
_Path = str | tuple[str, str, str]  # a path, or one with a session's name in the middle


class Target(Record):
    """A service: its address, the path of its socket where it has one, the token, and seconds that a call may take."""

    url: str
    socket: str | None
    token: str
    timeout: float


class Unanswered(MemError):
    """The service did not answer, or refused. `status`: the HTTP status, 0 without an answer."""

    def __init__(self, message: str, hint: str, code: str, status: int = 0) -> None:
        super().__init__(message, hint, code)
        self.status = status


class _DeadlineSocket(socket.socket):
    """A socket with one deadline for all its reads and writes."""

    deadline = 0.0  # of the monotonic clock

    def recv_into(self, *args: Any, **options: Any) -> int:
        self._limit()
        return super().recv_into(*args, **options)

    def sendall(self, *args: Any, **options: Any) -> None:
        self._limit()
        super().sendall(*args, **options)

    def _limit(self) -> None:
        seconds = self.deadline - time.monotonic()
        if seconds <= 0:
            raise TimeoutError("timed out")
        self.settimeout(seconds)


class _Connection(http.client.HTTPConnection):
    """A connection to a port, or to a socket in the file system, for one call that ends in time."""

    def __init__(self, target: Target) -> None:
        url = urlsplit(target.url)
        super().__init__(url.hostname or "localhost", url.port or 80, timeout=target.timeout)
        self._path = target.socket
        self._deadline = time.monotonic() + target.timeout

    def connect(self) -> None:
        if self._path:
            self.sock = system.local_socket()
            self.sock.settimeout(self.timeout)
            self.sock.connect(self._path)
        else:
            super().connect()
        plain = self.sock
        self.sock = _DeadlineSocket(plain.family, plain.type, plain.proto, plain.detach())
        self.sock.deadline = self._deadline


def request(target: Target, method: str, path: str, body: bytes | None = None) -> tuple[int, bytes]:
    """Returns (status, body) of one answer. Raises OSError, ValueError, or HTTPException for an answer that is not HTTP."""
    url = urlsplit(target.url)
    if not target.socket and (url.scheme != "http" or not url.hostname):
        raise ValueError("the address has to begin with http:// or unix:")
    connection = _Connection(target)
    headers = {"Authorization": f"Bearer {target.token}"}
    if body is not None:
        headers["Content-Type"] = "application/json"
    try:
        try:
            connection.request(method, ("" if target.socket else url.path.rstrip("/")) + path, body, headers)
        except (BrokenPipeError, ConnectionResetError):  # the service may have answered before it closed the connection
            if connection.sock is None:
                raise
        answer = connection.getresponse()
        return answer.status, answer.read(_MAX_ANSWER)
    finally:
        connection.close()


def session_key(mode: str, engine: str, user: str, context: str) -> str:
    """Returns the name of a session that is the same whenever the same user goes on in the same context."""
    key = ":".join([quote(str(part), safe="-_.", errors="surrogatepass") for part in (mode, engine, user, context)])
    if len(key) <= _MAX_KEY:
        return key
    return f"{key[: _MAX_KEY - 65]}.{hashlib.sha256(key.encode()).hexdigest()}"


class Client:
    """Calls of a service. A call returns None where it fails; with `raises`, it raises Unanswered instead."""

    def __init__(self, url: str | None = None, token: str | None = None, mode: str | None = None, raises: bool = False) -> None:
        self.enabled = os.environ.get("MEMPACK_ENABLED", "1").strip().lower() not in _OFF
        self.mode = mode or os.environ.get("MEMPACK_MODE") or "default"
        self.raises = raises
        self._url = url or os.environ.get("MEMPACK_API_URL") or None
        self._token = token or os.environ.get("MEMPACK_TOKEN")
        self._timeout = _number(os.environ.get("MEMPACK_TIMEOUT_MS"), _TIMEOUT_MS) / 1000

    def prepare_turn(self, session: str, engine: str = "generic", query: str = "", full: bool = False) -> dict[str, Any] | None:
        """Returns the context for a session's next turn: prepareId, mode (full, delta, none), fromRevision, toRevision, xml.

        `full`: everything, whatever the session was shown, such as after its context was compacted.
        """
        body = self._in_mode(sessionKey=session, engine=engine, query=query, full=full)
        return self._json("POST", "/v1/turn/prepare", body)

    def ack_turn(self, prepare_id: str, session: str, status: str = "success") -> bool | None:
        """Reports how a prepared turn ended: success, or failed. Returns True once that is stored."""
        body = self._in_mode(prepareId=prepare_id, sessionKey=session, status=status)
        answer = self._json("POST", "/v1/turn/ack", body)
        return None if answer is None else bool(answer.get("ok"))

    def core(self) -> dict[str, str] | None:
        """Returns the values that always hold, by their keys."""
        answer = self._json("GET", "/v1/memory/core", query={"modeId": self.mode})
        if answer and "values" in answer:  # an older service has them in `core`
            answer = {"core": answer["values"]}
        return self._member(answer, "core", dict)

    def put_core(self, key: str, value: str | None) -> dict[str, str] | None:
        """Stores a value under a key; None removes it. Returns all values."""
        return self._member(self._json("PUT", "/v1/memory/core", self._in_mode(core={key: value})), "core", dict)

    def remember(self, title: str, content: str, entry: str | None = None) -> str | None:
        """Stores a curated entry, or changes the one under an id, which may be one of the caller's own. Returns its id."""
        answer = self._json("PUT", "/v1/memory/curated", self._in_mode(id=entry, title=title, content=content))
        return self._member(answer, "id", str)

    def curated(self, limit: int = 100, offset: int = 0) -> list[dict[str, Any]] | None:
        """Returns curated entries, newest first."""
        return self._member(self._json("GET", "/v1/memory/curated", query=self._page(limit, offset)), "items", list)

    def forget(self, entry: str) -> bool | None:
        """Hides a curated entry. Returns True once that is stored."""
        return self._member(self._json("DELETE", "/v1/memory/curated", query=self._in_mode(id=entry)), "ok", bool)

    def archive(self, text: str, metadata: dict[str, Any] | None = None) -> str | None:
        """Stores a text in the archive, which never comes into a turn. Returns its id."""
        return self._member(self._json("POST", "/v1/archival/insert", self._in_mode(text=text, metadata=metadata)), "id", str)

    def archived(self, limit: int = 100, offset: int = 0) -> list[dict[str, Any]] | None:
        """Returns texts of the archive, newest first."""
        return self._member(self._json("GET", "/v1/archival", query=self._page(limit, offset)), "items", list)

    def search_archive(self, query: str, limit: int = 10) -> list[dict[str, Any]] | None:
        """Returns texts of the archive of about this meaning, best first."""
        body = self._in_mode(query=query, limit=limit)
        return self._member(self._json("POST", "/v1/archival/search", body), "items", list)

    def forget_archived(self, entry: str) -> bool | None:
        """Hides a text of the archive. Returns True once that is stored."""
        return self._member(self._json("POST", "/v1/archival/delete", self._in_mode(id=entry)), "ok", bool)

    def begin(self, session: str, project: str, prompt: str = "", number: int | None = None) -> dict[str, Any] | None:
        """Begins a session, or reports a prompt in it."""
        body = {"project": project, "userPrompt": prompt, "promptNumber": number}
        return self._json("POST", ("/sessions/", session, "/init"), body)

    def observe(self, session: str, tool: str, arguments: Any, result: Any, call: str | None = None) -> dict[str, Any] | None:
        """Reports a call of a tool. `call`: the harness's id of the call, so that it is not stored twice."""
        body = {"tool_name": tool, "tool_input": arguments, "tool_result": result, "correlation_id": call}
        return self._json("POST", ("/sessions/", session, "/observations"), body)

    def summarize(self, session: str, prompt: str | None = None, answered: str | None = None) -> dict[str, Any] | None:
        """Requests the summary of a session. `prompt`, `answered`: its last messages."""
        body = {"last_user_message": prompt, "last_assistant_message": answered}
        return self._json("POST", ("/sessions/", session, "/summarize"), body)

    def complete(self, session: str, reason: str = "other") -> dict[str, Any] | None:
        """Ends a session."""
        return self._json("POST", ("/sessions/", session, "/complete"), {"reason": reason})

    def status(self, session: str) -> dict[str, Any] | None:
        """Returns how far a session is."""
        return self._json("GET", ("/sessions/", session, "/status"))

    def context(self, project: str, observations: int = 50, sessions: int = 10) -> str | None:
        """Returns what a new session should know, as Markdown; empty where nothing is known."""
        query = {"project": project, "limit": observations, "sessions": sessions}
        body = self._call("GET", "/api/context/inject", query=query)
        return None if body is None else body.decode("utf-8", "replace")

    def search(self, query: str, project: str | None = None, limit: int = 20) -> list[dict[str, Any]] | None:
        """Returns memories that match, best first."""
        parameters = {"query": query, "limit": limit} | ({"project": project} if project else {})
        return self._member(self._json("GET", "/api/search", query=parameters), "results", list)

    def health(self) -> dict[str, Any] | None:
        """Returns the state of the service."""
        return self._json("GET", "/health")

    def _in_mode(self, **body: Any) -> dict[str, Any]:
        return {"modeId": self.mode, **body}

    def _page(self, limit: int, offset: int) -> dict[str, Any]:
        return self._in_mode(limit=limit, offset=offset)

    def _member(self, answer: dict[str, Any] | None, name: str, kind: type[T]) -> T | None:
        """Returns one member of an answer, which has to be of this kind."""
        value = None if answer is None else answer.get(name)
        if answer is None or isinstance(value, kind):
            return value
        self._failed(Unanswered(f"the answer has no {name}", "is it mem serve that listens there?", "no_json"))
        return None

    def _json(
        self, method: str, path: _Path, body: dict[str, Any] | None = None, query: dict[str, Any] | None = None
    ) -> dict[str, Any] | None:
        content = self._call(method, path, body, query)
        if content is None:
            return None
        try:
            answer = json.loads(content)
        except ValueError:
            answer = None
        if isinstance(answer, dict):
            return answer
        self._failed(Unanswered("the answer is not JSON", "is it mem serve that listens there?", "no_json"))
        return None

    def _call(
        self, method: str, path: _Path, body: dict[str, Any] | None = None, query: dict[str, Any] | None = None
    ) -> bytes | None:
        if not self.enabled:
            return None
        try:
            content = None if body is None else _encoded(body)
            address = _address(path, query)
            status, answer = request(self._target(), method, address, content)
            if status >= 400:
                raise _refusal(status, answer)
            return answer
        except Unanswered as error:
            self._failed(error)
        except Exception as error:  # whatever it is: the caller's loop goes on
            message = f"mem serve does not answer: {type(error).__name__}: {error}"
            self._failed(Unanswered(message, "mem serve start", "away"))
        return None

    def _target(self) -> Target:
        """Returns the service to call: the configured one, else the one that holds the lock. A bare port may be anybody's."""
        token = self._token or _line("token") or ""
        if self._url is None:
            about = serving.running()
            if about is None:
                raise Unanswered("mem serve is not running", "mem serve start", "away")
            return Target(about.url, about.socket, token, self._timeout)
        path = self._url.removeprefix("unix:").removeprefix("//") if self._url.startswith("unix:") else None
        return Target(self._url, path, token, self._timeout)

    def _failed(self, error: Unanswered) -> None:
        """Raises the error, or logs it."""
        if self.raises:
            raise error
        _log.warning("%s", error.message)


def _encoded(body: dict[str, Any]) -> bytes:
    """Returns a body as JSON. Raises Unanswered for what JSON cannot express, such as NaN or an object of the caller's own."""
    try:
        fields = {name: value for name, value in body.items() if value is not None}
        return json.dumps(fields, allow_nan=False).encode()
    except (TypeError, ValueError, RecursionError) as error:
        raise Unanswered(
            f"the arguments are not JSON: {error}", "give text, numbers, lists and dictionaries", "no_json"
        ) from None


def _address(path: _Path, query: dict[str, Any] | None) -> str:
    """Returns the path and the query of a call. Raises Unanswered for text that no address can have, such as half a character."""
    try:
        full = path if isinstance(path, str) else path[0] + quote(path[1], safe="") + path[2]
        return f"{full}?{urlencode(query)}" if query else full
    except (TypeError, ValueError) as error:
        raise Unanswered(f"the arguments cannot be in an address: {error}", "give text", "no_address") from None


def _number(value: str | None, default: int) -> int:
    return int(value) if value and value.isascii() and value.isdigit() and 0 < len(value) < 8 and int(value) else default


def _line(name: str) -> str | None:
    """Returns the content of a file in the data directory, None where there is none."""
    try:
        with open(os.path.join(config.data_dir(), name), encoding="ascii") as file:
            return file.read(200).strip()
    except (OSError, ValueError):
        return None


def _refusal(status: int, body: bytes) -> Unanswered:
    try:
        problem = json.loads(body)
        message = f"mem serve answered {status}: {problem['detail']}"
        return Unanswered(message, str(problem["hint"]), str(problem["code"]), status)
    except (ValueError, KeyError, TypeError):
        return Unanswered(f"mem serve answered {status}", "see mem serve status", "refused", status)
