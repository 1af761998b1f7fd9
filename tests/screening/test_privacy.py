"""Private spans and injected context never leave `public`, whatever is around them."""

from __future__ import annotations

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memcli.screening import public, without_private

PIECES = ("<private>", "</private>", "<PRIVATE a='b>c'>", "<private/>", "<mem-context>", "</mem-context>", "<system-reminder>",
          "</system-reminder>", "<pri", "vate>", "</", "<", ">", "ä", "İ", " ", "secret", "\ud800")  # fmt: skip


@pytest.mark.parametrize(
    ("text", "left"),
    [
        ("a <private>b</private> c", "a  c"),
        ("a <Private reason='x'>b</PRIVATE > c", "a  c"),
        ("a <private>b <private>c</private> d</private> e", "a  e"),
        ("a <private>b", "a "),
        ("a <private", "a <private"),
        ("a <private b c", "a "),
        ("a </private> b", "a </private> b"),
        ("<private>a</private>b</private>c", "b</private>c"),
        ("a <private/> b", "a <private/> b"),
        ("<privateer>a</privateer> b", "<privateer>a</privateer> b"),
        ("a <mem-context>old</mem-context> b", "a  b"),
        ("a <c-mem-context>old</c-mem-context> b", "a  b"),
        ("<hook_context>old</hook_context>\nreal prompt", "\nreal prompt"),
        ("a <mem-context>old, cut off by the harness", "a "),
        ("a <system-reminder>be good</system-reminder> b", "a  b"),
        ("a <system_reminder>be good</system_reminder> b", "a  b"),
        ("what does <system-reminder> mean?", "what does <system-reminder> mean?"),
        ("<mem-context>quotes <private> of a memory</mem-context> real", " real"),
        ("<private>a <mem-context> b</private> c </mem-context>", " c </mem-context>"),
        ("ä İ <private>ß</private> ü", "ä İ  ü"),
        ("nothing", "nothing"),
    ],
)
def test_what_is_private_or_injected_is_taken_out_and_nothing_else(text: str, left: str) -> None:
    assert public(text) == left


def test_what_somebody_stores_on_purpose_loses_private_spans_only() -> None:
    assert without_private("<mem-context>a</mem-context> <private>b</private>") == "<mem-context>a</mem-context> "


def test_halves_that_meet_make_no_new_tag() -> None:
    assert public("<pri<private>a</private>vate>secret") == "<pri…vate>secret"


@given(st.lists(st.sampled_from(PIECES), max_size=30).map("".join))
def test_what_was_taken_out_once_needs_no_second_time(text: str) -> None:
    assert public(public(text)) == public(text)
    assert without_private(without_private(text)) == without_private(text)


@given(st.lists(st.sampled_from(PIECES), max_size=12).map("".join), st.text(max_size=5))
def test_nothing_from_an_opening_tag_to_its_end_is_left(before: str, inside: str) -> None:
    text = f"{before}<private>hidden{inside.replace('<', '')}hidden</private>"
    assert "hidden" not in without_private(text)


@pytest.mark.parametrize(
    "part", ["<private>", "</private>", "<private", "<", "<system-reminder>", "<private></private><", "<private/>", "</private"]
)
def test_the_time_grows_with_the_length_and_no_faster(part: str) -> None:
    took = []
    for count in (10_000, 40_000):
        text = part * count + "</system-reminder>"
        start = time.process_time()
        public(text)
        took.append(time.process_time() - start)
    assert took[1] < max(took[0], 0.02) * 12
