"""claude-mem: its database claude-mem.db, of any version since its observations have titles."""

from __future__ import annotations

import os
from collections.abc import Iterator
from typing import Any

from memcli.store import foreign
from memcli.sync.sources.look import Look, child, refuse
from memcli.sync.sources.observers import OTHER_PROJECTS, Observer, wanted_projects
from memcli.sync.sources.shape import Entry, Extract, ReadScope, memory, skip, text

_DATABASE = "claude-mem.db"
_INNER, _OUTER = ("memory_session_id", "sdk_session_id"), ("content_session_id", "claude_session_id")  # now, and in old versions
_COMMON = f"id {' '.join(_INNER)} project merged_into_project prompt_number created_at created_at_epoch"
_TABLES = {
    "sdk_sessions": f"id {' '.join((*_INNER, *_OUTER))} project platform_source started_at started_at_epoch completed_at "
    "completed_at_epoch",
    "user_prompts": f"id session_db_id {' '.join(_OUTER)} prompt_number prompt_text created_at created_at_epoch",
    "observations": f"{_COMMON} type title subtitle narrative text concepts facts files_read files_modified",
    "session_summaries": f"{_COMMON} request investigated learned completed next_steps notes files_edited",
    "pending_messages": "status",
    "directives": "id scope project content status created_at created_at_epoch",
}
TABLE = "sdk_sessions"


def places(scope: ReadScope) -> list[str]:
    """Returns its database, where it is there."""
    home = os.environ.get("CLAUDE_MEM_DATA_DIR") or os.path.expanduser("~/.claude-mem")
    path = os.path.join(home, _DATABASE)
    return [path] if os.path.isfile(path) else []


def recognize(look: Look) -> bool:
    """Tells whether this is its database, or the directory that holds it."""
    return _DATABASE in look.names or {"sdk_sessions", "observations"} <= look.tables


def extracts(path: str, scope: ReadScope) -> list[Extract]:
    """Returns what is stored of the wanted projects."""
    if os.path.isdir(path):
        path = child(path, _DATABASE) or refuse(path, _DATABASE)
    return [Extract(list(_entries(path, scope)))]


def _entries(path: str, scope: ReadScope) -> Iterator[Entry]:
    rows = foreign.records(path, _TABLES)
    sessions = rows["sdk_sessions"]
    by_inner = {_first(row, _INNER): row for row in sessions if _first(row, _INNER)}
    by_outer = {_first(row, _OUTER): row for row in sessions}

    def session_of(row: dict[str, Any]) -> str:
        inner = _first(row, _INNER)
        return _first(row, _OUTER) or (_first(by_inner[inner], _OUTER) if inner in by_inner else inner)

    def harness_of(key: str) -> str:
        return text(by_outer.get(key, {}).get("platform_source")).lower() or "claude"

    for row in [*rows["observations"], *rows["session_summaries"]]:
        row["project"] = row["merged_into_project"] or row["project"]
        row["kind"], row["tags"], row["tool_name"] = row.get("type"), row.get("concepts"), None
    for row in rows["user_prompts"]:
        row["project"] = by_outer.get(_first(row, _OUTER), {}).get("project")
    tables = {"sessions": sessions, "prompts": rows["user_prompts"], "observations": rows["observations"]}
    observed = {**tables, "summaries": rows["session_summaries"]}
    yield from Observer("claude-mem", session_of, harness_of).entries(observed, scope)
    projects = wanted_projects(observed, scope)
    for row in rows["directives"]:
        if row["status"] not in ("active", None):
            yield skip("directives that are not active", row["content"])
        elif row["scope"] == "global" or row["project"] in projects:
            yield _directive(row)
        else:
            yield skip(OTHER_PROJECTS, row["project"])
    if waiting := sum(row["status"] in ("pending", "processing") for row in rows["pending_messages"]):
        yield skip("messages in its queue that it has not worked up", count=waiting)


def _directive(row: dict[str, Any]) -> Entry:
    """Returns a rule of the person's, which every session was told there: a pin, of a source that is trusted."""
    source = f"claude-mem:directive:{row['id']}:{row['created_at_epoch']}"
    times = (row["created_at_epoch"], row["created_at"])
    return memory(source, None, row["content"], thread="claude-mem", kind="rule", created_at=times, pinned=True)


def _first(row: dict[str, Any], names: tuple[str, ...]) -> str:
    return next((text(row[name]) for name in names if row.get(name)), "")
