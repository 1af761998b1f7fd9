"""mem setup asks where agents keep what they are to remember."""

from __future__ import annotations

import pytest

from tests.conftest import Terminal


@pytest.mark.parametrize(("answer", "scope"), [("yes\n", "user"), ("\n", "repo")])
def test_setup_asks_at_a_terminal_where_agents_keep_what_they_remember(
    terminal: Terminal, monkeypatch: pytest.MonkeyPatch, answer: str, scope: str
) -> None:
    monkeypatch.setattr("memcli.cli.verbs.setup.at_terminal", lambda: True)
    asked = terminal.mem("setup", "claude", "--mcp", "--write", "ask", stdin=answer).err
    assert "in every repository" in asked
    assert terminal.mem("config", "get", "mcp.scope").out == f"{scope}\n"


def test_setup_asks_nothing_where_nobody_can_answer_or_agents_may_not_write(
    terminal: Terminal, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert "in every repository" not in terminal.mem("setup", "claude", "--mcp", "--write", "ask", stdin="yes\n").err
    monkeypatch.setattr("memcli.cli.verbs.setup.at_terminal", lambda: True)
    assert "in every repository" not in terminal.mem("setup", "claude", "--mcp", "--write", "off", stdin="yes\n").err
    assert terminal.mem("config", "get", "mcp.scope").out == "repo\n"


def test_help_says_that_user_is_whose_configuration_is_written(terminal: Terminal) -> None:
    said = " ".join(terminal.mem("setup", "--help").out.split())
    assert "--user Write to your own configuration, for all repositories: the default." in said
    assert "own memory" not in said
