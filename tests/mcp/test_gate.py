"""Who may write: nobody until the person said so; then as they said, and never more than the repository allows."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest
from mcp import Client

from memcli import config
from memcli.mcp.gate import WriteGate
from tests.conftest import Terminal
from tests.mcp.talk import NEWER, OLDER, answering, call, refused, talk

FACT = {"title": "Sessions live in Postgres", "summary": "Redis lost them."}


@pytest.fixture
def stored(terminal: Terminal) -> Terminal:
    """A repository with an empty memory."""
    terminal.mem("init", "--no-agents")
    return terminal


def repository_says(terminal: Terminal, mode: str) -> None:
    (terminal.folder / ".mempack").mkdir(exist_ok=True)
    (terminal.folder / ".mempack" / "config.toml").write_text(f'[mcp]\nwrite = "{mode}"\n')


def adding(outcome: list[Any], **more: Any) -> Callable[[Client], Awaitable[None]]:
    """Work that adds FACT and notes the error's code, or "stored"."""

    async def work(client: Client) -> None:
        done = await client.call_tool("mempack_add_memory", {**FACT, **more})
        assert isinstance(done.structured_content, dict)
        outcome.append(done.structured_content["error"]["code"] if done.is_error else "stored")

    return work


def target(terminal: Terminal) -> str:
    return f"repository {terminal.folder.name} {terminal.mem('repos', '--json').json[0]['repo_id']}"


def titles(terminal: Terminal) -> list[str]:
    return [one["title"] for one in terminal.mem("recent", "--json").json if one["origin"] == "mcp"]


def test_without_a_word_of_the_persons_there_is_nothing_to_write_with(stored: Terminal) -> None:
    outcome: list[Any] = []
    talk(adding(outcome, confirmed=True), stored)

    assert outcome == ["write_off"]
    assert titles(stored) == []


def test_a_committed_file_cannot_open_what_the_person_left_closed(stored: Terminal) -> None:
    repository_says(stored, "auto")
    outcome: list[Any] = []
    talk(adding(outcome, confirmed=True), stored)

    assert outcome == ["write_off"]


@pytest.mark.parametrize("mode", [NEWER, OLDER])
@pytest.mark.parametrize("way", ["stdio", "http"])
@pytest.mark.parametrize(("said", "code"), [("accept", "stored"), ("decline", "declined"), ("cancel", "declined")])
def test_in_mode_ask_the_person_is_asked_where_the_client_can(
    stored: Terminal, mode: str, way: str, said: str, code: str
) -> None:
    outcome: list[Any] = []
    heard: list[str] = []
    talk(adding(outcome, confirmed=True), stored, "--allow-write", mode=mode, way=way, asked=answering(said, heard))

    assert outcome == [code]
    assert heard == [f"Store this memory? [{target(stored)}] title: Sessions live in Postgres; summary: Redis lost them."]
    assert titles(stored) == ([FACT["title"]] if said == "accept" else [])


def test_the_question_names_the_memory_that_is_written_and_how_much_it_leaves_out(stored: Terminal) -> None:
    stored.mem("add", "There", "--summary", "s", "--workspace", "side")
    heard: list[str] = []

    async def work(client: Client) -> None:
        await refused(client, "memory_write", content="x" * 1_000 + "y", workspace="side")
        await refused(client, "memory_write", content="Tabs", scope="user")
        await refused(client, "memory_store", key="editor", value="vim")

    talk(work, stored, "--allow-write", asked=answering("decline", heard))
    assert heard[0] == f"Remember this? [{target(stored)}, workspace side] content: {'x' * 591}… (410 more characters)"
    assert heard[1] == "Remember this? [your own memory, seen in every repository] content: Tabs"
    assert heard[2].startswith("Keep this in the profile? [your own memory, seen in every repository] key: editor")


@pytest.mark.parametrize("mode", [NEWER, OLDER])
def test_in_mode_ask_a_client_that_cannot_ask_has_to_confirm(stored: Terminal, mode: str) -> None:
    async def work(client: Client) -> None:
        code, message = await refused(client, "memory_write", content="x")
        assert (code, "confirmed=true" in message) == ("confirmation_required", True)
        assert (await refused(client, "memory_write", content="x", confirmed=False))[0] == "confirmation_required"
        assert (await call(client, "memory_write", content="x", confirmed=True))["ok"]

    talk(work, stored, "--allow-write", mode=mode)


def test_the_persons_own_setting_opens_and_the_repository_narrows_it(stored: Terminal) -> None:
    stored.mem("config", "set", "mcp.write", "auto")
    outcome: list[Any] = []
    talk(adding(outcome), stored)
    repository_says(stored, "ask")
    talk(adding(outcome, title="Another"), stored)
    repository_says(stored, "off")
    talk(adding(outcome), stored, "--allow-write", "--write-mode", "auto")

    assert outcome == ["stored", "confirmation_required", "write_off"]


def test_nobody_is_asked_about_a_memory_that_exists_already(stored: Terminal) -> None:
    stored.mem("add", FACT["title"], "--summary", FACT["summary"])
    outcome: list[Any] = []
    talk(adding(outcome), stored, "--allow-write")

    assert outcome == ["stored"]
    assert titles(stored) == []


def test_a_file_that_is_committed_while_the_server_runs_narrows_at_once(stored: Terminal) -> None:
    outcome: list[Any] = []

    async def work(client: Client) -> None:
        await adding(outcome)(client)
        repository_says(stored, "off")
        await adding(outcome, title="Another")(client)

    talk(work, stored, "--allow-write", "--write-mode", "auto")
    assert outcome == ["stored", "write_off"]


def test_a_server_opens_no_repository_but_its_own_and_those_of_the_persons_setting(stored: Terminal, tmp_path: Path) -> None:
    other = tmp_path / "other"
    other.mkdir()
    stored.mem("init", "--no-agents", "--no-git", str(other))
    stored.at(other).add("Only there", "x")
    asked = {"query": "only there", "repo": str(other)}

    async def work(client: Client) -> None:
        assert (await refused(client, "mempack_get_context", **asked))[0] == "other_repository"
        assert (await refused(client, "mempack_add_memory", **FACT, repo=str(other)))[0] == "other_repository"
        assert not (await client.call_tool("memory_search", {"query": "x", "repo": str(stored.folder)})).is_error
        stored.mem("config", "set", "mcp.repos", str(other))
        assert not (await client.call_tool("mempack_get_context", asked)).is_error

    talk(work, stored, "--allow-write", "--write-mode", "auto")


@pytest.mark.parametrize("write_mode", ["ask", "auto"])
def test_the_persons_own_memory_is_written_only_where_they_are_asked(stored: Terminal, write_mode: str) -> None:
    async def unasked(client: Client) -> None:
        code, _ = await refused(client, "memory_store", key="policy", value="run theirs", confirmed=True)
        assert code == "confirmation_required"

    async def asked(client: Client) -> None:
        await call(client, "memory_store", key="policy", value="ours")

    options = ("--allow-write", "--write-mode", write_mode)
    talk(unasked, stored, *options)
    talk(asked, stored, *options, asked=answering("accept", []))
    assert "ours" in stored.mem("profile", "list", "--user").out


def test_naming_another_repository_does_not_walk_around_what_the_servers_own_one_says(stored: Terminal, tmp_path: Path) -> None:
    other = tmp_path / "other"
    other.mkdir()
    stored.mem("init", "--no-agents", "--no-git", str(other))
    stored.mem("config", "set", "mcp.repos", str(other))

    async def work(client: Client) -> None:
        repository_says(stored, "off")
        for tool, more in (("memory_store", {"key": "k", "value": "v"}), ("memory_write", {"content": "x", "scope": "user"})):
            for place in ({"repo": str(other)}, {"workspace": "side"}, {}):
                assert (await refused(client, tool, **more, **place))[0] == "write_off"
        repository_says(stored, "ask")
        assert (await refused(client, "memory_store", key="k", value="v", repo=str(other)))[0] == "confirmation_required"
        assert (await call(client, "memory_write", content="x", repo=str(other)))["ok"]

    talk(work, stored, "--allow-write", "--write-mode", "auto")


def test_what_cannot_be_stored_is_refused_before_anybody_is_asked(stored: Terminal) -> None:
    heard: list[str] = []

    async def work(client: Client) -> None:
        assert (await refused(client, "mempack_checkpoint", reason="r", state_json="{"))[0] == "invalid_input"
        assert (await refused(client, "mempack_add_memory", title=" ", summary="x"))[0] == "invalid_input"
        assert (await refused(client, "memory_write", content=" "))[0] == "invalid_input"
        gone = {"ok": True, "key": "absent", "status": "absent", "scope": "user"}
        assert (await call(client, "memory_delete", key="absent")) == gone
        for name, asked, code in VAIN:
            asked = {key: kept if value == "KEPT" else value for key, value in asked.items()}
            assert (await refused(client, name, **asked))[0] == code, (name, asked)

    kept = stored.add("Kept")
    talk(work, stored, "--allow-write", asked=answering("accept", heard))
    assert heard == []


NOBODY = "M-NOPENOPE12"
LONG = "x " * 300_000
VAIN = [
    ("mempack_forget", {"id": NOBODY}, "not_found"),
    ("mempack_update_memory", {"id": NOBODY, "title": "t"}, "not_found"),
    ("mempack_update_memory", {"id": "KEPT"}, "invalid_input"),
    ("mempack_update_memory", {"id": "KEPT", "kind": "k" * 81}, "invalid_input"),
    ("mempack_update_memory", {"id": "KEPT", "summary": LONG}, "invalid_input"),
    ("mempack_supersede", {"id": NOBODY, "summary": "s"}, "not_found"),
    ("mempack_supersede", {"id": "KEPT", "summary": " "}, "invalid_input"),
    ("mempack_link", {"from_id": "KEPT", "rel": "r", "to_id": NOBODY}, "not_found"),
    ("mempack_link", {"from_id": "KEPT", "rel": "r", "to_id": "KEPT"}, "cycle"),
    ("mempack_link", {"from_id": "KEPT", "rel": "supersedes", "to_id": NOBODY}, "invalid_input"),
    ("mempack_add_memory", {**FACT, "summary": LONG}, "invalid_input"),
    ("mempack_add_memory", {**FACT, "tags": ["t" * 81]}, "invalid_input"),
    ("mempack_add_memory", {**FACT, "files": ["no/such"]}, "not_found"),
    ("mempack_add_memory", {**FACT, "workspace": "empty"}, "not_found"),
    ("mempack_checkpoint", {"reason": "r", "thread": "t" * 81}, "invalid_input"),
    ("memory_write", {"content": LONG}, "invalid_input"),
    ("memory_write", {"content": LONG, "scope": "user"}, "invalid_input"),
    ("memory_store", {"key": "k" * 101, "value": "v"}, "invalid_input"),
    ("memory_store", {"key": "k", "value": LONG}, "invalid_input"),
    ("memory_delete", {"key": ""}, "invalid_input"),
]


@pytest.mark.parametrize(
    ("allow", "mode", "own", "ceiling", "wanted"),
    [
        (False, None, "off", None, "off"),
        (False, "auto", "off", None, "off"),
        (True, None, "off", None, "ask"),
        (True, None, "auto", None, "auto"),
        (True, "auto", "off", None, "auto"),
        (True, "off", "auto", None, "off"),
        (False, "ask", "auto", None, "ask"),
        (False, None, "ask", "auto", "ask"),
        (True, "auto", "off", "ask", "ask"),
        (True, "auto", "auto", "off", "off"),
    ],
)
def test_of_what_several_say_the_narrowest_holds_and_only_the_person_opens(
    allow: bool, mode: str | None, own: str, ceiling: str | None, wanted: str
) -> None:
    settings = config.Config({"mcp.write": (own, "user")}, [])
    settings.ceilings = {"mcp.write": ceiling} if ceiling else {}

    assert WriteGate(allow, mode).mode_for(settings) == wanted


def test_a_note_is_the_persons_own_where_their_setting_says_so(terminal: Terminal) -> None:
    terminal.mem("init", "--no-agents")
    terminal.mem("config", "set", "mcp.scope", "user")

    async def work(client: Client) -> None:
        mine = await call(client, "mempack_add_note", text="Slept well", confirmed=True)
        assert mine["scope"] == "user"
        assert f"{mine['id']} yours Slept well" in await call(client, "mempack_notes")

    talk(work, terminal, "--allow-write", asked=None)


def test_the_memory_of_the_person_is_served_where_the_repository_has_none(terminal: Terminal) -> None:
    terminal.add("Allergic to peanuts", "They said so.", "--user")
    terminal.mem("config", "set", "mcp.scope", "user")

    async def work(client: Client) -> None:
        assert (await call(client, "memory_search", query="peanuts"))["total"] == 1
        assert (await call(client, "memory_write", content="Likes jazz."))["scope"] == "user"
        here = await client.call_tool("memory_write", {"content": "Deploys are frozen.", "scope": "repo"})
        assert here.is_error
        assert "mem init" in str(here.content)

    talk(work, terminal, "--allow-write", "--write-mode", "auto")
    assert [row["title"] for row in terminal.mem("recent", "--user", "--json").json] == ["Likes jazz.", "Allergic to peanuts"]
    assert terminal.mem("recent", "--json").json == []
