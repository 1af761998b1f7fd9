"""Who wrote a record, and how far that is trusted, at every door alike."""

from __future__ import annotations

import pytest

from memcli.validity import origin_of
from tests.conftest import Terminal


@pytest.mark.parametrize(
    ("actor", "writer", "trust"),
    [
        ("cli", "person", "high"),
        ("mcp", "agent", "medium"),
        ("http", "agent", "medium"),
        ("hook", "hook", "low"),
        ("import", "import", "low"),
        ("somebody", "other", "low"),
    ],
)
def test_an_actor_has_one_origin(actor: str, writer: str, trust: str) -> None:
    origin = origin_of(actor)
    assert (origin.actor, origin.writer, origin.trust) == (actor, writer, trust)


def test_a_memory_carries_its_origin_and_its_status_wherever_it_is_shown(terminal: Terminal) -> None:
    name = terminal.add("Tokens live in Postgres", "Redis evicted them.")
    shown = terminal.mem("show", name, "--json").json["memory"]
    packed = terminal.mem("get", "tokens", "--format", "json").json["top_memories"][0]
    fields = ("origin", "trust", "anchor_state", "carried_over", "freshness", "drifted", "contested_by", "superseded")
    assert [shown[field] for field in fields] == ["cli", "high", "reachable", None, "unlinked", [], [], False]
    assert [packed[field] for field in fields] == [shown[field] for field in fields]


def test_show_says_that_the_commit_of_a_memory_is_not_here(terminal: Terminal) -> None:
    terminal.commit("first")
    name = terminal.add("On the side", "only")
    terminal.git("reset", "-q", "--hard", "HEAD^")
    assert "not on this branch" in terminal.mem("show", name).out
