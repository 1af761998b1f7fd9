"""Sessions as clients keep them on disk, each small: one prompt, one failing command, one edit, one answer."""

from __future__ import annotations

import hashlib
import json
import sqlite3
from collections.abc import Sequence
from contextlib import closing
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

PROMPT = "Make the ledger reject negative amounts"
COMMAND, OUTPUT = "pytest tests/test_ledger.py", "1 failed: test_negative"
ANSWER = """The ledger rejects negative amounts now.

## Decision
We chose to raise ValueError because callers must not go on with a wrong sum.

## Open points
- The importer of statements still accepts negative amounts."""


class Clock:
    """Moments ten seconds apart."""

    def __init__(self, start: str) -> None:
        self.now = datetime.fromisoformat(start).astimezone(UTC)

    def iso(self) -> str:
        """The next moment as most clients write it."""
        self.now += timedelta(seconds=10)
        return self.now.strftime("%Y-%m-%dT%H:%M:%S.000Z")

    def ms(self) -> int:
        """The next moment in milliseconds."""
        self.now += timedelta(seconds=10)
        return int(self.now.timestamp() * 1000)


def written(path: Path, lines: Sequence[Any]) -> Path:
    """A file with one object a line; a text is a line as it is."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("".join((line if isinstance(line, str) else json.dumps(line)) + "\n" for line in lines))
    return path


def claude(
    home: Path,
    cwd: Path,
    key: str = "c-1",
    start: str = "2026-02-10T09:00:00Z",
    said: tuple[str, str] = (PROMPT, ANSWER),
    branch: str = "main",
) -> Path:
    """Claude Code."""
    clock = Clock(start)

    def line(kind: str, content: Any, **rest: Any) -> dict[str, Any]:
        place = {"cwd": str(cwd), "sessionId": key, "gitBranch": branch, "uuid": f"{key}-{clock.now.timestamp()}"}
        return {"type": kind, "message": {"role": kind, "content": content}, "timestamp": clock.iso(), **place, **rest}

    def use(name: str, tool: str, given: Any) -> dict[str, Any]:
        return line("assistant", [{"type": "tool_use", "id": f"{key}-{name}", "name": tool, "input": given}])

    def result(name: str, text: str, whole: Any, failed: bool = False) -> dict[str, Any]:
        piece = {"type": "tool_result", "tool_use_id": f"{key}-{name}", "content": text, "is_error": failed}
        return line("user", [piece], toolUseResult=whole)

    edit = {"file_path": f"{cwd}/ledger.py", "old_string": "pass", "new_string": "raise ValueError(amount)"}
    lines = [
        {"type": "queue-operation", "operation": "enqueue", "timestamp": clock.iso(), "sessionId": key},
        line("user", "<command-name>/clear</command-name>"),
        line("user", "not for you", isMeta=True),
        line("user", said[0], promptId=f"{key}-p"),
        use("t1", "Bash", {"command": COMMAND}),
        result("t1", f"Exit code 1\n{OUTPUT}", f"Error: Exit code 1\n{OUTPUT}", failed=True),
        use("t2", "Edit", edit),
        result("t2", "done", {"filePath": edit["file_path"]}),
        line("assistant", [{"type": "text", "text": said[1]}]),
    ]
    return written(home / ".claude/projects/-work" / f"{key}.jsonl", lines)


def codex(home: Path, cwd: Path, commit: str = "") -> Path:
    """Codex."""
    clock = Clock("2026-02-10T09:00:00Z")

    def line(kind: str, **payload: Any) -> dict[str, Any]:
        return {"timestamp": clock.iso(), "type": kind, "payload": payload}

    def said(role: str, text: str) -> dict[str, Any]:
        return line("response_item", type="message", role=role, content=[{"type": "input_text", "text": text}])

    patch = "*** Begin Patch\n*** Update File: ledger.py\n@@\n-pass\n+raise ValueError(amount)\n*** End Patch"
    told = f"Chunk ID: 1\nWall time: 0.1 seconds\nProcess exited with code 1\nOutput:\n{OUTPUT}\n"
    lines = [
        line("session_meta", id="x-1", cwd=str(cwd), git={"branch": "main", "commit_hash": commit}),
        said("user", "<environment_context>\n</environment_context>"),
        said("user", PROMPT),
        line("event_msg", type="user_message", message=PROMPT),
        line("response_item", type="function_call", name="exec_command", arguments=json.dumps({"cmd": COMMAND}), call_id="1"),
        line("response_item", type="function_call_output", call_id="1", output=told),
        line("response_item", type="custom_tool_call", name="apply_patch", input=patch, call_id="2"),
        line("response_item", type="custom_tool_call_output", call_id="2", output="Success"),
        said("assistant", ANSWER),
    ]
    return written(home / ".codex/sessions/2026/02/10/rollout-2026-02-10T09-00-00-x-1.jsonl", lines)


def gemini_messages(cwd: Path) -> list[dict[str, Any]]:
    """The messages of a session of Gemini CLI."""
    clock = Clock("2026-02-10T09:00:00Z")

    def call(name: str, tool: str, args: Any, output: str, status: str = "success") -> dict[str, Any]:
        response = {"functionResponse": {"id": name, "name": tool, "response": {"output": output}}}
        return {"id": name, "name": tool, "args": args, "result": [response], "status": status, "timestamp": clock.iso()}

    edit = {"file_path": f"{cwd}/ledger.py", "old_string": "pass", "new_string": "raise ValueError(amount)"}
    calls = [
        call("g1", "run_shell_command", {"command": COMMAND}, f"Output: {OUTPUT}\nExit Code: 1"),
        call("g2", "replace", edit, "done"),
    ]
    return [
        {"id": "1", "timestamp": clock.iso(), "type": "user", "content": [{"text": "<session_context>\nthis is it"}]},
        {"id": "2", "timestamp": clock.iso(), "type": "user", "content": [{"text": PROMPT}]},
        {"id": "3", "timestamp": clock.iso(), "type": "gemini", "content": "", "toolCalls": calls},
        {"id": "4", "timestamp": clock.iso(), "type": "gemini", "content": ANSWER},
    ]


def gemini(home: Path, cwd: Path) -> Path:
    """Gemini CLI, as it writes now: a line a message, some of them twice, in a directory with a name."""
    folder = home / ".gemini/tmp/work"
    (folder / "chats").mkdir(parents=True)
    (folder / ".project_root").write_text(str(cwd))
    context, prompt, calls, answer = gemini_messages(cwd)
    head = {"sessionId": "g-1", "projectHash": "0", "startTime": context["timestamp"]}
    lines = [head, {"$set": {"messages": [context]}}, prompt, {**calls, "toolCalls": []}, calls, {"$set": {"x": 1}}, answer]
    return written(folder / "chats/session-2026-02-10T09-00-1.jsonl", lines)


def old_gemini(home: Path, cwd: Path) -> Path:
    """Gemini CLI, as it wrote before: one object, in a directory that is called by the hash of another."""
    named = hashlib.sha256(str(cwd).encode()).hexdigest()
    path = home / f".gemini/tmp/{named}/chats/session-2026-02-10T09-00-1.json"
    path.parent.mkdir(parents=True)
    path.write_text(json.dumps({"sessionId": "g-1", "projectHash": named, "messages": gemini_messages(cwd)}))
    return path


def copilot(home: Path, cwd: Path, commit: str = "") -> Path:
    """Copilot CLI."""
    clock = Clock("2026-02-10T09:00:00Z")

    def line(kind: str, **data: Any) -> dict[str, Any]:
        return {"type": kind, "data": data, "timestamp": clock.iso()}

    edit = {"path": f"{cwd}/ledger.py", "old_str": "pass", "new_str": "raise ValueError(amount)"}
    failed = {"content": f"{OUTPUT}\n<shellId: 0 completed with exit code 1>"}
    lines = [
        line("session.start", sessionId="p-1", context={"cwd": str(cwd), "branch": "main", "headCommit": commit}),
        line("user.message", content=PROMPT, interactionId="i"),
        line("tool.execution_start", toolCallId="1", toolName="bash", arguments={"command": COMMAND}),
        line("tool.execution_complete", toolCallId="1", success=True, result=failed, shellExecution={"exitCode": 1}),
        line("tool.execution_start", toolCallId="2", toolName="edit", arguments=edit),
        line("tool.execution_complete", toolCallId="2", success=True, result={"content": "done"}),
        line("assistant.message", content="A word of a helper.", parentToolCallId="3"),
        line("assistant.message", content=ANSWER),
    ]
    return written(home / ".copilot/session-state/p-1/events.jsonl", lines)


def old_copilot(home: Path, cwd: Path) -> Path:
    """Copilot CLI, as it wrote before."""
    clock = Clock("2026-02-10T09:00:00Z")
    edit = {"path": f"{cwd}/ledger.py", "old_str": "pass", "new_str": "raise ValueError(amount)"}

    def call(name: str, tool: str, given: Any, log: str, kind: str = "success") -> dict[str, Any]:
        result = {"type": kind, "log": log}
        return {"type": "tool_call_completed", "callId": name, "name": tool, "arguments": given, "result": result}

    timeline = [
        {"type": "user", "text": PROMPT},
        call("1", "bash", {"command": COMMAND}, f"{OUTPUT}\nexit code 1", "failure"),
        call("2", "edit", edit, "done"),
        {"type": "copilot", "text": ANSWER},
    ]
    path = home / ".copilot/history-session-state/session_p-1.json"
    path.parent.mkdir(parents=True)
    stamped = [{**entry, "timestamp": clock.iso()} for entry in timeline]
    path.write_text(json.dumps({"sessionId": "p-1", "cwd": str(cwd), "timeline": stamped}))
    return path


def _opencode(cwd: Path) -> tuple[dict[str, Any], list[tuple[dict[str, Any], list[dict[str, Any]]]]]:
    clock = Clock("2026-02-10T09:00:00Z")

    def tool(call_id: str, name: str, given: Any, output: str, code: int) -> dict[str, Any]:
        state = {"status": "completed", "input": given, "output": output, "metadata": {"exit": code}, "time": {"end": clock.ms()}}
        return {"type": "tool", "tool": name, "callID": call_id, "state": state}

    edit = {"filePath": f"{cwd}/ledger.py", "oldString": "pass", "newString": "raise ValueError(amount)"}
    place = {"cwd": str(cwd), "root": str(cwd)}
    asked = {"id": "msg_1", "role": "user", "time": {"created": clock.ms()}}
    answered = {"id": "msg_2", "role": "assistant", "path": place, "time": {"created": clock.ms()}}
    own = [{"type": "text", "text": PROMPT}, {"type": "text", "text": "told by a plugin", "synthetic": True}]
    done = [tool("1", "bash", {"command": COMMAND}, OUTPUT, 1), tool("2", "edit", edit, "done", 0)]
    return {"id": "ses_1", "directory": str(cwd)}, [(asked, own), (answered, [*done, {"type": "text", "text": ANSWER}])]


def opencode(home: Path, cwd: Path) -> Path:
    """OpenCode, as it writes now: a database."""
    path = home / ".local/share/opencode/opencode.db"
    path.parent.mkdir(parents=True)
    about, messages = _opencode(cwd)
    with closing(sqlite3.connect(path)) as db, db:
        db.execute("CREATE TABLE session (id, directory, parent_id, time_created)")
        db.execute("CREATE TABLE message (id, session_id, time_created, data)")
        db.execute("CREATE TABLE part (id, message_id, data)")
        db.execute("INSERT INTO session VALUES (?, ?, NULL, 1)", (about["id"], about["directory"]))
        for message, parts in messages:
            row = (message["id"], about["id"], message["time"]["created"], json.dumps(message))
            db.execute("INSERT INTO message VALUES (?, ?, ?, ?)", row)
            for number, part in enumerate(parts):
                db.execute("INSERT INTO part VALUES (?, ?, ?)", (f"{message['id']}-{number}", message["id"], json.dumps(part)))
    return path


def old_opencode(home: Path, cwd: Path) -> Path:
    """OpenCode, as it wrote before: a file for each thing."""
    storage = home / ".local/share/opencode/storage"
    about, messages = _opencode(cwd)
    files = {f"session/project/{about['id']}": about}
    for message, parts in messages:
        files[f"message/{about['id']}/{message['id']}"] = message
        files |= {f"part/{message['id']}/prt_{number}": part for number, part in enumerate(parts)}
    for name, value in files.items():
        path = storage / f"{name}.json"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(json.dumps(value))
    return storage / f"session/project/{about['id']}.json"


_SPECSTORY = f"""<!-- Generated by SpecStory, Markdown v2.1.0 -->

# 2026-02-10 09:00:00Z

<!-- Claude Code Session {{key}} (2026-02-10 09:00:00Z) -->

_**User (2026-02-10 09:00:10Z)**_

{PROMPT}

---

_**Agent (claude-opus-4-8 2026-02-10 09:00:20Z)**_

<think><details><summary>Thought Process</summary>
Nobody needs to know this.
</details></think>

<tool-use data-tool-type="shell" data-tool-name="Bash"><details>
<summary>Tool use: **Bash**</summary>
Run the tests

`{COMMAND}`

```text
Exit code 1
{OUTPUT}
_**User (2026-02-10 09:00:30Z)**_
```
</details></tool-use>

_**Agent (claude-opus-4-8 2026-02-10 09:00:40Z)**_

<tool-use data-tool-type="write" data-tool-name="Edit"><details>
<summary>Tool use: **Edit**</summary>

```text
The file {{cwd}}/ledger.py has been updated successfully.
```
</details></tool-use>

_**Agent (claude-opus-4-8 2026-02-10 09:00:50Z)**_

{ANSWER}

---
"""


def specstory(home: Path, cwd: Path, key: str = "s-1") -> Path:
    """SpecStory, of a session of Claude Code."""
    path = cwd / ".specstory/history/2026-02-10_09-00-00Z-ledger.md"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(_SPECSTORY.format(key=key, cwd=cwd))
    return path
