"""What a session is told after its context was compacted or cleared, and when it is resumed."""

from __future__ import annotations

import pytest

from tests.agents.capture.conftest import FACT, Agent
from tests.agents.capture.conftest import agent as agent
from tests.agents.turns.test_hooks import ask, start


@pytest.mark.parametrize("source", ["compact", "clear"])
def test_after_compaction_and_clear_everything_is_told_again(agent: Agent, source: str) -> None:
    first = start(agent)
    assert ask(agent) == ""
    assert start(agent, source=source) == first
    assert ask(agent, "once more") == ""


def test_a_resumed_session_is_told_only_what_changed(agent: Agent) -> None:
    first = start(agent)
    assert FACT in first
    assert start(agent, source="resume") == ""
    agent.terminal.add("Deploys run nightly")
    resumed = start(agent, source="resume")
    assert "Deploys run nightly" in resumed
    assert FACT not in resumed
    assert ask(agent) == ""


def test_a_resumed_session_that_was_told_nothing_is_told_everything(agent: Agent) -> None:
    assert FACT in start(agent, source="resume")


def test_gemini_says_before_each_call_that_it_compresses_and_is_not_told_everything_again(agent: Agent) -> None:
    agent.hook("session-start", {"source": "startup"}, "gemini")
    assert FACT in agent.hook("user-prompt", {"prompt": "go on", "prompt_id": "first"}, "gemini").out
    for trigger, is_compacted in (("auto", False), ("auto", False), ("manual", True)):
        agent.hook("pre-compact", {"trigger": trigger}, "gemini")
        prompt = {"prompt": f"go on {trigger}", "prompt_id": trigger}
        assert (FACT in agent.hook("user-prompt", prompt, "gemini").out) == is_compacted


def test_where_a_harness_tells_only_that_it_compacts_the_next_prompt_is_told_everything(agent: Agent) -> None:
    start(agent)
    assert ask(agent) == ""
    agent.hook("pre-compact", {"trigger": "auto"})
    agent.hook("pre-compact", {"trigger": "auto", "compact_summary": "They looked at tokens."})
    assert FACT in ask(agent, "and now?")
    agent.hook("pre-compact", {"trigger": "auto", "compact_summary": "Told of after the new start, which told everything."})
    assert ask(agent, "and then?") == ""


@pytest.mark.parametrize("harness", ["gemini", "copilot"])
def test_where_a_start_is_lost_on_resume_the_prompt_tells_all_of_it_and_a_resumed_session_what_changed(
    agent: Agent, harness: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv({"gemini": "GEMINI_SESSION_ID", "copilot": "COPILOT_CLI"}[harness], "1")

    def told(event: str, **payload: str) -> str:
        return agent.hook(event, payload, harness).out

    assert told("session-start", source="startup") == ""
    assert FACT in told("user-prompt", prompt="first")
    assert told("session-start", source="resume") == ""
    assert told("user-prompt", prompt="second") == ""
    agent.terminal.add("Deploys run nightly")
    assert told("session-start", source="resume") == ""
    changed = told("user-prompt", prompt="third")
    assert "Deploys run nightly" in changed
    assert FACT not in changed


def test_a_start_that_is_reported_late_leaves_what_the_prompt_was_told(agent: Agent, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COPILOT_CLI", "1")
    assert FACT in agent.hook("user-prompt", {"prompt": "first"}, "copilot").out
    assert agent.hook("session-start", {"source": "new"}, "copilot").out == ""
    assert agent.hook("user-prompt", {"prompt": "second"}, "copilot").out == ""
