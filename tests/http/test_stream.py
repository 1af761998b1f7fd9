"""/stream: what happens, as it happens, from the operation log."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from memcli.http.feed import Feeds, ready
from memcli.http.stores import Stores
from memcli.project import Where
from tests.conftest import Terminal
from tests.http.served import Served, Stream, serving, tell


def test_what_any_process_writes_is_told_in_order(served: Served, terminal: Terminal) -> None:
    terminal.mem("init", "--no-agents")
    stream = Stream(served)
    made = terminal.add("Sessions live in Postgres", "Redis lost them.", "--thread", "storage")
    terminal.mem("pin", made)
    terminal.mem("forget", made)
    terminal.mem("checkpoint", "--reason", "r", "--state-json", "{}")

    names = [stream.next() for _ in range(6)]
    stream.close()

    assert [one["event"] for one in names] == [
        "thread-changed",
        "memory-created",
        "memory-updated",
        "memory-forgotten",
        "thread-changed",
        "state-changed",
    ]
    created = names[1]["data"]
    assert (created["id"], created["actor"], created["kind"]) == (made, "cli", "put")
    assert created["created_at"] == "2026-03-01T12:00:00.000Z"
    assert [int(one["id"]) for one in names] == [one["data"]["revision"] for one in names]


def test_what_has_no_view_of_its_own_is_told_in_words(served: Served, terminal: Terminal) -> None:
    terminal.mem("init", "--no-agents")
    stream = Stream(served)
    terminal.mem("note", "add", "Deployed to staging.\nTwice.")
    terminal.mem("profile", "set", "editor", "vim")
    terminal.mem("add", "T", "--summary", "s", "--thread", "ops")
    assert stream.until("note-changed")["data"]["note"]["text"] == "Deployed to staging.\nTwice."
    entry = stream.until("profile-changed")["data"]["entry"]
    assert (entry["key"], entry["value"]) == ("editor", "vim")
    assert stream.until("thread-changed")["data"]["thread"]["title"] == "ops"
    terminal.mem("undo")
    assert stream.until("undo")["data"]["undone"]["k"] == "put"
    stream.close()


def test_a_client_that_comes_back_misses_nothing(served: Served, terminal: Terminal) -> None:
    terminal.mem("init", "--no-agents")
    stream = Stream(served)
    terminal.add("first")
    seen = stream.until("memory-created")
    stream.close()
    ids = [terminal.add(f"fact {number}") for number in range(3)]

    back = Stream(served, last=int(seen["id"]))
    found = [back.until("memory-created")["data"]["id"] for _ in ids]
    back.close()

    assert found == ids
    assert Stream(served, last=10_000_000).ready["data"]["reset"] is True
    assert Stream(served, since=0).until("memory-created")["data"]["memory"]["title"] == "Welcome to mem"


def test_what_an_agent_does_is_told_by_its_own_names(terminal: Terminal) -> None:
    terminal.mem("init", "--no-agents")
    with serving(terminal, MEMPACK_CAPTURE_WORKER="auto", MEMPACK_SESSION_SUMMARY_SECONDS="1") as served:
        stream = Stream(served)
        tell(terminal, "user-prompt", {"prompt": "fix the login"})
        edit = {"file_path": str(terminal.folder / "a.py"), "old_string": "a", "new_string": "b"}
        tell(terminal, "post-tool-use", {"tool_name": "Edit", "tool_input": edit, "tool_result": "ok"})
        tell(terminal, "stop", {"last_assistant_message": "The login works again."})
        served.post("/v2/queue/retry")

        assert stream.until("user-prompt-created")["data"]["prompt"]["text"] == "fix the login"
        observed = stream.until("observation-created")["data"]
        assert observed["session"]["session_id"] == "s-1"
        assert stream.until("session-summary-created")["data"]["memory"]["kind"] == "summary"
        stream.close()


def test_an_event_says_when_a_hook_saw_it_and_when_it_was_stored(served: Served, terminal: Terminal) -> None:
    terminal.mem("init", "--no-agents")
    stream = Stream(served)
    terminal.env["MEMPACK_CLOCK"] = "2026-03-02T08:00:00Z"
    tell(terminal, "user-prompt", {"prompt": "fix the login"})
    worker = {"MEMPACK_CAPTURE_WORKER": "auto", "MEMPACK_WORKER_IDLE_SECONDS": "0.1", "MEMPACK_CLOCK": "2026-03-02T09:30:00Z"}
    terminal.process("worker", "run", env=worker)
    data = stream.until("user-prompt-created")["data"]
    assert data["happened_at"] == data["prompt"]["created_at"] == "2026-03-02T08:00:00.000Z"
    stream.close()


def test_silence_is_broken_by_heartbeats(terminal: Terminal) -> None:
    terminal.mem("init", "--no-agents")
    with serving(terminal, MEMPACK_SERVE_HEARTBEAT_SECONDS="0.1") as served:
        stream = Stream(served)
        while not stream.heartbeats:
            line = stream._answer.readline()
            assert line
            stream.heartbeats += line.startswith(b":")
        stream.close()


def test_a_stream_of_nothing_is_refused_at_once(served: Served) -> None:
    assert served.refused("GET", "/stream", repo="nowhere") == (404, "no_repository")
    assert served.refused("GET", "/stream", since="-1") == (422, "invalid_input")


@pytest.mark.parametrize("name", ["", "bad%00", "%20"])
def test_a_name_that_can_be_no_project_is_not_waited_for(served: Served, name: str) -> None:
    assert served.refused("GET", f"/stream?project={name}")[0] == 422


@pytest.mark.parametrize(("last", "project"), [("-1", None), ("abc", None), ("5", "NOTYET")])
def test_a_position_that_is_none_here_is_a_reset(served: Served, terminal: Terminal, last: str, project: str | None) -> None:
    terminal.mem("init", "--no-agents")
    assert Stream(served, last=last, project=project).ready["data"]["reset"] is True


def test_without_a_name_every_store_is_listened_to(served: Served, terminal: Terminal) -> None:
    terminal.mem("init", "--no-agents")
    served.post("/sessions/s-1/init", {"project": "first", "userPrompt": "hello"})
    stream = Stream(served, own="false")
    assert len(stream.ready["data"]["revisions"]) == 2
    made = terminal.add("Sessions live in Postgres")
    assert stream.until("memory-created")["data"]["id"] == made
    served.post("/sessions/s-2/init", {"project": "came later", "userPrompt": "hello"})
    later = stream.until("session-created")
    assert later["data"]["project"] == "came later"
    stream.close()

    names = [terminal.add(f"fact {number}") for number in range(3)]
    served.post("/sessions/s-3/init", {"project": "first", "userPrompt": "again"})
    back = Stream(served, last=later["id"], own="false")
    events = [back.next() for _ in range(4)]
    back.close()
    assert sorted(event["data"]["id"] for event in events if event["event"] == "memory-created") == sorted(names)
    assert [event["data"]["project"] for event in events if event["event"] == "session-created"] == ["first"]
    assert back.ready["data"]["reset"] is False


def test_a_position_in_every_store_that_is_none_is_a_reset(served: Served, terminal: Terminal) -> None:
    terminal.add("fact")
    for last in ("nonsense", "R-NONE:", f"{served.get('/v2/stats')['repo_id']}:999999"):
        back = Stream(served, last=last, own="false")
        assert back.ready["data"]["reset"] is True
        assert back.until("memory-created")["data"]["memory"]["title"] == "fact"
        back.close()


def test_every_store_is_listened_to_outside_of_a_repository(nowhere: Terminal) -> None:
    with serving(nowhere) as served:
        stream = Stream(served, own="false")
        served.post("/sessions/s-1/init", {"project": "zoo", "userPrompt": "hello"})
        assert stream.until("session-created")["data"]["project"] == "zoo"
        stream.close()


def test_a_project_may_be_listened_to_before_it_is_there(served: Served) -> None:
    stream = Stream(served, project="to-come")
    assert stream.ready["data"]["newest"] == 0
    served.post("/sessions/s-1/init", {"project": "to-come", "userPrompt": "hello"})
    served.post("/api/pending-queue/process", project="to-come")

    assert stream.until("user-prompt-created")["data"]["prompt"]["text"] == "hello"
    assert served.get("/api/projects") == {"projects": ["to-come"]}
    stream.close()


def test_the_stream_of_a_repository_that_is_gone_ends(served: Served, terminal: Terminal, tmp_path: Path) -> None:
    terminal.mem("init", "--no-agents")
    stream = Stream(served)
    moved = tmp_path / "moved"
    terminal.folder.rename(moved)
    terminal.process("add", "There is news", "--summary", "s", cwd=moved)
    assert stream.rest() == b""


def test_the_stream_of_a_repository_that_goes_right_after_its_first_event_ends(terminal: Terminal, tmp_path: Path) -> None:
    terminal.mem("init", "--no-agents")
    where = Where(str(terminal.folder))

    async def events() -> int:
        stream = Feeds(Stores()).stream(where, ready(where, None), True, lambda: True)
        await anext(stream)
        terminal.folder.rename(tmp_path / "moved")
        return len([event async for event in stream])

    assert asyncio.run(events()) == 0


def test_streams_end_when_the_service_does(served: Served, terminal: Terminal) -> None:
    terminal.mem("init", "--no-agents")
    streams = [*[Stream(served) for _ in range(5)], Stream(served, project="to-come")]

    assert served.stop() == 0
    for stream in streams:
        try:
            while True:
                stream.next()
        except EOFError:
            pass
