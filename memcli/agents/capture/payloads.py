"""An event as the queue stores it. For the fields see capture/normalize.py, which writes them."""

from __future__ import annotations

import os
from typing import Any

from memcli.agents.capture.normalize import MAX_TEXT, captured
from memcli.errors import InvalidInput
from memcli.records import Record
from memcli.store.queue import Job
from memcli.text import cuts, json
from memcli.text.signatures import exit_code
from memcli.text.terminal import is_storable

CONTEXT = "context"  # why a prompt holds no text that was only what we told
PRIVATE = "private"  # why a prompt holds no text that was private as a whole
EMPTY = "empty"  # why a prompt holds no text, where it was neither private nor our own context


_PATH_FIELDS = "file_path filePath notebook_path path target_file absolute_path filename file paths files".split()
_TEXTS = ("tool", "prompt", "skipped", "reason", "cwd", "root", "commit", "anchor", "agent", "transcript", "cited", "narration")


class CapturedEvent(Record):
    """What happened in a session. `code`: exit code of a command, None where nobody said; `at` in ms since 1970; `agent`: the
    harness's id of the subagent it happened in, empty for the session's own agent.

    `commit`: what was checked out then, in the working tree `root`; `transcript`: path of the harness's own record; `cited`: the
    ids that a call of our own tools named; `narration`: what the agent said before its reply, where the harness tells; `left`:
    what its to-do list left then, None for not known. `past`: the command of the log that imported it, 0 for none.
    """

    name: str
    tool: str
    input: dict[str, Any]
    result: str
    failed: bool
    code: int | None
    prompt: str
    skipped: str
    reply: str
    reason: str
    cwd: str
    root: str
    commit: str
    at: int
    agent: str = ""
    transcript: str = ""
    interrupted: bool = False
    cited: str = ""
    narration: str = ""
    left: tuple[str, ...] | None = None
    past: int = 0
    anchor: str = ""


def read(job: Job) -> CapturedEvent:
    """Returns the event of a job's payload. Missing fields and those of another type are empty. Raises InvalidInput."""
    try:
        fields = json.loads(job.payload)
        if "\\ud" in job.payload.lower():  # may be half a pair, which no store takes
            fields = json.loads(json.canonical(fields).encode("utf-8", "replace").decode("utf-8"))
    except json.Malformed as problem:
        raise InvalidInput(f"the payload is not JSON: {problem}") from None
    if not isinstance(fields, dict):
        raise InvalidInput("the payload is not a JSON object")
    result = _text(fields, "result")
    code = exit_code(result)
    texts: dict[str, Any] = {name: _text(fields, name) for name in _TEXTS}
    texts |= {name: _words(fields, name) for name in ("prompt", "narration")}
    return CapturedEvent(
        name=job.event,
        input=_object(fields.get("input")),
        result=result,
        failed=bool(fields.get("failed")) or bool(code),
        code=code,
        reply=_words(fields, "reply") or _words(fields, "summary"),
        at=job.created_at,
        interrupted=bool(fields.get("interrupted")),
        left=_left(fields.get("left")),
        past=past if isinstance(past := fields.get("past"), int) else 0,
        **texts,
    )


def _text(fields: dict[str, Any], name: str) -> str:
    value = fields.get(name)
    return value if isinstance(value, str) else ""


def _words(fields: dict[str, Any], name: str) -> str:
    """Returns somebody's words, as much as is stored of them."""
    size = _object(fields.get("sizes")).get(name)
    return cuts.keep_quotations(_text(fields, name), MAX_TEXT, name != "prompt", size if isinstance(size, int) else 0)


def words_of(text: str, is_answer: bool) -> str:
    """Returns the stored part of somebody's words, screened, and cut so that quotations stay quotations."""
    text_kept, size = captured(text)
    return cuts.keep_quotations(text_kept, MAX_TEXT, is_answer, size)


def _left(value: Any) -> tuple[str, ...] | None:
    return tuple([item for item in value if isinstance(item, str)]) if isinstance(value, list) else None


def _object(value: Any) -> dict[str, Any]:
    """Returns a tool's arguments as an object. A bare text counts as the input, a list of words as a command."""
    if isinstance(value, str):
        return {"input": value}
    if isinstance(value, list) and all(isinstance(word, str) for word in value):
        return {"command": value}
    return value if isinstance(value, dict) else {}


def paths(event: CapturedEvent) -> list[str]:
    """Returns the paths among a tool's arguments, as they were given."""
    paths: list[str] = []
    for name in _PATH_FIELDS:
        value = event.input.get(name)
        paths += [path for path in (value if isinstance(value, list) else [value]) if isinstance(path, str) and path]
    return list(dict.fromkeys(paths))[:20]


def relative(path: str, cwd: str, root: str) -> str | None:
    """Returns a path relative to the working tree `root`, None for one outside it or in `.git`.

    Without a working tree it is relative to `cwd` if it is below that, else unchanged.
    """
    if not path or len(path) > 1_000 or not is_storable(path + cwd):
        return None
    if not root:
        return _unrooted(path, cwd)
    top = os.path.realpath(root)
    full = os.path.normpath(os.path.join(cwd or root, os.path.expanduser(path)))
    full = os.path.join(os.path.realpath(os.path.dirname(full)), os.path.basename(full))
    inside = os.path.relpath(full, top)
    if inside == "." or inside.startswith("..") or os.path.isabs(inside) or inside.split(os.sep)[0] == ".git":
        return None
    return inside.replace(os.sep, "/")


def _unrooted(path: str, cwd: str) -> str | None:
    full = os.path.normpath(os.path.join(cwd, path))
    inside = os.path.relpath(full, cwd) if os.path.isabs(cwd) and os.path.isabs(full) else full
    path_from_cwd = full if inside.startswith("..") and os.path.isabs(full) else inside
    is_outside = path_from_cwd == "." or path_from_cwd.startswith("..") or ".git" in path_from_cwd.split(os.sep)
    return None if is_outside else path_from_cwd.replace(os.sep, "/")
