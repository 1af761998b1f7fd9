"""What a session says and does on a branch before the branch's first commit is told elsewhere only once that commit is there."""

from __future__ import annotations

import json

from tests.agents.worker.events import Events
from tests.conftest import Terminal


def hook(terminal: Terminal, event: str, **payload: object) -> None:
    body = {"session_id": "s1", "cwd": str(terminal.folder), **payload}
    terminal.mem("hook", event, "--harness", "claude", stdin=json.dumps(body))


def session(terminal: Terminal) -> None:
    """A session on a branch `try`: an edit, and a decision in the answer."""
    hook(terminal, "user-prompt", prompt="Which queue should the importer use?")
    edit = {"file_path": str(terminal.folder / "auth.py"), "old_string": "pass", "new_string": "return redis.valid"}
    hook(terminal, "post-tool-use", tool_name="Edit", tool_input=edit, tool_use_id="1")
    (terminal.folder / "auth.py").write_text("def login():\n    return redis.valid\n")
    hook(terminal, "stop", last_assistant_message="We decided to use Kafka for the importer's queue, because it keeps the order.")


def told(terminal: Terminal) -> str:
    return terminal.mem("get", "importer queue kafka redis auth", "--budget", "3000").out


def edits(terminal: Terminal) -> list[str]:
    """The edits that hold here."""
    rows = terminal.mem("recent", "--origin", "hook", "--limit", "50", "--json").json
    valid = [row["title"] for row in rows if row["anchor_state"] != "orphan" and not row["superseded"]]
    return [title for title in valid if title.startswith("Edited ")]


def test_a_session_on_an_abandoned_branch_is_told_nowhere_else(events: Events) -> None:
    terminal = events.terminal
    terminal.git("add", "auth.py")
    terminal.git("commit", "-q", "-m", "auth")
    terminal.git("switch", "-q", "-c", "try")
    session(terminal)
    terminal.git("checkout", "-q", "--", "auth.py")
    terminal.git("switch", "-q", "main")
    events.work()  # late: the branch was left before the worker came
    assert "Kafka" not in told(terminal)
    assert "redis.valid" not in told(terminal)
    terminal.git("switch", "-q", "try")
    assert "Kafka" in told(terminal)
    terminal.git("switch", "-q", "main")
    terminal.git("branch", "-q", "-D", "try")
    assert "Kafka" not in told(terminal)
    events.work()
    assert "Kafka" not in told(terminal)


def test_a_session_is_told_on_main_once_its_branch_is_merged(events: Events) -> None:
    terminal = events.terminal
    terminal.git("add", "auth.py")
    terminal.git("commit", "-q", "-m", "auth")
    terminal.git("switch", "-q", "-c", "try")
    session(terminal)
    events.work()
    terminal.git("commit", "-q", "-am", "Use redis")
    hook(terminal, "user-prompt", prompt="Anything else?")
    hook(terminal, "stop", last_assistant_message="No, it is complete.")
    events.work()
    assert edits(terminal) == ["Edited auth.py: `pass` became `return redis.valid`"]
    terminal.git("switch", "-q", "main")
    assert "Kafka" not in told(terminal)
    terminal.git("merge", "-q", "--ff-only", "try")
    terminal.git("branch", "-q", "-d", "try")
    assert "Kafka" in told(terminal)
    assert edits(terminal) == ["Edited auth.py: `pass` became `return redis.valid`"]
