"""C-Mem: its database c-mem.db, and its settings.json."""

from __future__ import annotations

import os
from collections.abc import Iterator

from memcli.errors import InvalidInput
from memcli.store import foreign
from memcli.sync.cmem_settings import NAMES, checked
from memcli.sync.sources.look import Look, child, read_json, refuse
from memcli.sync.sources.observers import Observer
from memcli.sync.sources.shape import Entry, Extract, ReadScope, skip, text

_DATABASE, _SETTINGS = "c-mem.db", "settings.json"
_COMMON = "id session_id project prompt_number created_at created_at_epoch"
_TABLES = {
    "sessions": "session_id project created_at created_at_epoch completed_at completed_at_epoch",
    "user_prompts": f"{_COMMON} prompt_text",
    "observations": f"{_COMMON} tool_name kind title subtitle narrative text tags facts files_read files_modified",
    "session_summaries": f"{_COMMON} request work_done discoveries remaining notes",
    "observation_queue": "status",
}
_OWN = NAMES.keys() - {"model", "logLevel", "maxRetries"}  # names that other programs hardly have
_HARNESS = "generic"  # as sessions of its clients are called that come over HTTP
TABLE = "session_summaries"


def places(scope: ReadScope) -> list[str]:
    """Returns its directory, where it is there."""
    home = os.path.expanduser("~/.c-mem")
    return [home] if os.path.isdir(home) else []


def recognize(look: Look) -> bool:
    """Tells whether this is C-Mem's database, its settings, or its directory."""
    if look.is_folder:
        return _DATABASE in look.names or _has_only_settings(look.path)
    if look.tables:
        return {"sessions", "observations", "session_summaries"} <= look.tables
    return look.name == _SETTINGS and bool(_OWN & look.whole_object.keys())


def _has_only_settings(folder: str) -> bool:
    """Tells whether a directory has settings of C-Mem without its database."""
    own = child(folder, _SETTINGS)
    return own is not None and not os.path.lexists(os.path.join(folder, _DATABASE)) and recognize(Look(own))


def extracts(path: str, scope: ReadScope) -> list[Extract]:
    """Returns what is stored of the wanted projects, and the settings that stand beside it."""
    folder = path if os.path.isdir(path) else os.path.dirname(path)
    entries: list[Entry] = []
    settings = os.path.join(folder, _SETTINGS)
    if path == folder and _has_only_settings(folder):
        path = settings
    if path != folder and not foreign.is_database(path):
        settings = path
    else:
        entries += _of_database(path if path != folder else child(folder, _DATABASE) or refuse(folder, _DATABASE), scope)
    if settings == path:
        entries += _settings(settings)
    elif own := child(folder, _SETTINGS):
        try:
            entries += _settings(own)
        except InvalidInput as error:  # the database is good without them
            entries.append(skip("settings that cannot be read", str(error).removeprefix(folder + os.sep)))
    return [Extract(entries)]


def _of_database(path: str, scope: ReadScope) -> Iterator[Entry]:
    rows = foreign.records(path, _TABLES)
    waiting = [row for row in rows.pop("observation_queue") if row["status"] != "processed"]
    tables = {"prompts": "user_prompts", "summaries": "session_summaries"}
    by_name = {name: rows[tables.get(name, name)] for name in ("sessions", "prompts", "observations", "summaries")}
    yield from Observer("cmem", lambda row: text(row["session_id"]), lambda key: _HARNESS).entries(by_name, scope)
    if waiting:
        yield skip("events in its queue that it has not worked up", count=len(waiting))


def _settings(path: str) -> Iterator[Entry]:
    """Yields its settings by our names, and says which have none."""
    values = read_json(path)
    if not isinstance(values, dict) or not values.keys() & _OWN:
        return
    for name, value in values.items():
        if name not in NAMES:
            yield skip("settings that have no counterpart", name)
            continue
        try:
            key, ours = checked(name, value)
            yield {"setting": key, "value": str(ours)}
        except InvalidInput as error:
            yield skip("settings that do not fit", str(error)[:80])
