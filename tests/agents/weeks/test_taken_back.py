"""Work that is taken back takes with it what was told of it, whoever takes it back and by whatever means of git."""

from __future__ import annotations

import re
from collections.abc import Callable

import pytest

from tests.agents.weeks.player import Player, Step
from tests.agents.worker.test_telling import section
from tests.conftest import Terminal

SHOP: list[Step] = [
    ["write", "src/pay.py", "a = 1\nb = 2\n"],
    ["write", "src/mail.py", "z = 1\n"],
    ["commit", "Start the shop"],
]
POINT = "The mail sender in `src/mail.py` has no retry limit yet."
LEFT: list[Step] = [
    ["ask", "Build retries."],
    ["edit", "src/pay.py", "a = 1", "a = 3"],
    ["commit", "Add retries"],
    ["answer", f"Built.\n\nOpen:\n- {POINT}"],
    ["end"],
]
DONE: list[Step] = [
    ["ask", "Add a retry limit to the mail sender."],
    ["edit", "src/mail.py", "z = 1", "z = 5"],
    ["commit", "Limit retries of the mail sender"],
    ["answer", "Done, the sender stops after 5 tries."],
    ["end"],
]
PENDING = [step for step in DONE if step[0] != "commit"]
MEANWHILE: list[Step] = [["ask", "What does b stand for?"], ["answer", "`b` is the number of banks that take part."], ["end"]]

Play = Callable[..., Player]


@pytest.fixture
def play(terminal: Terminal, monkeypatch: pytest.MonkeyPatch) -> Play:
    """Plays steps in a new repository."""
    player = Player(terminal, monkeypatch, "claude")

    def run(*parts: list[Step]) -> Player:
        player.play([step for part in parts for step in part])
        return player

    return run


def opened(player: Player) -> str:
    """What a start tells to be open."""
    return "\n".join(section(player.start(), "Open"))


def is_open_again(player: Player) -> bool:
    """Tells whether the point is told as open, and what was done for it at most as reverted."""
    told = lines(player, "retry limit of the mail sender", "stops after 5 tries")
    return POINT in opened(player) and all("reverted since" in line for line in told)


def lines(player: Player, question: str, words: str) -> list[str]:
    """The lines with some words that a question brings."""
    return [line for line in player.terminal.mem("get", question, "--format", "prompt").out.splitlines() if words in line]


REVERTS: dict[str, list[Step]] = {
    "a later session by git revert": [
        ["ask", "Take that commit back, support has to agree first."],
        ["git", "revert --no-edit HEAD"],
        ["answer", "Reverted the commit; there is no limit of tries again."],
        ["end"],
    ],
    "a later session that says little": [
        ["ask", "undo that"],
        ["git", "revert --no-edit HEAD"],
        ["answer", "Reverted."],
        ["end"],
    ],
    "the person, before a session asks for something else": [["days", "1"], ["git", "revert --no-edit HEAD"], *MEANWHILE],
    "the person, before a session that is only begun": [
        ["days", "1"],
        ["git", "revert --no-edit HEAD"],
        ["ask", "Hello"],
        ["end"],
    ],
    "the person, in words": [
        ["git", "revert --no-commit HEAD"],
        ["commit", 'Revert "Limit retries of the mail sender"'],
        *MEANWHILE,
    ],
    "a reset": [["git", "reset -q --hard HEAD~1"], *MEANWHILE],
    "a reset by a session": [
        ["ask", "undo that"],
        ["git", "reset -q --hard HEAD~1"],
        ["answer", "The last commit is gone."],
        ["end"],
    ],
}


@pytest.mark.parametrize("how", REVERTS)
def test_a_commit_that_is_reverted_is_told_as_taken_back_and_what_it_did_is_open_again(play: Play, how: str) -> None:
    player = play(SHOP, LEFT, DONE)
    assert POINT not in opened(player)
    player.play(REVERTS[how])
    assert is_open_again(player)
    assert not [line for line in section(player.start(), "Last sessions") if re.search(r"\d Limit retries", line)]


UNDONE: dict[str, list[Step]] = {
    "a later session by git checkout": [
        ["ask", "Put the mail sender back as it was."],
        ["git", "checkout -q -- src/mail.py"],
        ["answer", "It is as it was."],
        ["end"],
    ],
    "a later session by git restore": [
        ["ask", "Put it back."],
        ["git", "restore src/mail.py"],
        ["answer", "I took the limit out again."],
        ["end"],
    ],
    "the person by git reset": [["git", "reset -q --hard"], *MEANWHILE],
    "the person by git checkout": [["git", "checkout -q ."], *MEANWHILE],
    "a later session by an edit": [
        ["ask", "Put it back."],
        ["edit", "src/mail.py", "z = 5", "z = 1"],
        ["answer", "The file is as it was."],
        ["end"],
    ],
}


@pytest.mark.parametrize("how", UNDONE)
def test_work_that_was_never_committed_and_is_undone_is_open_again(play: Play, how: str) -> None:
    player = play(SHOP, LEFT, PENDING)
    assert POINT not in opened(player)
    player.play(UNDONE[how])
    assert is_open_again(player)


KEPT: dict[str, list[Step]] = {
    "a switch of branches and back": [["git", "checkout -q -b other"], *MEANWHILE, ["git", "checkout -q main"]],
    "a commit on a branch": [["git", "checkout -q -b limit"], ["commit", "Limit retries of the mail sender"], *MEANWHILE],
    "a commit by the person": [["commit", "Limit retries of the mail sender"], *MEANWHILE],
    "a stash": [["git", "stash -q"], *MEANWHILE, ["git", "stash pop -q"]],
}


@pytest.mark.parametrize("how", KEPT)
def test_work_that_is_kept_elsewhere_is_not_taken_back(play: Play, how: str) -> None:
    player = play(SHOP, LEFT, PENDING, KEPT[how])
    assert POINT not in opened(player)


def test_a_commit_that_is_brought_back_closes_again_what_it_had_closed(play: Play) -> None:
    again: list[Step] = [
        ["ask", "Support agreed: bring the limit back."],
        ["git", "revert --no-edit HEAD"],
        ["answer", "The commit is back."],
        ["end"],
    ]
    player = play(SHOP, LEFT, DONE, REVERTS["a later session by git revert"], again)
    assert POINT not in opened(player)
    assert any("reverted since" not in line for line in lines(player, "retry limit of the mail sender", "stops after 5 tries"))


def test_of_two_commits_of_a_turn_the_one_that_is_reverted_alone_is_taken_back(play: Play) -> None:
    both: list[Step] = [
        ["ask", "Limit the retries of the mail sender, and name the banks."],
        ["edit", "src/mail.py", "z = 1", "z = 5"],
        ["commit", "Limit retries of the mail sender"],
        ["edit", "src/pay.py", "b = 2", "banks = 2"],
        ["commit", "Name the number of banks"],
        ["answer", "The sender stops after 5 tries.\n\nThe number of banks is called `banks` now."],
        ["end"],
    ]
    back: list[Step] = [
        ["ask", "No limit please, take that commit back."],
        ["git", "revert --no-edit HEAD~1"],
        ["answer", "Reverted the limit."],
        ["end"],
    ]
    player = play(SHOP, LEFT, both, back)
    assert POINT in opened(player)
    assert all("reverted since" in line for line in lines(player, "retry limit of the mail sender", "stops after 5 tries"))
    assert any("reverted since" not in line for line in lines(player, "what is the number of banks called", "called `banks`"))


@pytest.mark.parametrize("how", ["a later session by git revert", "the person, before a session asks for something else"])
def test_what_was_decided_on_work_that_is_taken_back_is_listed_nowhere_as_a_decision_that_holds(play: Play, how: str) -> None:
    chosen = "We decided to give up after 5 tries of the mail sender, because the provider bans us otherwise."
    decided = [["answer", f"Done.\n\n{chosen}"] if step[0] == "answer" else step for step in DONE]
    player = play(SHOP, decided)
    rows = player.terminal.mem("recent", "--kind", "decision", "--json").json
    assert len([row for row in rows if "give up after 5 tries" in row["title"]]) >= 1

    player.play(REVERTS[how])
    rows = player.terminal.mem("recent", "--kind", "decision", "--json").json
    holding = [row for row in rows if "give up after 5 tries" in row["title"] and not row["superseded"]]
    assert holding == []
