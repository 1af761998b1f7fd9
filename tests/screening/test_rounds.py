"""A mask may part what was one word before: masking goes on until nothing is found."""

from __future__ import annotations

import pytest

from memcli import screening
from memcli.screening import formats, mask

KEY = "ASIA" + "QWERTYUIOPASDFG2"


@pytest.mark.parametrize("text", [KEY * 5, KEY * 40, f"x{KEY}", f"{KEY}x{KEY}"])
def test_keys_without_a_sign_between_them_are_masked_at_once(text: str) -> None:
    raw = text.encode()
    assert [span[:2] for span in formats.find_formats(raw)][:1] == [(0, len(raw))]
    assert KEY not in mask(f"id {text}.").text


def test_what_no_round_ends_goes_by_whole_lines(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(screening, "_ROUNDS", 0)
    assert mask(f"use {KEY} now\nplain\npassword=hunter2").text == "[secret: aws-access-key]\nplain\n[secret: password]"
