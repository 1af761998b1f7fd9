"""How common a word is in English: what everybody writes says less of a subject than what is as rare in the store."""

from __future__ import annotations

from pathlib import Path

import pytest

from memcli.recall import near
from memcli.recall.near import COMMON, LENGTH, START, VOCABULARY, weights
from tests.conftest import Terminal


def test_the_common_pieces_are_the_first_of_the_vocabulary_from_the_on() -> None:
    pieces = Path(VOCABULARY).read_bytes()[START : START + LENGTH]
    assert pieces.startswith(b"\nthe\nof\nand\n")
    assert pieces.endswith(b"\n")
    assert len(pieces.split()) == COMMON


def test_the_more_common_a_word_is_the_less_it_keeps() -> None:
    kept = weights(["anything", "branch", "pager"], "")
    assert 0 < kept["anything"] < kept["branch"] < 1
    assert "pager" not in kept


@pytest.mark.parametrize(
    ("text", "word"),
    [
        ("what does Grace like", "grace"),
        ("is it `Branch`, or what?", "branch"),
        ("where is the_happen", "happen"),
        ("who calls anythingElse", "anything"),
    ],
)
def test_names_of_persons_and_of_code_keep_all(text: str, word: str) -> None:
    assert word in weights([word], text.lower().replace("_", " "))
    assert word not in weights([word], text)


def test_the_first_word_of_a_sentence_is_no_name() -> None:
    assert weights(["far", "branch"], "Far from it. Branch or not?").keys() == {"far", "branch"}


def test_without_the_vocabulary_every_word_keeps_all(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(near, "VOCABULARY", str(tmp_path / "none.txt"))
    assert weights(["anything"], "anything") == {}


def test_what_shares_a_word_of_the_subject_goes_before_what_shares_a_word_of_every_day(terminal: Terminal) -> None:
    terminal.add("Anything that breaks", "the tests are run again")
    terminal.add("Environment", "uv starts the tool, no activating of it")
    terminal.add("Fonts", "the page has fonts of its own")
    assert terminal.titles("activating anything")[0] == "Environment"
    assert terminal.titles("anything activating")[0] == "Environment"


def test_a_misspelt_word_keeps_what_the_corrected_one_does(terminal: Terminal) -> None:
    terminal.add("Anything that breaks", "the tests are run again")
    terminal.add("Environment", "uv starts the tool, no activating of it")
    assert terminal.titles("activating anythng")[0] == "Environment"
