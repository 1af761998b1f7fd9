"""Copilot CLI: one object a line in session-state/SESSION/events.jsonl, or session-state/SESSION.jsonl, with `type` and `data`.

Before that a session was one object in history-session-state/session_*.json, with a `timeline`.
"""

from __future__ import annotations

import os
import re
from collections.abc import Sequence
from typing import Any

from memcli.agents.transcripts import _session
from memcli.agents.transcripts._session import PastSession, SessionBuilder, Source, field, objects, text
from memcli.text import json

_OLD = "history-session-state"
_CWD = re.compile(r"[Cc]urrent working directory: (\S.*)")


def places(roots: Sequence[str]) -> list[str]:
    """Returns where it keeps its sessions."""
    home = os.environ.get("COPILOT_HOME") or os.path.expanduser("~/.copilot")
    return [os.path.join(home, "session-state"), os.path.join(home, _OLD)]


def sources(top: str) -> list[Source]:
    """Returns the sessions below a directory, or the one in a file."""
    paths = _session.below(top, (".jsonl", ".json"))
    session_paths = [path for path in paths if path == top or _is_session(path)]
    return [source for path in session_paths if (source := _session.source((path,)))]


def _is_session(path: str) -> bool:
    folder, name = os.path.split(path)
    return name == "events.jsonl" or (os.path.basename(folder) in ("session-state", _OLD))


def directories(source: Source) -> set[str]:
    """Returns the directories that a session worked in."""
    if source.paths[0].endswith(".json"):
        cwd = _old_directory(_session.value_of(source.paths[0]))
        return {cwd} if cwd else set()
    return _session.directories(source.paths)


def read(source: Source, repeated: set[str]) -> PastSession:
    """Returns a session."""
    path = source.paths[0]
    if path.endswith(".json"):
        return _old_session(path)
    folder, name = os.path.split(path)
    builder = SessionBuilder("copilot", key=os.path.basename(folder) if name == "events.jsonl" else name.removesuffix(".jsonl"))
    for line in _session.lines(path):
        data = line.get("data") if line else None
        if line is None or not isinstance(data, dict):
            builder.malformed += 1
            continue
        builder.note_time(line.get("timestamp"))
        _take(builder, text(line.get("type")), data)
    return builder.finish()


def _take(builder: SessionBuilder, kind: str, data: dict[str, Any]) -> None:
    if kind.startswith("session."):
        _about_session(builder, kind, data)
    elif kind == "user.message" and not data.get("parentToolCallId") and data.get("source") in (None, "user"):
        builder.prompt(text(data.get("content")), text(data.get("interactionId")))
    elif kind == "assistant.message":
        if not data.get("parentToolCallId"):
            builder.say(text(data.get("content")))
    elif kind == "tool.execution_start":
        agent = text(data.get("parentToolCallId"))
        builder.call(text(data.get("toolCallId")), text(data.get("toolName")), data.get("arguments"), agent)
    elif kind == "tool.execution_complete":
        _result(builder, data)


def _about_session(builder: SessionBuilder, kind: str, data: dict[str, Any]) -> None:
    context = data["context"] if isinstance(data.get("context"), dict) else data
    if kind in ("session.start", "session.resume", "session.context_changed"):
        builder.key = text(data.get("sessionId")) or builder.key
        builder.cwd = text(context.get("cwd")) or builder.cwd
        builder.branch = text(context.get("branch")) or builder.branch
        builder.commit = builder.commit or text(context.get("headCommit"))
    elif kind == "session.compaction_complete":
        builder.compacted(text(data.get("summaryContent")))


def _result(builder: SessionBuilder, data: dict[str, Any]) -> None:
    error = "" if data.get("success", True) else text(field(data, "error", "message")) or "failed"
    response: dict[str, Any] = {"text_result_for_llm": text(field(data, "result", "content"))}
    code = field(data, "shellExecution", "exitCode")
    builder.result(text(data.get("toolCallId")), response | ({"exit_code": code} if isinstance(code, int) else {}), error)


def _old_directory(whole: Any) -> str:
    messages = objects(field(whole, "chatMessages"))
    directories = [mark[1].strip() for message in messages if (mark := _CWD.search(str(message.get("content"))))]
    return text(field(whole, "cwd")) or (directories[0] if directories else "")


def _old_session(path: str) -> PastSession:
    """Returns a session that is one object, by its timeline."""
    whole = _session.value_of(path)
    builder = SessionBuilder("copilot", _old_directory(whole), text(field(whole, "sessionId")))
    builder.key = builder.key or os.path.basename(path).removesuffix(".json")
    builder.malformed = 0 if isinstance(whole, dict) else 1
    builder.note_time(field(whole, "startTime"))
    for entry in objects(field(whole, "timeline")):
        builder.note_time(entry.get("timestamp"))
        kind = text(entry.get("type"))
        if kind == "user":
            builder.prompt(text(entry.get("text")))
        elif kind == "copilot":
            builder.say(text(entry.get("text")))
        elif kind.startswith("tool_call"):
            _old_call(builder, kind, entry)
    return builder.finish()


def _old_call(builder: SessionBuilder, kind: str, entry: dict[str, Any]) -> None:
    call_id, arguments = text(entry.get("callId")), entry.get("arguments")
    if isinstance(arguments, str):
        try:
            arguments = json.loads(arguments)
        except json.Malformed:
            pass
    builder.call(call_id, text(entry.get("name")), arguments)
    if kind == "tool_call_completed":
        failed = text(field(entry, "result", "type")) in ("failure", "rejected", "denied", "error")
        answer = text(field(entry, "result", "log")) or text(field(entry, "result", "content"))
        builder.result(call_id, answer, (answer or "failed") if failed else "")
