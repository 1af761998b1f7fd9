"""OpenCode: the tables session, message and part of opencode.db; before that a file of JSON each below storage/.

A session of a subagent names its parent. It is left out.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from typing import Any

from memcli.agents.transcripts import _session
from memcli.agents.transcripts._session import PastSession, SessionBuilder, Source, field, moment_of, text
from memcli.store import foreign
from memcli.text import json

_DATABASE = "opencode.db"


def places(roots: Sequence[str]) -> list[str]:
    """Returns where it keeps its sessions."""
    data = os.environ.get("XDG_DATA_HOME") or os.path.expanduser("~/.local/share")
    return [os.path.join(data, "opencode")]


def sources(top: str) -> list[Source]:
    """Returns the sessions in a directory of OpenCode, or in a database."""
    path = top if os.path.isfile(top) else os.path.join(top, _DATABASE)
    stored = []
    if path.endswith(".db") and os.path.isfile(path):
        names = [name for name, _ in foreign.opencode_sessions(path)]
        size = os.stat(path).st_size // max(1, len(names))
        stored = [Source((path,), size, 0.0, name) for name in names]
    keys = {source.key for source in stored}
    folder = os.path.join(top, "storage") if os.path.isdir(os.path.join(top, "storage")) else top
    files = (
        [top] if os.path.isfile(top) and top.endswith(".json") else _session.below(os.path.join(folder, "session"), (".json",))
    )
    listed = [source for path in files if (source := _session.source((path,), os.path.basename(path).removesuffix(".json")))]
    return stored + [source for source in listed if source.key not in keys]


def directories(source: Source) -> set[str]:
    """Returns the directory of a session."""
    cwd = text(_about(source).get("directory"))
    return {cwd} if cwd else set()


def _about(source: Source) -> dict[str, Any]:
    """Returns what a session says of itself."""
    path = source.paths[0]
    value = dict(foreign.opencode_sessions(path)).get(source.key) if path.endswith(".db") else _session.value_of(path)
    return value if isinstance(value, dict) else {}


def read(source: Source, repeated: set[str]) -> PastSession:
    """Returns a session."""
    about = _about(source)
    builder = SessionBuilder("opencode", text(about.get("directory")), source.key)
    messages = foreign.opencode_messages(source.paths[0], source.key) if source.paths[0].endswith(".db") else _of_files(source)
    for message, parts in messages:
        values = [_object(part) for part in parts]
        data = _object(message)
        builder.malformed += (data is None) + values.count(None)
        if data is not None and not about.get("parentID"):
            _take(builder, data, [value for value in values if value is not None])
    return builder.finish()


def _object(content: str | None) -> dict[str, Any] | None:
    try:
        value = json.loads(content) if content is not None else None
    except json.Malformed:
        return None
    return value if isinstance(value, dict) else None


def _of_files(source: Source) -> Iterator[tuple[str | None, list[str | None]]]:
    """Yields the messages of a session, each with its parts, of a storage of files."""
    storage = os.path.dirname(os.path.dirname(os.path.dirname(source.paths[0])))
    for path in _session.below(os.path.join(storage, "message", source.key), (".json",)):
        name = os.path.basename(path).removesuffix(".json")
        folders = [os.path.join(storage, "part", name), os.path.join(storage, "part", source.key, name)]
        parts = [part for folder in folders for part in _session.below(folder, (".json",)) if os.path.isdir(folder)]
        yield _content(path), [_content(part) for part in parts]


def _content(path: str) -> str | None:
    value = _session.value_of(path)
    return None if value is None else json.dumps(value)


def _take(builder: SessionBuilder, message: dict[str, Any], parts: list[dict[str, Any]]) -> None:
    builder.note_time(field(message, "time", "created"))
    builder.cwd = text(field(message, "path", "cwd")) or builder.cwd
    if message.get("role") == "user":
        own = [part for part in parts if part.get("type") == "text" and not part.get("synthetic") and not part.get("ignored")]
        return builder.prompt("\n".join([text(part.get("text")) for part in own]), text(message.get("id")))
    for part in parts:
        if part.get("type") == "text" and message.get("summary") is True:
            builder.compacted(text(part.get("text")))
        elif part.get("type") == "text":
            builder.note_time(field(part, "time", "end"))
            builder.say(text(part.get("text")))
        elif part.get("type") == "tool":
            _call(builder, part)


def _call(builder: SessionBuilder, part: dict[str, Any]) -> None:
    state, call_id = part.get("state"), text(part.get("callID"))
    builder.call(call_id, text(part.get("tool")), field(state, "input"))
    if field(state, "status") not in ("completed", "error"):
        return
    builder.at = max(builder.at, moment_of(field(state, "time", "end")))
    error = text(field(state, "error")) or "failed" if field(state, "status") == "error" else ""
    response: dict[str, Any] = {"stdout": text(field(state, "output"))}
    code = field(state, "metadata", "exit")
    builder.result(call_id, response | ({"exit_code": code} if isinstance(code, int) else {}), error)
