"""A client that starts the server everywhere finds a working one where there is no repository, or no memory of it yet."""

from __future__ import annotations

from contextlib import closing
from pathlib import Path

import apsw
import pytest
from mcp import Client

from tests.conftest import Terminal
from tests.mcp.talk import answering, call, refused, talk

WRITING = ("--allow-write", "--write-mode", "auto")


def test_outside_of_any_repository_the_persons_own_memory_is_served(nowhere: Terminal) -> None:
    nowhere.add("Allergic to peanuts", "They said so.", "--user")
    nowhere.mem("profile", "set", "city", "Lisbon", "--user")

    async def work(client: Client) -> None:
        (hit,) = (await call(client, "memory_search", query="peanuts"))["items"]
        assert "They said so." in await call(client, "mempack_show", ids=[hit["id"]])
        context = await call(client, "mempack_get_context", query="peanuts")
        assert context.startswith("Not inside a repository: this is the person's own memory. Name a repository as repo")
        assert "Allergic to peanuts" in context
        assert "Allergic to peanuts" in await call(client, "mempack_explain", query="peanuts")
        assert "Lisbon" in str((await client.read_resource("mem://profile")).contents)
        assert "Allergic to peanuts" in str((await client.read_resource("mem://context")).contents)

    talk(work, nowhere)


def test_outside_of_any_repository_the_person_is_asked_before_their_memory_changes(nowhere: Terminal) -> None:
    heard: list[str] = []

    async def work(client: Client) -> None:
        assert (await call(client, "memory_write", content="Likes jazz."))["scope"] == "user"
        assert (await call(client, "memory_store", key="city", value="Lisbon"))["scope"] == "user"
        assert (await call(client, "mempack_add_note", text="Slept well."))["scope"] == "user"
        assert "yours Slept well." in await call(client, "mempack_notes")

    talk(work, nowhere, *WRITING, asked=answering("accept", heard))
    assert len(heard) == 3
    assert all("[your own memory, seen in every repository]" in question for question in heard)
    assert [row["title"] for row in nowhere.mem("recent", "--user", "--json").json] == ["Likes jazz."]
    assert "Slept well." in nowhere.mem("note", "list", "--user").out


def test_outside_of_any_repository_nobody_writes_unasked_and_what_needs_a_repository_says_so(nowhere: Terminal) -> None:
    async def work(client: Client) -> None:
        code, text = await refused(client, "memory_write", content="Likes jazz.", confirmed=True)
        assert (code, "mcp.scope user" in text) == ("confirmation_required", True)
        for name, arguments in {
            "memory_write": {"content": "Deploys are frozen.", "scope": "repo"},
            "mempack_add_memory": {"title": "Deploys are frozen"},
            "mempack_checkpoint": {"reason": "x", "state_json": "{}"},
            "mempack_forget": {"id": "M-AAAAAAAAAA"},
            "memory_search": {"query": "jazz", "workspace": "other"},
        }.items():
            code, text = await refused(client, name, **arguments)
            assert (code, "name one with repo" in text) == ("no_repository", True), name
        code, text = await refused(client, "mempack_why", target="a.py:1")
        assert "repository" in text
        assert (await refused(client, "mempack_get_context", query="x", repo="/"))[0] == "no_repository"

    talk(work, nowhere, *WRITING)
    assert nowhere.mem("recent", "--user", "--json").json == []


def test_with_their_setting_a_client_that_cannot_ask_keeps_what_is_theirs(nowhere: Terminal) -> None:
    nowhere.mem("config", "set", "mcp.scope", "user")

    async def work(client: Client) -> None:
        assert (await call(client, "memory_write", content="Likes jazz."))["scope"] == "user"
        assert (await call(client, "memory_search", query="jazz"))["total"] == 1

    talk(work, nowhere, *WRITING)


@pytest.mark.parametrize("words", [("--repo", "missing"), ("--workspace", "other"), ("--workspace", "a/b")])
def test_what_is_named_and_not_there_ends_the_server_at_once(nowhere: Terminal, words: tuple[str, str]) -> None:
    failed = nowhere.mem("mcp", *words, fails=None)
    assert failed.code in (2, 3)
    assert (failed.out, failed.err[:7]) == ("", "Error: ")
    assert not nowhere.data.exists()


def test_a_damaged_memory_of_the_person_is_repaired_where_that_is_asked(nowhere: Terminal) -> None:
    nowhere.add("Likes jazz", "Says so.", "--user")
    with closing(apsw.Connection(str(nowhere.data / "user/memory.db"))) as db:
        db.execute("UPDATE memory_fts_data SET block = x'00' WHERE id > 10")
    assert nowhere.process("mcp", input=b"", fails=1).err.startswith("Error: ")
    started = nowhere.process("mcp", "--repair", input=b"")
    assert "mem mcp: repo=none" in started.err
    assert "serves your own memory" in started.err


def test_a_repository_without_a_memory_is_served_as_empty_until_it_has_one(terminal: Terminal, tmp_path: Path) -> None:
    assert "db=none" in (started := terminal.process("mcp", input=b"").err)
    assert started.endswith(" (nothing is stored here yet; start with mem init)\n")
    assert list(terminal.data.glob("*")) == []

    async def work(client: Client) -> None:
        assert (await call(client, "memory_search", query="zebra"))["total"] == 0
        code, text = await refused(client, "mempack_add_memory", title="Zebras have stripes")
        assert (code, "mem init" in text) == ("not_found", True)
        assert list(terminal.data.glob("*")) == []
        terminal.mem("init", "--no-agents")
        await call(client, "mempack_add_memory", title="Zebras have stripes", summary="x")
        assert (await call(client, "memory_search", query="zebra"))["total"] == 1

    talk(work, terminal, *WRITING)


def test_a_memory_that_is_gone_is_no_empty_one(terminal: Terminal) -> None:
    terminal.add("Zebras have stripes", "They do.")
    terminal.mem("backup")
    (store,) = terminal.data.glob("repos/*/memory.db")
    store.unlink()
    assert "the store of this memory is gone; a copy of it has 1 memory" in terminal.process("mcp", input=b"").err

    async def work(client: Client) -> None:
        for name, arguments in {
            "memory_search": {"query": "zebra"},
            "mempack_get_context": {"query": "zebra"},
            "mempack_add_memory": {"title": "Lions have manes"},
            "mempack_forget": {"id": "M-AAAAAAAAAA"},
        }.items():
            code, text = await refused(client, name, **arguments)
            assert (code, "a copy of it has 1 memory" in text, "mem backup --restore " in text) == ("gone", True, True), name

    talk(work, terminal, *WRITING)
    assert not store.exists()
