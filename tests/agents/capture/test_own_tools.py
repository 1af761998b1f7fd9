"""What our own tools and commands answer is known already: it never comes back as knowledge, whatever a harness calls them."""

from __future__ import annotations

import pytest

from memcli.agents.capture import own_calls
from memcli.mcp.tools import READING, WRITING
from tests.agents.capture.conftest import Agent

# How each harness names the tool NAME of the server `mem`. Those of Claude Code, Codex, Gemini CLI, Copilot CLI and OpenCode are
# what the real programs offer their models (tests/agents/real); Cursor and OpenClaw: their documents.
NAMED = {
    "claude": ("mcp__mem__{}", "mcp__plugin_mem_mem__{}"),
    "codex": ("mcp__mem__{}", "mcp__mem.{}"),
    "gemini": ("mcp_mem_{}",),
    "copilot": ("mem-{}",),
    "cursor": ("MCP:{}", "mcp__mem__{}"),
    "opencode": ("mem_{}",),
    "openclaw": ("mem__{}",),
    "generic": ("mem-{}", "mem_{}", "mcp__mem__{}"),
}
OTHERS = (
    "mem_cache_flush",
    "mem-other-search",
    "memory_search",
    "mempack",
    "MCP:search",
    "memcached_get",
    "mcp__memory__search",
    "",
)


@pytest.mark.parametrize("harness", NAMED)
def test_every_tool_of_ours_is_recognised_under_every_name(harness: str) -> None:
    names = [form.format(tool.name) for form in NAMED[harness] for tool in (*READING, *WRITING)]
    assert [name for name in names if not own_calls.is_own_tool(name)] == []


@pytest.mark.parametrize("name", OTHERS)
def test_others_with_a_name_like_ours_are_kept(name: str) -> None:
    assert not own_calls.is_own_tool(name)


@pytest.mark.parametrize(
    "command",
    [
        "mem get tokens | head -20",
        "cd /x && /opt/my/mem show M-7F3K2QWZ9A 2>&1 | grep -i token",
        "/usr/bin/python3 -m memcli get 'where are tokens; rm x'",
        ["bash", "-lc", "mem get tokens"],
    ],
)
def test_a_command_that_only_asks_us_is_not_kept(agent: Agent, command: object) -> None:
    agent.tool(tool_input={"command": command}, tool_response="# Memory\\n\\n- Zebra")
    agent.tool(tool_name="exec_command", tool_input={"cmd": command}, tool_response="Zebra")
    assert b"Zebra" not in agent.whole_disk()


@pytest.mark.parametrize(
    "command", ["head notes.md", "python3 -m pytest", "mem get x | tee notes.md", "mem get x | sh", "memory"]
)
def test_a_command_that_does_more_is_kept(agent: Agent, command: str) -> None:
    agent.tool(tool_input={"command": command})
    assert len(agent.jobs()) == 1
