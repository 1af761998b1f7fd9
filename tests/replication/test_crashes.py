"""Synchronizations that are killed or race: nothing is lost, nothing doubled."""

from __future__ import annotations

import os
import random
import shutil
import signal
import subprocess
import sys
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from tests.conftest import Terminal
from tests.properties import examples
from tests.replication.conftest import Machine, texts_of

Team = Callable[..., Machine]


def killed(machine: Machine, seconds: float) -> None:
    """Starts a synchronization and kills it, and what it started, after a while."""
    words = [sys.executable, "-m", "memcli", "sync"]
    process = subprocess.Popen(
        words, cwd=machine.folder, env=machine.env, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True
    )
    try:
        process.wait(seconds)
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, signal.SIGKILL)
        process.wait()


def test_a_synchronization_that_is_killed_anywhere_loses_and_doubles_nothing(
    machine: Team, remote: Path, terminal: Terminal
) -> None:
    ada, ben = machine("ada"), machine("ben")
    chance, titles = random.Random(1), set()
    for number in range(examples(6)):
        titles.add(f"Fact {number}")
        ada.shared(f"Fact {number}")
        killed(ada, 0.1 + chance.random())
        killed(ben, 0.1 + chance.random())
    for member in (ada, ben, ada):
        member.mem("sync")
    assert ada.known() == ben.known() == titles
    terminal.git("fsck", "--strict", cwd=remote)
    for member in (ada, ben):
        assert member.mem("doctor").code == 0
        member.git("fsck", cwd=member.store.parent / "sync.git")


def dying(tmp_path: Path, where: str) -> dict[str, str]:
    """Returns an environment in which git dies over the commands of a name."""
    folder, real = tmp_path / "bin", shutil.which("git")
    folder.mkdir()
    script = folder / "git"
    script.write_text(f'#!/bin/sh\nfor word; do [ "$word" = {where} ] && kill -9 $$; done\nexec {real} "$@"\n')
    script.chmod(0o755)
    return {"PATH": f"{folder}:{os.environ['PATH']}"}


@pytest.mark.parametrize("where", ["fast-import", "push", "ls-remote", "fetch", "for-each-ref"])
def test_git_that_dies_at_a_step_is_an_error_and_the_next_try_goes_on(machine: Team, tmp_path: Path, where: str) -> None:
    ada, ben = machine("ada"), machine("ben")
    ada.shared("A fact")
    assert ada.process("sync", fails=1, env=dying(tmp_path, where)).err.startswith("Error: git ")
    ada.mem("sync")
    ben.mem("sync")
    assert ben.known() == {"A fact"}


@pytest.mark.parametrize("where", ["fast-import", "push", "gc"])
def test_a_purge_that_dies_at_a_step_is_ended_by_the_next_synchronization(
    machine: Team, remote: Path, tmp_path: Path, where: str
) -> None:
    ada, ben = machine("ada"), machine("ben")
    secret = ada.shared("The word is swordfish")
    for member in (ada, ben):
        member.mem("sync")
    failed = ada.process("sync", "purge", secret, fails=1, env=dying(tmp_path, where))
    assert "it is erased here; the next mem sync takes it out of the remote" in failed.err
    for member in (ada, ben):
        member.mem("sync")
    assert ada.known() == ben.known() == set()
    ada.git("gc", "-q", "--prune=now", cwd=remote)
    assert "swordfish" not in texts_of(remote, ada.git)
    assert "swordfish" not in texts_of(ada.store.parent / "sync.git", ada.git)


def test_a_purge_that_is_killed_before_it_reaches_the_remote_is_ended_by_the_next_synchronization(
    machine: Team, remote: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    ada, ben = machine("ada"), machine("ben")
    ada.shared("The word is swordfish")
    ada.shared("A fact")
    for member in (ada, ben):
        member.mem("sync")
    with monkeypatch.context() as patch:
        patch.setattr("memcli.store.erasing.finish", killing)
        with pytest.raises(Killed):
            ada.mem("sync", "purge", "--text", "swordfish")
    assert ada.known() == {"A fact"}
    for member in (ada, ben):
        member.mem("sync")
        assert member.known() == {"A fact"}
    assert "swordfish" not in texts_of_refs(remote, ada)


class Killed(BaseException):
    """A process that ends here."""


def killing(*_: object) -> bool:
    """Stands for a kill."""
    raise Killed


def texts_of_refs(remote: Path, machine: Machine) -> str:
    """Returns what the refs of a remote lead to, as one text."""
    names = machine.git("rev-list", "--objects", "--no-object-names", "--glob=refs/mempack/*", cwd=remote).split()
    return "\n".join([machine.git("cat-file", "-p", name, cwd=remote) for name in names])


def test_a_push_whose_answer_was_lost_is_recognised(machine: Team, remote: Path, tmp_path: Path) -> None:
    ada = machine("ada", str(remote))
    ada.shared("A fact")
    hook = remote / "hooks/post-receive"
    hook.parent.mkdir(exist_ok=True)
    hook.write_text("#!/bin/sh\nkill -9 $PPID\ntouch ../ran\n")  # the remote took it, and says nothing any more
    hook.chmod(0o755)
    assert "pushed 3 changes" in ada.mem("sync").out
    assert (tmp_path / "ran").exists()
    assert "pushed nothing new" in ada.mem("sync").out


def test_short_lived_machines_that_push_at_once_all_arrive(machine: Team) -> None:
    reader, count = machine("reader"), examples(5)
    jobs = [machine(f"job{number}") for number in range(count)]
    for number, job in enumerate(jobs):
        job.shared(f"Result of job {number}")
    with ThreadPoolExecutor(count) as pool:
        results = list(pool.map(lambda job: job.process("sync", env={"CI": "true"}), jobs))
    assert all("pushed 3 changes" in result.out for result in results)
    reader.mem("sync")
    assert reader.known() == {f"Result of job {number}" for number in range(count)}
    refs = reader.git("ls-remote", "origin", "refs/mempack/*").splitlines()
    assert {line.split("refs/mempack/v1/")[1].split("/")[0] for line in refs} <= {"ci", "w"}


def test_a_week_offline_through_two_compactions_and_a_purge(machine: Team, later: Callable[[str], None]) -> None:
    ada, ben, cleo = machine("ada"), machine("ben"), machine("cleo")
    for number in range(4):
        ada.shared(f"Old {number}")
        ada.mem("sync")
    gone = ben.shared("To be purged")
    for member in (ben, cleo):
        member.mem("sync")
    later("2026-03-20T12:00:00Z")
    cleo.shared("Written offline")
    assert "segments fewer" in ada.mem("sync", "compact").out
    for number in range(4, 7):
        ada.shared(f"Old {number}")
        ada.mem("sync")
    later("2026-04-20T12:00:00Z")
    assert "segments fewer" in ben.mem("sync", "compact").out
    ben.mem("sync", "purge", gone)
    ada.shared("Written since")
    for member in (ada, cleo, ben, ada, cleo):
        member.mem("sync")
    expected = {*(f"Old {number}" for number in range(7)), "Written offline", "Written since"}
    assert ada.known() == ben.known() == cleo.known() == expected
    newcomer = machine("newcomer")
    newcomer.mem("sync", "pull", "--shallow")
    assert newcomer.known() == expected
