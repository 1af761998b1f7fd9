"""Recorded events of every harness: what is kept of each, and in which shape each is answered."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from memcli.agents.adapters import HARNESSES as NAMES
from memcli.agents.adapters import adapter
from tests.agents.capture.conftest import FACT, Agent

PAYLOADS = Path(__file__).parent / "payloads"
QUESTION = "where do session tokens live"
RECORDED = {path.stem: json.loads(path.read_text()) for path in sorted(PAYLOADS.glob("*.json"))}


def send(agent: Agent, harness: str, event: dict[str, Any]) -> str:
    payload = json.dumps(event["payload"]).replace("CWD", str(agent.terminal.folder))
    flag = ["--harness", harness] if RECORDED[harness].get("flag") else []
    return agent.terminal.mem("hook", event["event"], *flag, stdin=payload).out


def wear(monkeypatch: pytest.MonkeyPatch, harness: str) -> None:
    for name, value in RECORDED[harness]["environment"].items():
        monkeypatch.setenv(name, value)


def test_every_harness_has_recorded_events_of_every_kind() -> None:
    assert set(RECORDED) == set(NAMES)
    for recorded in RECORDED.values():
        assert len({event["event"] for event in recorded["events"]}) == 6


@pytest.mark.parametrize("harness", NAMES)
def test_an_event_is_kept_in_our_names_whatever_the_harness_calls_things(
    agent: Agent, harness: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    wear(monkeypatch, harness)
    for event in RECORDED[harness]["events"]:
        send(agent, harness, event)
    jobs = agent.jobs()

    assert [job["event"] for job in jobs] == [event["event"] for event in RECORDED[harness]["events"]]
    assert {job["harness"] for job in jobs} == {harness}
    assert len({job["session"] for job in jobs}) == 1
    for job, event in zip(jobs, RECORDED[harness]["events"]):
        assert job["body"].items() >= event["body"].items()
        assert job["body"]["root"] == str(agent.terminal.folder)
        assert job["body"]["commit"] == agent.terminal.git("rev-parse", "HEAD")


@pytest.mark.parametrize("harness", NAMES)
def test_the_payload_alone_tells_where_the_environment_is_another_harness_s(
    agent: Agent, harness: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    if RECORDED[harness].get("flag") or harness == "copilot":  # told by their flag, and by their environment, only
        return
    wear(monkeypatch, "copilot")
    for event in RECORDED[harness]["events"]:
        if any(name in event["payload"] for name in ("prompt_id", "turn_id", "generation_id", "timestamp")):
            send(agent, harness, event)

    assert {job["harness"] for job in agent.jobs()} <= {harness, "copilot"}
    assert harness in {job["harness"] for job in agent.jobs()}


def answers(agent: Agent, harness: str, monkeypatch: pytest.MonkeyPatch) -> dict[str, str]:
    wear(monkeypatch, harness)
    return {event["event"]: send(agent, harness, event) for event in reversed(RECORDED[harness]["events"])}


@pytest.mark.parametrize("harness", NAMES)
def test_only_a_start_and_a_prompt_are_answered(agent: Agent, harness: str, monkeypatch: pytest.MonkeyPatch) -> None:
    told = answers(agent, harness, monkeypatch)

    for event in adapter(harness).context_events:
        assert FACT in told.pop(event)
    if harness != "generic":
        assert set(told.values()) == {""}


@pytest.mark.parametrize("harness", ["claude", "opencode"])
def test_claude_and_opencode_take_plain_text(agent: Agent, harness: str, monkeypatch: pytest.MonkeyPatch) -> None:
    told = answers(agent, harness, monkeypatch)

    for event in ("session-start", "user-prompt"):
        assert told[event].startswith("<mem-context>\n# Memory\n\nwork at ")
        assert told[event].endswith("</mem-context>\n")


@pytest.mark.parametrize(
    ("harness", "names"),
    [("codex", {"session-start": "SessionStart", "user-prompt": "UserPromptSubmit"}), ("gemini", {"user-prompt": "BeforeAgent"})],
)
def test_codex_and_gemini_take_a_nested_answer_with_no_other_key(
    agent: Agent, harness: str, names: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    told = answers(agent, harness, monkeypatch)

    for event, event_name in names.items():
        said = json.loads(told[event])
        assert list(said) == ["hookSpecificOutput"]
        assert list(said["hookSpecificOutput"]) == ["hookEventName", "additionalContext"]
        assert said["hookSpecificOutput"]["hookEventName"] == event_name


def test_copilot_cursor_and_openclaw_take_a_flat_answer(agent: Agent, monkeypatch: pytest.MonkeyPatch) -> None:
    with monkeypatch.context() as patch:
        told = answers(agent, "copilot", patch)
    assert list(json.loads(told["user-prompt"])) == ["additionalContext"]
    with monkeypatch.context() as patch:
        told = answers(agent, "cursor", patch)
    assert list(json.loads(told["session-start"])) == ["additional_context"]
    assert list(json.loads(told["user-prompt"])) == ["continue", "additional_context"]
    told = answers(agent, "openclaw", monkeypatch)
    assert list(json.loads(told["user-prompt"])) == ["prependContext"]


def test_the_generic_harness_is_told_what_became_of_each_event(agent: Agent) -> None:
    def said(event: str, **payload: object) -> Any:
        return agent.hook(event, payload, "generic").json

    assert said("session-start", source="startup")["additionalContext"].startswith("<mem-context>")
    assert said("user-prompt", prompt="hello")["promptNumber"] == 1
    assert said("user-prompt", prompt="fix the build") == {"promptNumber": 2, "skipped": False}
    assert said("user-prompt", prompt="<private>my own</private>") == {"promptNumber": 3, "skipped": True}
    assert said("post-tool-use", tool_name="Bash", tool_input={"command": "ls"}, tool_result="x") == {"queued": True}
    assert said("post-tool-use", tool_name="TodoWrite", tool_result="x") == {"queued": False, "skipped_reason": "skip_list"}
    assert said("stop", last_assistant_message="done") == {"summary_queued": True}
    assert said("pre-compact") == {"queued": True}
    assert said("session-end", reason="exit") == {"completed": True}


def test_without_a_store_the_generic_harness_is_told_so(terminal: Any) -> None:
    agent = Agent(terminal)

    assert agent.hook("session-start", {}, "generic").json == {"additionalContext": ""}
    assert agent.hook("user-prompt", {"prompt": "x"}, "generic").json == {"promptNumber": 0, "skipped": True}
    assert agent.hook("post-tool-use", {"tool_name": "Bash"}, "generic").json == {"queued": False, "skipped_reason": "no_store"}
    assert agent.hook("stop", {}, "generic").json == {"summary_queued": False}
    assert agent.hook("session-end", {}, "generic").json == {"completed": False}
    assert list(terminal.data.rglob("*")) == []


def test_copilot_running_claude_s_hooks_as_well_is_answered_flat_and_kept_once(
    agent: Agent, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COPILOT_CLI", "1")
    own = {"sessionId": "c1", "cwd": str(agent.terminal.folder), "prompt": QUESTION, "timestamp": 1}
    as_claude = {
        "session_id": "c1",
        "hook_event_name": "UserPromptSubmit",
        "prompt": QUESTION,
        "timestamp": "2026-03-01T12:00:00Z",
    }
    first = agent.terminal.mem("hook", "user-prompt", "--harness", "copilot", stdin=json.dumps(own)).out
    second = agent.hook("user-prompt", as_claude, "claude").out

    assert list(json.loads(first)) == list(json.loads(second)) == ["additionalContext"]
    assert [(job["harness"], job["session"]) for job in agent.jobs()] == [("copilot", "c1")]


def test_claude_started_from_within_copilot_is_still_claude(agent: Agent, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COPILOT_CLI", "1")
    monkeypatch.setenv("CLAUDECODE", "1")
    agent.hook("user-prompt", {"prompt_id": "p1", "prompt": QUESTION}, "claude")

    assert [job["harness"] for job in agent.jobs()] == ["claude"]


def test_what_names_no_harness_at_all_is_taken_for_claude_s(agent: Agent) -> None:
    assert agent.hook("user-prompt", {"prompt": QUESTION}, "").out.startswith("<mem-context>")
    assert agent.hook("user-prompt", {"message": QUESTION, "event": "UserPromptSubmit"}, "").out.startswith("<mem-context>")
    assert [job["harness"] for job in agent.jobs()] == ["claude"]
