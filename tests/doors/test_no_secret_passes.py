"""A secret of any class that comes in by any door is in no file afterwards: data, cache, configuration, queue, logs."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import anyio
import pytest
from mcp import Client

from scripts.eval_secrets import wrong
from tests.conftest import Terminal
from tests.http.served import serving
from tests.mcp.talk import call, talking
from tests.screening.secret_corpus import Sample, kinds, samples

FEW = 6  # a door of which each call takes long gets one of so many samples
CORPUS = [sample for sample in samples(1) if sample.secret]
FORMATS = [sample for sample in CORPUS if sample.group == "formats"]
# One sample of each kind: formats each in another place. One that is in pieces is nowhere as a whole.
EACH = FORMATS[:: len(kinds()["places"]) + 1] + [sample for sample in CORPUS if not sample.group.startswith("formats")]
PLANTED = [sample for sample in EACH if not wrong(sample)]


def few(door: int) -> list[Sample]:
    """Returns the samples of one door; all doors together get all."""
    return PLANTED[door::FEW]


def leaks(terminal: Terminal, planted: list[Sample]) -> list[str]:
    """Returns which secrets stand in a file, by two thirds of their characters, as they are or as JSON writes them."""
    folders = [terminal.data, Path(terminal.env["MEMPACK_CONFIG_DIR"]), Path(terminal.env["HOME"]), terminal.folder / ".git"]
    files = [path for folder in folders for path in folder.rglob("*") if path.is_file() and path.name != "stdin"]
    content = b"\0".join([path.read_bytes() for path in files])
    assert content
    found = []
    for sample in planted:
        for secret in {sample.secret, json.dumps(sample.secret)[1:-1]}:
            size = max(6, -(-len(secret) * 2 // 3))
            if any(secret[start : start + size].encode() in content for start in range(len(secret) - size + 1)):
                found.append(f"{sample.group}: {sample.kind}")
    return found


def test_the_sample_is_large_enough() -> None:
    assert len(PLANTED) > 150


def test_add_update_and_supersede(terminal: Terminal) -> None:
    planted = few(0)
    for number, sample in enumerate(planted):
        given = {"title": f"Memory {number}: {sample.text}"[:480], "summary": sample.text, "tags": ["a"]}
        made = terminal.mem("add", "--stdin-json", "--json", stdin=json.dumps(given)).json
        if number % 10 == 0:
            terminal.mem("update", made["id"], "--summary", f"again {sample.text}")
            terminal.mem("supersede", made["id"], "--summary", f"once more {sample.text}")
    assert leaks(terminal, planted) == []


def test_notes_and_the_profile(terminal: Terminal) -> None:
    terminal.mem("init", "--no-agents")
    planted = few(1)
    for number, sample in enumerate(planted):
        terminal.mem("note", "add", f"note: {sample.text}")
        terminal.mem("profile", "set", f"entry-{number}", f"it: {sample.text}")
    assert leaks(terminal, planted) == []


def test_a_state(terminal: Terminal) -> None:
    state = {"next": [sample.text for sample in PLANTED], "deep": {"one": {"two": [sample.text for sample in PLANTED[::3]]}}}
    for start in range(0, len(PLANTED), 40):
        part = {"next": state["next"][start : start + 40]}
        terminal.mem("checkpoint", "--reason", PLANTED[start].text[:400], "--state-json", json.dumps(part))
    assert leaks(terminal, PLANTED) == []


def test_an_import(terminal: Terminal) -> None:
    rows = [{"title": f"Row {number}", "summary": sample.text} for number, sample in enumerate(PLANTED)]
    terminal.mem("import", "-", "--trust", stdin="\n".join(json.dumps(row) for row in rows))
    assert leaks(terminal, PLANTED) == []


def test_ingested_files_and_the_lines_that_it_names(terminal: Terminal) -> None:
    terminal.mem("init", "--no-agents")
    for number, sample in enumerate(PLANTED):
        (terminal.folder / f"note{number}.md").write_text(f"# Note\n\n{sample.text}\n", "utf-8")
    done = terminal.mem("ingest", "--json").json

    assert done["masked"] == len(PLANTED)
    assert leaks(terminal, PLANTED) == []


FIELDS = ("prompt", "stdout", "error", "tool_input", "answer")


@pytest.mark.parametrize("field", FIELDS)
def test_fields_of_hooks_and_what_the_worker_makes_of_them(
    terminal: Terminal, field: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    terminal.mem("init", "--no-agents")
    monkeypatch.setenv("MEMPACK_WORKER_IDLE_SECONDS", "0")
    planted = few(FIELDS.index(field))
    for number, sample in enumerate(planted):
        fire(terminal, field, sample.text, number)
    terminal.work()
    terminal.mem(
        "hook", "session-start", "--harness", "claude", stdin=json.dumps({"session_id": "s2", "cwd": str(terminal.folder)})
    )
    assert leaks(terminal, planted) == []


def fire(terminal: Terminal, field: str, text: str, number: int) -> None:
    """Fires the hook of an event that has a text in one of its fields."""
    event, payload = "post-tool-use", {"tool_name": "Bash", "tool_input": {"command": "run it"}, "tool_use_id": f"c{number}"}
    if field == "prompt":
        event, payload = "user-prompt", {"prompt": f"Why does this fail? {text}"}
    elif field == "stdout":
        payload["tool_response"] = {"stdout": text, "exit_code": 1}
    elif field == "error":
        payload["tool_response"] = {"stderr": f"Error: {text}", "exit_code": 2}
    elif field == "tool_input":
        payload["tool_input"] = {"command": text, "description": text}
    else:
        event, payload = "stop", {"last_assistant_message": f"Done: {text}"}
    sent: dict[str, Any] = {"session_id": "s1", "cwd": str(terminal.folder), **payload}
    terminal.mem("hook", event, "--harness", "claude", stdin=json.dumps(sent))


def test_tools_of_mcp(terminal: Terminal) -> None:
    terminal.mem("init", "--no-agents")
    planted = few(2)

    async def work() -> None:
        async with talking(terminal, "--allow-write", "--write-mode", "auto") as client:
            for number, sample in enumerate(planted):
                await write(client, number, sample.text)

    async def write(client: Client, number: int, text: str) -> None:
        await call(client, "memory_write", content=text)
        await call(client, "memory_store", key=f"entry-{number}", value=text, scope="repo")

    anyio.run(work)
    assert leaks(terminal, planted) == []


def test_routes_of_http(terminal: Terminal) -> None:
    terminal.mem("init", "--no-agents")
    planted = few(3)
    with serving(terminal) as served:
        for number, sample in enumerate(planted):
            assert served.ask("POST", "/v2/memories", {"title": f"Memory {number}", "summary": sample.text}).status == 201
            assert served.ask("POST", "/v2/notes", {"text": sample.text}).status < 300
            served.ask("GET", "/v2/search", query=sample.text)
    assert leaks(terminal, planted) == []
