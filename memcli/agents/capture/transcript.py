"""What an agent said while it worked. Hooks get only its last words; the rest is in the harness's own record of the session.

Claude Code and Codex write a JSON object a line, with a `timestamp`; in its `message` or `payload` stand `role` and `content`, a
text or a list of objects of which some have a `text`. Copilot, whose hooks are told nothing of an answer, writes the role as
`type`, `assistant.message`, and the rest as `data`. The end of the file is read, back to the person's last words.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from typing import Any

from memcli.records import Record
from memcli.screening import public
from memcli.text import bounded, dates, json
from memcli.text.terminal import oneline

TAIL = 4 << 20  # bytes at the end of a transcript that are read
LATE = 5_000  # ms by which what belongs to a turn may be written after its end
MOST = 8_000  # characters that are kept, the last
_SHORTEST = 40  # characters of a remark; "Let me look." is none
_SUFFIX = ".jsonl"
_LISTS = ("TodoWrite", "update_plan", "todowrite")  # tools that write the to-do list of a session
_TO_DO = ("pending", "in_progress")
_ITEMS, _ITEM = 10, 160  # of a list that are kept, and characters of one


class TurnTranscript(Record):
    """A turn in a harness's record. `narration`: what the agent said before its answer, `reply`; "" if unknown.

    `left`: the unfinished items of its to-do list at the end, None if it kept no list in this turn.
    """

    narration: str
    reply: str
    left: tuple[str, ...] | None


def read(path: str, until: int, reply: str) -> TurnTranscript:
    """Returns the turn that ended at `until`, in ms since 1970. A prompt of that moment begins another turn.

    `reply`: the answer as the hook was told it; where that is empty it is the last that the agent said. Reads a regular file
    only, whose name ends as those of transcripts do.
    """
    texts: list[str] = []
    to_do: tuple[str, ...] | None = None
    for line in _lines(path):
        role, text, at = _message(line)
        if at is not None and at > until + (LATE if role == "assistant" else 0):
            break
        if (plan := _unfinished(line)) is not None:
            to_do = plan
        if role == "user" and text:
            texts, to_do = [], None
        elif role == "assistant" and text:
            texts.append(text)
    reply = reply or (texts[-1] if texts else "")
    return TurnTranscript(narration(texts, reply), reply, to_do)


def narration(texts: Sequence[str], reply: str) -> str:
    """Returns what an agent said in a turn before its reply, or the end of it if it is long."""
    remarks = [text for text in dict.fromkeys(texts) if len(text) >= _SHORTEST and not _is_part(text, reply)]
    while sum(map(len, remarks)) > MOST:
        remarks.pop(0)
    return "\n\n".join(remarks)


def _unfinished(line: dict[str, Any]) -> tuple[str, ...] | None:
    """Returns the unfinished items if a line writes a to-do list, else None."""
    message = line.get("message", line.get("payload"))
    if line.get("isSidechain") or not isinstance(message, dict):
        return None
    content = message.get("content")
    calls = [message, *[piece for piece in (content if isinstance(content, list) else []) if isinstance(piece, dict)]]
    lists = [
        left for call in calls if (left := unfinished(call.get("name"), call.get("input", call.get("arguments")))) is not None
    ]
    return lists[-1] if lists else None


def unfinished(tool: Any, arguments: Any) -> tuple[str, ...] | None:
    """Returns the unfinished items if a call of a tool writes a to-do list, else None."""
    items = _items(arguments) if tool in _LISTS else None
    if items is None:
        return None
    texts = [oneline(str(item.get("content") or item.get("step") or "")) for item in items if item.get("status") in _TO_DO]
    return tuple([public(text)[:_ITEM].strip() for text in texts if text][:_ITEMS])


def _items(arguments: Any) -> list[dict[str, Any]] | None:
    """Returns the items of a to-do list as Claude Code and Codex write it, or None."""
    if isinstance(arguments, str):
        try:
            arguments = json.loads(arguments)
        except json.Malformed:
            return None
    items = arguments.get("todos", arguments.get("plan")) if isinstance(arguments, dict) else None
    return [item for item in items if isinstance(item, dict)] if isinstance(items, list) else None


def _is_part(text: str, reply: str) -> bool:
    return " ".join(text.split()) in " ".join(reply.split())


def _lines(path: str) -> Iterator[dict[str, Any]]:
    """Yields the objects at the end of a transcript, skipping what cannot be read."""
    if not path.endswith(_SUFFIX) or not os.path.isabs(path):
        return
    try:
        file = bounded.open_regular(path)
    except OSError:
        return
    try:
        size = os.fstat(file).st_size
        os.lseek(file, max(0, size - TAIL), os.SEEK_SET)
        content = bounded.first(file, TAIL)
    except OSError:
        return
    finally:
        os.close(file)
    for line in content.decode("utf-8", "replace").split("\n"):
        try:
            value = json.loads(line)
        except json.Malformed:
            continue
        if isinstance(value, dict):
            yield value


def _message(line: dict[str, Any]) -> tuple[str, str, int | None]:
    """Returns (role, text, moment in ms since 1970) of a line of a transcript; ("", "", None) if it is not a message."""
    if line.get("isSidechain") or line.get("isMeta"):  # of a subagent; of the harness
        return "", "", None
    message = line.get("message", line.get("payload", line.get("data")))
    if not isinstance(message, dict) or message.get("parentToolCallId"):  # of a subagent of Copilot
        return "", "", None
    role = message.get("role", str(line.get("type")).removesuffix(".message"))
    if role not in ("user", "assistant"):
        return "", "", None
    moment = line.get("timestamp")
    try:
        at = dates.parse(moment) if isinstance(moment, str) else None
    except ValueError:
        at = None
    return role, public(_text(message.get("content"))).strip(), at


def _text(content: Any) -> str:
    if isinstance(content, str):
        return content
    pieces = content if isinstance(content, list) else []
    return "\n".join(
        [
            piece["text"]
            for piece in pieces
            if isinstance(piece, dict) and str(piece.get("type")).endswith("text") and isinstance(piece.get("text"), str)
        ]
    )
