"""Putting one event of a harness where the worker finds it, whatever state the store is in."""

from __future__ import annotations

import os

from memcli import config as settings
from memcli.agents.capture import normalize
from memcli.errors import InvalidInput, MemError, NotFound
from memcli.project import Where, folder_of, locate, now, waits_in_files
from memcli.records import Record
from memcli.store import db as store
from memcli.store import inbox
from memcli.store.cache import Cache
from memcli.text import json

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from memcli.config import Config
    from memcli.project import Location
    from memcli.store.db import Connection

QUEUED = "queued"
_BEGAN = ("CLAUDE_PROJECT_DIR", "CURSOR_PROJECT_DIR")  # the first is set by most harnesses; in which directory the session began


class Posted(Record):
    """What became of an event: queued, or why it was not. `folder` is empty where nothing is stored; `db` is still open."""

    status: str
    place: Location | None = None
    folder: str = ""
    config: Config | None = None
    event: normalize.Event | None = None
    number: int = 0
    """Of a prompt within its session, from 1."""
    db: Connection | None = None
    cache: Cache | None = None
    """None where the settings cannot be read."""
    trouble: str = ""
    """Why the store did not take it; whether it waits in a file then, or is lost."""

    def close(self) -> None:
        """Closes the store and its cache."""
        for handle in (self.db, self.cache):
            if handle is not None:
                handle.close()


def post(harness: str, event: str, payload: dict[str, Any]) -> Posted:
    """Stores an event, where there is a store: in its letterbox, else in a file. The caller closes it.

    An agent that leaves its repository for a directory without a store takes its session along: the harness says where it began.
    """
    found = _store_of(normalize.cwd(payload)) or _store_where_it_began()
    if found is None:
        return Posted("no_store")
    place, folder = found
    return post_to(place, folder, harness, event, payload)


def post_to(place: Location, folder: str, harness: str, event: str, payload: dict[str, Any]) -> Posted:
    """Stores an event in the store in `folder`, which exists: in its letterbox, else in a file. The caller closes it."""
    path = os.path.join(folder, "memory.db")
    opened = Cache(folder)
    cache: Cache | None = opened
    try:
        config = settings.load(place.root or None, opened.note, opened.keep_note)
    except InvalidInput:  # the event does not come again: it is kept with the defaults, and whoever answers it says what is wrong
        cache, config = None, settings.Config({}, [])
    moment = now()
    seen = normalize.read(harness, event, payload, config["capture.result_chars"], moment)
    known = {"root": place.root, "commit": place.checkout.commit if place.checkout else None}
    seen.body.update({name: normalize.storable(value) for name, value in known.items() if value})
    if event == "post-tool-use" and (
        reason := normalize.is_own(seen.body, config["capture.skip_tools"].replace(",", " ").split())
    ):
        return Posted(reason, place, folder, config, seen, cache=cache)
    job = inbox.QueuedEvent(seen.dedupe, harness, seen.session, event, json.canonical(seen.body), moment)
    try:
        db, number = _put(path, folder, job)
    except (MemError, store.Error, OSError) as problem:
        return _set_aside(folder, job, problem, Posted(QUEUED, place, folder, config, seen, cache=cache))
    status = seen.body.get("skipped", QUEUED)
    return Posted(status, place, folder, config, seen, number, db, cache)


def _store_where_it_began() -> tuple[Location, str] | None:
    named = [os.environ.get(name, "") for name in _BEGAN]
    return next((found for one in named if os.path.isdir(one) and (found := _store_of(one))), None)


def _store_of(here: str) -> tuple[Location, str] | None:
    """Returns (where a directory belongs, its store's directory), None where it has no store."""
    if not here:
        return None
    try:
        place = locate(Where(here))
    except NotFound:
        return None
    folder = folder_of(place.repo_id, None) if place.repo_id else ""
    return (place, folder) if folder and os.path.lexists(os.path.join(folder, "memory.db")) else None


def _put(path: str, folder: str, job: inbox.QueuedEvent) -> tuple[Connection, int]:
    """Puts a job into the store, after those that wait in files. Returns the store, open, and a prompt's number."""
    db = inbox.open_queue(path)
    try:
        if waits_in_files(folder):
            inbox.take_in(db, folder)
            if inbox.spooled(folder).events and inbox.put_aside(folder, job):
                return db, 0  # more wait than one hook takes in, and they come first
        inbox.put(db, job)
        return db, inbox.prompts(db, job.harness, job.session) if job.event == "user-prompt" and job.harness == "generic" else 0
    except BaseException:
        db.close()
        raise


def _set_aside(folder: str, job: inbox.QueuedEvent, problem: Exception, posted: Posted) -> Posted:
    from memcli.agents.capture import log
    from memcli.records import replace

    known = problem if isinstance(problem, MemError) else store.explain(problem)
    is_kept = inbox.put_aside(folder, job)
    trouble = f"{known.message}; the event {'waits in a file until it can be stored' if is_kept else 'is lost'}"
    log.write("hook", f"{job.harness} {job.event}: {trouble}")
    return replace(posted, status=QUEUED if is_kept else "lost", trouble=trouble)
