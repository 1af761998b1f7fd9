"""What a session left open is closed by a memory that says what became of it."""

from __future__ import annotations

import pytest

from memcli.project import Where, open_for_reading
from memcli.provenance import reverts
from tests.agents.turns.calls import prepare
from tests.provenance.conftest import Desk
from tests.provenance.conftest import desk as desk


def _open(desk: Desk) -> list[str]:
    """The ids of what is open."""
    listed = desk.terminal.mem("recent", "--kind", "open", "--json").json
    return [one["id"] for one in listed if not one["superseded"]]


def test_an_open_point_is_closed_told_no_more_and_opened_again_by_undo(desk: Desk) -> None:
    desk.prompt("Move the cart to the new table")
    desk.stop("It is moved.\n\nStill open: the cart has no test yet.")
    desk.work()
    (point,) = _open(desk)
    closed = desk.terminal.mem("supersede", point, "--json").json
    assert (closed["status"], closed["old_id"]) == ("closed", point)
    assert closed["title"] == "Closed: the cart has no test yet."
    assert _open(desk) == []
    assert desk.terminal.mem("supersede", point, fails=None).code != 0
    desk.terminal.mem("undo")
    assert _open(desk) == [point]


def test_a_point_is_open_while_what_closed_it_is_forgotten(desk: Desk) -> None:
    desk.prompt("Move the cart to the new table")
    desk.stop("It is moved.\n\nStill open: the cart has no test yet.")
    desk.work()
    (point,) = _open(desk)
    closing = desk.terminal.mem("supersede", point, "--json").json["id"]
    assert "has no test yet" not in prepare(desk.terminal, "--format", "prompt", session="second")["text"]
    desk.terminal.mem("forget", closing)
    assert _open(desk) == [point]
    assert "has no test yet" in prepare(desk.terminal, "--format", "prompt", session="third")["text"]
    assert closing not in desk.terminal.mem("show", point).out

    desk.terminal.mem("restore", closing)
    assert _open(desk) == []
    desk.terminal.mem("forget", closing)
    again = desk.terminal.mem("supersede", point, "--json").json["id"]
    assert _open(desk) == []
    desk.terminal.mem("forget", again, "--erase")
    assert _open(desk) == [point]


def test_what_a_forgotten_memory_closed_is_closed_by_later_work(desk: Desk) -> None:
    desk.prompt("Write the parser of ledgers")
    desk.stop("The parser reads ledgers.\n\nStill open: write the docs of the parser.")
    desk.work()
    (point,) = _open(desk)
    desk.terminal.mem("forget", desk.terminal.mem("supersede", point, "--json").json["id"])
    desk.prompt("Write the docs of the parser")
    desk.write("docs/parser.md", "# The parser\n\nIt reads ledgers.\n")
    desk.stop("I wrote the docs of the parser.")
    desk.work()
    assert _open(desk) == []


def test_a_closing_is_no_news_for_later_sessions_but_is_found_and_leads_to_its_point(desk: Desk) -> None:
    desk.prompt("Move the cart to the new table")
    desk.stop("It is moved.\n\nStill open: the cart has no test yet.")
    desk.work()
    (point,) = _open(desk)
    closed = desk.terminal.mem("supersede", point, "--summary", "Checkout tests cover it", "--json").json["id"]
    text = prepare(desk.terminal, "--format", "prompt", session="later")["text"]
    assert "Sessions live in Redis" in text
    assert closed not in text
    assert [hit["id"] for hit in desk.terminal.mem("search", "checkout tests cover", "--json").json][:1] == [closed]
    assert closed in desk.terminal.mem("log").out
    links = desk.terminal.mem("show", closed, "--json").json["memory"]["links"]
    assert [(it["rel"], it["to_id"]) for it in links] == [("closes", point)]


def test_what_is_not_open_is_not_closed(desk: Desk) -> None:
    desk.prompt("Always run the linter before you commit.")
    desk.stop("I will.")
    desk.work()
    (prompt,) = [one["id"] for one in desk.terminal.mem("recent", "--kind", "instruction", "--json").json]
    refused = desk.terminal.mem("supersede", prompt, fails=None)
    assert "nothing that was left open" in refused.err


def test_closing_a_point_and_opening_it_again_is_no_work_that_was_taken_back(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    desk.prompt("Move the cart to the new table")
    desk.stop("It is moved.\n\nStill open: the cart has no test yet.")
    desk.work()
    (point,) = _open(desk)
    closed = desk.terminal.mem("supersede", point, "--json").json["id"]
    desk.terminal.mem("undo")
    desk.terminal.mem("restore", closed)
    other = desk.terminal.add("Carts are kept a week")
    desk.terminal.mem("forget", other)
    desk.terminal.mem("restore", other)
    monkeypatch.chdir(desk.terminal.folder)
    project = open_for_reading(Where())
    try:
        assert [(it.kind, it.of) for it in reverts.taken_back(project)] == [("forget", other)]
    finally:
        project.close()
