"""What goes into the queue and what never does; what becomes of an event that the store cannot take."""

from __future__ import annotations

import json
import os
import re
import stat
import time
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import apsw
import pytest

from memcli import store
from memcli.agents.adapters import EVENTS
from memcli.agents.capture import normalize
from memcli.project import Where, open_for_reading
from memcli.screening import Masked, ends
from memcli.store import inbox
from tests.agents.capture.conftest import FACT, Agent
from tests.conftest import Terminal

MIGRATIONS = Path(store.__file__).parent / "migrations"


def test_one_event_is_one_row_however_often_it_is_fired(agent: Agent) -> None:
    for _ in range(3):
        agent.hook("post-tool-use", {"tool_name": "Bash", "tool_use_id": "one", "tool_response": "x"})
        agent.hook("user-prompt", {"prompt_id": "p", "prompt": "hello"})
        agent.hook("stop", {"last_assistant_message": "done"})

    assert [job["event"] for job in agent.jobs()] == ["post-tool-use", "user-prompt", "stop"]
    assert {job["status"] for job in agent.jobs()} == {"pending"}


def test_the_same_call_without_an_id_counts_again_once_some_seconds_have_passed(agent: Agent, later: object) -> None:
    for moment in ("2026-03-01T12:00:00Z", "2026-03-01T12:00:04Z", "2026-03-01T12:00:30Z"):
        later(moment)  # type: ignore[operator]
        agent.hook("post-tool-use", {"tool_name": "bash", "tool_input": {"command": "make"}, "tool_response": "ok"})

    assert len(agent.jobs()) == 2


def test_a_turn_that_goes_on_is_kept_with_both_ends(agent: Agent) -> None:
    agent.hook("stop", {"turn_id": "t", "last_assistant_message": "Shall I?"})
    agent.hook("stop", {"turn_id": "t", "last_assistant_message": "Done."})

    assert [body["reply"] for body in agent.bodies()] == ["Shall I?", "Done."]


def test_events_of_one_session_keep_their_order(agent: Agent) -> None:
    for number in range(5):
        agent.tool(tool_response=str(number))

    assert [body["result"] for body in agent.bodies()] == list("01234")


def test_nothing_is_kept_where_nothing_was_ever_stored(terminal: Terminal) -> None:
    agent = Agent(terminal)
    for event in EVENTS:
        assert agent.hook(event, {"prompt": "hello", "tool_name": "Bash"}).out == ""

    assert list(terminal.data.rglob("*")) == []


def test_a_session_outside_every_repository_is_not_kept_in_the_active_one(agent: Agent, tmp_path: Path) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    agent.terminal.mem("use", ".")
    agent.hook("user-prompt", {"prompt": "hello", "cwd": str(outside)})

    assert agent.jobs() == []


def test_a_tool_s_result_is_cut_in_the_middle(agent: Agent, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MEMPACK_CAPTURE_RESULT_CHARS", "100")
    agent.tool(tool_input={"file_path": "a.py", "content": "c" * 5_000}, tool_response="a" * 50_000 + "3 passed")
    agent.tool(tool_input={"many": ["x" * 90] * 100}, tool_response={"files": ["y" * 90] * 100})
    first, second = agent.bodies()

    assert first["result"] == "a" * 60 + "\n[… 49908 characters left out …]\n" + "a" * 32 + "3 passed"
    assert first["input"]["file_path"] == "a.py"
    assert len(first["input"]["content"]) < 150
    assert len(json.dumps(second)) < 1_500


def test_a_transcript_is_named_and_never_copied(agent: Agent, tmp_path: Path) -> None:
    path = tmp_path / "transcript.jsonl"
    path.write_text("a very long story")
    agent.hook("stop", {"transcript_path": str(path)})

    assert agent.bodies()[0]["transcript"] == str(path)
    assert b"very long story" not in agent.whole_disk()


def test_what_is_private_reaches_no_file(agent: Agent) -> None:
    agent.hook("user-prompt", {"prompt": "before <private>rosebud</private> after"})
    agent.hook("user-prompt", {"prompt": "<private>rosebud and more of rosebud"})
    agent.tool(tool_input={"command": "echo '<private>rosebud</private>'"}, tool_response={"out": "<private>rosebud</private>!"})
    agent.tool(tool_response="x" * 30_000 + "<private>" + "y" * 30_000 + "rosebud</private>" + "z" * 30_000)
    agent.hook("stop", {"last_assistant_message": "<private>rosebud</private>"})
    prompt, hidden, tool, long, stop = agent.bodies()

    assert prompt["prompt"].split() == ["before", "after"]
    assert hidden["skipped"] == "private"
    assert "prompt" not in hidden
    assert tool["result"] == '{"out":"!"}'
    assert "y" not in long["result"].replace("bytes", "")
    assert "reply" not in stop
    assert b"rosebud" not in agent.whole_disk()


def test_context_that_we_gave_does_not_come_back_as_news(agent: Agent) -> None:
    given = agent.hook("user-prompt", {"prompt": "where do session tokens live"}).out
    for wrapped in (given, f"<hook_context>{given}</hook_context>", f"<c-mem-context>{given}</c-mem-context>"):
        agent.hook("user-prompt", {"prompt": f"{wrapped}and where do cookies live"})
    agent.hook("user-prompt", {"prompt": given})

    assert [body.get("prompt", "").strip() for body in agent.bodies()[1:]] == ["and where do cookies live", ""]
    assert agent.bodies()[-1]["skipped"] == "context"


def test_secrets_are_masked_before_anything_is_cut(agent: Agent, monkeypatch: pytest.MonkeyPatch) -> None:
    def mask(text: str) -> Masked:
        return Masked(text.replace("sesame-0123456789", "[masked]"), ("test",))

    monkeypatch.setattr(normalize, "mask", mask)
    monkeypatch.setattr(ends, "mask", mask)
    monkeypatch.setenv("MEMPACK_CAPTURE_RESULT_CHARS", "1000")
    for before in range(590, 612):  # the cut is at 600
        agent.tool(tool_response="a" * before + "sesame-0123456789" + "b" * 40_000 + "sesame-0123456789" + "c" * (before - 210))
    agent.tool(tool_name="sesame-0123456789", tool_input={"sesame-0123456789": ["sesame-0123456789"]})

    assert b"sesame-0123" not in agent.whole_disk()
    assert len(agent.jobs()) == 23


def test_half_a_private_key_is_not_kept_at_a_cut(agent: Agent, monkeypatch: pytest.MonkeyPatch) -> None:
    begin, end = "-----BEGIN PRIVATE KEY-----", "-----END PRIVATE KEY-----"

    def mask(text: str) -> Masked:
        before, found, rest = text.partition(begin)
        return Masked(f"{before}[masked]{rest.partition(end)[2]}" if found else text)

    monkeypatch.setattr(normalize, "mask", mask)
    agent.tool(tool_response="a" * 60_000 + begin + "Z" * 12_000 + end + "b" * 100)

    assert b"Z" * 8 not in agent.whole_disk()
    assert len(agent.jobs()) == 1


def test_of_calls_of_our_own_that_name_memories_only_their_ids_are_kept(agent: Agent) -> None:
    agent.tool(tool_name="mcp__mem__mempack_show", tool_input={"ids": ["M-7F3K2QWZ9A"]}, tool_response="Zebra")
    agent.tool(tool_input={"command": "mem show m-7f3k2qwz9b 'Zebra'"})

    assert [(body["cited"], "tool" in body) for body in agent.bodies()] == [("M-7F3K2QWZ9A", False), ("M-7F3K2QWZ9B", False)]
    assert b"Zebra" not in agent.whole_disk()


def test_skipped_tools_our_own_and_our_own_commands_are_not_kept(agent: Agent, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("TodoWrite", "AskUserQuestion", "mcp__mem__memory_get", "mcp__plugin_mem_mem__add", "mem__get", "mcp_mem_get"):
        agent.tool(tool_name=name)
    for command in (
        "mem get 'a; b'",
        'cd /x && mem add "it\'s" --summary s | mem show -',
        "/usr/bin/mem get x",
        "mem add - <<E\nls\nE",
    ):
        agent.tool(tool_input={"command": command})
    assert agent.jobs() == []

    for command in ("make && mem add x", "ls mem", "memcached -d", "mem get x; rm -r y"):
        agent.tool(tool_input={"command": command})
    assert len(agent.jobs()) == 4

    monkeypatch.setenv("MEMPACK_CAPTURE_SKIP_TOOLS", "Web*,Glob")
    for name in ("WebSearch", "Glob", "TodoWrite"):
        agent.tool(tool_name=name)
    assert [body["tool"] for body in agent.bodies()[4:]] == ["TodoWrite"]


def test_under_the_guard_hooks_do_nothing(agent: Agent, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MEMPACK_GUARD", "1")

    assert agent.hook("user-prompt", {"prompt": "where do session tokens live"}).out == ""
    assert agent.jobs() == []


def test_settings_that_cannot_be_read_lose_no_event(agent: Agent, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MEMPACK_BUDGET_TOTAL", "many")
    told = agent.hook("user-prompt", {"prompt": "where do session tokens live"})

    assert len(agent.jobs()) == 1
    assert told.out == ""
    assert told.err.count("\n") == 1


def test_while_the_store_is_locked_events_wait_in_files_and_are_taken_in_once(agent: Agent, locked: apsw.Connection) -> None:
    told = agent.hook("user-prompt", {"prompt": "session tokens <private>rosebud</private>", "prompt_id": "p"})
    agent.hook("user-prompt", {"prompt": "session tokens <private>rosebud</private>", "prompt_id": "p"})
    agent.tool(tool_response="x")
    waiting = agent.files()

    assert FACT in told.out  # reading does not wait for a writer
    assert told.err.count("\n") == 1
    assert len(waiting) == 3
    assert {stat.S_IMODE(path.stat().st_mode) for path in waiting} == {0o600}
    assert stat.S_IMODE(waiting[0].parent.stat().st_mode) == 0o700
    lines = [json.loads(line) for path in waiting for line in path.read_text().splitlines()]
    assert {tuple(line) for line in lines} == {("dedupe", "harness", "session", "event", "payload", "created_at")}
    assert b"rosebud" not in agent.whole_disk()
    assert agent.jobs() == []

    locked.execute("ROLLBACK")
    agent.hook("stop", {"last_assistant_message": "done"})
    assert [job["event"] for job in agent.jobs()] == ["user-prompt", "post-tool-use", "stop"]
    assert agent.files() == []
    assert not (agent.folder / "spool").exists()


def test_an_event_does_not_overtake_the_files_that_one_hook_leaves(
    agent: Agent, locked: apsw.Connection, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(inbox, "_AT_ONCE", 2)
    for _ in range(5):
        agent.tool()
    locked.execute("ROLLBACK")
    kept = []
    for _ in range(5):
        assert agent.hook("stop", {"last_assistant_message": str(len(kept))}).err == ""
        kept.append((len(agent.jobs()), len(agent.files())))

    assert kept == [(2, 4), (4, 3), (6, 2), (9, 0), (10, 0)]
    assert [job["event"] for job in agent.jobs()] == ["post-tool-use"] * 5 + ["stop"] * 5


def test_any_command_that_writes_takes_in_what_waits(agent: Agent, locked: apsw.Connection) -> None:
    agent.tool()
    locked.execute("ROLLBACK")
    agent.terminal.mem("recent")
    assert len(agent.files()) == 1
    agent.terminal.add("Something else")

    assert agent.files() == []
    assert len(agent.jobs()) == 1


def test_what_waits_in_files_is_counted(agent: Agent, locked: apsw.Connection, later: Callable[[str], None]) -> None:
    mem = agent.terminal.mem
    agent.tool()
    agent.tool()
    (agent.folder / "spool" / "x.jsonl.bad").write_text("?")
    status = mem("queue", "--json").json
    assert (status["in_files"], status["unreadable_files"], status["pending"]) == (2, 1, 0)
    later("2026-03-01T13:00:00Z")
    shown = mem("queue").out
    assert "2 in files, because the store could not be written" in shown
    assert "the oldest has waited for 60 minutes" in shown
    wrong = [one["text"] for one in mem("doctor", "--json").json["findings"] if one["subject"] == "queue"]
    assert wrong == ["2 events are waiting in files, because the store was not writable", "1 file contains no hook event"]

    locked.execute("ROLLBACK")
    agent.terminal.add("Something else")
    assert mem("queue", "--json").json["in_files"] == 0


def test_a_newer_store_is_left_alone_and_its_events_wait(agent: Agent) -> None:
    def number(version: int) -> None:
        with closing(apsw.Connection(str(agent.terminal.store))) as db:
            db.execute(f"PRAGMA user_version = {version}")

    with closing(apsw.Connection(str(agent.terminal.store))) as db:
        (known,) = db.execute("PRAGMA user_version").fetchone()  # type: ignore[misc]
    number(known + 1)
    before = agent.terminal.store.read_bytes()
    told = agent.hook("user-prompt", {"prompt": "hello"})

    assert (told.out, told.err.count("\n")) == ("", 1)
    assert "newer" in agent.log()
    assert agent.terminal.store.read_bytes() == before
    assert len(agent.files()) == 1
    number(known)
    agent.tool()
    assert [job["event"] for job in agent.jobs()] == ["user-prompt", "post-tool-use"]


def test_the_events_of_a_damaged_store_wait_until_it_is_repaired(agent: Agent) -> None:
    store = agent.terminal.store
    whole = store.read_bytes()
    store.write_bytes(b"\0" * 200 + whole[200:])
    told = agent.tool()
    assert told.err.count("\n") == 1
    store.write_bytes(b"")
    agent.tool()
    store.write_bytes(b"not a database at all" * 100)
    agent.hook("user-prompt", {"prompt": "hello"})
    assert len(agent.files()) == 3

    store.write_bytes(whole)
    agent.hook("stop", {})
    assert len(agent.jobs()) == 4


def test_an_older_store_is_brought_up_to_date_by_the_first_event(agent: Agent) -> None:
    with closing(apsw.Connection(str(agent.terminal.store))) as db:
        tables = "job passage_fts passage prompt session model_call profile note turn delivery telling authored"
        tables += " shared segment remote_ref quarantine writer purged"
        for table in f"{tables} failure failure_line working_command hint rule".split():
            db.execute(f"DROP TABLE IF EXISTS {table}")
        later = "".join([path.read_text() for path in MIGRATIONS.glob("*.sql") if int(path.name[:4]) > 8])
        for index in re.findall(r"^CREATE INDEX (\w+)", later, re.MULTILINE):
            db.execute(f"DROP INDEX IF EXISTS {index}")
        for column in ("session", "prompt", "tools", "vector"):
            db.execute(f"ALTER TABLE memory DROP COLUMN {column}")
        db.execute("ALTER TABLE state DROP COLUMN ci")
        db.execute("PRAGMA user_version = 8")
    agent.tool()

    assert len(agent.jobs()) == 1


def test_where_the_store_s_directory_takes_no_file_the_data_directory_does(agent: Agent, locked: apsw.Connection) -> None:
    (agent.folder / "spool").write_text("in the way")
    agent.tool()
    (waiting,) = agent.files()

    assert waiting.parent == agent.terminal.data / "spool" / f"repos-{agent.folder.name}"
    locked.execute("ROLLBACK")
    agent.tool()
    assert len(agent.jobs()) == 2
    assert not (agent.terminal.data / "spool").exists()


def test_an_event_that_can_be_kept_nowhere_is_told_of_and_stops_nobody(agent: Agent, locked: apsw.Connection) -> None:
    (agent.folder / "spool").write_text("in the way")
    (agent.terminal.data / "spool").write_text("in the way")
    (agent.folder / "reserve.free").unlink()

    assert "is lost" in agent.tool().err
    assert "is lost" in agent.log()


def test_files_that_wait_are_bounded_in_number(agent: Agent, locked: apsw.Connection, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(inbox, "MAX_FILES", 2)
    for _ in range(6):
        agent.tool()

    assert len(agent.files()) == 4  # two directories


def test_what_is_no_event_among_the_waiting_files_is_put_away(agent: Agent, tmp_path: Path) -> None:
    folder = agent.folder / "spool"
    folder.mkdir()
    secret = tmp_path / "secret"
    secret.write_text("{}\n")
    (folder / "1.jsonl").write_text("garbage")
    (folder / "2.jsonl").symlink_to(secret)
    (folder / "3.jsonl").write_text('{"dedupe": 1}\n')
    (folder / "4.jsonl").write_bytes(b"\xff\xfe")
    (folder / "5.jsonl").write_text(
        json.dumps({"dedupe": {}, "harness": "", "session": "", "event": "", "payload": "", "created_at": 1})
    )
    (folder / "6.part").write_text("half")
    (folder / "7.part").write_text("half")
    os.utime(folder / "7.part", (time.time() - 7_200,) * 2)
    agent.tool()
    agent.tool()

    assert len(agent.jobs()) == 2
    assert sorted(path.name for path in folder.iterdir()) == [*[f"{n}.jsonl.bad" for n in range(1, 6)], "6.part"]
    assert secret.read_text() == "{}\n"


def test_a_taker_that_was_killed_doubles_nothing(agent: Agent, locked: apsw.Connection) -> None:
    agent.hook("stop", {"last_assistant_message": "done"})
    (waiting,) = agent.files()
    content = waiting.read_bytes()
    locked.execute("ROLLBACK")
    agent.tool()
    waiting.parent.mkdir()
    waiting.write_bytes(content)  # as if it had been killed between storing and removing
    agent.tool()

    assert [job["event"] for job in agent.jobs()] == ["stop", "post-tool-use", "post-tool-use"]
    assert agent.files() == []


def test_a_read_of_the_store_sees_what_hooks_left_in_its_log(agent: Agent) -> None:
    for _ in range(30):
        agent.tool(tool_response="x" * 3_000)
    project = open_for_reading(Where(str(agent.terminal.folder)))
    try:
        assert inbox.waiting(project.db) == 30
    finally:
        project.close()
    assert agent.terminal.mem("doctor").code == 0
