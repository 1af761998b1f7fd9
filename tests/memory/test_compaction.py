"""mem gc: what hooks left long ago and nobody used goes for good; everything else stays as it was, whenever the run is killed."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import Any

import apsw
import pytest

from memcli.memory import compaction
from memcli.project import Where, open_for_writing
from memcli.store import compaction as store_compaction
from memcli.store import opening, rows
from memcli.text import dates
from tests.conftest import CLOCK, FillOnce, Terminal

sys.path.insert(0, str(Path(__file__).parents[2] / "scripts"))
import _bench_year

NOW = dates.parse(CLOCK)
SESSIONS = 12  # of the one day, which is more than a page of what is forgotten
OBSERVATIONS = 18 * SESSIONS


def a_day(terminal: Terminal, days_ago: int) -> None:
    """Adds a day of work that ended so many days ago; all its observations were forgotten 40 days later."""
    terminal.add("Sessions live in Redis")
    db = opening.open_writer(str(terminal.store))
    rows(db, "PRAGMA synchronous = OFF")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(_bench_year, "SESSIONS", SESSIONS)
        _bench_year.Year(db, NOW - days_ago * dates.DAY, days=1, kept=0).fill()
    db.close()


@pytest.fixture
def old(terminal: Terminal, fill_once: FillOnce) -> Terminal:
    """A store of a day 100 days ago, all observations of which were forgotten 60 days ago."""
    fill_once("old", lambda: a_day(terminal, 100))
    return terminal


@pytest.fixture
def sound(old: Terminal, fill_once: FillOnce) -> Terminal:
    """The same, its rows as the log says they are."""

    def repaired() -> None:
        old.mem("doctor", "--repair")

    fill_once("sound", repaired)
    return old


def sql(terminal: Terminal, statement: str, *values: object) -> list[Any]:
    db = apsw.Connection(str(terminal.store))
    try:
        return db.execute(statement, values).fetchall()
    finally:
        db.close()


def lived(terminal: Terminal) -> list[Any]:
    """All live rows, and what a recall finds."""
    return [
        sql(
            terminal,
            "SELECT id, title, summary, anchor, updated_at, revision, origin FROM memory WHERE forgotten = 0 ORDER BY id",
        ),
        sql(terminal, "SELECT id, text, reply FROM prompt ORDER BY id"),
        sql(terminal, "SELECT id, status, summary FROM session ORDER BY id"),
        terminal.titles("retry budget importer", "--budget", "3000"),
    ]


def test_what_was_forgotten_long_ago_goes_and_nothing_else(sound: Terminal) -> None:
    before, log = lived(sound), sql(sound, "SELECT count(*) FROM op")[0][0]
    counted = sound.mem("gc", "--dry-run", "--json").json
    assert (counted["memories"], counted["dry_run"]) == (OBSERVATIONS, True)
    assert sql(sound, "SELECT count(*) FROM op")[0][0] == log

    removed = sound.mem("gc", "--json").json
    assert (removed["memories"], removed["operations"]) == (OBSERVATIONS, counted["operations"])
    assert sql(sound, "SELECT count(*) FROM memory WHERE forgotten = 1") == [(0,)]
    assert sql(sound, "SELECT count(*) FROM op")[0][0] == log - counted["operations"]
    assert lived(sound) == before
    assert "; all objects match the log" in sound.mem("doctor").out
    assert "removed nothing" in sound.mem("gc").out


def test_what_somebody_pinned_linked_cited_restored_or_edited_stays(old: Terminal) -> None:
    names = [name for (name,) in sql(old, "SELECT id FROM memory WHERE forgotten = 1 ORDER BY n LIMIT 7")]
    old.mem("restore", names[0])
    old.mem("forget", names[0])
    old.mem("restore", names[1])
    keeper = old.add("Keeps a link")
    old.mem("link", keeper, "refines", names[1])
    old.mem("forget", names[1])
    old.add("Cites it", f"as {names[2]} says")
    old.mem("note", "add", f"see {names[3]}")
    old.mem("checkpoint", "--reason", "begun", "--state-json", f'{{"next": "{names[4]}"}}')
    old.mem("profile", "set", "look", f"at {names[5]} first")

    assert old.mem("gc", "--json").json["memories"] == OBSERVATIONS - 6
    left = [name for (name,) in sql(old, "SELECT id FROM memory WHERE forgotten = 1 ORDER BY n")]
    assert left == names[:6]
    assert old.mem("restore", names[2], "--json").json["status"] == "restored"
    assert old.mem("show", names[6], fails=3).err.startswith("Error:")


def test_what_was_forgotten_lately_stays(terminal: Terminal) -> None:
    a_day(terminal, 50)  # forgotten 20 days ago
    assert terminal.mem("gc", "--json").json["memories"] == 0
    assert terminal.mem("gc", "--json").json["operations"] == 0


def test_versions_of_a_summary_become_one_and_say_the_same(sound: Terminal) -> None:
    ((name,),) = sql(sound, "SELECT id FROM memory WHERE kind = 'summary' LIMIT 1")
    db = opening.open_writer(str(sound.store))
    for number in range(6):
        values = (
            name,
            f'{{"summary": "version {number}", "tags": ["t{number}"]}}',
            NOW - (80 - number) * dates.DAY,
            f"O-X{number}",
        )
        rows(
            db,
            "INSERT INTO op(id, hlc_ms, hlc_n, writer, kind, object, body, actor, command)"
            " VALUES (?4, ?3, 0, 'year', 'put', ?1, ?2, 'hook', 0)",
            values,
        )
    db.close()
    sound.mem("doctor", "--repair")
    before = lived(sound)
    assert sql(sound, "SELECT summary, tags FROM memory WHERE id = ?", name) == [("version 5", "t5")]

    sound.mem("gc")
    assert sql(sound, "SELECT count(*) FROM op WHERE object = ?", name) == [(2,)]
    assert lived(sound) == before
    assert "; all objects match the log" in sound.mem("doctor").out


def test_prompts_and_edits_go_after_a_year_but_not_what_still_stands(sound: Terminal, monkeypatch: pytest.MonkeyPatch) -> None:
    (kept,) = sql(sound, "SELECT id FROM prompt ORDER BY n LIMIT 1")[0]
    sound.add("Cites a prompt", f"asked in {kept}")
    assert sound.mem("gc", "--json").json["prompts"] == 0
    monkeypatch.setenv("MEMPACK_GC_PROMPT_DAYS", "90")
    monkeypatch.setenv("MEMPACK_GC_EDIT_DAYS", "90")
    removed = sound.mem("gc", "--json").json
    assert (removed["prompts"], removed["edits"]) == (2 * SESSIONS - 1, OBSERVATIONS)
    assert sql(sound, "SELECT id FROM prompt") == [(kept,)]
    assert "; all objects match the log" in sound.mem("doctor").out


def test_notes_on_commits_go_with_the_last_that_is_anchored_there(old: Terminal) -> None:
    before = sql(old, "SELECT count(*) FROM anchor")[0][0]
    old.mem("gc")
    after = sql(
        old, "SELECT count(*) FROM anchor WHERE noted <> 0 AND id NOT IN (SELECT anchor FROM memory WHERE anchor IS NOT NULL)"
    )
    assert before >= SESSIONS
    assert after == [(0,)]


def test_old_copies_of_the_store_go_and_new_ones_stay(old: Terminal) -> None:
    long_ago = (NOW - 40 * dates.DAY) / 1000
    for name, age in (
        ("schema-3", long_ago),
        ("damaged-1", long_ago),
        ("damaged-1-wal", long_ago),
        ("before-repair-2", NOW / 1000),
    ):
        path = old.store.with_name(f"memory.db.{name}")
        path.write_bytes(b"x" * 100)
        os.utime(path, (age, age))
    assert old.mem("gc", "--dry-run", "--json").json["copies"] == ["memory.db.damaged-1", "memory.db.schema-3"]
    old.mem("gc")
    assert sorted(path.name for path in old.store.parent.glob("memory.db.*")) == ["memory.db.before-repair-2"]


def test_the_file_becomes_smaller_where_much_of_it_is_free(old: Terminal) -> None:
    db = opening.open_writer(str(old.store))
    rows(db, "CREATE TABLE large(x); INSERT INTO large SELECT randomblob(4000) FROM json_each(?)", ("[" + "0," * 3000 + "0]",))
    rows(db, "DROP TABLE large; PRAGMA wal_checkpoint(TRUNCATE)")
    db.close()
    result = old.mem("gc", "--json").json
    assert result["bytes_after"] < result["bytes_before"] - 8_000_000


def test_the_file_becomes_smaller_in_steps_until_somebody_needs_the_store(old: Terminal) -> None:
    db = opening.open_writer(str(old.store))
    rows(db, "CREATE TABLE large(x); INSERT INTO large SELECT randomblob(4000) FROM json_each(?)", ("[" + "0," * 5000 + "0]",))
    rows(db, "DROP TABLE large; PRAGMA wal_checkpoint(TRUNCATE)")
    reader = opening.open_reader(str(old.store))
    sizes, steps = [old.store.stat().st_size], 0

    def is_wanted() -> bool:
        nonlocal steps
        steps += 1
        assert rows(reader, "SELECT count(*) FROM memory")
        return steps % 3 == 0

    while store_compaction.shrink(db, is_wanted):
        sizes.append(old.store.stat().st_size)
    assert steps > 3
    assert sizes == sorted(sizes, reverse=True)
    assert sizes[-1] < sizes[0] - 15_000_000
    assert rows(db, "PRAGMA integrity_check") == [("ok",)]
    reader.close()
    db.close()


def with_half_empty_pages(old: Terminal) -> apsw.Connection:
    """Returns a store, opened to be written, whose pages are half empty."""
    db = opening.open_writer(str(old.store))
    rows(db, "CREATE TABLE large(n INTEGER PRIMARY KEY, x)")
    rows(db, "INSERT INTO large SELECT key, randomblob(500) FROM json_each(?)", ("[" + "0," * 80_000 + "0]",))
    rows(db, "DELETE FROM large WHERE n % 2")
    return db


def test_gc_makes_the_file_anew_where_its_pages_are_half_empty(old: Terminal) -> None:
    db = with_half_empty_pages(old)
    rows(db, "PRAGMA wal_checkpoint(TRUNCATE)")
    assert not store_compaction.shrink(db)  # no page is free as a whole
    db.close()

    result = old.mem("gc", "--json").json
    assert result["bytes_after"] < result["bytes_before"] - 15_000_000
    db = opening.open_writer(str(old.store))
    assert rows(db, "SELECT count(*) FROM large; PRAGMA integrity_check") == [(40_001,), ("ok",)]
    assert not store_compaction.repack(db)
    db.close()


def test_a_store_that_is_read_is_not_made_anew(old: Terminal) -> None:
    db = with_half_empty_pages(old)
    reader = opening.open_reader(str(old.store))
    rows(reader, "BEGIN; SELECT count(*) FROM large")
    store_compaction.repack(db)
    assert rows(reader, "SELECT count(*) FROM large") == [(40_001,)]
    reader.close()
    assert rows(db, "PRAGMA integrity_check") == [("ok",)]
    db.close()


def test_a_store_of_before_such_steps_is_made_anew_once(old: Terminal) -> None:
    db = opening.open_writer(str(old.store))
    rows(db, "PRAGMA auto_vacuum = NONE; VACUUM")
    rows(db, "CREATE TABLE large(x); INSERT INTO large SELECT randomblob(4000) FROM json_each(?)", ("[" + "0," * 3000 + "0]",))
    rows(db, "DROP TABLE large; PRAGMA wal_checkpoint(TRUNCATE)")
    assert store_compaction.shrink(db)
    assert rows(db, "PRAGMA auto_vacuum; PRAGMA freelist_count") == [(2,), (0,)]
    db.close()


def test_a_run_that_is_killed_anywhere_has_done_nothing_half(sound: Terminal, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(compaction, "_PAGE", 100)
    before = lived(sound)
    for number in (1, 30, 333, 700, 1250):
        project = open_for_writing(Where(repo=str(sound.folder)))
        count = 0

        def killed(*_: object, limit: int = number) -> bool:
            nonlocal count
            count += 1
            return count <= limit

        project.db.set_exec_trace(killed)  # False ends the statement, as the loss of the process would
        try:
            compaction.compact(project, False)
        except apsw.ExecTraceAbort:
            pass
        project.db.set_exec_trace(None)
        project.close()
        assert lived(sound) == before
        assert "; all objects match the log" in sound.mem("doctor").out
    sound.mem("gc")
    assert sql(sound, "SELECT count(*) FROM memory WHERE forgotten = 1") == [(0,)]
    assert lived(sound) == before


def test_the_worker_does_it_once_a_day_and_stops_for_an_event(old: Terminal) -> None:
    project = open_for_writing(Where(repo=str(old.folder)))
    assert compaction.is_due(project)
    compaction.run(project, lambda: True)
    assert sql(old, "SELECT count(*) FROM memory WHERE forgotten = 1") == [(OBSERVATIONS,)]
    assert compaction.is_due(project)
    compaction.run(project)
    assert not compaction.is_due(project)
    project.close()
    assert sql(old, "SELECT count(*) FROM memory WHERE forgotten = 1") == [(0,)]
