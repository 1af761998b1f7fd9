"""Where a memory and the files for agents begin without `mem init`."""

from __future__ import annotations

import json
from contextlib import closing

import apsw

from memcli.text import dates
from tests.conftest import Terminal


def test_the_template_is_written_where_there_is_no_repository(nowhere: Terminal) -> None:
    nowhere.mem("template", "agents", "--write")
    assert (nowhere.folder / "AGENTS.md").exists()
    assert (nowhere.folder / ".mempack" / "MEMORY.md").exists()
    assert "no repository" in nowhere.mem("template", "agents", "--write", "--repo", "/nowhere", fails=3).err


def test_hooks_begin_a_memory_where_the_person_wants_that(terminal: Terminal) -> None:
    start = json.dumps({"session_id": "s-1", "cwd": str(terminal.folder), "source": "startup"})
    terminal.mem("hook", "session-start", "--harness", "generic", stdin=start)
    assert not list(terminal.data.glob("repos/*/memory.db"))

    terminal.mem("config", "set", "capture.begin", "true")
    terminal.mem("hook", "session-start", "--harness", "generic", stdin=start)
    assert len(list(terminal.data.glob("repos/*/memory.db"))) == 1


def test_a_session_in_a_new_repository_is_told_the_persons_own_memory_where_hooks_may_begin_one(terminal: Terminal) -> None:
    terminal.mem("add", "The favorite color is teal", "--user")
    start = json.dumps({"session_id": "s-1", "cwd": str(terminal.folder), "source": "startup"})
    assert "teal" not in terminal.mem("hook", "session-start", "--harness", "generic", stdin=start).out

    terminal.mem("config", "set", "capture.begin", "true")
    assert "teal" in terminal.mem("hook", "session-start", "--harness", "generic", stdin=start).out


def test_hooks_begin_no_memory_outside_of_a_repository(nowhere: Terminal) -> None:
    nowhere.mem("config", "set", "capture.begin", "true")
    prompt = json.dumps({"session_id": "s-1", "cwd": str(nowhere.folder), "prompt": "hello"})
    nowhere.mem("hook", "user-prompt", "--harness", "generic", stdin=prompt)
    assert not list(nowhere.data.glob("repos/*/memory.db"))


def test_an_event_of_any_program_may_come_late(terminal: Terminal) -> None:
    terminal.mem("init", "--no-agents")

    def moment(timestamp: object, harness: str = "generic") -> str:
        event = {"session_id": "s-1", "cwd": str(terminal.folder), "prompt": f"at {timestamp}", "timestamp": timestamp}
        terminal.mem("hook", "user-prompt", "--harness", harness, stdin=json.dumps(event))
        with closing(apsw.Connection(str(terminal.store))) as db:
            (created_at,) = db.execute("SELECT created_at FROM job ORDER BY n DESC LIMIT 1").fetchall()[0]
        return dates.iso(created_at)[:16]

    now = "2026-03-01T12:00"
    assert moment(dates.parse("2026-02-28T09:00:00Z")) == moment("2026-02-28T09:00:00Z") == "2026-02-28T09:00"
    assert moment(dates.parse("2026-03-01T12:00:01Z")) == moment("2026-01-01T00:00:00Z") == now
    assert [moment(odd) for odd in ("never", True, None, [], -1, 1e300)] == [now] * 6
    assert moment("2026-02-28T09:00:00Z", "claude") == now
