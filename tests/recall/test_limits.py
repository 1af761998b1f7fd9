"""What left something out of a pack has a name that a person can change."""

from __future__ import annotations

from typing import Any

import pytest

from tests.conftest import Terminal

FACT = "the token of department {n} is renewed every {n} days by the person on duty"


@pytest.fixture
def stored(terminal: Terminal) -> Terminal:
    """Twenty memories of one matter."""
    terminal.mem("init", "--no-agents")
    for n in range(20):
        terminal.add(f"Token rule {n}", FACT.format(n=n))
    return terminal


def limits(terminal: Terminal, *words: str) -> list[dict[str, Any]]:
    explained = terminal.mem("explain", "when is the token renewed", "--json", *words).json
    out = len([one for one in explained["memories"] if one["verdict"] in ("budget", "count")])
    assert sum(limit["left_out"] for limit in explained["limits"]) == out
    return list(explained["limits"])


def test_the_number_of_memories_is_a_setting(stored: Terminal) -> None:
    (limit,) = limits(stored)
    assert (limit["name"], limit["unit"]) == ("budget.memories", "memories")
    stored.mem("config", "set", "budget.memories", "3")
    (limit,) = limits(stored)
    assert (limit["name"], limit["value"], limit["left_out"]) == ("budget.memories", 3, 17)


@pytest.mark.parametrize(
    ("words", "name", "value", "unit"),
    [
        (("--budget", "300"), "budget", 300, "tokens"),
        (("--max-bytes", "1500"), "max_bytes", 1_500, "bytes"),
        (("--budget", "300", "--for", "codex"), "budget", 300, "tokens"),
        (("--max-bytes", "1500", "--for", "claude"), "max_bytes", 1_500, "bytes"),
    ],
)
def test_what_was_asked_for_is_named_so(stored: Terminal, words: tuple[str, ...], name: str, value: int, unit: str) -> None:
    (limit,) = limits(stored, *words)
    assert (limit["name"], limit["value"], limit["unit"]) == (name, value, unit)


def test_what_a_setting_or_a_harness_caps_is_named_after_it(stored: Terminal) -> None:
    stored.mem("config", "set", "budget.total", "400")
    for words in ((), ("--for", "codex")):
        (limit,) = limits(stored, *words)
        assert (limit["name"], limit["value"]) == ("budget.total", 400)
    for name, value in (("budget.total", "100000"), ("budget.memories", "200"), ("rank.candidates", "200")):
        stored.mem("config", "set", name, value)
    for n in range(20, 110):
        stored.add(f"Token rule {n}", FACT.format(n=n))
    (limit,) = limits(stored, "--for", "codex")
    assert (limit["name"], limit["value"], limit["unit"]) == ("codex", 2_500, "tokens")
    (limit,) = limits(stored, "--for", "claude")
    assert (limit["name"], limit["value"], limit["unit"]) == ("claude", 10_000, "bytes")


def test_where_all_is_in_nothing_is_named(stored: Terminal) -> None:
    assert stored.mem("explain", "person on duty of department 7", "--json", "--budget", "100000").json["limits"] is not None
    assert stored.mem("explain", "nothingsaysthis", "--json").json["limits"] == []
