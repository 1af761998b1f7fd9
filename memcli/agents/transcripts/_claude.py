"""Claude Code: one object a line in projects/DIRECTORY/SESSION.jsonl; its subagents' in files beside it or among its lines.

Each line has its time, its directory and its branch. A session that is resumed or forked may repeat the lines of another one,
with their `uuid`.
"""

from __future__ import annotations

import os
import re
from collections.abc import Sequence
from typing import Any

from memcli.agents.transcripts import _session
from memcli.agents.transcripts._session import PastSession, SessionBuilder, Source, field, objects, text, texts

_AGENT = "agent-"  # how the name of a subagent's file begins
_NO_PROMPT = ("<local-command", "<command-", "<bash-", "<task-notification", "[Request interrupted", "Caveat: The messages below")
_COMMAND = re.compile(r"<command-name>(.*?)</command-name>.*?<command-args>(.*?)</command-args>", re.S)
_EARLIER = "This session is being continued from a previous conversation"


def places(roots: Sequence[str]) -> list[str]:
    """Returns where it keeps its sessions."""
    home = os.environ.get("CLAUDE_CONFIG_DIR") or os.path.expanduser("~/.claude")
    return [os.path.join(home, "projects")]


def sources(top: str) -> list[Source]:
    """Returns the sessions below a directory, or the one in a file."""
    listed = []
    for path in _session.below(top, (".jsonl",)):
        folder, name = os.path.split(path)
        is_side = name.startswith(_AGENT) or os.path.basename(folder) == "subagents"
        if (path == top or not is_side) and (source := _session.source((path, *_side_files(path)))):
            listed.append(source)
    return listed


def _side_files(path: str) -> list[str]:
    """Returns the files of the subagents of a session."""
    base = path.removesuffix(".jsonl")
    own = _session.below(os.path.join(base, "subagents"), (".jsonl",))
    folder, key = os.path.split(base)
    beside = sorted(entry.path for entry in os.scandir(folder) if entry.name.startswith(_AGENT) and entry.name.endswith(".jsonl"))
    return own + [other for other in beside if other != path and _session_of(other) == key]


def _session_of(path: str) -> str:
    return next((text(line.get("sessionId")) for line in _session.lines(path) if line), "")


def directories(source: Source) -> set[str]:
    """Returns the directories that a session worked in."""
    return _session.directories(source.paths[:1])


def read(source: Source, repeated: set[str]) -> PastSession:
    """Returns a session. `repeated`: the lines that other sessions had; those of this one are added."""
    builder = SessionBuilder("claude", key=os.path.basename(source.paths[0]).removesuffix(".jsonl"))
    for number, path in enumerate(source.paths):
        if number:
            builder.end_turn()
        for line in _session.lines(path):
            if line is None:
                builder.malformed += 1
                continue
            name = text(line.get("uuid"))
            if name and name in repeated:
                continue
            repeated.add(name)
            if isinstance(line.get("message"), dict):
                _take(builder, line, bool(number))
    return builder.finish()


def _take(builder: SessionBuilder, line: dict[str, Any], is_side: bool) -> None:
    builder.note_time(line.get("timestamp"))
    is_side = is_side or line.get("isSidechain") is True
    if not is_side and not builder.events and text(line.get("sessionId")):
        builder.key = text(line.get("sessionId"))
    builder.cwd = text(line.get("cwd")) or builder.cwd
    builder.branch = text(line.get("gitBranch")) or builder.branch
    agent = (text(line.get("agentId")) or "side") if is_side else ""
    content = field(line, "message", "content")
    for piece in objects(content):
        if piece.get("type") == "tool_use":
            builder.call(text(piece.get("id")), text(piece.get("name")), piece.get("input"), agent)
        elif piece.get("type") == "tool_result":
            _result(builder, piece, line.get("toolUseResult"))
    if is_side or line.get("isMeta"):
        return
    words = texts(content, "text")
    if line.get("type") == "assistant" and not line.get("isApiErrorMessage"):
        builder.say(words)
    elif line.get("type") == "user":
        _say_as_person(builder, line, words)


def _result(builder: SessionBuilder, piece: dict[str, Any], whole: Any) -> None:
    """Takes what a tool answered: the object that hooks are given, where it stands beside the text that the model was given."""
    answer = texts(piece.get("content"))
    if piece.get("is_error") is True:
        return builder.result(text(piece.get("tool_use_id")), None, answer or "failed")
    builder.result(text(piece.get("tool_use_id")), whole if isinstance(whole, dict) else answer)


def _say_as_person(builder: SessionBuilder, line: dict[str, Any], words: str) -> None:
    if line.get("isCompactSummary") or words.startswith(_EARLIER):
        return builder.compacted(words)
    command = _COMMAND.search(words)
    if command and command[2].strip():
        words = f"{command[1].strip()} {command[2].strip()}"
    if not words.lstrip().startswith(_NO_PROMPT):
        builder.prompt(words, text(line.get("promptId")))
