"""Live events: the operation log of a store from a revision on, as server-sent events.

An event's id is the revision of its operation, so a client that reconnects says how far it got and misses nothing.
"""

from __future__ import annotations

import asyncio
import os
from collections.abc import AsyncIterator
from typing import Any

from anyio import to_thread
from sse_starlette import ServerSentEvent

from memcli import registry
from memcli.http.stores import Stores
from memcli.operations.note import day_note
from memcli.operations.profile import profile_value
from memcli.operations.results import log_record, memory_record, thread_record
from memcli.operations.sessions import prompt_record, session_record
from memcli.operations.state import state_record
from memcli.project import USER, Project, Where, folder_of, locate
from memcli.serving.projects import reading
from memcli.store import context as store_context
from memcli.store import graph, memories, oplog, sessions
from memcli.store.context import Note, ProfileEntry, State
from memcli.store.oplog import LoggedOperation
from memcli.text import dates, json

_POLL = 0.1  # seconds between two looks at a store's files
_LINGER = 50  # looks after the last listener left
# A file changes before its content can be read: the write is forced to the disk in between. So a change behind which nothing
# is found yet is looked for again, soon, then ever later. Seconds.
_FIRST_PAUSE, _MAX_PAUSE = 0.2, 15.0
_EXPECTED_POLL = 0.2  # seconds between two looks for a project that does not exist yet
_BATCH = 200  # operations that are read at once
MAX_STREAMS = 256
NO_POSITION = 1 << 60  # beyond every log: where a client is that names no revision
RETRY_MS = 1_000  # how long a client waits before it reconnects, at first


class Feeds:
    """Watches the files of the stores that somebody listens to, once for all listeners of a store. `open`: streams."""

    def __init__(self, stores: Stores) -> None:
        self._stores = stores
        self._watchers: dict[str, _Watcher] = {}
        self.open = 0

    async def begin(self, where: Where, after: int | None) -> tuple[int, ServerSentEvent]:
        """Returns the revision behind which a stream begins (None: only new events), and its first event. Raises NotFound."""
        return await to_thread.run_sync(_ready, where, after)

    async def stream(self, where: Where, last: int, ready: ServerSentEvent | None) -> AsyncIterator[ServerSentEvent]:
        """Yields `ready`, the events behind revision `last`, then new ones as they come."""
        watcher = self._watch(where)  # before it counts as open: the memory may be gone by now
        self.open += 1
        try:
            if ready is not None:
                yield ready
            pause = _MAX_PAUSE
            while True:
                changes = watcher.changes
                events = await to_thread.run_sync(_read, where, last)
                for revision, event in events:
                    last = revision
                    yield event
                if events:
                    continue
                changed = await watcher.wait(changes, pause)
                pause = _FIRST_PAUSE if changed else min(2 * pause, _MAX_PAUSE)
        finally:
            self.open -= 1
            watcher.listeners -= 1

    async def expect(self, name: str, workspace: str | None, after: int | None = None) -> AsyncIterator[ServerSentEvent]:
        """Yields the events of a project that does not exist yet, from its first on."""
        self.open += 1
        try:
            yield _event("ready", 0, {"revision": 0, "newest": 0, "repo_id": "", "reset": bool(after)}, RETRY_MS)
            while (repo := await to_thread.run_sync(self._created, name)) is None:
                await asyncio.sleep(_EXPECTED_POLL)
        finally:
            self.open -= 1
        async for event in self.stream(Where(repo, workspace), 0, None):
            yield event

    def _created(self, name: str) -> str | None:
        """Returns the id of a project's memory once something is stored in it."""
        repo = self._stores.resolve(name)
        return repo if repo is None or os.path.isabs(repo) or registry.is_stored(repo) else None

    def _watch(self, where: Where) -> _Watcher:
        repo_id = USER if where.user else locate(where).repo_id
        path = os.path.join(folder_of(repo_id or "", where.workspace), "memory.db")
        watcher = self._watchers.get(path)
        if watcher is None or watcher.task.done():
            watcher = self._watchers[path] = _Watcher(path)
        watcher.listeners += 1
        return watcher

    def close(self) -> None:
        """Stops watching."""
        for watcher in self._watchers.values():
            watcher.task.cancel()


class _Watcher:
    """Polls one store's files. `changes` counts how often they differed."""

    def __init__(self, path: str) -> None:
        self._path = path
        self.listeners = 0
        self.changes = 0
        self._changed = asyncio.Event()
        self.task = asyncio.create_task(self._poll())

    async def _poll(self) -> None:
        before = self._stamp()
        idle = 0
        while idle < _LINGER:
            await asyncio.sleep(_POLL)
            now = self._stamp()
            if now != before:
                before = now
                self.changes += 1
                # Every listener waits for the event of its own time, so none misses a change.
                changed, self._changed = self._changed, asyncio.Event()
                changed.set()
            idle = 0 if self.listeners else idle + 1

    def _stamp(self) -> tuple[tuple[int, int], ...]:
        stamps = []
        for path in (self._path, self._path + "-wal"):
            try:
                status = os.stat(path)
                stamps.append((status.st_mtime_ns, status.st_size))
            except OSError:
                stamps.append((0, 0))
        return tuple(stamps)

    async def wait(self, changes: int, timeout: float) -> bool:
        """Waits until the count of changes is no longer `changes`, for `timeout` seconds. Returns whether it changed."""
        if self.changes == changes:
            try:
                await asyncio.wait_for(self._changed.wait(), timeout)
            except TimeoutError:
                return False
        return True


def _ready(where: Where, after: int | None) -> tuple[int, ServerSentEvent]:
    with reading(where) as project:
        newest = oplog.revision(project.db)
        # A position beyond the log belongs to another store: everything here is new.
        first = newest if after is None else after if after <= newest else 0
        is_reset = after is not None and first != after
        data = {"revision": first, "newest": newest, "repo_id": project.repo_id, "reset": is_reset}
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
    return _event(name, op.revision, data | details)


def _is_first(project: Project, op: LoggedOperation) -> bool:
    return oplog.first_of(project.db, op.object) == op.revision


def _memory(project: Project, op: LoggedOperation) -> tuple[str, dict[str, Any]]:
    memory = memories.find(project.db, op.object)
    details = {"memory": memory_record(memory).to_json() if memory and not memory.forgotten else None}
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


def _prompt(project: Project, op: LoggedOperation) -> tuple[str, dict[str, Any]]:
    prompt = sessions.find_prompt(project.db, op.object)
    name = "user-prompt-created" if _is_first(project, op) else "user-prompt-updated"
    return name, {"prompt": prompt_record(prompt).to_json() if prompt else None}


def _session(project: Project, op: LoggedOperation) -> tuple[str, dict[str, Any]]:
    session = sessions.find(project.db, op.object)
    name = "session-created" if _is_first(project, op) else "session-updated"
    return name, {"session": session_record(session).to_json() if session else None}


def _state(project: Project, op: LoggedOperation) -> tuple[str, dict[str, Any]]:
    state = store_context.find(project.db, State, op.object)
    return "state-changed", {"state": state_record(state).to_json() if state else None}


def _note(project: Project, op: LoggedOperation) -> tuple[str, dict[str, Any]]:
    note = store_context.find(project.db, Note, op.object)
    return "note-changed", {"note": day_note(note).to_json() if note else None}


def _entry(project: Project, op: LoggedOperation) -> tuple[str, dict[str, Any]]:
    entry = store_context.find(project.db, ProfileEntry, op.object)
    return "profile-changed", {"entry": profile_value(entry).to_json() if entry else None}


def _thread(project: Project, op: LoggedOperation) -> tuple[str, dict[str, Any]]:
    thread = graph.thread(project.db, op.object[2:])
    return "thread-changed", {"thread": thread_record(thread).to_json() if thread else None}


def _other(project: Project, op: LoggedOperation) -> tuple[str, dict[str, Any]]:
    if op.kind != "undo":
        return "changed", {}
    undone = oplog.find(project.db, op.object)
    return "undo", {"undone": log_record(undone).to_json() if undone else None}


_BY_PREFIX = {"M-": _memory, "P-": _prompt, "A-": _session, "S-": _state, "N-": _note, "K-": _entry, "T-": _thread}
