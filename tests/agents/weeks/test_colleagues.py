"""What a colleague committed is kept once, with subject, body and files, as the colleague's."""

from __future__ import annotations

from typing import Any

import pytest

from tests.agents.weeks.player import Player, Step
from tests.conftest import Terminal

SUBJECT = "Add the header line with the currency to the export"
BODY = "The bank rejects files without it; EUR must be upper case, otherwise the import fails."
WORK: list[Step] = [
    ["ask", "Write the export."],
    ["edit", "a.py", "x = 1", "x = 9"],
    ["commit", "Write the export"],
    ["answer", "The export works."],
]


@pytest.fixture
def player(terminal: Terminal, monkeypatch: pytest.MonkeyPatch) -> Player:
    """A repository with a file, and a branch on which a colleague works."""
    player = Player(terminal, monkeypatch, "claude")
    player.play([["write", "a.py", "x = 1\n"], ["commit", "Start"], ["git", "branch priya"], *WORK, ["end"], ["days", "1"]])
    return player


def priya(player: Player, branch: str = "priya") -> None:
    """The colleague commits on her branch, in a clone of her own."""
    clone = player.terminal.folder.parent / "priya"
    player.terminal.git("clone", "-q", "-b", branch, str(player.terminal.folder), str(clone))
    (clone / "head.py").write_text('head = "EUR"\n')
    who = ("-c", "user.name=Priya", "-c", "user.email=priya@example.org")
    mine = {name: player.terminal.env.pop(name) for name in ("GIT_AUTHOR_NAME", "GIT_AUTHOR_EMAIL")}
    player.terminal.git("-C", str(clone), "add", "-A")
    player.terminal.git("-C", str(clone), *who, "commit", "-q", "-m", SUBJECT, "-m", BODY, "--author=Priya <priya@example.org>")
    player.terminal.env.update(mine)


def pull(player: Player, *options: str) -> None:
    """What she committed comes here."""
    player.terminal.git("pull", "-q", "--no-edit", *options, str(player.terminal.folder.parent / "priya"), "priya")


def kept(player: Player) -> list[Any]:
    """What is kept of her commit, once the next session has begun."""
    player.start()
    player.terminal.mem("worker", "run")
    return [row for row in player.terminal.mem("search", "EUR upper case import", "--json").json if BODY[:20] in str(row)]


def test_one_that_came_between_two_sessions(player: Player) -> None:
    priya(player)
    pull(player, "--no-rebase")
    (row,) = kept(player)
    assert row["title"] == f"Priya committed: {SUBJECT}"
    assert len(kept(player)) == 1


def test_one_that_she_wrote_while_a_session_was_at_work_here(player: Player) -> None:
    player.play(WORK[:1])
    priya(player)
    player.play([["answer", "It adds up the lines."], ["end"], ["days", "1"]])
    pull(player, "--no-rebase")
    (row,) = kept(player)
    assert row["title"] == f"Priya committed: {SUBJECT}"


def test_one_that_a_session_pulled_after_it_was_written(player: Player) -> None:
    priya(player)
    player.play([["days", "1"], *WORK[:1]])
    pull(player, "--no-rebase")
    player.play([["answer", "Pulled."], ["end"]])
    assert [row["title"] for row in kept(player)] == [f"Priya committed: {SUBJECT}"]


def test_one_that_was_written_and_pulled_in_one_turn(player: Player) -> None:
    player.play(WORK[:1])
    priya(player)
    pull(player, "--no-rebase")
    player.play([["answer", "Pulled."], ["end"]])
    (row,) = kept(player)
    assert row["origin"] == "author"


def test_one_that_was_rebased_since_is_the_same(player: Player) -> None:
    priya(player)
    pull(player, "--no-rebase")
    assert len(kept(player)) == 1
    player.terminal.git("rebase", "-q", "HEAD~1", "--onto", "HEAD^1", "HEAD^2")
    player.terminal.git("checkout", "-q", "-B", "main")
    assert player.terminal.git("log", "-1", "--format=%s") == SUBJECT
    assert len(kept(player)) == 1
