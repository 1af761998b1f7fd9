"""What the README says a session leaves, and the next one is told, is what they leave and are told."""

from __future__ import annotations

import re
from pathlib import Path

from tests.agents.worker.events import Events

README = (Path(__file__).resolve().parents[3] / "README.md").read_text(encoding="utf-8")
REPLY = "Logging in waits 30 s for the directory now. The cause was its cold cache after a restart. Remaining: the same for the"
VARYING = re.compile(r"[MP]-[0-9A-Z]{10}|\d{4}-\d\d-\d\d|at [0-9a-f]{7}|^\w+ (?=at )", re.MULTILINE)


def block(start: str) -> list[list[str]]:
    """The lines of the README from one that starts so to the end of its block, without what differs each time."""
    return plain(README[README.index(f"\n{start}") + 1 :].partition("\n\n$ claude")[0].partition("[...]")[0])


def plain(text: str) -> list[list[str]]:
    """The words of each line, without ids, dates, and the name of the project."""
    return [VARYING.sub("", line).split() for line in text.splitlines() if line.strip()]


def test_the_session_of_the_readme_is_real(events: Events) -> None:
    assert REPLY in README
    events.terminal.commit("Begin", login_py="WAIT = 5\n")
    events.prompt("People cannot log in after the directory restarts. Mend it.")
    events.tool("Edit", {"file_path": "login.py", "old_string": "WAIT = 5", "new_string": "WAIT = 30"})
    events.work()  # on the commit on which the edit was seen
    subject = "Wait 30 s for the directory at login"
    events.terminal.commit(subject, login_py="WAIT = 30\n")
    events.shell(f"git commit -qam '{subject}'", f"[main abc1234] {subject}")
    events.stop(f"{REPLY} nightly sync.")
    events.end()
    events.work()

    listed = plain(events.terminal.mem("recent", "--limit", "2").out)
    assert block("$ mem recent")[1:] == listed
    told = str(events.terminal.mem("turn", "prepare", "--session", "next", "--format", "prompt").json["text"])
    assert [line for line in block("# Memory") if line not in plain(told)] == []
