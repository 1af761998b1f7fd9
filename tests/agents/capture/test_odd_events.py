"""What is no event, or an odd one: it is told of in one line, and kept as far as it makes sense."""

from __future__ import annotations

import json
import stat

import apsw
import pytest

from memcli import logs
from memcli.agents.adapters import EVENTS
from tests.agents.capture.conftest import FACT, Agent

GARBAGE: list[bytes] = [
    b"",
    b"\n",
    b"{",
    b"null",
    b"[]",
    b"1",
    b'""',
    b"\xff\xff",
    b"{}{}",
    b"[" * 50_000,
    b'{"a":' * 50_000,
    b'{"prompt": 1e999}',
    b'{"prompt": "cut off',
]
ODD: list[dict[str, object]] = [
    {},
    {"cwd": "/nonexistent"},
    {"cwd": 5},
    {"cwd": "\0"},
    {"cwd": "\ud800"},
    {"cwd": "/"},
    {"workspace_roots": []},
    {"session_id": "../../../x"},
    {"session_id": None},
    {"session_id": "s" * 100_000},
    {"session_id": ["s"]},
    {"prompt": ["x"]},
    {"prompt": {"a": 1}},
    {"prompt": "a\0b\ud800c\u202e"},
    {"prompt": "<" * 100_000},
    {"tool_name": 7, "tool_input": 7, "tool_response": 7},
    {"tool_name": "\ud800", "tool_input": {"\ud800\0": "\ud800\0"}, "tool_response": "a\0b\ud800"},
    {"tool_input": {"a": {"b": [{}] * 1_000}}},
    {"tool_input": json.loads("[" * 400 + "]" * 400)},
    {"tool_input": {"n": 10**400, "f": 1.5, "t": True, "z": None}},
    {"tool_input": '{"command"', "tool_response": None},
    {"tool_input": {"command": ["ls", "-l"]}, "tool_response": []},
    {"tool_response": {"stdout": 5, "stderr": None, "exit_code": 2}},
    {"tool_response": {"content": [{"type": "image", "data": "…"}]}},
    {"tool_result": {"text_result_for_llm": {"deep": 1}}},
    {"hook_event_name": {"a": 1}, "transcript_path": 5, "turn_id": 9, "error": {"message": "no"}},
    {"hook_event_name": "afterFileEdit"},
]


@pytest.mark.parametrize("event", EVENTS)
def test_garbage_is_told_of_in_one_line_and_in_the_log(agent: Agent, event: str) -> None:
    for sent in GARBAGE:
        told = agent.hook(event, sent)
        assert (told.out, told.err.count("\n")) == ("", 1)
        assert told.err.removeprefix("mem hook: ").strip() in agent.log()

    assert [job for job in agent.jobs() if job["body"].get("prompt")] == []


@pytest.mark.parametrize("event", EVENTS)
@pytest.mark.parametrize("harness", ["claude", "generic", ""])
def test_an_odd_payload_is_kept_as_far_as_it_makes_sense(agent: Agent, event: str, harness: str) -> None:
    for payload in ODD:
        told = agent.hook(event, payload, harness)
        assert told.err == ""
        if harness == "generic":
            assert isinstance(told.json, dict)

    jobs = agent.jobs()
    assert bool(jobs) == (event != "pre-tool-use")  # which is only answered
    for job in jobs:
        assert job["session"]
        assert len(job["session"]) <= 200


def test_what_odd_payloads_leave_can_be_read_and_repaired(agent: Agent) -> None:
    for payload in ODD:
        agent.hook("post-tool-use", payload)

    assert len(agent.jobs()) > 10
    assert agent.terminal.mem("doctor").code == 0


def test_a_generic_harness_is_told_that_nothing_was_kept_of_garbage(agent: Agent) -> None:
    for sent in GARBAGE:
        assert agent.hook("stop", sent, "generic").json == {"queued": False, "skipped_reason": "malformed"}
    assert agent.hook("nosuch", {}, "generic").json == {"queued": False, "skipped_reason": "unknown_event"}


@pytest.mark.parametrize("words", [["stop", "--harness", "emacs"], ["stop", "--harness=emacs"]])
def test_an_event_of_a_harness_that_is_not_known_is_kept_as_generic(agent: Agent, words: list[str]) -> None:
    told = agent.terminal.mem("hook", *words, stdin='{"last_assistant_message": "done"}')

    assert told.json == {"summary_queued": True}
    assert told.err == "mem hook: no harness 'emacs', taken as generic; see mem hook --help\n"
    assert told.err.removeprefix("mem hook: ") in agent.log()
    assert [job["harness"] for job in agent.jobs()] == ["generic"]


def test_an_event_that_is_not_known_is_told_of_in_one_line(agent: Agent) -> None:
    for words in (["nosuch"], [], ["../x"]):
        told = agent.terminal.mem("hook", *words, stdin="{}")
        assert (told.out, told.err.count("\n")) == ("", 1)
        assert "no such event" in agent.log()
    assert "nosuch" not in agent.log(), "what was sent may be anything"
    for words in (["stop", "--no-such-option"], ["stop", "--harness"], ["--harness=claude", "stop"]):
        told = agent.terminal.mem("hook", *words, stdin="{}")
        assert (told.out, told.err) == ("", "")


@pytest.mark.parametrize(
    ("result", "failed"),
    [
        ({"exit_code": "0"}, False),
        ({"exitCode": 0, "resultType": "success"}, False),
        ({"exit_code": None, "result_type": "text"}, False),
        ({"exit_code": "1"}, True),
        ({"exitCode": 10}, True),
        ({"result_type": "Failure"}, True),
        ({"resultType": "tool_error"}, True),
        ({"resultType": 5, "exit_code": []}, False),
    ],
)
def test_a_call_failed_where_its_code_or_its_own_word_says_so(agent: Agent, result: dict[str, object], failed: bool) -> None:
    agent.tool(tool_response=result)

    assert ("failed" in agent.bodies()[0]) == failed


@pytest.mark.parametrize(
    ("named", "kept"), [("   ", "day-2026-03-01"), ("", "day-2026-03-01"), (42, "42"), (True, "day-2026-03-01")]
)
def test_a_session_without_a_name_is_one_a_day_and_a_number_is_a_name(agent: Agent, named: object, kept: str) -> None:
    told = agent.hook("user-prompt", {"session_id": named, "prompt": "where do session tokens live"})

    assert (told.err, FACT in told.out) == ("", True)
    assert [job["session"] for job in agent.jobs()] == [kept]


def test_the_log_is_bounded_private_and_says_nothing_of_what_was_written(
    agent: Agent, locked: apsw.Connection, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(logs, "MAX_BYTES", 2_000)
    for _ in range(60):
        agent.hook("user-prompt", {"prompt": "rosebud"})
        agent.hook("user-prompt", '{"prompt": rosebud}')
    files = sorted((agent.terminal.data / "logs").iterdir())

    assert [path.name for path in files] == ["hook.log", "hook.log.1"]
    assert sum(path.stat().st_size for path in files) < 6_000
    assert {stat.S_IMODE(path.stat().st_mode) for path in files} == {0o600}
    assert "rosebud" not in "".join(path.read_text() for path in files)
