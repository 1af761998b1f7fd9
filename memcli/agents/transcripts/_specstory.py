"""SpecStory: a Markdown file a session in .specstory/history, of whichever client; a comment names the client and the session.

What is said stands below `_**User (TIME)**_` and `_**Agent (MODEL TIME)**_`, a call of a tool in a `<tool-use>` block, in early
files below a line `Tool use: **NAME**`.
"""

from __future__ import annotations

import html
import os
import re
from collections.abc import Iterator, Sequence
from typing import Any

from memcli.agents.transcripts import _session
from memcli.agents.transcripts._session import MOST_BYTES, PastSession, SessionBuilder, Source
from memcli.text import bounded

_FOLDER = os.path.join(".specstory", "history")
_HARNESSES = ("claude", "codex", "gemini", "copilot", "opencode", "cursor")
# Whatever the text, each of these reads a character a few times at most.
_SESSION = re.compile(r"<!-- *(\w+)\b[^<>]*? Session ([^\s()<>]+)(?: \(([^()<>]*)\))? *-->")
_TURN = re.compile(r"_\*\*(User|Agent|Assistant)(?: \(([^()]*)\))?\*\*_\s*$")
_TIME = re.compile(r"(\d{4}-\d\d-\d\d)[ T_](\d\d)[:-](\d\d)(?:[:-](\d\d))?")
_BLOCK = re.compile(r'<tool-use\b(?:[^<>]*?data-tool-type="([^"<>]*)")?(?:[^<>]*?data-tool-name="([^"<>]*)")?[^<>]*>')
_BARE = re.compile(r"^Tool use: \*\*([\w.-]+)\*\*", re.M)
_THOUGHT = "<think>", "</think>"
_FENCE = re.compile(r"```([\w+-]*)[ \t]*$")
_INLINE = re.compile(r"(?:^|[ >])`([^`\n]+)`\s*(?:</summary>)?$", re.M)
_PATH = re.compile(
    r"(?:Edit|Read|Write|Create|Delete) file: ([^\n<]+)|^Path: `([^`\n]+)`|The file (\S+) has been (?:updated|created)|"
    r"created successfully at: (\S+)",
    re.M,
)
_TO_DO = re.compile(r"^- \[(.)\] (.+)$", re.M)
_DONE = {"x": "completed", "X": "completed", " ": "pending"}
_SHELLS = ("bash", "sh", "shell", "zsh", "console")


def places(roots: Sequence[str]) -> list[str]:
    """Returns where it keeps the sessions of some working trees."""
    return [os.path.join(root, _FOLDER) for root in roots]


def sources(top: str) -> list[Source]:
    """Returns the sessions below a directory, or the one in a file."""
    return [source for path in _session.below(top, (".md",)) if (source := _session.source((path,)))]


def directories(source: Source) -> set[str]:
    """Returns the directory of a session: the one that holds its `.specstory`."""
    folder = os.path.dirname(os.path.abspath(source.paths[0]))
    return {folder.removesuffix(_FOLDER).rstrip(os.sep) or os.sep} if folder.endswith(_FOLDER) else set()


def read(source: Source, repeated: set[str]) -> PastSession:
    """Returns a session."""
    path = source.paths[0]
    content = (bounded.read(path, MOST_BYTES) or b"").decode("utf-8", "replace").replace("\r\n", "\n")
    match = _SESSION.search(content)
    client = match[1].lower() if match else ""
    harness = client if client in _HARNESSES else "generic"
    cwd = next(iter(directories(source)), "")
    builder = SessionBuilder(harness, cwd, match[2] if match else os.path.basename(path).removesuffix(".md"))
    builder.at = _time((match[3] or "") if match else "") or _time(content[:200]) or _time(os.path.basename(path))
    builder.at = builder.at or int(source.changed * 1000)
    turns = list(_turns(content))
    builder.malformed = 0 if turns else 1
    for number, (who, moment, body) in enumerate(turns):
        builder.at = max(builder.at, _time(moment))
        if who == "User":
            builder.prompt(_without_thoughts(body).strip(" \n-"))
        else:
            _answer(builder, body, f"{builder.key}/{number}")
    return builder.finish()


def _time(text: str) -> int:
    """Returns the first moment in a text in ms since 1970, 0 for none. SpecStory writes UTC."""
    match = _TIME.search(text)
    return _session.moment_of(f"{match[1]}T{match[2]}:{match[3]}:{match[4] or '00'}Z") if match else 0


def _turns(content: str) -> Iterator[tuple[str, str, str]]:
    """Yields (who, when as it is written, what) of each part that somebody said; what looks like one in a fence is none."""
    who, when, lines, is_fenced = "", "", list[str](), False
    for line in content.split("\n"):
        heading = None if is_fenced else _TURN.match(line)
        if heading:
            if who:
                yield who, when, "\n".join(lines)
            who, when, lines = heading[1], heading[2] or "", []
            continue
        if line.startswith("```"):
            is_fenced = not is_fenced or line.strip() != "```"
        elif line.startswith(("</details></tool-use>", "</tool-use>")):
            is_fenced = False
        lines.append(line)
    if who:
        yield who, when, "\n".join(lines)


def _answer(builder: SessionBuilder, body: str, name: str) -> None:
    """Takes what an agent said and did: prose and calls in their order."""
    body = _without_thoughts(body)
    for number, (kind, tool, text) in enumerate(_parts(body)):
        if not tool:
            builder.say(text.strip(" \n-"))
            continue
        call_id = f"{name}/{number}"
        arguments, result = _call(kind, html.unescape(text))
        builder.call(call_id, tool, arguments)
        builder.result(call_id, result)


def _parts(body: str) -> Iterator[tuple[str, str, str]]:
    """Yields (kind, tool, text) of each part; the tool of prose is ""."""
    at = 0
    while block := _BLOCK.search(body, at):
        yield from _bare_parts(body[at : block.start()])
        end = body.find("</tool-use>", block.end())
        yield block[1] or "", block[2] or "tool", body[block.end() : end if end >= 0 else len(body)]
        at = end + len("</tool-use>") if end >= 0 else len(body)
    yield from _bare_parts(body[at:])


def _without_thoughts(body: str) -> str:
    """Returns a text without what is between the tags of thoughts."""
    opening, closing = _THOUGHT
    pieces, at = [], 0
    while (start := body.find(opening, at)) >= 0 and (end := body.find(closing, start)) >= 0:
        pieces.append(body[at:start])
        at = end + len(closing)
    return "".join([*pieces, body[at:]])


def _bare_parts(body: str) -> Iterator[tuple[str, str, str]]:
    for section in re.split(r"^---$", body, flags=re.M):
        bare = _BARE.match(section.strip())
        if bare:
            yield "", bare[1], section
        elif section.strip():
            yield "", "", section


def _call(kind: str, text: str) -> tuple[dict[str, Any], str]:
    """Returns (the arguments of a call, what it came back with), as far as the Markdown tells them."""
    fences = list(_fences(text))
    path = next((name.strip() for mark in _PATH.findall(text) for name in mark if name), "")
    inline = _INLINE.search(text)
    results = [content for language, content in fences if language in ("", "text")]
    result = results[-1] if results else ""
    if items := _TO_DO.findall(text) if kind == "task" else []:
        return {"todos": [{"content": name, "status": _DONE.get(mark, "in_progress")} for mark, name in items]}, result
    scripts = [content for language, content in fences if language in _SHELLS]
    if kind == "shell" or (not kind and scripts and not path):
        command = scripts[0] if scripts else inline[1] if inline else ""
        return ({"command": command} if command else {}), result
    path = path or (inline[1] if inline else "")
    arguments: dict[str, Any] = {"file_path": path} if path else {}
    changes = next((content for language, content in fences if language == "diff"), "")
    if changes:
        arguments |= {"old_string": _side(changes, "-"), "new_string": _side(changes, "+")}
    elif kind == "write" and fences and fences[0][0] not in ("", "text"):
        arguments["content"] = fences[0][1]
    return arguments, result


def _fences(text: str) -> Iterator[tuple[str, str]]:
    """Yields (language, code) of each block of code that is closed."""
    language, code = None, list[str]()
    for line in text.split("\n"):
        if language is None:
            if mark := _FENCE.match(line):
                language, code = mark[1].lower(), []
        elif line.rstrip(" \t") == "```":
            yield language, "\n".join(code).rstrip("\n")
            language = None
        else:
            code.append(line)


def _side(changes: str, sign: str) -> str:
    """Returns the lines that a diff takes out or brings in."""
    return "\n".join([line[1:] for line in changes.split("\n") if line.startswith(sign)])
