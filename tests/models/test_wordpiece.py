"""Word pieces: what MiniLM reads of a text. Expected numbers are those of the model's own tokenizer."""

from __future__ import annotations

import pytest

from memcli.models.wordpiece import load, words

PIECES = load()


@pytest.mark.parametrize(
    ("text", "numbers"),
    [
        ("", []),
        ("hello world", [7592, 2088]),
        ("Hello, WORLD!", [7592, 1010, 2088, 999]),
        ("tokenizers", [19204, 17629, 2015]),
        ("café", [7668]),
        ("a_b", [1037, 1035, 1038]),
        ("\u4e2d\u6587", [1746, 1861]),
        ("x" * 101, [100]),
        ("\u00ad\x00\ufffd", []),
        ("\u0378", [100]),
    ],
)
def test_a_text_is_cut_as_the_model_was_taught(text: str, numbers: list[int]) -> None:
    assert PIECES.numbers(text, 256) == [101, *numbers, 102]


def test_a_long_text_is_cut_off_between_its_marks() -> None:
    assert PIECES.numbers("hello " * 500, 8) == [101, *[7592] * 6, 102]


def test_words_are_in_lower_case_without_accents_and_punctuation_stands_alone() -> None:
    assert words("Don't\tÉtéŕ\u200b$5") == ["don", "'", "t", "eter", "$", "5"]
