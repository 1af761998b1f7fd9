"""What is masked begins and ends between characters, however many bytes of a text a rule looks at."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memcli import screening
from memcli.screening import mask
from tests.properties import examples

BESIDE = (
    "pw: x\n| token | pw\t",
    "password  ",
    "seed phrase: ",
    "passwords:\n- ",
    "\\n",
    "\\x",
    "%3Dpwd\t",
    "| token |\n",
    "<pw>",
    "│",
)
SECRETS = ("Sun" + "set4471!", "ghp_" + "a1b2" * 9, "Z2hwX", "lantern ", "")
WIDE = st.text(st.characters(min_codepoint=0x80), max_size=3) | st.sampled_from(("é", "日", "😀")).map(
    lambda letter: letter * 200
)
PARTS = st.tuples(WIDE, st.sampled_from(BESIDE), st.sampled_from(SECRETS), st.text("x", max_size=3), WIDE)


@given(
    st.lists(PARTS.map("".join) | st.sampled_from((" ", "\n", "=", ":", '"', "\ud800", "://")), min_size=1, max_size=3).map(
        "".join
    )
)
@settings(max_examples=examples(300), deadline=None)
def test_no_secret_begins_or_ends_inside_a_character(text: str) -> None:
    raw = text.encode("utf-8", "surrogatepass")
    for start, end, _ in screening.find_secrets(raw):
        assert raw[start:end].decode("utf-8", "surrogatepass")


@pytest.mark.parametrize("letter", ["é", "日", "😀"])
@pytest.mark.parametrize("before", range(4))
def test_a_value_that_is_longer_than_what_is_looked_at_is_masked_in_whole_characters(letter: str, before: int) -> None:
    masked = mask("pw: x\n| token | pw\tSun" + "set4471!" + "x" * before + letter * 200).text
    assert masked.startswith("pw: x\n| token | pw\t[secret: password]")
