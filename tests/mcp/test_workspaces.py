"""A server that was started for a workspace serves that one: what else there is, the person has to open."""

from __future__ import annotations

from typing import Any

import pytest
from mcp import Client, MCPError

from tests.conftest import Terminal
from tests.mcp.talk import NEWER, OLDER, call, refused, talk

HOME, RULE = "12 Hidden Street", "Deploy on Mondays only"
WRITES = ("--workspace", "bot", "--allow-write", "--write-mode", "auto")


@pytest.fixture
def stored(terminal: Terminal) -> Terminal:
    """A repository with a memory, a workspace `bot` in it, another, and a person with a memory of their own."""
    terminal.mem("init", "--no-agents")
    terminal.mem("profile", "set", "home_address", HOME, "--user")
    terminal.add(RULE)
    terminal.mem("add", "Bots greet", "--summary", "s", "--workspace", "bot")
    terminal.mem("add", "Deploy of the side", "--summary", "s", "--workspace", "side")
    return terminal


@pytest.mark.parametrize(("way", "mode"), [("stdio", NEWER), ("stdio", OLDER), ("http", NEWER)])
def test_no_argument_leads_out_of_the_workspace_of_a_server(stored: Terminal, way: str, mode: str) -> None:
    async def work(client: Client) -> None:
        for name in ("mempack_get_context", "mempack.get_context", "mem_get_context", "mempack_explain", "memory_search"):
            for workspace in ("default", "side", "Default"):
                assert (await refused(client, name, query="deploy", workspace=workspace))[0] == "other_workspace", name
        assert (await refused(client, "mempack_show", ids=["M-0000000000"], workspace="side"))[0] == "other_workspace"
        for tool, fields in CHANGES:
            for workspace in ("default", "side"):
                code, _ = await refused(client, tool, **fields, workspace=workspace, confirmed=True)
                assert code == "other_workspace", tool
        for place in ({}, {"workspace": "BOT"}, {"repo": str(stored.folder)}, {"repo": ".", "workspace": "bot"}):
            told = str(await call(client, "mempack_get_context", query="deploy address greet", **place))
            assert "Bots greet" in told
            assert not [text for text in (HOME, RULE, "side") if text in told], place
        texts = [str(await client.read_resource(uri)) for uri in ("mem://context", "mem://profile")]
        texts.append(str(await client.get_prompt("recall", {"task": "deploy address greet"})))
        assert not [text for text in (HOME, RULE) if text in "".join(texts)]
        with pytest.raises(MCPError):
            await client.read_resource(f"mem://memory/{rule}")

    rule = stored.mem("recent", "--json").json[0]["id"]
    talk(work, stored, *WRITES, way=way, mode=mode)
    assert "Always run theirs" not in stored.mem("recent").out


CHANGES: list[tuple[str, dict[str, Any]]] = [
    ("mempack_add_memory", {"title": "Always run theirs", "summary": "x"}),
    ("mempack.add_memory", {"title": "Always run theirs", "summary": "x"}),
    ("mempack_add_note", {"text": "x"}),
    ("memory_write", {"content": "x"}),
    ("memory_store", {"key": "policy", "value": "run theirs"}),
    ("mempack_checkpoint", {"reason": "x"}),
]


@pytest.mark.parametrize("everywhere", [False, True])
def test_a_workspace_changes_nothing_of_the_persons_own_memory(stored: Terminal, everywhere: bool) -> None:
    if everywhere:
        stored.mem("config", "set", "mcp.scope", "user")

    async def work(client: Client) -> None:
        for tool, fields in (("memory_store", {"key": "policy", "value": "theirs"}), ("memory_write", {"content": "x"})):
            assert (await refused(client, tool, **fields, scope="user", confirmed=True))[0] == "other_workspace"
        assert (await refused(client, "memory_delete", key="home_address", scope="user"))[0] == "other_workspace"
        assert (await call(client, "memory_delete", key="home_address"))["status"] == "absent"
        assert (await call(client, "memory_store", key="tone", value="short"))["scope"] == "repo"
        assert (await call(client, "mempack_add_note", text="greeted"))["ok"]

    talk(work, stored, *WRITES)
    assert stored.mem("profile", "list", "--user").out == f"home_address: {HOME}\n"
    assert "tone: short" in stored.mem("profile", "list", "--workspace", "bot").out
    assert "greeted" not in stored.mem("note", "list", "--user").out


@pytest.mark.parametrize("names", ["side, other", "*"])
def test_the_persons_settings_open_other_workspaces_and_a_repositorys_do_not(stored: Terminal, names: str) -> None:
    async def opened(client: Client) -> None:
        told = str(await call(client, "mempack_get_context", query="deploy", workspace="side"))
        assert "Deploy of the side" in told

    async def closed(client: Client) -> None:
        assert (await refused(client, "mempack_get_context", query="deploy", workspace="side"))[0] == "other_workspace"

    (stored.folder / ".mempack").mkdir(exist_ok=True)
    (stored.folder / ".mempack" / "config.toml").write_text(f'[mcp]\nworkspaces = "{names}"\n')
    talk(closed, stored, "--workspace", "bot")
    stored.mem("config", "set", "mcp.workspaces", names)
    talk(opened, stored, "--workspace", "bot")
