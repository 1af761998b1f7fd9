"""Every text that a store's files hold, one by one, with the name of what it belongs to."""

from __future__ import annotations

import os

import apsw

from memcli.store.db import rows

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from apsw import Connection

# What a text belongs to, its columns as one text, and whether it is JSON.
_SOURCES = (
    ("SELECT object, body FROM op ORDER BY revision", True),
    ("SELECT object, object FROM op WHERE object >= 'T-' AND object < 'T~' GROUP BY object", False),
    (
        "SELECT id, title || char(10) || summary || char(10) || tags || char(10) || entities || char(10) || thread FROM memory",
        False,
    ),
    ("SELECT id, coalesce(source_id, '') || char(10) || tools FROM memory", False),
    ("SELECT from_id, to_id FROM memory_link", False),
    ("SELECT id, body FROM state", True),
    ("SELECT id, reason || char(10) || thread FROM state", False),
    ("SELECT 'T-' || id, id || char(10) || title FROM thread", False),
    ("SELECT id, key || char(10) || value FROM profile", False),
    ("SELECT id, text FROM note", False),
    ("SELECT id, text || char(10) || tags || char(10) || symbol || char(10) || path FROM chunk", False),
    ("SELECT id, text || char(10) || reply FROM prompt", False),
    ("SELECT id, harness || char(10) || key || char(10) || reason FROM session", False),
    ("SELECT 'job ' || n, payload FROM job", True),
    ("SELECT 'job ' || n, session || char(10) || error || char(10) || result FROM job", False),
)


def texts(db: Connection, folder: str) -> Iterator[tuple[str, str, bool]]:
    """Yields (id, text, whether it is JSON) of everything in a store, and of the cache beside it."""
    for sql, is_json in _SOURCES:
        for name, text in db.execute(sql):
            yield str(name), str(text), is_json
    path = os.path.join(folder, "cache.db")
    if not folder or not os.path.isfile(path) or os.path.islink(path):
        return
    cache = apsw.Connection(path, apsw.SQLITE_OPEN_READWRITE)
    try:
        for (text,) in rows(cache, "SELECT key || char(10) || value FROM note"):
            yield "cache", str(text), False
    except apsw.Error:
        pass  # no cache that can be read holds anything for anybody
    finally:
        cache.close()
