"""What is open, wanted and learned is told however much was said since, and not for ever."""

from __future__ import annotations

import pytest

from tests.agents.worker.events import EDIT, Events
from tests.agents.worker.test_telling import STANDING, lines_of, section, session, start


def test_what_answers_why_is_learned_though_a_few_words_lead_to_it(events: Events) -> None:
    cause = "The export waits for the lock of the importer, which gives it back at its very end."
    session(events, "one", "Why does the export stall at night?", f"I found the cause.\n\n{cause}")
    assert section(start(events), "Learned") == [f"- 2026-03-01 {cause}"]


def test_an_instruction_of_one_word_of_its_own_is_lifted_by_that_word(events: Events) -> None:
    kept, lifted = (
        "From now on always run the formatter before you commit.",
        "From now on always run the linter before you commit.",
    )
    session(events, "one", kept, "Understood.")
    session(events, "two", lifted, "Understood.")
    then = "You no longer need to run the linter before you commit."
    session(events, "three", then, "Understood.")
    assert section(start(events), STANDING) == [f"- {then}", f"- {kept}"]


def test_what_is_open_is_closed_however_much_was_said_since(events: Events, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("memcli.agents.capture.staleness._LOOKED_AT", 1)
    session(events, "one", "Make the login lazy.", "The login is lazy.\n\nStill to do: the translations of the invoice form.")
    session(events, "two", "Sort the changelog of the release.", "The changelog of the release is sorted by date.")
    assert section(start(events), "Open") == ["- 2026-03-01 Still to do: the translations of the invoice form."]
    done = "The translations of the invoice form are done."
    session(events, "three", "Add the translations of the invoice form.", done, ("Edit", EDIT))
    assert section(start(events), "Open") == []


def test_what_was_left_open_long_before_the_last_session_is_told_no_more(events: Events) -> None:
    session(events, "one", "Make the login lazy.", "The login is lazy.\n\nStill to do: the translations of the invoice form.")
    events.count += 50 * 86_400
    session(events, "two", "Sort the changelog.", "The changelog is sorted.\n\nStill to do: the index of the manual.")
    assert len(section(start(events), "Open")) == 2
    events.count += 20 * 86_400
    session(events, "three", "Sort the contributors.", "The contributors are sorted by name.")
    assert section(start(events), "Open") == ["- 2026-04-20 Still to do: the index of the manual."]


def test_a_name_that_left_the_code_is_told_as_removed_though_older_work_is_open(
    events: Events, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("memcli.agents.capture.staleness._LOOKED_AT", 1)
    events.terminal.commit("Add hooks", hooks_yaml="repos:\n- hooks:\n  - id: trailing-whitespace\n  - id: check-yaml\n")
    session(events, "one", "Make the login lazy.", "The login is lazy.\n\nStill to do: the translations of the invoice form.")
    reply = "Commits fail because the trailing-whitespace hook rewrites files that are staged already."
    session(events, "two", "Why do commits fail?", reply)
    session(events, "three", "Which checks are there?", "Only the check of the YAML files is strict.")
    events.terminal.commit("Simplify the hooks", hooks_yaml="repos:\n- hooks:\n  - id: check-yaml\n")
    session(events, "four", "Go on", "The release notes are complete now, and the tag is set.")
    (line,) = lines_of(events, "why do commits fail", "Commits fail")
    assert "trailing-whitespace removed since 2026-03-01]" in line
