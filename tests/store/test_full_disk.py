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


@pytest.mark.parametrize("kilobytes", [150, 500, 700, 1200])
def test_a_store_that_is_made_on_a_small_disk_is_whole_or_not_there(tmp_path: Path, kilobytes: int) -> None:
    mount = f'mount -t tmpfs -o size={kilobytes}k tmpfs "$1" && shift && exec "$@"'
    inside = ["unshare", "--user", "--map-root-user", "--mount", "sh", "-c", mount, "-", str(tmp_path)]
    if subprocess.run([*inside, "true"], check=False, capture_output=True).returncode:
        pytest.skip("mounting is not permitted here")
    command = [*inside, sys.executable, "-c", SMALL, str(tmp_path)]
    done = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    assert done in ("ok True\n", "MemError full\n")
    assert kilobytes != 1200 or done == "ok True\n"
