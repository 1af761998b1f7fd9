"""What MiniLM reads of a text. Expected numbers are those of the model's own tokenizer."""

from __future__ import annotations

import importlib.util

import pytest

from memcli.models import minilm

pytestmark = pytest.mark.skipif(not importlib.util.find_spec("tokenizers"), reason="memcli[semantic] is not installed")


@pytest.mark.parametrize(
    ("text", "numbers"),
    [
        ("", []),
        ("hello world", [7592, 2088]),
        ("Hello, WORLD!", [7592, 1010, 2088, 999]),
        ("tokenizers", [19204, 17629, 2015]),
        ("café", [7668]),
        ("a_b", [1037, 1035, 1038]),
        ("Don't\tÉtéŕ\u200b$5", [2123, 1005, 1056, 3802, 2121, 1002, 1019]),
        ("\u4e2d\u6587", [1746, 1861]),
        ("x" * 101, [100]),
        ("\u00ad\x00\ufffd", []),
        ("\u0378", [100]),
    ],
)
def test_a_text_is_tokenized_as_the_model_was_trained(text: str, numbers: list[int]) -> None:
    assert minilm.tokenizer().encode(text).ids == [101, *numbers, 102]


def test_a_long_text_is_cut_between_its_first_and_last_token() -> None:
    assert minilm.tokenizer().encode("hello " * 500).ids == [101, *[7592] * (minilm.LENGTH - 2), 102]
