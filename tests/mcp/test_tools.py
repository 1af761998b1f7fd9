"""Every tool, resource and prompt through a real client: over standard input and over HTTP, of a newer and an older protocol."""

from __future__ import annotations

import json

import mcp_types as types
import pytest
from mcp import Client

from tests.conftest import Terminal
from tests.mcp.talk import NEWER, OLDER, answering, call, lines, talk

EVERY_WAY = [(way, mode) for way in ("stdio", "http") for mode in (NEWER, OLDER)]
READING = [
    "mempack_get_context",
    "mempack_explain",
    "mempack_show",
    "mempack_why",
    "mempack_notes",
    "mempack_timeline",
    "memory_search",
]
WRITING = [
    "mempack_add_memory",
    "mempack_update_memory",
    "mempack_supersede",
    "mempack_forget",
    "mempack_link",
    "mempack_checkpoint",
    "mempack_add_note",
    "memory_write",
    "memory_store",
    "memory_delete",
]


@pytest.mark.parametrize(("way", "mode"), EVERY_WAY)
def test_a_server_that_reads_answers_from_the_memory(terminal: Terminal, way: str, mode: str) -> None:
    first = terminal.add("Sessions live in Postgres", "Redis evicted them.", "--tags", "db")
    second = terminal.add("Sessions expire after a day", "The law says so.")
    terminal.mem("profile", "set", "editor", "vim", "--user")
    terminal.mem("note", "add", "Deployed")
    pack = terminal.mem("get", "sessions", "--format", "prompt").out

    async def work(client: Client) -> None:
        assert client.protocol_version == ("2026-07-28" if mode == NEWER else "2025-11-25")
        assert "mempack_get_context" in (client.instructions or "")
        assert "These tools only read" in (client.instructions or "")
        assert [tool.name for tool in (await client.list_tools()).tools] == READING

        assert await call(client, "mempack_get_context", query="sessions") == pack
        assert (await call(client, "mempack_get_context", query="sessions", format="xml", budget=900)).startswith(
            "<memory_context"
        )
        packed = await call(client, "mempack_get_context", query="sessions", format="json", budget=900)
        assert packed["budget"]["target_total"] == 900
        assert f"{first} included: Sessions live in Postgres" in await call(client, "mempack_explain", query="sessions")
        shown = [json.loads(line) for line in (await call(client, "mempack_show", ids=[first, second])).splitlines()]
        assert [one["title"] for one in shown] == ["Sessions live in Postgres", "Sessions expire after a day"]
        around = await call(client, "mempack_timeline", id=second, before=1, after=1)
        assert [line[:2] for line in around.splitlines()] == ["  ", "> "]
        found = await call(client, "memory_search", query="postgres", limit=1)
        content = "Sessions live in Postgres\nRedis evicted them."
        when = "2026-03-01T12:00:00.000Z"
        assert found == {
            "ok": True,
            "total": 1,
            "items": [
                {"id": first, "content": content, "keywords": ["db"], "updated_at": when, "origin": "cli", "trust": "high"}
            ],
        }
        await _look_around(client, first)

    talk(work, terminal, way=way, mode=mode)


async def _look_around(client: Client, memory_id: str) -> None:
    async def read(uri: str) -> str:
        (content,) = (await client.read_resource(uri)).contents
        assert isinstance(content, types.TextResourceContents)
        return content.text

    assert [str(one.uri) for one in (await client.list_resources()).resources] == ["mem://context", "mem://profile"]
    templates = (await client.list_resource_templates()).resource_templates
    assert [one.uri_template for one in templates] == ["mem://memory/{id}", "mem://notes/{day}"]
    assert memory_id in await read("mem://context")
    assert json.loads(await read(f"mem://memory/{memory_id}"))["summary"] == "Redis evicted them."
    (kept,) = json.loads(await read("mem://profile"))
    assert (kept["key"], kept["value"], kept["scope"]) == ("editor", "vim", "user")
    assert [one["text"] for one in json.loads(await read("mem://notes/2026-03-01"))] == ["Deployed"]

    assert [one.name for one in (await client.list_prompts()).prompts] == ["recall", "save_session"]
    (message,) = (await client.get_prompt("recall", {"task": "fix the sessions"})).messages
    assert isinstance(message.content, types.TextContent)
    assert "Sessions live in Postgres" in message.content.text
    (message,) = (await client.get_prompt("save_session")).messages
    assert isinstance(message.content, types.TextContent)
    assert "mempack_supersede" in message.content.text


def test_the_context_is_what_a_session_is_told_at_its_start_each_time_it_is_read(terminal: Terminal) -> None:
    terminal.add("Sessions live in Postgres", "Redis evicted them.")
    terminal.mem("profile", "set", "ci", "make all")
    terminal.mem("note", "add", "Deployed")
    terminal.mem("checkpoint", "--reason", "a pause", "--state-json", '{"open": ["the migration"]}')
    (terminal.folder / ".mempack").mkdir()
    (terminal.folder / ".mempack" / "MEMORY.md").write_text("Write down why.\n")
    told = terminal.mem("turn", "prepare", "--session", "mcp", "--format", "prompt").json
    terminal.mem("turn", "ack", "--prepare-id", told["prepareId"], "--status", "success")
    for part in ("Postgres", "make all", "Deployed", "the migration", "Write down why"):
        assert part in told["text"]

    async def work(client: Client) -> None:
        for _ in range(2):
            (content,) = (await client.read_resource("mem://context")).contents
            assert isinstance(content, types.TextResourceContents)
            assert content.text == told["text"]

    talk(work, terminal)
    assert terminal.mem("turn", "prepare", "--session", "mcp", "--format", "prompt").json["mode"] == "none"


def test_where_nothing_is_known_the_context_says_so(terminal: Terminal) -> None:
    terminal.mem("forget", terminal.add("Wrong"))

    async def work(client: Client) -> str:
        (content,) = (await client.read_resource("mem://context")).contents
        assert isinstance(content, types.TextResourceContents)
        return content.text

    assert talk(work, terminal) == "Nothing is known yet.\n"


@pytest.mark.parametrize(("way", "mode"), EVERY_WAY)
def test_a_server_that_writes_keeps_what_it_is_told(terminal: Terminal, way: str, mode: str) -> None:
    terminal.mem("init", "--no-agents")

    async def work(client: Client) -> str:
        assert [tool.name for tool in (await client.list_tools()).tools] == READING + WRITING
        said = {"title": "Sessions live in Postgres", "summary": "Redis lost them.", "thread": "auth", "tags": ["db"]}
        added = await call(client, "mempack_add_memory", **said)
        assert (added["ok"], added["thread_id"], added["title"]) == (True, "auth", "Sessions live in Postgres")
        assert (await call(client, "mempack_add_memory", **said))["duplicate_of"] == added["id"]
        assert (await call(client, "mempack_update_memory", id=added["id"], tags="db,auth"))["id"] == added["id"]
        replaced = await call(client, "mempack_supersede", id=added["id"], summary="Redis evicted them under load.")
        assert replaced["old_id"] == added["id"]
        other = await call(client, "mempack_add_memory", title="Sessions expire", summary="After a day.")
        linked = await call(client, "mempack_link", from_id=other["id"], rel="needs", to_id=replaced["new_id"])
        assert (linked["rel"], linked["created"]) == ("needs", True)
        stood = await call(client, "mempack_checkpoint", reason="before the release", state_json='{"open": ["tests"]}')
        assert stood["state_id"].startswith("S-")
        only = await call(client, "mempack_checkpoint", reason="a pause")
        assert (only["state_id"], only["reason"]) == (None, "a pause")
        gone = await call(client, "mempack_add_memory", title="Wrong", summary="x")
        assert (await call(client, "mempack_forget", id=gone["id"]))["kind"] == "memory"
        return str(replaced["new_id"])

    new_id = talk(work, terminal, "--allow-write", "--write-mode", "auto", way=way, mode=mode)
    assert terminal.mem("state", "--json").json["state"] == {"open": ["tests"]}
    shown = terminal.mem("show", new_id, "--json").json["memory"]
    assert (shown["tags"], shown["origin"]) == (["db", "auth"], "mcp")
    assert {one["title"] for one in terminal.mem("recent", "--json").json} >= {"Sessions expire", "Checkpoint"}
    assert "Wrong" not in terminal.mem("recent").out


SEEDS = "user favorite color is blue. They said so twice!\n"


@pytest.mark.parametrize("way", ["stdio", "http"])
def test_the_plain_calls_of_other_memories_work_as_they_are(terminal: Terminal, way: str) -> None:
    terminal.mem("init", "--no-agents")
    meta = {"session_id": "s-1", "trace_id": "t-9", "step_index": 4, "call_id": "c-2"}

    async def work(client: Client) -> str:
        made = await call(client, "memory_write", meta=meta, content=SEEDS, keywords=["favorite", "color"])
        assert (made["ok"], made["content"], made["keywords"]) == (True, SEEDS, ["favorite", "color"])
        again = await call(client, "memory_write", content=SEEDS.upper(), keywords=["blue"])
        assert (again["id"], again["content"], again["keywords"]) == (made["id"], SEEDS, ["favorite", "color", "blue"])
        found = await call(client, "memory_search", query="favorite color blue", limit=3)
        assert [(one["id"], one["content"]) for one in found["items"]] == [(made["id"], SEEDS)]

        own = await call(client, "memory_write", content="I like tea.", scope="user")
        kept = await call(client, "memory_store", key="editor", value="vim")
        entry = {"key": "editor", "value": "vim", **{name: kept[name] for name in ("id", "updated_at", "revision")}}
        assert kept == {"ok": True, **entry, "origin": "mcp", "trust": "medium", "suspicious": False, "scope": "user"}
        assert (await call(client, "memory_store", key="ci", value="make all", scope="repo"))["scope"] == "repo"
        gone = {"ok": True, "key": "editor", "scope": "user", "status": "deleted", "revision": kept["revision"] + 1}
        assert (await call(client, "memory_delete", key="editor")) == gone
        assert (await call(client, "memory_delete", key="editor"))["status"] == "absent"
        assert own["id"] != made["id"]
        return str(made["id"])

    memory_id = talk(work, terminal, "--allow-write", "--write-mode", "auto", way=way, asked=answering("accept", []))
    assert terminal.mem("show", memory_id, "--json").json["memory"]["title"] == "user favorite color is blue."
    log = terminal.mem("log", memory_id, "--json").json
    assert log[-1]["b"]["via"] == {"session": "s-1", "trace": "t-9", "step": "4", "call": "c-2"}
    assert terminal.mem("profile", "get", "ci").out == "make all\n"
    assert terminal.mem("recent", "--user", "--json").json[0]["title"] == "I like tea."


def test_what_an_agent_writes_is_screened_and_the_answer_says_so(terminal: Terminal) -> None:
    terminal.mem("init", "--no-agents")
    key = "AKIA" + "Q3EGRV6XW4JPZ7LT"

    async def work(client: Client) -> None:
        made = await call(client, "memory_write", content=f"The key is {key}.")
        assert key not in made["content"]
        assert made["masked"]
        kept = await call(client, "memory_store", key="api_password", value="kR7_wq-92Lzp")
        assert "kR7_wq" not in kept["value"]

    talk(work, terminal, "--allow-write", "--write-mode", "auto", asked=answering("accept", []))
    assert key.encode() not in terminal.store.read_bytes()


def test_the_list_of_tools_costs_little_and_says_all_four_hints(terminal: Terminal) -> None:
    terminal.mem("init", "--no-agents")

    def listed(*words: str) -> list[dict[str, object]]:
        about = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "t", "version": "1"}}
        first = {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": about}
        ready = {"jsonrpc": "2.0", "method": "notifications/initialized"}
        _, answer = lines(terminal, [first, ready, {"jsonrpc": "2.0", "id": 2, "method": "tools/list"}], *words, answers=2)
        return list(answer["result"]["tools"])

    read, write = listed(), listed("--allow-write")
    costs = "every session pays for each field: leave it out in mcp/tools.py, or raise the limit and say why"
    assert len(json.dumps(read, separators=(",", ":"))) < 3_000, costs
    assert len(json.dumps(write, separators=(",", ":"))) < 8_100, costs
    for tool in write:
        hints = tool["annotations"]
        assert isinstance(hints, dict)
        assert set(hints) == {"readOnlyHint", "destructiveHint", "idempotentHint", "openWorldHint"}
        assert hints["readOnlyHint"] is (tool["name"] in READING)
        assert "outputSchema" not in tool


def test_an_older_revision_is_answered_in_its_own_words(terminal: Terminal) -> None:
    terminal.add("Sessions live in Postgres")
    about = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "t", "version": "1"}}
    ask = {"name": "mempack_get_context", "arguments": {"query": "sessions"}}
    opened, *rest = lines(
        terminal,
        [
            {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": about},
            {"jsonrpc": "2.0", "method": "notifications/initialized"},
            {"jsonrpc": "2.0", "id": 2, "method": "tools/call", "params": ask},
            {"jsonrpc": "2.0", "id": 3, "method": "ping"},
        ],
        answers=3,
    )
    answered, pong = sorted(rest, key=lambda one: int(one["id"]))
    assert opened["result"]["protocolVersion"] == "2025-06-18"
    assert "Sessions live in Postgres" in answered["result"]["content"][0]["text"]
    assert "structuredContent" not in answered["result"]
    assert pong["result"] == {}


def test_a_search_finds_memories_and_no_prompts_and_says_how_many_there_are(terminal: Terminal) -> None:
    for number in range(7):
        terminal.add(f"Zebra {number}", "z" * 9_000)
    asked = {"session_id": "s1", "cwd": str(terminal.folder), "prompt": "Where does the zebra live?", "hook_event_name": "x"}
    terminal.mem("hook", "user-prompt", "--harness", "claude", stdin=json.dumps(asked))
    terminal.process("worker", "run", env={"MEMPACK_WORKER_IDLE_SECONDS": "0.01"})
    known = [one["id"][:2] for one in terminal.mem("search", "where does the zebra live", "--json").json]
    assert "P-" in known

    async def work(client: Client) -> None:
        for limit in (1, 20):
            found = await call(client, "memory_search", query="where does the zebra live", limit=limit)
            assert found["total"] == known.count("M-") >= 7
            assert 0 < len(found["items"]) <= min(limit, 3)
            assert all(one["id"].startswith("M-") for one in found["items"])

    talk(work, terminal)


def test_the_names_of_mempack_are_answered_and_not_listed(terminal: Terminal) -> None:
    terminal.add("Sessions live in Postgres", "Redis evicted them.")

    async def work(client: Client) -> None:
        assert not [tool.name for tool in (await client.list_tools()).tools if "." in tool.name]
        assert "Sessions live in Postgres" in await call(client, "mempack.get_context", query="sessions", format="prompt")
        pack = await call(client, "mempack.get_context", query="sessions", format="json")
        assert [memory["title"] for memory in pack["top_memories"]] == ["Sessions live in Postgres"]
        for name, part in (("mempack.get_context", "top_memories"), ("mempack.explain", "memories")):
            whole = await client.call_tool(name, {"query": "sessions"})  # as mempack's own clients call it
            text, *data = [block.text for block in whole.content if isinstance(block, types.TextContent)]
            assert "Sessions live in Postgres" in text
            assert [memory["title"] for memory in (whole.structured_content or {})[part]] == ["Sessions live in Postgres"]
            assert [json.loads(copy) for copy in data] == [whole.structured_content] * (part == "top_memories")
        report = await call(client, "mempack.explain", query="sessions", format="json")
        assert [(row["title"], row["verdict"]) for row in report["memories"]] == [("Sessions live in Postgres", "included")]
        made = await call(client, "mempack.add_memory", thread="db", title="Pools are small", summary="Ten each.", confirmed=True)
        assert made["thread_used"] == "db"
        kept = await call(client, "mempack.checkpoint", reason="Done", state_json='{"open": []}', confirmed=True)
        again = await call(client, "mempack.checkpoint", reason="More", state_json={"open": ["tests"]}, confirmed=True)
        assert again["state_id"] != kept["state_id"]
        assert kept["workspace"] == "default"
        assert set(kept) >= {"ok", "state_id", "reason", "memory_id"}

        for name, part in (("mem_get_context", "top_memories"), ("mem_explain", "memories")):
            whole = await client.call_tool(name, {"query": "sessions"})
            assert "Sessions live in Postgres" in [memory["title"] for memory in (whole.structured_content or {})[part]]
        other = await call(client, "mem_add_memory", title="Pools are shared", summary="By all.", confirmed=True)
        changed = await call(client, "mem_update_memory", id=made["id"], summary="Twenty each.", confirmed=True)
        assert changed["id"] == made["id"]
        ends = {"from_id": made["id"], "rel": "depends_on", "to_id": other["id"]}
        assert (await call(client, "mem_link_memories", **ends, confirmed=True))["to_id"] == other["id"]
        assert (await call(client, "mem_checkpoint", reason="Done", state_json="{}", confirmed=True))["state_id"]

    talk(work, terminal, "--allow-write", asked=None)


def test_an_agent_keeps_and_reads_the_notes_of_days(terminal: Terminal) -> None:
    terminal.mem("init", "--no-agents")

    async def work(client: Client) -> None:
        assert await call(client, "mempack_notes") == "no notes"
        made = await call(client, "mempack_add_note", text="Deployed to staging", confirmed=True)
        assert await call(client, "mempack_notes") == f"2026-03-01 12:00 {made['id']} Deployed to staging · by an agent"
        assert await call(client, "mempack_notes", day="20260301") == await call(client, "mempack_notes", days=1)
        assert await call(client, "mempack_notes", day="yesterday") == "no notes"

    talk(work, terminal, "--allow-write", asked=None)


def test_the_limit_of_a_search_is_brought_within_its_bounds(terminal: Terminal) -> None:
    for number in range(60):
        terminal.add(f"Zebra {number}")

    async def work(client: Client) -> None:
        for limit, count in ((0, 1), (-1, 1), ("3", 3), (2.5, 2), (9999, 50)):
            assert len((await call(client, "memory_search", query="zebra", limit=limit))["items"]) == count, limit

    talk(work, terminal)


def test_a_search_says_how_much_is_on_another_branch(terminal: Terminal) -> None:
    terminal.git("switch", "-q", "-c", "side")
    terminal.commit("second")
    terminal.add("Prices are cached")
    terminal.git("switch", "-q", "main")

    async def work(client: Client) -> None:
        found = await call(client, "memory_search", query="prices cached")
        assert found == {"ok": True, "total": 0, "items": [], "not_on_this_branch": 1}

    talk(work, terminal)


def test_what_is_to_be_remembered_goes_where_the_person_wants_it(terminal: Terminal) -> None:
    terminal.mem("init", "--no-agents")
    terminal.mem("config", "set", "mcp.scope", "user")
    asked: list[str] = []

    async def work(client: Client) -> None:
        assert (await call(client, "memory_write", content="Allergic to peanuts."))["scope"] == "user"
        assert (await call(client, "memory_write", content="Deploys are frozen.", scope="repo"))["scope"] == "repo"

    talk(work, terminal, "--allow-write", asked=answering("accept", asked))
    assert ["your own memory" in question for question in asked] == [True, False]
    assert terminal.mem("recent", "--user", "--json").json[0]["title"] == "Allergic to peanuts."
    assert terminal.mem("recent", "--json").json[0]["title"] == "Deploys are frozen."


@pytest.mark.parametrize("mode", ["auto", "ask"])
def test_a_client_that_cannot_ask_remembers_where_the_person_s_setting_says(terminal: Terminal, mode: str) -> None:
    terminal.mem("init", "--no-agents")
    terminal.mem("config", "set", "mcp.scope", "user")

    async def work(client: Client) -> None:
        if mode == "ask":
            refused = await client.call_tool("memory_write", {"content": "Likes jazz."})
            assert refused.is_error
        agreed = {"confirmed": True} if mode == "ask" else {}
        assert (await call(client, "memory_write", content="Likes jazz.", **agreed))["scope"] == "user"
        stored = await call(client, "memory_store", key="editor", value="vim", **agreed)
        assert (stored["key"], stored["scope"]) == ("editor", "user")
        assert (await call(client, "memory_delete", key="editor", **agreed))["status"] == "deleted"
        outright = await client.call_tool("memory_write", {"content": "Likes jazz, too.", "scope": "user", "confirmed": True})
        assert outright.is_error, "an agent chose it, not the person"

    talk(work, terminal, "--allow-write", "--write-mode", mode)
    assert [row["title"] for row in terminal.mem("recent", "--user", "--json").json] == ["Likes jazz."]


def test_a_text_that_is_remembered_is_told_once(terminal: Terminal) -> None:
    terminal.mem("init", "--no-agents")
    text = "Trains leave at noon. They are never late."

    async def work(client: Client) -> None:
        await call(client, "memory_write", content=text)

    talk(work, terminal, "--allow-write", "--write-mode", "auto")
    for form in ("prompt", "xml"):
        pack = terminal.mem("get", "when do trains leave", "--format", form).out
        assert (pack.count("Trains leave at noon"), pack.count("They are never late")) == (1, 1)
    assert terminal.mem("show", terminal.mem("recent", "--json").json[0]["id"], "--json").json["memory"]["summary"] == text
