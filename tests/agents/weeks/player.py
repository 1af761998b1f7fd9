"""Plays weeks of work in a repository, through the hooks of one of the clients and the worker.

A step is (who, what, …): `ask` a prompt of the person · `say` a remark of the agent while it works · `answer` the end of a turn
· `run` a command and its output; `fail` a command and its error; `edit` a file, the text before and after; `write` a file and
its text; `undo` a file, back to what is committed; `git` a command of git, which a session that is open runs; `commit` a message,
by the session; `other` a file, its text and the message of a commit that somebody made beside it; `end` of a session; `days`
that pass.
"""

from __future__ import annotations

import json
import shlex
from typing import Any

import pytest

from memcli.text import dates
from tests.conftest import CLOCK, Terminal

Step = list[str]

CLIENTS = ("claude", "codex", "gemini")
MINUTE = 60_000


class Player:
    """A repository in which a client's sessions happen, a step a minute."""

    def __init__(self, terminal: Terminal, monkeypatch: pytest.MonkeyPatch, harness: str) -> None:
        self.terminal, self.monkeypatch, self.harness = terminal, monkeypatch, harness
        self.clock, self.number, self.session, self.turn = dates.parse(CLOCK), 0, 0, 0
        self.is_open = False
        monkeypatch.setenv("MEMPACK_WORKER_IDLE_SECONDS", "0")
        monkeypatch.setenv("MEMPACK_CAPTURE_WORKER", "off")

    def play(self, story: list[Step]) -> None:
        """Plays all steps."""
        if not self.number:
            self.terminal.mem("init")
        for kind, *words in story:
            self.number += 1
            self.wait(MINUTE)
            getattr(self, f"_{kind}")(*words)

    def wait(self, milliseconds: int) -> None:
        """Time passes."""
        self.clock += milliseconds
        moment = dates.iso(self.clock)
        for name in ("MEMPACK_CLOCK", "GIT_AUTHOR_DATE", "GIT_COMMITTER_DATE"):
            self.monkeypatch.setenv(name, moment)
            self.terminal.env[name] = moment

    def start(self) -> str:
        """A new session starts. Returns what it is told, by its first prompt where the client loses what it says at the start."""
        if self.harness == "gemini":
            return self.asked("Hello")
        self.session += 1
        return self._context(self._hook("session-start", source="startup"))

    def asked(self, prompt: str) -> str:
        """A person asks at the beginning of a new session. Returns what the prompt brings."""
        self.session += 1
        self._hook("session-start", source="startup")
        return self._context(self._hook("user-prompt", prompt=prompt))

    def _ask(self, prompt: str) -> None:
        self.turn += 1
        if not self.is_open:
            self.session += 1
            self.is_open = True
            self._hook("session-start", source="startup")
        self._note("user", prompt)
        self._hook("user-prompt", prompt=prompt)

    def _say(self, text: str) -> None:
        self._note("assistant", text)

    def _answer(self, text: str) -> None:
        self._note("assistant", text)
        name = "prompt_response" if self.harness == "gemini" else "last_assistant_message"
        self._hook("stop", **{name: text})
        self.terminal.mem("worker", "run")

    def _end(self) -> None:
        self._hook("session-end", reason="exit")
        self.terminal.mem("worker", "run")
        self.is_open = False

    def _days(self, count: str) -> None:
        self.wait(int(count) * dates.DAY)

    def _run(self, command: str, output: str) -> None:
        self._call("Bash", {"command": command}, output)

    def _fail(self, command: str, error: str) -> None:
        self._call("Bash", {"command": command}, error, is_error=True)

    def _write(self, path: str, text: str) -> None:
        file = self.terminal.folder / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)
        if self.is_open:
            self._call("Write", {"file_path": str(file), "content": text}, "ok")

    def _edit(self, path: str, old: str, new: str) -> None:
        file = self.terminal.folder / path
        text = file.read_text()
        assert old in text, (path, old)
        file.write_text(text.replace(old, new, 1))
        self._call("Edit", {"file_path": str(file), "old_string": old, "new_string": new}, "ok")

    def _undo(self, path: str) -> None:
        self.terminal.git("checkout", "-q", "--", path)
        self._call("Bash", {"command": f"git checkout -- {path}"}, "")

    def _git(self, command: str) -> None:
        output = self.terminal.git(*shlex.split(command))
        if self.is_open:
            self._call("Bash", {"command": f"git {command}"}, output)

    def _commit(self, message: str) -> None:
        self.terminal.git("add", "-A")
        self.terminal.git("commit", "-q", "-m", message)
        if self.is_open:
            self._call("Bash", {"command": f'git add -A && git commit -m "{message}"'}, f"[main 1a2b3c4] {message}")

    def _other(self, path: str, text: str, message: str) -> None:
        file = self.terminal.folder / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)
        self.terminal.git("add", "-A")
        self.terminal.git("commit", "-q", "-m", message)

    def _call(self, tool: str, arguments: dict[str, Any], output: str, is_error: bool = False) -> None:
        """A tool has run, as the client tells it."""
        if self.harness == "codex":
            if tool != "Bash":
                path = arguments["file_path"]
                lines = "".join([f"-{arguments[name]}\n" for name in ("old_string",) if name in arguments])
                added = arguments.get("new_string", arguments.get("content", ""))
                patch = f"*** Begin Patch\n*** Update File: {path}\n@@\n{lines}+{added}\n*** End Patch"
                tool, arguments = "apply_patch", {"command": patch}
            output = f"Exit code: {int(is_error)}\nWall time: 0.4 seconds\nOutput:\n{output}"
            self._hook("post-tool-use", tool_name=tool, tool_input=arguments, tool_response=output)
        elif self.harness == "gemini":
            tool = {"Bash": "run_shell_command", "Edit": "replace", "Write": "write_file"}[tool]
            text = f"Output: {output}\nError: (none)\nExit Code: {int(is_error)}" if tool == "run_shell_command" else output
            self._hook("post-tool-use", tool_name=tool, tool_input=arguments, tool_response={"llmContent": text})
        elif is_error:
            self._hook("failed", tool_name=tool, tool_input=arguments, error=f"Exit code 1\n{output}")
        else:
            response = {"stdout": output, "stderr": ""} if tool == "Bash" else output
            self._hook("post-tool-use", tool_name=tool, tool_input=arguments, tool_response=response)

    def _hook(self, event: str, **payload: Any) -> str:
        """Fires a hook by the client's own name for the event. Returns what it prints."""
        name = _NAMES[self.harness].get(event, event)
        ids = {"session_id": f"{self.harness}-{self.session}", "prompt_id": f"p{self.turn}", "tool_use_id": f"call-{self.number}"}
        own = {"transcript_path": str(self._transcript)} if self.harness != "gemini" else {}
        given = {**ids, **own, "cwd": str(self.terminal.folder), "hook_event_name": name, **payload}
        return str(self.terminal.mem("hook", name, "--harness", self.harness, stdin=json.dumps(given)).out)

    def _context(self, printed: str) -> str:
        """Returns what the client takes of what a hook printed."""
        if not printed.startswith("{"):
            return printed
        return str(json.loads(printed).get("hookSpecificOutput", {}).get("additionalContext", ""))

    @property
    def _transcript(self) -> Any:
        return self.terminal.folder.parent / f"transcript-{self.harness}-{self.session}.jsonl"

    def _note(self, role: str, text: str) -> None:
        """The client's own record of the session grows."""
        kind = "input_text" if role == "user" else "output_text"
        message = {"role": role, "content": [{"type": kind if self.harness == "codex" else "text", "text": text}]}
        line: dict[str, Any] = {"timestamp": dates.iso(self.clock)}
        if self.harness == "codex":
            line |= {"type": "response_item", "payload": {"type": "message", **message}}
        else:
            line |= {"type": role, "message": message}
        with open(self._transcript, "a", encoding="utf-8") as file:
            file.write(json.dumps(line) + "\n")


_CLAUDE = {
    "session-start": "SessionStart",
    "user-prompt": "UserPromptSubmit",
    "post-tool-use": "PostToolUse",
    "failed": "PostToolUseFailure",
    "stop": "Stop",
    "session-end": "SessionEnd",
}
_NAMES = {
    "claude": _CLAUDE,
    "codex": _CLAUDE,
    "gemini": {**_CLAUDE, "user-prompt": "BeforeAgent", "post-tool-use": "AfterTool", "stop": "AfterAgent"},
}
