"""Real clients, told of the memory by `mem setup`: scripts/test -m harness. See CONTRIBUTING.md."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.agents.real.conftest import Harness
from tests.agents.real.stub import ANSWER, strings

pytestmark = pytest.mark.harness

PLUGINS = Path(__file__).resolve().parents[3] / "plugins"
FACT = "Tokens live in Postgres"
BOTH = pytest.mark.parametrize("harness", ["claude", "codex"], indirect=True)
ALL = pytest.mark.parametrize("harness", ["claude", "codex", "gemini", "copilot", "opencode"], indirect=True)
COMMIT = "echo striped > zebra.py && git add zebra.py && git commit -q -m 'Mend the zebra import'"


def remember(harness: Harness) -> None:
    harness.mem("init", "--no-agents")
    harness.mem("add", FACT, "--summary", "Redis evicted them under load.", "--thread", "auth")


def contexts(texts: list[str], *words: str) -> list[str]:
    """Those of the strings that hold memory, and all of the words."""
    return [text for text in texts if "mem-context" in text and all(word in text for word in words)]


@ALL
def test_a_session_is_told_what_is_known_and_the_next_what_it_did(harness: Harness) -> None:
    remember(harness)
    harness.mem("setup", harness.client.name)

    first = harness.ask(f"Please mend the zebra import RUN<<{COMMIT}>>")
    assert contexts(first, FACT)
    titles = [memory["title"] for memory in harness.memories()]
    assert any("zebra" in title for title in titles), titles
    assert "Mend the zebra import" in harness.mem("sessions")

    second = harness.ask("What was done about the import?")
    assert contexts(second, "zebra")


@ALL
def test_a_prompt_is_told_what_is_known_about_it(harness: Harness) -> None:
    remember(harness)
    for number in range(40):  # more than a session's start has room for
        harness.mem("add", f"Filler {number} about nothing", "--summary", "words " * 60)
    harness.mem("setup", harness.client.name)
    texts = harness.ask("Where do the tokens live, Redis or Postgres?")
    assert contexts(texts, FACT)


@ALL
def test_a_mem_that_fails_or_is_gone_stops_no_agent(harness: Harness) -> None:
    mem = harness.home / "tools" / "mem"
    mem.parent.mkdir()
    mem.symlink_to(Path(sys.executable).with_name("mem"))
    said = subprocess.run(
        [mem, "setup", harness.client.name], cwd=harness.project, env=harness.env, capture_output=True, check=True
    )
    assert str(mem) in "".join(path.read_text() for path in harness.home.rglob("*") if path.suffix in (".json", ".js")), said
    mem.unlink()
    harness.ask("Mend it RUN<<echo striped > zebra.py>>")
    mem.write_text("#!/bin/sh\necho broken >&2\nexit 1\n")
    mem.chmod(0o755)
    harness.ask("Mend it again RUN<<echo striped > horse.py>>")
    assert all((harness.project / name).exists() for name in ("zebra.py", "horse.py"))


@BOTH
def test_two_sessions_at_once_are_kept_apart(harness: Harness) -> None:
    remember(harness)
    harness.mem("setup", harness.client.name)
    prompts = {
        animal: f"Look after the {animal} RUN<<echo {animal} > {animal}.txt && git add -N .>>" for animal in ("lion", "otter")
    }
    started = [harness.start(*harness.client.words, prompt) for prompt in prompts.values()]
    for process in started:
        harness.finish(process)

    for animal in prompts:
        told = [list(strings(body)) for body in harness.stub.requests]
        mine = [texts for texts in told if any(f"Look after the {animal}" in text for text in texts)]
        assert any(contexts(texts, FACT) for texts in mine)
    harness.memories()
    asked = [harness.mem("session", line.split()[0]) for line in harness.mem("sessions").splitlines()]
    assert [sum(f"Look after the {animal}" in said for said in asked) for animal in prompts] == [1, 1]


SEARCH = {
    "claude": "mcp__mem__memory_search",
    "codex": "mcp__mem.memory_search",
    "gemini": "mcp_mem_memory_search",
    "copilot": "mem-memory_search",
    "opencode": "mem_memory_search",
}


@BOTH
def test_the_client_lists_the_server(harness: Harness) -> None:
    remember(harness)
    harness.mem("setup", harness.client.name, "--mcp")
    listed = harness.run("mcp", "list")
    assert "mem" in listed
    assert "onnected" in listed or harness.client.name == "codex"


@ALL
def test_the_client_calls_the_server_s_tools_and_the_answer_is_not_kept_as_knowledge(harness: Harness) -> None:
    remember(harness)
    harness.mem("setup", harness.client.name, "--mcp")
    texts = harness.ask(f'Search for it CALL<<{SEARCH[harness.client.name]} {{"query": "tokens"}}>>')
    assert any("memory_search" in text for text in texts)
    assert any('"total"' in text and FACT in text for text in texts)
    titles = [memory["title"] for memory in harness.memories()]
    assert [title for title in titles if not title.startswith(("Search for it", '"Search for it', "Welcome"))] == [FACT]


@ALL
def test_removed_again_the_client_knows_nothing_of_it(harness: Harness) -> None:
    remember(harness)
    harness.mem("setup", harness.client.name, "--mcp")
    harness.mem("setup", harness.client.name, "--remove")
    assert not contexts(harness.ask("Where do the tokens live?"))


@BOTH
def test_what_the_agent_saves_is_known_to_be_its_session_s(harness: Harness) -> None:
    remember(harness)
    harness.mem("setup", harness.client.name)
    harness.ask(f"Keep it RUN<<{Path(sys.executable).with_name('mem')} add 'Deploys run nightly' --summary because>>")
    harness.memories()
    said = [one["b"] for one in json.loads(harness.mem("log", "--json")) if one["b"].get("title") == "Deploys run nightly"]
    assert [one["via"]["session"] for one in said] == [one["key"] for one in json.loads(harness.mem("sessions", "--json"))]


@pytest.mark.parametrize("harness", ["openclaw"], indirect=True)
def test_openclaw_is_told_of_the_file_and_finds_in_it_what_is_known(harness: Harness) -> None:
    read = 'Do as you were told CALL<<read {"path": "MEMORY_CONTEXT.md"}>>'
    (harness.project / "AGENTS.md").write_text("Be kind.\n")
    remember(harness)
    harness.mem("setup", "openclaw", "--mcp")
    texts = harness.ask(read)
    assert any("Read `MEMORY_CONTEXT.md` at the start of every session" in text for text in texts)
    assert any(text.startswith("<!-- Written by mem") and FACT in text for text in texts)

    harness.mem("profile", "set", "tone", "dry as a zebra", "--user")
    assert any("dry as a zebra" in text for text in another(harness, read))
    assert "mem" in harness.run("mcp", "list")
    harness.mem("setup", "openclaw", "--remove")
    assert not any("MEMORY_CONTEXT.md" in text for text in another(harness, "What is known?"))


@pytest.mark.parametrize("harness", ["openclaw"], indirect=True)
def test_the_plugin_of_openclaw_tells_what_is_known_and_what_happens(harness: Harness) -> None:
    remember(harness)
    harness.env["PATH"] += os.pathsep + os.path.dirname(sys.executable)
    harness.run("plugins", "install", "--link", str(PLUGINS / "openclaw"), "--force", "--accept-capabilities")
    harness.run("plugins", "enable", "mem")
    harness.run("config", "set", "plugins.entries.mem.hooks.allowConversationAccess", "true")
    first = harness.ask(f"Please mend the zebra import RUN<<{COMMIT}>>")
    assert contexts(first, FACT)
    assert any("zebra" in memory["title"] for memory in harness.memories())
    session = harness.mem("session", harness.mem("sessions").split()[0])
    assert "Mend the zebra import" in session
    assert f"> {ANSWER}" in session
    assert contexts(another(harness, "What was done about the import?"), "zebra", FACT)


def another(harness: Harness, prompt: str) -> list[str]:
    """Asks OpenClaw in a session of its own: without a name it goes on with the last one."""
    before = len(harness.stub.requests)
    harness.run("agent", "--local", "--agent", "main", "--session-id", f"session-{before}", "--message", prompt)
    return harness.stub.texts(before)


@pytest.mark.parametrize("harness", ["claude"], indirect=True)
def test_the_plugin_does_what_setup_does(harness: Harness) -> None:
    remember(harness)
    harness.env["PATH"] += os.pathsep + os.path.dirname(sys.executable)
    before = len(harness.stub.requests)
    harness.run(
        "--plugin-dir",
        str(PLUGINS / "claude"),
        *harness.client.words,
        "Mend the zebra RUN<<echo x > zebra.py && git add zebra.py>>",
    )
    assert contexts(harness.stub.texts(before), FACT)
    assert any("memory_search" in text for text in harness.stub.texts(before))
    harness.memories()
    assert "Mend the zebra" in harness.mem("session", harness.mem("sessions").split()[0])


@pytest.mark.parametrize("harness", ["claude", "gemini"], indirect=True)
def test_what_is_shipped_is_valid_to_the_client(harness: Harness) -> None:
    if harness.client.name == "claude":
        assert "passed" in harness.run("plugin", "validate", str(PLUGINS.parent))
        assert "passed" in harness.run("plugin", "validate", str(PLUGINS / "claude"))
    else:
        assert "successfully validated" in harness.run("extensions", "validate", str(PLUGINS / "gemini"))
