"""Codex: hooks in hooks.json, servers in config.toml.

Files, events and seconds: the schemas in its 0.169.0 binary, and measured with it. SessionEnd has 3 s at most. Of context it
takes `additionalContextLimit`, 2,500 tokens, read as 10,000 bytes, and cuts out the middle of more.
"""

from __future__ import annotations

import os

from memcli.agents.adapters import PROJECT, USER, Adapter, blocked_stop, nested_context, nested_refusal, shell_line

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Any

    from memcli.agents.adapters import FilePair, Handler, Problem

PATIENCE = 5.0  # seconds for Codex to list the hooks it trusts; it takes half of one
_LARGEST = 1 << 22  # bytes of its config.toml
CONFIG = "${CODEX_HOME:-~/.codex}/config.toml"
TRUST = "trust the project when codex asks: until then it does not read .codex"
REVIEW = "open codex, type /hooks and trust the hooks of mem: until you have reviewed them it silently skips them"


class Codex(Adapter):
    """Codex."""

    name = "codex"
    title = "Codex"
    max_bytes = 10_000
    max_tokens = 2_500
    events = {
        "SessionStart": ("session-start", 10),
        "UserPromptSubmit": ("user-prompt", 5),
        "PreToolUse": ("pre-tool-use", 5),
        "PostToolUse": ("post-tool-use", 5),
        "Stop": ("stop", 10),
        "PreCompact": ("pre-compact", 10),
        "SessionEnd": ("session-end", 3),
    }
    edit_tools = "applypatch patch"
    read_tools = "viewimage updateplan getgoal requestuserinput"
    shell_tools = "bash shell exec execcommand localshell unifiedexec"
    web_tools = "websearch"
    own_places = (".codex", "${CODEX_HOME:-~/.codex}")
    hook_files = (".codex/hooks.json", "${CODEX_HOME:-~/.codex}/hooks.json")
    server_files = (".codex/config.toml", CONFIG)
    server_keys = ("mcp_servers",)
    approvals = {PROJECT: (TRUST, REVIEW), USER: (REVIEW,)}
    server_approvals = {PROJECT: (TRUST,)}

    def context(self, event: str, text: str) -> str:
        """Returns a nested object with no other key."""
        return nested_context("SessionStart" if event == "session-start" else "UserPromptSubmit", text)

    def hint(self, hook: str, text: str) -> str:
        """Returns a nested object with no other key."""
        return nested_context(hook, text) if hook in ("PreToolUse", "PostToolUse") else ""

    def refusal(self, hook: str, reason: str) -> str:
        """Returns the decision that forbids the call."""
        return nested_refusal(reason)

    def go_on(self, hook: str, request: str) -> str:
        """Returns the decision that blocks the stop."""
        return blocked_stop(request) if hook == "Stop" else ""

    def hook_entry(self, words: Sequence[str], event: str, timeout: int) -> Handler:
        """Returns a hook that a shell runs."""
        return {"hooks": [{"type": "command", "command": shell_line(words), "timeout": timeout}]}

    @property
    def switch_files(self) -> FilePair | None:
        """Codex switches its hooks off in config.toml."""
        return self.server_files

    def switched_off(self, settings: Mapping[str, Any]) -> list[Problem]:
        """Returns that the feature is off."""
        features = settings.get("features")
        is_off = isinstance(features, dict) and features.get("hooks") is False
        return [("[features] hooks is false", "take hooks out of its [features]")] if is_off else []

    def unreviewed(self, path: str, hooks: Sequence[Sequence[str | int]]) -> str:
        """Returns the events of our hooks in hooks.json whose current version the person has not reviewed.

        Codex itself is asked where it is installed. Else config.toml tells, in which a hook that was changed since its review
        looks like one that was not.
        """
        import shutil

        keys = {f"{path}:{_snake_case(str(hook[1]))}:{hook[2]}:{hook[4]}": str(hook[1]) for hook in hooks if len(hook) == 5}
        trusted = _trusted_by_codex(os.path.dirname(path)) if shutil.which("codex") else None
        if trusted is None:
            trusted = _trusted_in_config()
        return ", ".join([event for key, event in keys.items() if key not in trusted])


def _snake_case(event: str) -> str:
    return "".join([f"_{char.lower()}" if char.isupper() else char for char in event]).lstrip("_")


def _trusted_in_config() -> set[str]:
    """Returns the hooks whose review config.toml mentions."""
    import tomllib

    from memcli.agents.setup.program import expand
    from memcli.text import bounded

    try:
        content = bounded.read(expand(CONFIG), _LARGEST) or b""
        state = tomllib.loads(content.decode()).get("hooks", {}).get("state", {})
        return {key for key, entry in state.items() if isinstance(entry, dict) and entry.get("trusted_hash")}
    except (ValueError, AttributeError):
        return set()


def _trusted_by_codex(folder: str) -> set[str] | None:
    """Returns the hooks that Codex would run in a directory, None if it does not answer in time."""
    import json
    import subprocess
    import threading

    client = {"clientInfo": {"name": "mem-doctor", "title": "mem", "version": "0"}}
    requests = (
        {"id": 1, "method": "initialize", "params": client},
        {"method": "initialized"},
        {"id": 2, "method": "hooks/list", "params": {"cwds": [folder]}},
    )
    pipe = subprocess.PIPE
    try:
        process = subprocess.Popen(["codex", "app-server"], stdin=pipe, stdout=pipe, stderr=subprocess.DEVNULL, text=True)
    except OSError:
        return None
    timer = threading.Timer(PATIENCE, process.kill)
    timer.start()
    try:
        assert process.stdin is not None
        assert process.stdout is not None
        process.stdin.write("".join([json.dumps(request) + "\n" for request in requests]))
        process.stdin.flush()
        for line in process.stdout:
            response = json.loads(line)
            if response.get("id") == 2:
                hooks = [hook for group in response["result"]["data"] for hook in group["hooks"]]
                return {hook["key"] for hook in hooks if hook.get("trustStatus") in ("trusted", "managed")}
    except (OSError, ValueError, KeyError, TypeError, AttributeError):
        return None
    finally:
        timer.cancel()
        process.kill()
        process.communicate()
    return None


ADAPTER = Codex()
