"""What somebody else shares stands beside what a person wrote and did not share: it replaces and publishes none of it."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from tests.conftest import Terminal
from tests.replication.conftest import Machine, texts_of

Team = Callable[..., Machine]
Later = Callable[[str], None]


def entry(member: Machine, key: str = "editor") -> str:
    """Returns the id of the entry that leads under a key."""
    return str(member.mem("profile", "get", key, "--json").json["id"])


def set_shared(member: Machine, value: str, key: str = "editor") -> None:
    """Has a member set an entry, share it and synchronize."""
    member.mem("share", member.mem("profile", "set", key, value, "--json").json["id"])
    member.mem("sync")


def told(member: Machine) -> str:
    """Returns what a new session of a member is told."""
    return str(member.mem("turn", "prepare", "--session", "a", "--full").json["xml"])


def listed(member: Machine) -> list[tuple[str, bool]]:
    """Returns the values of the profile, each with whether its writer is another."""
    return [(it["value"], it["trust"] == "low") for it in member.mem("profile", "list", "--json").json]


def test_an_entry_that_others_share_stands_beside_ones_own_and_publishes_nothing(
    machine: Team, later: Later, remote: Path, terminal: Terminal
) -> None:
    ada, ben = machine("ada"), machine("ben")
    ada.mem("profile", "set", "editor", "mine: vim")
    later("2026-03-02T12:00:00Z")
    set_shared(ben, "theirs: emacs")
    ada.mem("sync")
    assert ada.mem("profile", "get", "editor").out == "mine: vim\n"
    assert listed(ada) == [("mine: vim", False), ("theirs: emacs", True)]
    start = told(ada)
    assert ">mine: vim</profile>" in start
    assert ' by="other">theirs: emacs</profile>' in start

    later("2026-03-03T12:00:00Z")
    ada.mem("profile", "set", "editor", "mine: helix")  # after the other one was there: still one's own
    ada.mem("sync")
    assert listed(ada) == [("mine: helix", False), ("theirs: emacs", True)]
    assert "mine" not in texts_of(remote, terminal.git)
    ada.mem("profile", "delete", "editor")
    assert listed(ada) == [("theirs: emacs", True)]
    ben.mem("sync")
    assert listed(ben) == [("theirs: emacs", False)]


def test_a_value_that_is_set_after_somebody_shared_one_stays_here(
    machine: Team, remote: Path, terminal: Terminal, later: Later
) -> None:
    ada, ben = machine("ada"), machine("ben")
    set_shared(ben, "theirs: nano")
    ada.mem("sync")
    ada.mem("profile", "set", "editor", "mine: vim")
    later("2026-03-02T12:00:00Z")
    set_shared(ben, "theirs: emacs")
    ada.mem("sync")
    assert listed(ada) == [("mine: vim", False), ("theirs: emacs", True)]
    assert "mine" not in texts_of(remote, terminal.git)
    ada.mem("share", entry(ada))  # by its own name: it replaces nobody's
    ada.mem("sync")
    ben.mem("sync")
    assert listed(ben) == [("theirs: emacs", False), ("mine: vim", True)]


def test_of_an_entry_that_both_shared_the_last_value_counts_and_has_its_writer(machine: Team, later: Later) -> None:
    ada, ben = machine("ada"), machine("ben")
    ada.mem("share", ada.mem("profile", "set", "deploy", "early: make ship", "--json").json["id"])
    later("2026-03-02T12:00:00Z")
    set_shared(ben, "late: make deploy", "deploy")
    ada.mem("sync")
    ben.mem("sync")
    assert (listed(ada), listed(ben)) == ([("late: make deploy", True)], [("late: make deploy", False)])

    later("2026-03-03T12:00:00Z")
    ada.mem("profile", "set", "deploy", "last: make all")
    ada.mem("sync")
    ben.mem("sync")
    assert (listed(ada), listed(ben)) == ([("last: make all", False)], [("last: make all", True)])


def test_the_writer_of_a_value_is_who_wrote_it_last_not_whose_arrived_last(machine: Team, later: Later) -> None:
    ada, ben = machine("ada"), machine("ben")
    set_shared(ben, "theirs, earlier", "deploy")
    later("2026-03-02T12:00:00Z")
    ada.mem("share", ada.mem("profile", "set", "deploy", "mine, later", "--json").json["id"])
    ada.mem("sync")
    assert listed(ada) == [("mine, later", False)]
    assert '"other">mine, later' not in told(ada)


def test_a_state_that_others_share_stands_behind_ones_own(machine: Team, later: Later) -> None:
    ada, ben = machine("ada"), machine("ben")
    ada.mem("checkpoint", "--reason", "mine", "--state-json", '{"goal": "my goal"}')
    later("2026-03-02T12:00:00Z")
    ben.mem("checkpoint", "--reason", "theirs", "--state-json", '{"goal": "their goal"}', "--share")
    ben.mem("sync")
    ada.mem("sync")
    assert ada.mem("state", "--json").json["state"] == {"goal": "my goal"}
    for text in (told(ada), ada.mem("get", "goal", "--format", "prompt").out):
        own, theirs = text.index("my goal"), text.index("their goal")
        assert own < theirs
        assert "by another writer" in text[own:theirs] or 'by="other"' in text[own:theirs]
    later("2026-03-03T12:00:00Z")
    ada.mem("checkpoint", "--reason", "mine", "--state-json", '{"goal": "my next goal"}')
    assert "their goal" not in told(ada)


def test_what_arrived_from_somebody_else_is_not_overwritten_by_a_change_that_was_made_before(machine: Team, later: Later) -> None:
    ada, ben = machine("ada"), machine("ben")
    memory_id = ada.shared("Sessions live in Postgres", "Redis evicted them")
    ada.mem("sync")
    ben.mem("sync")
    seen = str(ada.mem("show", memory_id, "--json").json["memory"]["revision"])
    later("2026-03-02T12:00:00Z")
    ben.mem("update", memory_id, "--summary", "theirs")
    ben.mem("sync")
    ada.mem("sync")
    assert "was changed meanwhile" in ada.mem("update", memory_id, "--summary", "mine", "--if-revision", seen, fails=2).err

    ada.mem("update", memory_id, "--summary", "mine at the same time")
    ben.mem("update", memory_id, "--summary", "theirs at the same time")
    ada.mem("sync")
    ben.mem("sync")
    ada.mem("sync")
    shown = {member.mem("show", memory_id, "--json").json["memory"]["summary"] for member in (ada, ben)}
    assert len(shown) == 1
    for member in (ada, ben):
        history = member.mem("log", memory_id, "--json").out
        assert "mine at the same time" in history
        assert "theirs at the same time" in history
