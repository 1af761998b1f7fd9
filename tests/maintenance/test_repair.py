"""What the repair mends, what it keeps, and what it leaves alone."""

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

from memcli.errors import MemError
from memcli.maintenance import backup, doctor, repair
from memcli.memory import entries, history
from memcli.project import Where, open_for_writing
from memcli.store import salvage
from tests.maintenance.conftest import (
    DROP_FROM_INDEX,
    HERE,
    PAGE,
    command,
    content,
    files_in,
    is_well,
    originals,
    overwrite,
    process,
    run_sql,
    shown,
    tokens_of,
)


def test_a_sound_store_is_left_untouched(fill):
    path = fill()
    before = files_in(os.path.dirname(path))
    assert repair.repair(HERE) == []
    assert files_in(os.path.dirname(path)) == before


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


@pytest.mark.parametrize("rows", ["", " WHERE id = 10"], ids=["all", "its structure"])
@pytest.mark.parametrize("seed", [0, 12, 13, 33, 36])  # of these, 12 claims to need more memory than there is
def test_an_index_of_random_bytes_is_made_again(fill, seed, rows):
    path = fill()
    before = shown()
    db = apsw.Connection(path)
    db.create_scalar_function("noise", random.Random(seed).randbytes, 1)
    db.execute(f"UPDATE memory_fts_data SET block = noise(length(block)){rows}")
    db.close()
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
        taken, _ = history.undo(opened, "cli")
        assert {op.kind for op in taken} == {"state", "put"}  # the checkpoint, which came last
    finally:
        opened.close()
    assert is_well()


def test_operations_of_which_the_rest_is_lost_are_given_up(fill):
    path = fill()
    run_sql(path, "DELETE FROM op WHERE kind = 'put' AND object LIKE 'M-%' AND revision < 20")
    run_sql(path, "DELETE FROM memory WHERE id NOT IN (SELECT object FROM op WHERE kind = 'put')")
    assert any("incomplete operation" in said for said in repair.repair(HERE))
    assert is_well()


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
    run_sql(path, "CREATE TRIGGER t AFTER INSERT ON op BEGIN DELETE FROM memory; END")
    run_sql(path, "DROP VIEW memory_text; CREATE VIEW memory_text AS SELECT 1")
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
    before = files_in(os.path.dirname(path))
    done = mem("doctor", "--repair", "--json")
    assert done.returncode == 1
    assert (json.loads(done.stdout)["ok"], json.loads(done.stdout)["repaired"]) == (False, [])
    assert files_in(os.path.dirname(path)) == before
    assert os.path.islink(path) is (damage is linked)


def test_unfinished_files_of_killed_commands_are_removed_once_they_are_old(fill):
    path = fill()
    for name, age in (("old", 7200), ("young", 0)):
        shutil.copy(path, f"{path}.{name}.new")
        os.utime(f"{path}.{name}.new", (time.time() - age,) * 2)
    assert repair.repair(HERE) == ["removed 1 unfinished file of a killed command"]
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
    monkeypatch.setattr("memcli.store.LOCK_WAIT_MS", 50)
    monkeypatch.setattr("memcli.store.integrity._PATIENCE_MS", 50)
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

    monkeypatch.setattr(backup, "_write_copy", full)
    with pytest.raises(MemError, match="no space left"):
        repair.repair(HERE)
    assert content(path) == before


def test_a_store_that_is_written_to_meanwhile_is_saved_again(fill, monkeypatch):
    path = fill()
    run_sql(path, "CREATE TRIGGER t AFTER INSERT ON thread BEGIN SELECT 1; END")
    saved = salvage.copy_readable
    late = []

    def fill_slowly(*given):
        if not late:
            opened = open_for_writing(HERE)
            late.append(entries.add(opened, entries.NewMemory("tok77777", "while the repair ran"), "cli"))
            opened.close()
        return saved(*given)

    monkeypatch.setattr(salvage, "copy_readable", fill_slowly)
    assert repair.repair(HERE)
    assert is_well()
    assert "tok77777" in tokens_of(path)


def test_a_repair_killed_at_any_moment_loses_nothing(large):
    overwrite(large, 30 * PAGE, os.urandom(PAGE))
    damaged = content(large)
    readable = tokens_of(large)
    start = time.monotonic()
    process("doctor", "--repair")
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


def test_repairs_at_once_and_writers_between_them_lose_nothing(large):
    run_sql(large, "CREATE TRIGGER t AFTER INSERT ON thread BEGIN SELECT 1; END")  # damage that does not hinder writing
    before = tokens_of(large)
    added = [f"tok{number}" for number in range(88_800, 88_808)]
    with ThreadPoolExecutor(4) as pool:
        repairs = [pool.submit(process, "doctor", "--repair") for _ in range(3)]
        kept = list(pool.map(lambda title: process("add", title, "--summary", "meanwhile").returncode == 0, added))
        assert [one.result().returncode for one in repairs] == [0, 0, 0]
    assert is_well()
    assert before | {title for title, stored in zip(added, kept) if stored} <= tokens_of(large)
    assert sum(kept) >= 4
