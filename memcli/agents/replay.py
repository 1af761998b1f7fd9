"""Importing past sessions that clients keep on disk, through the queue and the worker as if hooks had reported them.

The events of a session enter the queue in one transaction, whole or not at all. Of a session that the memory has already, from
hooks or from an earlier import, only the turns after its last event are new. What one import brings is one command of the log.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Sequence
from typing import Any

from memcli.agents.capture import event_queue, handlers, normalize, observations, worker
from memcli.agents.transcripts import CLIENTS, PastEvent, PastSession, Source, Transcripts, transcripts
from memcli.errors import InvalidInput, NotFound
from memcli.memory import history
from memcli.memory.commit import commit
from memcli.project import Location, Project, Where, locate
from memcli.records import Record
from memcli.repo.head import Checkout
from memcli.repo.past import Heads, roots
from memcli.store import inbox, oplog, sessions
from memcli.store.oplog import Change
from memcli.text import json

__all__ = ["CLIENTS", "ClientImport", "PastRequest", "preview", "replay", "size"]

_SLACK = 5_000  # ms by which a transcript may be behind what hooks said of the same turn
_AT_ONCE = 500  # events that may wait: what hooks report meanwhile waits behind them
_NAP = 0.05
_END = "imported"  # why a session ended that nobody saw end
Progress = Callable[[int], None]


class ClientImport(Record):
    """What an import takes of one client. `first`: the moment of its first event in ms since 1970, None where there is none.

    `stored`: sessions that the memory has already; `restored`: those of an import that was undone, which are back; `elsewhere`:
    of other directories; `earlier`: that ended before `since`; `unfinished`: whose last turn goes on; `malformed`: lines that
    could not be read.
    """

    client: str
    places: tuple[str, ...]
    sessions: int = 0
    prompts: int = 0
    events: int = 0
    first: int | None = None
    stored: int = 0
    restored: int = 0
    elsewhere: int = 0
    earlier: int = 0
    unfinished: int = 0
    malformed: int = 0


class PastRequest(Record):
    """What to import: of which clients, from `path` instead of where they keep it, of sessions that went on after `since`."""

    clients: tuple[str, ...]
    path: str | None = None
    since: int | None = None


class _Drain(worker.RunControl):
    """A worker that does what waits and leaves; only the last one of an import takes care of what follows from it."""

    def __init__(self, maintains: bool) -> None:
        super().__init__()
        self.maintains = maintains

    def should_yield(self) -> bool:
        """Leaves as soon as nothing waits."""
        return True


def preview(project: Project, request: PastRequest) -> list[ClientImport]:
    """Returns what an import would take, and stores nothing. Raises InvalidInput, NotFound."""
    return _Replay(project, request, stores=False).run(lambda size: None)


def replay(project: Project, request: PastRequest, progress: Progress) -> list[ClientImport]:
    """Imports sessions. `progress` is told of bytes of transcripts that are done. Raises InvalidInput, NotFound.

    Where it is interrupted, what waits in the queue is done by the next worker.
    """
    running = _Replay(project, request, stores=True)
    clients = running.run(progress)
    running.drain(0, maintains=True)
    return clients


def size(project: Project, request: PastRequest) -> int:
    """Returns how many bytes of transcripts there are. Raises InvalidInput, NotFound."""
    return sum(source.size for client in _Replay(project, request, stores=False).clients for source in client.sources())


class _Replay:
    """One running import."""

    def __init__(self, project: Project, request: PastRequest, stores: bool) -> None:
        if project.is_user:
            raise InvalidInput("sessions belong to a repository", "import them into its memory: leave --user out")
        path = request.path and os.path.abspath(os.path.expanduser(request.path))
        if path and not os.path.exists(path):
            raise NotFound(f"nothing at {request.path}", "give the file of a session, or a directory of them")
        self.project = project
        self.since = request.since
        self.stores = stores
        self.takes_all = bool(path) and os.path.isfile(path or "")  # whoever names a file means it
        trees = roots(project.checkout) if project.checkout else [project.root]
        self.clients = [transcripts(client, path, trees) for client in request.clients]
        self.command: int | None = None
        self.brought_back: dict[int, bool] = {}  # commands of earlier imports -> whether something of them was gone
        self.heads = Heads()
        self.places: dict[str, tuple[bool | None, Checkout | None]] = {}

    def run(self, progress: Progress) -> list[ClientImport]:
        return [self._client(client, progress) for client in self.clients]

    def _client(self, client: Transcripts, progress: Progress) -> ClientImport:
        counts = dict.fromkeys(
            ("sessions", "prompts", "events", "stored", "restored", "elsewhere", "earlier", "unfinished", "malformed"), 0
        )
        first: int | None = None
        chosen = []
        for source in client.sources():
            if self._may_be_ours(client, source):
                chosen.append(source)
            else:
                counts["elsewhere"] += 1
                progress(source.size)
        for source, session in zip(chosen, client.sessions(chosen)):
            events, why = self._new_events(session)
            counts["malformed"] += session.malformed
            if why:
                counts[why] += 1
            if events:
                counts["sessions"] += 1
                counts["prompts"] += sum(event.event == "user-prompt" for event in events)
                counts["events"] += len(events)
                first = min(first or events[0].at, events[0].at)
                if self.stores:
                    self._store(session, events)
            progress(source.size)
        return ClientImport(client.client, client.places, first=first, **counts)

    def _may_be_ours(self, client: Transcripts, source: Source) -> bool:
        directories = client.directories(source)
        return self.takes_all or any(self._place(path)[0] for path in directories)

    def _place(self, cwd: str) -> tuple[bool | None, Checkout | None]:
        """Returns (whether a directory belongs to the repository, its working tree); None for one that belongs to none."""
        if cwd not in self.places:
            self.places[cwd] = _place(self.project, cwd)
        return self.places[cwd]

    def _new_events(self, session: PastSession) -> tuple[list[PastEvent], str]:
        """Returns (the events of a session that are new and belong here, why there are none or fewer)."""
        own = self._own_events(session)
        if not own:
            return [], "elsewhere" if session.events else ""
        if self.since is not None and own[-1].at < self.since:
            return [], "earlier"
        why = ""
        if not session.answered and own[-1].at > self.project.now - self._idle_ms():
            own, why = _without_last_turn(own), "unfinished"
        restored = self._bring_back(session)
        last = inbox.last_of_session(self.project.db, session.key)
        if last is not None:
            new = _turns_after(own, last + _SLACK)
            return new, why if new else why or ("restored" if restored else "stored")
        return own, why

    def _bring_back(self, session: PastSession) -> bool:
        """Brings back what an import stored of a session, and all else that it stored, where it was undone; tells whether."""
        stored = sessions.by_key(self.project.db, session.harness, session.key) if self.stores else None
        command = oplog.command_of(self.project.db, stored.id) if stored else oplog.NO_COMMAND
        if command != oplog.NO_COMMAND and command not in self.brought_back:
            redone = history.redo(self.project, command, observations.ACTOR, self.command)
            self.brought_back[command] = redone is not None
            self.command = redone or self.command
        return self.brought_back.get(command, False)

    def _own_events(self, session: PastSession) -> list[PastEvent]:
        """Returns the events in directories of this repository, and in those of none where the session began here."""
        if self.takes_all:
            return session.events
        began_here, own = False, []
        for event in session.events:
            belongs = self._place(event.payload["cwd"])[0]
            began_here = began_here or bool(belongs)
            if belongs or (belongs is None and began_here):
                own.append(event)
        return own

    def _idle_ms(self) -> int:
        return int(self.project.config["session.idle_minutes"]) * 60_000

    def _store(self, session: PastSession, events: Sequence[PastEvent]) -> None:
        """Puts the events of a session into the queue, and has them worked up where many wait."""
        jobs = [self._job(session, event, events[0]) for event in events]
        # One whose last turn is still going on stays open; a hook of one that goes on later opens it again.
        if session.answered or events[-1].at <= self.project.now - self._idle_ms():
            jobs.append(
                self._job(session, PastEvent("session-end", events[-1].at, {**_names(events[-1]), "reason": _END}), events[0])
            )
        self._enqueue(session, events[0].at, [job for job in jobs if job])
        self.drain(_AT_ONCE)

    def _enqueue(self, session: PastSession, at: int, jobs: Sequence[tuple[normalize.HarnessEvent, int]]) -> None:
        db = self.project.db

        def decide() -> list[Change]:
            command = self.command or oplog.revision(db) + 1
            for event, moment in jobs:
                body = json.canonical({**event.body, "past": command})
                inbox.put(db, inbox.QueuedEvent(event.dedupe, event.harness, event.session, event.event, body, moment))
            stored = sessions.by_key(db, session.harness, session.key)
            if stored is None:
                return [handlers.new_session(session.harness, session.key, at)[1]]
            return [Change("session", stored.id, {"status": sessions.ACTIVE, "reason": "", "ended": None})]

        written = commit(self.project, decide, observations.ACTOR, self.command)
        self.command = self.command or written[0].command

    def _job(self, session: PastSession, event: PastEvent, first: PastEvent) -> tuple[normalize.HarnessEvent, int] | None:
        """Returns (an event as the queue stores it, its moment), None for one that is not worth it."""
        at = min(event.at, self.project.now)
        checkout = self._place(event.payload["cwd"])[1] or self.project.checkout
        position: dict[str, str | None] = {"root": checkout.root if checkout else self.project.root}
        if checkout:
            position["commit"] = self._commit(checkout, session, event, first)
        prepared = event_queue.prepared(session.harness, event.event, event.payload, self.project.config, at, position)
        queued, reason = prepared
        if reason:
            return None
        if event.left is not None:
            queued.body["left"] = [normalize.clean(item, len(item)) for item in event.left]
        return queued, at

    def _commit(self, checkout: Checkout, session: PastSession, event: PastEvent, first: PastEvent) -> str | None:
        """Returns what was checked out: what the client noted at the start, until something else came to the branch."""
        commit = self.heads.commit_at(checkout, event.branch, event.at)
        if session.commit and self.heads.exists(checkout, session.commit):
            return session.commit if commit == self.heads.commit_at(checkout, first.branch, first.at) else commit
        return commit

    def drain(self, most: int, maintains: bool = False) -> None:
        """Has the worker do what waits, where more than `most` events do: this process, or the one that is at it already."""
        db, where = self.project.db, Where(self.project.root or self.project.repo_id, self.project.workspace)
        while inbox.waiting(db) > most or maintains:
            if worker.run(where, _Drain(maintains)) is not None:
                maintains = False
            elif not inbox.waiting(db):
                return  # another process works on what is left, and takes care of it
            else:
                time.sleep(_NAP)


def _names(event: PastEvent) -> dict[str, Any]:
    return {name: event.payload[name] for name in ("session_id", "cwd")}


def _turns_after(events: Sequence[PastEvent], moment: int) -> list[PastEvent]:
    """Returns the events from the first prompt after a moment on."""
    prompts = [number for number, event in enumerate(events) if event.event == "user-prompt" and event.at > moment]
    return list(events[prompts[0] :]) if prompts else []


def _without_last_turn(events: Sequence[PastEvent]) -> list[PastEvent]:
    prompts = [number for number, event in enumerate(events) if event.event == "user-prompt"]
    return list(events[: prompts[-1]]) if prompts else []


def _place(project: Project, cwd: str) -> tuple[bool | None, Checkout | None]:
    """Returns (whether a directory belongs to a project's repository, its working tree). One that is gone counts as what held it.

    None in place of whether: it belongs to no repository at all.
    """
    if not os.path.isabs(cwd) or "\0" in cwd:
        return None, None
    while not os.path.isdir(cwd):
        cwd = os.path.dirname(cwd)
    try:
        location = locate(Where(cwd))
    except (NotFound, InvalidInput):
        return None, None
    return _is_same(project, location), location.checkout


def _is_same(project: Project, location: Location) -> bool:
    if project.repo_id is not None and location.repo_id is not None:
        return project.repo_id == location.repo_id
    ours, theirs = project.checkout, location.checkout
    return ours is not None and theirs is not None and ours.common_dir == theirs.common_dir
