"""What people and agents state for later sessions is found by the words that they use for it."""

from __future__ import annotations

import pytest

from memcli.text import statements
from memcli.text.statements import COMMAND, DECISION, DROPPED, INSTRUCTION, LESSON, LONGEST, NOTHING, OPEN, PREFERENCE


@pytest.mark.parametrize(
    ("said", "role"),
    [
        ("From now on always run the linter before you commit.", INSTRUCTION),
        ("Never touch the folder of the designers, please.", INSTRUCTION),
        ("don't push without asking me first", INSTRUCTION),
        ("Let's go with Postgres for the sessions.", DECISION),
        ("Make sure the API stays backwards compatible, apps in the field can't be updated.", INSTRUCTION),
        ("We only deploy on weekdays before noon.", INSTRUCTION),
        ("No TODO comments in merged code.", INSTRUCTION),
        ("Treat warnings as errors.", INSTRUCTION),
        ("Customer data never leaves the EU region.", INSTRUCTION),
        ("Keep your hands off src/generated, the build writes it.", INSTRUCTION),
        ("I'd rather have duplicate code than a wrong abstraction.", PREFERENCE),
        ("Don't use floats for money anywhere.", PREFERENCE),
        ("remember: the staging database listens on 5433", INSTRUCTION),
        ("No need for an explanation in the README.", ""),
        ("Never mind, go on.", ""),
        ("The formatter never modifies the semantics of a file.", ""),
        ("Should we always run the linter?", ""),
        ("I thought the token was always renewed.", ""),
        ("Fix the login timeout", ""),
    ],
)
def test_what_a_person_states(said: str, role: str) -> None:
    assert statements.of_person(said).role == role


@pytest.mark.parametrize(
    ("heading", "said", "role"),
    [
        ("", "Everything else passes. Still to do: the docs of the login.", OPEN),
        ("Next steps", "Write the docs\nPush the branch", OPEN),
        ("", "All remaining tasks are done and committed.", ""),
        ("", "I made the import lazy and reverted it: it saves nothing here.", DROPPED),
        ("", "We decided to keep sessions in Postgres, Redis evicted them.", DECISION),
        ("", "I would go with option 2, because falling back would echo the password.", DECISION),
        ("", "The command that works is:\n```\npytest -q -m stress\n```", COMMAND),
        ("", "I could not get the integration test to run because it needs the VPN.", OPEN),
        ("", "Remaining: translations for Polish.", OPEN),
        ("", "I have not updated the OpenAPI description.", OPEN),
        ("What is missing", "- [x] the outbox", ""),
        ("", "Tried WebP first, but Safari 13 does not decode it.", DROPPED),
        ("", "We ended up using a materialized view; a plain index was still 4 s.", DECISION),
        ("", "I picked MiniSearch over Algolia so that the search works offline.", DECISION),
        ("", "The obvious fix (raising the timeout) only hides the deadlock.", LESSON),
        ("", "The flakiness was caused by a shared directory for temporary files.", LESSON),
        ("", "The build script has to be run from within the assets folder.", LESSON),
        ("", "The generated migration has no default, which will fail on SQLite if rows exist.", LESSON),
        ("", "The warning of the type checker about the macro is a known false positive.", LESSON),
        ("", "The whole stress suite takes about 10 minutes on this machine.", LESSON),
        ("", "The documentation says that hooks run in the order of their names.", LESSON),
        ("Critical insights", "The database is authoritative for progress, the property list only knows finished books.", LESSON),
        ("", "The tests took some minutes.", ""),
        ("", "The timeout was a second; it is ten now.", ""),
        ("", "I renamed the function and updated its callers.", ""),
    ],
)
def test_what_an_agent_states(heading: str, said: str, role: str) -> None:
    assert statements.of_agent(heading, said, "Fix the login").role == role


def test_the_points_of_a_review_are_open() -> None:
    point = "1. `Choice.__init__`: separator should be keyword-only."
    assert statements.of_agent("", point, "Review my branch, be critical.").role == OPEN
    assert statements.of_agent("", point, "Why does the import take so long?") == NOTHING


def test_a_statement_says_what_it_refers_back_to_and_is_short() -> None:
    said = "I first put the separator into the info, which broke a test. So I took it out again."
    assert statements.of_agent("", said, "").text == said
    assert len(statements.of_agent("", "We decided to keep it " + "because of the queue " * 40 + ".", "").text) <= LONGEST


def test_a_long_text_without_spaces_or_ends_costs_little_and_is_cut() -> None:
    assert statements.of_agent("Next steps", "修" * 300, "").text == "修" * (LONGEST - 1) + "…"
    assert statements.of_agent("", "tried " * 16_000, "") == NOTHING


def test_a_rule_out_of_a_list_stands_by_itself() -> None:
    wanted, others = "Put rules about the logs into AGENTS.md", "Contains large transcripts;\nThe code is authoritative"
    assert statements.of_agent("Policy", f"Never access without permission;\n{others}", wanted) == NOTHING
    rule = "Never read the folder of logs without asking the person first"
    assert statements.of_agent("Policy", f"{rule};\n{others}", wanted).text == rule
    assert statements.of_agent("", "Never push to main.", wanted).text == "Never push to main."
