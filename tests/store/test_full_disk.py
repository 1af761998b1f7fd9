"""On a full disk SQLite cannot make the small file that readers share; what was stored can be read all the same."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import apsw
import pytest

from memcli import store
from memcli.errors import MemError
from memcli.store import inbox, opening, rows


@pytest.fixture
def full_disk(path: str, monkeypatch: pytest.MonkeyPatch) -> str:
    """A store on a disk without a free block: no handle but an immutable one can read."""
    opened = store.connect

    def connect(name: str, flags: int) -> Any:
        if "immutable=1" not in name:
            raise apsw.IOError("disk I/O error")
        return opened(name, flags)

    monkeypatch.setattr(opening, "connect", connect)
    monkeypatch.setattr(opening, "_is_full", lambda _: True)
    return path


def test_a_store_is_read_on_a_full_disk(full_disk: str) -> None:
    db = opening.open_reader(full_disk)
    assert rows(db, "SELECT value FROM meta WHERE key = 'name'") == [("test",)]
    db.close()


def test_what_is_still_in_the_log_is_never_left_out_silently(path: str, request: pytest.FixtureRequest) -> None:
    db = inbox.open_queue(path)
    inbox.put(db, inbox.QueuedEvent("e", "claude", "s", "stop", "{}", 1))
    db.close()
    assert os.path.getsize(path + "-wal") > 0
    request.getfixturevalue("full_disk")
    with pytest.raises(MemError, match="no space left on the disk"):
        opening.open_reader(path)


SMALL = """
import sys
from memcli import store
from memcli.store import opening
from memcli.errors import MemError
try:
    opening.create_store(sys.argv[1] + "/memory.db", {"name": "test"})
except Exception as problem:
    print(type(store.explain_known(problem)).__name__, store.explain_known(problem).code)
else:
    db = opening.open_reader(sys.argv[1] + "/memory.db")
    print(db.execute("PRAGMA integrity_check").fetchall()[0][0], store.version(db) == store.LATEST)
"""


FULL = """
import sys
from memcli import store
from memcli.store import opening
path = sys.argv[1] + "/memory.db"
opening.create_store(path, {"name": "test"})
with open(sys.argv[1] + "/rest", "wb", buffering=0) as file:
    try:
        while True:
            file.write(bytes(1))
    except OSError:
        pass
try:
    opening.open_writer(path)
except Exception as problem:
    print(store.explain_known(problem).code)
"""


def on_a_disk_of(kilobytes: int, folder: Path, program: str) -> str:
    """Runs a program with a directory that is a disk of its own. Returns what it printed."""
    mount = f'mount -t tmpfs -o size={kilobytes}k tmpfs "$1" && shift && exec "$@"'
    inside = ["unshare", "--user", "--map-root-user", "--mount", "sh", "-c", mount, "-", str(folder)]
    if subprocess.run([*inside, "true"], check=False, capture_output=True).returncode:
        pytest.skip("mounting is not permitted here")
    return subprocess.run(
        [*inside, sys.executable, "-c", program, str(folder)], check=True, capture_output=True, text=True
    ).stdout


def test_a_file_that_finds_no_space_is_no_matter_of_permissions() -> None:
    full = store.explain(OSError(28, "No space left on device", "settings.json"))
    assert (str(full), full.hint) == (
        "no space left on device: settings.json",
        "free some space and try again",
    )
    assert store.explain(PermissionError(13, "Permission denied", "/x")).hint == "check the path and its permissions"


def test_who_cannot_write_for_lack_of_space_is_told_so(tmp_path: Path) -> None:
    assert on_a_disk_of(2000, tmp_path, FULL) == "full\n"


@pytest.mark.parametrize("kilobytes", [150, 500, 700, 1200])
def test_a_store_that_is_made_on_a_small_disk_is_whole_or_not_there(tmp_path: Path, kilobytes: int) -> None:
    done = on_a_disk_of(kilobytes, tmp_path, SMALL)
    assert done in ("ok True\n", "MemError full\n")
    assert kilobytes != 1200 or done == "ok True\n"
