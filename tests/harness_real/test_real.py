"""Real clients, told of the memory by `mem setup`: scripts/test -m harness. See CONTRIBUTING.md."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.harness_real.conftest import Desk
from tests.harness_real.stub import strings

pytestmark = pytest.mark.harness

PLUGINS = Path(__file__).resolve().parents[2] / "plugins"
FACT = "Tokens live in Postgres"
BOTH = pytest.mark.parametrize("desk", ["claude", "codex"], indirect=True)
ALL = pytest.mark.parametrize("desk", ["claude", "codex", "gemini", "copilot", "opencode"], indirect=True)
COMMIT = "echo striped > zebra.py && git add zebra.py && git commit -q -m 'Mend the zebra import'"


def remember(desk: Desk) -> None:
    desk.mem("init", "--no-agents")
    desk.mem("add", FACT, "--summary", "Redis evicted them under load.", "--thread", "auth")


def contexts(texts: list[str], *words: str) -> list[str]:
    """Those of the strings that hold memory, and all of the words."""
    return [text for text in texts if "mem-context" in text and all(word in text for word in words)]


@ALL
def test_a_session_is_told_what_is_known_and_the_next_what_it_did(desk: Desk) -> None:
    remember(desk)
    desk.mem("setup", desk.client.name)

    first = desk.ask(f"Please mend the zebra import RUN<<{COMMIT}>>")
    assert contexts(first, FACT)
    titles = [memory["title"] for memory in desk.known()]
    assert any("zebra" in title for title in titles), titles
    assert "Mend the zebra import" in desk.mem("sessions")

    second = desk.ask("What was done about the import?")
    assert contexts(second, "zebra")


@ALL
def test_a_prompt_is_told_what_is_known_about_it(desk: Desk) -> None:
    remember(desk)
    for number in range(40):  # more than a session's start has room for
        desk.mem("add", f"Filler {number} about nothing", "--summary", "words " * 60)
    desk.mem("setup", desk.client.name)
    texts = desk.ask("Where do the tokens live, Redis or Postgres?")
    assert contexts(texts, FACT)


@ALL
def test_a_mem_that_fails_or_is_gone_stops_no_agent(desk: Desk) -> None:
    mem = desk.home / "tools" / "mem"
    mem.parent.mkdir()
    mem.symlink_to(Path(sys.executable).with_name("mem"))
    said = subprocess.run([mem, "setup", desk.client.name], cwd=desk.project, env=desk.env, capture_output=True, check=True)
    assert str(mem) in "".join(path.read_text() for path in desk.home.rglob("*") if path.suffix in (".json", ".js")), said
    mem.unlink()
    desk.ask("Mend it RUN<<echo striped > zebra.py>>")
    mem.write_text("#!/bin/sh\necho broken >&2\nexit 1\n")
    mem.chmod(0o755)
    desk.ask("Mend it again RUN<<echo striped > horse.py>>")
    assert all((desk.project / name).exists() for name in ("zebra.py", "horse.py"))


@BOTH
def test_two_sessions_at_once_are_kept_apart(desk: Desk) -> None:
    remember(desk)
    desk.mem("setup", desk.client.name)
    prompts = {
        animal: f"Look after the {animal} RUN<<echo {animal} > {animal}.txt && git add -N .>>" for animal in ("lion", "otter")
    }
    started = [desk.start(*desk.client.words, prompt) for prompt in prompts.values()]
    for process in started:
        desk.finish(process)

    for animal in prompts:
        told = [list(strings(body)) for body in desk.stub.requests]
        mine = [texts for texts in told if any(f"Look after the {animal}" in text for text in texts)]
        assert any(contexts(texts, FACT) for texts in mine)
    desk.known()
    asked = [desk.mem("session", line.split()[0]) for line in desk.mem("sessions").splitlines()]
    assert [sum(f"Look after the {animal}" in said for said in asked) for animal in prompts] == [1, 1]


@BOTH
def test_the_client_lists_the_server_and_calls_its_tools(desk: Desk) -> None:
    remember(desk)
    desk.mem("setup", desk.client.name, "--mcp")
    listed = desk.run("mcp", "list")
    assert "mem" in listed
    assert "onnected" in listed or desk.client.name == "codex"
    tool = {"claude": "mcp__mem__memory_search", "codex": "mcp__mem.memory_search"}[desk.client.name]
    texts = desk.ask(f'Search for it CALL<<{tool} {{"query": "tokens"}}>>')
    assert any("memory_search" in text for text in texts)
    assert any('"total"' in text and FACT in text for text in texts)


@ALL
def test_removed_again_the_client_knows_nothing_of_it(desk: Desk) -> None:
    remember(desk)
    desk.mem("setup", desk.client.name, "--mcp")
    desk.mem("setup", desk.client.name, "--remove")
    assert not contexts(desk.ask("Where do the tokens live?"))


@BOTH
def test_what_the_agent_saves_is_known_to_be_its_session_s(desk: Desk) -> None:
    remember(desk)
    desk.mem("setup", desk.client.name)
    desk.ask(f"Keep it RUN<<{Path(sys.executable).with_name('mem')} add 'Deploys run nightly' --summary because>>")
    desk.known()
    said = [one["b"] for one in json.loads(desk.mem("log", "--json")) if one["b"].get("title") == "Deploys run nightly"]
    assert [one["via"]["session"] for one in said] == [one["key"] for one in json.loads(desk.mem("sessions", "--json"))]


@pytest.mark.parametrize("desk", ["openclaw"], indirect=True)
def test_openclaw_is_told_of_the_file_and_finds_in_it_what_is_known(desk: Desk) -> None:
    read = 'Do as you were told CALL<<read {"path": "MEMORY_CONTEXT.md"}>>'
    (desk.project / "AGENTS.md").write_text("Be kind.\n")
    remember(desk)
    desk.mem("setup", "openclaw", "--mcp")
    texts = desk.ask(read)
    assert any("Read `MEMORY_CONTEXT.md` at the start of every session" in text for text in texts)
    assert any(text.startswith("<!-- Written by mem") and FACT in text for text in texts)

    desk.mem("profile", "set", "tone", "dry as a zebra", "--user")
    assert any("dry as a zebra" in text for text in another(desk, read))
    assert "mem" in desk.run("mcp", "list")
    desk.mem("setup", "openclaw", "--remove")
    assert not any("MEMORY_CONTEXT.md" in text for text in another(desk, "What is known?"))


def another(desk: Desk, prompt: str) -> list[str]:
    """Asks OpenClaw in a session of its own: without a name it goes on with the last one."""
    before = len(desk.stub.requests)
    desk.run("agent", "--local", "--agent", "main", "--session-id", f"session-{before}", "--message", prompt)
    return desk.stub.texts(before)


@pytest.mark.parametrize("desk", ["claude"], indirect=True)
def test_the_plugin_does_what_setup_does(desk: Desk) -> None:
    remember(desk)
    desk.env["PATH"] += os.pathsep + os.path.dirname(sys.executable)
    before = len(desk.stub.requests)
    desk.run(
        "--plugin-dir", str(PLUGINS / "claude"), *desk.client.words, "Mend the zebra RUN<<echo x > zebra.py && git add zebra.py>>"
    )
    assert contexts(desk.stub.texts(before), FACT)
    assert any("memory_search" in text for text in desk.stub.texts(before))
    desk.known()
    assert "Mend the zebra" in desk.mem("session", desk.mem("sessions").split()[0])


@pytest.mark.parametrize("desk", ["claude", "gemini"], indirect=True)
def test_what_is_shipped_is_valid_to_the_client(desk: Desk) -> None:
    if desk.client.name == "claude":
        assert "passed" in desk.run("plugin", "validate", str(PLUGINS.parent))
        assert "passed" in desk.run("plugin", "validate", str(PLUGINS / "claude"))
    else:
        assert "successfully validated" in desk.run("extensions", "validate", str(PLUGINS / "gemini"))
