"""What each client's model is told at a start, prompt after prompt, resumed, compacted and cleared: scripts/test -m harness.

What counts is the request that the model gets: in it everything stands once, wherever in the conversation.
"""

from __future__ import annotations

import json
from collections.abc import Iterator

import pytest

from tests.agents.real.conftest import Harness
from tests.agents.real.dialogue import PROTOCOLS, RESUMED, Dialogue
from tests.agents.real.stub import ANSWER, strings
from tests.agents.real.test_real import ALL, FACT, remember

pytestmark = pytest.mark.harness

NEWS = "Deploys run nightly"


@pytest.fixture
def dialogue(harness: Harness) -> Iterator[Dialogue]:
    """The client, set up and running."""
    remember(harness)
    harness.mem("setup", harness.client.name)
    started = PROTOCOLS[harness.client.name](str(harness.program), str(harness.project), harness.env)
    try:
        yield started
    finally:
        started.close()


def sent(harness: Harness, prompt: str) -> str:
    """The texts of the last request that has a prompt in it; requests for a title or a choice of model are shorter."""
    bodies = ["\n".join(strings(body)) for body in harness.stub.requests]
    *_, last = [text for text in bodies if prompt in text]
    return max([text for text in bodies[bodies.index(last) :] if prompt in text], key=len)


def resume(harness: Harness, prompt: str) -> str:
    """What the model is sent for a prompt in a new process that goes on with the last session."""
    harness.run(*RESUMED[harness.client.name], prompt)
    return sent(harness, prompt)


@ALL
def test_two_prompts_in_a_row_are_told_everything_once(harness: Harness, dialogue: Dialogue) -> None:
    dialogue.say("the lion please")
    assert sent(harness, "the lion please").count(FACT) == 1
    dialogue.say("the otter please")
    assert sent(harness, "the otter please").count(FACT) == 1
    harness.mem("add", NEWS, "--summary", "The cron job of the build machine.")
    dialogue.say("the zebra please")
    told = sent(harness, "the zebra please")
    assert (told.count(FACT), told.count(NEWS)) == (1, 1)


@ALL
def test_a_resumed_conversation_is_told_only_what_changed(harness: Harness) -> None:
    remember(harness)
    harness.mem("setup", harness.client.name)
    harness.ask("the lion please")
    told = resume(harness, "the otter please")
    assert told.count(FACT) == 1
    assert "the lion please" in told
    harness.mem("add", NEWS, "--summary", "The cron job of the build machine.")
    told = resume(harness, "the zebra please")
    assert (told.count(FACT), told.count(NEWS)) == (1, 1)


@ALL
def test_what_hooks_saw_is_not_imported_and_what_they_missed_is(harness: Harness) -> None:
    remember(harness)
    harness.ask("before RUN<<echo striped; ls nowhere>> there were hooks")
    harness.mem("setup", harness.client.name)
    harness.ask("the lion please")
    harness.memories()

    words = ("import", "--from", harness.client.name, "--json")
    (counts,) = json.loads(harness.mem(*words))["clients"]

    assert (counts["sessions"], counts["prompts"], counts["stored"], counts["malformed"]) == (1, 1, 1, 0)
    assert any("`echo striped; ls nowhere` failed" in memory["summary"] for memory in harness.memories())
    assert json.loads(harness.mem(*words))["clients"][0]["stored"] == 2


@ALL
def test_after_compaction_everything_is_told_again_once(harness: Harness, dialogue: Dialogue) -> None:
    if harness.client.name == "gemini":  # its protocol has no such command; -p sends one as a prompt, too
        dialogue.close()
        harness.ask("the lion please")
        assert resume(harness, "/compress").count(FACT) == 1
        return
    dialogue.say("the lion please")
    dialogue.compact()
    dialogue.say("the otter please")
    assert sent(harness, "the otter please").count(FACT) == 1
    dialogue.say("the zebra please")
    assert sent(harness, "the zebra please").count(FACT) == 1


@ALL
def test_a_cleared_session_is_told_everything_once(harness: Harness, dialogue: Dialogue) -> None:
    dialogue.say("the lion please")
    dialogue.clear()
    dialogue.say("the otter please")
    told = sent(harness, "the otter please")
    assert told.count(FACT) == 1
    assert "the lion please" not in told


@ALL
def test_every_answer_is_kept_with_its_prompt(harness: Harness, dialogue: Dialogue) -> None:
    dialogue.say("the lion please")
    dialogue.say("the otter please")
    dialogue.close()
    harness.memories()
    session = harness.mem("session", harness.mem("sessions").split()[0])
    assert session.count(f"> {ANSWER}") == 2


@ALL
def test_the_answer_to_a_single_prompt_is_kept_though_the_client_ends_at_once(harness: Harness) -> None:
    remember(harness)
    harness.mem("setup", harness.client.name)
    harness.ask("the zebra please")
    harness.memories()
    assert f"> {ANSWER}" in harness.mem("session", harness.mem("sessions").split()[0])
