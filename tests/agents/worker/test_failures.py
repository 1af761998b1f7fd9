"""What failed in a session waits for what makes it pass, and is given up where nothing does."""

from __future__ import annotations

from tests.agents.worker.events import Events

ERROR = 'Traceback (most recent call last):\n  File "a.py", line 3, in f\nValueError: no codec named utf-9 for the export'


def waiting(events: Events) -> int:
    """How many failures wait."""
    return int(events.sql("SELECT count(*) FROM failure")[0][0])


def failing(events: Events, command: str) -> None:
    """Runs a command that ends in the error."""
    events.shell(command, ERROR, failed=1)


def test_the_same_error_again_is_one_failure_and_every_event_is_worked_up(events: Events) -> None:
    events.prompt("Export the report.")
    failing(events, "python export.py")
    failing(events, "python export.py")
    events.stop("It fails with utf-9.")
    assert events.work() == 4
    assert waiting(events) == 1


def test_a_failure_that_nothing_solves_in_many_calls_is_given_up(events: Events) -> None:
    events.prompt("Export the report.")
    failing(events, "python export.py")
    for number in range(45):
        events.shell(f"cat notes-{number}.txt", "text")
    events.stop("I give up.")
    assert events.work() == 48
    assert waiting(events) == 0
