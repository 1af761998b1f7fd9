"""On a full disk SQLite cannot make the small file that readers share; what was stored can be read all the same."""

from __future__ import annotations

import os
from typing import Any

import apsw
import pytest

from memcli import store
from memcli.errors import MemError
from memcli.store import inbox, rows


@pytest.fixture
def full_disk(path: str, monkeypatch: pytest.MonkeyPatch) -> str:
    """A store on a disk without a free block: no handle but an immutable one can read."""
    opened = store.connect

    def connect(name: str, flags: int) -> Any:
        if "immutable=1" not in name:
            raise apsw.IOError("disk I/O error")
        return opened(name, flags)

    monkeypatch.setattr(store, "connect", connect)
    monkeypatch.setattr(store, "_is_full", lambda _: True)
    return path


def test_a_store_is_read_on_a_full_disk(full_disk: str) -> None:
    db = store.open_reader(full_disk)
    assert rows(db, "SELECT value FROM meta WHERE key = 'name'") == [("test",)]
    db.close()


def test_what_is_still_in_the_log_is_never_left_out_silently(path: str, request: pytest.FixtureRequest) -> None:
    db = inbox.open_queue(path)
    inbox.put(db, inbox.QueuedEvent("e", "claude", "s", "stop", "{}", 1))
    db.close()
    assert os.path.getsize(path + "-wal") > 0
    request.getfixturevalue("full_disk")
    with pytest.raises(MemError, match="no space left on the disk"):
        store.open_reader(path)
