"""mem backup: a copy while others write, and the way back to one, which keeps what it replaces."""

from __future__ import annotations

import os
import shutil
import signal
import sqlite3
import subprocess
import sys
import time
from pathlib import Path

import pytest

from memcli.store import LATEST
from scripts import old_stores
from tests.cli.test_get_places import without_root
from tests.conftest import Terminal

FACT = "Session tokens live in Postgres"


def titles(terminal: Terminal) -> set[str]:
    """The titles of all memories."""
    return {item["title"] for item in terminal.mem("recent", "--limit", "10000", "--json").json}


def beside(terminal: Terminal, label: str) -> list[Path]:
    """The copies with a label beside the store."""
    return sorted(terminal.store.parent.glob(f"memory.db.{label}-*"))


def test_a_memory_is_copied_and_restored_and_the_restore_taken_back(terminal: Terminal, tmp_path: Path) -> None:
    terminal.add(FACT)
    made = terminal.mem("backup", str(tmp_path / "copy.db"))
    assert made.out.startswith(f"Copied 1 memory to {tmp_path}/copy.db (")
    assert (tmp_path / "copy.db").stat().st_mode & 0o777 == 0o600
    terminal.add("Later")
    restored = terminal.mem("backup", "--restore", str(tmp_path / "copy.db")).out.splitlines()
    assert restored[0] == "Restored 1 memory, up to revision 2"
    assert titles(terminal) == {FACT}
    assert terminal.titles("session tokens") == [FACT]
    terminal.mem(*restored[1].removeprefix("Take it back with: mem ").split())
    assert titles(terminal) == {FACT, "Later"}
    assert terminal.add("Newest")
    assert "no problems found" in terminal.mem("doctor").out


def test_a_directory_is_answered_with_the_newest_copy_in_it(terminal: Terminal, tmp_path: Path) -> None:
    terminal.add(FACT)
    (shelf := tmp_path / "shelf").mkdir()
    hint = "give the path of a copy"
    assert terminal.mem("backup", "--restore", str(shelf), fails=2).err == f"Error: {shelf} is a directory\nHint: {hint}\n"
    for moment in (2, 1):
        copy = terminal.mem("backup", str(shelf), "--json").json["path"]
        os.utime(copy, (moment, moment))
    newest = max(shelf.iterdir(), key=os.path.getmtime)
    assert (
        f"the newest copy in it: mem backup --restore {newest}\n" in terminal.mem("backup", "--restore", str(shelf), fails=2).err
    )


def test_a_place_that_cannot_be_written_is_named(terminal: Terminal, tmp_path: Path) -> None:
    terminal.add(FACT)
    (closed := tmp_path / "closed").mkdir(mode=0o500)
    refused = without_root(terminal, "backup", str(closed / "copy.db"))
    assert refused.returncode == 1
    assert refused.stderr.startswith(f"Error: {closed}/copy.db cannot be written\n")


def test_without_a_path_the_newest_five_stay_beside_the_store(terminal: Terminal) -> None:
    terminal.add(FACT)
    made = [terminal.mem("backup", "--json").json for _ in range(7)]
    assert [os.path.basename(path) for copy in made for path in copy["removed"]] == [
        os.path.basename(copy["path"]) for copy in made[:2]
    ]
    assert len(beside(terminal, "backup")) == 5
    terminal.mem("gc")
    assert len(beside(terminal, "backup")) == 5
    assert "older than 30 days; those of mem backup stay\n" in terminal.mem("doctor").out
    terminal.mem("forget", "--erase", terminal.add("Wrong, and secret"))
    assert beside(terminal, "backup") == [], "an erased text is in no copy that mem keeps"


def test_a_directory_gets_a_file_of_its_own(terminal: Terminal, tmp_path: Path) -> None:
    terminal.add(FACT)
    (tmp_path / "copies").mkdir()
    for _ in range(2):
        terminal.mem("backup", str(tmp_path / "copies"))
    assert len(list((tmp_path / "copies").glob("memory-*.db"))) == 2


def test_a_copy_made_while_others_write_is_whole(terminal: Terminal, tmp_path: Path) -> None:
    terminal.add(FACT)
    code = "for i in $(seq 30); do echo $i; " + f"'{sys.executable}' -m memcli add Fact-$i --summary s >/dev/null; done"
    writer = subprocess.Popen(["sh", "-c", code], cwd=terminal.folder, env=terminal.env, stdout=subprocess.PIPE)
    counts = []
    while writer.poll() is None:
        copy = tmp_path / f"copy-{len(counts)}.db"
        counts.append(terminal.mem("backup", str(copy), "--json").json["memories"])
        assert sqlite3.connect(copy).execute("PRAGMA integrity_check").fetchone() == ("ok",)
    assert counts == sorted(counts)
    assert len(titles(terminal)) == 31


def test_a_restore_while_others_write_loses_neither_side(terminal: Terminal, tmp_path: Path) -> None:
    """What is acknowledged before the restore is in the copy it keeps, what comes later is in the memory."""
    terminal.add(FACT)
    terminal.mem("backup", str(tmp_path / "copy.db"))
    code = "for i in $(seq 20); do " + f"'{sys.executable}' -m memcli add Fact-$i --summary s >/dev/null && echo Fact-$i; done"
    writer = subprocess.Popen(["sh", "-c", code], cwd=terminal.folder, env=terminal.env, stdout=subprocess.PIPE, text=True)
    while terminal.mem("status", "--json").json["memories"] < 4:
        time.sleep(0.05)
    restored = terminal.mem("backup", "--restore", str(tmp_path / "copy.db"), "--json").json
    acknowledged = set(writer.communicate()[0].split())
    assert acknowledged == {f"Fact-{number}" for number in range(1, 21)}
    kept = sqlite3.connect(restored["kept"])
    before = {title for (title,) in kept.execute("SELECT title FROM memory")}
    assert acknowledged <= before | titles(terminal)


def test_a_restore_that_is_killed_leaves_the_old_memory_or_the_new_one(terminal: Terminal, tmp_path: Path) -> None:
    terminal.add(FACT)
    terminal.mem("backup", str(tmp_path / "copy.db"))
    terminal.add("Later")
    for wait in (0.05, 0.1, 0.15, 0.2, 0.25):
        words = [sys.executable, "-m", "memcli", "backup", "--restore", str(tmp_path / "copy.db")]
        process = subprocess.Popen(words, cwd=terminal.folder, env=terminal.env, stdout=subprocess.DEVNULL)
        time.sleep(wait)
        process.send_signal(signal.SIGKILL)
        process.wait()
        assert titles(terminal) in ({FACT, "Later"}, {FACT})
        assert "problems found" in terminal.mem("doctor").out


def test_a_damaged_memory_is_restored(terminal: Terminal, tmp_path: Path) -> None:
    terminal.add(FACT)
    terminal.mem("backup", str(tmp_path / "copy.db"))
    terminal.store.write_bytes(b"damaged " * 9000)
    restored = terminal.mem("backup", "--restore", str(tmp_path / "copy.db"), "--json").json
    assert titles(terminal) == {FACT}
    assert Path(restored["kept"]).read_bytes() == b"damaged " * 9000


def test_a_copy_of_an_older_schema_is_brought_up_to_date(terminal: Terminal, tmp_path: Path) -> None:
    terminal.add(FACT)
    old_stores.older(terminal.store, 12, tmp_path / "old.db")
    before = (tmp_path / "old.db").read_bytes()
    terminal.add("Later")
    terminal.mem("backup", "--restore", str(tmp_path / "old.db"))
    assert titles(terminal) == {FACT}
    assert (tmp_path / "old.db").read_bytes() == before
    assert "no problems found" in terminal.mem("doctor").out


def test_a_new_machine_takes_any_copy_and_another_memory_none(terminal: Terminal, tmp_path: Path) -> None:
    terminal.add(FACT)
    terminal.mem("backup", str(tmp_path / "copy.db"))
    old = terminal.store.parent.name
    terminal.mem("init", "--no-git", str(tmp_path / "home"))
    other = terminal.at(tmp_path / "home")
    refused = other.mem("backup", "--restore", str(tmp_path / "copy.db"), fails=2)
    assert refused.err == f"Error: this is a copy of another memory: work ({old})\nHint: restore it there: --repo {old}\n"
    shutil.rmtree(terminal.data)
    shutil.rmtree(terminal.folder / ".git/mempack")
    assert terminal.mem("backup", "--restore", str(tmp_path / "copy.db"), "--json").json["kept"] == ""
    assert titles(terminal) == {FACT}
    assert terminal.store.parent.name != old
    assert "no problems found" in terminal.mem("doctor").out


def foreign(path: Path) -> None:
    base = sqlite3.connect(path)
    base.execute("CREATE TABLE t(x)")
    base.commit()


def newer(path: Path) -> None:
    base = sqlite3.connect(path)
    base.executescript(f"PRAGMA application_id = 1835363633; PRAGMA user_version = {LATEST + 1}; CREATE TABLE t(x)")


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda path: path.write_bytes(b""), "is not a copy of a memory"),
        (lambda path: path.write_bytes(b"text " * 1000), "is not a copy of a memory"),
        (foreign, "is not a copy of a memory"),
        (newer, "was made by a newer mem"),
        (lambda path: path.write_bytes(path.read_bytes()[:8192] + b"\0" * 200_000), "is no"),
    ],
)
def test_what_is_no_copy_changes_nothing(terminal: Terminal, tmp_path: Path, make: object, message: str) -> None:
    terminal.add(FACT)
    path = tmp_path / "copy.db"
    terminal.mem("backup", str(path))
    if make in (foreign, newer):
        path.unlink()
    make(path)  # type: ignore[operator]
    before = terminal.store.read_bytes()
    assert message in terminal.mem("backup", "--restore", str(path), fails=1).err
    assert terminal.store.read_bytes() == before
    assert sorted(os.listdir(terminal.store.parent)) == ["memory.db", "reserve.free"]


def test_bad_paths_are_refused(terminal: Terminal, tmp_path: Path) -> None:
    assert "nothing is stored here yet" in terminal.mem("backup", fails=3).err
    assert "no file" in terminal.mem("backup", "--restore", "nofile", fails=3).err
    assert not terminal.data.exists()
    terminal.add(FACT)
    (tmp_path / "there").write_text("mine")
    assert "exists" in terminal.mem("backup", str(tmp_path / "there"), fails=2).err
    assert (tmp_path / "there").read_text() == "mine"
    assert "no directory" in terminal.mem("backup", str(tmp_path / "no/copy.db"), fails=2).err
    assert "no copy is given" in terminal.mem("backup", "--restore", fails=2).err
    terminal.store.write_bytes(b"damaged " * 9000)
    assert terminal.mem("backup", str(tmp_path / "copy.db"), fails=1).err.startswith("Error: ")
    assert not (tmp_path / "copy.db").exists()


def test_undo_stops_at_a_restore_and_says_how_that_is_taken_back(terminal: Terminal, tmp_path: Path) -> None:
    terminal.add("Older")
    terminal.add(FACT)
    terminal.mem("backup", str(tmp_path / "copy.db"))
    terminal.add("Later")
    back = terminal.mem("backup", "--restore", str(tmp_path / "copy.db")).out.splitlines()[1].partition(": ")[2]
    for _ in range(2):
        refused = terminal.mem("undo", fails=2).err
        assert refused.startswith("Error: undo stops at the copy that was restored\n")
        assert f"take the restore back with: {back}; " in refused
        assert titles(terminal) == {"Older", FACT}
        terminal.add("After the restore")
        terminal.mem("undo")
    terminal.mem(*terminal.mem("undo", fails=2).err.strip().rpartition("to undo what is older: mem ")[2].split())
    assert titles(terminal) == {"Older"}


def test_who_restores_a_file_by_the_verb_of_forgotten_memories_is_told_the_other(terminal: Terminal, tmp_path: Path) -> None:
    terminal.add(FACT)
    terminal.mem("backup", str(tmp_path / "copy.db"))
    hint = f"Hint: did you mean: mem backup --restore {tmp_path}/copy.db\n"
    assert terminal.mem("restore", str(tmp_path / "copy.db"), fails=3).err.endswith(hint)
