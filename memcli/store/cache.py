"""`cache.db` beside the store: answers that can always be computed again. Best effort, never waited for.

It is the only thing a reading command may leave behind. Any trouble with it means "no answer", never an error.
"""

from __future__ import annotations

import os

import apsw

from memcli.store import rows

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import Any

CARRIED = "carried"  # HEAD has the change of an orphan; this state continues with how it came and the commit that brought it
FETCHED = "fetched"  # note: when commits had come from elsewhere last, as anchors were unknown
_MOVED = "moved "  # begins the name of a note: from the view that follows, anchors were found carried over
_VIEWS_KEPT = 8  # commits whose answers stay: switching between a few branches costs git nothing
_MOST_NAMED = 2_000  # anchors that are looked up one by one: a view of 100,000 is read as fast as a tenth of it is looked up
_SCHEMA = """
    CREATE TABLE IF NOT EXISTS anchor_state (view TEXT, anchor TEXT, state TEXT, PRIMARY KEY (view, anchor)) WITHOUT ROWID;
    CREATE TABLE IF NOT EXISTS view (key TEXT PRIMARY KEY, used INTEGER) WITHOUT ROWID;
    CREATE TABLE IF NOT EXISTS note (key TEXT PRIMARY KEY, value TEXT) WITHOUT ROWID;
"""


class Cache:
    """The cache of one store's directory. Opened at the first question."""

    def __init__(self, folder: str) -> None:
        self._path = os.path.join(folder, "cache.db")
        self._folder = folder
        self._db: apsw.Connection | None = None

    def _reader(self) -> apsw.Connection | None:
        if self._db is None and self._folder and os.path.isfile(self._path) and not os.path.islink(self._path):
            self._db = apsw.Connection(self._path, apsw.SQLITE_OPEN_READWRITE)
            self._db.config(apsw.SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0)
        return self._db

    def _writer(self) -> apsw.Connection | None:
        from memcli import system

        if not self._folder or not os.path.isdir(self._folder) or os.path.islink(self._path):
            return None
        if not os.path.exists(self._path):
            os.close(system.open_private(self._path, os.O_CREAT | os.O_WRONLY))
            self.close()
        db = self._reader()
        if db is not None:
            rows(db, "PRAGMA synchronous = OFF")
            rows(db, _SCHEMA)
        return db

    def _read(self, sql: str, values: Sequence[str] = ()) -> list[Any]:
        """Returns the rows of a query, none if the cache cannot answer."""
        try:
            db = self._reader()
            return [] if db is None else rows(db, sql, values)
        except (apsw.Error, UnicodeDecodeError):
            return []

    def anchor_states(self, view: str, anchors: Sequence[str]) -> dict[str, str]:
        """Returns what is known of the anchors as seen from `view` (a HEAD): anchor -> state."""
        if len(anchors) > _MOST_NAMED:
            states = dict(self._read("SELECT anchor, state FROM anchor_state WHERE view = ?", (view,)))
            return {anchor: states[anchor] for anchor in anchors if anchor in states}
        marks = ", ".join("?" for _ in anchors)
        sql = f"SELECT anchor, state FROM anchor_state WHERE view = ? AND anchor IN ({marks})"
        return dict(self._read(sql, (view, *anchors)))

    def moved(self, view: str) -> dict[str, str]:
        """Returns the anchors whose change is found elsewhere as seen from `view` and may move there: anchor -> commit."""
        if self.note(_MOVED + view) is None:
            return {}
        states = self._read("SELECT anchor, state FROM anchor_state WHERE view = ?", (view,))
        carried = [(anchor, state.split(" ")) for anchor, state in states if state.startswith(f"{CARRIED} ")]
        return {anchor: words[2] for anchor, words in carried if len(words) == 3 and words[1] != "cherry-picked"}

    def note_settled(self, view: str) -> None:
        """Records that no memory waits to be re-anchored as seen from `view`."""
        self._keep(lambda db: rows(db, "DELETE FROM note WHERE key = ?", (_MOVED + view,)))

    def latest_view(self) -> tuple[str, dict[str, str]]:
        """Returns the view that was kept last and all that is known from it, anchor -> state; ("", {}) if there is none."""
        views = self._read("SELECT key FROM view ORDER BY used DESC, key LIMIT 1")
        if not views:
            return "", {}
        return views[0][0], dict(self._read("SELECT anchor, state FROM anchor_state WHERE view = ?", views[0]))

    def keep_anchor_states(self, view: str, states: dict[str, str]) -> None:
        """Stores answers for `view`, and keeps those of the most recently used views, regardless of the clock."""

        def write(db: apsw.Connection) -> None:
            rows(db, "BEGIN IMMEDIATE")
            last = "SELECT coalesce(max(used), 0) + 1 FROM view"
            rows(db, f"INSERT INTO view VALUES (?, ({last})) ON CONFLICT(key) DO UPDATE SET used = excluded.used", (view,))
            db.executemany(
                "INSERT OR REPLACE INTO anchor_state VALUES (?, ?, ?)", [(view, *pair) for pair in sorted(states.items())]
            )
            rows(db, "DELETE FROM view WHERE key NOT IN (SELECT key FROM view ORDER BY used DESC, key LIMIT ?)", (_VIEWS_KEPT,))
            rows(db, "DELETE FROM anchor_state WHERE view NOT IN (SELECT key FROM view)")
            if any(state.startswith(f"{CARRIED} ") for state in states.values()):
                rows(db, "INSERT OR REPLACE INTO note VALUES (?, '')", (_MOVED + view,))
            rows(db, "DELETE FROM note WHERE key GLOB ? AND key NOT IN (SELECT ? || key FROM view)", (_MOVED + "*", _MOVED))
            rows(db, "COMMIT")

        self._keep(write)

    def forget_states(self, state: str) -> None:
        """Forgets this state for every view."""
        self._keep(lambda db: rows(db, "DELETE FROM anchor_state WHERE state = ?", (state,)))

    def _keep(self, write: Callable[[apsw.Connection], object]) -> None:
        """Writes to the cache. A damaged file is replaced by a new one."""
        for _ in range(2):
            try:
                if (db := self._writer()) is not None:
                    write(db)
                return
            except (apsw.CorruptError, apsw.NotADBError, UnicodeDecodeError):
                self.close()
                os.unlink(self._path)
            except (apsw.Error, OSError):
                return self.close()

    def note(self, key: str) -> str | None:
        """Returns a note, or None."""
        matches = self._read("SELECT value FROM note WHERE key = ?", (key,))
        return matches[0][0] if matches else None

    def keep_note(self, key: str, value: str) -> None:
        """Keeps a note under `key`."""
        self._keep(lambda db: rows(db, "INSERT OR REPLACE INTO note VALUES (?, ?)", (key, value)))

    def close(self) -> None:
        """Closes the file; the cache may be asked again."""
        if self._db is not None:
            self._db.close()
            self._db = None
