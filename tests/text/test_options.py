"""Which option of an answer somebody picks, and what it is."""

from __future__ import annotations

import pytest

from memcli.text import options

NUMBERED = "Two ways:\n\n1. **Redis**: fast, one more service.\n2. Advisory locks of Postgres, no new service.\n\nWhich?"
LETTERED = "- **A)** Keep the cron job\n- **B)** Use a queue with retries\n\nI would take B."
TABLE = "| Option | Cost | Risk |\n|---|---|---|\n| A | low | high |\n| B | a new table | low |"
HEADED = "### Option A: rewrite it in Rust\nLong.\n\n### Option B: bind the parser alone\nShort."
IN_A_LINE = "Options: 1. Fall back to stdin. 2. Leave the code and document it."
REPORT = "Done:\n1. Renamed the module.\n2. Fixed the import."


@pytest.mark.parametrize(
    ("text", "answer", "option"),
    [
        ("go with option 2", NUMBERED, "2: Advisory locks of Postgres, no new service"),
        ("do the second one", NUMBERED, "2: Advisory locks of Postgres, no new service"),
        ("the last one please", NUMBERED, "2: Advisory locks of Postgres, no new service"),
        ("2", NUMBERED, "2: Advisory locks of Postgres, no new service"),
        ("yes, B", LETTERED, "B: Use a queue with retries"),
        ("The first approach, please.", HEADED, "A: rewrite it in Rust"),
        ("Option B, because it is cheap.", TABLE, "B: a new table; low"),
        ("option 2", IN_A_LINE, "2: Leave the code and document it"),
        ("go with option 7", NUMBERED, ""),
        ("yes, B", NUMBERED, ""),
        ("2", REPORT, ""),
        ("Add a test for the second argument.", NUMBERED, ""),
        ("ok", NUMBERED, ""),
        ("a", LETTERED, ""),
        ("go with option 2", "I would cache it.", ""),
    ],
)
def test_the_option_that_is_picked(text: str, answer: str, option: str) -> None:
    assert options.chosen(text, answer) == option


def test_a_long_option_is_cut_between_words() -> None:
    option = options.chosen("option 1", f"1. {'word ' * 90}\n2. other")
    assert len(option) < 200
    assert option.endswith("word…")


@pytest.mark.parametrize(
    ("text", "is_empty"),
    [
        ("Go with option 2.", True),
        ("yes, B", True),
        ("Option 2, because Redis is one more service.", False),
        ("Use Redis.", False),
    ],
)
def test_a_text_may_say_nothing_but_which_option(text: str, is_empty: bool) -> None:
    assert options.is_empty(text) == is_empty
