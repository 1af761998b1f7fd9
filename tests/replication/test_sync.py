"""Two people share a memory through the remote that they have already."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.conftest import Terminal
from tests.replication.conftest import Machine, bytes_of, copied, snapshot, texts_of

Team = Callable[..., Machine]
JOE = "joe"


def test_what_is_shared_is_known_to_the_other_under_the_same_id(machine: Team) -> None:
    ada, ben = machine("ada"), machine("ben")
    memory = ada.shared("Use PostgreSQL 16", "MERGE is needed", "--thread", "database", "--tags", "sql")
    assert ada.mem("sync").out == "pulled nothing new\npushed 3 changes\n"

    assert ben.mem("sync").out == "pulled 3 changes\npushed nothing new\n"  # who shares nothing sends no name
    shown = ben.mem("show", memory, "--json").json["memory"]
    assert (shown["title"], shown["thread_id"], shown["tags"]) == ("Use PostgreSQL 16", "database", ["sql"])
    assert "by another writer" in ben.mem("get", "which database").out
    assert ben.mem("sync").out == "pulled nothing new\npushed nothing new\n"


def test_nothing_leaves_before_it_is_shared(machine: Team, remote: Path, terminal: Terminal) -> None:
    ada = machine("ada")
    ada.add("Private thought")
    ada.mem("note", "add", "Private note")
    ada.mem("profile", "set", "editor", "private-vim")
    ada.mem("checkpoint", "--state-json", '"private state"', "--reason", "private reason")
    assert ada.mem("sync", "--dry-run").out == "Nothing would leave. Share memories with: mem share ID\n"
    ada.mem("sync")
    ada.shared("Public fact")
    ada.mem("sync")
    assert "Public fact" in texts_of(remote, terminal.git)
    assert "rivate" not in texts_of(remote, terminal.git)


def test_a_dry_run_prints_exactly_what_would_leave(machine: Team, remote: Path, terminal: Terminal) -> None:
    ada = machine("ada")
    ada.shared("Public fact")
    lines = [
        json.dumps(line, separators=(",", ":"), sort_keys=True)
        for line in ada.mem("sync", "push", "--dry-run", "--json").json["outgoing"]
    ]
    assert texts_of(remote, terminal.git) == ""
    ada.mem("sync")
    assert all(line in texts_of(remote, terminal.git) for line in lines)


def test_no_directory_of_the_machine_and_no_address_leaves(machine: Team, remote: Path, terminal: Terminal) -> None:
    ada = machine("ada")
    own = f"{ada.folder}/src/db.py, {ada.env['HOME']}/notes.txt"
    places = f"see {own}, /home/{JOE}/x.py and C:\\Users\\{JOE}\\y.py; ask {JOE}@example.org"
    memory = ada.shared("Where things are", places)
    ada.mem("sync")
    left = texts_of(remote, terminal.git)
    assert "see src/db.py, " in left
    assert not [text for text in (str(ada.folder), ada.env["HOME"], JOE, "example.org", "a@example.invalid") if text in left]
    assert places in ada.mem("show", memory).out


def test_changes_of_both_sides_meet(machine: Team, later: Callable[[str], None]) -> None:
    ada, ben = machine("ada"), machine("ben")
    memory = ada.shared("Title", "Summary")
    ada.mem("sync")
    ben.mem("sync")
    later("2026-03-02T12:00:00Z")
    ada.mem("update", memory, "--title", "Title by Ada")
    later("2026-03-02T12:00:01Z")
    ben.mem("update", memory, "--summary", "Summary by Ben")
    for member in (ada, ben, ada):
        member.mem("sync")
    for member in (ada, ben):
        shown = member.mem("show", memory, "--json").json["memory"]
        assert (shown["title"], shown["summary"]) == ("Title by Ada", "Summary by Ben")


def test_what_one_forgets_is_gone_for_the_other_whatever_is_edited_later(machine: Team, later: Callable[[str], None]) -> None:
    ada, ben = machine("ada"), machine("ben")
    memory = ada.shared("Old news")
    ada.mem("sync")
    ben.mem("sync")
    ada.mem("forget", memory)
    later("2026-03-02T12:00:00Z")
    ben.mem("update", memory, "--title", "Old news, edited later")
    for member in (ada, ben, ada):
        member.mem("sync")
    assert ada.known() == ben.known() == set()
    ben.mem("restore", memory)
    for member in (ben, ada):
        member.mem("sync")
    assert ada.known() == {"Old news, edited later"}


@pytest.mark.parametrize("first", ["ada", "ben"])
def test_two_successors_of_one_memory_are_both_shown_and_flagged(machine: Team, first: str, later: Callable[[str], None]) -> None:
    ada, ben = machine("ada"), machine("ben")
    old = ada.shared("We use Redis")
    ada.mem("sync")
    ben.mem("sync")
    successors = {"ada": (ada, "We use Valkey"), "ben": (ben, "We use memcached")}
    for member, title in (successors.pop(first), *successors.values()):
        member.mem("supersede", old, "--title", title, "--summary", "better")
        later("2026-03-01T18:00:00Z")
    for member in (ada, ben, ada):
        member.mem("sync")
    for member in (ada, ben):
        memories = member.mem("get", "which cache we use", "--format", "json").json["top_memories"]
        assert {memory["title"] for memory in memories} == {"We use Valkey", "We use memcached"}
        assert all(memory["contested_by"] for memory in memories)


def test_what_somebody_wrote_is_found_by_their_name_alone(machine: Team) -> None:
    ada, ben = machine("ada"), machine("ben")
    ada.mem("config", "set", "sync.author", "Ada King")
    ada.shared("Tokens live in Postgres")
    ben.shared("The login is lazy")
    for member in (ada, ben, ada):
        member.mem("sync")

    for member in (ada, ben):
        for name, title in (("Ada King", "Tokens live in Postgres"), ("ben", "The login is lazy")):
            assert [hit["title"] for hit in member.mem("search", name, "--json").json] == [title]
    assert "Tokens live in Postgres" in ben.mem("get", "Ada King", "--format", "prompt").out


def test_rules_share_by_kind_thread_and_origin(machine: Team) -> None:
    ada = machine("ada")
    ada.add("A decision", "s", "--kind", "decision", "--thread", "api")
    ada.add("A note", "s", "--kind", "note", "--thread", "api")
    ada.add("A decision elsewhere", "s", "--kind", "decision", "--thread", "private")
    ada.mem("config", "set", "sync.kinds", "decision")
    ada.mem("config", "set", "sync.threads", "api")
    ada.mem("unshare", ada.add("A decision for myself", "s", "--kind", "decision", "--thread", "api"))
    left = ada.mem("sync", "--dry-run").out
    assert "A decision" in left
    assert "A note" not in left
    assert "elsewhere" not in left
    assert "for myself" not in left


def test_what_never_leaves_cannot_be_shared(machine: Team) -> None:
    ada = machine("ada")
    (ada.folder / "a.py").write_text("def answer():\n    return 42\n")
    ada.mem("ingest", "a.py")
    refused = ada.mem("share", ada.mem("chunks", "--json").json[0]["id"], fails=2)
    assert "is a chunk, which never leaves this machine" in refused.err


def test_a_memory_that_is_not_shared_any_more_stays_as_others_have_it(machine: Team) -> None:
    ada, ben = machine("ada"), machine("ben")
    memory = ada.shared("First version")
    ada.mem("sync")
    ben.mem("sync")
    ada.mem("unshare", memory)
    ada.mem("update", memory, "--title", "Second version")
    ada.mem("sync")
    ben.mem("update", memory, "--summary", "edited by Ben")
    for member in (ben, ada, ben):
        member.mem("sync")
    assert ben.known() == {"First version"}
    assert ada.known() == {"Second version"}


def test_a_purge_leaves_the_text_nowhere(machine: Team, remote: Path, terminal: Terminal) -> None:
    ada, ben, cleo = machine("ada"), machine("ben"), machine("cleo")
    memory = ada.shared("The vault word is xyzzy-plugh-42")
    kept = ada.shared("A harmless fact")
    for member in (ada, ben, cleo):
        member.mem("sync")
    ben.mem("update", memory, "--summary", "xyzzy-plugh-42 still works")
    ben.mem("sync")
    cleo.mem("update", memory, "--summary", "xyzzy-plugh-42 works from Cleo's, too")  # and she is offline now
    cleo.shared("What Cleo wrote meanwhile")

    purged = ada.mem("sync", "purge", memory)
    assert purged.out == f"Purged {memory}  The vault word is xyzzy-plugh-42\n"
    assert "change a leaked secret" in purged.err
    for member in (ben, cleo, ada, ben):
        member.mem("sync")
    terminal.git("reflog", "expire", "--expire=now", "--all", cwd=remote)
    terminal.git("gc", "-q", "--prune=now", cwd=remote)
    assert "xyzzy" not in texts_of(remote, terminal.git)
    for member in (ada, ben, cleo):
        assert member.known() == {"A harmless fact", "What Cleo wrote meanwhile"}
        store = member.store.parent
        assert b"xyzzy" not in bytes_of(store)
        assert "xyzzy" not in texts_of(store / "sync.git", member.git)
    assert kept in ada.mem("recent").out


def test_a_purge_by_text_finds_what_has_it(machine: Team) -> None:
    ada = machine("ada")
    memory = ada.shared("Password hint", "it rhymes with xyzzy-plugh")
    ada.shared("Other fact")
    ada.mem("sync")
    assert ada.mem("sync", "purge", "--text", "xyzzy-plugh").out == f"Purged {memory}  Password hint\n"
    assert ada.mem("sync", "purge", "--text", "xyzzy-plugh", fails=3).err.startswith("Error: nothing that could be shared")
    assert ada.mem("sync", "purge", "--text", "x", fails=2)


@pytest.mark.parametrize("by", ["text", "id"])
def test_a_purge_takes_the_names_of_threads_along(machine: Team, remote: Path, terminal: Terminal, by: str) -> None:
    ada, ben = machine("ada"), machine("ben")
    memory, kept = ada.shared("Plan", "about it", "--thread", "zanzibarword"), ada.shared("A fact")
    for member in (ada, ben):
        member.mem("sync")
    assert f"Purged {memory} " in ada.mem("sync", "purge", *(("--text", "zanzibarword") if by == "text" else (memory,))).out
    for member in (ben, ada, ben):
        member.mem("sync")
        assert "zanzibarword" not in member.mem("threads").out
    terminal.git("reflog", "expire", "--expire=now", "--all", cwd=remote)
    terminal.git("gc", "-q", "--prune=now", cwd=remote)
    assert "zanzibarword" not in texts_of(remote, terminal.git)
    for member in (ada, ben):
        assert b"zanzibarword" not in bytes_of(member.store.parent)
        assert kept in member.mem("recent").out
    assert ada.mem("sync").out.endswith("pushed nothing new\n")


def test_a_purge_of_a_threads_name_leaves_what_somebody_keeps_there_to_themselves(
    machine: Team, remote: Path, terminal: Terminal
) -> None:
    ada, ben = machine("ada"), machine("ben")
    ada.shared("Plan", "about it", "--thread", "zanzibarword")
    for member in (ada, ben):
        member.mem("sync")
    own = ben.add("Of Ben alone", "kept", "--thread", "zanzibarword")
    ada.mem("sync", "purge", "--text", "zanzibarword")
    ben.shared("Another fact")
    ben.mem("sync")
    assert own in ben.mem("thread", "zanzibarword").out
    terminal.git("reflog", "expire", "--expire=now", "--all", cwd=remote)
    terminal.git("gc", "-q", "--prune=now", cwd=remote)
    assert "zanzibarword" not in texts_of(remote, terminal.git)


def test_a_purge_by_text_takes_the_names_of_writers_out(machine: Team, remote: Path, terminal: Terminal) -> None:
    ada, ben = machine("ada"), machine("ben")
    ada.mem("config", "set", "sync.author", "Ada of swordfish")
    ada.shared("A fact")
    for member in (ada, ben):
        member.mem("sync")
    assert "change it first" in ada.mem("sync", "purge", "--text", "swordfish", fails=2).err
    ada.mem("config", "set", "sync.author", "Ada")
    ada.mem("sync", "purge", "--text", "swordfish")
    for member in (ada, ben):
        member.mem("sync")
    terminal.git("reflog", "expire", "--expire=now", "--all", cwd=remote)
    terminal.git("gc", "-q", "--prune=now", cwd=remote)
    assert "swordfish" not in texts_of(remote, terminal.git)
    assert b"swordfish" not in bytes_of(ada.store.parent) + bytes_of(ben.store.parent)
    assert "· by Ada" in ben.mem("recent").out


def test_a_copied_store_takes_another_name(machine: Team, tmp_path: Path) -> None:
    ada, ben = machine("ada"), machine("ben")
    ada.shared("Before the copy")
    ada.mem("sync")
    twin = copied(ada, tmp_path / "home-twin")
    ada.shared("Written by Ada")
    twin.shared("Written by the copy")
    ada.mem("sync")
    assert "uses this one's name" in twin.mem("sync").err
    for member in (twin, ada, twin, ben):
        member.mem("sync")
    for member in (ada, twin, ben):
        assert member.known() == {"Before the copy", "Written by Ada", "Written by the copy"}


def test_the_clone_is_left_as_it_was(machine: Team) -> None:
    ada, ben = machine("ada"), machine("ben")
    ada.shared("A fact")
    before = snapshot(ada.folder / ".git")
    (ada.folder / ".git/hooks").mkdir(exist_ok=True)
    for hook in ("pre-push", "reference-transaction", "post-checkout", "pre-auto-gc"):
        path = ada.folder / ".git/hooks" / hook
        path.write_text("#!/bin/sh\ntouch hook-ran\nexit 1\n")
        path.chmod(0o755)
    hooks = snapshot(ada.folder / ".git/hooks")
    ada.git("config", "push.gpgSign", "true")
    configuration = (ada.folder / ".git/config").read_bytes()
    os.environ["GIT_DIR"] = "/nonexistent"
    try:
        ada.mem("sync")
        ben.mem("sync")
    finally:
        del os.environ["GIT_DIR"]
    after = snapshot(ada.folder / ".git")
    assert not (ada.folder / "hook-ran").exists()
    assert after["config"] == configuration
    changed = {name for name in before if name != "config" and before[name] != after.get(name)}
    assert changed == set()
    assert snapshot(ada.folder / ".git/hooks") == hooks
    assert set(after) - set(before) - {f"hooks/{name}" for name in hooks} <= {"mempack/repo-id"}


@pytest.mark.parametrize("action", [[], ["pull"], ["push"]])
def test_a_clone_that_is_not_shared_gets_no_store(terminal: Terminal, action: list[str]) -> None:
    failed = terminal.mem("sync", *action, fails=3)
    assert failed.err == "Error: this memory is not shared\nHint: turn it on with: mem sync enable\n"
    assert not list(Path(terminal.env["MEMPACK_DATA_DIR"]).rglob("memory.db"))


def test_a_remote_that_is_away_loses_nothing(machine: Team, remote: Path) -> None:
    ada = machine("ada")
    ada.shared("A fact")
    moved = remote.rename(remote.with_name("away.git"))
    failed = ada.mem("sync", fails=1)
    assert failed.err.startswith("Error: git fetch: ")
    assert "nothing is lost" in failed.err
    assert "failed: " in ada.mem("sync", "status").out
    moved.rename(remote)
    assert "pushed 3 changes" in ada.mem("sync").out


def test_a_remote_that_refuses_says_so(machine: Team, remote: Path) -> None:
    ada = machine("ada", str(remote))
    ada.shared("A fact")
    hook = remote / "hooks/pre-receive"
    hook.parent.mkdir(exist_ok=True)
    hook.write_text("#!/bin/sh\necho no memory here >&2\nexit 1\n")
    hook.chmod(0o755)
    refused = ada.mem("sync", fails=1)
    assert "the remote refuses: pre-receive hook declined (no memory here)" in refused.err
    hook.unlink()
    assert "pushed 3 changes" in ada.mem("sync").out


def test_a_remote_whose_address_changed_is_not_used(machine: Team, tmp_path: Path) -> None:
    ada = machine("ada")
    ada.shared("A fact")
    ada.git("init", "-q", "--bare", str(tmp_path / "elsewhere.git"))
    ada.git("remote", "set-url", "origin", str(tmp_path / "elsewhere.git"))
    assert "the address of origin changed" in ada.mem("sync", fails=1).err
    ada.git("remote", "set-url", "origin", str(tmp_path / "origin.git"))
    ada.git("config", "core.sshCommand", "touch ran")
    assert "reaches hosts in another way" in ada.mem("sync", fails=1).err


def test_a_remote_that_is_named_by_a_relative_path_is_met_from_every_directory(machine: Team, remote: Path) -> None:
    ada, ben = machine("ada", None), machine("ben")
    ada.git("remote", "set-url", "origin", f"../{remote.name}")
    assert f"({remote})" in ada.mem("sync", "enable").out
    ada.shared("A fact")
    (ada.folder / "src").mkdir()
    Machine(ada.folder / "src", ada.env, ada.capture).mem("sync")
    ben.mem("sync")
    assert ben.known() == {"A fact"}


def test_sharing_is_turned_off_again(machine: Team) -> None:
    ada = machine("ada")
    ada.shared("A fact")
    ada.mem("sync")
    assert ada.mem("sync", "disable").out.startswith("No longer shared through origin. What others have stays with them.\n")
    assert ada.mem("sync", fails=3).err.startswith("Error: this memory is not shared")
    ada.mem("sync", "enable", "--remote", "origin")
    assert "pulled nothing new" in ada.mem("sync").out


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["sync", "purge"], "nothing to purge"),
        (["sync", "purge", "--text", ""], "nothing to purge"),
        (["sync", "purge", "--text", " x "], "a text of fewer than four characters matches too much"),
        (["sync", "pull", "M-1"], "belong to mem sync purge"),
        (["sync", "pull", "--remote", "x"], "--remote belongs to mem sync enable"),
        (["sync", "pull", "--name", "x"], "--name belongs to mem sync enable"),
        (["sync", "enable", "--name", "x"], "--name is for a database"),
        (["sync", "pull", "--dry-run"], "--dry-run does not belong to pull"),
        (["sync", "enable", "--remote", "nowhere"], "no remote 'nowhere'"),
        (["sync", "enable", "--remote", "--upload-pack=x"], "not a remote"),
        (["sync", "enable", "--remote", "postgresql://me:secret@host/db"], "a password in an address would be stored"),
        (["sync", "fly"], "fly"),
    ],
)
def test_bad_calls_are_refused(machine: Team, words: list[str], message: str) -> None:
    assert message in machine("ada").mem(*words, fails=2).err


def test_a_directory_is_a_remote_too(machine: Team, tmp_path: Path) -> None:
    (tmp_path / "share").mkdir()
    ada, ben = machine("ada", f"dir:{tmp_path}/share"), machine("ben", f"dir:{tmp_path}/share")
    memory = ada.shared("Through a drive")
    ada.mem("sync")
    ben.mem("sync")
    assert ben.known() == {"Through a drive"}
    ada.mem("sync", "purge", memory)
    ben.mem("sync")
    assert ben.known() == set()
    assert b"Through" not in bytes_of(tmp_path / "share")
