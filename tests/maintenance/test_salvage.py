"""What is saved of a damaged file: whatever its pages still say."""

import glob
import os
import random
import shutil

import apsw
import pytest

from memcli.maintenance import consistency, doctor, repair
from memcli.memory import entries
from memcli.project import open_for_reading, open_for_writing
from memcli.recall import search
from memcli.store import opening, rows, salvage, transaction
from tests.maintenance.conftest import (
    HERE,
    PAGE,
    content,
    is_well,
    originals,
    overwrite,
    run_sql,
    shown,
    token,
    tokens_of,
)


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


def test_flipped_pages_are_noticed_or_harmless_and_the_repair_saves_what_can_be_read(large, tmp_path):
    everything = tokens_of(large)
    pristine = shutil.copy(large, tmp_path / "pristine.db")
    for seed in range(20):
        for name in glob.glob(glob.escape(large) + "*"):
            os.unlink(name)
        shutil.copy(pristine, large)
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
    assert "created a new store from what was readable" in saved[0]
    assert is_well()
    assert len(tokens_of(large)) > 50
    assert content(originals(large)[0]) == damaged


@pytest.mark.parametrize("damaged", [b"", b"Dear diary\n", b"SQLite format 3\0" + b"\7" * 9000, os.urandom(20_000)])
def test_a_file_with_nothing_in_it_is_replaced_by_a_new_store_and_kept(fill, mem, damaged):
    path = fill()
    with open(path, "wb") as file:
        file.write(damaged)
    assert repair.repair(HERE)[0] == "nothing was readable; created a new, empty store"
    assert is_well()
    assert [content(kept) for kept in originals(path)] == [damaged]
    assert mem("add", "after all", "--summary", "it works").returncode == 0
    assert "after all" in mem("recent").stdout
    assert os.stat(path).st_mode & 0o777 == 0o600


def test_where_only_the_tables_are_left_something_was_readable(fill, mem):
    path = fill()
    run_sql(path, "DELETE FROM op; DELETE FROM memory; DELETE FROM chunk; VACUUM")
    overwrite(path, 0, b"\0" * PAGE)
    actions = repair.repair(HERE)
    assert actions[0] == "created a new store from what was readable: 0 operations, 0 memories, 0 chunks"
    assert "in the log from the tables" in actions[1]


def test_a_repaired_store_is_its_owners_only(fill):
    path = fill()
    overwrite(path, 0, b"\0" * PAGE)
    os.chmod(path, 0o644)
    repair.repair(HERE)
    assert os.stat(path).st_mode & 0o777 == 0o600


def test_where_not_everything_was_readable_the_backup_is_named(fill, mem):
    path = fill()
    mem("backup")
    overwrite(path, 0, os.urandom(os.path.getsize(path)))
    lines = mem("doctor", "--repair").stdout.splitlines()
    (named,) = [line for line in lines if "and may hold what is missing: mem backup --restore " in line]
    assert mem("backup", "--restore", named.split()[-1]).returncode == 0
    assert token(1) in tokens_of(path)


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


def test_reading_the_pages_finds_what_sqlite_finds(large, tmp_path):
    opening.create_store(str(tmp_path / "new.db"), {"writer": "w"})
    fresh = apsw.Connection(str(tmp_path / "new.db"))
    with transaction(fresh):
        salvage.copy_readable(fresh, large, consistency.is_readable)
    for table in set(salvage._TABLES) - {"meta"}:
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
    before = search.search(opened, f"{token(17)} words", None, 50)
    opened.close()
    overwrite(large, 0, b"\0" * PAGE)
    repair.repair(HERE)
    opened = open_for_reading(HERE)
    assert search.search(opened, f"{token(17)} words", None, 50) == before
    assert len(before[0]) == 50
    opened.close()


def files_of(path):
    return [
        run_sql(path, f"SELECT * FROM {table} ORDER BY 1, 2") for table in ("tree", "tree_file", "chunk WHERE artifact > 0")
    ] + [run_sql(path, "SELECT n, path, hash FROM artifact ORDER BY n")]


def ingested(path):
    """Notes 60 chunks of 20 files of two trees."""
    run_sql(path, "INSERT INTO tree(n, root, inode) VALUES (1, '/gone/a', 7), (2, '/gone/b', 8)")
    for number in range(1, 21):
        values = (number, f"src/f{number}.py", f"{number:040x}")
        run_sql(path, "INSERT INTO artifact(n, path, hash, language, cut_by) VALUES (?, ?, ?, 'python', 'rules 1')", values)
        for tree in (1, 2):
            run_sql(path, "INSERT INTO tree_file VALUES (?, ?, ?, 9, 5)", (tree, f"src/f{number}.py", number))
    run_sql(path, "UPDATE chunk SET artifact = 1 + n % 20")


def test_the_files_of_working_trees_are_saved_and_will_be_cut_again(large):
    ingested(large)
    before = files_of(large)
    overwrite(large, 0, b"\0" * PAGE)
    assert repair.repair(HERE)
    assert is_well()
    assert files_of(large) == before
    assert run_sql(large, "SELECT DISTINCT cut_by FROM artifact") == [("",)]


def test_evidence_that_belongs_to_no_file_is_found_and_taken_out(large):
    ingested(large)
    run_sql(large, "DELETE FROM artifact WHERE n < 3")
    run_sql(large, "DELETE FROM tree WHERE n = 2")
    report = doctor.examine(HERE, verbose=False)
    assert "28 evidence rows belong to an unknown file" in [finding.text for finding in report.findings]
    assert repair.repair(HERE)
    assert is_well()
    assert run_sql(large, "SELECT count(*), min(artifact) FROM chunk") == [(54, 3)]
    assert run_sql(large, "SELECT count(*), min(tree), max(tree) FROM tree_file") == [(18, 1, 1)]
