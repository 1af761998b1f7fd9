"""A rule for all later work is told from other sentences where no word says so."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from memcli.text import standing, statements

ROOT = Path(__file__).parents[2]
sys.path.insert(0, str(ROOT / "scripts"))

import train_standing  # noqa: E402


def test_the_table_is_what_the_sentences_teach() -> None:
    table = [line.split("\t") for line in train_standing.TABLE.read_text(encoding="utf-8").splitlines()]
    learned = train_standing.learn(train_standing.read(train_standing.SENTENCES / "train.tsv"))
    assert {feature: int(weight) for feature, weight in table} == {name: weight for name, weight in learned.items() if weight}


def test_of_sentences_that_were_not_learned_most_rules_are_kept_and_few_others() -> None:
    kept, wrong = train_standing.shares_kept(train_standing.read(train_standing.SENTENCES / "held_out.tsv"))
    assert kept >= 0.6
    assert wrong <= 0.05


@pytest.mark.parametrize(
    "sentence",
    [
        "if so, proceed with the commit",
        "I moved the tests next to the code and kept small functions",
        "Yes, keep functions small there",
        "You need to keep functions small",
        "Prefer small functions for now",
        " ".join(["Keep functions small and tests next to the code"] * 3),
    ],
)
def test_what_tells_agrees_or_is_long_is_no_rule_whatever_its_words(sentence: str) -> None:
    assert not standing.reads_like_rule(sentence)


def test_ids_and_names_do_not_count() -> None:
    assert standing.features("Never edit src/vendor.py by hand") == standing.features("Never edit lib/other.ts by hand")


@pytest.mark.parametrize("sentence", ["", " ", "?!", "x" * 100_000, "日本語のみ", "\ud800"])
def test_any_text_can_be_looked_at(sentence: str) -> None:
    assert not standing.reads_like_rule(sentence)


@pytest.mark.parametrize(
    "sentence",
    """No semicolons. | English only | tabs, always | Tabs, not spaces | use uv, not pip | No emojis please | no mocks in tests
    No new dependencies! | no secrets in the logs | Conventional commits | Small commits, please | Always squash
    UTC everywhere | Max 100 columns | no functions over 40 lines | four-space indent | one commit per fix
    Comments in English | German in the UI
    Composition over inheritance | Accessibility is not optional | Be concise.
    rebase, never merge | No tracking, ever""".replace("\n", "|").split("|"),
)
def test_a_habit_is_wanted_always_in_however_few_words(sentence: str) -> None:
    assert statements.of_person(sentence).role == statements.INSTRUCTION


@pytest.mark.parametrize(
    "sentence",
    """No luck. | No idea, ever | No more errors | no tests ran | No credentials | pip, not found | npm, no luck | yes, not npm
    Only docker | Type hints missing | Trailing comma | semicolons everywhere! | hover over it | Always failing | Never again
    Max 3 items | Tests only this time | English only for now | Squash it | Tabs look broken | Docs first | blue, not red
    English only? | 80 columns is fine | one test fails | No tests for that""".replace("\n", "|").split("|"),
)
def test_a_few_words_about_what_happens_or_is_at_hand_are_no_rule(sentence: str) -> None:
    assert statements.of_person(sentence).role not in train_standing.WANTED


@pytest.mark.parametrize(
    "sentence",
    """You keep reformatting files while we are still choosing the schema. | I'm bothered by the long names in the loader.
    I don't want to upload the archive by hand. | I want to add the photos manually in a separate commit.
    don't say in the changelog that we dropped the old parser | Don't mention in the message that the test was broken
    don't write code yet, explain it | do not run anything, please | We're still bound to that vendor because of the contract.
    I want you to update AGENTS.md so that agents always ask before they touch the archive.
    can you add a rule that every page has a title | Update the guideline, it has to say to never log bodies
    In the future, I'd like to add groups and roles. | I manually checked that all rows are there.
    You are an expert in compilers who never gives up.""".replace("\n", "|").split("|"),
)
def test_a_complaint_a_task_a_fact_and_an_order_for_the_moment_are_no_rule_whatever_their_words(sentence: str) -> None:
    assert statements.of_person(sentence.strip()).role not in train_standing.WANTED


@pytest.mark.parametrize(
    "sentence",
    """From now on the branch for releases is called stable. | I want to remind you to always run the linter before you push.
    I start the deployments myself. | You may edit the old migrations again. | From now on, never ask me "shall I go on?"
    Do not run anything on production unless I say so.
    Don't put comments into shell blocks, put them into the text above.""".replace("\n", "|").split("|"),
)
def test_a_rule_in_such_words_is_kept(sentence: str) -> None:
    assert statements.of_person(sentence.strip()).role in train_standing.WANTED


def test_a_sentence_without_a_cue_counts_less_among_those_about_the_work_at_hand() -> None:
    rule = "Short names beat long comments."
    task = "The export has no header. Add one with the names of the columns. Then look at the encoding of the file."
    assert statements.of_person(rule).role == statements.INSTRUCTION
    assert standing.tells_of_work(statements.sentences(f"{task} {rule}"))
    assert not standing.tells_of_work(statements.sentences(f"{rule} Never push to main. Add one."))
    assert statements.of_person(rule, is_of_task=True).role == ""
    assert statements.of_person("Never push to main.", is_of_task=True).role == statements.INSTRUCTION
