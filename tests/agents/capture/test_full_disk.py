"""What becomes of events while no space is left on the disk."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from pathlib import Path

import pytest

from memcli import system
from memcli.store import inbox, reserve
from tests.agents.capture.conftest import Agent
from tests.conftest import Terminal

FULL = """
import json, os, subprocess, sys
data, tree = sys.argv[1:]

def mem(*words, stdin=""):
    return subprocess.run([sys.executable, "-m", "memcli", *words], cwd=tree, input=stdin, capture_output=True, text=True)

mem("init", "--no-agents")
with open(data + "/fill", "wb", buffering=0) as file:
    try:
        while True:
            file.write(bytes(4096))
    except OSError:
        pass
payload = {"session_id": "s", "cwd": tree}
said = []
for number in range(16):
    text = f"prompt {number} " + "about the queue " * 1800
    done = mem("hook", "user-prompt", "--harness", "claude", stdin=json.dumps(payload | {"prompt": text}))
    said.append((done.returncode, done.stderr.strip()))
full = mem("doctor").stdout
os.unlink(data + "/fill")
mem("hook", "user-prompt", "--harness", "claude", stdin=json.dumps(payload | {"prompt": "there is space"}))
after = mem("doctor").stdout
jobs = mem("queue", "--json").stdout
print(json.dumps({"said": said, "full": full, "after": after, "jobs": jobs}))
"""


@pytest.fixture
def full(agent: Agent, monkeypatch: pytest.MonkeyPatch) -> Agent:
    """An agent whose store and files take nothing, from its first event on."""
    put, write = inbox.put, inbox._write

    def no_space(*_: object) -> bool:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(inbox, "put", no_space)
    monkeypatch.setattr(inbox, "_write", lambda *_: False)

    def frees() -> None:
        monkeypatch.setattr(inbox, "put", put)
        monkeypatch.setattr(inbox, "_write", write)

    agent.frees = frees  # type: ignore[attr-defined]
    return agent


def test_events_of_a_full_disk_are_stored_when_there_is_space(full: Agent) -> None:
    for number in range(5):
        said = full.hook("user-prompt", {"prompt": f"prompt {number}"}).err
        assert "no space left on device; the event waits in a file until it can be stored" in said
    assert "5 events are waiting in the reserve, because the disk was full" in full.terminal.mem("doctor").out
    assert full.jobs() == []
    assert full.terminal.mem("queue", "--json").json["in_files"] == 5

    full.frees()  # type: ignore[attr-defined]
    full.hook("user-prompt", {"prompt": "there is space"})
    assert [body["prompt"] for body in full.bodies()] == [*[f"prompt {number}" for number in range(5)], "there is space"]
    assert "reserve" not in full.terminal.mem("doctor").out
    assert (full.folder / reserve.FREE).stat().st_size == reserve.SIZE
    assert not (full.folder / reserve.FREE).read_bytes().strip(b"\0")


def test_what_finds_no_room_in_the_reserve_is_counted(full: Agent, monkeypatch: pytest.MonkeyPatch) -> None:
    event = inbox.QueuedEvent("e", "claude", "other", "stop", json.dumps({"reply": "x" * 500}), 1)
    while inbox.put_aside(str(full.folder), event):
        pass
    assert "the event is lost" in full.hook("user-prompt", {"prompt": "one " * 2_000}).err
    full.frees()  # type: ignore[attr-defined]
    full.hook("user-prompt", {"prompt": "there is space"})
    assert "2 events were lost, because the disk was full" in full.terminal.mem("doctor").out
    moment = time.time() + 8 * 86_400
    monkeypatch.setattr("memcli.maintenance.doctor.time.time", lambda: moment)
    assert "lost" not in full.terminal.mem("doctor").out


def test_a_line_that_was_cut_off_spoils_no_other(full: Agent) -> None:
    full.hook("user-prompt", {"prompt": "first"})
    path = full.folder / reserve.USED
    content = path.read_bytes().rstrip(b"\0")
    with path.open("r+b") as file:
        file.write(content + b'{"dedupe": "cut o')
    full.hook("user-prompt", {"prompt": "second"})
    full.frees()  # type: ignore[attr-defined]
    full.hook("user-prompt", {"prompt": "third"})
    assert [body["prompt"] for body in full.bodies()] == ["first", "second", "third"]


def test_a_reserve_that_is_being_emptied_takes_an_event_all_the_same(tmp_path: Path) -> None:
    reserve.make(str(tmp_path))
    assert reserve.put(str(tmp_path), b"first\n")

    def store(lines: list[bytes]) -> int:
        assert lines == [b"first", b""]
        return 1

    assert reserve.take_in(str(tmp_path), store) == 1
    assert reserve.put(str(tmp_path), b"second\n")
    assert reserve.status(str(tmp_path))[:2] == (1, 0)
    assert (tmp_path / reserve.USED).stat().st_mode & 0o777 == 0o600


def test_a_reserve_is_changed_by_one_process_at_a_time(tmp_path: Path) -> None:
    reserve.make(str(tmp_path))
    assert reserve.put(str(tmp_path), b"first\n")
    file = os.open(tmp_path / reserve.USED, os.O_RDWR)
    assert system.try_lock(file)
    assert not reserve.put(str(tmp_path), b"second\n")
    assert reserve.take_in(str(tmp_path), len) == 0
    assert reserve.status(str(tmp_path))[:2] == (1, 0)
    os.close(file)
    assert reserve.put(str(tmp_path), b"third\n")
    assert reserve.take_in(str(tmp_path), lambda lines: lines.index(b"third")) == 1


def test_a_store_that_refuses_leaves_the_reserve_as_it_is(tmp_path: Path) -> None:
    reserve.make(str(tmp_path))
    reserve.put(str(tmp_path), b"first\n")
    with pytest.raises(OSError, match="busy"):
        reserve.take_in(str(tmp_path), lambda _: (_ for _ in ()).throw(OSError("busy")))
    assert reserve.status(str(tmp_path))[:2] == (1, 0)


def test_on_a_disk_that_is_full_no_acknowledged_event_is_lost(terminal: Terminal, tmp_path: Path) -> None:
    disk = tmp_path / "disk"
    disk.mkdir()
    mount = 'mount -t tmpfs -o size=3000k tmpfs "$1" && shift && exec "$@"'
    inside = ["unshare", "--user", "--map-root-user", "--mount", "sh", "-c", mount, "-", str(disk)]
    if subprocess.run([*inside, "true"], check=False, capture_output=True).returncode:
        pytest.skip("mounting is not permitted here")
    env = terminal.env | {"MEMPACK_DATA_DIR": str(disk)}
    command = [*inside, sys.executable, "-c", FULL, str(disk), str(terminal.folder)]
    result = json.loads(subprocess.run(command, env=env, check=True, capture_output=True, text=True, cwd=os.getcwd()).stdout)
    said = result["said"]
    assert {code for code, _ in said} == {0}
    lost = [text for _, text in said if "the event is lost" in text]
    assert [text for _, text in said if "waits in a file" in text]
    assert not [text for _, text in said if "nothing was stored" in text]
    assert json.loads(result["jobs"])["pending"] == len(said) - len(lost) + 1
    assert "waiting in the reserve, because the disk was full" in result["full"]
    assert "waiting" not in result["after"]
