"""What the doctor says, of a sound memory and of every other."""

import json
import os
import shutil
import subprocess
import time

import apsw
import pytest

from memcli import project
from memcli.errors import InvalidInput, NotFound
from memcli.maintenance import diagnosis, doctor
from memcli.memory import entries
from memcli.project import Where
from memcli.store import LATEST
from tests.maintenance.conftest import DROP_FROM_INDEX, HERE, PEOPLE, files_in, git, overwrite, process, run_sql


def said(report, subject):
    return [(finding.level, finding.text) for finding in report.findings if finding.subject == subject]


def errors(report):
    return [f"{finding.text}; {finding.hint}" for finding in report.findings if finding.level == "error"]


@pytest.mark.parametrize(
    ("answer", "text"),
    [
        (None, "git cannot be run: what holds on this commit is unknown, and memories of other branches are shown as well"),
        ("not git", "git cannot be run: what holds on this commit is unknown, and memories of other branches are shown as well"),
        ("git version 2.30.1.windows.2", "git 2.30.1 is old"),
    ],
)
def test_a_git_that_is_missing_or_old_is_reported(fill, tmp_path, monkeypatch, answer, text):
    fill(count=1)
    folder = tmp_path / "bin"
    folder.mkdir()
    if answer:
        (folder / "git").write_text(f"#!/bin/sh\necho '{answer}'\n")
        (folder / "git").chmod(0o755)
    monkeypatch.setenv("PATH", str(folder))
    assert said(doctor.examine(HERE, verbose=False), "git") == [("warn", text)]


def test_a_sound_memory_is_well_in_every_respect(fill):
    path = fill(count=12, chunk_count=3)
    report = doctor.examine(HERE, verbose=False)
    assert report.ok
    assert {finding.level for finding in report.findings} == {"ok"}
    assert report.verdict() == "no problems found"
    (_, text), *_ = said(report, "store")
    assert text.startswith("14 memories, 3 chunks, 6 threads, ")
    assert f"SQLite {apsw.sqlite_lib_version()}, schema {LATEST}" in text
    assert said(report, "search") == [("ok", "index complete")]
    facts = report.as_json()
    assert facts["db"] == {"path": path, "exists": True, "size_bytes": os.path.getsize(path)}
    assert facts["fts"] == {"memories": 14, "chunks": 3, "ok": True}
    assert facts["state"] == {"valid": True, "count": 1}
    assert facts["schema"]["user_version"] == facts["schema"]["current_version"] == LATEST
    assert facts["schema"]["last_migration_at"] > 0
    assert (facts["error"], facts["suggestion"]) == (None, None)


def test_looking_changes_nothing_and_leaves_nothing_behind(fill):
    path = fill()
    folder = os.path.dirname(path)
    before = files_in(folder)
    doctor.examine(HERE, verbose=True)
    assert files_in(folder) == before


def test_a_repository_without_a_memory_is_well_and_gets_nothing(repo, tmp_path):
    report = doctor.examine(HERE, verbose=False)
    assert report.ok
    assert said(report, "store") == [("ok", "no memory yet")]
    assert not (tmp_path / "data").exists()


def test_outside_any_repository_there_is_a_warning(tmp_path, repo, monkeypatch):
    monkeypatch.chdir(tmp_path)
    report = doctor.examine(HERE, verbose=False)
    assert report.ok
    assert said(report, "repository") == [("warn", "not inside a repository")]
    assert report.verdict() == "1 warning"


def test_a_repository_or_workspace_that_does_not_exist_is_the_callers_error(fill):
    fill()
    with pytest.raises(NotFound):
        doctor.examine(Where(repo="nowhere-at-all"), verbose=False)
    with pytest.raises(NotFound):
        doctor.examine(Where(repo="/"), verbose=False)
    with pytest.raises(InvalidInput):
        doctor.examine(Where(workspace="../up"), verbose=False)


def test_the_command_prints_a_line_a_subject_and_exits_zero_only_if_well(fill, mem):
    path = fill()
    done = mem("doctor")
    assert (done.returncode, done.stderr) == (0, "")
    lines = done.stdout.splitlines()
    subjects = ["repository", "store", "search", "log", "state", "evidence", "config", "user", "harnesses"]
    assert [line.split()[1] for line in lines[:-1]] == subjects
    assert lines[-1] == "no problems found"
    overwrite(path, 0, b"x" * 5000)
    done = mem("doctor")
    assert done.returncode == 1
    assert "run mem doctor --repair" in done.stdout
    assert done.stdout.endswith("1 error\n")
    found = mem("doctor", "--json")
    assert (found.returncode, json.loads(found.stdout)["ok"], found.stderr) == (1, False, "")


def not_a_database(path):
    with open(path, "w") as file:
        file.write("Dear diary\n" * 10)


def cut(path):
    os.truncate(path, os.path.getsize(path) // 2 - 100)


def emptied(path):
    os.truncate(path, 0)


def foreign(path):
    os.unlink(path)
    run_sql(path, "CREATE TABLE cookies(x); INSERT INTO cookies VALUES (1)")


def newer(path):
    run_sql(path, "PRAGMA user_version = 99")


def linked(path):
    os.rename(path, path + ".x")
    os.symlink(path + ".x", path)


def a_directory(path):
    os.unlink(path)
    os.mkdir(path)


def a_pipe(path):
    os.unlink(path)
    os.mkfifo(path)


def negative_version(path):
    run_sql(path, "PRAGMA user_version = -5")


def without_a_table(path):
    run_sql(path, "DROP TABLE memory_link")


def with_a_trigger(path):
    run_sql(path, "CREATE TRIGGER t AFTER INSERT ON op BEGIN DELETE FROM memory; END")


def with_another_view(path):
    view = "CREATE VIEW chunk_text AS SELECT 1 AS n, load_extension('x') AS locator, 2 AS text, 3 AS tags, 4 AS words"
    run_sql(path, "DROP VIEW chunk_text; " + view)


@pytest.mark.parametrize(
    ("damage", "words"),
    [
        (not_a_database, "is not a database; run mem doctor --repair"),
        (cut, "damaged; run mem doctor --repair"),
        (emptied, "the store's file is empty; run mem doctor --repair"),
        (foreign, "another program's database; move it away"),
        (newer, f"has schema 99, newer than this mem knows ({LATEST}); upgrade"),
        (linked, "is a symbolic link; put the real file there"),
        (a_directory, "the store's path is not a regular file; move it away"),
        (a_pipe, "the store's path is not a regular file; move it away"),
        (negative_version, "run mem doctor --repair"),
        (without_a_table, "memory_link_by_target is missing; run mem doctor --repair"),
        (with_a_trigger, "trigger t is not ours; run mem doctor --repair"),
        (with_another_view, "view chunk_text was changed; run mem doctor --repair"),
    ],
)
def test_a_bad_store_is_told_in_plain_words_with_the_next_step(fill, damage, words):
    path = fill()
    damage(path)
    report = doctor.examine(HERE, verbose=False)
    assert not report.ok
    assert words in errors(report)[0]
    assert report.as_json()["error"]
    assert report.as_json()["suggestion"]


def test_a_store_that_is_gone_is_no_empty_memory_where_copies_of_it_are_left(fill, mem):
    path = fill()
    mem("backup")
    os.unlink(path)
    (gone,) = [finding for finding in doctor.examine(HERE, verbose=False).findings if finding.subject == "store"]
    assert (gone.level, gone.text) == ("warn", f"{path} is gone; 1 copy of it is still there")
    assert mem("backup", "--restore", gone.hint.split()[-1]).returncode == 0
    assert doctor.examine(HERE, verbose=False).ok


def test_a_directory_in_the_place_of_a_store_is_named(fill, mem):
    path = fill()
    os.unlink(path)
    os.mkdir(path)
    for words in (["get", "anything"], ["add", "a fact", "--summary", "x"]):
        done = mem(*words)
        assert (done.returncode, done.stderr.splitlines()) == (
            1,
            ["Error: the store's file is no regular file", f"Hint: move it away: {path}"],
        )


def test_a_log_without_its_store_is_told(fill):
    path = fill()
    os.unlink(path)
    with open(path + "-wal", "wb") as file:
        file.write(b"something")
    assert "its write-ahead log exists" in errors(doctor.examine(HERE, verbose=False))[0]
    assert os.path.getsize(path + "-wal") == 9


def test_a_log_that_makes_no_sense_is_ignored(fill):
    path = fill()
    with open(path + "-wal", "wb") as file:
        file.write(os.urandom(9000))
    assert doctor.examine(HERE, verbose=False).ok


def test_a_missing_index_entry_is_found(fill):
    path = fill()
    run_sql(path, DROP_FROM_INDEX)
    report = doctor.examine(HERE, verbose=False)
    assert said(report, "search") == [("error", "the text index does not match the texts")]
    assert report.as_json()["fts"]["ok"] is False


@pytest.mark.parametrize(
    "change",
    [
        "UPDATE memory SET title = 'another' WHERE n = 2",
        "UPDATE memory SET pinned = 1 - pinned WHERE n = 2",
        "DELETE FROM memory_link",
        "DELETE FROM thread WHERE id = 't1'",
        "UPDATE state SET body = '{}'",
        "DELETE FROM state",
        "DELETE FROM op WHERE object = (SELECT id FROM memory WHERE n = 2)",
        "DELETE FROM memory WHERE n = 2",
    ],
)
@pytest.mark.parametrize("small", [True, False])
def test_a_table_that_does_not_agree_with_the_log_is_found(fill, change, small, monkeypatch):
    path = fill()
    monkeypatch.setattr(diagnosis, "SMALL", diagnosis.SMALL if small else 0)
    run_sql(path, change)
    assert "not match the" in errors(doctor.examine(HERE, verbose=False))[0]


def test_of_very_many_objects_the_newest_are_compared_unless_every_row_is_wanted(fill, monkeypatch):
    path = fill()
    monkeypatch.setattr(diagnosis, "_FEW", 1)
    monkeypatch.setattr(diagnosis, "_SAMPLE", 1)
    assert "newest 1 objects match" in str(doctor.examine(HERE, verbose=False).as_json())
    assert "all objects match" in str(doctor.examine(HERE, verbose=True).as_json())
    run_sql(path, "UPDATE memory SET title = 'another' WHERE n = 1")
    assert "not match the" in errors(doctor.examine(HERE, verbose=True))[0]


@pytest.mark.parametrize("body", ["{", "[]", '{"title":1}', "\x00"])
def test_an_operation_that_cannot_be_understood_is_found(fill, body):
    path = fill()
    run_sql(path, "UPDATE op SET body = ? WHERE revision = 4", (body,))
    assert not doctor.examine(HERE, verbose=False).ok


def test_a_text_that_is_not_unicode_is_found(fill):
    path = fill()
    run_sql(path, "UPDATE chunk SET text = CAST(x'ff41' AS TEXT) WHERE n = 1")
    assert "UTF-8" in errors(doctor.examine(HERE, verbose=True))[0]


def test_while_another_process_writes_the_index_is_left_unchecked(fill, monkeypatch):
    path = fill()
    monkeypatch.setattr("memcli.store.integrity._PATIENCE_MS", 10)
    writer = apsw.Connection(path)
    writer.execute("BEGIN IMMEDIATE")
    report = doctor.examine(HERE, verbose=False)
    writer.close()
    assert report.ok
    assert said(report, "search")[0][0] == "warn"


def test_of_a_very_large_store_the_index_is_compared_on_demand_only(fill, monkeypatch):
    path = fill()
    run_sql(path, DROP_FROM_INDEX)
    for module in (diagnosis, doctor):
        monkeypatch.setattr(module, "LARGE", 1000)
    assert said(doctor.examine(HERE, verbose=False), "search") == [("ok", "index not checked, because the store is large")]
    assert said(doctor.examine(HERE, verbose=True), "search")[0][0] == "error"


def test_modes_leftovers_copies_and_the_settings_are_looked_at(fill, repo):
    path = fill()
    os.chmod(path, 0o644)
    for name in (".123.ab.new", ".damaged-1"):
        shutil.copy(path, path + name)
    os.utime(path + ".123.ab.new", (time.time() - 7200,) * 2)
    (repo / ".mempack").mkdir()
    (repo / ".mempack" / "config.toml").write_text("[budget]\ntotal = 99999\n")
    report = doctor.examine(HERE, verbose=False)
    assert report.ok
    texts = [f"{level} {text}" for level, text in said(report, "files") + said(report, "config")]
    assert [
        any(words in text for text in texts) for words in ("(0644)", "1 unfinished", "memory.db.damaged-1", "may only lower it")
    ] == [True] * 4


def test_a_settings_file_that_stops_every_command_is_an_error(fill, tmp_path):
    fill()
    (tmp_path / "config").mkdir(exist_ok=True)
    (tmp_path / "config" / "config.toml").write_text("[budget\n")
    report = doctor.examine(HERE, verbose=False)
    assert [level for level, _ in said(report, "config")] == ["error"]
    assert said(report, "store")[0][0] == "ok"


def test_a_data_directory_that_is_a_file_is_an_error(repo, tmp_path):
    (tmp_path / "data").write_text("x")
    assert "is not a directory" in errors(doctor.examine(HERE, verbose=False))[0]


def test_a_damaged_memory_of_ones_own_is_told_in_every_repository(fill):
    fill()
    own = project.open_for_writing(Where(user=True))
    entries.add(own, entries.NewMemory("tabs", "are fine"), "cli", anchored=False)
    own.close()
    assert said(doctor.examine(HERE, verbose=False), "user") == [("ok", "1 memory of your own")]
    overwrite(os.path.join(own.folder, "memory.db"), 0, b"\0" * 200)
    assert "mem doctor --user --repair" in errors(doctor.examine(HERE, verbose=False))[0]


def test_a_copied_directory_is_told_but_neither_a_worktree_nor_a_clone(fill, repo, tmp_path, monkeypatch):
    fill()
    git(repo, "worktree", "add", "-q", str(tmp_path / "tree"))
    shutil.copytree(repo, tmp_path / "copy")
    for folder, told in (("tree", False), ("copy", True)):
        monkeypatch.chdir(tmp_path / folder)
        found = [text for level, text in said(doctor.examine(HERE, verbose=False), "repository") if level == "warn"]
        assert bool(found) is told
    for folder in (repo, tmp_path / "copy"):
        git(folder, "remote", "add", "origin", "https://example.invalid/a.git")
    assert not [text for level, text in said(doctor.examine(HERE, verbose=False), "repository") if level == "warn"]


@pytest.mark.skipif(os.geteuid() == 0, reason="permission bits do not bind root; the next test stands in")
def test_a_read_only_store_is_read_and_its_index_left_unchecked(fill):
    path = fill()
    os.chmod(path, 0o400)
    os.chmod(os.path.dirname(path), 0o500)
    try:
        report = doctor.examine(HERE, verbose=False)
    finally:
        os.chmod(os.path.dirname(path), 0o700)
    assert (report.ok, said(report, "search")[0][0]) == (True, "warn")


@pytest.mark.skipif(os.geteuid() != 0, reason="mounting is for root")
def test_a_store_on_a_read_only_mount_is_read_and_its_index_left_unchecked(fill):
    folder = os.path.dirname(fill())
    if subprocess.run(["mount", "--bind", folder, folder], capture_output=True).returncode:
        pytest.skip("mounting is not permitted here")
    try:
        subprocess.run(["mount", "-o", "remount,ro,bind", folder], check=True)
        report = doctor.examine(HERE, verbose=False)
        repaired = process("doctor", "--repair")
    finally:
        subprocess.run(["umount", "-l", folder], check=True)
    assert (report.ok, said(report, "search")[0][0]) == (True, "warn")
    assert (repaired.returncode, repaired.stderr) == (0, "")


def test_the_first_commit_of_another_author_changes_nothing(fill, repo):
    fill()
    git(repo, *PEOPLE, "commit", "-q", "--allow-empty", "-m", "second")
    assert doctor.examine(HERE, verbose=False).ok
