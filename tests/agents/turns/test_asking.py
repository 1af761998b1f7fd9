"""Asked to save what it learned: once a session, after work, where the person wants it and nothing was saved."""

from __future__ import annotations

import json
from typing import Any

import pytest

from memcli.agents.turns.asking import REQUEST
from tests.agents.capture.conftest import Agent
from tests.conftest import Terminal

EDIT = {"tool_name": "Edit", "tool_input": {"file_path": "auth.py", "old_string": "a", "new_string": "b"}}
COMMIT = {"tool_name": "Bash", "tool_input": {"command": "git add -A && git commit -qm 'Mend it'"}}
BEGINNING = REQUEST.partition("{}")[0]


@pytest.fixture
def agent(terminal: Terminal, monkeypatch: pytest.MonkeyPatch) -> Agent:
    """A session of an agent in a repository with a memory, as time goes by."""
    terminal.add("Session tokens live in Postgres", "Redis evicted them under load.")
    monkeypatch.delenv("MEMPACK_CLOCK")
    monkeypatch.setenv("MEMPACK_WORKER_IDLE_SECONDS", "0")
    return Agent(terminal)


@pytest.fixture
def wanted(agent: Agent, monkeypatch: pytest.MonkeyPatch) -> Agent:
    """An agent that is asked after an edit."""
    monkeypatch.delenv("CLAUDE_CODE_SESSION_ID", raising=False)
    agent.terminal.mem("config", "set", "capture.ask", "end")
    return agent


def stop(agent: Agent, hook: str = "Stop", harness: str = "claude", **more: Any) -> str:
    """What a hook prints when the agent stops."""
    payload = {"hook_event_name": hook, "last_assistant_message": "Done.", "prompt_response": "Done.", **more}
    return agent.hook("stop", payload if harness == "gemini" else {**payload, "prompt_response": None}, harness).out


def work(agent: Agent, call: dict[str, Any] = EDIT, harness: str = "claude") -> None:
    agent.hook("user-prompt", {"prompt": "Mend it"}, harness)
    agent.hook("post-tool-use", {"tool_use_id": json.dumps(call), "tool_response": "ok", **call}, harness)


def test_nobody_is_asked_unless_the_person_wants_it(agent: Agent) -> None:
    work(agent)
    assert stop(agent) == ""


def test_after_an_edit_it_is_asked_once(wanted: Agent) -> None:
    work(wanted)
    told = json.loads(stop(wanted))
    assert told["decision"] == "block"
    assert told["reason"].startswith(BEGINNING)
    assert "mem add" in told["reason"]
    assert stop(wanted) == ""
    work(wanted, COMMIT)
    assert stop(wanted) == ""


def test_work_counts_whether_or_not_the_worker_has_seen_it(wanted: Agent) -> None:
    work(wanted)
    wanted.terminal.mem("worker", "run")
    assert "block" in stop(wanted)


def test_after_a_commit_only_a_commit_counts(wanted: Agent, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MEMPACK_CAPTURE_ASK", "commit")
    work(wanted)
    assert stop(wanted) == ""
    work(wanted, COMMIT)
    assert "block" in stop(wanted)


def test_who_only_looked_is_not_asked(wanted: Agent) -> None:
    work(wanted, {"tool_name": "Read", "tool_input": {"file_path": "auth.py"}})
    work(wanted, {"tool_name": "Bash", "tool_input": {"command": "git log"}})
    assert stop(wanted) == ""


@pytest.mark.parametrize("more", [{"stop_hook_active": True}, {"agent_id": "a1"}, {"loop_count": 1}])
def test_a_stop_that_a_hook_caused_and_a_subagent_are_let_go(wanted: Agent, more: dict[str, Any]) -> None:
    work(wanted)
    assert stop(wanted, **more) == ""


def test_a_turn_that_failed_is_let_go(wanted: Agent) -> None:
    work(wanted)
    assert stop(wanted, hook="StopFailure") == ""


def test_who_saved_something_is_not_asked(wanted: Agent) -> None:
    work(wanted)
    wanted.terminal.mem("add", "Deploys run nightly")
    assert stop(wanted) == ""


def test_what_another_session_saved_does_not_count(wanted: Agent, monkeypatch: pytest.MonkeyPatch) -> None:
    work(wanted)
    with monkeypatch.context() as other:
        other.setenv("CLAUDE_CODE_SESSION_ID", "another")
        wanted.terminal.mem("add", "Deploys run nightly")
    assert "block" in stop(wanted)


def test_the_answer_to_the_request_is_not_the_answer_of_the_turn(wanted: Agent) -> None:
    work(wanted)
    assert "block" in stop(wanted)
    wanted.hook("stop", {"hook_event_name": "Stop", "stop_hook_active": True, "last_assistant_message": "Saved three facts."})
    wanted.terminal.mem("worker", "run")
    session = wanted.terminal.mem("session", wanted.terminal.mem("sessions").out.split()[0]).out
    assert "> Done." in session
    assert "Saved three facts" not in session


def test_a_request_that_comes_as_a_prompt_is_none(wanted: Agent) -> None:
    work(wanted)
    wanted.hook("user-prompt", {"prompt": json.loads(stop(wanted))["reason"]})
    wanted.terminal.mem("worker", "run")
    (session,) = wanted.terminal.mem("sessions", "--json").json
    assert session["prompts"] == 1


@pytest.mark.parametrize(("harness", "hook", "key"), [("cursor", "stop", "followup_message"), ("gemini", "AfterAgent", "reason")])
def test_each_harness_is_asked_in_its_own_form(wanted: Agent, harness: str, hook: str, key: str) -> None:
    edit = {"tool_name": {"cursor": "edit_file", "gemini": "write_file"}[harness], "tool_input": EDIT["tool_input"]}
    work(wanted, edit, harness)
    assert json.loads(stop(wanted, hook, harness))[key].startswith(BEGINNING)


@pytest.mark.parametrize("harness", ["opencode", "openclaw", "generic"])
def test_others_are_never_asked(wanted: Agent, harness: str) -> None:
    work(wanted, {"tool_name": "edit", "tool_input": EDIT["tool_input"]}, harness)
    assert BEGINNING.partition("\n")[2] not in stop(wanted, "stop", harness)


def test_our_tools_are_named_only_where_they_are_there_and_may_write(wanted: Agent) -> None:
    wanted.terminal.mem("setup", "claude", "--mcp", "--project")
    work(wanted)
    assert "mem add" in stop(wanted)
    wanted.terminal.mem("config", "set", "mcp.write", "ask")
    wanted.hook("post-tool-use", {"session_id": "s2", "tool_use_id": "other", "tool_response": "ok", **EDIT})
    assert "mempack_add_memory" in stop(wanted, session_id="s2")


def test_a_repository_can_only_switch_it_off(agent: Agent) -> None:
    settings = agent.terminal.folder / ".mempack" / "config.toml"
    settings.parent.mkdir(exist_ok=True)
    settings.write_text('[capture]\nask = "end"\n')
    work(agent)
    assert stop(agent) == ""
    agent.terminal.mem("config", "set", "capture.ask", "end")
    settings.write_text('[capture]\nask = "off"\n')
    assert stop(agent) == ""
    settings.unlink()
    assert "block" in stop(agent)
