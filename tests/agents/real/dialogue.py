"""A client as a program that goes on: one process, spoken to over its pipes as its own protocol wants it, prompt after prompt.

`say` sends a prompt and waits until the agent has answered; `compact` and `clear` do what the person's commands do.
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import threading
from collections.abc import Sequence
from typing import Any

PATIENCE = 120.0  # seconds for a whole dialogue
TO_GROUP = os.killpg


class Dialogue:
    """A running client. Subclasses are protocols, `words` the command line that starts one."""

    words: tuple[str, ...] = ()

    def __init__(self, binary: str, folder: str, env: dict[str, str]) -> None:
        pipe = subprocess.PIPE
        self.folder, self.env = folder, env
        self.process = subprocess.Popen(
            [binary, *self.words],
            cwd=folder,
            env=env,
            stdin=pipe,
            stdout=pipe,
            stderr=subprocess.DEVNULL,
            text=True,
            start_new_session=True,
        )
        self.timer = threading.Timer(PATIENCE, self._kill)
        self.timer.start()
        self.begin()

    def begin(self) -> None:
        """Says what the protocol wants said first, and starts a session."""

    def say(self, prompt: str) -> None:
        """Sends a prompt and waits for the answer."""
        raise NotImplementedError

    def compact(self) -> None:
        """Has the session's context compacted."""
        self.say("/compact")

    def clear(self) -> None:
        """Begins anew."""
        raise NotImplementedError

    def close(self) -> None:
        """Ends the client."""
        self.timer.cancel()
        self._kill()
        self.process.communicate()

    def send(self, message: dict[str, Any]) -> None:
        """Writes one message."""
        assert self.process.stdin
        self.process.stdin.write(json.dumps(message) + "\n")
        self.process.stdin.flush()

    def receive(self) -> dict[str, Any]:
        """Reads the next message."""
        assert self.process.stdout
        for line in self.process.stdout:
            if line.startswith("{"):
                return dict(json.loads(line))
        raise AssertionError(f"{self.words} ended")

    def _kill(self) -> None:
        try:
            TO_GROUP(self.process.pid, signal.SIGKILL)
        except ProcessLookupError:
            pass


class ClaudeStream(Dialogue):
    """Claude Code, which takes messages as lines of JSON."""

    words = ("-p", "--input-format", "stream-json", "--output-format", "stream-json", "--verbose", "--model", "sonnet")

    def say(self, prompt: str) -> None:
        """Sends a message of the person, and waits for its result."""
        self.send({"type": "user", "message": {"role": "user", "content": prompt}})
        while self.receive().get("type") != "result":
            pass

    def clear(self) -> None:
        """Says what the person says."""
        self.say("/clear")


class Calls(Dialogue):
    """A client that is called: JSON-RPC."""

    number = 0

    def call(self, method: str, until: str = "", **params: Any) -> Any:
        """Calls a method, and returns its result. `until`: a notification to wait for, too."""
        self.number += 1
        self.send({"jsonrpc": "2.0", "id": self.number, "method": method, "params": params})
        result: Any = None
        is_answered, is_over = False, not until
        while not (is_answered and is_over):
            message = self.receive()
            if message.get("method") == until:
                is_over = True
            elif message.get("id") == self.number and "method" not in message:
                assert "error" not in message, message
                result, is_answered = message["result"], True
        return result


class CodexServer(Calls):
    """Codex, as editors start it."""

    words = ("app-server",)

    def begin(self) -> None:
        """Introduces us, trusts the hooks as a person does with /hooks, and starts a thread."""
        self.call("initialize", clientInfo={"name": "test", "title": "test", "version": "0"})
        self.send({"method": "initialized"})
        hooks = [hook for group in self.call("hooks/list", cwds=[self.folder])["data"] for hook in group["hooks"]]
        with open(os.path.join(self.env["CODEX_HOME"], "config.toml"), "a", encoding="utf-8") as config:
            config.writelines(f'\n[hooks.state."{hook["key"]}"]\ntrusted_hash = "{hook["currentHash"]}"\n' for hook in hooks)
        self._start("startup")

    def _start(self, source: str) -> None:
        access = {"approvalPolicy": "never", "sandbox": "danger-full-access"}
        self.thread = self.call("thread/start", cwd=self.folder, sessionStartSource=source, **access)["thread"]["id"]

    def say(self, prompt: str) -> None:
        """Starts a turn and waits for its end."""
        self.call("turn/start", "turn/completed", threadId=self.thread, input=[{"type": "text", "text": prompt}])

    def compact(self) -> None:
        """Asks for what /compact asks for."""
        self.call("thread/compact/start", "turn/completed", threadId=self.thread)

    def clear(self) -> None:
        """Starts a thread as /clear does."""
        self._start("clear")


class AgentProtocol(Calls):
    """A client that speaks the Agent Client Protocol."""

    def begin(self) -> None:
        """Introduces us and starts a session."""
        self.call("initialize", protocolVersion=1, clientCapabilities={})
        self.clear()

    def clear(self) -> None:
        """Starts a session."""
        self.session = self.call("session/new", cwd=self.folder, mcpServers=[])["sessionId"]

    def say(self, prompt: str) -> None:
        """Sends a prompt and waits for the end of its turn."""
        self.call("session/prompt", sessionId=self.session, prompt=[{"type": "text", "text": prompt}])


def speaking(*words: str) -> type[Dialogue]:
    """Returns the protocol of a client that speaks the Agent Client Protocol when it is started with these words."""
    return type("Speaking", (AgentProtocol,), {"words": words})


PROTOCOLS: dict[str, type[Dialogue]] = {
    "claude": ClaudeStream,
    "codex": CodexServer,
    "gemini": speaking("--acp", "--yolo"),
    "copilot": speaking("--acp", "--allow-all-tools"),
    "opencode": speaking("acp"),
}
RESUMED: dict[str, Sequence[str]] = {  # what starts a client on its last session, before a prompt
    "claude": ("--continue", "--model", "sonnet", "-p"),
    "codex": ("exec", "resume", "--last", "--dangerously-bypass-hook-trust", "--dangerously-bypass-approvals-and-sandbox"),
    "gemini": ("--yolo", "--resume", "latest", "-p"),
    "copilot": ("--continue", "-p"),
    "opencode": ("run", "--continue"),
}
