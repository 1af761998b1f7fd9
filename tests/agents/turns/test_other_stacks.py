"""An error of any stack that an earlier session solved is told its fix; one that only looks alike is not."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from memcli.recall.render import counted
from tests.agents.turns.test_hints import Sessions, context, sessions  # noqa: F401

# Each row: a command, its error, what solved it; and either the same error `again`, in other words if any, or an `other` one that
# only looks like it.
ROWS = [json.loads(line) for line in Path(__file__).with_name("stacks.jsonl").read_text(encoding="utf-8").splitlines()]
SOLVED = [row for row in ROWS if "other" not in row]
ALIKE = [row for row in ROWS if "other" in row]


def call(sessions: Sessions, session: str, harness: str, command: str, error: str = "") -> str:  # noqa: F811
    """A command passes, or fails of an error, as one of the clients tells it. Returns what the agent is told."""
    given: dict[str, object] = {"tool_name": "Bash", "tool_input": {"command": command}}
    if harness == "claude":
        return sessions.fails(session, command, error) if error else sessions.runs(session, command)
    if harness == "codex":
        text = f"Exit code: {int(bool(error))}\nWall time: 0.3 seconds\nOutput:\n{error or 'done'}"
        return context(sessions.hook("PostToolUse", session, "codex", **given, tool_response=text))
    text = f"Command: {command}\nDirectory: (root)\nOutput: {error or 'done'}\nError: (none)\nExit Code: {int(bool(error))}"
    response = {"llmContent": text, "returnDisplay": error or "done"}
    given["tool_name"] = "run_shell_command"
    return context(sessions.hook("AfterTool", session, "gemini", **given, tool_response=response))


def solve(sessions: Sessions, harness: str, row: dict[str, str]) -> None:  # noqa: F811
    """A session of a client meets an error and solves it."""
    assert call(sessions, "first", harness, row["command"], row["error"]) == ""
    call(sessions, "first", harness, row["fix"])
    call(sessions, "first", harness, row["command"])
    assert sessions.terminal.mem("worker", "run").code == 0


CLIENTS = [("claude", "claude"), ("codex", "claude"), ("gemini", "claude"), ("claude", "codex")]  # who solves it, who is told


@pytest.mark.parametrize(("clients", "row"), [(CLIENTS[number % 4], row) for number, row in enumerate(SOLVED)])
def test_the_fix_is_told_with_the_command_that_proved_it(
    sessions: Sessions,  # noqa: F811
    clients: tuple[str, str],
    row: dict[str, str],
) -> None:
    solve(sessions, clients[0], row)
    text = call(sessions, "second", clients[1], row["command"], row.get("again", row["error"]))
    assert f"`{row['fix']}`" in text
    assert f"`{row['command']}` passed" in text
    assert counted([text]) <= 120


@pytest.mark.parametrize(("clients", "row"), [(CLIENTS[number % 4], row) for number, row in enumerate(ALIKE)])
def test_an_error_that_only_looks_alike_is_told_nothing(
    sessions: Sessions,  # noqa: F811
    clients: tuple[str, str],
    row: dict[str, str],
) -> None:
    solve(sessions, clients[0], row)
    assert call(sessions, "second", clients[1], row["command"], row["other"]) == ""
