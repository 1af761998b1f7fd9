"""The door for agent harnesses: `mem hook EVENT`, payload on standard input.

A harness reads a failing hook as a veto, so this door ends with 0 whatever happens, after a bounded wait, and says at most one
line on standard error. Every event goes into the letterbox of a store that exists; the start of a session and a prompt are
answered with what is new to the session, all else passes in silence.
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

    from memcli.agents.capture.event_queue import Receipt
    from memcli.agents.turns.turn import Plan
    from memcli.project import Project

    Turn = tuple[Project, Plan]

PATIENCE = 2.0  # seconds without a byte of the payload; a harness sends it at once or not at all
MOST_PATIENCE = 8.0  # seconds for the whole of it
MAX_PAYLOAD = 32 << 20  # bytes of a payload that is taken
FRAME = "<mem-context>\n{}</mem-context>\n"
TAGS = ("mem-context", "hook_context")  # what encloses our text; memories must not end it
GUARD = "MEMPACK_GUARD"  # set for a model that works for mem itself: what its own harness tells us is no news
HELP = """\
Usage: mem hook EVENT [--harness NAME], with the harness's payload on standard input

Keeps the event for the worker, where the repository has a store. Prints what a session should know at session-start, and at
user-prompt what is new since or relevant to the prompt, once; other events pass in silence. Ends with 0 whatever happens.
Events: session-start, user-prompt, post-tool-use, stop, pre-compact, session-end.
Harnesses: {}; told apart by themselves without --harness."""


def run(words: Sequence[str]) -> int:
    """Handles one event of a harness: EVENT and, after `--harness`, its name. Returns 0."""
    try:
        event, harness = _read(words)
        if "--help" in words or "-h" in words:
            output.show(help_text())
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


def help_text() -> str:
    """Returns what `mem hook --help` prints."""
    from memcli.agents.adapters import HARNESSES

    return HELP.format(", ".join(HARNESSES))


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
    from memcli.agents.adapters import CONTEXT_EVENTS, HARNESSES, adapter, detect_harness, normalize_event

    known, doubt = normalize_event(event), ""
    if harness and harness not in HARNESSES:
        doubt, harness = f"no harness {harness[:40]!r}, taken as generic; see mem hook --help", "generic"
        _keep(doubt)
    if not known or isinstance(payload, str):
        return _refuse(event, known, harness, payload if isinstance(payload, str) else "")
    from memcli.agents.capture import event_queue

    name = detect_harness(harness, payload)
    posted = event_queue.enqueue(name, known, payload)
    turn = None
    try:
        context, turn = answer(name, known, posted) if known in CONTEXT_EVENTS and posted.place else ("", None)
        if text := adapter(name).answer(known, context, posted.status, posted.number):
            output.show(text)
        if posted.problem or doubt:
            output.tell(f"mem hook: {posted.problem or doubt}")
        _note(name, known, posted, turn)
    finally:
        if turn is not None:
            turn[0].close()
        posted.close()
        _wake(posted)


def _refuse(event: str, known: str, harness: str, wrong: str) -> None:
    """Says in one line, and to a generic harness in its object, why nothing is kept: no such event, or what is wrong with it."""
    from memcli.agents.adapters import adapter

    problem = f"{harness} {known}: {wrong}".lstrip() if known else f"no event {event[:40]!r}; see mem hook --help"
    _keep(problem)
    if text := harness and adapter(harness).answer("", "", "malformed" if known else "unknown_event"):
        output.show(text)
    output.tell(f"mem hook: {problem}")


def _keep(problem: str) -> None:
    from memcli.agents.capture import log

    log.write("hook", problem)


def answer(harness: str, event: str, posted: Receipt) -> tuple[str, Turn | None]:
    """Returns what a session is to be told now, marked as ours, within what the harness takes, and the turn that this makes.

    Empty: nothing is known, or nothing is new. A subagent is told what is relevant to its prompt; nothing of that is noted.
    The caller closes the project of the turn.
    """
    from memcli.agents.turns import turn
    from memcli.project import Where, open_for_reading, read_open_store

    question = posted.event.body.get("prompt", "") if posted.event else ""
    if posted.place is None or posted.event is None or (event == "user-prompt" and not question.strip()):
        return "", None
    if posted.db is None or posted.cache is None or posted.config is None:
        project = open_for_reading(Where(posted.place.root))
    else:
        project = read_open_store(posted.place, posted.folder, posted.db, posted.cache, posted.config)
    try:
        seen = posted.event
        aside = bool(seen.body.get("agent"))
        is_start = event == "session-start"
        ask = turn.Ask(
            seen.session,
            harness,
            "" if is_start else question,
            "prompt",
            anew=is_start,
            cause=seen.dedupe,
            lasts=posted.db is not None and not aside,
            aside=aside,
        )
        made = turn.plan(project, ask)
    except BaseException:
        project.close()
        raise
    return "" if made.is_empty else FRAME.format(_inert(made.text)), (project, made)


def _note(harness: str, event: str, posted: Receipt, made: Turn | None) -> None:
    """Notes what was just printed, or that the session's context goes. Where that cannot be, the same is told again."""
    is_compacted = event == "pre-compact" and posted.event is not None and "summary" not in posted.event.body
    if posted.db is None or (made is None and not is_compacted):
        return
    if posted.event is not None and posted.event.body.get("agent"):
        return  # a subagent's context is not the session's
    from memcli.agents.turns import turn
    from memcli.store import db as store

    try:
        store.end_snapshot(posted.db)  # what was read is of one moment; what is written is of now
        if made is not None:
            turn.record(*made)
        elif posted.event is not None:
            turn.forget(posted.db, harness, posted.event.session)
    except (MemError, store.Error, OSError) as problem:
        from memcli.agents.capture import log

        log.write("hook", f"{harness} {event}: the turn could not be noted: {type(problem).__name__}")


def _inert(text: str) -> str:
    """Returns a text in which nothing can end the frame around it, as long as it was."""
    if "<" not in text:
        return text
    first, *rest = text.split("<")
    return first + "".join([("(" if part.lstrip("/").lower().startswith(TAGS) else "<") + part for part in rest])


def _wake(posted: Receipt) -> None:
    """Starts the worker where an event was stored and none runs. That it cannot be started is no matter: the next hook tries."""
    if posted.db is None or posted.config is None or posted.config["capture.worker"] != "auto":
        return
    from memcli.agents.capture.event_queue import spawn_worker

    try:
        spawn_worker(posted.folder)
    except OSError:
        pass


def _tell(problem: BaseException) -> None:
    """Says what went wrong in one line, without a word of what anybody wrote; the log keeps it."""
    from memcli.store import db as store

    if not isinstance(problem, MemError):
        known = isinstance(problem, OSError) or type(problem).__module__.startswith("apsw")
        problem = store.explain(problem) if known and isinstance(problem, Exception) else problem
    text = problem.message if isinstance(problem, MemError) else type(problem).__name__
    output.tell(f"mem hook: {' '.join(text.split())[:200]}")
    try:
        from memcli.agents.capture import log

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
