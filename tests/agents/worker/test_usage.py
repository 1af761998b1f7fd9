"""What sessions were told is counted, and what they used of it, as far as what they did afterwards shows that."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from memcli import store
from memcli.store import opening
from tests.agents.capture.conftest import FACT, Agent
from tests.agents.capture.conftest import agent as agent
from tests.agents.turns.test_hooks import ask, start
from tests.agents.worker.events import EDIT, Events

TITLE = "Refresh tokens rotate after ninety minutes"
SUMMARY = "The gateway drops a session whose REFRESH_TTL is longer than that of the proxy."


@pytest.fixture
def memory(events: Events) -> str:
    """A memory that every session is told, and that names auth.py."""
    return events.terminal.add(TITLE, SUMMARY, "--file", "auth.py")


def told(events: Events, name: str = "s1", prompt: str = "Why does the login time out so early?") -> Events:
    """A session that was told what there is to tell, and asked something."""
    session = Events(events.terminal, name)
    session.count = 10
    prepared = events.terminal.mem("turn", "prepare", "--session", name, "--engine", "claude", "--json").json
    events.terminal.mem("turn", "ack", "--session", name, "--prepare-id", prepared["prepareId"], "--status", "success")
    session.prompt(prompt)
    return session


def usage(events: Events, memory: str) -> tuple[int, int]:
    """How many sessions were told a memory, and how many used it."""
    counts = events.terminal.mem("show", memory, "--json").json["memory"]["usage"]
    return counts["told"], counts["used"]


USES: dict[str, Any] = {
    "its id in an answer": lambda session, memory: session.stop(f"As {memory} says, I left it."),
    "mem show": lambda session, memory: session.put("post-tool-use", cited=memory),
    "its id in a commit": lambda session, memory: session.shell(f"git commit -m 'See {memory.lower()}'"),
    "a read of its file": lambda session, memory: session.tool("Read", {"file_path": "auth.py"}),
    "an edit of its file": lambda session, memory: session.tool("Edit", EDIT),
    "its words": lambda session, memory: session.stop("It is because the refresh tokens rotate after only ninety minutes."),
    "a name of code": lambda session, memory: session.stop("I lowered `REFRESH_TTL`."),
}
OTHERS: dict[str, Any] = {
    "another file": lambda session, memory: session.tool("Read", {"file_path": "setup.py"}),
    "a command": lambda session, memory: session.shell("ls -la", "auth.py"),
    "other words": lambda session, memory: session.stop("The tokens of the gateway are fine, the session is not."),
    "a harness's own summary": lambda session, memory: session.put("pre-compact", summary=f"It was told {TITLE}, {memory}."),
}


def memories(events: Events, kind: str) -> list[str]:
    """The ids of the memories of a kind."""
    return [name for (name,) in events.sql(f"SELECT id FROM memory WHERE kind = '{kind}'")]


def test_a_summary_is_used_by_a_session_that_edits_a_file_which_it_lists(events: Events) -> None:
    before = Events(events.terminal, "s0")
    before.prompt("Make the login return whether the token is valid")
    before.tool("Edit", EDIT)
    before.stop("The login returns it now.")
    before.end()
    before.work()
    (summary,) = memories(events, "summary")
    session = told(events)
    session.tool("Edit", EDIT)
    session.work()

    assert usage(events, summary) == (1, 1)


def test_a_decision_is_told_and_used_where_the_sentence_was_of_which_it_was_made(events: Events) -> None:
    before = Events(events.terminal, "s0")
    before.prompt("How should the gateway retry?")
    before.stop("I decided to use exponential backoff because the bank blocks after five quick calls.")
    before.end()
    before.work()
    (decision,) = memories(events, "decision")
    silent, session = told(events), told(events, "s2")
    silent.stop("Nothing to do.")
    session.stop("It is there: use exponential backoff, as the bank blocks after five quick calls.")
    session.work()

    assert usage(events, decision) == (2, 1)


@pytest.mark.parametrize("use", USES)
def test_a_session_that_shows_a_sign_of_a_memory_used_it(events: Events, memory: str, use: str) -> None:
    session = told(events)
    USES[use](session, memory)
    session.work()

    assert usage(events, memory) == (1, 1)


@pytest.mark.parametrize("other", OTHERS)
def test_a_session_that_does_something_else_did_not_use_it(events: Events, memory: str, other: str) -> None:
    session = told(events)
    OTHERS[other](session, memory)
    session.work()

    assert usage(events, memory) == (1, 0)


def test_a_session_counts_once_however_often_it_is_told_and_uses_it(events: Events, memory: str) -> None:
    session = told(events)
    for _ in range(2):
        session.tool("Edit", EDIT)
        session.stop(f"As {memory} says.")
        session.work()
        told(events).work()
    other = told(events, "s2")
    other.stop()
    other.work()

    assert usage(events, memory) == (2, 1)


def test_an_event_that_failed_and_is_worked_up_again_counts_once(
    events: Events, memory: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: object) -> None:
        raise OSError

    session = told(events)
    session.tool("Edit", EDIT)
    with monkeypatch.context() as patched:
        patched.setattr("memcli.store.queue.finish", fail)
        session.work()
    assert usage(events, memory) == (0, 0)

    events.terminal.mem("queue", "retry")
    db = opening.open_writer(str(events.terminal.store))
    store.rows(db, "UPDATE job SET not_before = 0, attempts = 0, status = 'pending'")
    db.close()
    session.work()
    session.work()
    assert usage(events, memory) == (1, 1)


def test_what_happened_before_a_session_was_told_is_no_sign(events: Events, memory: str) -> None:
    before = Events(events.terminal, "s1")
    before.put("post-tool-use", at=-60, tool="Edit", input=EDIT, result="ok")
    told(events).stop()
    before.work()

    assert usage(events, memory) == (1, 0)


def test_what_the_person_said_is_no_sign_where_the_answer_repeats_it(events: Events, memory: str) -> None:
    session = told(events, prompt="Is it that refresh tokens rotate after ninety minutes?")
    session.stop("Yes: refresh tokens rotate after ninety minutes.")
    session.work()

    assert usage(events, memory) == (1, 0)


def test_a_question_that_is_asked_again_takes_the_use_back(events: Events, memory: str) -> None:
    question = "Why does the login time out so early?"
    session = told(events, prompt="Look at the login page first")
    session.prompt(question)
    again = events.terminal.mem("turn", "prepare", "--session", "s1", "--engine", "claude", "--full").json
    events.terminal.mem("turn", "ack", "--prepare-id", again["prepareId"], "--status", "success")
    session.stop("Refresh tokens rotate after ninety minutes.")
    session.work()
    assert usage(events, memory) == (1, 1)

    events.sql("UPDATE telling SET told_at = told_at + 60000")  # the clock of the test stands still
    session.prompt(question)
    session.stop()
    session.work()
    assert usage(events, memory) == (1, 0)


def test_a_name_of_code_that_another_memory_has_too_is_no_sign(events: Events, memory: str) -> None:
    events.terminal.add("REFRESH_TTL is a setting of the gateway", "it is read at the start")
    session = told(events)
    session.stop("I lowered `REFRESH_TTL`.")
    session.work()

    assert usage(events, memory) == (1, 0)


def test_a_turn_that_nobody_acknowledged_and_a_question_of_a_person_tell_no_session(events: Events, memory: str) -> None:
    events.terminal.mem("turn", "prepare", "--session", "s1", "--engine", "claude")
    events.terminal.mem("get", "refresh tokens")
    session = Events(events.terminal)
    session.tool("Edit", EDIT)
    session.work()

    assert usage(events, memory) == (0, 0)
    assert "told" not in events.terminal.mem("show", memory).out


def test_erasing_takes_the_counts_along_and_exports_leave_them_out(events: Events, memory: str) -> None:
    session = told(events)
    session.tool("Edit", EDIT)
    session.work()
    assert "told" not in events.terminal.mem("export").out

    events.terminal.mem("forget", memory)
    assert events.sql(f"SELECT count(*) FROM telling WHERE memory = '{memory}'") == [(1,)]
    events.terminal.mem("forget", memory, "--erase")
    assert events.sql(f"SELECT count(*) FROM telling WHERE memory = '{memory}'") == [(0,)]
    events.terminal.mem("forget", events.sql("SELECT id FROM session")[0][0], "--erase")
    assert events.sql("SELECT count(*) FROM telling") == [(0,)]


def test_what_is_often_told_and_never_used_is_named_with_the_way_to_retire_it(events: Events, memory: str) -> None:
    mem = events.terminal.mem
    pinned = events.terminal.add("Always answer in English")
    mem("pin", pinned)
    for number in range(5):
        session = told(events, f"s{number}")
        session.stop(f"As {memory} says." if number == 4 else "Done.")
        session.work()
    unused = mem("doctor", "--unused", "--json").json

    assert [(one["title"], one["told"]) for one in unused] == [("Sessions live in Redis", 5)]
    assert unused[0]["forget"] == f"mem forget {unused[0]['id']}"
    assert unused[0]["forget"] in mem("doctor", "--unused").out
    assert "told       to 5 sessions (last just now), used by 1 (last just now)" in mem("show", memory).out
    assert "told to 5, used by 1" in mem("explain", "refresh tokens").out
    stats = mem("stats", "--json").json["usage"]
    counts = [stats[name] for name in ("told", "used", "memories", "sessions")]
    assert counts == [25, 1, 7, 5]  # summaries among them
    assert stats["tokens_a_day"] > 0
    assert [one["title"] for one in stats["never_used"]] == ["Sessions live in Redis"]
    for words in ("25 times; used once (4%)", "Told often, no sign of use"):
        assert words in mem("stats").out

    mem("forget", unused[0]["id"])
    assert mem("doctor", "--unused", "--json").json == []
    mem("doctor", "--unused", "--stale", fails=2)


def test_tellings_of_a_year_ago_go(events: Events, memory: str, later: Callable[[str], None]) -> None:
    session = told(events)
    session.stop()
    session.work()
    later("2027-03-03T12:00:00Z")
    session.work()

    assert usage(events, memory) == (0, 0)


def test_what_hooks_told_and_what_the_session_used_of_it_is_counted(agent: Agent) -> None:
    mem = agent.terminal.mem
    (name,) = [one["id"] for one in mem("search", FACT, "--json").json]
    for session in ("s1", "s2"):
        start(agent, session)
        ask(agent, "go on", session)
        shown = {"command": f"mem show {name}" if session == "s2" else "ls"}
        agent.hook("post-tool-use", {"session_id": session, "tool_name": "Bash", "tool_use_id": session, "tool_input": shown})
    agent.hook("pre-compact", {"session_id": "s1"})
    start(agent, "s1")
    agent.hook("stop", {"session_id": "s1", "last_assistant_message": "Done."})
    agent.terminal.process("worker", "run", env={"MEMPACK_WORKER_IDLE_SECONDS": "0"})

    usage = mem("show", name, "--json").json["memory"]["usage"]
    assert (usage["told"], usage["used"]) == (2, 1)
    stats = mem("stats", "--json").json["usage"]
    assert (stats["prompts"], stats["empty"]) == (2, 2)
    assert stats["tokens_a_day"] > 0
    assert "Used" not in mem("session", "s2").out
