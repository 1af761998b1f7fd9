"""Who wrote what sessions left, as the start of the next session says it."""

from __future__ import annotations

from contextlib import closing

import pytest

from memcli.agents.turns import inspection
from memcli.project import Where, open_for_reading
from tests.agents.worker.events import Events


def start(events: Events) -> str:
    return str(events.terminal.mem("turn", "prepare", "--session", "next", "--format", "prompt").json["text"])


def test_a_start_in_markdown_names_the_writer_in_the_heading_and_marks_who_is_another(events: Events) -> None:
    events.prompt("Let's use SQLite because it needs no server. Always run the linter before you commit.")
    events.stop("We decided to cap retries at five because callers wait.\n\nTODO: document the retries.")
    events.end()
    events.work()
    sections = {head: body for head, _, body in (part.partition("\n") for part in start(events).split("\n## "))}
    assert "Always run the linter" in sections["Standing instructions (of the person)"]
    decisions = sections["Decisions (as agents say)"].splitlines()
    assert [line.endswith(" [by the person]") for line in decisions if "SQLite" in line] == [True]
    assert [line.endswith("callers wait.") for line in decisions if "retries" in line] == [True]
    assert "document the retries" in sections["Open (as agents say)"]
    assert "by the person" not in sections["Open (as agents say)"]
    assert sections["Last sessions (as hooks saw them)"].startswith("- ")


def test_rules_that_an_agent_worded_stand_among_those_of_the_person_under_its_name(events: Events) -> None:
    events.prompt("What should stand in AGENTS.md about tests?")
    events.stop("Never mock the database in tests of the store.")
    events.end()
    events.work()
    (line,) = [line for line in start(events).splitlines() if "mock the database" in line and line.startswith("- Never")]
    assert line.endswith(" · by an agent]")


def test_each_line_of_a_start_has_its_tokens(events: Events, monkeypatch: pytest.MonkeyPatch) -> None:
    events.prompt("Let's use SQLite because it needs no server. Always run the linter before you commit.")
    events.stop("We decided to cap retries at five because callers wait.\n\nTODO: document the retries.")
    events.end()
    events.work()
    monkeypatch.chdir(events.terminal.folder)
    with closing(open_for_reading(Where())) as project:
        items = inspection.preview(project, "claude", "").items
    assert {item.why for item in items} >= {"open", "instruction", "decision", "session"}
    assert all(item.tokens > 0 for item in items)
