"""A remote that is wiped, set back, replaced or filled anew: nothing is lost, and what was purged does not come back."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from memcli.replication.transports.git import GitRemote
from tests.replication.conftest import Machine, bytes_of, texts_of, writes

Team = Callable[..., Machine]


def refs_of(remote: Path, machine: Machine) -> list[str]:
    """Returns the refs of the shared memory at the remote."""
    return machine.git("for-each-ref", "--format=%(refname)", "refs/mempack", cwd=remote).split()


def wipe(remote: Path, machine: Machine) -> None:
    """Deletes everything that is shared at the remote, as a host that lost it would."""
    for ref in refs_of(remote, machine):
        machine.git("update-ref", "-d", ref, cwd=remote)


def synchronized(*members: Machine) -> None:
    """Synchronizes members, one after the other."""
    for member in members:
        member.mem("sync")


def test_a_remote_that_was_wiped_is_filled_by_whoever_comes_first_with_what_others_wrote_too(machine: Team, remote: Path) -> None:
    ada, ben = machine("ada"), machine("ben")
    job = machine("job")
    job.mem("checkpoint", "--reason", "Build 42 is green", "--state-json", "{}", "--share")
    job.process("sync", env={"CI": "true"})
    memory = ben.shared("By Ben")
    ada.shared("By Ada")
    synchronized(ada, ben, ada)
    wipe(remote, ada)
    assert "pushed 10 changes" in ada.mem("sync").out
    assert ada.mem("sync").out == "pulled nothing new\npushed nothing new\n"
    newcomer = machine("newcomer")
    newcomer.mem("sync")
    assert newcomer.known() == {"By Ada", "By Ben", "Checkpoint"}
    assert " by Ben\n" in newcomer.mem("show", memory).out
    assert ben.mem("sync").out == "pulled nothing new\npushed nothing new\n", "all of it is there again already"


def test_a_remote_that_was_set_back_gets_what_it_lost(machine: Team, remote: Path) -> None:
    ada, ben = machine("ada"), machine("ben")
    ada.shared("First")
    synchronized(ada, ben)
    shutil.copytree(remote, remote.with_name("backup.git"))
    memory = ada.shared("Second")
    ada.mem("sync")
    ben.mem("sync")
    ben.mem("forget", memory)
    ben.mem("sync")
    shutil.rmtree(remote)
    remote.with_name("backup.git").rename(remote)
    synchronized(ada, ben, ada)
    newcomer = machine("newcomer")
    newcomer.mem("sync")
    assert newcomer.known() == ada.known() == ben.known() == {"First"}
    assert memory in newcomer.mem("log").out


def test_what_was_purged_stays_purged_where_the_remote_forgot_it(machine: Team, remote: Path) -> None:
    ada, ben, cleo = machine("ada"), machine("ben"), machine("cleo")
    secret = ada.shared("The word is swordfish")
    ada.shared("A fact")
    synchronized(ada, ben, cleo)
    ada.mem("sync", "purge", secret)
    ben.mem("sync")
    cleo.mem("update", secret, "--summary", "swordfish, says Cleo")  # who was offline
    wipe(remote, ada)
    cleo.mem("sync")
    assert "swordfish" in texts_of(remote, ada.git), "nobody told her"
    newcomer = machine("newcomer")
    newcomer.mem("sync")
    synchronized(ben, cleo, newcomer, ada)
    ada.git("reflog", "expire", "--expire=now", "--all", cwd=remote)
    ada.git("gc", "-q", "--prune=now", cwd=remote)
    assert "swordfish" not in texts_of(remote, ada.git)
    for member in (ada, ben, cleo, newcomer):
        assert member.known() == {"A fact"}
        assert b"swordfish" not in bytes_of(member.store.parent)


def test_a_purge_after_the_remote_was_wiped_reaches_everybody(machine: Team, remote: Path) -> None:
    ada, ben = machine("ada"), machine("ben")
    first, second = ada.shared("The word is swordfish"), ada.shared("The word is xyzzy")
    synchronized(ada, ben)
    ada.mem("sync", "purge", first)
    ben.mem("sync")
    wipe(remote, ada)
    ada.mem("sync", "purge", second)
    ben.mem("sync")
    assert ben.known() == set()
    assert b"xyzzy" not in bytes_of(ben.store.parent)


def test_purges_that_meet_count_both(machine: Team, remote: Path) -> None:
    ada, ben = machine("ada"), machine("ben")
    first, second = ada.shared("The word is swordfish"), ben.shared("The word is xyzzy")
    ada.shared("A fact")
    synchronized(ada, ben, ada)
    (own,) = [ref for ref in refs_of(remote, ada) if writes(remote, ref, "swordfish")]
    before = ada.git("rev-parse", own, cwd=remote).strip()
    ada.mem("sync", "purge", first)
    ada.git("update-ref", own, before, cwd=remote)  # as if Ben had come when only his own ref was rewritten
    ben.mem("sync", "purge", second)
    synchronized(ada, ben)
    assert ada.known() == ben.known() == {"A fact"}
    ada.git("gc", "-q", "--prune=now", cwd=remote)
    assert not [word for word in ("swordfish", "xyzzy") if word in texts_of(remote, ada.git)]


def test_a_team_that_moves_to_another_remote_takes_everything_along(machine: Team, remote: Path, tmp_path: Path) -> None:
    ada, ben = machine("ada"), machine("ben")
    secret = ada.shared("The word is swordfish")
    ada.shared("By Ada")
    ben.shared("By Ben")
    synchronized(ada, ben, ada)
    ada.mem("sync", "purge", secret)
    elsewhere = tmp_path / "elsewhere.git"
    ada.git("init", "-q", "--bare", str(elsewhere))
    ada.mem("sync", "enable", "--remote", str(elsewhere))
    ada.mem("sync")
    newcomer = machine("newcomer", str(elsewhere))
    newcomer.mem("sync")
    assert newcomer.known() == {"By Ada", "By Ben"}
    ben.mem("sync", "enable", "--remote", str(elsewhere))
    ben.mem("sync")
    assert ben.known() == {"By Ada", "By Ben"}, "the purge was meant for Ben, too"


def test_another_namespace_counts_when_sharing_is_enabled_again_and_strands_nothing(machine: Team, remote: Path) -> None:
    ada, ben = machine("ada"), machine("ben")
    ada.shared("By Ada")
    ben.shared("By Ben")
    synchronized(ada)
    for member in (ada, ben):
        member.mem("config", "set", "sync.namespace", "refs/heads/mempack")
    synchronized(ben)
    assert {ref.rsplit("/", 1)[0] for ref in refs_of(remote, ada)} == {"refs/mempack/v1/w"}, "as agreed to"
    assert "sync.namespace is refs/heads/mempack now: mem sync enable moves there" in ada.mem("sync", "status").out
    assert "refs/mempack/v1 is used, sync.namespace is refs/heads/mempack" in ada.mem("doctor").out

    assert "What refs/mempack/v1 has stays there" in ada.mem("sync", "enable").out
    ada.mem("sync")
    newcomer = machine("newcomer", None)
    newcomer.mem("config", "set", "sync.namespace", "refs/heads/mempack")
    newcomer.mem("sync", "enable")
    newcomer.mem("sync")
    assert newcomer.known() == {"By Ada", "By Ben"}, "Ben has not moved yet"
    ben.shared("By Ben, later")
    synchronized(ben)
    ben.mem("sync", "enable")
    synchronized(ben, ada)
    assert ada.known() == ben.known() == {"By Ada", "By Ben", "By Ben, later"}


def test_other_refs_below_the_namespace_are_left_alone(machine: Team, remote: Path) -> None:
    ada = machine("ada", None)
    ada.git("push", "-q", "origin", "main:refs/heads/team/feature")
    before = ada.git("rev-parse", "team/feature", cwd=remote)
    ada.mem("config", "set", "sync.namespace", "refs/heads/team")
    ada.mem("sync", "enable")
    memory = ada.shared("A fact")
    ada.mem("sync")
    ada.mem("sync", "purge", memory)
    assert ada.git("rev-parse", "team/feature", cwd=remote) == before


@pytest.mark.parametrize("name", ["refs/heads", "heads/mempack", "refs/heads/*", "refs/heads/../x", "refs/tags/mempack", "--all"])
def test_what_is_no_namespace_is_refused(machine: Team, name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MEMPACK_SYNC_NAMESPACE", name)
    assert "is no place for refs" in machine("ada", None).mem("sync", "enable", fails=2).err


def test_an_ordinary_exchange_does_not_look_through_the_whole_remote(machine: Team, monkeypatch: pytest.MonkeyPatch) -> None:
    ada, ben = machine("ada"), machine("ben")
    compared: list[str] = []
    monkeypatch.setattr(GitRemote, "contents", lambda self: iter(compared.append("all of it") or ()))
    for number in range(2):
        ada.shared(f"By Ada {number}")
        ben.shared(f"By Ben {number}")
        synchronized(ada, ben, ada)
    assert compared == []


def test_a_compaction_loses_nothing_and_sends_nothing_again(machine: Team, later: Callable[[str], None]) -> None:
    ada, ben = machine("ada"), machine("ben")
    for number in range(3):
        ada.shared(f"Old {number}")
        ben.shared(f"Old of Ben {number}")
        synchronized(ada, ben)
    later("2026-03-20T12:00:00Z")
    ada.mem("sync", "compact")
    for member in (ada, ben, ada):
        assert member.mem("sync").out.endswith("pushed nothing new\n")


@pytest.mark.parametrize("change", ["wiped", "set back"])
def test_a_directory_that_lost_files_gets_them_again(machine: Team, tmp_path: Path, change: str) -> None:
    share = tmp_path / "share"
    share.mkdir()
    ada, ben = machine("ada", f"dir:{share}"), machine("ben", f"dir:{share}")
    secret = ada.shared("The word is swordfish")
    ada.shared("By Ada")
    synchronized(ada, ben)
    shutil.copytree(share, tmp_path / "backup")
    ada.mem("sync", "purge", secret)
    ben.shared("By Ben")
    synchronized(ben, ada)
    shutil.rmtree(share)
    if change == "wiped":
        share.mkdir()
    else:
        (tmp_path / "backup").rename(share)
    synchronized(ada, ben)
    newcomer = machine("newcomer", f"dir:{share}")
    newcomer.mem("sync")
    assert newcomer.known() == {"By Ada", "By Ben"}
    assert b"swordfish" not in bytes_of(share)
    assert ben.mem("sync").out.endswith("pushed nothing new\n")


@pytest.mark.parametrize("part", [0, 200])
def test_a_file_that_was_delivered_in_part_is_read_when_it_is_whole(machine: Team, tmp_path: Path, part: int) -> None:
    share = tmp_path / "share"
    share.mkdir()
    ada, ben = machine("ada", f"dir:{share}"), machine("ben", f"dir:{share}")
    ada.shared("Through a drive")
    synchronized(ada)
    (path,) = share.rglob("*.jsonl")
    whole = path.read_bytes()
    path.write_bytes(whole[:part])
    for _ in range(2):
        assert "refused 1 line" in ben.mem("sync", "pull").err
        assert "refused lines from the remote: 1" in ben.mem("doctor").out
    path.write_bytes(whole)
    synchronized(ben)
    assert ben.known() == {"Through a drive"}
    assert "refused" not in ben.mem("doctor").out


@pytest.mark.parametrize("has_ben", [False, True])
def test_a_remote_that_lost_what_is_not_shared_any_more_is_read_whole_once(
    machine: Team, remote: Path, monkeypatch: pytest.MonkeyPatch, has_ben: bool
) -> None:
    ada, ben = machine("ada"), machine("ben")
    memory = ada.shared("Shared for a while")
    ada.shared("A fact")
    synchronized(ada, *[ben] * has_ben)
    ada.mem("unshare", memory)
    wipe(remote, ada)
    synchronized(ada, ben)
    compared: list[str] = []
    contents = GitRemote.contents
    monkeypatch.setattr(GitRemote, "contents", lambda self: compared.append("all of it") or contents(self))
    for _ in range(2):
        assert ada.mem("sync").out.endswith("pushed nothing new\n")
    assert compared == []
    assert ben.known() == ({"Shared for a while", "A fact"} if has_ben else {"A fact"})
    ada.mem("share", memory)
    synchronized(ada, ben)
    assert ben.known() == {"Shared for a while", "A fact"}
    assert ada.mem("sync").out == "pulled nothing new\npushed nothing new\n"
