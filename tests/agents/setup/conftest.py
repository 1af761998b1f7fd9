"""A person with a `mem` of their own, whose harnesses are to use it."""

from __future__ import annotations

import json
import subprocess
import sys
import tomllib
from pathlib import Path
from typing import Any

import pytest

from tests.conftest import Terminal

# Where each harness's hooks, or our plugin for it, stand: for the person, below HOME, and for a project.
HOOKS = {
    "claude": (".claude/settings.json", ".claude/settings.json"),
    "codex": (".codex/hooks.json", ".codex/hooks.json"),
    "gemini": (".gemini/settings.json", ".gemini/settings.json"),
    "copilot": (".copilot/hooks/mem.json", ".github/hooks/mem.json"),
    "cursor": (".cursor/hooks.json", ".cursor/hooks.json"),
    "opencode": (".config/opencode/plugins/mem.js", ".opencode/plugins/mem.js"),
}
SERVERS = {
    "claude": (".claude.json", ".mcp.json"),
    "codex": (".codex/config.toml", ".codex/config.toml"),
    "gemini": (".gemini/settings.json", ".gemini/settings.json"),
    "copilot": (".copilot/mcp-config.json", ".github/mcp.json"),
    "cursor": (".cursor/mcp.json", ".cursor/mcp.json"),
    "opencode": (".config/opencode/opencode.json", "opencode.json"),
}
SHAPED = [name for name in HOOKS if name != "opencode"]  # those with hooks in JSON


class Person:
    """A terminal in a repository, a HOME, and a `mem` at a path of its own."""

    def __init__(self, terminal: Terminal, mem: Path) -> None:
        self.terminal = terminal
        self.mem = mem
        self.home = Path(terminal.env["HOME"])

    def setup(self, *words: str, fails: int = 0) -> Any:
        """Runs `mem setup`."""
        return self.terminal.mem("setup", *words, fails=fails)

    def file(self, harness: str, scope: str = "user", server: bool = False) -> Path:
        """The file in which a harness's hooks stand, or its servers."""
        user, project = (SERVERS if server else HOOKS)[harness]
        return self.home / user if scope == "user" else self.terminal.folder / project

    def settings(self, harness: str, scope: str = "user", server: bool = False) -> Any:
        """What such a file says."""
        text = (path := self.file(harness, scope, server)).read_text()
        return tomllib.loads(text) if path.suffix == ".toml" else json.loads(text)

    def everything(self) -> dict[str, bytes]:
        """Every file below HOME and the project, but git's and mem's own."""
        found = [*self.home.rglob("*"), *self.terminal.folder.rglob("*")]
        return {str(path): path.read_bytes() for path in found if path.is_file() and ".git" not in path.parts}


def workspace(person: Person, name: str = ".openclaw/workspace") -> Path:
    """A new workspace of OpenClaw, a repository of its own."""
    folder = person.home / name
    folder.mkdir(parents=True)
    subprocess.run(["git", "init", "-q", "-b", "main", "."], cwd=folder, env=person.terminal.env, check=True)
    subprocess.run(["git", "commit", "-q", "--allow-empty", "-m", "first"], cwd=folder, env=person.terminal.env, check=True)
    return folder


def at(person: Person, folder: Path) -> Terminal:
    """The person's terminal there."""
    return person.terminal.at(folder)


def context(folder: Path) -> str:
    """What the workspace's file says."""
    return (folder / "MEMORY_CONTEXT.md").read_text()


@pytest.fixture
def person(terminal: Terminal, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Person:
    """A person whose `mem` is a program at a path with a space in it."""
    mem = tmp_path / "my tools" / "mem"
    mem.parent.mkdir()
    mem.write_text(f'#!/bin/sh\nexec {sys.executable} -m memcli "$@"\n')
    mem.chmod(0o755)
    monkeypatch.setattr(sys, "argv", [str(mem)])
    openclaw = ("OPENCLAW_WORKSPACE", "OPENCLAW_WORKSPACE_DIR")
    for name in ("GEMINI_CLI_HOME", "COPILOT_HOME", "CODEX_HOME", "CLAUDE_CONFIG_DIR", *openclaw, "XDG_CONFIG_HOME"):
        monkeypatch.delenv(name, raising=False)
    return Person(terminal, mem)
