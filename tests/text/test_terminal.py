"""Nothing stored can move a cursor, turn the reading order, hide itself or end an element; what is harmless stays as it is."""

from __future__ import annotations

import unicodedata
import xml.etree.ElementTree as ElementTree

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memcli.text.terminal import is_storable, is_unsafe, oneline, visible, xml

ANY = settings(max_examples=300, deadline=None, derandomize=True)
EVERY = [chr(code) for code in range(0x110000)]
BIDI = "\u061c\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069"
TAGS = [chr(code) for code in range(0xE0000, 0xE0080)]
texts = st.one_of(
    st.text(), st.text(st.sampled_from(BIDI + "\x1b\x9b\r\n\t\x00\x7f\x85\u2028\ufeff\ud800\ufffe<>&\"' ab"), max_size=20)
)


@ANY
@given(texts)
def test_nothing_unsafe_is_left_of_any_text(text: str) -> None:
    for made, allowed in ((visible(text), "\n\t"), (oneline(text), ""), (xml(text), "\n\t")):
        assert not [char for char in made if is_unsafe(char) and char not in allowed]
        assert made.encode("utf-8").decode("utf-8") == made


def test_every_control_and_every_invisible_order_is_unsafe() -> None:
    unsafe = {char for char in EVERY if is_unsafe(char)}
    assert {char for char in EVERY if unicodedata.category(char) in ("Cc", "Cs", "Zl", "Zp")} <= unsafe
    assert set(BIDI) | set(TAGS) | {"\ufffe", "\uffff"} <= unsafe
    assert {char for char in unsafe if unicodedata.category(char) not in ("Cc", "Cs", "Cf", "Zl", "Zp", "Cn")} == set()
    assert not unsafe & set(map(chr, range(0x20, 0x7F)))


def test_what_is_written_out_tells_which_character_it_was() -> None:
    assert visible("\x1b[31m\x07\x7f\x9b") == "\\x1b[31m\\x07\\x7f\\x9b"
    assert visible("\u202e\u2028\U000e0041\ud800") == "\\u202e\\u2028\\U000e0041\\ud800"
    assert visible("a\r\nb\tc\x00") == "a\\x0d\nb\tc\\x00"


@ANY
@given(st.text(st.characters(exclude_categories=["Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp", "Zs"])))
def test_printable_text_is_unchanged(text: str) -> None:
    assert visible(text) == oneline(text) == text


@pytest.mark.parametrize(
    "text", ["👩‍👩‍👧‍👦", "🏳️‍🌈", "नमस्ते", "क्‍ष", "می‌خواهم", "e\u0301", "שלום", "\u00a0x", "soft\u00adhyphen", "🇩🇪", "1️⃣"], ids=ascii
)
def test_scripts_and_emoji_keep_their_joiners(text: str) -> None:
    assert visible(text) == text
    assert xml(text) == text


@ANY
@given(texts)
def test_one_line_is_one_line(text: str) -> None:
    made = oneline(text)
    assert made.splitlines() in ([], [made])
    assert made == made.strip(" ")
    assert "  " not in made
    assert oneline(made) == made


def test_runs_of_white_space_become_one_space() -> None:
    assert oneline("  a \t\n b\r\n\x0b\x0cc\u2028d\u00a0e\x85 ") == "a b c d e"
    assert oneline(" \n ") == ""


@ANY
@given(texts)
def test_xml_carries_any_text_inside_an_element_and_an_attribute(text: str) -> None:
    made = xml(text)
    root = ElementTree.fromstring(f'<a b="{made}">{made}</a>')
    assert root.text in (visible(text), None if not text else visible(text))
    assert root.get("b") == visible(text).replace("\n", " ").replace("\t", " ")
    assert len(root) == 0


@ANY
@given(texts)
def test_what_can_be_stored_is_unicode_without_nul(text: str) -> None:
    try:
        expected = "\0" not in text and text.encode("utf-8") is not None
    except UnicodeEncodeError:
        expected = False
    assert is_storable(text) is expected


@pytest.mark.parametrize(
    ("text", "storable"),
    [("", True), ("a\0", False), ("é\0", False), ("é\udfff", False), ("\ud800", False), ("\uffff\x1b", True)],
)
def test_the_edges_of_what_can_be_stored(text: str, storable: bool) -> None:
    assert is_storable(text) is storable
