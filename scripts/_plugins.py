"""Plugins and extensions for harnesses that install them: the same hooks and server as `mem setup` writes, for a `mem` on PATH.

`scripts/generate.py` writes them into the repository, and a test compares.
"""

from __future__ import annotations

import json
from typing import Any

from memcli import __version__
from memcli.agents.adapters import Adapter, claude, gemini, opencode
from memcli.agents.setup.instructions import template
from memcli.agents.setup.program import NAME, hook_words, server_words

MEM = [NAME]
ABOUT = "What a repository remembers: decisions and facts that still hold, given to the agent at the start and at each prompt"
AUTHOR = {"name": "the memcli authors"}
VERSION = __version__.partition("+")[0]
SKILL = """\
---
name: memory
description: Recall what this repository remembers (decisions, failed attempts, conventions, open work) before a task, and save
  what was learned after it.
---

{}"""


def files() -> dict[str, str]:
    """Returns every file by its path from the top of the repository."""
    listed = {"name": NAME, "source": "./plugins/claude", "description": ABOUT}
    plugin = {"name": NAME, "version": VERSION, "description": ABOUT, "author": AUTHOR, "license": "MIT"}
    return {
        ".claude-plugin/marketplace.json": _json({"name": "memcli", "owner": AUTHOR, "description": ABOUT, "plugins": [listed]}),
        "plugins/claude/.claude-plugin/plugin.json": _json(plugin),
        "plugins/claude/hooks/hooks.json": _json({"description": ABOUT, "hooks": hooks(claude.ADAPTER)}),
        "plugins/claude/.mcp.json": _json({"mcpServers": {NAME: {"command": NAME, "args": server_words(MEM)[1:]}}}),
        "plugins/claude/skills/memory/SKILL.md": SKILL.format(template("MEMORY.md")),
        "plugins/gemini/gemini-extension.json": _json(
            {
                "name": NAME,
                "version": VERSION,
                "description": ABOUT,
                "mcpServers": {NAME: gemini.ADAPTER.server_entry(server_words(MEM))},
                "contextFileName": "GEMINI.md",
            }
        ),
        "plugins/gemini/hooks/hooks.json": _json({"hooks": hooks(gemini.ADAPTER)}),
        "plugins/gemini/GEMINI.md": template("MEMORY.md"),
        "plugins/opencode/mem.js": opencode.ADAPTER.plugin_text(MEM),
        "plugins/openclaw/package.json": _json(
            {
                "name": NAME,
                "version": VERSION,
                "description": ABOUT,
                "license": "MIT",
                "private": True,
                "type": "module",
                "openclaw": {"extensions": ["./index.js"]},
            }
        ),
        "plugins/openclaw/openclaw.plugin.json": _json(
            {
                "id": NAME,
                "name": NAME,
                "description": ABOUT,
                "activation": {"onStartup": True},
                "configSchema": {"type": "object", "additionalProperties": False},
            }
        ),
        "plugins/openclaw/index.js": template("openclaw.js"),
    }


def hooks(harness: Adapter) -> dict[str, list[dict[str, Any]]]:
    """Returns the hooks of a harness for a `mem` on PATH."""
    return {
        name: [harness.hook_entry(hook_words(harness.name, event, MEM), name, timeout)]
        for name, (event, timeout) in harness.events.items()
    }


def _json(value: dict[str, Any]) -> str:
    return json.dumps(value, indent=2, ensure_ascii=False) + "\n"
