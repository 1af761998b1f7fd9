"""The tools of a long-term memory take what models send: limits out of bounds, keywords in any case; a fact is told once."""

from __future__ import annotations

from typing import Any

from mcp import Client

from tests.conftest import Terminal
from tests.mcp.talk import call, talk

WRITING = ("--allow-write", "--write-mode", "auto")


def test_a_limit_is_brought_within_its_bounds(terminal: Terminal) -> None:
    for number in ("One", "Two", "Three"):
        terminal.add(f"{number} zebra", "With stripes.")

    async def work(client: Client) -> list[int]:
        limits: list[Any] = [0, -4, "0", 2.5, "3", 9_999]
        return [len((await call(client, "memory_search", query="zebra", limit=limit))["items"]) for limit in limits]

    assert talk(work, terminal) == [1, 1, 1, 2, 3, 3]


def test_keywords_that_differ_by_case_or_spaces_are_one_and_a_fact_is_told_once(terminal: Terminal) -> None:
    terminal.mem("init", "--no-agents")

    async def work(client: Client) -> Any:
        text = "Zebras have stripes. No two are alike."
        written = await call(client, "memory_write", content=text, keywords=[" A ", "a", "B", "b "])
        return written["keywords"]

    assert talk(work, terminal, *WRITING) == ["A", "B"]
    told = terminal.mem("turn", "prepare", "--session", "s-1", "--json").json["xml"]
    assert (told.count("Zebras have stripes"), told.count("No two are alike")) == (1, 1)


def test_a_search_says_how_much_was_superseded(terminal: Terminal) -> None:
    terminal.mem("supersede", terminal.add("Zebra A"), "--title", "Giraffe B", "--summary", "Taller.")

    async def work(client: Client) -> None:
        assert await call(client, "memory_search", query="zebra") == {"ok": True, "total": 0, "items": [], "superseded": 1}

    talk(work, terminal)
