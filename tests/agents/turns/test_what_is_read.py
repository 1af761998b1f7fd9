"""What a prompt reads of a store: what changed nothing for the session is looked at once, and nothing is read twice."""

from __future__ import annotations

import json
from collections import Counter

import apsw
import pytest

from tests.agents.capture.conftest import FACT, Agent
from tests.agents.capture.conftest import agent as agent
from tests.agents.turns.test_hooks import ask, start

DECIDED = "role = ? AND role <> ''"  # in the statement that reads what sessions decided, which only a full look needs


def statements(agent: Agent, prompt: str) -> Counter[str]:
    """Asks, and returns how often each statement ran. An answer is expected to tell nothing."""
    ran: Counter[str] = Counter()

    def trace(cursor: apsw.Cursor, sql: str, values: object) -> bool:
        ran[sql] += 1
        return True

    def hook(connection: apsw.Connection) -> None:
        connection.set_exec_trace(trace)

    apsw.connection_hooks.append(hook)
    try:
        assert ask(agent, prompt) == ""
    finally:
        apsw.connection_hooks.remove(hook)
    return ran


def looks(ran: Counter[str]) -> int:
    return sum(count for sql, count in ran.items() if DECIDED in sql)


def test_a_commit_that_changes_nothing_for_a_session_is_looked_at_by_one_prompt(agent: Agent) -> None:
    assert FACT in start(agent)
    assert ask(agent, "go on") == ""
    agent.terminal.commit("second")
    agent.terminal.mem("get", "sessions")
    assert looks(statements(agent, "go on, please")) > 0
    assert looks(statements(agent, "and go on")) == 0

    agent.terminal.add("Deploys run nightly")
    assert "Deploys run nightly" in ask(agent, "go on again")
    agent.terminal.commit("third")
    assert looks(statements(agent, "and again")) > 0
    assert looks(statements(agent, "once more")) == 0


def test_news_after_a_commit_that_changed_nothing_are_told_once(agent: Agent) -> None:
    start(agent)
    ask(agent, "go on")
    agent.terminal.commit("second")
    ask(agent, "go on, please")
    agent.terminal.mem("profile", "set", "editor", "vim")
    told = ask(agent, "and now?")
    assert "- **editor**: vim" in told
    assert FACT not in told
    assert ask(agent, "go on, then") == ""


@pytest.mark.parametrize("event", ["session-start", "user-prompt"])
def test_commands_that_passed_are_read_once(agent: Agent, event: str) -> None:
    start(agent)
    agent.terminal.commit("second")
    ran: Counter[str] = Counter()

    def hook(connection: apsw.Connection) -> None:
        connection.set_exec_trace(lambda cursor, sql, values: ran.update([sql]) or True)

    apsw.connection_hooks.append(hook)
    try:
        body = {"session_id": "s2", "source": "startup", "prompt": "go on", "cwd": str(agent.terminal.folder)}
        agent.terminal.mem("hook", event, "--harness", "claude", stdin=json.dumps(body))
    finally:
        apsw.connection_hooks.remove(hook)
    assert [count for sql, count in ran.items() if "memory_passed" in sql] == [1]
