"""Passages of one turn are told together: in its order, with the turn named once."""

from __future__ import annotations

import re

import pytest

from tests.agents.capture.conftest import Agent
from tests.agents.worker.events import Events

PROMPT = "Why does the nightly export stall?"
ANSWER = """The nightly export stalls for an hour whenever the importer runs at the same time, and I know why now.

## Root cause of the stall
The export waits for the lock of the importer, which the importer only gives back at its very end.

## What else I looked at
The disk is fine, and so is the network; neither of them was ever busy during that hour.

## How the export is mended
The export takes the lock with a timeout of ten seconds, and goes on with the next table where it gets none.

## Tests of the export
The export has a test that holds the lock and counts the tables that were exported all the same.

## Docs of the export
The page about the nightly export says how long it waits for a lock, and what it does then.
"""


@pytest.fixture
def answered(events: Events, monkeypatch: pytest.MonkeyPatch) -> Events:
    """A session whose answer has six passages, of which five are about the export and one is not."""
    monkeypatch.setenv("MEMPACK_RANK_MEANING", "0")
    events.prompt(PROMPT)
    events.stop(ANSWER)
    events.prompt("Now sort the changelog.")
    events.stop("The changelog is sorted by date, and each entry names its pull request.")
    events.terminal.mem("worker", "run")
    return events


def lines_of(events: Events, *options: str) -> list[str]:
    """The lines of a pack that tell of the export."""
    text = events.terminal.mem("get", "nightly export lock", "--format", "prompt", *options).out
    return [line for line in text.splitlines() if "export" in line.lower()]


def test_an_answer_is_named_once_and_its_passages_follow_in_its_order(answered: Events) -> None:
    lines = lines_of(answered)
    ids = re.findall(r"P-\w+#a\d+", "\n".join(lines))
    assert len(ids) == len(set(ids)) <= 2  # the answer, and perhaps the prompt
    places = [ANSWER.find(line.split(": ")[-1].split(" [")[0].strip("…- ")[:40]) for line in lines if "Why does" not in line]
    assert places == sorted(places)


def test_what_lies_between_two_passages_is_an_ellipsis(answered: Events) -> None:
    lines = lines_of(answered)
    assert any(line.startswith("  … ") for line in lines)
    assert "neither of them was ever busy" not in "\n".join(lines)


def test_an_excerpt_has_five_passages_at_most(answered: Events) -> None:
    pack = answered.terminal.mem("get", "nightly export lock", "--json").json
    assert len([memory["id"] for memory in pack["top_memories"] if "#a" in memory["id"]]) <= 5
    explained = answered.terminal.mem("explain", "nightly export lock", "--json").json["memories"]
    assert "count" in {match["verdict"] for match in explained}


def test_a_pack_has_no_more_excerpts_than_the_setting_says(answered: Events, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MEMPACK_BUDGET_EXCERPTS", "1")
    pack = answered.terminal.mem("get", "nightly export lock changelog", "--json").json
    turns = {memory["id"].partition("#")[0] for memory in pack["top_memories"] if "#" in memory["id"]}
    assert len(turns) == 1


def test_an_answer_stands_below_its_prompt(answered: Events) -> None:
    text = answered.terminal.mem("get", "sort the changelog by date", "--format", "prompt").out
    below = r"  Answer: The changelog is sorted by date, and each entry names its pull request\."
    assert re.search(rf"^- Now sort the changelog\. \[P-\w+#1 · prompt · [-\d]+\]\n{below}", text, re.M)


def test_a_passage_is_worth_more_whose_turn_has_another_that_matches(answered: Events) -> None:
    explained = answered.terminal.mem("explain", "nightly export lock", "--json").json["memories"]
    lent = {match["id"].partition("#")[2]: match["features"]["beside"] for match in explained if "#" in match["id"]}
    assert max(lent.values()) > 0


def test_in_xml_each_passage_is_an_element_of_its_own(answered: Events) -> None:
    text = answered.terminal.mem("get", "nightly export lock", "--format", "xml").out
    assert len(re.findall(r'<memory id="P-\w+#a\d+"', text)) > 1
    assert "… " not in text


def test_a_further_session_is_told_the_same_lines_by_its_prompt(answered: Events) -> None:
    agent = Agent(answered.terminal)
    agent.hook("session-start", {"session_id": "s2", "source": "startup"})
    text = agent.hook("user-prompt", {"session_id": "s2", "prompt": "How does the nightly export wait for its lock?"}).out
    assert "  … " in text
    assert len(re.findall(r"P-\w+#a\d+", text)) == 1
