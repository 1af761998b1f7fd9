"""What only the harness's own record of a session tells: remarks in the middle of a turn, earlier answers, its to-do list."""

from __future__ import annotations

import json
from typing import Any

from memcli.text import dates
from tests.agents.worker.events import START, Events
from tests.agents.worker.test_telling import section, start


class Recorded(Events):
    """A session whose harness writes a transcript beside the store."""

    def line(self, role: str, content: Any) -> None:
        """The harness notes something."""
        path = self.terminal.folder / f"{self.session}.jsonl"
        line = {"type": role, "timestamp": dates.iso(START + self.count * 1000), "message": {"role": role, "content": content}}
        with path.open("a") as file:
            file.write(json.dumps(line) + "\n")

    def prompt(self, text: str) -> None:
        super().prompt(text)
        self.line("user", text)

    def stop(self, reply: str = "Done.") -> None:
        self.line("assistant", [{"type": "text", "text": reply}])
        self.put("stop", reply=reply, transcript=str(self.terminal.folder / f"{self.session}.jsonl"))

    def plan(self, name: str = "TodoWrite", **states: str) -> None:
        """The agent writes its to-do list: what is to be done, with its state."""
        todos = [{"content": text.replace("_", " "), "status": state} for text, state in states.items()]
        self.line("assistant", [{"type": "tool_use", "name": name, "input": {"todos": todos}}])


def test_what_a_to_do_list_leaves_is_open(events: Events) -> None:
    session = Recorded(events.terminal, "one")
    session.prompt("Build the login form")
    session.plan(Write_the_form="completed", Translate_the_labels="in_progress", Document_the_form="pending")
    session.stop("The form is there, I ran out of time for the labels.")
    session.work()
    (line,) = section(start(events), "Open")
    assert line.endswith("To do: Translate the labels; Document the form")

    session.prompt("Finish the rest of it")
    session.plan(Write_the_form="completed", Translate_the_labels="completed", Document_the_form="completed")
    session.stop("The labels are translated.")
    session.work()
    assert section(start(events), "Open") == []


def test_a_list_that_nobody_ticked_off_is_not_told_where_the_answer_says_that_all_is_done(events: Events) -> None:
    session = Recorded(events.terminal, "one")
    session.prompt("Build the login form")
    session.plan(Write_the_form="in_progress", Translate_the_labels="pending")
    session.stop("Everything is done and committed.")
    session.work()
    assert section(start(events), "Open") == []


def test_odd_lists_are_passed_over(events: Events) -> None:
    session = Recorded(events.terminal, "one")
    session.prompt("Build the login form")
    for given in ({"todos": "x"}, {"todos": [1, None]}, "no json", {"todos": [{"status": "pending"}]}, None):
        session.line("assistant", [{"type": "tool_use", "name": "TodoWrite", "input": given}])
    session.stop("The form is written and works now.")
    session.work()
    assert section(start(events), "Open") == []


def test_an_answer_stays_known_after_a_later_word_to_the_same_prompt(events: Events) -> None:
    session = Recorded(events.terminal, "one")
    session.prompt("Cover the login with tests")
    session.stop("Covered the login. Discovered and filed: #512, a bug where the token loses its user agent.")
    session.stop("That was only the notification of a test run in the background.")
    session.work()

    assert "filed: #512" in events.terminal.mem("get", "token loses its user agent", "--format", "prompt").out
    (line,) = section(start(events), "Open")
    assert "filed: #512" in line


def test_what_was_learned_in_the_middle_of_a_turn_is_told(events: Events) -> None:
    session = Recorded(events.terminal, "one")
    session.prompt("Make the tests of the form pass")
    session.line(
        "assistant", [{"type": "text", "text": "The form runs in a process of its own that can't access the test database."}]
    )
    session.stop("The tests pass.")
    session.work()
    assert section(start(events), "Learned") == [
        "- 2026-03-01 The form runs in a process of its own that can't access the test database."
    ]
