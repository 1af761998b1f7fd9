"""Names that others chose: a writer's is its own to give, a thread's is a name that a thread can have."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from memcli.text import ids
from tests.replication.conftest import Machine
from tests.replication.mallory import MALLORY, MOMENT, operation, seg, segment, titled

Team = Callable[..., Machine]


def test_nobody_names_another_writer(machine: Team, plant: Callable[..., None]) -> None:
    ada, ben = machine("ada"), machine("ben")
    memory = ben.shared("By Ben")
    for member in (ben, ada):
        member.mem("sync")
    (writer,) = [row["id"] for row in ada.mem("sync", "status", "--json").json["writers"]]
    late = MOMENT + 3_600_000
    name, data = segment(
        operation(k="writer", o=f"W-{writer}", hlc=[late, 0], b={"name": "Mallory"}),
        operation(k="writer", o=f"W-{MALLORY}", hlc=[late, 1], b={"name": "Of a later moment"}),
        titled("Good"),
    )
    plant({seg(name): data})
    assert "refused 1 line from the remote: 1 a name for another writer" in ada.mem("sync", "pull").err
    assert ada.known() == {"By Ben", "Good"}
    assert "Ben" in ada.mem("show", memory).out
    assert "Mallory" not in ada.mem("sync", "status").out


@pytest.mark.parametrize("thread", ["a\u202eb", "a\u2028b", " gate", "x" * 100])
def test_what_is_no_name_of_a_thread_is_refused(machine: Team, plant: Callable[..., None], thread: str) -> None:
    state = {"reason": "r", "state": {"goal": "g"}, "thread": thread, "created": MOMENT}
    name, data = segment(
        operation(o=f"T-{thread}", b={"title": "x"}), operation(k="state", o=ids.new("S"), b=state), titled("Good")
    )
    plant({seg(name): data})
    ada = machine("ada")
    assert "refused 2 lines" in ada.mem("sync", "pull").err
    assert ada.known() == {"Good"}
    assert thread not in [row["thread_id"] for row in ada.mem("threads", "--json").json]
    assert ada.mem("doctor").code == 0
