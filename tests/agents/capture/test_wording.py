"""How harnesses word their events, and what becomes of what is unusual about one: its name, its place, its end, its length."""

from __future__ import annotations

from pathlib import Path

import pytest

from memcli.agents.capture import tool_rules
from memcli.agents.capture.shell_commands import parse_patch
from tests.agents.capture.conftest import Agent


@pytest.mark.parametrize(
    ("spelt", "event"),
    [
        *[("SessionStart", "session-start"), ("sessionStart", "session-start"), ("session.created", "session-start")],
        *[("UserPromptSubmit", "user-prompt"), ("userPromptSubmitted", "user-prompt"), ("BeforeAgent", "user-prompt")],
        *[("beforeSubmitPrompt", "user-prompt"), ("chat.message", "user-prompt"), ("before_prompt_build", "user-prompt")],
        *[("PostToolUseFailure", "post-tool-use"), ("postToolUse", "post-tool-use"), ("AfterTool", "post-tool-use")],
        *[("afterFileEdit", "post-tool-use"), ("tool.execute.after", "post-tool-use"), ("after_tool_call", "post-tool-use")],
        *[("Stop", "stop"), ("agentStop", "stop"), ("AfterAgent", "stop"), ("session.idle", "stop"), ("agent_end", "stop")],
        *[("PostCompact", "pre-compact"), ("preCompact", "pre-compact"), ("PreCompress", "pre-compact")],
        *[("experimental.session.compacting", "pre-compact"), ("SessionEnd", "session-end"), ("session.deleted", "session-end")],
    ],
)
def test_an_event_may_be_spelt_as_any_harness_does(agent: Agent, spelt: str, event: str) -> None:
    agent.hook(spelt, {"prompt": "where do tokens live", "tool_name": "Bash", "tool_input": {"command": "make"}})

    assert [job["event"] for job in agent.jobs()] == [event]


@pytest.mark.parametrize(
    ("sent", "said"),
    [
        ("", "stop: standard input was empty"),
        ("{", "stop: 1 bytes that are no JSON object"),
        ("[1, 2]", "stop: 6 bytes that are no JSON object"),
    ],
)
def test_the_log_says_in_which_way_a_payload_was_none(agent: Agent, sent: str, said: str) -> None:
    agent.hook("stop", sent, "")

    assert agent.log().splitlines()[-1].endswith(f" {said}")


def test_an_agent_that_leaves_its_repository_takes_its_session_along(
    agent: Agent, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    outside = {"cwd": str(tmp_path), "last_assistant_message": "done out there"}
    agent.hook("stop", outside)
    assert agent.jobs() == []
    monkeypatch.setenv("CLAUDE_PROJECT_DIR", str(agent.terminal.folder))
    agent.hook("stop", outside)
    (job,) = agent.jobs()
    assert (job["body"]["cwd"], job["body"]["root"]) == (str(tmp_path), str(agent.terminal.folder))


def test_what_somebody_interrupted_is_told_apart(agent: Agent) -> None:
    agent.hook("PostToolUseFailure", {"tool_name": "Bash", "tool_use_id": "a", "error": "stopped", "is_interrupt": True})
    agent.tool(tool_response={"stdout": "half", "stderr": "", "interrupted": True})
    agent.tool(tool_response={"stdout": "whole", "stderr": "", "interrupted": False})
    assert ["interrupted" in body for body in agent.bodies()] == [True, True, False]


def test_a_long_patch_still_names_every_file(agent: Agent) -> None:
    lines = "".join([f"+line {n} of the file\n" for n in range(500)])
    files = "".join([f"*** Update File: part{n}.py\n@@\n{lines}" for n in range(6)])
    token = "ghp_" + "a1B2" * 9
    patch = f"*** Begin Patch\n*** Add File: token.txt\n+<private>rosebud</private>\n+{token}\n{files}*** End Patch"
    agent.tool(tool_name="apply_patch", tool_input={"command": patch}, tool_response="Success.")
    (body,) = agent.bodies()
    kept = body["input"]["command"]
    assert [path.path for path in parse_patch(kept)] == ["token.txt", *[f"part{n}.py" for n in range(6)]]
    assert len(kept) <= 4_000
    assert token.encode() not in agent.whole_disk()
    assert b"rosebud" not in agent.whole_disk()


@pytest.mark.parametrize("lead", ["", "- ", "**Decision:** ", "## Decision: ", "3. **Decision**: "])
def test_the_title_of_a_decision_begins_behind_its_label(lead: str) -> None:
    (decision,) = tool_rules.decisions(f"{lead}We decided to keep the cache, because it is small.")
    assert decision.title == "We decided to keep the cache, because it is small."
