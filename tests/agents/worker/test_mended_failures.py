"""What failed in a session stays in its summary until the same command passes."""

from __future__ import annotations

from tests.agents.worker.events import EDIT, Events


def summary(events: Events) -> list[str]:
    return str(events.whole()["summary_text"]).splitlines()


def test_a_summary_keeps_a_failure_until_the_same_command_passes_later(events: Events) -> None:
    events.prompt("Fix the login timeout bug")
    events.tool("Edit", EDIT)
    events.shell("pytest -q tests", "3 failed, 2 passed in 1.2s")
    events.shell("npm test", "2 failing, 1 error: timeout", failed=True)
    events.stop("It is fixed.")
    events.work()
    assert "` failed: " in "".join(summary(events))
    events.prompt("Are the tests green?")
    events.shell("pytest -q tests", "5 passed in 1.1s")
    events.shell("npm test", "3 passing", code=0)
    events.stop("They are green.")
    events.work()
    assert "failed" not in "".join(summary(events))
    events.prompt("And now?")
    events.shell("pytest -q tests", "1 failed, 4 passed in 1.1s")
    events.stop("One fails.")
    events.work()
    assert "Tools said (quoted): `pytest -q tests` failed: “1 failed, 4 passed in 1.1s”" in "".join(summary(events))
