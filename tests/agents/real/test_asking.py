"""Asked to save what it learned, once and without a loop: what models are sent when agents stop. scripts/test -m harness."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest

from tests.agents.real.conftest import Harness
from tests.agents.real.stub import ANSWER, strings
from tests.agents.real.test_real import COMMIT, remember

pytestmark = pytest.mark.harness

ASKED = "Before you stop: save"
CAN = pytest.mark.parametrize("harness", ["claude", "codex", "gemini", "copilot"], indirect=True)


def ready(harness: Harness, *more: str) -> None:
    remember(harness)
    harness.mem("setup", harness.client.name, *more)
    harness.mem("config", "set", "capture.ask", "commit")


def turns(harness: Harness) -> list[str]:
    """The texts of every request with a prompt of ours in it, in order."""
    bodies = ["\n".join(strings(body)) for body in harness.stub.requests]
    return [text for text in bodies if "the zebra" in text]


@CAN
def test_after_a_commit_the_agent_is_asked_once_and_then_left_alone(harness: Harness) -> None:
    ready(harness)
    harness.run(*harness.client.words, f"Mend the zebra import RUN<<{COMMIT}>>")
    asked = [text for text in turns(harness) if ASKED in text]
    assert len(asked) == 1  # Claude Code itself says it twice in that one
    assert f'{Path(sys.executable).with_name("mem")} add "FACT"' in asked[0]
    assert len(turns(harness)) <= 4  # the call, its answer, what it was asked, and one that some clients need for a title

    harness.memories()
    session = harness.mem("session", harness.mem("sessions").split()[0])
    assert session.count(f"> {ANSWER}") == 1
    assert ASKED not in session
    (one,) = json.loads(harness.mem("sessions", "--json"))
    assert one["prompts"] == 1


@CAN
def test_who_only_looked_is_not_asked(harness: Harness) -> None:
    ready(harness)
    harness.run(*harness.client.words, "Look at the zebra RUN<<ls>>")
    told = turns(harness)
    assert told
    assert not any(ASKED in text for text in told)


@CAN
def test_who_saved_something_is_not_asked(harness: Harness) -> None:
    ready(harness)
    mem = Path(sys.executable).with_name("mem")
    harness.run(*harness.client.words, f"Mend the zebra import RUN<<{COMMIT} && {mem} add 'Zebras are striped'>>")
    assert "Zebras are striped" in harness.mem("recent")
    told = turns(harness)
    assert told
    assert not any(ASKED in text for text in told)


@pytest.mark.parametrize("harness", ["claude"], indirect=True)
def test_where_our_tools_may_write_they_are_what_the_agent_is_asked_to_use(harness: Harness) -> None:
    harness.mem("config", "set", "mcp.write", "auto")
    ready(harness, "--mcp")
    harness.run(*harness.client.words, f"Mend the zebra import RUN<<{COMMIT}>>")
    (asked,) = [text for text in turns(harness) if ASKED in text]
    assert "mempack_add_memory of mem, title the fact" in asked
