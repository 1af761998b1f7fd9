"""Calls that no sound client makes, and clients that go away: a clean error each, and the memory stays whole."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import threading
from pathlib import Path
from typing import Any

import anyio
import apsw
import pytest
from mcp import Client
from mcp.shared.exceptions import MCPError

from memcli.mcp.gate import WriteGate
from memcli.mcp.server import McpServer
from memcli.project import Where
from tests.conftest import Terminal
from tests.mcp.talk import COMMAND, NEWER, OLDER, call, lines, reached, refused, serving, talk

WRITE = ("--allow-write", "--write-mode", "auto")
HUGE = "x" * 2_000_000
BAD = [
    ("mempack_get_context", {}, "invalid_input", "query is missing"),
    ("mempack_get_context", {"query": None}, "invalid_input", "query is missing"),
    ("mempack_get_context", {"query": 7}, "invalid_input", "query is not a string"),
    ("mempack_get_context", {"query": ["a"]}, "invalid_input", "query is not a string"),
    ("mempack_get_context", {"query": "x", "format": "html"}, "invalid_input", "use prompt, json, xml"),
    ("mempack_get_context", {"query": "x", "budget": "many"}, "invalid_input", "budget is not a whole number"),
    ("mempack_get_context", {"query": "x", "budget": True}, "invalid_input", "budget is not a whole number"),
    ("mempack_get_context", {"query": "x", "budget": -5}, "invalid_input", "budget must be 1 to 1,000,000"),
    ("mempack_get_context", {"query": "x", "color": "red"}, "invalid_input", "no argument 'color'"),
    ("mempack_get_context", {"query": HUGE}, "invalid_input", "2,000,000 characters"),
    ("mempack_get_context", {"query": "a\0b"}, "invalid_input", "NUL"),
    ("mempack_get_context", {"query": "x", "repo": "/"}, "no_repository", "no repository at"),
    ("mempack_get_context", {"query": "x", "repo": "../no/such"}, "not_found", "no repository ../no/such"),
    ("mempack_get_context", {"query": "x", "repo": "no-such"}, "not_found", "no repository no-such"),
    ("mempack_get_context", {"query": "x", "workspace": "../x"}, "invalid_input", "not a name for a workspace"),
    ("mempack_show", {"ids": []}, "invalid_input", "give 1 to 20"),
    ("mempack_show", {"ids": ["M-0000000000"]}, "not_found", "no memory M-0000000000"),
    ("mempack_show", {"ids": ["../../etc/passwd"]}, "not_found", "no memory ../../etc/passwd"),
    ("mempack_show", {"ids": ["%' OR 1=1 --"]}, "not_found", "no memory"),
    ("mempack_show", {"ids": [{"a": 1}]}, "invalid_input", "not a list of strings"),
    ("mempack_timeline", {"id": "M-0000000000"}, "not_found", "no memory"),
    ("mempack_timeline", {"id": "x", "before": 1_000}, "invalid_input", "before must be 0 to 100"),
    ("memory_search", {"query": "x", "limit": "many"}, "invalid_input", "see the tool's schema"),
    ("mempack_notes", {"day": "someday"}, "invalid_input", "write it as 2026-03-01"),
    ("mempack_add_note", {"text": " "}, "invalid_input", "give it some words"),
    ("mempack_add_memory", {"summary": "s"}, "invalid_input", "title is missing"),
    ("mempack_add_memory", {"title": HUGE[:2_000], "summary": "s"}, "invalid_input", "2,000 characters"),
    ("mempack_add_memory", {"title": "t", "summary": HUGE[:900_000]}, "invalid_input", "the limit is 65,536"),
    ("mempack_add_memory", {"title": "t", "summary": "s", "tags": {"a": 1}}, "invalid_input", "tags is not a list of strings"),
    ("mempack_update_memory", {"id": "M-0000000000", "title": "t"}, "not_found", "no memory"),
    ("mempack_supersede", {"id": "M-0000000000", "summary": "s"}, "not_found", "no memory"),
    ("mempack_forget", {"id": "."}, "not_found", "too short for an id"),
    ("mempack_link", {"from_id": "a", "rel": "supersedes", "to_id": "b"}, "invalid_input", "made by its own command"),
    ("mempack_checkpoint", {"reason": "r", "state_json": "{"}, "invalid_input", "not JSON"),
    ("memory_write", {"content": "x", "scope": "world"}, "invalid_input", "use user, repo"),
    ("memory_store", {"key": "k" * 101, "value": "v"}, "invalid_input", "not a key"),
    ("memory_delete", {"key": ""}, "invalid_input", "not a key"),
]


@pytest.mark.parametrize("mode", [NEWER, OLDER])
def test_a_call_that_makes_no_sense_gets_an_error_with_a_hint_and_the_server_goes_on(terminal: Terminal, mode: str) -> None:
    terminal.add("Kept")

    async def work(client: Client) -> None:
        for name, asked, code, said in BAD:
            found = await refused(client, name, **asked)
            assert found[0] == code, (name, str(asked)[:80], found)
            assert said in found[1], (name, str(asked)[:80], found)
        for name in ("rm", "", "mempack_get_context\n", "x" * 10_000):
            with pytest.raises(MCPError):
                await client.call_tool(name, {})
        for uri in (
            "mem://memory/M-0000000000",
            "mem://memory/../../etc",
            "mem://notes/someday",
            "file:///etc/passwd",
            "mem://",
        ):
            with pytest.raises(MCPError):
                await client.read_resource(uri)
        with pytest.raises(MCPError):
            await client.get_prompt("recall", {})
        with pytest.raises(MCPError):
            await client.get_prompt("nothing")
        assert "Kept" in await call(client, "mempack_get_context", query="kept")

    talk(work, terminal, *WRITE, mode=mode)
    assert terminal.mem("doctor").code == 0
    assert [one["title"] for one in terminal.mem("recent", "--json").json] == ["Kept"]


def test_standard_output_carries_the_protocol_and_nothing_else_whatever_comes_in(terminal: Terminal) -> None:
    terminal.add("Kept")
    about = {"protocolVersion": "2024-11-05", "capabilities": {}, "clientInfo": {"name": "t", "version": "1"}}
    bad = {"name": "mempack_show", "arguments": {"ids": ["\ud800"]}}
    sent: list[Any] = [
        b"this is not JSON\n",
        b"\xff\xfe\n",
        b" \n",
        {"id": 9, "method": "ping"},
        {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": about},
        {"jsonrpc": "2.0", "method": "notifications/initialized"},
        {"jsonrpc": "2.0", "id": 2, "method": "no/such"},
        {"jsonrpc": "2.0", "id": 3, "method": "tools/call", "params": {"name": "mempack_show", "arguments": 5}},
        {"jsonrpc": "2.0", "id": 4, "method": "tools/call", "params": bad},
        b"[" * 5_000 + b"\n",
        {"jsonrpc": "2.0", "id": 5, "method": "tools/call", "params": {"name": "mempack_show", "arguments": {"ids": ["M-00"]}}},
    ]
    answers = lines(terminal, sent, answers=9)

    assert all(one["jsonrpc"] == "2.0" for one in answers)
    assert [one["error"]["code"] for one in answers if one.get("id", 0) is None] == [-32700] * 4
    by_id = {one["id"]: one for one in answers if "id" in one}
    assert by_id[1]["result"]["protocolVersion"] == "2024-11-05"
    assert by_id[9]["error"]["code"] == -32600
    assert "error" in by_id[2]
    assert "error" in by_id[3]
    assert by_id[5]["result"]["isError"] is True


def test_input_from_a_file_and_a_reader_that_leaves_are_no_trouble(terminal: Terminal, tmp_path: Path) -> None:
    terminal.add("Kept", "x" * 30_000)
    about = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "t", "version": "1"}}
    ask = {"name": "memory_search", "arguments": {"query": "kept"}}
    sent = [{"id": 1, "method": "initialize", "params": about}, {"id": 2, "method": "tools/call", "params": ask}]
    (tmp_path / "sent").write_text("".join([json.dumps({"jsonrpc": "2.0", **one}) + "\n" for one in sent]))
    with open(tmp_path / "sent") as file:
        done = terminal.process("mcp", stdin=file)
    assert json.loads(done.out.splitlines()[0])["result"]["protocolVersion"] == "2025-06-18"

    process = subprocess.Popen(COMMAND, cwd=terminal.folder, env=terminal.env, stdin=-1, stdout=-1, stderr=-1)
    assert process.stdin
    assert process.stdout
    assert process.stderr
    process.stdout.close()
    process.stdin.write((tmp_path / "sent").read_bytes())
    process.stdin.close()
    assert process.stderr.read().count(b"\n") == 1
    process.stderr.close()
    assert process.wait(timeout=60) == 0


def test_an_answer_larger_than_a_pipe_arrives_whole(terminal: Terminal) -> None:
    text = "zebra " * 10_000
    terminal.add("Large", text)

    async def work(client: Client) -> None:
        shown = await call(
            client, "mempack_show", ids=[(await call(client, "memory_search", query="zebra"))["items"][0]["id"]] * 5
        )
        assert [json.loads(line)["summary"] for line in shown.splitlines()] == [text] * 5

    talk(work, terminal)


def test_outside_any_repository_the_active_one_is_served(terminal: Terminal, tmp_path: Path) -> None:
    terminal.add("Kept")
    outside = terminal.at(tmp_path / "home")
    terminal.mem("use", str(terminal.folder))
    assert "Kept" in talk(lambda client: call(client, "mempack_get_context", query="kept"), outside)


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("--write-mode", "always"), "no write mode 'always'"),
        (("--http", "--port", "70000"), "70000 is no port"),
        (("--port", "x"), "invalid value"),
        (("--port", "0"), "--port requires --http"),
        (("--repo", "no-such"), "no repository no-such"),
    ],
)
def test_options_that_make_no_sense_are_told_at_once(terminal: Terminal, words: tuple[str, ...], said: str) -> None:
    terminal.add("Kept")
    failed = terminal.process("mcp", *words, fails=None)

    assert failed.code in (2, 3)
    assert said in failed.err.lower()
    assert failed.out == ""


def test_a_status_line_and_with_debug_a_report_stand_on_standard_error(terminal: Terminal) -> None:
    terminal.add("Kept")
    plain, report = terminal.process("mcp"), terminal.process("mcp", "--debug", "--allow-write")

    assert plain.out == report.out == ""
    assert plain.err.count("\n") == 1
    assert plain.err.startswith("mem mcp: repo=R-")
    assert plain.err.endswith("fts=ok tools=7 write-mode=off\n")
    about = json.loads(report.err.splitlines()[0])
    assert (about["fts"], about["tools"], about["write_mode"]) == ("ok", 17, "ask")


@pytest.mark.parametrize("how", [signal.SIGKILL, signal.SIGTERM, signal.SIGINT])
def test_a_server_that_is_killed_leaves_a_sound_memory(terminal: Terminal, how: signal.Signals) -> None:
    terminal.mem("init", "--no-agents")
    about = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "t", "version": "1"}}
    write = {"name": "memory_write", "arguments": {"content": "Kept before the end."}}
    sent = [
        {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": about},
        {"jsonrpc": "2.0", "method": "notifications/initialized"},
        {"jsonrpc": "2.0", "id": 2, "method": "tools/call", "params": write},
    ]
    process = subprocess.Popen([*COMMAND, *WRITE], cwd=terminal.folder, env=terminal.env, stdin=-1, stdout=-1, stderr=-1)
    assert process.stdin
    assert process.stdout
    process.stdin.write(b"".join([json.dumps(one).encode() + b"\n" for one in sent]))
    process.stdin.flush()
    assert [json.loads(process.stdout.readline())["id"] for _ in range(2)] == [1, 2]
    os.kill(process.pid, how)
    process.communicate(timeout=60)

    assert process.returncode == -how
    assert terminal.mem("doctor").code == 0
    assert [one["title"] for one in terminal.mem("recent", "--json").json if one["origin"] == "mcp"] == ["Kept before the end."]


def test_two_servers_of_one_store_see_each_others_writes_and_a_new_commit(terminal: Terminal) -> None:
    terminal.mem("init", "--no-agents")

    async def work(one: Client) -> None:
        async def other(two: Client) -> None:
            await call(one, "memory_write", content="Written by the first.")
            assert "Written by the first" in await call(two, "mempack_get_context", query="written")
            await call(two, "memory_write", content="Written by the second.")
            assert (await call(one, "memory_search", query="written second"))["total"] == 2

        from tests.mcp.talk import talking

        async with talking(terminal, *WRITE) as two:
            await other(two)
        terminal.git("checkout", "-q", "-b", "side")
        terminal.commit("on the side")
        made = await call(one, "memory_write", content="Only on the side.")
        terminal.git("checkout", "-q", "main")
        assert "not on this branch" in await call(one, "mempack_get_context", query="only side")
        terminal.git("checkout", "-q", "side")
        assert made["id"] in await call(one, "mempack_get_context", query="only side")

    talk(work, terminal, *WRITE)


def test_two_clients_at_once_lose_nothing(terminal: Terminal) -> None:
    terminal.mem("init", "--no-agents")

    async def run() -> None:
        with serving(terminal, *WRITE) as (url, token):
            async with reached(url, token) as one, reached(url, token, OLDER) as two, anyio.create_task_group() as group:
                for number in range(10):
                    group.start_soon(_write, one, f"First client, fact {number}.")
                    group.start_soon(_write, two, f"Second client, fact {number}.")

    anyio.run(run)
    assert len([one for one in terminal.mem("recent", "--limit", "50", "--json").json if one["origin"] == "mcp"]) == 20
    assert terminal.mem("doctor").code == 0


async def _write(client: Client, content: str) -> None:
    assert (await call(client, "memory_write", content=content))["ok"]


def test_a_write_that_has_to_wait_does_not_keep_the_server_from_answering(terminal: Terminal) -> None:
    terminal.mem("init", "--no-agents")
    other = apsw.Connection(str(terminal.store))

    async def work(client: Client) -> None:
        await call(client, "memory_search", query="zebra")
        other.execute("BEGIN IMMEDIATE")
        async with anyio.create_task_group() as group:
            group.start_soon(_write, client, "A zebra.")
            for _ in range(3):
                await client.list_tools()
            other.execute("ROLLBACK")
        assert (await call(client, "memory_search", query="zebra"))["total"] == 1

    talk(work, terminal, *WRITE)
    other.close()


def test_whatever_a_tool_does_is_done_beside_the_loop(terminal: Terminal, monkeypatch: pytest.MonkeyPatch) -> None:
    terminal.add("Kept")
    monkeypatch.chdir(terminal.folder)
    seen: list[threading.Thread] = []
    run = McpServer._run

    def noting(server: McpServer, *given: Any) -> Any:
        seen.append(threading.current_thread())
        return run(server, *given)

    monkeypatch.setattr(McpServer, "_run", noting)
    server = McpServer(Where(), WriteGate(), "off")

    async def work() -> None:
        async with Client(server.server()) as client:
            for _ in range(3):
                assert "Kept" in await call(client, "mempack_get_context", query="kept")

    anyio.run(work)
    assert len(seen) == 3
    assert threading.main_thread() not in seen


def test_a_store_that_goes_away_and_comes_back_is_served_again(terminal: Terminal) -> None:
    terminal.add("Kept")
    aside = terminal.store.with_name("aside.db")
    store = terminal.store

    async def work(client: Client) -> None:
        assert "Kept" in await call(client, "mempack_get_context", query="kept")
        os.rename(store, aside)
        assert "Nothing stored matches" in await call(client, "mempack_get_context", query="kept")
        os.rename(aside, store)
        assert "Kept" in await call(client, "mempack_get_context", query="kept")

    talk(work, terminal)


def test_an_idle_server_stands_in_nobodys_way(terminal: Terminal) -> None:
    secret = terminal.add("Secret zebra")
    terminal.add("Kept")

    async def work(client: Client) -> None:
        await call(client, "mempack_get_context", query="zebra")
        terminal.mem("forget", "--erase", secret)
        assert b"zebra" not in terminal.store.read_bytes()
        assert not Path(f"{terminal.store}-wal").exists() or b"zebra" not in Path(f"{terminal.store}-wal").read_bytes()
        assert "zebra" not in await call(client, "mempack_explain", query="kept")

    talk(work, terminal)
