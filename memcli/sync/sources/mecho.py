"""mecho: core, curated and archival memory, one directory a mode. Each goes where `mem serve` keeps that mode."""

from __future__ import annotations

import os
from collections.abc import Iterator
from typing import Any

from memcli.errors import InvalidInput
from memcli.memory import modes
from memcli.records import replace
from memcli.store import foreign
from memcli.sync.sources.look import UNREADABLE, Look, child
from memcli.sync.sources.shape import Entry, Extract, ReadScope, gone, json_list, memory, moment, skip, text
from memcli.text import json

_DATABASE, _ARCHIVE = "mecho.db", "archival.db"
_MODE = ("mode_id", "agent_id")  # as it is called now, and as it was
_TABLES = {
    "core_memory": "mode_id agent_id name key description value detail updated_at",
    "curated_memory": "mode_id agent_id memory_id id name title description content detail tags updated_at created_at is_deleted",
    "archival_memory": "mode_id agent_id memory_id id name title description content text detail metadata_json "
    "created_at updated_at",
    "session_sync": "session_key",
}
TABLE = "curated_memory"


def places(scope: ReadScope) -> list[str]:
    """Returns where it keeps its modes: where its setting says, else below this repository, as its own repository does."""
    if own := os.environ.get("MECHO_DATA_DIR"):
        return [own] if _mode_folders(own) else []
    paths = [os.path.join(scope.root, *top, "data", name) for name in ("modes", "agents") for top in (("mecho",), ())]
    return [path for path in paths if scope.root and _mode_folders(path)]


def recognize(look: Look) -> bool:
    """Tells whether this is a mode's database, its directory, or the directory of all modes."""
    if look.is_folder:
        return bool({_DATABASE, _ARCHIVE} & look.names) or bool(_mode_folders(look.path))
    return "curated_memory" in look.tables or "archival_memory" in look.tables


def _mode_folders(top: str) -> list[str]:
    """Returns the directories of modes in a directory, in `data/modes` of one, or the directory itself."""
    if _is_mode(top):
        return [top]
    for base in (
        top,
        os.path.join(top, "modes"),
        os.path.join(top, "data", "modes"),
        os.path.join(top, "mecho", "data", "modes"),
    ):
        folders = [os.path.join(base, name) for name in sorted(os.listdir(base))] if os.path.isdir(base) else []
        if mode_folders := [folder for folder in folders if _is_mode(folder)]:
            return mode_folders
    return []


def _is_mode(folder: str) -> bool:
    return any(child(folder, name) for name in (_DATABASE, _ARCHIVE))


def extracts(path: str, scope: ReadScope) -> list[Extract]:
    """Returns what each mode has, and what each archive has. A mode's database brings the archive beside it.

    One of several databases that cannot be read is listed. Raises InvalidInput.
    """
    results: list[Extract] = []
    problems: list[InvalidInput] = []
    folders = _mode_folders(path) if os.path.isdir(path) else [os.path.dirname(os.path.abspath(path))]
    if not folders:
        raise InvalidInput(f"no mode of mecho in {path}", f"a mode is a directory with {_DATABASE} or {_ARCHIVE}")
    for folder in folders:
        files = [os.path.join(folder, name) for name in (_DATABASE, _ARCHIVE)]
        if not os.path.isdir(path) and path not in files:
            files = [path]
        present = [file for file in files if file == path or child(folder, os.path.basename(file))]
        tables = [table for file in present if (table := _readable(file, problems))]
        rows = {name: [_with_current_names(row) for table in tables for row in table[name]] for name in _TABLES}
        results += _of_folder(rows, os.path.basename(folder), scope)
    if problems and not results:
        raise problems[0]
    if problems:
        unread = [skip(UNREADABLE, str(problem).replace(os.path.join(path, ""), "")) for problem in problems]
        results[0] = replace(results[0], entries=[*results[0].entries, *unread])
    return results or [Extract([])]


def _readable(file: str, problems: list[InvalidInput]) -> dict[str, list[dict[str, Any]]] | None:
    """Returns the rows of a database; None, and the problem, for one that cannot be read."""
    try:
        return foreign.records(file, _TABLES)
    except InvalidInput as problem:
        problems.append(problem)
        return None


def _of_folder(rows: dict[str, list[dict[str, Any]]], name: str, scope: ReadScope) -> Iterator[Extract]:
    items = [row for table in ("core_memory", "curated_memory", "archival_memory") for row in rows[table]]
    for mode in dict.fromkeys([_mode(row) or name for row in items]):
        own = {table: [row for row in rows[table] if (_mode(row) or name) == mode] for table in _TABLES}
        try:
            mode_id, workspace = modes.id_of(mode), modes.workspace_of(mode)
        except InvalidInput:
            yield Extract([skip("a mode without a name that can be printed", mode, len(own["curated_memory"]))])
            continue
        yield Extract(list(_entries(own, scope)) + _turns(rows), workspace, modes.MODES, mode_id)
        if archive := [_archived(row) for row in own["archival_memory"]]:
            yield Extract(archive, workspace + modes.ARCHIVE, modes.MODES, mode_id)


def _with_current_names(row: dict[str, Any]) -> dict[str, Any]:
    """Returns a row with the columns of other versions under the names of this one."""
    others = {
        "name": ("key", "title"),
        "description": ("value", "content", "text"),
        "memory_id": ("id",),
        "updated_at": ("created_at",),
    }
    filled = {name: next((row[other] for other in names if row.get(other) is not None), None) for name, names in others.items()}
    return {**row, **{name: value for name, value in filled.items() if row.get(name) is None}}


def _mode(row: dict[str, Any]) -> str:
    return next((text(row[name]) for name in _MODE if row.get(name)), "")


def _entries(own: dict[str, list[dict[str, Any]]], scope: ReadScope) -> Iterator[Entry]:
    for row in own["core_memory"]:
        name, value = modes.core_key(text(row["name"]), scope.key_chars) or "core", _words(row)
        description, detail = (text(row.get(part)).strip() for part in ("description", "detail"))
        source = modes.SOURCE + modes.CORE + name
        is_whole = not (description and detail and len(description) <= scope.profile_chars)
        if len(value) > scope.profile_chars:
            of_whole = {"details": {modes.BLANK: modes.DESCRIPTION}} if is_whole else {}
            rest = value if is_whole else detail
            yield memory(source, name, rest, kind="core", created_at=row["updated_at"], **of_whole)
            value = modes.beginning(value, scope.profile_chars) if is_whole else description
        else:
            yield gone(source)
        yield {"profile": name, "value": value, modes.DESCRIPTION: text(row["description"])}
    for row in own["curated_memory"]:
        if row["is_deleted"]:
            yield gone(modes.SOURCE + text(row["memory_id"]), row["name"])
        else:
            yield memory(
                modes.SOURCE + text(row["memory_id"]),
                row["name"],
                _words(row),
                tags=json_list(row["tags"]),
                details=_details(row),
                created_at=row["updated_at"],
            )


def _archived(row: dict[str, Any]) -> Entry:
    try:
        metadata = json.loads(text(row["metadata_json"]) or "{}")
    except json.Malformed:
        metadata = None
    created = moment(row["created_at"], row["updated_at"])
    lost = [] if isinstance(metadata, dict) else ["metadata that cannot be read"]
    names = {"thread": "archival", "kind": "archival", "created_at": created, "lost": lost}
    details = ({"metadata": metadata} if isinstance(metadata, dict) and metadata else {}) | _details(row)
    return memory(modes.ARCHIVED + text(row["memory_id"]), row["name"], _words(row), details=details, **names)


def _details(row: dict[str, Any]) -> dict[str, Any]:
    """Returns what is stored of a row beside its words."""
    texts = [text(row.get(name)) for name in ("description", "detail")]
    return {name: value for name, value in modes.fields_beside(*texts).items() if value}


def _words(row: dict[str, Any]) -> str:
    return "\n".join([words for words in (text(row["description"]).strip(), text(row.get("detail")).strip()) if words])


def _turns(rows: dict[str, list[dict[str, Any]]]) -> list[Entry]:
    count = len(rows["session_sync"])
    return [skip("sessions: the next turn of each is a full one", count=count)] if count else []
