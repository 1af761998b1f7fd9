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


def test_what_an_answer_says_is_left_still_does_not_close_it(events: Events) -> None:
    left = "What is missing:\n\n- the conversion of relative names in the importer\n- the handler of broken archives"
    session(events, "one", "Why is the coverage of the importer incomplete?", left, ("Edit", EDIT))
    still = "Lines now missing:\n\n- the conversion of relative names\n- the handler of broken archives"
    again = f"I dropped a default of the importer. {still}"
    session(events, "two", "Drop the default of the importer", again, ("Edit", EDIT))

    told = "\n".join(section(start(events), "Open"))
    assert "conversion of relative names" in told
    assert "handler of broken archives" in told


def test_a_ticket_is_closed_by_work_that_names_it(events: Events) -> None:
    filed = "Discovered and filed #41: a bug where the session loader drops the agent of a message."
    session(events, "one", "Cover the transcript page with tests", filed, ("Edit", EDIT))
    other = "The session loader and the transcript page show the agent of each message in one line."
    session(events, "two", "Show messages of the session loader in one line", other, ("Edit", EDIT))
    assert section(start(events), "Open") == [f"- 2026-03-01 {filed}"]

    session(events, "three", "Fix #41", "#41 is fixed: the session loader keeps the agent of a message.", ("Edit", EDIT))
    assert section(start(events), "Open") == []


def test_much_that_is_asked_for_leaves_room_for_what_is_open(events: Events) -> None:
    practices = {
        "the parser": "feed it every grammar of the archive and compare the trees",
        "a migration": "write down how long it takes on the copy of the customer's data",
        "the mailer": "send one letter in each language to the mailbox of the office",
        "the checkout": "pay with a card, by invoice and with a voucher on the staging shop",
        "an endpoint": "describe it in the catalogue and tell the team of the mobile client",
        "the scheduler": "run a week of jobs in an hour with the accelerated clock",
        "a picture": "look at it in the dark theme and on the narrowest screen there is",
        "the installer": "try it on a machine that never had any of our programs",
    }
    end = "and put the outcome, the day, the machine and how long all of it took into the log of the team, with your own name"
    rules = [f"Whenever you change {what}, {practice}, {end}." for what, practice in practices.items()]
    for number, rule in enumerate(rules):
        session(events, f"rule{number}", rule, "I will.")
    left = {
        "one": "Still to do: the docs of the login page, with a picture of each of its states.",
        "two": "The voucher is not booked yet when somebody pays it back in parts over the counter.",
        "three": "Somebody should look at the letters in Hungarian, whose accents came out wrong.",
        "four": "The clock of the simulator still has to be set by hand at the end of the summer time.",
    }
    for name, point in left.items():
        session(events, name, f"Work on part {name}", point, ("Edit", EDIT))

    text = start(events)
    assert len(section(text, "Open")) == len(left)
    assert len(section(text, STANDING)) >= 5
    assert section(text, "Last sessions")


def test_what_is_wanted_of_something_at_hand_is_told_last(events: Events) -> None:
    session(events, "one", "Never nest callbacks in the parser.", "Understood.")
    session(events, "two", "Never use this style of nested callbacks.", "I see.")

    told = section(start(events), STANDING)
    assert told == ["- Never nest callbacks in the parser.", "- Never use this style of nested callbacks."]


def test_the_line_of_a_session_says_what_came_of_it_not_that_the_agent_understood(events: Events) -> None:
    session(events, "one", "Is the export of the archive slow?", "Left as it is.")
    session(events, "two", "How are the mails sent?", "**What happens.** The relay sends the mails every ten minutes.")
    session(
        events, "three", "The mails go to the new relay.", "Understood: the mails go to the new relay, no changes to the old one."
    )
    assert section(start(events), "Last sessions") == [
        "- 2026-03-01 The mails go to the new relay.",
        "- 2026-03-01 The relay sends the mails every ten minutes.",
        "- 2026-03-01 Is the export of the archive slow?",
    ]
