"""Where a memory was written stays true: on which commit, wherever it is confirmed since, and in which session."""

from __future__ import annotations

from typing import Any

from tests.agents.turns.calls import told
from tests.conftest import Terminal
from tests.provenance.conftest import Desk
from tests.provenance.conftest import desk as desk


def _shown(terminal: Terminal, memory_id: str) -> Any:
    return terminal.mem("show", memory_id, "--json").json["memory"]


def test_where_it_was_written_stays_when_it_is_confirmed_elsewhere_until_that_is_undone(terminal: Terminal) -> None:
    first = terminal.git("rev-parse", "HEAD")
    fact = terminal.add("Sessions live in Redis")
    assert (_shown(terminal, fact)["written_commit"], _shown(terminal, fact).get("confirmed_at")) == (first, None)
    second = terminal.commit("second", a_py="a")
    terminal.mem("confirm", fact)
    confirmed = _shown(terminal, fact)
    assert (confirmed["written_commit"], confirmed["anchor_commit"]) == (first, second)
    assert confirmed["confirmed_at"].startswith("2026-03-01T")
    terminal.mem("undo")
    undone = _shown(terminal, fact)
    assert (undone["written_commit"], undone["anchor_commit"], undone.get("confirmed_at")) == (first, first, None)


def test_what_a_rebase_made_of_its_commit_is_where_it_was_written(terminal: Terminal) -> None:
    terminal.commit("side", b_py="b")
    fact = terminal.add("Sessions live in Redis")
    terminal.git("commit", "-q", "--amend", "-m", "side, in other words")
    terminal.mem("get", "redis")
    terminal.add("Another")  # a write moves what a recall found carried over
    shown = _shown(terminal, fact)
    assert (shown["written_commit"], shown.get("confirmed_at")) == (terminal.git("rev-parse", "HEAD"), None)


def test_the_session_that_wrote_a_memory_or_in_which_hooks_saw_it_is_named(desk: Desk) -> None:
    desk.prompt("Fix the login")
    desk.write("auth.py", "return token.valid", "")
    desk.stop("It is fixed.")
    desk.work()
    session = desk.whole()
    (seen, *_) = desk.seen()
    assert _shown(desk.terminal, seen["id"])["session"] == {name: session[name] for name in ("id", "title", "started_at")}
    desk.terminal.env["CLAUDE_CODE_SESSION_ID"] = desk.session
    own = desk.terminal.process("add", "Tokens are valid for a day", "--json").json["id"]
    assert _shown(desk.terminal, own)["session"]["id"] == session["id"]
    del desk.terminal.env["CLAUDE_CODE_SESSION_ID"]
    assert "session" not in _shown(desk.terminal, desk.terminal.add("Written by hand"))


def test_the_sessions_that_were_told_a_memory_are_listed(desk: Desk) -> None:
    (fact,) = [one["id"] for one in desk.terminal.mem("recent", "--json").json]
    assert desk.terminal.mem("sessions", "--told", fact, "--json").json == []
    told(desk.terminal, "--engine", "claude", session=desk.session)
    desk.prompt("Where do sessions live?")
    desk.stop("In Redis, as it says.")
    desk.end()
    desk.work()
    listed = desk.terminal.mem("sessions", "--told", fact, "--json").json
    assert [one["key"] for one in listed] == [desk.session]
    assert desk.terminal.mem("sessions", "--told", "M-ZZZZZZZZZZ", fails=3).err.startswith("Error: no memory")
