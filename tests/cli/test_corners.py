"""What people stumbled over: small answers that have to say enough."""

from __future__ import annotations

import json
import os
import stat
from pathlib import Path

import pytest

from tests.conftest import Terminal
from tests.sync import stores


def test_an_import_that_was_undone_can_be_made_again(terminal: Terminal) -> None:
    rows = "".join(
        json.dumps({"title": f"Fact {n}", "summary": "s", "source_id": str(n), "thread": "facts"}) + "\n" for n in range(3)
    )
    terminal.mem("import", "-", stdin=rows)
    terminal.mem("undo")

    assert terminal.mem("import", "-", stdin=rows).out == "3 new, 0 changed, 0 unchanged\n"
    assert {one["title"] for one in terminal.mem("recent", "--json").json} == {"Fact 0", "Fact 1", "Fact 2"}
    assert [thread["thread_id"] for thread in terminal.mem("threads", "--json").json] == ["facts"]


def test_an_import_does_not_bring_back_what_somebody_forgot_and_says_so(terminal: Terminal) -> None:
    row = json.dumps({"title": "Fact", "summary": "s", "source_id": "1"}) + "\n"
    terminal.mem("import", "-", stdin=row)
    terminal.mem("forget", terminal.mem("recent").id)

    said = terminal.mem("import", "-", stdin=row).out
    assert said.startswith("0 new, 0 changed, 0 unchanged, 1 forgotten here")
    assert terminal.mem("import", "-", "--json", stdin=row).json["forgotten"] == 1
    assert terminal.mem("recent", "--json").json == []


def test_undoing_a_large_import_lists_a_few_operations_and_counts_the_rest(terminal: Terminal) -> None:
    rows = "".join(json.dumps({"title": f"Fact {n}", "summary": "s", "source_id": str(n)}) + "\n" for n in range(50))
    terminal.mem("import", "-", stdin=rows)
    lines = terminal.mem("undo").out.splitlines()

    assert len(lines) == 22
    assert lines[-1].strip() == "and 31 more operations"


def test_a_correction_is_told_as_the_store_writes_the_word(terminal: Terminal) -> None:
    terminal.add("Session tokens live in Postgres", "Kubernetes indexes and migrations of the business.")
    for typed, meant in {"postgress": "postgres", "kuberntes": "kubernetes", "bussines": "business", "indxes": "indexes"}.items():
        assert f"Read as: {typed} → {meant}." in terminal.mem("get", typed).out


def test_a_date_finds_its_day_and_not_every_number_in_it(terminal: Terminal) -> None:
    terminal.add("Pool amb 14", "Mentions no date.")
    found = terminal.mem("search", "2026-03-01", "--json").json
    assert [one["title"] for one in found] == ["Pool amb 14"]  # the day it was written
    assert terminal.mem("search", "2026-05-14", "--json").json == []


def test_a_budget_too_small_for_any_memory_says_that_some_match(terminal: Terminal) -> None:
    terminal.add("Session tokens live in Postgres", "Redis evicted them.")
    assert "1 memory matches, but none fits" in terminal.mem("get", "session", "--budget", "5").err
    assert terminal.mem("get", "session").err == ""


def test_an_id_that_is_too_short_or_missing_is_called_so(terminal: Terminal) -> None:
    terminal.add("Session tokens live in Postgres", "Redis evicted them.")
    assert "M- is too short for an id" in terminal.mem("show", "M-", fails=3).err
    assert "an id is missing" in terminal.mem("show", "", fails=3).err


def test_a_clone_finds_what_was_stored_before_the_origin_was_added(terminal: Terminal) -> None:
    terminal.add("Session tokens live in Postgres", "Redis evicted them.")
    terminal.commit("first")
    url = "https://example.invalid/acme/shop.git"
    terminal.git("remote", "add", "origin", url)
    terminal.add("Tokens expire after a day", "Less to steal.")
    terminal.git("clone", "-q", ".", "../clone")
    clone = terminal.at(terminal.folder.parent / "clone")
    clone.git("remote", "set-url", "origin", url)

    assert "Session tokens live in Postgres" in clone.mem("get", "session tokens").out


def test_doctor_names_two_memories_of_one_origin(terminal: Terminal) -> None:
    terminal.add("Session tokens live in Postgres", "Redis evicted them.")
    terminal.commit("first")
    terminal.git("clone", "-q", ".", "../clone")
    clone = terminal.at(terminal.folder.parent / "clone")
    clone.git("remote", "set-url", "origin", "https://example.invalid/acme/shop.git")
    clone.add("Written first under this origin", "In the clone.")
    terminal.git("remote", "add", "origin", "https://example.invalid/acme/shop.git")

    assert "belongs to the same origin" in terminal.mem("doctor").out
    assert "belongs to the same origin" not in clone.mem("doctor").out


def test_a_data_directory_is_the_same_wherever_one_stands(terminal: Terminal) -> None:
    terminal.env["MEMPACK_DATA_DIR"] = "data"
    for words in (("recent",), ("add", "fact", "--summary", "why"), ("doctor",)):
        refused = terminal.process(*words, fails=2)
        assert refused.err.startswith("Error: MEMPACK_DATA_DIR is not an absolute path: 'data'\nHint: ")
    assert not (terminal.folder / "data").exists()
    terminal.env["MEMPACK_DATA_DIR"] = "~/kept"
    terminal.process("add", "fact", "--summary", "why")
    assert (Path(terminal.env["HOME"]) / "kept/repos").is_dir()


def test_a_data_directory_that_is_a_file_is_no_empty_memory(terminal: Terminal) -> None:
    path = Path(terminal.env["HOME"]) / "file"
    path.write_text("")
    terminal.env["MEMPACK_DATA_DIR"] = str(path)
    assert terminal.process("recent", fails=1).err.startswith(f"Error: no directory: {path}\nHint: ")
    assert f"no directory: {path}" in terminal.process("add", "fact", "--summary", "why", fails=1).err


def test_a_store_that_is_gone_while_its_log_waits_is_no_empty_memory(terminal: Terminal) -> None:
    terminal.add("Deploys run nightly")
    log = terminal.store.with_name("memory.db-wal")
    log.write_bytes(b"what was written last")
    terminal.store.unlink()
    for words in (("recent",), ("add", "fact", "--summary", "why")):
        assert "is gone, but not its -wal file" in terminal.mem(*words, fails=1).err
    assert log.read_bytes() == b"what was written last"


def test_settings_of_the_other_mempack_stop_nothing_and_are_named_in_one_line(terminal: Terminal) -> None:
    path = terminal.data.parent / "config" / "config.toml"
    path.parent.mkdir(exist_ok=True)
    path.write_text(
        'data_dir = "/x"\nactive_repo = "r_1"\ntoken_budget = 2500\n[repo_cache]\n"/x" = "r_1"\n[budget]\ntotal = 900\n'
    )
    terminal.add("Kept")
    assert terminal.mem("config", "get", "budget.total").out.strip() == "900"
    line = next(line for line in terminal.mem("doctor").out.splitlines() if " config " in line)
    assert line.startswith("ok ")
    assert line.endswith("data_dir, active_repo, token_budget, repo_cache: of another mempack, passed by")
    terminal.mem("config", "set", "budget.total", "800")
    assert 'active_repo = "r_1"' in path.read_text()

    path.write_text('active_repo = "r_1"\nno_such = 1\n')
    assert terminal.mem("get", "x", fails=2).err == f"Error: no_such: no such setting\nHint: correct {path}\n"


def test_a_store_of_the_other_mempack_among_ours_is_named_and_is_none_of_ours(terminal: Terminal) -> None:
    terminal.add("Kept")
    path = stores.mempack(terminal.data / "repos" / "r_1" / "memory.db", 2)
    before = path.read_bytes()
    listed = terminal.mem("repos")
    assert "1 store of another mempack, passed by" in listed.err
    assert ("r_1" in listed.out, len(listed.out.splitlines())) == (False, 1)
    assert "no repository r_1" in terminal.mem("use", "r_1", fails=3).err
    assert "no repository r_1" in terminal.mem("doctor", "--repo", "r_1", fails=3).err
    assert path.read_bytes() == before
    assert not path.with_name("memory.db-wal").exists()


def test_what_is_exported_is_for_the_person_alone(terminal: Terminal) -> None:
    terminal.add("Kept")
    path = terminal.folder / "out.jsonl"
    before = os.umask(0)
    try:
        terminal.mem("export", str(path))
    finally:
        os.umask(before)
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    path.chmod(0o644)
    terminal.mem("export", str(path))
    assert stat.S_IMODE(path.stat().st_mode) == 0o644, "who chose that had a reason"


def test_everything_is_for_the_person_alone_whatever_the_umask_says(terminal: Terminal) -> None:
    before = os.umask(0)
    try:
        terminal.process("add", "Kept", "--summary", "s")
        terminal.mem("hook", "user-prompt", stdin='{"session_id": "s", "prompt": "hello there"}')
    finally:
        os.umask(before)
    places = [terminal.data, *terminal.data.rglob("*")]
    assert [path for path in places if path.stat().st_mode & 0o077] == []


@pytest.mark.parametrize("address", ["JaVaScRiPt://x", "data://text/html,x", "vbscript://x", "file:///etc/passwd"])
def test_a_memory_is_linked_to_no_script_and_no_file_by_its_address(terminal: Terminal, address: str) -> None:
    made = terminal.add("Kept")
    assert "not a web address" in terminal.mem("link", made, "see", address, fails=2).err
    terminal.mem("link", made, "see", "https://example.org/a")


def test_the_log_of_hooks_keeps_nothing_of_an_event_that_it_does_not_know(terminal: Terminal) -> None:
    terminal.add("Kept")
    terminal.mem("hook", "hunter2-as-an-event", stdin="{}")
    log = (terminal.data / "logs" / "hook.log").read_text()
    assert "no such event" in log
    assert "hunter2" not in log


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can leave files that a person cannot open")
def test_a_first_use_under_sudo_leaves_nothing_of_roots_in_a_home(terminal: Terminal) -> None:
    os.chown(terminal.data.parent / "home", 65_534, 65_534)
    sudo = {"SUDO_UID": "65534", "MEMPACK_DATA_DIR": str(terminal.data.parent / "home" / "data")}
    refused = terminal.process("add", "Kept", "--summary", "s", env=sudo, fails=1)
    assert refused.err.endswith("\nHint: run mem without sudo\n")
    assert not (terminal.data.parent / "home" / "data").exists()
    terminal.process("add", "Kept", "--summary", "s", env={"SUDO_UID": "65534"})  # a directory of root's own


def test_where_git_is_missing_the_hint_is_to_install_it(terminal: Terminal) -> None:
    (terminal.folder / "a.py").write_text("a = 1\n")
    terminal.git("add", "a.py")
    terminal.git("-c", "user.name=A", "-c", "user.email=a@example.invalid", "commit", "-qm", "a")
    terminal.add("A fact")
    for words in (["ingest"], ["why", "a.py:1"]):
        refused = terminal.process(*words, env={"PATH": "/nowhere"}, fails=1).err
        assert refused.endswith("git is not on PATH\nHint: install git, or add it to PATH\n"), words


def test_what_is_asked_of_one_file_is_answered_for_that_file(terminal: Terminal) -> None:
    (terminal.folder / "a.py").write_text("a = 1\n")
    terminal.mem("ingest")
    assert terminal.mem("chunks", "b.py").out == "no chunks of b.py; see mem chunks\n"


def test_a_wrong_name_of_a_setting_is_answered_with_the_near_ones(terminal: Terminal) -> None:
    assert "did you mean: worker.idle_seconds\n" in terminal.mem("config", "get", "worker", fails=3).err
    assert "did you mean: budget.total" in terminal.mem("config", "set", "budget.totl", "1", fails=3).err
    assert "see mem config list" in terminal.mem("config", "get", "xyzzy", fails=3).err


def test_a_setting_is_not_changed_in_a_file_that_cannot_be_read_which_is_named_as_elsewhere(
    terminal: Terminal, tmp_path: Path
) -> None:
    terminal.mem("config", "set", "budget.total", "2000")
    path = Path(terminal.env["MEMPACK_CONFIG_DIR"]) / "config.toml"
    path.write_text("budget = [")
    assert terminal.mem("config", "set", "budget.total", "1", fails=2).err == terminal.mem("recent", fails=2).err


def test_a_wrong_clock_is_named(terminal: Terminal) -> None:
    assert "Error: MEMPACK_CLOCK: not a date: 'noon'\n" in terminal.process("recent", env={"MEMPACK_CLOCK": "noon"}, fails=2).err
