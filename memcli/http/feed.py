"""Live events: the operation log of a store after a revision, as server-sent events.

An event's id is the revision of its operation, so that a client that reconnects says how far it got and misses nothing. In the
stream of all stores it has one revision per store.
"""

from __future__ import annotations

import asyncio
import os
import time
from collections.abc import AsyncIterator, Callable, Iterator
from typing import Any

from anyio import to_thread
from sse_starlette import ServerSentEvent

from memcli import registry, store
from memcli.errors import MemError
from memcli.fields import Result
from memcli.http.stores import Stores
from memcli.operations.note import day_note
from memcli.operations.profile import profile_value
from memcli.operations.results import log_record, memory_record, thread_record
from memcli.operations.sessions import name_of, prompt_record, session_record
from memcli.operations.state import state_record
from memcli.project import USER, Project, Where, folder_of, locate
from memcli.serving.projects import reading
from memcli.store import context as store_context
from memcli.store import graph, memories, oplog, sessions
from memcli.store.context import Note, ProfileEntry, State
from memcli.store.oplog import LoggedOperation
from memcli.text import dates, json

Position = tuple[int, ServerSentEvent]  # the revision behind which a stream begins, and its first event
Stamp = tuple[tuple[int, int], ...]  # (mtime in ns, size) of a store's files
_POLL = 0.1  # seconds between two looks at a store's files
# A file changes before its content can be read: the write is forced to the disk in between. So after a change the log is read
# again though the files stay as they are, soon, then ever later. Seconds.
_FIRST_PAUSE, _MAX_PAUSE = 0.2, 15.0
_EXPECTED_POLL = 0.2  # seconds between two looks for a project that does not exist yet
_BATCH = 200  # operations that are read at once
MAX_STREAMS = 256
NO_POSITION = 1 << 60  # beyond every log: where a client is that names no revision
RETRY_MS = 1_000  # how long a client waits before it reconnects, at first
_NEW_STORES = 1.0  # seconds between two looks for stores that are new
Positions = dict[str, int]  # of stores, by what `_name_of` calls them: the revision behind which a stream goes on


class Feeds:
    """Streams of events. `open`: how many there are."""

    def __init__(self, stores: Stores) -> None:
        self._stores = stores
        self.open = 0

    async def stream(
        self, where: Where, first: Position, exists: bool, is_allowed: Callable[[], bool]
    ) -> AsyncIterator[ServerSentEvent]:
        """Yields the first event, those after its revision, then new ones as they come, for as long as that is allowed.

        The project may be created later. Ends where its store cannot be read any more.
        """
        last, ready = first
        self.open += 1
        try:
            yield ready
            while not exists and is_allowed():
                await asyncio.sleep(_EXPECTED_POLL)
                if repo := await to_thread.run_sync(self._created, where.repo or ""):
                    where, exists = Where(repo, where.workspace), True
            pause = _MAX_PAUSE
            while is_allowed():
                try:
                    path = _path(where)
                    before = _stamp(path)
                    events = await to_thread.run_sync(_read, where, last)
                except (MemError, OSError, store.Error):
                    return  # such as a repository that is gone: who asks again is told why
                for revision, event in events:
                    last = revision
                    yield event
                if not events:
                    pause = _FIRST_PAUSE if await _changed(path, before, pause, is_allowed) else min(2 * pause, _MAX_PAUSE)
        finally:
            self.open -= 1

    async def stream_all(
        self, positions: Positions | int | None, workspace: str | None, is_allowed: Callable[[], bool]
    ) -> AsyncIterator[ServerSentEvent]:
        """Yields `ready` and the events of every store after `positions`: one per store, or one for all; None: only new ones."""
        self.open += 1
        try:
            tails = {tail.name: tail for tail in await to_thread.run_sync(self._tails, positions, workspace)}
            revisions = {name: tail.last for name, tail in tails.items()}
            is_reset = positions == {} or any(tail.is_reset for tail in tails.values())
            yield _event_of_all("ready", tails, {"revisions": revisions, "reset": is_reset}, RETRY_MS)
            looked_at = time.monotonic()
            while is_allowed():
                for tail in list(tails.values()):
                    if tail.is_due():
                        for event in await to_thread.run_sync(tail.read):
                            yield _event_of_all(str(event.event), tails, json.loads(str(event.data)), None)
                if time.monotonic() - looked_at >= _NEW_STORES:
                    looked_at = time.monotonic()
                    current = await to_thread.run_sync(self._tails, {}, workspace)
                    tails = {tail.name: tails.get(tail.name, tail) for tail in current}
                await asyncio.sleep(_POLL)
        finally:
            self.open -= 1

    def _tails(self, positions: Positions | int | None, workspace: str | None) -> list[_Tail]:
        return [_Tail(where, positions) for where in self._stores.matching(None, workspace)]

    def _created(self, name: str) -> str | None:
        """Returns the id of a project's memory once something is stored in it."""
        repo = self._stores.resolve(name)
        return repo if repo is None or os.path.isabs(repo) or registry.is_stored(repo) else None


class _Tail:
    """The end of one store's log, as far as a stream has sent it."""

    def __init__(self, where: Where, positions: Positions | int | None) -> None:
        self.name = _name_of(where)
        self.last = 0
        self.is_reset = False  # the position belongs to another log
        self._where = where
        self._path = os.path.join(folder_of(where.repo or "", where.workspace), "memory.db")
        self._stamp: Stamp = ()
        self._pause, self._due = _FIRST_PAUSE, 0.0
        after = positions.get(self.name, 0) if isinstance(positions, dict) else positions
        if after != 0:
            self.last = self._first(after)
            self.is_reset = after is not None and self.last != after

    def is_due(self) -> bool:
        """Tells whether the store changed, or is due to be read again."""
        stamp = _stamp(self._path)
        if stamp != self._stamp:
            self._stamp, self._pause = stamp, _FIRST_PAUSE
            return True
        return time.monotonic() >= self._due

    def read(self) -> Iterator[ServerSentEvent]:
        """Returns the events after the last one; each becomes the last one as it is taken."""
        try:
            events = _read(self._where, self.last)
        except (MemError, OSError, store.Error):
            events = []  # such as a store that was removed: others go on
        self._pause = _FIRST_PAUSE if events else min(2 * self._pause, _MAX_PAUSE)
        self._due = 0.0 if len(events) == _BATCH else time.monotonic() + self._pause
        return self._advance(events)

    def _advance(self, events: list[tuple[int, ServerSentEvent]]) -> Iterator[ServerSentEvent]:
        for revision, event in events:
            self.last = revision
            yield event

    def _first(self, after: int | None) -> int:
        try:
            return ready(self._where, after)[0]
        except (MemError, OSError, store.Error):
            return 0


def _name_of(where: Where) -> str:
    return where.repo or "" if where.workspace is None else f"{where.repo}/{where.workspace}"


def positions_of(id: str) -> Positions:
    """Returns the positions in the id of an event of all stores: `R-A:41,R-B:7`. Malformed ones are left out and start over."""
    pairs = [entry.rpartition(":") for entry in id.split(",")]
    return {name: int(number) for name, _, number in pairs if number.isascii() and number.isdigit() and len(number) < 16}


def _event_of_all(name: str, tails: dict[str, _Tail], data: dict[str, Any], retry: int | None) -> ServerSentEvent:
    id = ",".join([f"{tail.name}:{tail.last}" for tail in tails.values()])
    return ServerSentEvent(json.dumps(data), event=name, id=id, retry=retry, sep="\n")


async def _changed(path: str, before: Stamp, seconds: float, is_allowed: Callable[[], bool]) -> bool:
    """Waits until a store's files change, for at most `seconds`. Returns whether they changed."""
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline and is_allowed():
        await asyncio.sleep(_POLL)
        if _stamp(path) != before:
            return True
    return False


def _path(where: Where) -> str:
    """Returns the path of a store. Raises NotFound or InvalidInput where there is none."""
    return os.path.join(folder_of(USER if where.user else locate(where).repo_id or "", where.workspace), "memory.db")


def _stamp(path: str) -> Stamp:
    """Returns the modification times and sizes of a store's files."""
    stamps = []
    for name in (path, path + "-wal"):
        try:
            status = os.stat(name)
            stamps.append((status.st_mtime_ns, status.st_size))
        except OSError:
            stamps.append((0, 0))
    return tuple(stamps)


def ready(where: Where, after: int | None) -> Position:
    """Returns the start of a stream after revision `after`; None: only new events. Raises NotFound."""
    with reading(where) as project:
        newest = oplog.revision(project.db)
        # A position beyond the log belongs to another store: everything here is new.
        first = newest if after is None else after if after <= newest else 0
        return _position(first, newest, project.repo_id, after is not None and first != after)


def ready_before(after: int | None) -> Position:
    """Returns the start of the stream of a project that does not exist yet."""
    return _position(0, 0, "", bool(after))


def _position(first: int, newest: int, repo_id: str | None, is_reset: bool) -> Position:
    data = {"revision": first, "newest": newest, "repo_id": repo_id, "reset": is_reset}
    return first, _event("ready", first, data, RETRY_MS)


def _read(where: Where, last: int) -> list[tuple[int, ServerSentEvent]]:
    with reading(where) as project:
        return [(op.revision, _operation_event(project, op)) for op in oplog.after(project.db, last, _BATCH)]


def _event(name: str, revision: int, data: dict[str, Any], retry: int | None = None) -> ServerSentEvent:
    return ServerSentEvent(json.dumps(data), event=name, id=str(revision), retry=retry, sep="\n")


def _operation_event(project: Project, op: LoggedOperation) -> ServerSentEvent:
    name, details = _BY_PREFIX.get(op.object[:2], _other)(project, op)
    data = {
        "revision": op.revision,
        "kind": op.kind,
        "id": op.object,
        "actor": op.actor,
        "command": op.command,
        "created_at": dates.iso(op.hlc_ms),
        "created_at_epoch": op.hlc_ms,
        "repo_id": project.repo_id,
        "project": project.name,
    }
    return _event(name, op.revision, {**data, "happened_at": _moment_of(op, name, details) or data["created_at"], **details})


def _moment_of(op: LoggedOperation, name: str, details: dict[str, Any]) -> str:
    """Returns when something happened that a hook told and the worker stored later, "" for anything else."""
    if op.actor not in memories.OBSERVED:
        return ""
    if not name.endswith("-created"):
        return str((details.get("session") or {}).get("ended_at") or "") if name == "session-updated" else ""
    thing = details.get("memory") or details.get("prompt") or details.get("session") or {}
    return str(thing.get("created_at") or thing.get("started_at") or "")


def _is_first(project: Project, op: LoggedOperation) -> bool:
    return oplog.first_of(project.db, op.object) == op.revision


def _memory(project: Project, op: LoggedOperation) -> tuple[str, dict[str, Any]]:
    memory = memories.find(project.db, op.object)
    details = {"memory": memory_record(memory).to_json() if memory and not memory.forgotten else None}
    if op.kind == "link":
        details["link"] = _link(project, json.loads(op.body))
    if op.kind != "put":
        names = {"forget": "forgotten", "restore": "restored", "supersede": "superseded", "link": "linked", "erase": "erased"}
        return f"memory-{names.get(op.kind, 'updated')}", details
    if not _is_first(project, op):
        return "memory-updated", details
    if memory is None or not memory.session:
        return "memory-created", details
    session = sessions.names(project.db, [memory.session]).get(memory.session)
    details["session"] = {"id": session[0], "session_id": session[1]} if session else None
    return "session-summary-created" if memory.kind == "summary" else "observation-created", details


def _link(project: Project, body: dict[str, Any]) -> dict[str, Any] | None:
    """Returns the relation of a link, its target, and the title of a memory there; None if the text was erased."""
    if "to" not in body:
        return None
    target = memories.find(project.db, body["to"])
    title = target.title if target and not target.forgotten else None
    return {"rel": body["rel"], "to": body["to"], "title": title, "removed": not body["on"]}


def _prompt(project: Project, op: LoggedOperation) -> tuple[str, dict[str, Any]]:
    prompt = sessions.find_prompt(project.db, op.object)
    name = "user-prompt-created" if _is_first(project, op) else "user-prompt-updated"
    return name, {"prompt": prompt_record(prompt).to_json() if prompt else None}


def _session(project: Project, op: LoggedOperation) -> tuple[str, dict[str, Any]]:
    session = sessions.find(project.db, op.object)
    name = "session-created" if _is_first(project, op) else "session-updated"
    return name, {"session": session_record(session, name_of(project, session)).to_json() if session else None}


def _changed_row(name: str, find: Callable[[Project, str], Any], record: Callable[[Any], Result]) -> Details:
    """Returns the event for a change to a row: its name, and the row as it is now."""

    def details(project: Project, op: LoggedOperation) -> tuple[str, dict[str, Any]]:
        row = find(project, op.object)
        return f"{name}-changed", {"entry" if name == "profile" else name: record(row).to_json() if row else None}

    return details


def _other(project: Project, op: LoggedOperation) -> tuple[str, dict[str, Any]]:
    if op.kind != "undo":
        return "changed", {}
    undone = oplog.find(project.db, op.object)
    return "undo", {"undone": log_record(undone).to_json() if undone else None}


Details = Callable[[Project, LoggedOperation], tuple[str, dict[str, Any]]]
_BY_PREFIX: dict[str, Details] = {
    "M-": _memory,
    "P-": _prompt,
    "A-": _session,
    "S-": _changed_row("state", lambda project, id: store_context.find(project.db, State, id), state_record),
    "N-": _changed_row("note", lambda project, id: store_context.find(project.db, Note, id), day_note),
    "K-": _changed_row("profile", lambda project, id: store_context.find(project.db, ProfileEntry, id), profile_value),
    "T-": _changed_row("thread", lambda project, id: graph.thread(project.db, id[2:]), thread_record),
}
