"""A store that is gone or was cut off is no empty memory: commands say so as long as something of it can come back."""

import json
import os
import shutil
import subprocess
import sys

import pytest

from memcli.maintenance import doctor, repair
from memcli.store import inbox
from tests.cli.test_get_places import without_root
from tests.maintenance.conftest import HERE


def lines(done):
    return done.stderr.splitlines()


@pytest.fixture
def gone(fill, mem):
    """The path of a store that was deleted, after a backup of it was made."""
    path = fill()
    mem("backup")
    os.unlink(path)
    return path


def test_who_reads_a_store_that_is_gone_is_told_of_its_copy(gone, mem):
    for words in (["get", "anything"], ["search", "anything"], ["status"]):
        (warning,) = [line for line in lines(mem(*words)) if line.startswith("Warning: ")]
        assert warning.startswith(f"Warning: {gone} is gone; a copy of it has 14 memories: mem backup --restore "), words
    restored = mem("backup", "--restore", warning.split()[-1])
    assert (restored.returncode, restored.stderr) == (0, "")
    assert "Warning" not in mem("get", "anything").stderr


def test_a_memory_that_is_begun_anew_says_so_once_and_doctor_goes_on_naming_the_copy(gone, mem):
    assert "was gone; a copy of it has" in mem("add", "begun anew", "--summary", "x").stderr
    assert "Warning" not in mem("add", "more", "--summary", "x").stderr
    for _ in range(2):
        (named,) = [line for line in mem("doctor").stdout.splitlines() if "begun anew" in line]
        assert named.startswith("warn")
        assert "has 14 memories; mem backup --restore " in named
    assert mem("backup", "--restore", named.split("--restore ")[1].split(";")[0]).returncode == 0
    assert "begun anew" not in mem("doctor").stdout


@pytest.fixture
def kept(fill, mem, tmp_path):
    """The path of a copy that is kept elsewhere, of a store whose whole data directory was deleted."""
    fill()
    shelf = tmp_path / "shelf"
    shelf.mkdir()
    mem("backup", str(shelf))
    shutil.rmtree(tmp_path / "data")
    (copy,) = shelf.iterdir()
    return copy


def test_a_copy_that_is_kept_elsewhere_is_named_even_where_all_data_is_gone(kept, mem):
    for words in (["get", "anything"], ["recent"], ["status"]):
        (warning,) = lines(mem(*words))
        assert warning.endswith(f"is gone; a copy of it has 14 memories: mem backup --restore {kept}"), words
    (found,) = [line for line in mem("doctor").stdout.splitlines() if line.startswith("warn")]
    assert found.endswith(f"the newest comes back with: mem backup --restore {kept}")
    assert mem("backup", "--restore", str(kept)).returncode == 0
    assert "no problems found" in mem("doctor").stdout


def test_who_erases_a_text_is_told_of_the_copy_that_is_kept_elsewhere(repo, mem, tmp_path):
    mem("add", "The door code", "--summary", "it is blue")
    mem("backup", str(tmp_path / "copy.db"))
    done = mem("forget", "--erase", json.loads(mem("recent", "--json").stdout)[0]["id"])
    assert f"Warning: a copy that mem backup wrote may have the text: {tmp_path}/copy.db; delete it, and make a new one" in lines(
        done
    )


def test_doctor_names_a_copy_of_the_own_memory_that_is_gone(repo, mem, tmp_path):
    mem("add", "A wish", "--summary", "x", "--user")
    mem("backup", "--user")
    (tmp_path / "data/user/memory.db").unlink()
    (found,) = [line for line in mem("doctor").stdout.splitlines() if line.startswith("warn")]
    assert found.split()[1] == "user"
    assert "mem backup --user --restore " in found


def test_a_backup_of_what_was_begun_anew_does_not_hide_the_copy_of_before(kept, mem):
    mem("add", "begun anew", "--summary", "x")
    mem("backup", str(kept.parent))
    (found,) = [line for line in mem("doctor").stdout.splitlines() if "begun anew" in line]
    assert found.endswith(f"has 14 memories; mem backup --restore {kept}; or delete the copy")


def test_nothing_is_said_of_a_copy_that_is_gone_or_was_replaced_by_one_of_another_memory(kept, mem, repo, monkeypatch):
    kept.rename(kept.parent / "aside")
    assert not lines(mem("recent"))
    other = repo.parent / "other"
    subprocess.run(["git", "init", "-q", str(other)], check=True)
    monkeypatch.chdir(other)
    mem("add", "of another memory", "--summary", "x")
    mem("backup", str(kept))
    monkeypatch.chdir(repo)
    assert not lines(mem("recent"))


def test_events_of_a_store_that_is_gone_wait_for_it(gone, mem, repo):
    event = json.dumps({"session_id": "s", "cwd": str(repo), "prompt": "what of the queue?"})
    command = [sys.executable, "-m", "memcli", "hook", "user-prompt", "--harness", "claude"]
    done = subprocess.run(command, input=event, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout) == (0, "")
    assert inbox.spooled(os.path.dirname(gone)).events == 1
    assert not os.path.exists(gone)


def test_events_of_a_store_whose_directory_is_closed_wait_in_the_data_directory(terminal):
    terminal.add("A fact", "x")
    folder = os.path.dirname(terminal.mem("doctor", "--json").json["db"]["path"])
    event = json.dumps({"session_id": "s", "cwd": str(terminal.folder), "prompt": "what of the queue?"})
    os.chmod(folder, 0)
    try:
        done = without_root(terminal, "hook", "user-prompt", "--harness", "claude", stdin=event)
    finally:
        os.chmod(folder, 0o700)
    assert (done.returncode, done.stdout) == (0, "")
    assert "the event waits in a file until it can be stored" in done.stderr
    assert terminal.mem("status", "--json").json["waiting"] == 1


def test_a_repair_says_how_much_was_cut_off_and_doctor_remembers_it(fill, mem):
    path = fill(count=1_500, chunk_count=0)
    before = doctor.examine(HERE, verbose=False).facts["fts"]["memories"]
    os.truncate(path, os.path.getsize(path) * 6 // 10)
    actions = repair.repair(HERE)
    (said,) = [action for action in actions if action.startswith("about ")]
    after = doctor.examine(HERE, verbose=False)
    lost = before - after.facts["fts"]["memories"]
    assert lost > 50
    assert int(said.split()[1].replace(",", "")) >= lost * 0.9
    assert any("pages of it were cut off" in action for action in actions)
    (noted,) = [finding for finding in after.findings if "missing since the repair of" in finding.text]
    assert (noted.level, noted.text.split(" missing")[0]) == ("ok", said.split(" missing")[0])


def test_a_repair_says_what_a_copy_has_and_its_restore_ends_the_note(fill, mem):
    path = fill(count=300, chunk_count=0)
    mem("backup")
    has = doctor.examine(HERE, verbose=False).facts["fts"]["memories"]
    os.truncate(path, os.path.getsize(path) * 6 // 10)
    said = mem("doctor", "--repair").stdout
    assert f"has {has} memories" in said
    assert "missing since the repair" in mem("doctor").stdout
    (noted,) = [line for line in mem("doctor").stdout.splitlines() if "missing since the repair" in line]
    assert noted.startswith("warn")
    assert f"has {has} memories; mem backup --restore " in noted
    (named,) = [line for line in said.splitlines() if "may hold what is missing: mem backup --restore " in line]
    assert mem("backup", "--restore", named.split()[-1]).returncode == 0
    assert "missing since the repair" not in mem("doctor").stdout


def test_a_directory_that_cannot_be_read_is_a_finding(terminal):
    terminal.add("A fact", "x")
    folder = os.path.dirname(terminal.mem("doctor", "--json").json["db"]["path"])
    os.chmod(folder, 0)
    try:
        done = without_root(terminal, "doctor")
    finally:
        os.chmod(folder, 0o700)
    assert done.returncode == 1
    assert f"error store        permission denied: {folder}; let yourself read it" in done.stdout
    assert "harnesses" in done.stdout
