"""Codex: one object a line in sessions/YEAR/MONTH/DAY/rollout-TIME-ID.jsonl. A subagent has a file of its own.

What a person said stands among messages that Codex itself wrote in the person's name; only its own events tell them apart, as
`user_message` or as an item `UserMessage`. The first versions wrote the messages alone.
"""

from __future__ import annotations

import os
import re
from collections.abc import Sequence
from typing import Any

from memcli.agents.transcripts import _session
from memcli.agents.transcripts._session import PastSession, SessionBuilder, Source, field, text, texts
from memcli.text import json

_CALLS = ("function_call", "custom_tool_call", "local_shell_call")
_RESULTS = ("function_call_output", "custom_tool_call_output", "local_shell_call_output")
_OWN_WORDS = ("<", "# AGENTS.md instructions", "# Context from my IDE")  # what Codex itself says in the person's name
_ENDED = re.compile(r"^(?:Process exited with code|Exit code:) (-?\d{1,5})$", re.M)
_OUTPUT = "\nOutput:\n"
_HEAD = 400  # characters in which the lines about a command stand before its output


def places(roots: Sequence[str]) -> list[str]:
    """Returns where it keeps its sessions."""
    home = os.environ.get("CODEX_HOME") or os.path.expanduser("~/.codex")
    return [os.path.join(home, "sessions"), os.path.join(home, "archived_sessions")]


def sources(top: str) -> list[Source]:
    """Returns the sessions below a directory, or the one in a file; each with the files of its subagents."""
    groups: dict[str, list[tuple[bool, str]]] = {}
    for path in _session.below(top, (".jsonl",)):
        session, own = _session_and_thread(path)
        groups.setdefault(session or path, []).append((own != session, path))
    listed = [_session.source([path for _, path in sorted(files)]) for files in groups.values()]
    return [source for source in listed if source]


def _session_and_thread(path: str) -> tuple[str, str]:
    """Returns (the session, the thread of it) that a file holds."""
    head = next(iter(_session.lines(path)), None) or {}
    meta = head.get("payload") if head.get("type") == "session_meta" else head
    own = text(field(meta, "id"))
    return text(field(meta, "session_id")) or own, own


def directories(source: Source) -> set[str]:
    """Returns the directories that a session worked in."""
    return _session.directories(source.paths[:1])


def read(source: Source, repeated: set[str]) -> PastSession:
    """Returns a session."""
    session, _ = _session_and_thread(source.paths[0])
    builder = SessionBuilder("codex", key=session or os.path.basename(source.paths[0]).removesuffix(".jsonl"))
    for path in source.paths:
        _, own = _session_and_thread(path)
        builder.end_turn()
        _Rollout(builder, own if own != session else "").take(path)
    return builder.finish()


class _Rollout:
    """One file. `agent`: of a subagent, "" for the session itself."""

    def __init__(self, builder: SessionBuilder, agent: str) -> None:
        self.builder = builder
        self.agent = agent
        self.prompt_kind = ""  # of the events that have what the person asked

    def take(self, path: str) -> None:
        self.prompt_kind = _prompt_kind(path)
        for line in _session.lines(path):
            if line is None:
                self.builder.malformed += 1
                continue
            self.builder.note_time(line.get("timestamp"))
            payload = line.get("payload")
            if isinstance(payload, dict):
                self._take(text(line.get("type")), payload)
            elif "role" in line or line.get("type") in (*_CALLS, *_RESULTS):  # as the first versions wrote it
                self._item(line)
            elif "git" in line:
                self._meta(line)

    def _take(self, kind: str, payload: dict[str, Any]) -> None:
        if kind == "session_meta":
            self._meta(payload)
        elif kind == "turn_context":
            self.builder.cwd = text(payload.get("cwd")) or self.builder.cwd
        elif kind == "response_item":
            self._item(payload)
        elif kind == "compacted" and not self.agent:
            self.builder.compacted(text(payload.get("message")))
        elif kind == "event_msg" and not self.agent:
            words = _prompt_text(payload)
            if words and _kind_of(payload) == self.prompt_kind:
                self.builder.prompt(words, text(payload.get("turn_id")))

    def _meta(self, meta: dict[str, Any]) -> None:
        self.builder.cwd = text(meta.get("cwd")) or self.builder.cwd
        self.builder.branch = text(field(meta, "git", "branch")) or self.builder.branch
        self.builder.commit = self.builder.commit or text(field(meta, "git", "commit_hash"))

    def _item(self, item: dict[str, Any]) -> None:
        kind, call_id = item.get("type"), text(item.get("call_id")) or text(item.get("id"))
        if kind in _CALLS:
            self.builder.call(call_id, text(item.get("name")) or "local_shell", _arguments(item), self.agent)
        elif kind in _RESULTS:
            response, error = _answer(item.get("output"))
            self.builder.result(call_id, response, error)
        elif item.get("role") == "assistant" and not self.agent:
            self.builder.say(texts(item.get("content")))
        elif item.get("role") == "user" and not self.agent and self.prompt_kind == "":
            words = texts(item.get("content"))
            if not words.lstrip().startswith(_OWN_WORDS):
                self.builder.prompt(words)


def _prompt_kind(path: str) -> str:
    """Returns the kind of event by which a file tells what the person said, or ""."""
    events = [line["payload"] for line in _session.lines(path) if line and line.get("type") == "event_msg" and "payload" in line]
    kinds = {_kind_of(event) for event in events if isinstance(event, dict) and _prompt_text(event)}
    return next((kind for kind in ("user_message", "UserMessage") if kind in kinds), "")


def _kind_of(payload: dict[str, Any]) -> str:
    return text(field(payload, "item", "type")) or text(payload.get("type"))


def _prompt_text(payload: dict[str, Any]) -> str:
    """Returns what an event says that the person said, "" where it says nothing of it."""
    if payload.get("type") == "user_message":
        return text(payload.get("message"))
    is_item = payload.get("type") == "item_completed" and field(payload, "item", "type") == "UserMessage"
    return texts(field(payload, "item", "content")) if is_item else ""


def _arguments(item: dict[str, Any]) -> Any:
    """Returns the arguments of a call, under the names that hooks have for them."""
    arguments = item.get("arguments", item.get("input", item.get("action")))
    if isinstance(arguments, str) and item.get("type") == "function_call":
        try:
            arguments = json.loads(arguments)
        except json.Malformed:
            return arguments
    if isinstance(arguments, dict) and "cmd" in arguments and "command" not in arguments:
        arguments = {**arguments, "command": arguments["cmd"]}
    return arguments


def _answer(output: Any) -> tuple[Any, str]:
    """Returns (what a call came back with, its error), without what Codex tells the model about the run."""
    code = None
    if isinstance(output, str) and output.startswith('{"output"'):
        try:
            output = json.loads(output)
        except json.Malformed:
            pass
    if isinstance(output, dict):
        code = field(output, "metadata", "exit_code")
        output = output.get("output", output.get("content"))
    answer = output if isinstance(output, str) else texts(output)
    if mark := _ENDED.search(answer[:_HEAD]):
        code = int(mark[1])
    head, split, _ = answer[: _HEAD + len(_OUTPUT)].partition(_OUTPUT)
    if split and ("Wall time" in head or mark):
        answer = answer[len(head) + len(_OUTPUT) :]
    if answer.startswith(("unsupported call", "failed to parse")):
        return None, answer
    return ({"stdout": answer, "exit_code": code} if isinstance(code, int) else answer), ""
