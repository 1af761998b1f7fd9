"""The entry point for agent harnesses: `mem hook EVENT`, payload on standard input.

A harness reads a failing hook as a veto, so this one exits with 0 whatever happens, after a bounded wait, and prints at most one
line on standard error. Every event goes into the queue of a store that exists; the start of a session and a prompt are answered
with what is new to the session, everything else passes in silence.
"""

from __future__ import annotations

import os
import time

from memcli import repo, system
from memcli.cli import output
from memcli.errors import MemError
from memcli.text import json

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from memcli.agents.capture.event_queue import Receipt
    from memcli.agents.turns.turn import TurnPlan
    from memcli.project import Project
    from memcli.store import Connection

    PlannedTurn = tuple[Project, TurnPlan]

PATIENCE = 2.0  # seconds without a byte of the payload; a harness sends it at once or not at all
MOST_PATIENCE = 8.0  # seconds for the whole of it
GIT_PATIENCE = 4.0  # seconds for all runs of git of one event: what git does not tell by then is told as unknown
MAX_PAYLOAD = 32 << 20  # bytes
MAX_PARTS = 300_000  # names, arrays and objects: a million take the time that a harness gives a hook
_CATCH_UP = 1.5  # seconds that a start waits until what happened to the repository since is read
_LOOK_AGAIN = 0.02  # seconds
_EDITS = 100  # that a start looks after, the last
_END = 1_000  # characters of a tool's output that are looked at first
_ERROR_WORDS = (
    "error",
    "not found",
    "no module",
    "cannot find",
    "not recognized",
    "no such",
    "fatal",
    "denied",
    "refused",
    "exit code",
)
GUARD = "MEMPACK_GUARD"  # set for a model that works for mem itself: the events of its own harness are not recorded


def run(words: Sequence[str]) -> int:
    """Handles one event of a harness: EVENT and, after `--harness`, its name. Returns 0."""
    try:
        event, harness = _parse(words)
        if "--help" in words or "-h" in words:
            from memcli.cli import hook_help

            output.show(hook_help.text())
            return 0
        payload = _read_payload()
        if os.environ.get(GUARD):
            return 0
        system.keep_private()
        before = repo.limit(GIT_PATIENCE)
        try:
            _handle(event, harness, payload)
        finally:
            repo.deadline = before
    except BrokenPipeError:
        pass  # the harness is gone; its event is stored
    except BaseException as problem:
        _report(problem)
    return 0


def _parse(words: Sequence[str]) -> tuple[str, str]:
    """Returns the event and the harness that a command line names, or ""."""
    event = harness = ""
    is_value = False
    for word in words:
        if is_value or word.startswith("--harness="):
            harness, is_value = word.removeprefix("--harness="), False
        elif word == "--harness":
            is_value = True
        elif not word.startswith("-"):
            event = event or word
    return event, harness


def _handle(word: str, flag: str, payload: dict[str, Any] | str) -> None:
    """Queues an event, answers it, and starts the worker. `word`: the event as the command line spells it."""
    from memcli.agents.adapters import CALL_EVENTS, HARNESSES, adapter, detect_harness, normalize_event

    event, warning = normalize_event(word), ""
    if flag and flag not in HARNESSES:
        warning, flag = f"no harness {flag[:40]!r}, taken as generic; see mem hook --help", "generic"
        _log(warning)
    if not event:
        problem = f"no event {word[:40]!r}" if word else "no event is given"
        return _refuse(flag, "unknown_event", f"{problem}; to connect an agent: mem setup; see mem hook --help", "no such event")
    if isinstance(payload, str):
        return _refuse(flag, "malformed", f"{flag} {event}: {payload}".lstrip())
    from memcli.agents.capture import event_queue

    harness = adapter(detect_harness(flag, payload))
    payload = harness.payload(event, payload)
    if event == "pre-tool-use":
        return _before_call(harness.name, event, payload)
    receipt = event_queue.enqueue(harness.name, event, payload)
    planned = None
    try:
        # A turn is printed before it is recorded: one that could not be printed is told again.
        context, planned = _answer(receipt) if event in harness.context_events else ("", None)
        text = harness.answer(event, context, receipt.status, receipt.number)
        if text := text or (_save_request(receipt, payload) if event == "stop" else ""):
            output.show(text)
        if receipt.problem or warning:
            output.tell(f"mem hook: {receipt.problem or warning}")
        _record(harness.name, event, receipt, planned)
        if event in CALL_EVENTS:
            _hint(harness.name, _hook_name(event, payload), receipt)
    finally:
        if planned is not None:
            planned[0].close()
        receipt.close()
        _start_worker(receipt)


def _save_request(receipt: Receipt, payload: dict[str, Any]) -> str:
    """Returns the output that asks a stopping agent to save what it learned, if the person wants that; once per session."""
    if receipt.config is None or receipt.config["capture.ask"] == "off":
        return ""
    if receipt.db is None or receipt.event is None or receipt.location is None:
        return ""
    from memcli.agents.turns import asking

    return asking.request(receipt.db, receipt.config, receipt.event, payload, receipt.location.root)


def _before_call(harness: str, event: str, payload: dict[str, Any]) -> None:
    """Answers a call that is about to be made with a hint, or with a refusal if the person forbids it."""
    from memcli.agents.adapters import adapter
    from memcli.agents.capture import event_queue

    receipt = event_queue.receive(harness, event, payload)
    try:
        if not _hint(harness, _hook_name(event, payload), receipt) and (
            text := adapter(harness).answer(event, "", receipt.status)
        ):
            output.show(text)
    finally:
        receipt.close()


def _hook_name(event: str, payload: dict[str, Any]) -> str:
    """Returns a harness's name for the event of a tool call."""
    name = payload.get("hook_event_name")
    return name if isinstance(name, str) and name else "PreToolUse" if event == "pre-tool-use" else "PostToolUse"


def _hint(harness: str, hook: str, receipt: Receipt) -> bool:
    """Prints what helps with a tool call, once per session, and records that. Returns whether there was anything."""
    from memcli.agents.adapters import adapter

    if receipt.db is None or receipt.cache is None or receipt.event is None or receipt.config is None or receipt.location is None:
        return False
    if receipt.event.event == "post-tool-use" and not _may_have_failed(receipt.event.body):
        return False
    from memcli.agents.turns import hints

    hint = hints.of_call(receipt.location, receipt.folder, receipt.db, receipt.cache, receipt.config, receipt.event)
    taker = adapter(harness)
    text = "" if hint is None else taker.refusal(hook, hint.text) if hint.blocks else taker.hint(hook, hint.text)
    if hint is not None and text:
        output.show(text)
        hints.note(receipt.db, receipt.event, hint)
    return bool(text)


def _may_have_failed(body: dict[str, Any]) -> bool:
    """Tells whether the output of a call may mention an error: a first look, so that most calls load nothing more."""
    end = body.get("result", "")[-_END:].lower()
    return "failed" in body or any(word in end for word in _ERROR_WORDS)


def _refuse(harness: str, status: str, problem: str, logged: str = "") -> None:
    """Says why nothing is stored, in one line, or for a generic harness in its object. `logged`: without what was sent."""
    from memcli.agents.adapters import adapter

    _log(logged or problem)
    if text := harness and adapter(harness).answer("", "", status):
        output.show(text)
    output.tell(f"mem hook: {problem}")


def _log(problem: str) -> None:
    from memcli import logs

    logs.write("hook", problem)


def _answer(receipt: Receipt) -> tuple[str, PlannedTurn | None]:
    """Returns what to tell a session now, in our frame and within the harness's limits, and the turn for it.

    Empty: nothing is known, or nothing is new. A subagent is told what is relevant to its prompt; nothing of that is recorded.
    The caller closes the project of the turn.
    """
    from memcli import store
    from memcli.agents.turns import turn
    from memcli.project import Where, open_for_reading, read_open_store
    from memcli.records import replace

    queued = receipt.event
    request = turn.request_of(queued) if queued else None
    if receipt.location is None or queued is None or request is None:
        return "", None
    if receipt.db is None or receipt.cache is None or receipt.config is None:
        try:
            project = open_for_reading(Where(receipt.location.root))
        except (MemError, store.Error):
            if not receipt.problem:
                raise
            return "", None  # the problem that the receipt names
    else:
        if queued.event == "session-start":
            _catch_up(receipt)
        project = read_open_store(receipt.location, receipt.folder, receipt.db, receipt.cache, receipt.config)
    try:
        is_subagent = bool(queued.body.get("agent"))
        is_recordable = receipt.db is not None and not is_subagent
        planned = turn.plan(project, replace(request, is_recordable=is_recordable, is_subagent=is_subagent))
    except BaseException:
        project.close()
        raise
    return "" if planned.is_empty else turn.framed(planned.text), (project, planned)


def _record(harness: str, event: str, receipt: Receipt, planned: PlannedTurn | None) -> None:
    """Records what was just printed, or that the session's context was compacted. If that fails, the same is told again."""
    queued = receipt.event
    is_compacted = event == "pre-compact" and queued is not None and _is_compaction(harness, queued.body)
    if receipt.db is None or queued is None or (planned is None and not is_compacted):
        return
    if queued.body.get("agent"):
        return  # a subagent's context is not the session's
    from memcli import store
    from memcli.agents.turns import turn

    try:
        store.end_snapshot(receipt.db)  # what was read is of one moment; what is written is of now
        if planned is not None:
            turn.record(*planned)
        else:
            turn.forget(receipt.db, harness, queued.session)
    except (MemError, store.Error, OSError) as problem:
        _log(f"{harness} {event}: the turn could not be recorded: {type(problem).__name__}")


def _is_compaction(harness: str, body: dict[str, Any]) -> bool:
    """Tells whether a pre-compact event takes the context from a session; a summary comes after the new start, which told all."""
    from memcli.agents.adapters import adapter

    triggers = adapter(harness).compaction_triggers
    return "summary" not in body and (triggers is None or body.get("trigger") in triggers)


def _catch_up(receipt: Receipt) -> None:
    """Waits until the worker has read what happened since the last session, so that a start tells nothing that was reverted."""
    if receipt.db is None or receipt.config is None or receipt.location is None or receipt.location.checkout is None:
        return
    from memcli.store import inbox, meta

    before, commit = meta(receipt.db, inbox.READ_COMMIT), receipt.location.checkout.commit
    if receipt.config["capture.worker"] != "auto" or not before or not commit:
        return
    if before == commit and not _may_be_discarded(receipt.db, receipt.location.root, commit):
        return
    _start_worker(receipt)
    deadline = time.monotonic() + _CATCH_UP
    while inbox.waiting(receipt.db) and time.monotonic() < deadline:
        time.sleep(_LOOK_AGAIN)


def _may_be_discarded(db: Connection, root: str, commit: str) -> bool:
    """Tells whether a file that a session edited on a commit has changed since the worker last examined it."""
    from memcli.repo import worktree
    from memcli.repo.head import storable_name
    from memcli.store import authorship, inbox, meta

    moment, _, tree = (meta(db, inbox.LOOKED_AT) or "").partition(" ")
    paths = {edit.path for edit in authorship.edits_at(db, commit, _EDITS)}
    return bool(paths) and (tree != storable_name(root) or worktree.has_changed_since(root, paths, int(moment)))


def _start_worker(receipt: Receipt) -> None:
    """Starts the worker if an event was stored and none runs. If that fails, the next hook tries again."""
    if receipt.db is None or receipt.config is None or receipt.config["capture.worker"] != "auto":
        return
    from memcli.agents.capture.event_queue import spawn_worker

    try:
        spawn_worker(receipt.folder)
    except OSError as problem:
        _log(f"no worker was started, events wait in the queue: {problem}")


def _report(problem: BaseException) -> None:
    """Prints a problem in one line, without any user's text, and logs it."""
    from memcli import store

    if not isinstance(problem, MemError):
        is_explained = isinstance(problem, OSError) or type(problem).__module__.startswith("apsw")
        problem = store.explain(problem) if is_explained and isinstance(problem, Exception) else problem
    text = problem.message if isinstance(problem, MemError) else type(problem).__name__
    output.tell(f"mem hook: {' '.join(text.split())[:200]}")
    try:
        _log(text)
    except Exception:
        pass  # not even our own modules can be read


def _read_payload() -> dict[str, Any] | str:
    """Reads the event's JSON object from standard input. Returns what is wrong instead, for anything else."""
    chunks: list[bytes] = []
    size = 0
    start = time.monotonic()
    is_ready = True
    try:
        while size <= MAX_PAYLOAD:
            timeout = min(PATIENCE, start + MOST_PATIENCE - time.monotonic())
            is_ready = system.wait_readable(0, timeout)
            chunk = os.read(0, 1 << 20) if is_ready else b""
            if not chunk:
                break
            chunks.append(chunk)
            size += len(chunk)
    except (OSError, ValueError):
        return "standard input is closed or cannot be read"
    text = b"".join(chunks)
    if size > MAX_PAYLOAD:
        return f"the payload is larger than {MAX_PAYLOAD >> 20} MiB"
    if json.has_more_parts(text, MAX_PARTS):
        return f"the payload has more than {MAX_PARTS:,} names, arrays and objects"
    try:
        value = json.loads(text.decode("utf-8", "replace").removeprefix("\ufeff"))
    except json.Malformed:
        value = None
    return value if isinstance(value, dict) else _describe_payload(size, is_ready, time.monotonic() - start)


def _describe_payload(size: int, has_ended: bool, seconds: float) -> str:
    """Returns why the bytes on standard input are not an event, without quoting them."""
    if not size:
        return "standard input was empty" if has_ended else f"nothing came on standard input within {seconds:.0f} s"
    return f"{size} bytes that are no JSON object" + ("" if has_ended else f", and no end of them within {seconds:.0f} s")
