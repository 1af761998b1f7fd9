"""A remote on this machine that other people of it use, too: what mem makes there is as the person's umask has it."""

from __future__ import annotations

import json
import os
import stat
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.conftest import Terminal
from tests.replication.conftest import Machine

Team = Callable[..., Machine]
USUAL, OF_A_GROUP = 0o022, 0o002


@pytest.fixture(autouse=True)
def _plain_umask() -> Iterator[None]:
    """The repository is made as a person makes it, whatever umask an earlier test left in this process."""
    before = os.umask(USUAL)
    yield
    os.umask(before)


def modes_of(folder: Path, folders: bool = False) -> set[int]:
    """Returns the permissions of all files below a directory, or of the directories."""
    return {stat.S_IMODE(path.stat().st_mode) for path in folder.rglob("*") if path.is_dir() == folders}


def others(mode: int) -> int:
    """Returns what a mode leaves to others of the machine."""
    return mode & 0o077


def test_what_a_push_makes_in_a_repository_on_this_machine_is_as_git_would_make_it(machine: Team, remote: Path) -> None:
    ada = machine("ada", None)
    ada.process("sync", "enable", "--remote", str(remote), umask=USUAL)
    ada.shared("A fact")
    ada.process("sync", umask=USUAL)
    assert (remote / "refs" / "mempack").is_dir()
    assert modes_of(remote / "refs", folders=True) == {0o755}
    assert modes_of(remote / "objects", folders=True) == {0o755}
    assert modes_of(remote / "objects") == {0o444}
    own = Path(ada.env["MEMPACK_DATA_DIR"])
    assert {others(mode) for mode in modes_of(own) | modes_of(own, folders=True)} == {0}


def test_a_repository_that_is_shared_by_a_group_stays_so(machine: Team, remote: Path, terminal: Terminal) -> None:
    terminal.git("config", "core.sharedRepository", "group", cwd=remote)
    ada = machine("ada", None)
    ada.process("sync", "enable", umask=USUAL)
    ada.shared("A fact")
    ada.process("sync", umask=USUAL)
    assert {mode & 0o070 for mode in modes_of(remote / "refs" / "mempack", folders=True)} == {0o070}


@pytest.mark.parametrize(
    ("umask", "setgid", "file", "folder"),
    [
        (USUAL, False, 0o644, 0o755),
        (OF_A_GROUP, False, 0o664, 0o775),
        (0o077, False, 0o600, 0o700),
        (USUAL, True, 0o664, 0o2775),
    ],
)
def test_a_directory_is_as_the_umask_and_its_group_say(
    machine: Team, tmp_path: Path, umask: int, setgid: bool, file: int, folder: int
) -> None:
    share = tmp_path / "share"
    share.mkdir()
    share.chmod(0o2775 if setgid else 0o755)
    ada = machine("ada", None)
    ada.process("sync", "enable", "--remote", f"dir:{share}", umask=umask)
    ada.shared("A fact")
    ada.process("sync", umask=umask)
    assert modes_of(share) == {file}
    assert modes_of(share, folders=True) == {folder}


def test_the_worker_of_the_hooks_has_the_umask_of_the_person(machine: Team, tmp_path: Path) -> None:
    share = tmp_path / "share"
    share.mkdir(0o755)
    ada = machine("ada", f"dir:{share}")
    ada.shared("A fact")
    event = {"session_id": "s1", "cwd": str(ada.folder), "source": "startup"}
    ada.mem("hook", "session-start", "--harness", "claude", stdin=json.dumps(event))
    ada.process("worker", "run", env={"MEMPACK_WORKER_IDLE_SECONDS": "0", "MEMPACK_SYNC_AUTO": "true"}, umask=USUAL)
    for _ in range(100):
        if modes_of(share / "seg"):
            break
        time.sleep(0.2)
    assert modes_of(share) == {0o644}
    assert modes_of(share, folders=True) == {0o755}
