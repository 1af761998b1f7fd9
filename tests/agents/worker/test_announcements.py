"""No passage that is told ends as if more were to come: it brings what it announces, or does not announce it."""

from __future__ import annotations

import pytest

from memcli.text import transient
from tests.agents.worker.events import Events

ANSWER = """The nightly export is finished, and all of its tables arrive in the warehouse before morning. Here is a summary of \
what was done for the nightly export:

- the lock of the nightly export is taken with a timeout
- the nightly export goes on with the next table
"""
NARRATION = [
    "The nightly export stalls because the importer keeps its lock until its very end. Now let me look at the importer:",
    "The lock of the nightly export is a file, and the importer never deletes that file:",
    "First, update the nightly export to take the lock with a timeout:",
]


def told(events: Events, question: str) -> list[str]:
    text = events.terminal.mem("get", question, "--format", "prompt").out
    return [line.partition(" [P-")[0] for line in text.splitlines() if line.startswith(("- ", "  "))]


@pytest.fixture
def answered(events: Events, monkeypatch: pytest.MonkeyPatch) -> Events:
    monkeypatch.setenv("MEMPACK_RANK_MEANING", "0")
    events.prompt("Finish the nightly export.")
    events.put("stop", reply=ANSWER, narration="\n\n".join(NARRATION))
    events.terminal.mem("worker", "run")
    return events


def test_a_summary_is_told_with_its_list(answered: Events) -> None:
    lines = told(answered, "what was done for the nightly export lock?")
    assert any("taken with a timeout" in line for line in lines), lines
    assert not any(line.endswith(":") for line in lines), lines


def test_what_an_agent_says_before_a_call_ends_with_what_it_says_of_the_subject(answered: Events) -> None:
    lines = told(answered, "why does the importer keep the lock file of the nightly export?")
    assert any("until its very end." in line for line in lines), lines
    assert any("never deletes that file." in line for line in lines), lines
    assert not any("let me look" in line or "First, update" in line for line in lines), lines


@pytest.mark.parametrize("sentence", ["First, update mount to use the cache.", "Next wire the handler.", "Then, extract it."])
def test_a_step_that_is_only_named_announces(sentence: str) -> None:
    assert transient.announces(sentence)


def test_a_heading_does_not_repeat_the_text_above_it(events: Events, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MEMPACK_RANK_MEANING", "0")
    events.prompt("Which pins of the nightly export are open?")
    first = "The pins of the nightly export are at the top of the list of open points."
    events.stop(f"{first} The two pins of the export are:\n\n1. the lock file\n2. the mail")
    events.terminal.mem("worker", "run")
    text = events.terminal.mem("get", "which pins of the nightly export are in the list?", "--format", "prompt").out
    known = text.partition("## Seen")[0]
    assert known.count(first) == 1, known
    assert "  The two pins of the export are: 1. the lock file\n  2. the mail\n" in known


@pytest.mark.parametrize(
    ("reply", "told_of_it"),
    [
        (
            "Now I have the full picture. The importer keeps the lock of the nightly export:",
            "keeps the lock of the nightly export.",
        ),
        ("The importer keeps the lock of the nightly export. Here's what I found:", "keeps the lock of the nightly export."),
    ],
)
def test_an_announcement_of_nothing_is_left_out(events: Events, reply: str, told_of_it: str) -> None:
    events.prompt("Why does the nightly export stall?")
    events.stop(reply)
    events.terminal.mem("worker", "run")
    lines = told(events, "who keeps the lock of the nightly export?")
    assert any(line.endswith(told_of_it) for line in lines), lines
    assert not any("full picture" in line or "Here's" in line for line in lines), lines


def test_a_status_that_was_true_for_a_moment_is_not_kept_with_its_output(events: Events) -> None:
    events.prompt("Is it pushed?")
    events.stop("Yes, everything is pushed and clean:\n\n```\nOn branch main\nnothing to commit, working tree clean\n```\n")
    events.terminal.mem("worker", "run")
    assert "working tree clean" not in events.terminal.mem("get", "is the branch pushed and the working tree clean?").out


@pytest.mark.parametrize("sentence", ["First, updates were lost.", "Now mounting fails because the cache is cold."])
def test_what_happened_does_not_announce(sentence: str) -> None:
    assert not transient.announces(sentence)
