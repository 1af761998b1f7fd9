"""A store is born whole, grows without losing a row, and is left alone where it is not ours to touch."""

from __future__ import annotations

import os
import re
import sqlite3
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from memcli import store
from memcli.errors import MemError
from memcli.store import APPLICATION_ID, LATEST, chunks, context, graph, listing, memories, opening, oplog, rows, transaction
from memcli.store.listing import MemoryFilter

MIGRATIONS = sorted((Path(store.__file__).parent / "migrations").glob("*.sql"))
RELEASED = range(1, LATEST + 1)
ROOMS = (memories, oplog, context, chunks, graph)


def older(path: Path, number: int) -> Path:
    """Makes the store that an older mem left behind: schema `number`, a memory, a thread, two operations."""
    base = sqlite3.connect(path, isolation_level=None)
    base.execute(f"PRAGMA application_id = {APPLICATION_ID}")
    base.execute("PRAGMA journal_mode = WAL")
    for migration in [one for one in MIGRATIONS if int(one.name[:4]) <= number]:
        base.executescript(migration.read_text())
    base.execute(f"PRAGMA user_version = {number}")
    base.execute("INSERT INTO meta VALUES ('writer', 'w1')")
    base.execute("INSERT INTO thread VALUES ('general', 'general', 5)")
    for place in (1, 2):
        base.execute(
            "INSERT INTO op VALUES (?, ?, 5, ?, 'w1', 'put', 'M-OLD0000001', '{}', 'cli', 'local', 1)", (place, f"{place}", place)
        )
    columns = [row[1:4] for row in base.execute("PRAGMA table_info(memory)")]
    values = {name: "" if kind == "TEXT" else 0 for name, kind, required in columns if required}
    values |= {"n": 1, "id": "M-OLD0000001", "title": "Kept zebra", "summary": "through every migration", "thread": "general"}
    base.execute(f"INSERT INTO memory({', '.join(values)}) VALUES ({', '.join('?' * len(values))})", [*values.values()])
    base.execute("INSERT INTO memory_fts(rowid, title, summary, tags, entities, words) SELECT * FROM memory_text")
    base.close()
    return path


def kept(path: str | Path) -> list[object]:
    base = sqlite3.connect(path)
    found = [base.execute(f"SELECT count(*) FROM {table}").fetchone()[0] for table in ("op", "thread", "memory")]
    title = base.execute(
        "SELECT memory.title FROM memory JOIN memory_fts ON memory_fts.rowid = n WHERE memory_fts MATCH 'zebra'"
    ).fetchone()
    version = base.execute("PRAGMA user_version").fetchone()[0]
    base.close()
    return [version, found, title]


def crowd(size: int, code: str, *words: str) -> list[str]:
    """Runs a program in many processes that all start when the last is ready. Returns what each printed."""
    imports = "import sys; from memcli import store; from memcli.store import opening"
    waiting = f"{imports}\nprint('ready', flush=True); sys.stdin.readline()\n{code}"
    started = [
        subprocess.Popen([sys.executable, "-c", waiting, *words], stdin=-1, stdout=-1, stderr=-1, text=True) for _ in range(size)
    ]
    for process in started:
        assert process.stdout
        process.stdout.readline()
    for process in started:
        assert process.stdin
        process.stdin.write("\n")
        process.stdin.flush()
    ended = [process.communicate(timeout=60) for process in started]
    assert [(process.returncode, err) for process, (_, err) in zip(started, ended)] == [(0, "")] * size
    return [out.strip() for out, _ in ended]


def test_the_newest_schema_is_the_last_migration() -> None:
    assert [int(migration.name[:4]) for migration in MIGRATIONS] == list(RELEASED)


def test_a_new_store_is_whole_private_and_alone(tmp_path: Path) -> None:
    path = tmp_path / "new" / "memory.db"
    opening.create_store(str(path), {"repo_id": "R", "writer": "w"})
    db = opening.open_writer(str(path))
    assert (store.version(db), store.meta(db, "repo_id"), store.meta(db, "nothing")) == (LATEST, "R", None)
    assert [row[0] for row in rows(db, "PRAGMA journal_mode; PRAGMA integrity_check")] == ["wal", "ok"]
    db.close()
    assert (path.stat().st_mode & 0o777, path.parent.stat().st_mode & 0o777) == (0o600, 0o700)
    assert sorted(os.listdir(path.parent)) == ["memory.db", "reserve.free"]


def test_making_a_store_where_one_is_changes_nothing(path: str) -> None:
    before = Path(path).read_bytes()
    opening.create_store(path, {"writer": "another"})
    assert Path(path).read_bytes() == before


@pytest.mark.parametrize("number", RELEASED)
@pytest.mark.parametrize("opened", [opening.open_writer, opening.open_reader])
def test_a_store_of_each_released_schema_keeps_its_rows(
    tmp_path: Path, number: int, opened: Callable[[str], store.Connection]
) -> None:
    path = older(tmp_path / "memory.db", number)
    db = opened(str(path))
    assert store.version(db) == LATEST
    assert rows(db, "PRAGMA integrity_check") == [("ok",)]
    db.close()
    assert kept(path) == [LATEST, [2, 1, 1], ("Kept zebra",)]
    aside = tmp_path / f"memory.db.schema-{number}"
    assert sorted(os.listdir(tmp_path)) == (["memory.db", aside.name] if number < LATEST else ["memory.db"])
    if number < LATEST:
        assert kept(aside) == [number, [2, 1, 1], ("Kept zebra",)]
        assert aside.stat().st_mode & 0o777 == 0o600


@pytest.mark.parametrize("number", RELEASED[:3])
def test_commits_of_a_store_older_than_their_notes_are_looked_at_later(tmp_path: Path, number: int) -> None:
    path = older(tmp_path / "memory.db", number)
    base = sqlite3.connect(path, isolation_level=None)
    base.execute("UPDATE memory SET anchor = ?", ("a" * 40,))
    base.close()
    db = opening.open_writer(str(path))
    assert (graph.unread_commits(db, "b" * 40, 5), graph.unread_commits(db, "a" * 40, 5)) == (["a" * 40], [])
    graph.save_commit_notes(db, [graph.CommitNote("a" * 40, graph.IN_VAIN)])
    graph.expect_commit(db, "a" * 40)
    assert (graph.unread_commits(db, "b" * 40, 5), graph.commit_notes(db, ["a" * 40])) == ([], [])
    db.close()


def test_each_migration_has_a_number_of_its_own() -> None:
    assert [int(path.name[:4]) for path in MIGRATIONS] == list(range(1, LATEST + 1)), "a number is missing or used twice"


@pytest.mark.parametrize("number", RELEASED)
def test_a_migrated_store_has_the_schema_of_a_new_one(tmp_path: Path, number: int) -> None:
    sql = "SELECT type, name, sql FROM sqlite_schema WHERE name NOT LIKE 'sqlite!_%' ESCAPE '!' ORDER BY 1, 2"
    db = opening.open_writer(str(older(tmp_path / "memory.db", number)))
    assert rows(db, sql) == rows(opening.empty_store(), sql)
    db.close()


def test_migrations_leave_no_rows_that_a_new_store_lacks() -> None:
    migrated, new = store.apsw.Connection(":memory:"), opening.empty_store()
    for path in MIGRATIONS:
        rows(migrated, path.read_text())
    names = [name for (name,) in rows(new, "SELECT name FROM sqlite_schema WHERE type = 'table' AND name <> 'sqlite_sequence'")]
    counted = [(name, [rows(db, f"SELECT count(*) FROM {name}") for db in (migrated, new)]) for name in names if name != "meta"]
    assert [(name, count) for name, (count, new_count) in counted if count != new_count] == []


@pytest.mark.parametrize("number", [1, LATEST // 2, LATEST - 1])
def test_eight_processes_at_once_migrate_once_and_keep_what_was(tmp_path: Path, number: int) -> None:
    path = older(tmp_path / "memory.db", number)
    code = """if True:
        opened = store.connect(sys.argv[1], store.apsw.SQLITE_OPEN_READWRITE)
        print(len(opening.migrate(opened, sys.argv[1])), store.version(opened))
        opened.close()"""
    said = [out.split() for out in crowd(8, code, str(path))]
    assert sum(int(applied) for applied, _ in said) == len([one for one in MIGRATIONS if int(one.name[:4]) > number])
    assert {version for _, version in said} == {str(LATEST)}
    assert kept(path) == [LATEST, [2, 1, 1], ("Kept zebra",)]
    assert set(os.listdir(tmp_path)) <= {"memory.db", *[f"memory.db.schema-{one}" for one in range(number, LATEST)]}
    assert kept(tmp_path / f"memory.db.schema-{number}") == [number, [2, 1, 1], ("Kept zebra",)]


def test_readers_and_writers_that_meet_an_older_store_at_once_all_read_it(tmp_path: Path) -> None:
    path = older(tmp_path / "memory.db", 1)
    code = """if True:
        import os
        opened = (opening.open_reader if os.getpid() % 2 else opening.open_writer)(sys.argv[1])
        print(store.rows(opened, "SELECT title FROM memory"))
        opened.close()"""
    assert set(crowd(8, code, str(path))) == {"[('Kept zebra',)]"}


def test_sixteen_processes_that_make_a_store_at_once_see_one_whole_store(tmp_path: Path) -> None:
    code = """if True:
        import os
        opening.create_store(sys.argv[1], {"writer": str(os.getpid()), "name": "x"})
        opened = opening.open_writer(sys.argv[1])
        print(store.version(opened), store.meta(opened, "writer"), store.meta(opened, "name"))
        opened.close()"""
    said = crowd(16, code, str(tmp_path / "repo" / "memory.db"))
    assert len(set(said)) == 1
    assert (said[0].split()[0], said[0].split()[2]) == (str(LATEST), "x")
    assert sorted(os.listdir(tmp_path / "repo")) == ["memory.db", "reserve.free"]


@pytest.mark.parametrize("opened", [opening.open_reader, opening.open_writer])
@pytest.mark.parametrize(
    ("pragmas", "code"),
    [
        (f"PRAGMA application_id = {APPLICATION_ID}; PRAGMA user_version = {LATEST + 1}", "newer_schema"),
        ("PRAGMA application_id = 7; PRAGMA user_version = 2", "foreign"),
        ("PRAGMA user_version = 1", "foreign"),
        ("SELECT 1", "foreign"),
    ],
)
def test_a_newer_or_a_foreign_database_is_refused_untouched(
    tmp_path: Path, opened: Callable[[str], store.Connection], pragmas: str, code: str
) -> None:
    path = tmp_path / "memory.db"
    base = sqlite3.connect(path)
    base.executescript(f"CREATE TABLE theirs(x); INSERT INTO theirs VALUES ('mine'); {pragmas}")
    base.close()
    before = path.read_bytes()
    with pytest.raises(MemError) as caught:
        opened(str(path))
    assert (caught.value.code, bool(caught.value.hint)) == (code, True)
    assert path.read_bytes() == before
    assert os.listdir(tmp_path) == ["memory.db"]


@pytest.mark.parametrize("first", [opening.open_reader, opening.open_writer])
def test_an_empty_file_becomes_a_store_or_is_refused_each_time_alike(
    tmp_path: Path, first: Callable[[str], store.Connection]
) -> None:
    path = tmp_path / "memory.db"
    path.touch()
    outcomes = []
    for opened in (first, opening.open_writer, opening.open_reader):
        try:
            db = opened(str(path))
            outcomes.append(str(store.version(db)))
            db.close()
        except MemError as error:
            outcomes.append(f"{error.code}, {path.stat().st_size} bytes")
    assert len(set(outcomes)) == 1
    assert not any("foreign" in outcome for outcome in outcomes)


@pytest.mark.parametrize("opened", [opening.open_reader, opening.open_writer])
def test_a_symbolic_link_is_not_followed(path: str, tmp_path: Path, opened: Callable[[str], store.Connection]) -> None:
    (tmp_path / "link.db").symlink_to(path)
    with pytest.raises(MemError) as caught:
        opened(str(tmp_path / "link.db"))
    assert caught.value.code == "symlink"


def test_a_reader_cannot_write_and_leaves_no_files_behind(path: str) -> None:
    reader = opening.open_reader(path)
    with pytest.raises(store.Error):
        rows(reader, "INSERT INTO meta VALUES ('a', 'b')")
    reader.close()
    assert sorted(os.listdir(os.path.dirname(path))) == ["memory.db", "reserve.free"]


def test_a_transaction_that_fails_leaves_nothing(db: store.Connection) -> None:
    def half() -> None:
        with transaction(db):
            store.set_meta(db, "half", "done")
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        half()
    assert store.meta(db, "half") is None
    with transaction(db):
        store.set_meta(db, "half", "done")
    assert store.meta(db, "half") == "done"


def test_every_table_that_the_code_names_is_there() -> None:
    there = {name for (name,) in rows(opening.empty_store(), "SELECT name FROM sqlite_schema")}
    there |= {"sqlite_schema", "json_each"}  # SQLite's own
    sources = [Path(room.__file__ or "").read_text() for room in (*ROOMS, store)]
    there |= {name for text in sources for name in re.findall(r"\bWITH (?:RECURSIVE )?([a-z_]+)", text)}  # of a statement alone
    named = {name for text in sources for name in re.findall(r"\b(?:FROM|INTO|JOIN) ([a-z_]+)\b(?!\.)", text)}
    assert named <= there
    assert {"memory", "memory_link", "thread", "op", "chunk", "meta", "memory_fts", "chunk_fts"} <= named


@pytest.mark.parametrize(
    ("asked", "plan"),
    [
        (lambda db: oplog.of_object(db, "M-1"), "op_by_object"),
        (lambda db: listing.page(db, MemoryFilter(limit=5)), "memory_by_time"),
        (lambda db: listing.page(db, MemoryFilter(thread="general", limit=5)), "memory_by_thread"),
        (lambda db: listing.page(db, MemoryFilter(kind="rule", superseded=False, limit=5)), "memory_by_kind"),
        (lambda db: graph.thread(db, "general"), "memory_by_thread"),
        (lambda db: memories.anchors(db, 5), "memory_by_anchor"),
        (lambda db: graph.links_to(db, "M-1"), "memory_link_by_target"),
        (lambda db: memories.by_prefix(db, "M-1", 5), "sqlite_autoindex_memory_1"),
        (lambda db: memories.by_source(db, "x"), "sqlite_autoindex_memory_2"),
        (lambda db: context.latest_states(db, 1), "state_by_clock"),
        (lambda db: oplog.append(db, [], "cli", 1), "op_by_clock"),
        (lambda db: graph.unread_commits(db, "a", 5), "anchor_due"),
        (lambda db: graph.memories_anchored_at(db, ["a"], 5), "memory_by_anchor"),
    ],
)
def test_what_is_asked_often_is_answered_from_an_index(
    db: store.Connection, asked: Callable[[store.Connection], object], plan: str
) -> None:
    asked_for: list[tuple[str, Any]] = []
    db.exec_trace = lambda _, sql, values: asked_for.append((sql, values)) or True
    asked(db)
    db.exec_trace = None
    steps = " | ".join(row[3] for sql, values in asked_for for row in rows(db, f"EXPLAIN QUERY PLAN {sql}", values or ()))
    assert plan in steps
    assert not re.search(r"SCAN \w+(?! USING)(?!\w)", steps)


def test_what_nobody_was_told_is_looked_up_row_by_row_up_to_the_end_of_a_page(db: store.Connection) -> None:
    asked_for: list[tuple[str, Any]] = []
    db.exec_trace = lambda _, sql, values: asked_for.append((sql, values)) or True
    listing.page(db, MemoryFilter(told=False, limit=5))
    db.exec_trace = None
    ((sql, values),) = asked_for
    steps = " | ".join(row[3] for row in rows(db, f"EXPLAIN QUERY PLAN {sql}", values))
    assert "telling_by_memory (memory=?)" in steps
    assert "SCAN memory USING INDEX memory_by_time" in steps
    assert "TEMP B-TREE" not in steps


def test_a_store_that_another_process_makes_during_the_look_is_there(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path, look = str(tmp_path / "memory.db"), os.path.lexists
    writers: list[store.Connection] = []

    def look_and_make(place: str) -> bool:
        is_there = look(place)
        if place == path and not writers:
            monkeypatch.setattr(os.path, "lexists", look)
            opening.create_store(path, {})
            writers.append(opening.open_writer(path))
            store.set_meta(writers[0], "name", "first")
        return is_there

    monkeypatch.setattr(os.path, "lexists", look_and_make)
    assert opening.is_there(path, str(tmp_path))
    assert look(f"{path}-wal")
    writers[0].close()
