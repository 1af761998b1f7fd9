"""A planted secret and a private span are in no file afterwards, whatever harness sent them and whatever a model answers."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import pytest

from memcli.agents.adapters import HARNESSES as NAMES
from memcli.store import inbox
from tests.agents.capture.conftest import Agent
from tests.agents.capture.test_harnesses import RECORDED, wear

PRIVATE = "rosebud"
TOKEN, PASSWORD, BLOCK = "ghp_" + "Zq8W" * 9, "hunter2Secret!", "MIIEowIBAAKCAQEAn" * 8
KEY = f"-----BEGIN RSA PRIVATE KEY-----\n{BLOCK}\n-----END RSA PRIVATE KEY-----"
PAIRED, GIVEN = "Meadow" + "4471!x", "lantern" + "#88Qz"
SHAPES = f"- name: DB_PASSWORD\n  value: {PAIRED}\necho {GIVEN} | docker login -u ci --password-stdin\n_{TOKEN}_"
PLANTED = f"see {TOKEN} <private>{PRIVATE} and more</private> postgres://app:{PASSWORD}@db/shop\n{KEY}\n{SHAPES}\nend"
SECRETS = (PRIVATE, TOKEN, PASSWORD, BLOCK[:40], PAIRED, GIVEN)
# What an event is told apart by. A secret in an id is looked for on its own.
KNOWN_BY = ("cwd", "workspace_roots", "hook_event_name", "cursor_version")
MODEL = """
import html, sys
given, planted = sys.stdin.read(), {planted!r}
open({log!r}, "a").write(given)
said = html.escape(planted) + planted
print(f"<facts><fact><kind>fix</kind><turn>1</turn><text>Did {{said}}</text></fact></facts>")
print(f"<summary><title>{{said}}</title><done>{{said}}; x</done></summary>")
sys.stderr.write(planted)
"""


def planted(value: Any, name: str = "") -> Any:
    """A payload with the secrets in every text that is not an id, and in the names of a tool's arguments."""
    if isinstance(value, dict):
        more = {f"{TOKEN} {KEY}": "x"} if name in ("tool_input", "toolArgs", "tool_args") else {}
        return {**{key: planted(one, key) for key, one in value.items()}, **more}
    if isinstance(value, list):
        return [planted(one, name) for one in value]
    return f"{value} {PLANTED}" if isinstance(value, str) and name not in KNOWN_BY else value


def leaks(folder: Path) -> list[str]:
    """The files below a directory that hold what must be in none, or are named after it."""
    found = []
    for path in folder.rglob("*"):
        content = (path.read_bytes() if path.is_file() else b"") + str(path).encode()
        found += [f"{path.name}: {what}" for what in SECRETS if what.encode() in content]
    return found


@pytest.mark.parametrize("harness", NAMES)
@pytest.mark.parametrize("is_locked", [False, True])
def test_nothing_planted_is_in_a_file_afterwards(
    agent: Agent, harness: str, is_locked: bool, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    import apsw

    wear(monkeypatch, harness)
    monkeypatch.setattr(inbox, "PATIENCE_MS", 10)
    monkeypatch.setenv("MEMPACK_WORKER_IDLE_SECONDS", "0")
    other = apsw.Connection(str(agent.terminal.store))
    if is_locked:
        other.execute("BEGIN IMMEDIATE")
    for event in RECORDED[harness]["events"]:
        sent = json.dumps(planted(event["payload"])).replace('"CWD', f'"{agent.terminal.folder}')
        told = agent.terminal.mem("hook", event["event"], "--harness", harness, stdin=sent)
        assert not any(what in told.out + told.err for what in SECRETS)
    assert len(agent.files() if is_locked else agent.jobs()) == len(RECORDED[harness]["events"])
    assert leaks(agent.terminal.data) == []

    other.close()
    asked = tmp_path / "asked"
    program = tmp_path / "model.py"
    program.write_text(MODEL.format(planted=PLANTED, log=str(asked)), "utf-8")
    agent.terminal.mem("config", "set", "compressor.provider", "command")
    agent.terminal.mem("config", "set", "compressor.command", f"{sys.executable} {program}")
    agent.terminal.mem("config", "set", "log.level", "debug")
    assert agent.terminal.work() == len(RECORDED[harness]["events"])
    assert asked.exists()
    assert not any(what in asked.read_text() for what in SECRETS)
    assert leaks(agent.terminal.data) == []
