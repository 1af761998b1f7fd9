"""`ingest.auto`: what was ingested follows the files where agents work."""

from __future__ import annotations

from pathlib import Path

import pytest

from memcli.agents.capture import upkeep
from tests.agents.worker.events import EDIT, Events


def found(events: Events) -> list[str]:
    """The files of which something is kept, but for the one that each repository of these tests has."""
    return sorted({one["path"] for one in events.terminal.mem("chunks", "--json").json} - {"auth.py"})


def write(events: Events, **files: str) -> None:
    for name, text in files.items():
        (events.terminal.folder / name.replace("_", ".")).write_text(text)


@pytest.fixture
def worked(events: Events) -> Events:
    """A repository that was ingested, and an agent that then changes a file and adds one."""
    events.terminal.commit(a_py="def heron(): pass\n", b_py="def stork(): pass\n")
    events.terminal.mem("config", "set", "ingest.auto", "true")
    return events


def change(events: Events) -> None:
    write(events, a_py="def egret(): pass\n", c_py="def crane(): pass\n")
    events.tool("Edit", EDIT)
    events.work()


def texts(events: Events) -> str:
    return events.terminal.mem("get", "egret crane heron", "--format", "json").out


def test_what_was_ingested_whole_follows_every_file(worked: Events) -> None:
    worked.terminal.mem("ingest")
    change(worked)
    assert found(worked) == ["a.py", "b.py", "c.py"]
    assert "def egret" in texts(worked)
    assert "def heron" not in texts(worked)


def test_of_what_was_ingested_in_part_only_that_is_followed(worked: Events) -> None:
    worked.terminal.mem("ingest", "a.py", "b.py")
    (worked.terminal.folder / "b.py").unlink()
    change(worked)
    assert found(worked) == ["a.py"]
    assert "def egret" in texts(worked)


def test_what_was_never_ingested_is_left_alone(worked: Events) -> None:
    change(worked)
    assert found(worked) == []


def test_nothing_is_ingested_unless_it_is_asked_for(worked: Events) -> None:
    worked.terminal.mem("ingest")
    worked.terminal.mem("config", "set", "ingest.auto", "false")
    change(worked)
    assert found(worked) == ["a.py", "b.py"]


def test_a_worktree_that_is_gone_by_then_stops_nobody(worked: Events, tmp_path: Path) -> None:
    worked.terminal.mem("ingest")
    worked.put("stop", root=str(tmp_path / "gone"), cwd=str(tmp_path / "gone"))
    change(worked)
    assert found(worked) == ["a.py", "b.py", "c.py"]


def test_it_gives_way_to_events_and_goes_on_later(worked: Events, monkeypatch: pytest.MonkeyPatch) -> None:
    worked.terminal.mem("ingest")
    monkeypatch.setattr(upkeep, "LONGEST", -1.0)
    change(worked)
    assert found(worked) == ["a.py", "b.py", "c.py"]  # the first batch is always done

    monkeypatch.setattr(upkeep, "LONGEST", 30.0)
    write(worked, a_py="def ibis(): pass\n")
    worked.tool("Edit", EDIT)
    worked.work()
    assert "def ibis" in worked.terminal.mem("get", "ibis", "--format", "json").out
    assert worked.terminal.mem("doctor", "--verbose", "--json").json["ok"]


def test_an_ingestion_that_fails_is_noted_and_costs_no_event(worked: Events, monkeypatch: pytest.MonkeyPatch) -> None:
    from memcli import ingest
    from memcli.errors import MemError

    def fail(*_: object) -> None:
        raise MemError("the disk is odd", "")

    worked.terminal.mem("ingest")
    monkeypatch.setattr(ingest, "ingest", fail)
    change(worked)
    assert len(worked.seen()) == 1
    assert "were not brought up to date: the disk is odd" in (worked.terminal.data / "logs" / "worker.log").read_text()
