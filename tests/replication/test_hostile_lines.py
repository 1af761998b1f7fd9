"""Lines that a hostile store sends: no secret of theirs is stored, and none of them stops a reader."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

from memcli.text import ids
from tests.replication.conftest import Machine
from tests.replication.mallory import MALLORY, MOMENT, operation, seg, segment, titled

Team = Callable[..., Machine]
TOKEN = "ghp_" + "aB3dE5fG7hJ9kL1mN3pQ5rS7tU9vW1xY3zA5"
ENTRY, NOTE, STATE = ids.new("K"), ids.new("N"), ids.new("S")
WITH_TOKEN = {
    "thread": operation(o=f"T-{TOKEN}", b={"title": TOKEN}),
    "tag": operation(b={**operation()["b"], "tags": [TOKEN]}),
    "summary": operation(b={**operation()["b"], "summary": TOKEN}),
    "link": operation(k="link", b={"rel": "relates", "to": f"https://x.example/?t={TOKEN}", "on": True}),
    "reason": operation(k="state", o=STATE, b={"reason": TOKEN, "state": {TOKEN: TOKEN}, "thread": "general", "created": MOMENT}),
    "entry": operation(k="profile", o=ENTRY, b={"key": f"a {TOKEN}", "value": TOKEN}),
    "note": operation(k="note", o=NOTE, b={"day": "2026-03-01", "text": TOKEN, "created": MOMENT}),
    "name": operation(k="writer", o=f"W-{MALLORY}", b={"name": TOKEN}),
    "field of a later version": operation(b={**operation()["b"], "novel": {"x": [TOKEN]}}),
    "kind of a later version": operation(k="novel", b={"x": TOKEN}),
}


def test_a_secret_in_any_field_is_in_no_file_of_the_store(machine: Team, plant: Callable[..., None]) -> None:
    name, data = segment(*WITH_TOKEN.values(), titled("Good"))
    plant({seg(name): data})
    ada = machine("ada")
    ada.mem("sync", "pull")
    assert "Good" in ada.known()
    stored = [row for row in ada.store.parent.glob("memory.db*") if TOKEN.encode() in row.read_bytes()]
    assert stored == []


def test_lines_that_are_made_to_break_a_reader_are_refused_and_the_next_one_counts(
    machine: Team, plant: Callable[..., None]
) -> None:
    deep = b'{"b":' + b"[" * 30_000 + b"]" * 30_000 + b"}"
    bad: list[dict[str, Any] | bytes] = [
        deep,
        titled("Before all time", hlc=[-1, 0]),
        titled("A clock that is no number", hlc=[True, 0]),
        titled("A clock beyond all", hlc=[10**30, 0]),
        titled("A zero \0 byte"),
        titled("A half \ud800 pair") | {"o": "M-\ud800"},
        titled("No id", id="../../x"),
        operation(b={"title": "x" * 70_000}),
    ]
    lines = [line if isinstance(line, bytes) else json.dumps(line).encode() for line in bad]
    same = operation()
    name, data = segment(
        *lines, titled("First of an id", id=same["id"]), titled("Second of an id", id=same["id"]), titled("Good")
    )
    plant({seg(name): data})
    ada = machine("ada")
    assert f"refused {len(bad)} lines" in ada.mem("sync", "pull").err
    assert ada.known() & {"Good", "First of an id", "Second of an id"} >= {"Good"}
    assert len(ada.known()) == 2
    assert ada.mem("doctor").code == 0
