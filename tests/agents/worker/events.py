"""A queue to put events into as hooks do, and a worker to work them up in this process."""

from __future__ import annotations

import json
from typing import Any

from memcli import store
from memcli.store import inbox, opening, rows, transaction
from memcli.text import dates
from tests.conftest import CLOCK, Terminal

START = dates.parse(CLOCK)
EDIT = {"file_path": "auth.py", "old_string": "pass", "new_string": "return token.valid"}
EDITED = "Edited auth.py: `pass` became `return token.valid`"


class Events:
    """Puts events of one session into the queue of a terminal's repository, a second apart."""

    def __init__(self, terminal: Terminal, session: str = "s1", harness: str = "claude") -> None:
        self.terminal, self.session, self.harness, self.count = terminal, session, harness, 0

    def put(self, event: str, at: int | None = None, raw: str | None = None, **body: Any) -> None:
        """Puts one event; `raw` is a payload as it stands, `at` seconds since the clock's moment."""
        self.count += 1
        root = str(self.terminal.folder)
        moment = START + (self.count if at is None else at) * 1000
        payload = json.dumps({"cwd": root, "root": root, **body}) if raw is None else raw
        db = opening.open_writer(str(self.terminal.store))
        rows(db, "PRAGMA synchronous = OFF")
        with transaction(db):
            dedupe = f"{self.harness}|{self.session}|{event}|{self.count}"
            inbox.put(db, inbox.QueuedEvent(dedupe, self.harness, self.session, event, payload, moment))
        db.close()

    def prompt(self, text: str) -> None:
        """A person asks."""
        self.put("user-prompt", prompt=text)

    def tool(self, name: str, given: dict[str, Any], result: str = "ok", **more: Any) -> None:
        """The agent uses a tool."""
        self.put("post-tool-use", tool=name, input=given, result=result, **more)

    def shell(self, command: str, result: str = "", **more: Any) -> None:
        """The agent runs a command."""
        self.tool("Bash", {"command": command}, result, **more)

    def stop(self, reply: str = "Done.") -> None:
        """The agent ends its turn."""
        self.put("stop", reply=reply)

    def end(self, reason: str = "exit") -> None:
        """The session ends."""
        self.put("session-end", reason=reason)

    def work(self) -> int:
        """Runs the worker until nothing waits. Returns how many events it worked up."""
        return self.terminal.work()

    def seen(self) -> list[dict[str, Any]]:
        """The observations of the session, in order."""
        return list(self.whole()["observations"])

    def whole(self) -> dict[str, Any]:
        """Everything about the session."""
        return dict(self.terminal.mem("session", self.session, "--json").json)

    def sql(self, statement: str) -> list[Any]:
        """What a statement gives in the store."""
        db = store.connect(str(self.terminal.store), 2)
        try:
            return rows(db, statement)
        finally:
            db.close()


def short_session(events: Events) -> None:
    """A short session: a fix, a failing and a passing test, a commit."""
    events.put("session-start", source="startup")
    events.prompt("Fix the login timeout bug")
    events.tool("Read", {"file_path": "auth.py"})
    events.tool("Edit", EDIT)
    events.shell("pytest -q tests", "3 failed, 2 passed in 1.2s")
    events.shell("ls -la", "auth.py")
    events.tool("Edit", {"file_path": "auth.py", "old_string": "x = 1", "new_string": "x = 2"})
    events.shell("pytest -q tests", "5 passed in 1.1s")
    events.shell("git commit -am 'Fix the login timeout'", "[main 123] Fix")
    events.stop("The root cause was the clock. Remaining: write docs.")
    events.end()
