"""What sessions were told is counted, and what they used of it, as far as what they did afterwards shows that."""

from __future__ import annotations

from typing import Any

import pytest

from memcli.agents.capture import worker
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
