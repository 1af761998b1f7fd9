"""Hooks as harnesses fire them: a session is told each thing once, and nothing that goes wrong with noting that is a veto."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
from collections.abc import Callable
from contextlib import closing
from typing import Any

import apsw
import pytest

from memcli.agents.adapters import HARNESSES as NAMES
from memcli.agents.adapters import adapter
from tests.agents.capture.conftest import FACT, Agent
from tests.agents.capture.conftest import agent as agent
from tests.agents.capture.test_harnesses import RECORDED, send, wear
from tests.conftest import Terminal

QUESTION = "where do session tokens live"


def start(agent: Agent, session: str = "s1", **more: object) -> str:
    return agent.hook("session-start", {"session_id": session, "source": "startup", **more}).out


def ask(agent: Agent, prompt: str = QUESTION, session: str = "s1", **more: object) -> str:
    return agent.hook("user-prompt", {"session_id": session, "prompt": prompt, **more}).out


def context(harness: str, printed: str) -> str:
    """What a harness hands to its model of what a hook printed."""
    if harness in ("claude", "opencode") or not printed:
        return printed
    said = json.loads(printed)
    said = said.get("hookSpecificOutput", said)
    return str(next((said[name] for name in ("additionalContext", "additional_context", "prependContext") if name in said), ""))


@pytest.mark.parametrize("harness", NAMES)
def test_the_first_prompt_never_repeats_the_start(agent: Agent, harness: str, monkeypatch: pytest.MonkeyPatch) -> None:
    wear(monkeypatch, harness)
    told = {}
    for event in RECORDED[harness]["events"]:
        if event["event"] in ("session-start", "user-prompt"):
            told.setdefault(event["event"], context(harness, send(agent, harness, event)))

    first = adapter(harness).context_events[0]
    assert FACT in told.pop(first)
    assert set(told.values()) == {""}


def test_a_prompt_is_told_what_is_new_since_and_only_that(agent: Agent) -> None:
    assert FACT in start(agent)
    assert ask(agent) == ""
    agent.terminal.mem("profile", "set", "editor", "vim")
    agent.terminal.add("Deploys run nightly")
    told = ask(agent, "go on")

    assert told.startswith("<mem-context>\n# Memory: what is new")
    assert "- **editor**: vim" in told
    assert "Deploys run nightly" in told
    assert FACT not in told
    assert ask(agent, "go on, please") == ""


@pytest.mark.parametrize("variable", ["CLAUDE_CODE_SESSION_ID", "CODEX_SESSION_ID"])
def test_what_the_agent_wrote_itself_does_not_come_back_to_it_but_reaches_others(
    agent: Agent, monkeypatch: pytest.MonkeyPatch, variable: str
) -> None:
    name = agent.terminal.mem("search", FACT, "--json").json[0]["id"]
    start(agent)
    start(agent, "s2")
    monkeypatch.setenv(variable, "s1")
    own = agent.terminal.add("Deploys run nightly")
    agent.terminal.mem("profile", "set", "editor", "vim")
    agent.terminal.mem("note", "add", "Bring the cake")
    agent.terminal.mem("checkpoint", "--reason", "r", "--state-json", '{"open": ["flaky login"]}')
    agent.terminal.mem("forget", name)
    monkeypatch.delenv(variable)
    assert ask(agent, "go on") == ""
    assert ask(agent, "when do deploys run") == ""
    agent.terminal.add("Backups run at noon")
    told = ask(agent, "go on, please")
    assert "Backups run at noon" in told
    assert "Deploys" not in told
    assert "No longer" not in told
    assert ask(agent, "and on") == ""
    told = ask(agent, "go on", "s2")
    for news in ("Deploys run nightly", "vim", "Bring the cake", "flaky login", "No longer holds"):
        assert news in told
    agent.terminal.mem("update", own, "--summary", "They moved to noon.")
    assert "moved to noon" in ask(agent, "go on")
    assert "Deploys run nightly" in start(agent)


def test_what_somebody_else_changed_as_well_is_told(agent: Agent, monkeypatch: pytest.MonkeyPatch) -> None:
    start(agent)
    with monkeypatch.context() as patch:
        patch.setenv("CLAUDE_CODE_SESSION_ID", "s1")
        own = agent.terminal.add("Deploys run nightly")
    agent.terminal.mem("update", own, "--summary", "They moved to noon.")
    assert "moved to noon" in ask(agent, "go on")


def test_what_the_agent_wrote_for_the_person_does_not_come_back_either(agent: Agent, monkeypatch: pytest.MonkeyPatch) -> None:
    mem = agent.terminal.mem
    mem("profile", "set", "editor", "vim", "--user")
    known = agent.terminal.add("Answers are short", "because", "--user")
    start(agent)
    start(agent, "s2")
    with monkeypatch.context() as patch:
        patch.setenv("CLAUDE_CODE_SESSION_ID", "s1")
        mem("profile", "set", "editor", "emacs", "--user")
        mem("profile", "set", "shell", "fish", "--user")
        mem("pin", known, "--user")
        assert ask(agent, "go on") == ""
    assert "- **shell**: fish (yours)" in ask(agent, "go on", session="s2")

    mem("profile", "set", "editor", "nano")  # somebody else, in the repository, under the same key
    mem("profile", "set", "shell", "zsh", "--user")
    said = ask(agent, "go on once more")
    assert "- **editor**: nano" in said
    assert "- **shell**: zsh (yours)" in said


def test_of_two_harnesses_within_one_another_neither_is_taken_for_the_writer(
    agent: Agent, monkeypatch: pytest.MonkeyPatch
) -> None:
    start(agent)
    with monkeypatch.context() as patch:
        patch.setenv("CLAUDE_CODE_SESSION_ID", "s1")
        patch.setenv("CODEX_SESSION_ID", "s9")
        agent.terminal.add("Deploys run nightly")
    assert "Deploys run nightly" in ask(agent, "go on")


def test_what_is_relevant_and_was_not_told_comes_with_the_prompt(agent: Agent, later: Callable[[str], None]) -> None:
    for number in range(12):
        later(f"2026-03-01T13:{10 + number}:00Z")
        agent.terminal.add(f"Fact number {number}")
    assert FACT not in start(agent)
    assert FACT in ask(agent, prompt_id="1")
    assert ask(agent, prompt_id="2") == ""


def test_a_subagent_takes_nothing_away_from_the_main_agent(agent: Agent) -> None:
    start(agent)
    ask(agent, "go on")
    agent.terminal.add("Deploys run nightly")
    aside = ask(agent, "when do deploys run", agent_id="a1")
    agent.hook("pre-compact", {"agent_id": "a1"})

    assert "Deploys run nightly" in aside
    assert FACT not in aside
    told = ask(agent, "go on, please")
    assert "Deploys run nightly" in told
    assert FACT not in told


def test_the_same_event_fired_twice_is_answered_alike(agent: Agent) -> None:
    assert start(agent) == start(agent) != ""
    agent.terminal.add("Deploys run nightly")
    first = ask(agent, prompt_id="p1")
    assert "Deploys run nightly" in first
    assert ask(agent, prompt_id="p1") == first
    assert ask(agent, prompt_id="p2") == ""


def test_the_same_words_a_while_later_are_another_prompt(agent: Agent, later: Callable[[str], None]) -> None:
    agent.terminal.add("Deploys run nightly")
    assert "Deploys run nightly" in ask(agent, "continue")
    later("2026-03-01T12:01:00Z")
    assert ask(agent, "continue") == ""


def test_sessions_of_two_harnesses_and_two_at_once_are_told_apart(agent: Agent) -> None:
    for session in ("a", "b"):
        assert FACT in start(agent, session)
    assert FACT in agent.hook("session-start", {"session_id": "a"}, "codex").out
    agent.terminal.add("Deploys run nightly")
    for session in ("b", "a"):
        assert "Deploys run nightly" in ask(agent, "go on", session)
        assert ask(agent, "go on!", session) == ""


def session_of_work(agent: Agent, session: str) -> None:
    agent.hook("user-prompt", {"session_id": session, "prompt": "Fix the login timeout", "prompt_id": f"{session}1"})
    edit = {"file_path": "auth.py", "old_string": "pass", "new_string": "return token.valid"}
    agent.tool(session_id=session, tool_name="Edit", tool_input=edit, tool_response="ok")
    agent.hook("stop", {"session_id": session, "last_assistant_message": "The timeout was a second; it is ten now."})
    agent.terminal.work()


def test_a_session_s_own_observations_and_summary_never_come_back_to_it(agent: Agent, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MEMPACK_WORKER_IDLE_SECONDS", "0")
    (agent.terminal.folder / "auth.py").write_text("def login():\n    pass\n")
    start(agent, "mine")
    start(agent, "other")
    session_of_work(agent, "mine")
    (note,) = agent.terminal.mem("note", "--json").json
    assert note["text"] == "claude: The timeout was a second; it is ten now."

    assert ask(agent, "zebra", "mine") == ""
    told = ask(agent, "zebra", "other")
    assert "## Last sessions (as hooks saw them)\n- 2026-03-01 The timeout was a second; it is ten now. [M-" in told
    assert note["id"] not in told
    agent.hook("stop", {"session_id": "other", "last_assistant_message": "Zebras have stripes."})
    agent.hook("session-end", {"session_id": "mine", "reason": "exit"})
    agent.terminal.work()
    told = ask(agent, "zebra!", "mine")
    assert "[M-" in told  # of the other session
    assert "The timeout was a second" not in told
    assert "Fix the login timeout" not in told


def test_the_line_about_a_session_can_be_switched_off_taken_out_and_erased(agent: Agent, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MEMPACK_WORKER_IDLE_SECONDS", "0")
    session_of_work(agent, "one")
    (note,) = agent.terminal.mem("note", "--json").json
    agent.terminal.mem("undo", fails=0)  # takes back what the person did, not this
    assert len(agent.terminal.mem("note", "--json").json) == 1
    session = agent.terminal.mem("sessions", "--json").json[0]["id"]
    agent.terminal.mem("forget", session, "--erase")
    assert agent.terminal.mem("note", "--json").json == []
    assert b"Fix the login timeout" not in agent.terminal.store.read_bytes()

    monkeypatch.setenv("MEMPACK_NOTE_SESSIONS", "false")
    session_of_work(agent, "two")
    assert agent.terminal.mem("note", "--json").json == []
    assert note["id"]


@pytest.mark.parametrize("event", ["session-start", "user-prompt"])
def test_a_locked_store_is_no_veto_and_the_same_is_told_again(agent: Agent, event: str) -> None:
    said = {"source": "startup", "prompt": QUESTION}
    with closing(apsw.Connection(str(agent.terminal.store))) as db:
        db.execute("BEGIN IMMEDIATE")
        told = agent.hook(event, {**said, "prompt_id": "1"})
        db.execute("ROLLBACK")
    assert FACT in told.out
    assert "waits in a file" in told.err

    assert FACT in agent.hook(event, {**said, "prompt_id": "2", "source": "resume"}).out
    assert ask(agent, prompt_id="3") == ""


def test_where_nothing_can_be_noted_a_prompt_is_told_what_is_relevant_and_no_more(agent: Agent) -> None:
    agent.terminal.add("Deploys run nightly")
    with closing(apsw.Connection(str(agent.terminal.store))) as db:
        db.execute("BEGIN IMMEDIATE")
        told = ask(agent)
        db.execute("ROLLBACK")

    assert FACT in told
    assert "Deploys" not in told


def test_a_turn_that_cannot_be_noted_is_printed_all_the_same(agent: Agent, monkeypatch: pytest.MonkeyPatch) -> None:
    from memcli.agents.turns import turn

    def full(*words: object) -> None:
        raise apsw.FullError("database or disk is full")

    with monkeypatch.context() as patch:
        patch.setattr(turn, "record", full)
        told = agent.hook("session-start", {"source": "startup"})
    assert (FACT in told.out, told.err) == (True, "")
    assert "could not be recorded: FullError" in agent.log()
    assert FACT in ask(agent)


KILLED = """
import os, signal, sys
from memcli.agents.turns import turn
plain = turn.record
def record(project, made):
    if sys.argv.pop() == "after":
        plain(project, made)
    os.kill(os.getpid(), signal.SIGKILL)
turn.record = record
from memcli.__main__ import run
run(sys.argv[1:3])
"""


@pytest.mark.parametrize(("moment", "comes_again"), [("before", True), ("after", False)])
def test_a_hook_that_is_killed_around_its_note_loses_nothing(agent: Agent, moment: str, comes_again: bool) -> None:
    said = json.dumps({"session_id": "s1", "cwd": str(agent.terminal.folder), "source": "startup"})
    done = subprocess.run(
        [sys.executable, "-c", KILLED, "hook", "session-start", moment],
        input=said.encode(),
        cwd=agent.terminal.folder,
        env=agent.terminal.env,
        capture_output=True,
        timeout=60,
    )
    assert done.returncode == -signal.SIGKILL
    assert FACT in done.stdout.decode()  # it had been printed
    assert (FACT in ask(agent)) is comes_again
    assert agent.terminal.mem("doctor").code == 0


def test_many_sessions_at_once_are_each_told_everything_once(agent: Agent) -> None:
    terminal = agent.terminal
    words = [sys.executable, "-m", "memcli", "hook"]

    def fire(event: str, session: str, **more: Any) -> subprocess.Popen[bytes]:
        said = json.dumps({"session_id": session, "cwd": str(terminal.folder), **more})
        pipe = subprocess.PIPE
        process = subprocess.Popen([*words, event], cwd=terminal.folder, env=terminal.env, stdin=pipe, stdout=pipe, stderr=pipe)
        assert process.stdin is not None
        process.stdin.write(said.encode())
        process.stdin.close()
        process.stdin = None
        return process

    def all_told(processes: list[subprocess.Popen[bytes]]) -> list[str]:
        return [process.communicate(timeout=60)[0].decode() for process in processes]

    sessions = [f"s{number}" for number in range(8)]
    starts = all_told([fire("session-start", name, source="startup") for name in sessions])
    assert [FACT in told for told in starts] == [True] * 8
    terminal.add("Deploys run nightly")
    news = all_told([fire("user-prompt", name, prompt="go on", prompt_id="1") for name in sessions])
    assert [("Deploys run nightly" in told, FACT in told) for told in news] == [(True, False)] * 8
    assert all_told([fire("user-prompt", name, prompt="go on", prompt_id="2") for name in sessions]) == [""] * 8


def test_turns_of_programs_at_once_all_reach_their_sessions(terminal: Terminal) -> None:
    terminal.add(FACT)
    source = """
import json, subprocess, sys
def mem(*words):
    done = subprocess.run([sys.executable, "-m", "memcli", *words], capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, done.stderr
    return done.stdout
session = sys.argv[1]
modes = []
for number in range(3):
    made = json.loads(mem("turn", "prepare", "--session", session))
    mem("turn", "ack", "--prepare-id", made["prepareId"], "--status", "success")
    modes.append(made["mode"])
print(*modes)
"""
    pipe = subprocess.PIPE
    command = [sys.executable, "-c", source]
    running = [subprocess.Popen([*command, f"s{n}"], cwd=terminal.folder, env=terminal.env, stdout=pipe) for n in range(6)]
    assert [process.communicate(timeout=120)[0] for process in running] == [b"full none none\n"] * 6


def test_a_program_that_is_killed_between_prepare_and_ack_is_told_the_same_again(terminal: Terminal) -> None:
    terminal.add(FACT)
    first = json.loads(terminal.process("turn", "prepare", "--session", "s").out)  # and nobody hears of it again
    second = json.loads(terminal.process("turn", "prepare", "--session", "s").out)

    assert (second["mode"], second["xml"]) == (first["mode"], first["xml"])
