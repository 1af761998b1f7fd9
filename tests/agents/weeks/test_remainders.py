"""A turn that says what is left closes the rest of it, and never what it names as left."""

from __future__ import annotations

import pytest

from memcli.text import remainders
from tests.agents.weeks.player import Player
from tests.agents.worker.test_telling import section
from tests.conftest import Terminal

POINTS = "Still open:\n- write the docs of the parser\n- add a changelog entry"


@pytest.fixture
def player(terminal: Terminal, monkeypatch: pytest.MonkeyPatch) -> Player:
    """A repository in which a session left two points open."""
    player = Player(terminal, monkeypatch, "claude")
    player.play([["write", "a.py", "a = 1\nb = 2\n"], ["commit", "Begin"]])
    player.play(
        [["ask", "Write a parser."], ["edit", "a.py", "a = 1", "a = 3"], ["answer", f"It is in `a.py`.\n\n{POINTS}"], ["end"]]
    )
    return player


@pytest.mark.parametrize(
    "answer",
    [
        "The docs of the parser are written. The changelog entry remains.",
        "The docs of the parser are done, the changelog entry is what is left.",
        "Docs of the parser: done. Changelog entry: open.",
        "Docs of the parser: done. Changelog entry: not started.",
        "Only the changelog entry is left.",
        "I wrote the docs of the parser. Next: the changelog entry.",
        "The docs of the parser are there; all that remains is the changelog entry.",
        "Documented the parser, which leaves the changelog entry.",
        "The docs of the parser are in place, but the changelog entry is still outstanding.",
        "The docs of the parser are written and the changelog entry is pending.",
        "The parser is documented. I did not get to the changelog entry.",
        "The parser has docs now. The changelog entry comes next.",
        "Next up is the changelog entry, the docs of the parser are finished.",
        "The parser is documented – the one thing missing is the changelog entry.",
        "Die Doku des Parsers (docs of the parser) ist fertig. Es fehlt noch: changelog entry.",
    ],
)
def test_what_a_turn_says_is_left_stays_open_and_what_it_did_closes(player: Player, answer: str) -> None:
    player.play([["ask", "Go on with the parser."], ["write", "docs.md", "# parser\n"], ["commit", "Document the parser"]])
    player.play([["answer", answer], ["end"]])
    (left,) = section(player.start(), "Open")
    assert "changelog entry" in left.lower()


def test_what_is_done_at_last_closes_what_was_left(player: Player) -> None:
    for file, message, answer in (
        ("docs.md", "Document the parser", "The docs of the parser are written. The changelog entry remains."),
        ("CHANGELOG.md", "Add a changelog entry for the parser", "The changelog entry is written, too."),
    ):
        player.play(
            [["ask", "Go on with the parser."], ["write", file, "# parser\n"], ["commit", message], ["answer", answer], ["end"]]
        )
    assert section(player.start(), "Open") == []


@pytest.mark.parametrize(
    ("text", "left"),
    [
        ("The export and the import are done, the tests and the docs remain.", ["the tests and the docs remain."]),
        ("What remains is the export, the import and the tests.", ["What remains is the export", "the import and the tests."]),
        ("The export works now, and only the import is still missing.", ["only the import is still missing."]),
        ("The export is written. Nothing remains.", []),
        ("The old names remain valid in the export.", []),
        ("All three are done, no questions remain.", []),
        ("We kept the export, which leaves it to the caller.", []),
    ],
)
def test_the_parts_of_a_report_that_say_what_is_left(text: str, left: list[str]) -> None:
    assert list(remainders.left(text)) == left
