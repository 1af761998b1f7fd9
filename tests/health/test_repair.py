"""What the repair saves, what it keeps, and what it leaves alone."""

import glob
import json
import os
import random
import shutil
import signal
import subprocess
import time
from concurrent.futures import ThreadPoolExecutor

import apsw
import pytest
from conftest import HERE, command, overwrite, run_sql, token, tokens_of

from memcli.errors import MemError
from memcli.health import agreement, aside, doctor, repair
from memcli.memory import entries, history
from memcli.project import Where, open_for_reading, open_for_writing
from memcli.recall import search
from memcli.store import salvage, schema
from memcli.store.db import rows, transaction

PAGE = 4096
DROP_FROM_INDEX = "INSERT INTO memory_fts(memory_fts, rowid, title, summary, tags, entities, words) SELECT 'delete', * FROM memory_text WHERE n = 2"


def content(path):
    with open(path, "rb") as file:
        return file.read()


def is_well():
    report = doctor.examine(HERE, verbose=True)
    assert report.ok, report.findings
    return True


def originals(path):
    kept = glob.glob(glob.escape(path) + ".damaged-*") + glob.glob(glob.escape(path) + ".before-repair-*")
    return sorted([name for name in kept if not name.endswith("-wal")])


def shown():
    """Everything that reading tells about the memories, to compare it before and after."""
    project = open_for_reading(HERE)
    try:
        sql = "SELECT id, title, summary, thread, kind, tags, anchor, created_at, superseded_by, forgotten, pinned, source_id FROM memory"
        links = "SELECT from_id, rel, to_id, hash FROM memory_link"
        return [sorted(rows(project.db, one), key=repr) for one in (sql, links, "SELECT id, title FROM thread", "SELECT id, body, reason FROM state")]
    finally:
        project.close()


def test_a_sound_store_is_left_untouched(fill):
    path = fill()
    before = {name: content(name) for name in glob.glob(os.path.dirname(path) + "/*")}
    assert repair.repair(HERE) == []
    assert {name: content(name) for name in glob.glob(os.path.dirname(path) + "/*")} == before


def test_without_a_memory_or_a_repository_there_is_nothing_to_do(repo, tmp_path, monkeypatch):
    assert repair.repair(HERE) == []
    monkeypatch.chdir(tmp_path)
    assert repair.repair(HERE) == []
    assert not (tmp_path / "data").exists()


def test_a_missing_index_entry_is_written_again_and_found(fill, mem):
    path = fill()
    title = run_sql(path, "SELECT title FROM memory WHERE n = 2")[0][0]
    run_sql(path, DROP_FROM_INDEX)
    before = content(path)
    assert title not in mem("search", title).stdout
    done = mem("doctor", "--repair", "--json")
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["repaired"][0] == "rebuilt the text index"
    assert title in mem("search", title).stdout
    assert [content(kept) for kept in originals(path)] == [before]
    assert repair.repair(HERE) == []


@pytest.mark.parametrize(
    "damage",
    [
        "DELETE FROM memory_fts_data",
        "DELETE FROM memory_fts_docsize",
        "DELETE FROM chunk_fts_config",
        "UPDATE memory_fts_data SET block = randomblob(length(block))",
        "UPDATE chunk_fts_data SET block = zeroblob(length(block)) WHERE id = 10",
        "DROP TABLE memory_fts_idx",
        "DROP TABLE chunk_fts_data",
        "DROP TABLE memory_fts",
    ],
)
def test_an_index_whose_own_tables_were_damaged_is_made_again(fill, damage):
    path = fill()
    before = shown()
    run_sql(path, damage)
    assert not doctor.examine(HERE, verbose=False).ok
    assert repair.repair(HERE)
    assert is_well()
    assert shown() == before


@pytest.mark.parametrize(
    "change",
    [
        "UPDATE memory SET title = 'another', pinned = 1 WHERE n = 2",
        "DELETE FROM memory_link",
        "DELETE FROM thread",
        "UPDATE state SET body = '{}'",
        "DELETE FROM state",
        "DELETE FROM memory WHERE n < 5",
        "UPDATE memory SET forgotten = 1 - forgotten",
    ],
)
def test_tables_that_do_not_agree_are_written_again_from_the_log(fill, change):
    path = fill()
    before = shown()
    run_sql(path, change)
    assert repair.repair(HERE)
    assert is_well()
    assert shown() == before


@pytest.mark.parametrize(
    "lost",
    [
        "DELETE FROM op",
        "DELETE FROM op WHERE kind = 'put'",
        "DELETE FROM op WHERE revision % 3 = 0",
        "DELETE FROM op WHERE kind NOT IN ('put', 'state')",
        "UPDATE op SET body = '{' WHERE revision % 4 = 0",
        "UPDATE op SET body = CAST(x'7bff' AS TEXT) WHERE revision % 4 = 0",
    ],
)
def test_what_the_log_has_lost_is_entered_again_from_the_tables(fill, lost):
    path = fill(count=40)
    before = shown()
    run_sql(path, lost)
    assert repair.repair(HERE)
    assert is_well()
    assert shown() == before


def test_undo_never_takes_back_what_a_repair_entered(fill):
    path = fill()
    run_sql(path, "DELETE FROM op WHERE object = (SELECT id FROM memory WHERE n = 2)")
    repair.repair(HERE)
    opened = open_for_writing(HERE)
    try:
        taken = history.undo(opened, "cli")
        assert {op.kind for op in taken} == {"state", "put"}  # the checkpoint, which came last
    finally:
        opened.close()
    assert is_well()


def test_operations_of_which_the_rest_is_lost_are_given_up(fill):
    path = fill()
    run_sql(path, "DELETE FROM op WHERE kind = 'put' AND object LIKE 'M-%' AND revision < 20")
    run_sql(path, "DELETE FROM memory WHERE id NOT IN (SELECT object FROM op WHERE kind = 'put')")
    assert any("of which the rest was lost" in said for said in repair.repair(HERE))
    assert is_well()


def flipped(path, seed):
    """Damages one to three pages: wholly, in part, or here and there a bit."""
    chance = random.Random(seed)
    for _ in range(chance.randint(1, 3)):
        page = chance.randrange(os.path.getsize(path) // PAGE) * PAGE
        way = chance.randrange(3)
        if way == 0:
            overwrite(path, page, chance.randbytes(PAGE))
        elif way == 1:
            overwrite(path, page + chance.randrange(PAGE - 500), chance.randbytes(chance.randint(1, 500)))
        else:
            for place in [page + chance.randrange(PAGE) for _ in range(20)]:
                overwrite(path, place, bytes([content(path)[place] ^ 1 << chance.randrange(8)]))


@pytest.fixture
def large(fill):
    """A store of 200 memories and a pristine copy of it beside the data."""
    path = fill(count=200, chunk_count=60)
    shutil.copy(path, os.path.join(os.environ["HOME"], "pristine.db"))
    return path


def test_flipped_pages_are_noticed_or_harmless_and_the_repair_saves_what_can_be_read(large, tmp_path):
    everything = tokens_of(large)
    for seed in range(20):
        for name in glob.glob(glob.escape(large) + "*"):
            os.unlink(name)
        shutil.copy(tmp_path / "pristine.db", large)
        flipped(large, seed)
        damaged = content(large)
        shutil.copy(large, tmp_path / "look.db")
        readable = tokens_of(tmp_path / "look.db") & everything
        noticed = not doctor.examine(HERE, verbose=False).ok
        assert noticed or readable == everything
        repair.repair(HERE)
        assert is_well()
        assert len(tokens_of(large) & readable) >= 0.95 * len(readable), seed
        assert not noticed or damaged in [content(kept) for kept in originals(large)], seed


def test_a_lost_head_costs_nothing(large):
    everything = tokens_of(large)
    before = shown()
    overwrite(large, 0, b"\0" * PAGE)
    said = repair.repair(HERE)
    assert said[0].endswith(" 60 chunks")
    assert len(said) == 2
    assert is_well()
    assert tokens_of(large) == everything
    assert shown() == before


def test_a_store_that_no_longer_says_whose_it_is_is_still_ours(large):
    everything = tokens_of(large)
    overwrite(large, 68, b"\1\2\3\4")
    assert repair.repair(HERE)
    assert is_well()
    assert tokens_of(large) == everything


def test_a_cut_file_keeps_what_is_left_of_it(large):
    os.truncate(large, os.path.getsize(large) * 2 // 3 + 100)
    damaged = content(large)
    saved = repair.repair(HERE)
    assert "made a new store of what could be read" in saved[0]
    assert is_well()
    assert len(tokens_of(large)) > 50
    assert content(originals(large)[0]) == damaged


@pytest.mark.parametrize("damaged", [b"", b"Dear diary\n", b"SQLite format 3\0" + b"\7" * 9000, os.urandom(20_000)])
def test_a_file_with_nothing_in_it_is_replaced_by_a_new_store_and_kept(fill, mem, damaged):
    path = fill()
    with open(path, "wb") as file:
        file.write(damaged)
    assert repair.repair(HERE)[0] == "nothing could be read: started a new, empty store"
    assert is_well()
    assert [content(kept) for kept in originals(path)] == [damaged]
    assert mem("add", "after all", "--summary", "it works").returncode == 0
    assert "after all" in mem("recent").stdout
    assert os.stat(path).st_mode & 0o777 == 0o600


def snapshot_with_log(path):
    """Leaves the store as a killed writer would: its newest rows are in the write-ahead log only."""
    opened = open_for_writing(HERE)
    for number in range(900, 905):
        entries.add(opened, entries.NewMemory(token(number), "in the log only"), "cli")
    shutil.copy(path, path + ".copy")
    shutil.copy(path + "-wal", path + ".copy-wal")
    opened.close()
    os.replace(path + ".copy", path)
    os.replace(path + ".copy-wal", path + "-wal")


@pytest.mark.parametrize("damage", ["empty", "gone", "page"])
def test_what_is_in_the_write_ahead_log_is_saved_too(fill, damage):
    path = fill()
    snapshot_with_log(path)
    log = content(path + "-wal")
    if damage == "empty":
        os.truncate(path, 0)
    elif damage == "gone":
        os.unlink(path)
    else:
        overwrite(path, 20 * PAGE, os.urandom(PAGE * 3))
    assert not doctor.examine(HERE, verbose=False).ok
    assert repair.repair(HERE)
    assert is_well()
    assert {token(number) for number in range(900, 905)} <= tokens_of(path)
    assert content(originals(path)[0] + "-wal") == log


def test_a_log_that_makes_no_sense_is_ignored(fill, mem):
    path = fill()
    before = tokens_of(path)
    with open(path + "-wal", "wb") as file:
        file.write(os.urandom(9000))
    assert repair.repair(HERE) == []
    assert mem("recent").returncode == 0
    assert tokens_of(path) == before


def test_a_changed_schema_is_replaced_by_ours_and_no_row_is_lost(fill):
    path = fill()
    before = shown()
    run_sql(path, "CREATE TRIGGER t AFTER INSERT ON op BEGIN DELETE FROM memory; END; DROP VIEW memory_text; CREATE VIEW memory_text AS SELECT 1")
    assert repair.repair(HERE)
    assert is_well()
    assert shown() == before
    assert run_sql(path, "SELECT count(*) FROM sqlite_schema WHERE type = 'trigger'") == [(0,)]


def foreign(path):
    os.unlink(path)
    run_sql(path, "CREATE TABLE cookies(x); INSERT INTO cookies VALUES (1)")


def newer(path):
    run_sql(path, "PRAGMA user_version = 99; DELETE FROM memory")


def linked(path):
    os.rename(path, path + ".elsewhere")
    os.symlink(path + ".elsewhere", path)


@pytest.mark.parametrize("damage", [foreign, newer, linked])
def test_what_is_not_ours_to_change_stays_as_it_is_to_the_byte(fill, mem, damage):
    path = fill()
    damage(path)
    before = {name: content(name) for name in glob.glob(os.path.dirname(path) + "/*")}
    done = mem("doctor", "--repair", "--json")
    assert done.returncode == 1
    assert (json.loads(done.stdout)["ok"], json.loads(done.stdout)["repaired"]) == (False, [])
    assert {name: content(name) for name in glob.glob(os.path.dirname(path) + "/*")} == before
    assert os.path.islink(path) is (damage is linked)


def test_unfinished_files_of_killed_commands_are_removed_once_they_are_old(fill):
    path = fill()
    for name, age in (("old", 7200), ("young", 0)):
        shutil.copy(path, f"{path}.{name}.new")
        os.utime(f"{path}.{name}.new", (time.time() - age,) * 2)
    assert repair.repair(HERE) == ["removed 1 unfinished file of a command that was killed"]
    assert not os.path.exists(path + ".old.new")
    assert os.path.exists(path + ".young.new")


def test_a_workspace_and_the_persons_own_memory_are_repaired_where_they_are(repo):
    for where in (Where(workspace="other"), Where(user=True)):
        opened = open_for_writing(where)
        entries.add(opened, entries.NewMemory("kept", "there"), "cli", anchored=False)
        opened.close()
        overwrite(os.path.join(opened.folder, "memory.db"), 0, b"\0" * 100)
        assert repair.repair(where)
        assert doctor.examine(where, verbose=True).ok


def test_a_locked_store_is_told_and_left_alone(fill, monkeypatch):
    path = fill()
    run_sql(path, "UPDATE memory SET pinned = 1 - pinned")
    monkeypatch.setattr("memcli.store.db.LOCK_WAIT_MS", 50)
    monkeypatch.setattr("memcli.store.checks._PATIENCE_MS", 50)
    writer = apsw.Connection(path)
    writer.execute("BEGIN IMMEDIATE")
    with pytest.raises(MemError, match="busy"):
        repair.repair(HERE)
    writer.close()
    assert originals(path) == []


def test_a_full_disk_leaves_the_damaged_store_as_it_was(fill, monkeypatch):
    path = fill()
    overwrite(path, 0, b"\0" * 100)
    before = content(path)

    def full(*ignored):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(aside, "_copy", full)
    with pytest.raises(MemError, match="no space left"):
        repair.repair(HERE)
    assert content(path) == before


def test_a_store_that_is_written_to_meanwhile_is_saved_again(fill, monkeypatch):
    path = fill()
    run_sql(path, "CREATE TRIGGER t AFTER INSERT ON thread BEGIN SELECT 1; END")
    saved = salvage.fill
    late = []

    def fill_slowly(*given):
        if not late:
            opened = open_for_writing(HERE)
            late.append(entries.add(opened, entries.NewMemory("tok77777", "while the repair ran"), "cli"))
            opened.close()
        return saved(*given)

    monkeypatch.setattr(salvage, "fill", fill_slowly)
    assert repair.repair(HERE)
    assert is_well()
    assert "tok77777" in tokens_of(path)


def test_a_repair_killed_at_any_moment_loses_nothing(large):
    overwrite(large, 30 * PAGE, os.urandom(PAGE))
    damaged = content(large)
    readable = tokens_of(large)
    start = time.monotonic()
    subprocess.run(command("doctor", "--repair"), capture_output=True)
    whole = time.monotonic() - start
    for part in (0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9):
        with open(large, "wb") as file:
            file.write(damaged)
        running = subprocess.Popen(command("doctor", "--repair"), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        time.sleep(part * whole)
        running.send_signal(signal.SIGKILL)
        running.wait()
        repair.repair(HERE)
        assert is_well()
        assert readable <= tokens_of(large)


def test_repairs_at_once_and_writers_between_them_lose_nothing(large, mem):
    run_sql(large, "CREATE TRIGGER t AFTER INSERT ON thread BEGIN SELECT 1; END")  # damage that does not hinder writing
    before = tokens_of(large)
    added = [f"tok{number}" for number in range(88_800, 88_808)]
    with ThreadPoolExecutor(4) as pool:
        repairs = [pool.submit(mem, "doctor", "--repair") for _ in range(3)]
        kept = list(pool.map(lambda title: mem("add", title, "--summary", "meanwhile").returncode == 0, added))
        assert [one.result().returncode for one in repairs] == [0, 0, 0]
    assert is_well()
    assert before | {title for title, stored in zip(added, kept) if stored} <= tokens_of(large)
    assert sum(kept) >= 4


def test_reading_the_pages_finds_what_sqlite_finds(large, tmp_path):
    schema.create(str(tmp_path / "new.db"), {"writer": "w"})
    fresh = apsw.Connection(str(tmp_path / "new.db"))
    with transaction(fresh):
        salvage.fill(fresh, large, agreement.usable)
    for table in ("op", "memory", "chunk", "state", "thread", "memory_link"):
        sql = f"SELECT * FROM {table} ORDER BY 1, 2, 3"
        assert rows(fresh, sql) == run_sql(large, sql), table
    kept = dict(rows(fresh, "SELECT key, value FROM meta WHERE key <> 'last_migration_at'"))
    assert kept.items() >= dict(run_sql(large, "SELECT key, value FROM meta WHERE key <> 'last_migration_at'")).items()


def test_a_large_body_is_read_over_its_overflow_pages(repo):
    opened = open_for_writing(HERE)
    made = entries.add(opened, entries.NewMemory("long", "words and words " * 3000), "cli")
    opened.close()
    path = os.path.join(opened.folder, "memory.db")
    overwrite(path, 0, b"\0" * PAGE)
    assert repair.repair(HERE)
    assert is_well()
    assert run_sql(path, "SELECT summary FROM memory WHERE id = ?", (made.id,)) == [("words and words " * 3000,)]


def test_a_repaired_store_is_searched_as_before(large):
    opened = open_for_reading(HERE)
    before = search.as_json(search.search(opened, f"{token(17)} words", None, 50))
    opened.close()
    overwrite(large, 0, b"\0" * PAGE)
    repair.repair(HERE)
    opened = open_for_reading(HERE)
    assert search.as_json(search.search(opened, f"{token(17)} words", None, 50)) == before
    assert len(before) == 50
    opened.close()
