"""Which stores a server keeps open between calls."""

from __future__ import annotations

from contextlib import closing

import pytest

from memcli.project import Where
from memcli.serving import desk
from tests.conftest import Terminal


def test_of_many_stores_the_one_that_was_not_used_for_longest_is_closed(
    terminal: Terminal, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(terminal.folder)
    monkeypatch.setattr(desk, "_MOST", 2)
    names = ("a", "b", "c")
    for name in names:
        terminal.add("Kept", "because", "--workspace", name)
    with closing(desk.Desk(Where())) as table:

        def read(name: str) -> object:
            with table.reading(Where(workspace=name)) as project:
                return project

        first, second = read("a"), read("b")
        assert read("a") is first
        third = read("c")
        assert read("a") is first
        assert read("c") is third
        assert read("b") is not second
        assert read("c") is third
