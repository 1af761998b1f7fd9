"""Codex: hooks in hooks.json, servers in config.toml.

Files, events and seconds: the schemas in its 0.169.0 binary, and measured with it. SessionEnd has 3 s at most.
"""

from __future__ import annotations

import os
import shutil
import threading

from memcli.agents.adapters.spec import PROJECT, USER, Hooks, Server, Spec, expand, shell

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from memcli.agents.adapters.spec import Handler

PATIENCE = 5.0  # seconds for Codex to say which hooks it trusts; it takes half of one
EVENTS = {
    "SessionStart": ("session-start", 10),
    "UserPromptSubmit": ("user-prompt", 5),
    "PostToolUse": ("post-tool-use", 5),
    "Stop": ("stop", 10),
    "PreCompact": ("pre-compact", 10),
    "SessionEnd": ("session-end", 3),
}
REVIEW = "open codex, type /hooks and trust the hooks of mem: until you have reviewed them it skips them without a word"


def entry(words: Sequence[str], event: str, timeout: int) -> Handler:
    """Returns what stands in the list of an event."""
    return {"hooks": [{"type": "command", "command": shell(words), "timeout": timeout}]}


def server(words: Sequence[str]) -> Handler:
    """Returns a server as `codex mcp add` writes it."""
    return {"command": words[0], "args": list(words[1:])}


SPEC = Spec(
    "codex",
    "Codex",
    Hooks(".codex/hooks.json", "${CODEX_HOME:-~/.codex}/hooks.json", EVENTS, entry, {}),
    Server(".codex/config.toml", "${CODEX_HOME:-~/.codex}/config.toml", ("mcp_servers",), server),
    approve={PROJECT: ("trust the project when codex asks: it reads no .codex directory of another", REVIEW), USER: (REVIEW,)},
    approve_server={PROJECT: ("trust the project when codex asks: it reads no .codex directory of another",)},
)


def untrusted(path: str, places: Sequence[Sequence[str | int]]) -> str:
    """Returns which of our hooks in hooks.json the person has not reviewed as they are now, as a list of events; empty: none.

    `places`: where they stand in it. Codex itself is asked where it is installed; else what its config.toml says of them is
    looked at, where a hook that was changed since cannot be told from one that was not.
    """
    keys = {f"{path}:{_snake(str(place[1]))}:{place[2]}:{place[4]}": str(place[1]) for place in places if len(place) == 5}
    trusted = _asked(os.path.dirname(path)) if shutil.which("codex") else None
    if trusted is None:
        trusted = _noted()
    return ", ".join([event for key, event in keys.items() if key not in trusted])


def _snake(event: str) -> str:
    return "".join([f"_{char.lower()}" if char.isupper() else char for char in event]).lstrip("_")


def _noted() -> set[str]:
    """Returns the hooks whose review config.toml speaks of."""
    import tomllib

    try:
        with open(expand("${CODEX_HOME:-~/.codex}/config.toml"), "rb") as file:
            state = tomllib.load(file).get("hooks", {}).get("state", {})
            return {key for key, said in state.items() if isinstance(said, dict) and said.get("trusted_hash")}
    except (OSError, ValueError, AttributeError):
        return set()


def _asked(folder: str) -> set[str] | None:
    """Returns the hooks that Codex would run in a directory, None where it does not say within its patience."""
    import json
    import subprocess

    about = {"clientInfo": {"name": "mem-doctor", "title": "mem", "version": "0"}}
    asks = (
        {"id": 1, "method": "initialize", "params": about},
        {"method": "initialized"},
        {"id": 2, "method": "hooks/list", "params": {"cwds": [folder]}},
    )
    pipe = subprocess.PIPE
    try:
        process = subprocess.Popen(["codex", "app-server"], stdin=pipe, stdout=pipe, stderr=subprocess.DEVNULL, text=True)
    except OSError:
        return None
    watch = threading.Timer(PATIENCE, process.kill)
    watch.start()
    try:
        assert process.stdin is not None
        assert process.stdout is not None
        process.stdin.write("".join([json.dumps(one) + "\n" for one in asks]))
        process.stdin.flush()
        for line in process.stdout:
            said = json.loads(line)
            if said.get("id") == 2:
                listed = [hook for place in said["result"]["data"] for hook in place["hooks"]]
                return {hook["key"] for hook in listed if hook.get("trustStatus") in ("trusted", "managed")}
    except (OSError, ValueError, KeyError, TypeError, AttributeError):
        return None
    finally:
        watch.cancel()
        process.kill()
        process.communicate()
    return None
