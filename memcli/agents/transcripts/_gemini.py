"""Gemini CLI: tmp/PROJECT/chats/session-*.json, one object with all messages, or .jsonl, a message a line that may come again.

PROJECT is a name with the directory in `.project_root` beside it, or the SHA-256 of the directory. In .jsonl a later line of the
same `id` replaces an earlier one, and `$set` and `$rewindTo` change what came before.
"""

from __future__ import annotations

import hashlib
import os
import re
from collections.abc import Sequence
from typing import Any

from memcli.agents.transcripts import _session
from memcli.agents.transcripts._session import PastSession, SessionBuilder, Source, field, objects, text, texts
from memcli.text import bounded

_CONTEXT = ("<session_context", "This is the Gemini CLI. We are setting up the context")
_WORKSPACE = re.compile(r"Workspace Directories:\*\*\s*\n\s*- (\S.*)|working directory(?: is)?:? (/\S+)")
_WRAPPED = ("<untrusted_context>\n", "\n</untrusted_context>")
_LONGEST_PATH = 4096
_roots: dict[str, str] = {}  # directories by their SHA-256


def places(roots: Sequence[str]) -> list[str]:
    """Returns where it keeps its sessions. `roots`: directories whose SHA-256 may stand for them."""
    for root in roots:
        _roots[hashlib.sha256(root.encode("utf-8", "surrogateescape")).hexdigest()] = root
    home = os.environ.get("GEMINI_CLI_HOME") or os.path.expanduser("~")
    return [os.path.join(home, ".gemini", "tmp")]


def sources(top: str) -> list[Source]:
    """Returns the sessions below a directory, or the one in a file."""
    paths = [path for path in _session.below(top, (".json", ".jsonl")) if path == top or _is_chat(path)]
    return [source for path in paths if (source := _session.source((path,)))]


def _is_chat(path: str) -> bool:
    folder, name = os.path.split(path)
    return name.startswith("session-") and os.path.basename(folder) == "chats"


def directories(source: Source) -> set[str]:
    """Returns the directory that a session worked in."""
    root = bounded.read(os.path.join(os.path.dirname(source.paths[0]), "..", ".project_root"), _LONGEST_PATH)
    if root:
        return {root.decode("utf-8", "surrogateescape").strip()}
    messages, head, _ = _messages(source.paths[0])
    cwd = _directory(messages, head)
    return {cwd} if cwd else set()


def _directory(messages: Sequence[dict[str, Any]], head: dict[str, Any]) -> str:
    """Returns the directory of a session as its own text tells it, "" where it does not."""
    if stored := _roots.get(text(head.get("projectHash"))):
        return stored
    for message in messages[:2]:
        if (words := texts(message.get("content"))).lstrip().startswith(_CONTEXT) and (match := _WORKSPACE.search(words)):
            return (match[1] or match[2]).strip()
    return ""


def read(source: Source, repeated: set[str]) -> PastSession:
    """Returns a session."""
    messages, head, malformed = _messages(source.paths[0])
    builder = SessionBuilder("gemini", key=text(head.get("sessionId")))
    builder.key = builder.key or os.path.basename(source.paths[0]).partition(".")[0]
    builder.cwd = next(iter(sorted(directories(source))), "")
    builder.malformed = malformed
    builder.note_time(head.get("startTime"))
    for message in messages:
        builder.note_time(message.get("timestamp"))
        _take(builder, message)
    return builder.finish()


def _take(builder: SessionBuilder, message: dict[str, Any]) -> None:
    words = texts(message.get("content"))
    if message.get("type") == "user" and not words.lstrip().startswith(_CONTEXT):
        builder.prompt(words)
    elif message.get("type") in ("gemini", "model", "assistant"):
        builder.say(words)
        for call in objects(message.get("toolCalls")):
            call_id = text(call.get("id")) or f"{message.get('id')}/{call.get('name')}"
            builder.call(call_id, text(call.get("name")), call.get("args"))
            if call.get("status") not in ("pending", "scheduled", "executing", "awaiting_approval"):
                builder.note_time(call.get("timestamp"))
                builder.result(call_id, *_answer(call))


def _answer(call: dict[str, Any]) -> tuple[Any, str]:
    """Returns (what a call came back with, its error)."""
    response = next((field(part, "functionResponse", "response") for part in objects(call.get("result"))), call.get("result"))
    output = field(response, "output")
    error = text(field(response, "error"))
    if call.get("status") in ("error", "cancelled"):
        error = error or text(output) or text(call.get("resultDisplay")) or text(call.get("status"))
    answer = output if isinstance(output, str) else text(call.get("resultDisplay"))
    return {"llmContent": answer.removeprefix(_WRAPPED[0]).removesuffix(_WRAPPED[1])}, error


def _messages(path: str) -> tuple[list[dict[str, Any]], dict[str, Any], int]:
    """Returns (the messages of a file, what it says of the session, how many lines of it could not be read)."""
    if path.endswith(".json"):
        whole = _session.value_of(path)
        return (objects(whole.get("messages")), whole, 0) if isinstance(whole, dict) else ([], {}, 1)
    head: dict[str, Any] = {}
    messages: dict[str, dict[str, Any]] = {}
    malformed = 0
    for line in _session.lines(path):
        if line is None:
            malformed += 1
        elif isinstance(changes := line.get("$set"), dict):
            head |= changes
            if "messages" in changes:
                messages = {text(message.get("id")): message for message in objects(changes["messages"])}
        elif "$rewindTo" in line:
            _rewind(messages, text(line["$rewindTo"]))
        elif "sessionId" in line:
            head |= line
        elif name := text(line.get("id")):
            messages[name] = {**messages.get(name, {}), **line}
    return list(messages.values()), head, malformed


def _rewind(messages: dict[str, dict[str, Any]], to: str) -> None:
    """Takes out what was said from a message on."""
    if to in messages:
        names = list(messages)
        for name in names[names.index(to) :]:
            del messages[name]
