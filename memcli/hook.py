"""The door for agent harnesses: `mem hook EVENT`, payload on standard input.

A harness reads a failing hook as a veto, so this door ends with 0 whatever happens, after a bounded wait, and says at most one
line on standard error. A prompt is answered with what is known about it; every other event passes in silence.
"""

from __future__ import annotations

import os
import select
import time

from memcli.cli import output
from memcli.text import json

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

PATIENCE = 2.0  # seconds for the whole payload; a harness sends it at once or not at all
MAX_PAYLOAD = 16 << 20  # bytes that are read of one payload
FRAME = "<mem-context>\n{}</mem-context>\n"
BUDGET = 1_000  # tokens that one prompt may be given
PLAIN = ("claude", "generic", "")  # harnesses that take plain text on standard output as context
EVENTS = ("session-start", "user-prompt", "post-tool-use", "stop", "pre-compact", "session-end")
HELP = """Usage: mem hook EVENT [--harness NAME], with the harness's payload on standard input

Prints what is known about the prompt of a user-prompt event; other events pass in silence. Ends with 0 whatever happens.
Events: session-start, user-prompt, post-tool-use, stop, pre-compact, session-end. Harnesses: claude, generic."""


def run(words: Sequence[str]) -> int:
    """Handles one event of a harness: EVENT and, after `--harness`, its name. Returns 0."""
    try:
        at = words.index("--harness") if "--harness" in words[:-1] else len(words)
        harness = words[at + 1] if at < len(words) else ""
        event = next((word for place, word in enumerate(words) if not word.startswith("-") and place != at + 1), "")
        if "--help" in words or "-h" in words:
            output.show(HELP)
            return 0
        payload = _payload()
        if event not in EVENTS or harness not in PLAIN:
            output.tell(f"mem hook: no event {event!r} or harness {harness!r} that is known here; see mem hook --help")
        elif event == "user-prompt" and payload is not None:
            output.show(answer(payload, harness))
    except Exception as problem:
        output.tell(f"mem hook: {' '.join(str(problem).split())[:200]}")
    return 0


def answer(payload: dict[str, Any], harness: str = "") -> str:
    """Returns what is known about the prompt in a payload, marked as ours, within what the harness takes; empty: nothing is."""
    from memcli.errors import NotFound
    from memcli.harness.caps import CAPS
    from memcli.project import Where, open_for_reading
    from memcli.recall import get, render

    question, folder = payload.get("prompt"), payload.get("cwd")
    if not isinstance(question, str) or not question.strip():
        return ""
    here = folder if isinstance(folder, str) and "\0" not in folder and os.path.isdir(folder) else os.getcwd()
    try:
        project = open_for_reading(Where(here))
    except NotFound:
        return ""
    try:
        most = CAPS.get(harness, CAPS["claude"])[0] - len(FRAME.encode())
        pack = get.get(project, get.Query(question, "prompt", min(BUDGET, project.config["budget.total"]), max_bytes=most))
    finally:
        project.close()
    return FRAME.format(render.prompt(pack)) if pack.items or pack.evidence else ""


def _payload() -> dict[str, Any] | None:
    """Reads the event's JSON object from standard input; None for anything else, or when nothing comes in time."""
    parts: list[bytes] = []
    size = 0
    deadline = time.monotonic() + PATIENCE
    while size < MAX_PAYLOAD:
        ready, _, _ = select.select([0], [], [], max(0.0, deadline - time.monotonic()))
        part = os.read(0, 1 << 16) if ready else b""
        if not part:
            break
        parts.append(part)
        size += len(part)
    try:
        value = json.loads(b"".join(parts).decode("utf-8"))
    except ValueError:
        return None
    return value if isinstance(value, dict) else None
