"""Each section of a start has room, however much there is of another."""

from __future__ import annotations

from tests.agents.worker.events import EDIT, Events
from tests.agents.worker.test_telling import section, session, start


def test_many_decisions_leave_room_for_what_was_dropped_and_a_command(events: Events) -> None:
    dropped = "I made the import lazy and reverted it: it saves nothing."
    command = "The command that works is:\n\n```\npytest -q -m stress tests\n```"
    session(events, "first", "Why is it slow?", f"{dropped}\n\n{command}", ("Edit", EDIT))
    for thing, why in (
        (
            "invoices",
            "the accountants read the old archive until the audit in autumn is over and signed by both partners of the firm",
        ),
        (
            "mails",
            "replies are matched by the header of the first letter, which a shorter retention would lose after a few quiet weeks",
        ),
        (
            "labels",
            "the printers in the warehouse cannot scale images and cut off whatever is wider than their rolls of paper allow",
        ),
        (
            "uploads",
            "customers resume them from trains, where a connection rarely lasts for longer than two minutes at a stretch",
        ),
        ("drafts", "editors lost a morning of work when the browser crashed in the middle of a very long article about harbours"),
        (
            "orders",
            "the carrier asks for the weight before pickup and refuses whatever was announced later than noon of that day",
        ),
    ):
        session(events, thing, f"What about {thing}?", f"We decided to keep {thing} as they are, because {why}.")
    text = start(events)
    assert section(text, "Tried and dropped") == [f"- 2026-03-01 {dropped}"]
    assert section(text, "Commands that work here") == ["- 2026-03-01 The command that works is: `pytest -q -m stress tests`"]
    assert len(section(text, "Decisions")) > 1
