"""Configurations of clients that start the Go mempack's server start ours, and its options do what they did."""

from __future__ import annotations

import json
from contextlib import closing
from pathlib import Path

import apsw
import pytest
from mcp import Client

from tests.conftest import Terminal
from tests.mcp.talk import lines, talk

ABOUT = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "c", "version": "1"}}


def context(terminal: Terminal, *options: str, **arguments: str) -> str:
    """Asks a server for its context, as a client of mempack does. Returns all that it answers."""
    call = {"name": "mem_get_context", "arguments": {"query": "launch code", **arguments}}
    sent = [
        {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": ABOUT},
        {"jsonrpc": "2.0", "method": "notifications/initialized"},
        {"jsonrpc": "2.0", "id": 2, "method": "tools/call", "params": call},
    ]
    return str(lines(terminal, sent, *options, answers=2)[1])


@pytest.mark.parametrize(
    ("options", "code"),
    [
        (("--stdio=true", "--name", "mem", "--version=v1", "--require-repo=true", "--repair=false", "--debug=true"), 0),
        (("--stdio=false", "--require-repo", "--repo", "."), 0),
        (("--name", "--bogus"), 2),
    ],
)
def test_options_of_mempack_that_change_nothing_are_passed_by(terminal: Terminal, options: tuple[str, ...], code: int) -> None:
    terminal.mem("init")
    done = terminal.process("mcp", *options, input=b"", fails=code)
    assert ("no such option" in done.err.lower()) == (code == 2)


def test_where_a_repository_is_required_the_active_one_does_not_stand_in(terminal: Terminal, tmp_path: Path) -> None:
    terminal.mem("add", "The launch code is in the safe")
    terminal.mem("use", str(terminal.folder))
    (tmp_path / "outside").mkdir()
    outside = terminal.at(tmp_path / "outside")
    assert "The launch code" in context(outside)
    assert "no repository at" in context(outside, "--require-repo")
    assert "The launch code" in context(outside, "--require-repo", "--repo", str(terminal.folder)), "as an editor starts it"

    named = {"repo": str(terminal.folder)}
    assert "mem config set mcp.repos" in context(outside, "--require-repo", **named)
    terminal.mem("config", "set", "mcp.repos", str(terminal.folder))
    assert "The launch code" in context(outside, "--require-repo", **named)


def test_a_damaged_memory_is_repaired_before_it_is_served_where_that_is_asked(terminal: Terminal) -> None:
    terminal.mem("add", "The launch code is in the safe")
    (path,) = terminal.data.glob("repos/*/memory.db")
    with closing(apsw.Connection(str(path))) as db:
        db.execute("UPDATE memory_fts_data SET block = x'00' WHERE id > 10")
    assert terminal.process("mcp", "--require-repo", input=b"", fails=1).err.startswith("Error: ")
    assert "The launch code" in context(terminal, "--require-repo", "--repair")


def test_requests_through_a_pipe_that_ends_are_answered(terminal: Terminal) -> None:
    terminal.mem("add", "The launch code is in the safe")
    call = {"name": "mempack.get_context", "arguments": {"query": "launch code"}}
    sent = [
        {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": ABOUT},
        {"jsonrpc": "2.0", "method": "notifications/initialized"},
        *({"jsonrpc": "2.0", "id": number, "method": "tools/call", "params": call} for number in (2, "x")),
        {"jsonrpc": "2.0", "id": 4, "method": "tools/list"},
    ]
    done = terminal.process("mcp", input="".join(json.dumps(line) + "\n" for line in sent).encode())
    answers = {answer["id"]: answer for answer in map(json.loads, done.out.splitlines())}
    assert set(answers) == {1, 2, "x", 4}
    assert "The launch code" in str(answers[2])
    assert "The launch code" in str(answers["x"])
    assert "mempack_get_context" in str(answers[4])


def test_a_report_as_data_has_the_best_and_counts_the_rest(terminal: Terminal) -> None:
    rows = [
        json.dumps({"title": f"Zebra {number}", "summary": f"Stripes {number}.", "source_id": f"z:{number}"})
        for number in range(80)
    ]
    terminal.mem("import", "-", stdin="\n".join(rows))

    async def work(client: Client) -> None:
        for name in ("mempack.explain", "mem_explain"):
            report = (await client.call_tool(name, {"query": "zebra"})).structured_content or {}
            assert len(report["memories"]) == 50
            assert report["left_out"] == {"memories": 30, "chunks": 0}
        whole = terminal.mem("explain", "zebra", "--json").json["memories"]
        assert [row["id"] for row in report["memories"]] == [row["id"] for row in whole][:50]

    talk(work, terminal)
