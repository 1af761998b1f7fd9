"""The cache may be anything at any time: what cannot be read there is "no answer", never an error."""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Callable
from pathlib import Path

import pytest

from memcli import store
from memcli.store.cache import Cache

STATES = {"a" * 40: "reachable", "b" * 40: "orphan"}


def warm(folder: Path) -> Path:
    cache = Cache(str(folder))
    cache.keep_anchor_states("view", STATES)
    cache.keep_note("key", "value")
    cache.close()
    return folder / "cache.db"


def run_sql(path: Path, sql: str) -> None:
    base = sqlite3.connect(path, isolation_level=None)
    base.executescript(sql)
    base.close()


def says_nothing(folder: Path) -> None:
    """Asks and tells everything; whatever comes, nothing may be raised."""
    cache = Cache(str(folder))
    for _ in range(2):
        assert cache.anchor_states("view", list(STATES)) in ({}, STATES)
        assert cache.note("key") in (None, "value")
        assert cache.moved("view") == {}
        cache.note_settled("view")
        cache.keep_anchor_states("view", STATES)
        cache.keep_note("key", "value")
    cache.close()
    cache.close()


def test_answers_are_kept_by_view(tmp_path: Path) -> None:
    warm(tmp_path)
    cache = Cache(str(tmp_path))
    assert cache.anchor_states("view", ["a" * 40, "c" * 40]) == {"a" * 40: "reachable"}
    assert cache.anchor_states("another view", ["a" * 40]) == {}
    assert (cache.note("key"), cache.note("other")) == ("value", None)
    cache.keep_anchor_states("view", {"a" * 40: "orphan"})
    assert cache.anchor_states("view", list(STATES)) == dict.fromkeys(STATES, "orphan")
    cache.close()
    assert (tmp_path / "cache.db").stat().st_mode & 0o777 == 0o600


def test_asking_alone_makes_no_file(tmp_path: Path) -> None:
    cache = Cache(str(tmp_path))
    assert (cache.anchor_states("view", ["a"]), cache.note("key")) == ({}, None)
    assert os.listdir(tmp_path) == []


def test_old_views_are_dropped(tmp_path: Path) -> None:
    cache = Cache(str(tmp_path))
    for number in range(20):
        cache.keep_anchor_states(f"view{number}", STATES)
    cache.keep_anchor_states("view13", {})
    cache.keep_anchor_states("view20", STATES)
    known = [number for number in range(21) if cache.anchor_states(f"view{number}", list(STATES))]
    assert known == [13, 14, 15, 16, 17, 18, 19, 20]
    cache.close()


def test_views_from_which_anchors_moved_are_remembered_until_they_are_settled_or_dropped(tmp_path: Path) -> None:
    cache = Cache(str(tmp_path))
    to = "d" * 40
    found = {"a" * 40: f"carried rebased {to}", "b" * 40: f"carried cherry-picked {to}", "c" * 40: "orphan", "e" * 40: "carried"}
    cache.keep_anchor_states("one", found)
    cache.keep_anchor_states("two", STATES)
    assert [cache.moved(view) for view in ("one", "two", "three")] == [{"a" * 40: to}, {}, {}]
    cache.keep_anchor_states("three", found)
    cache.note_settled("one")
    assert [cache.moved(view) for view in ("one", "three")] == [{}, {"a" * 40: to}]
    for number in range(20):
        cache.keep_anchor_states(f"view{number}", STATES)
    assert cache.moved("three") == {}
    cache.keep_note("moved three", "")
    assert cache.moved("three") == {}
    cache.close()


DAMAGE: dict[str, Callable[[Path], object]] = {
    "no database": lambda path: path.write_bytes(b"not a database" * 999),
    "empty": lambda path: path.write_bytes(b""),
    "cut short": lambda path: path.write_bytes(path.read_bytes()[:5000]),
    "zeros inside": lambda path: path.write_bytes(path.read_bytes()[:4096] + b"\0" * 20_000),
    "another schema": lambda path: run_sql(
        path, "DROP TABLE note; DROP TABLE anchor_state; CREATE TABLE note(x); CREATE TABLE anchor_state(y)"
    ),
    "missing tables": lambda path: run_sql(path, "DROP TABLE note; DROP TABLE anchor_state; DROP TABLE view"),
    "no UTF-8": lambda path: run_sql(
        path, "UPDATE note SET value = CAST(x'ff' AS TEXT); UPDATE anchor_state SET state = CAST(x'ff' AS TEXT)"
    ),
    "gone": lambda path: path.unlink(),
    "a directory": lambda path: (path.unlink(), path.mkdir()),
    "a link": lambda path: (path.unlink(), path.symlink_to(path.parent / "elsewhere")),
    "a link to a database": lambda path: (path.rename(path.parent / "real.db"), path.symlink_to(path.parent / "real.db")),
}


@pytest.mark.parametrize("damage", DAMAGE.values(), ids=DAMAGE)
def test_a_damaged_cache_is_no_answer_and_no_error(tmp_path: Path, damage: Callable[[Path], object]) -> None:
    damage(warm(tmp_path))
    says_nothing(tmp_path)


@pytest.mark.parametrize("name", ["no database", "empty", "cut short", "missing tables", "gone"])
def test_a_damaged_cache_is_replaced_so_that_answers_are_kept_again(tmp_path: Path, name: str) -> None:
    DAMAGE[name](warm(tmp_path))
    says_nothing(tmp_path)
    cache = Cache(str(tmp_path))
    assert cache.anchor_states("view", list(STATES)) == STATES
    cache.close()


def test_a_link_is_neither_followed_nor_replaced(tmp_path: Path) -> None:
    other = tmp_path / "other"
    (tmp_path / "cache.db").symlink_to(other)
    says_nothing(tmp_path)
    assert (tmp_path / "cache.db").is_symlink()
    assert not other.exists()


def test_a_locked_cache_is_not_waited_for(tmp_path: Path) -> None:
    path = warm(tmp_path)
    other = store.connect(str(path), 2)  # not sqlite3: two libraries in one process do not see each other's locks
    other.execute("BEGIN EXCLUSIVE")
    says_nothing(tmp_path)
    cache = Cache(str(tmp_path))
    assert (cache.anchor_states("view", list(STATES)), cache.note("key")) == ({}, None)
    other.execute("ROLLBACK")
    assert cache.anchor_states("view", list(STATES)) == STATES
    cache.close()
    other.close()


def test_a_folder_that_is_missing_or_takes_no_file_is_no_error(tmp_path: Path) -> None:
    for folder in (tmp_path / "missing", Path("/proc/self"), tmp_path / "file"):
        if folder.name == "file":
            folder.write_text("")
        says_nothing(folder)
    assert os.listdir(tmp_path) == ["file"]


def test_a_cache_that_cannot_be_written_is_still_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = warm(tmp_path)
    real = os.open
    refusal = PermissionError(13, "Permission denied")

    def refused(name: str, *rest: int) -> int:
        if str(name) == str(path):
            raise refusal
        return real(name, *rest)

    monkeypatch.setattr(os, "open", refused)
    run_sql(path, "CREATE TRIGGER no BEFORE INSERT ON note BEGIN SELECT RAISE(ABORT, 'no'); END")
    cache = Cache(str(tmp_path))
    cache.keep_note("key", "changed")
    assert (cache.note("key"), cache.anchor_states("view", list(STATES))) == ("value", STATES)
    cache.close()
    path.unlink()
    says_nothing(tmp_path)


def test_more_anchors_than_a_statement_can_name_are_no_error(tmp_path: Path) -> None:
    warm(tmp_path)
    cache = Cache(str(tmp_path))
    assert cache.anchor_states("view", [f"{number:040x}" for number in range(40_000)]) == {}
    assert cache.anchor_states("view", []) == {}
    cache.close()


def test_a_clock_that_was_set_back_does_not_matter(tmp_path: Path) -> None:
    warm(tmp_path)
    run_sql(
        tmp_path / "cache.db", "DELETE FROM view; INSERT INTO view VALUES ('x1', 9e12), ('x2', 9e12), ('x3', 9e12), ('x4', 9e12)"
    )
    run_sql(tmp_path / "cache.db", "INSERT INTO view VALUES ('x5', 9e12), ('x6', 9e12), ('x7', 9e12), ('x8', 9e12)")
    cache = Cache(str(tmp_path))
    cache.keep_anchor_states("now", STATES)
    assert cache.latest_view() == ("now", STATES)
    cache.close()


def test_more_anchors_than_a_statement_can_name_are_answered(tmp_path):
    many = {f"{number:040x}": "reachable" for number in range(40_000)}
    cache = Cache(str(tmp_path))
    cache.keep_anchor_states("view", many)
    assert cache.anchor_states("view", [*many, "f" * 40]) == many
    cache.close()
