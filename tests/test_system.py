"""What differs between operating systems, as far as one of them can show it."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import time
from pathlib import Path
from types import SimpleNamespace

import pytest

from memcli import system

HOLDER = """
import os, sys
from memcli import system
file = system.open_private(sys.argv[1], os.O_RDWR | os.O_CREAT)
system.sign(file, b"mine")
print(system.try_lock(file, shared=len(sys.argv) > 2), flush=True)
sys.stdin.read()
"""


@pytest.mark.parametrize(("words", "shared", "is_free"), [([], False, False), ([], True, False), (["shared"], True, True)])
def test_a_lock_is_one_processes_until_it_ends(tmp_path: Path, words: list[str], shared: bool, is_free: bool) -> None:
    path = tmp_path / "lock"
    command = [sys.executable, "-c", HOLDER, path, *words]
    holder = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    assert holder.stdout is not None
    assert holder.stdout.readline() == "True\n"
    file = system.open_private(str(path), os.O_RDWR)
    assert system.try_lock(file, shared) is is_free
    assert system.signature(file) == b"mine"
    holder.communicate()
    system.wait_lock(file)
    assert system.try_lock(file)
    os.close(file)


def test_windows_locks_a_byte_behind_all_that_is_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    taken: list[tuple[int, int]] = []

    def locking(file: int, mode: int, size: int) -> None:
        place = (os.lseek(file, 0, os.SEEK_CUR), size)
        if place in taken:
            raise PermissionError
        taken.append(place)

    monkeypatch.setitem(sys.modules, "fcntl", None)
    monkeypatch.setitem(sys.modules, "msvcrt", SimpleNamespace(locking=locking, LK_NBLCK=2))
    file = system.open_private(str(tmp_path / "lock"), os.O_RDWR | os.O_CREAT)
    system.sign(file, b"longer")
    system.sign(file, b"mine")
    assert system.try_lock(file)
    assert not system.try_lock(file, shared=True)
    assert taken == [(1 << 30, 1)]
    assert system.signature(file) == b"mine"
    taken.clear()
    system.wait_lock(file)
    assert len(taken) == 1
    os.close(file)


def test_a_file_is_its_owners_and_no_link_or_fifo(tmp_path: Path) -> None:
    os.close(system.open_private(str(tmp_path / "file"), os.O_CREAT | os.O_WRONLY))
    assert (tmp_path / "file").stat().st_mode & 0o777 == 0o600
    (tmp_path / "link").symlink_to(tmp_path / "file")
    os.mkfifo(tmp_path / "fifo")
    with pytest.raises(OSError, match="symbolic links"):
        system.open_private(str(tmp_path / "link"), os.O_RDONLY)
    with pytest.raises(OSError, match="No such device"):
        system.open_private(str(tmp_path / "fifo"), os.O_WRONLY)


@pytest.mark.parametrize("is_posix", [True, False])
def test_a_detached_process_writes_its_errors_where_it_is_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, is_posix: bool
) -> None:
    if not is_posix:
        monkeypatch.delattr(os, "posix_spawn")
    errors = tmp_path / "errors"
    errors.touch()
    program = "import os, sys; print(os.getsid(0) == os.getpid(), file=sys.stderr)"
    system.spawn_detached([sys.executable, "-c", program], str(errors))
    deadline = time.monotonic() + 30
    while not errors.read_text() and time.monotonic() < deadline:
        time.sleep(0.01)
    assert errors.read_text() == "True\n"


def test_no_other_module_locks_or_detaches() -> None:
    package = Path(system.__file__).parent
    pattern = re.compile(r"\bflock\(|\blockf\(|setsid=True|O_NOFOLLOW, 0o|start_new_session=True\)\.pid")
    places = [path.name for path in package.rglob("*.py") if pattern.search(path.read_text(encoding="utf-8"))]
    assert places == ["system.py"]
