"""A session that a client kept on disk, as the events that its hooks would have reported."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Sequence
from typing import Any

from memcli.agents.capture import transcript
from memcli.records import Record
from memcli.text import bounded, dates, json

MOST_BYTES = 1 << 30  # of a transcript that are read
_BLOCK = 1 << 20
_LONGEST_LINE = 64 << 20  # bytes
_CWD = re.compile(rb'"(?:cwd|directory|gitRoot)"\s*:\s*("(?:[^"\\]|\\.){1,4096}")')
_SECONDS = 1 << 37  # a number of seconds since 1970 is smaller, one of milliseconds larger


class PastEvent(Record):
    """What a hook would have been sent at a moment in ms since 1970. `branch`: checked out then, "" where the file does not say.

    `left`: what the to-do list had unfinished at the end of a turn, None where none was kept.
    """

    event: str
    at: int
    payload: dict[str, Any]
    branch: str = ""
    left: tuple[str, ...] | None = None


class PastSession(Record):
    """One session. `key`: what the client calls it; `commit`: what was checked out at its start, where the client noted it.

    `answered`: whether the last turn has its answer; `malformed`: lines, or files of one event, that could not be read.
    """

    harness: str
    key: str
    events: list[PastEvent]
    commit: str = ""
    answered: bool = True
    malformed: int = 0


class Source(Record):
    """Where one session stands: a file, with others that belong to it. `key`: of the session, where the file holds several."""

    paths: tuple[str, ...]
    size: int
    changed: float
    key: str = ""


class SessionBuilder:
    """Takes what a transcript tells, in its order, and makes events of it."""

    def __init__(self, harness: str, cwd: str = "", key: str = "") -> None:
        self.harness = harness
        self.key = key
        self.cwd = cwd
        self.branch = ""
        self.commit = ""
        self.malformed = 0
        self.at = 0
        self.events: list[PastEvent] = []
        self._texts: list[str] = []
        self._left: tuple[str, ...] | None = None
        self._calls: dict[str, tuple[str, Any, str]] = {}
        self._turn = ""
        self._is_open = False
        self._answered = True
        self._last_text_at = 0

    def note_time(self, moment: Any) -> int:
        """Returns a moment as a transcript writes it in ms since 1970; the last one where it writes none."""
        self.at = moment_of(moment) or self.at
        return self.at

    def prompt(self, text: str, turn: str = "") -> None:
        """Takes what the person asked, which ends the turn before it."""
        if not text.strip():
            return
        self.end_turn()
        self._turn, self._is_open, self._answered, self._last_text_at = turn, True, False, self.at
        self._add("user-prompt", {"prompt": text})

    def say(self, text: str) -> None:
        """Takes what the agent said."""
        if text.strip():
            self._texts.append(text.strip())
            self._answered, self._last_text_at = True, self.at

    def call(self, call_id: str, tool: str, arguments: Any, agent: str = "") -> None:
        """Takes a call of a tool, whose result comes later."""
        if call_id and tool:
            self._calls[call_id] = tool, arguments, agent
            if not agent:
                self._answered = False
                to_do = transcript.unfinished(tool, arguments)
                self._left = self._left if to_do is None else to_do

    def result(self, call_id: str, response: Any, error: str = "") -> None:
        """Takes the result of a call; one without a call is passed over."""
        if call_id not in self._calls:
            return
        tool, arguments, agent = self._calls.pop(call_id)
        payload = {"tool_name": tool, "tool_input": arguments, "tool_use_id": call_id, "tool_response": response}
        if error:
            payload |= {"tool_response": None, "error": error}
        if agent:
            payload["agent_id"] = agent
        self._add("post-tool-use", payload)

    def compacted(self, summary: str) -> None:
        """Takes the summary that the client itself made of the session so far."""
        if summary.strip():
            self._add("pre-compact", {"compact_summary": summary, "trigger": "auto"})

    def end_turn(self) -> None:
        """Ends a turn, with an event if the agent said something in it or kept a to-do list."""
        if self._is_open and (self._texts or self._left is not None):
            reply = self._texts[-1] if self._texts else ""
            fields = {"last_assistant_message": reply, "narration": transcript.narration(self._texts, reply)}
            self._add("stop", fields, self._left, min(self._last_text_at, self.at))
        self._texts, self._left, self._is_open = [], None, False

    def finish(self) -> PastSession:
        """Returns the session."""
        self.end_turn()
        events = sorted(self.events, key=lambda event: event.at)
        return PastSession(self.harness, self.key, events, self.commit, self._answered, self.malformed)

    def _add(self, event: str, fields: dict[str, Any], left: tuple[str, ...] | None = None, at: int = 0) -> None:
        payload = {"session_id": self.key, "cwd": self.cwd, "turn_id": self._turn, **fields}
        moment = max(at or self.at, self.events[-1].at if self.events and event == "stop" else 0)
        self.events.append(PastEvent(event, moment, payload, self.branch, left))


def moment_of(value: Any) -> int:
    """Returns a moment in ms since 1970, of a text or of a number of seconds or milliseconds; 0 for none."""
    if isinstance(value, (int, float)) and not isinstance(value, bool):
        return int(value if value > _SECONDS else value * 1000) if 0 < value < 1 << 50 else 0
    try:
        return dates.parse(value) if isinstance(value, str) and value else 0
    except ValueError:
        return 0


def field(value: Any, *names: str) -> Any:
    """Returns what stands below some names in objects within objects, None where one of them is missing."""
    for name in names:
        value = value.get(name) if isinstance(value, dict) else None
    return value


def text(value: Any) -> str:
    """Returns a value that is text, "" for any other."""
    return value if isinstance(value, str) else ""


def objects(value: Any) -> list[dict[str, Any]]:
    """Returns the objects in a list, none for anything else."""
    return [item for item in value if isinstance(item, dict)] if isinstance(value, list) else []


def texts(content: Any, *kinds: str) -> str:
    """Returns the text of a message: a text itself, or the texts of a list of objects. `kinds`: their types, if not all count."""
    if isinstance(content, str):
        return content
    pieces = [piece for piece in objects(content) if not kinds or piece.get("type") in kinds]
    return "\n".join([text(piece.get("text")) for piece in pieces if text(piece.get("text"))])


def lines(path: str) -> Iterator[dict[str, Any] | None]:
    """Yields the objects in a file of one a line, None for a line that holds none, such as one that is half written."""
    for line in _raw_lines(path):
        if not line.strip():
            continue
        try:
            value = json.loads(line.decode("utf-8", "replace"))
        except json.Malformed:
            value = None
        yield value if isinstance(value, dict) else None


def _raw_lines(path: str) -> Iterator[bytes]:
    try:
        file = bounded.open_regular(path)
    except OSError:
        return
    with open(file, "rb", buffering=_BLOCK) as reader:
        budget = MOST_BYTES
        while budget > 0 and (line := _line(reader)):
            budget -= len(line)
            yield line


def _line(reader: Any) -> bytes:
    """Returns the next line; in place of one that is too long to be used, a text that is no object."""
    try:
        line: bytes = reader.readline(_LONGEST_LINE)
        while line and not line.endswith(b"\n") and (tail := reader.readline(_LONGEST_LINE)):
            line = b"{" + tail[-1:]
    except OSError:
        return b""
    return line


def value_of(path: str) -> Any:
    """Returns the JSON value in a file, None where it is none."""
    content = bounded.read(path, MOST_BYTES)
    try:
        return None if content is None else json.loads(content.decode("utf-8", "replace"))
    except json.Malformed:
        return None


def directories(paths: Sequence[str]) -> set[str]:
    """Returns the directories that files name as those that a session worked in, without reading what else is in them."""
    names: set[str] = set()
    for path in paths:
        for line in _raw_lines(path):
            for quoted in _CWD.findall(line):
                try:
                    names.add(json.loads(quoted.decode("utf-8", "replace")))
                except json.Malformed:
                    continue
    return names


def source(paths: Sequence[str], key: str = "") -> Source | None:
    """Returns some files as the source of one session, None where the first is missing."""
    try:
        status = os.stat(paths[0])
    except (OSError, ValueError, IndexError):
        return None
    return Source(tuple(paths), status.st_size, status.st_mtime, key)


def below(top: str, suffixes: tuple[str, ...]) -> list[str]:
    """Returns the files below a directory that end so, in the order of their paths; of a file, the file itself."""
    if os.path.isfile(top):
        return [top]
    paths = []
    for folder, folders, names in os.walk(top):
        folders.sort()
        paths += [os.path.join(folder, name) for name in sorted(names) if name.endswith(suffixes)]
    return paths
