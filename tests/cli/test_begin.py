"""Where a memory and the files for agents begin without `mem init`."""

from __future__ import annotations

import json

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


def test_hooks_begin_no_memory_outside_of_a_repository(nowhere: Terminal) -> None:
    nowhere.mem("config", "set", "capture.begin", "true")
    prompt = json.dumps({"session_id": "s-1", "cwd": str(nowhere.folder), "prompt": "hello"})
    nowhere.mem("hook", "user-prompt", "--harness", "generic", stdin=prompt)
    assert not list(nowhere.data.glob("repos/*/memory.db"))
