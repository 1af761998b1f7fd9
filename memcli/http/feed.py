"""Live events: what the operation log of a store says from a position on, as server-sent events.

An event's id is the revision of its operation, so a client that comes back says how far it got and misses nothing.
"""

from __future__ import annotations

import asyncio
import os

from anyio import to_thread

from memcli import registry
from memcli.project import USER, Where, folder_of, locate
from memcli.serving.projects import reading
from memcli.shapes import memories as shapes
from memcli.shapes import sessions as past
from memcli.shapes import state as states
from memcli.store import context, graph, memories, oplog, sessions
from memcli.store.context import Note, ProfileEntry, State
from memcli.text import dates, json

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import AsyncIterator
    from typing import Any

    from memcli.http.service import Service
    from memcli.project import Project
    from memcli.store.oplog import Operation

_LOOK = 0.1  # seconds between two looks at a store's files
# A file changes before what is in it can be read: the write is forced to the disk in between. So a change behind which nothing
# is found yet is looked for again, soon, then ever later. Seconds.
_SOON = 0.2
_EXPECTED = 0.2  # seconds between two looks for a project that is not there yet
_AT_ONCE = 200  # operations that are read at once
MOST = 256  # streams
NO_POSITION = 1 << 60  # beyond every log: where a client is that names no revision
RETRY_MS = 1_000  # what a client waits before it comes back, at first


class Feeds:
    """Watches the files of the stores that somebody listens to, one look for all listeners of a store."""

    def __init__(self, service: Service) -> None:
        self._service = service
        self._watched: dict[str, _Watched] = {}
        self.open = 0

    async def begin(self, where: Where, after: int | None) -> tuple[int, str]:
        """Returns the revision behind which a stream begins (None: only what is new), and its first event. Raises NotFound."""
        return await to_thread.run_sync(self._begin, where, after)

    async def stream(self, where: Where, last: int, begin: str) -> AsyncIterator[str]:
        """Yields `begin` (unless it is empty), the events behind revision `last`, then new ones as they come."""
        heartbeat = self._service.heartbeat
        watched = self._watch(where)  # before it counts: a memory may be gone by now
        self.open += 1
        try:
            if begin:
                yield begin
            pause = heartbeat
            while not self._service.stopping:
                seen = watched.change
                events = await to_thread.run_sync(self._read, where, last)
                for revision, text in events:
                    last = revision
                    yield text
                if events:
                    continue
                if await watched.waited(seen, pause, self._service):
                    pause = min(_SOON, heartbeat)
                elif pause < heartbeat:
                    pause = min(2 * pause, heartbeat)
                else:
                    yield ": heartbeat\n\n"
        finally:
            self.open -= 1
            watched.listeners -= 1

    async def expecting(self, name: str, workspace: str | None, after: int | None = None) -> AsyncIterator[str]:
        """Yields the events of a project that nobody has heard of yet, from its first on."""
        self.open += 1
        try:
            said = {"revision": 0, "newest": 0, "repo_id": "", "reset": bool(after)}
            yield _event("ready", 0, said, f"retry: {RETRY_MS}\n")
            found, silent = await to_thread.run_sync(self._made, name), 0.0
            while found is None and not self._service.stopping:
                await asyncio.sleep(_EXPECTED)
                silent += _EXPECTED
                if silent >= self._service.heartbeat:
                    silent = 0.0
                    yield ": heartbeat\n\n"
                found = await to_thread.run_sync(self._made, name)
        finally:
            self.open -= 1
        if found is not None:
            async for text in self.stream(Where(found, workspace), 0, ""):
                yield text

    def _made(self, name: str) -> str | None:
        """Returns the id of a project's memory once something is stored there."""
        found = self._service.named(name)
        return found if found is None or os.path.isabs(found) or registry.is_stored(found) else None

    def _watch(self, where: Where) -> _Watched:
        path = _path(where)
        watched = self._watched.get(path)
        if watched is None or watched.task.done():
            watched = _Watched(path)
            self._watched[path] = watched
        watched.listeners += 1
        return watched

    def _begin(self, where: Where, after: int | None) -> tuple[int, str]:
        with reading(where) as project:
            newest = oplog.revision(project.db)
            # A position beyond the log is one of another store: what is there now is all new.
            first = newest if after is None else after if after <= newest else 0
            is_reset = after is not None and first != after
            said = {"revision": first, "newest": newest, "repo_id": project.repo_id, "reset": is_reset}
        return first, _event("ready", first, said, f"retry: {RETRY_MS}\n")

    def _read(self, where: Where, last: int) -> list[tuple[int, str]]:
        with reading(where) as project:
            found = oplog.after(project.db, last, _AT_ONCE)
            return [(op.revision, _event(*told(project, op))) for op in found]

    def close(self) -> None:
        """Stops watching."""
        for watched in self._watched.values():
            watched.task.cancel()


class _Watched:
    """One store's files. `change` counts up whenever they are not as they were."""

    def __init__(self, path: str) -> None:
        self._path = path
        self.listeners = 0
        self.change = 0
        self._waiting = asyncio.Event()
        self.task = asyncio.create_task(self._look())

    async def _look(self) -> None:
        before = self._stamp()
        quiet = 0
        while quiet < 50:  # a while after the last listener left
            await asyncio.sleep(_LOOK)
            now = self._stamp()
            if now != before:
                before = now
                self.change += 1
                waiting, self._waiting = self._waiting, asyncio.Event()
                waiting.set()
            quiet = 0 if self.listeners else quiet + 1

    def _stamp(self) -> tuple[tuple[int, int], ...]:
        found = []
        for path in (self._path, self._path + "-wal"):
            try:
                status = os.stat(path)
                found.append((status.st_mtime_ns, status.st_size))
            except OSError:
                found.append((0, 0))
        return tuple(found)

    async def waited(self, seen: int, most: float, service: Service) -> bool:
        """Waits for a change after the one that was `seen`, for `most` seconds. Returns whether there was one."""
        left = most
        while self.change == seen and left > 0 and not service.stopping:
            try:
                await asyncio.wait_for(self._waiting.wait(), min(left, 0.5))
            except TimeoutError:
                left -= 0.5
        return self.change != seen or service.stopping


def _path(where: Where) -> str:
    repo_id = USER if where.user else locate(where).repo_id
    return os.path.join(folder_of(repo_id or "", where.workspace), "memory.db")


def _event(name: str, revision: int, data: dict[str, Any], head: str = "") -> str:
    return f"{head}id: {revision}\nevent: {name}\ndata: {json.dumps(data)}\n\n"


def told(project: Project, op: Operation) -> tuple[str, int, dict[str, Any]]:
    """Returns (the name of an operation's event, its revision, what it says)."""
    facts = {
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
    name, more = _OF.get(op.object[:2], _other)(project, op)
    return name, op.revision, {**facts, **more}


def _is_first(project: Project, op: Operation) -> bool:
    return oplog.first_of(project.db, op.object) == op.revision


def _memory(project: Project, op: Operation) -> tuple[str, dict[str, Any]]:
    one = memories.find(project.db, op.object)
    shown = {"memory": shapes.memory(one) if one and not one.forgotten else None}
    if op.kind != "put":
        names = {"forget": "forgotten", "restore": "restored", "supersede": "superseded", "link": "linked", "erase": "erased"}
        return f"memory-{names.get(op.kind, 'updated')}", shown
    if not _is_first(project, op):
        return "memory-updated", shown
    if one is None or not one.session:
        return "memory-created", shown
    session = sessions.names(project.db, [one.session]).get(one.session)
    shown["session"] = {"id": session[0], "session_id": session[1]} if session else None
    return "session-summary-created" if one.kind == "summary" else "observation-created", shown


def _prompt(project: Project, op: Operation) -> tuple[str, dict[str, Any]]:
    one = sessions.find_prompt(project.db, op.object)
    shown = {"prompt": past.prompt(one) if one else None}
    return "user-prompt-created" if _is_first(project, op) else "user-prompt-updated", shown


def _session(project: Project, op: Operation) -> tuple[str, dict[str, Any]]:
    one = sessions.find(project.db, op.object)
    return "session-created" if _is_first(project, op) else "session-updated", {"session": past.session(one) if one else None}


def _state(project: Project, op: Operation) -> tuple[str, dict[str, Any]]:
    one = context.find(project.db, State, op.object)
    return "state-changed", {"state": states.state(one) if one else None}


def _note(project: Project, op: Operation) -> tuple[str, dict[str, Any]]:
    one = context.find(project.db, Note, op.object)
    return "note-changed", {"note": states.note(one) if one else None}


def _entry(project: Project, op: Operation) -> tuple[str, dict[str, Any]]:
    one = context.find(project.db, ProfileEntry, op.object)
    return "profile-changed", {"entry": states.entry(one) if one else None}


def _thread(project: Project, op: Operation) -> tuple[str, dict[str, Any]]:
    one = graph.thread(project.db, op.object[2:])
    return "thread-changed", {"thread": shapes.thread(one) if one else None}


def _other(project: Project, op: Operation) -> tuple[str, dict[str, Any]]:
    if op.kind != "undo":
        return "changed", {}
    taken = oplog.find(project.db, op.object)
    return "undo", {"undone": states.operation(taken) if taken else None}


_OF = {"M-": _memory, "P-": _prompt, "A-": _session, "S-": _state, "N-": _note, "K-": _entry, "T-": _thread}
