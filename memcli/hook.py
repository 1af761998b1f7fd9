"""The door for agent harnesses: `mem hook EVENT`, payload on standard input.

A harness reads a failing hook as a veto, so this door ends with 0 whatever happens, after a bounded wait, and says at most one
line on standard error. Every event goes into the letterbox of a store that exists; the start of a session and a prompt are
answered with what is known, all else passes in silence.
"""

from __future__ import annotations

import os
import select
import time

from memcli.cli import output
from memcli.errors import MemError
from memcli.text import json

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from memcli.capture.letterbox import Posted

PATIENCE = 2.0  # seconds without a byte of the payload; a harness sends it at once or not at all
MOST_PATIENCE = 8.0  # seconds for the whole of it
MAX_PAYLOAD = 32 << 20  # bytes of a payload that is taken
FRAME = "<mem-context>\n{}</mem-context>\n"
TAGS = ("mem-context", "hook_context")  # what encloses our text; memories must not end it
BUDGET = {"session-start": 1_500, "user-prompt": 1_000}  # tokens that each may be given
QUESTION = 600  # characters of a prompt that are asked about: its first words say what it is about, what is longer is pasted
GUARD = "MEMPACK_GUARD"  # set for a model that works for mem itself: what its own harness tells us is no news
HELP = """Usage: mem hook EVENT [--harness NAME], with the harness's payload on standard input

Keeps the event for the worker, where the repository has a store. Prints what a new session should know at session-start, and what
is known about the prompt at user-prompt; other events pass in silence. Ends with 0 whatever happens.
Events: session-start, user-prompt, post-tool-use, stop, pre-compact, session-end.
Harnesses: claude, codex, gemini, copilot, cursor, opencode, openclaw, generic; told apart by themselves without --harness."""


def run(words: Sequence[str]) -> int:
    """Handles one event of a harness: EVENT and, after `--harness`, its name. Returns 0."""
    try:
        event, harness = _read(words)
        if "--help" in words or "-h" in words:
            output.show(HELP)
            return 0
        payload = _payload()
        if os.environ.get(GUARD):
            return 0
        os.umask(0o077)
        _handle(event, harness, payload)
    except BrokenPipeError:
        pass  # the harness is gone; what it said is stored
    except BaseException as problem:
        _tell(problem)
    return 0


def _read(words: Sequence[str]) -> tuple[str, str]:
    """Returns the event and the harness that a command line names, empty where it does not."""
    event = harness = ""
    takes = False
    for word in words:
        if takes or word.startswith("--harness="):
            harness, takes = word.removeprefix("--harness="), False
        elif word == "--harness":
            takes = True
        elif not word.startswith("-"):
            event = event or word
    return event, harness


def _handle(event: str, harness: str, payload: dict[str, Any] | str) -> None:
    from memcli.capture import events
    from memcli.harness import wire

    known = events.spelt(event)
    if not known:
        return output.tell(f"mem hook: no event {event[:40]!r}; see mem hook --help")
    event = known
    if harness and harness not in wire.NAMES:
        return output.tell(f"mem hook: no harness {harness[:40]!r}; see mem hook --help")
    if isinstance(payload, str):
        from memcli.capture import log

        return log.write("hook", f"{harness} {event}: {payload}".lstrip())
    from memcli.capture import letterbox

    name = wire.tell(harness, os.environ, payload)
    posted = letterbox.post(name, event, payload)
    try:
        context = answer(name, event, posted) if event in wire.CONTEXT and posted.place else ""
        if text := wire.answer(name, event, context, posted.status, posted.number):
            output.show(text)
        if posted.trouble:
            output.tell(f"mem hook: {posted.trouble}")
    finally:
        if posted.db is not None:
            posted.db.close()
        _wake(posted)


def answer(harness: str, event: str, posted: Posted) -> str:
    """Returns what a session or a prompt should know, marked as ours, within what the harness takes; empty: nothing is known."""
    from memcli.harness.caps import CAPS
    from memcli.project import Where, around, open_for_reading
    from memcli.recall import render

    question = posted.event.body.get("prompt", "") if posted.event else ""
    if posted.place is None or (event == "user-prompt" and not question.strip()):
        return ""
    if posted.db is None:
        project = open_for_reading(Where(posted.place.root))
    else:
        project = around(posted.place, posted.folder, posted.db)
    try:
        size, tokens = CAPS.get(harness, CAPS["claude"])
        most = size - len(FRAME.encode())
        budget = min(BUDGET[event], project.config["budget.total"], (tokens or BUDGET[event] + _FRAMING) - _FRAMING)
        if event == "session-start":
            from memcli.recall import start

            pack = start.start(project, budget, most)
        else:
            from memcli.recall import get

            pack = get.get(project, get.Query(question[:QUESTION], "prompt", budget, max_bytes=most, is_long=True))
    finally:
        project.close()
    known = pack.items or pack.evidence or (event == "session-start" and pack.state_items)
    return FRAME.format(_inert(render.prompt(pack))) if known else ""


_FRAMING = 20  # tokens: more than the frame has


def _inert(text: str) -> str:
    """Returns a text in which nothing can end the frame around it, as long as it was."""
    if "<" not in text:
        return text
    first, *rest = text.split("<")
    return first + "".join([("(" if part.lstrip("/").lower().startswith(TAGS) else "<") + part for part in rest])


def _wake(posted: Posted) -> None:
    """Starts the worker where an event was stored and none runs. That it cannot be started is no matter: the next hook tries."""
    if posted.db is None or posted.config is None or posted.config["capture.worker"] != "auto":
        return
    from memcli.capture.wake import wake

    try:
        wake(posted.folder)
    except OSError:
        pass


def _tell(problem: BaseException) -> None:
    """Says what went wrong in one line, without a word of what anybody wrote; the log keeps it."""
    from memcli.store import failures

    if not isinstance(problem, MemError):
        known = isinstance(problem, OSError) or type(problem).__module__.startswith("apsw")
        problem = failures.explain(problem) if known and isinstance(problem, Exception) else problem
    text = problem.message if isinstance(problem, MemError) else type(problem).__name__
    output.tell(f"mem hook: {' '.join(text.split())[:200]}")
    try:
        from memcli.capture import log

        log.write("hook", text)
    except Exception:
        pass  # not even our own modules can be read


def _payload() -> dict[str, Any] | str:
    """Reads the event's JSON object from standard input. Returns why there is none where something else comes, or nothing."""
    parts: list[bytes] = []
    size = 0
    start = time.monotonic()
    ready = [0]
    try:
        while size <= MAX_PAYLOAD:
            left = min(PATIENCE, start + MOST_PATIENCE - time.monotonic())
            ready, _, _ = select.select([0], [], [], max(0.0, left))
            part = os.read(0, 1 << 20) if ready else b""
            if not part:
                break
            parts.append(part)
            size += len(part)
    except (OSError, ValueError):
        return "standard input is closed or cannot be read"
    try:
        value = json.loads(b"".join(parts).decode("utf-8", "replace").removeprefix("\ufeff"))
    except json.Malformed:
        value = None
    return value if isinstance(value, dict) else _wrong(size, bool(ready), time.monotonic() - start)


def _wrong(size: int, has_ended: bool, seconds: float) -> str:
    """Says in which way what came on standard input is no event, without a word of it."""
    if size > MAX_PAYLOAD:
        return f"the payload is larger than {MAX_PAYLOAD >> 20} MiB"
    if not size:
        return "standard input was empty" if has_ended else f"nothing came on standard input within {seconds:.0f} s"
    return f"{size} bytes that are no JSON object" + ("" if has_ended else f", and no end of them within {seconds:.0f} s")
