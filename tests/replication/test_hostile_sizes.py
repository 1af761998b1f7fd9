"""How much a remote can make a reader hold: bytes of packs, trees, refs and epochs are bounded, and the good part is taken."""

from __future__ import annotations

import json
import resource
import subprocess
import time
from collections.abc import Callable
from pathlib import Path

import psycopg
import pytest

from memcli.replication.transports import epochs, git, gitcommand
from memcli.store import postgres
from memcli.text import ids
from tests.replication.conftest import Machine
from tests.replication.mallory import MALLORY, operation, seg, segment, titled

Team = Callable[..., Machine]
Plant = Callable[..., None]
MEMORY = 1_500 << 20  # bytes of address space that mem and each git may have


def _bounded() -> None:
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))


def _held_to(megabytes: int) -> Callable[[], None]:
    """Returns what gives a process, and each that it starts, so many megabytes for what it holds."""
    return lambda: resource.setrlimit(resource.RLIMIT_DATA, (megabytes << 20, megabytes << 20))


def _git(remote: Path, machine: Machine, *words: str, stdin: bytes = b"") -> str:
    done = subprocess.run(["git", *words], input=stdin, cwd=remote, env=machine.env, check=True, capture_output=True)
    return done.stdout.decode().strip()


def _ref(remote: Path, machine: Machine, writer: str, tree: str) -> None:
    commit = _git(remote, machine, "commit-tree", "-m", "x", tree)
    _git(remote, machine, "update-ref", f"refs/mempack/v1/w/{writer}", commit)


def test_a_file_that_is_packed_small_is_not_unpacked_in_memory(machine: Team, plant: Plant) -> None:
    name, data = segment(titled("The good one"))
    plant({seg(name): data, f"seg/aa/{MALLORY}-{'a' * 32}.jsonl": b"\0" * (80 << 20)})
    ada = machine("ada")
    assert "1 a segment that is empty or too large" in ada.process("sync", "pull", preexec_fn=_held_to(64)).err
    assert ada.known() == {"The good one"}


def test_an_object_that_cannot_be_streamed_and_is_too_large_hides_only_its_ref(
    machine: Team, remote: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    ada, ben = machine("ada"), machine("ben")
    ada.shared("A fact")
    ada.mem("sync")
    monkeypatch.setattr(gitcommand, "_MOST_MEMORY", "8m")
    tree = _git(remote, ada, "mktree")
    head = f"tree {tree}\nauthor m <m@x> 1 +0000\ncommitter m <m@x> 1 +0000\n\n".encode()
    commit = _git(remote, ada, "hash-object", "-t", "commit", "-w", "--stdin", stdin=head + b"x" * (24 << 20))
    _git(remote, ada, "update-ref", f"refs/mempack/v1/w/{MALLORY}", commit)
    assert f"1 a ref that cannot be read: refs/mempack/v1/w/{MALLORY}" in ben.mem("sync", "pull").err
    assert ben.known() == {"A fact"}


def test_a_folder_of_segments_is_read_once_and_only_under_two_digits(machine: Team, remote: Path) -> None:
    ada = machine("ada")
    names = {f"{MALLORY}-{number:032x}.jsonl" for number in range(500)}
    blob = _git(remote, ada, "hash-object", "-w", "--stdin", stdin=b"x\n")
    shard = _git(remote, ada, "mktree", stdin="".join(f"100644 blob {blob}\t{name}\n" for name in names).encode())
    folders = [*[f"{number:02x}" for number in range(256)], "AA", "zz", "aaa", "a"]
    listed = _git(remote, ada, "mktree", stdin="".join(f"040000 tree {shard}\t{folder}\n" for folder in folders).encode())
    _ref(remote, ada, MALLORY, _git(remote, ada, "mktree", stdin=f"040000 tree {listed}\tseg\n".encode()))
    good, data = segment(titled("In a folder of another name"), writer="0123456789abcdef")
    held = _git(remote, ada, "hash-object", "-w", "--stdin", stdin=data)
    other = _git(remote, ada, "mktree", stdin=f"100644 blob {held}\t{good}\n".encode())
    listed = _git(remote, ada, "mktree", stdin=f"040000 tree {other}\tzz\n".encode())
    _ref(remote, ada, "0123456789abcdef", _git(remote, ada, "mktree", stdin=f"040000 tree {listed}\tseg\n".encode()))
    assert "500 not the bytes that its name promises" in ada.mem("sync", "pull").err
    assert ada.known() == set()


def test_a_tree_without_end_is_passed_over(machine: Team, plant: Plant, remote: Path) -> None:
    ada, ben = machine("ada"), machine("ben")
    ada.shared("A fact")
    ada.mem("sync")
    plant({f"{number:05}": b"x" for number in range(3_000)} | {seg(segment(titled("x"))[0]): b"x"})
    ben.mem("sync", "pull")
    assert ben.known() == {"A fact"}


def test_epochs_that_are_too_many_together_are_left_out_and_a_purge_works(
    machine: Team, plant: Plant, remote: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for place in (epochs, git):
        monkeypatch.setattr(place, "MOST_PURGED", 1_000)
    ada, ben = machine("ada"), machine("ben")
    secret = ada.shared("The word is swordfish")
    for member in (ada, ben):
        member.mem("sync")
    for writer in (MALLORY, "feedfacefeedfacf"):
        epoch = json.dumps({"n": (1 << 31) - 1, "purged": [ids.new("M") for _ in range(600)]}).encode()
        blob = _git(remote, ada, "hash-object", "-w", "--stdin", stdin=epoch)
        _ref(remote, ada, writer, _git(remote, ada, "mktree", stdin=f"100644 blob {blob}\tepoch.json\n".encode()))
    assert "1 a ref that cannot be read" in ben.mem("sync").err
    ada.mem("sync", "purge", secret)
    ben.mem("sync")
    assert ben.known() == set()
    ben.shared("Afterwards")
    for member in (ben, ada):
        member.mem("sync")
    assert ada.known() == {"Afterwards"}


def test_refs_that_mem_does_not_name_are_not_read(machine: Team, plant: Plant, remote: Path) -> None:
    name, data = segment(titled("Of a ref that is none of ours"))
    plant({seg(name): data})
    ada, ben = machine("ada"), machine("ben")
    tip = _git(remote, ada, "rev-parse", f"refs/mempack/v1/w/{MALLORY}")
    _git(remote, ada, "update-ref", "-d", f"refs/mempack/v1/w/{MALLORY}")
    for ref in (
        "w/evil",
        f"w/{MALLORY}x",
        f"w/{MALLORY}/x",
        f"W/{MALLORY}",
        "ci/10",
        "base/x",
        "x/$(touch,x)",
        "w/--exec=x",
        "ä",
    ):
        _git(remote, ada, "update-ref", f"refs/mempack/v1/{ref}", tip)
    ada.shared("A fact")
    ada.mem("sync")
    ben.mem("sync")
    assert ben.known() == {"A fact"}


def test_a_list_of_refs_without_end_is_not_held(machine: Team, remote: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    ada = machine("ada")
    ada.shared("A fact")
    ada.mem("sync")
    ada.shared("Another")
    with monkeypatch.context() as patch:
        patch.setattr(gitcommand, "_LONGEST_LIST", 60)
        assert "names too many refs" in ada.mem("sync", fails=1).err
    assert "pushed 1 change" in ada.mem("sync").out


def test_a_remote_that_talks_without_end_is_heard_to_a_limit(machine: Team, remote: Path) -> None:
    ada = machine("ada", f"{remote}")
    ada.shared("A fact")
    hook = remote / "hooks/pre-receive"
    hook.parent.mkdir(exist_ok=True)
    hook.write_text("#!/bin/sh\nyes a long remark | head -c 70000000 >&2\necho not today >&2\nexit 1\n")
    hook.chmod(0o755)
    done = ada.process("sync", fails=1, preexec_fn=_held_to(64))
    assert "pre-receive hook declined" in done.err
    hook.unlink()
    assert "pushed 3 changes" in ada.mem("sync").out


def test_a_writer_who_is_taken_off_the_list_keeps_what_was_applied_and_no_more(machine: Team, plant: Plant) -> None:
    first, second = titled("While listed"), titled("Not listed any more")
    name, data = segment(first)
    plant({seg(name): data})
    ada = machine("ada")
    ada.mem("config", "set", "sync.trust", "listed")
    ada.mem("config", "set", "sync.writers", MALLORY)
    ada.mem("sync", "pull")
    ada.mem("config", "set", "sync.writers", "0123456789abcdef")
    name, data = segment(second, operation(o=first["o"], hlc=[first["hlc"][0] + 1, 0], b={"title": "Changed meanwhile"}))
    plant({seg(name): data})
    assert "2 changes waiting" in ada.mem("sync", "pull").err
    assert ada.known() == {"While listed"}
    assert MALLORY in ada.mem("sync", "status").out
    assert ada.mem("doctor").code == 0
    ada.mem("config", "set", "sync.writers", MALLORY)
    ada.mem("sync", "pull")
    assert ada.known() == {"Changed meanwhile", "Not listed any more"}


def _fill(database: str, repository: str, *lines: str) -> None:
    with psycopg.connect(database, autocommit=True) as db:
        for line in lines:
            name = json.loads(line)["id"] if len(line) < 70_000 else ids.stamp(len(line))
            db.execute(
                "INSERT INTO mem_op(repo, id, hlc_ms, hlc_n, writer, kind, object, body, actor, line)"
                " VALUES (%s, %s, 0, 0, %s, 'put', 'M-1', '{}', 'cli', %s)",
                (repository, name, MALLORY, line),
            )


def test_lines_of_any_size_in_a_database_are_not_fetched(database: str, machine: Team, monkeypatch: pytest.MonkeyPatch) -> None:
    ada = machine("ada", None)
    ada.mem("sync", "enable", "--remote", database, "--name", "acme/app")
    good = [json.dumps(titled(f"Good {number}", id=ids.stamp(number))) for number in range(8)]
    _fill(database, "acme/app", *good[:4], "x" * (2 << 20), *good[4:7], "y" * 70_000, good[7])
    monkeypatch.setattr(postgres, "_PAGE_BYTES", 70_000)
    assert "2 a segment that is empty or too large" in ada.mem("sync", "pull").err
    assert ada.known() == {f"Good {number}" for number in range(8)}
    assert ada.mem("sync", "pull").out == "pulled nothing new\n"


@pytest.mark.parametrize(
    "purged",
    [[None, "M-1", "x" * 1_000_000], [], [[None], ["x"]], ["M-1"] * 90_000],
    ids=["no ids", "empty", "of two dimensions", "many"],
)
def test_ids_in_a_database_that_are_none_are_passed_over(database: str, machine: Team, purged: list[object]) -> None:
    ada, ben = [machine(name, None) for name in ("ada", "ben")]
    for member in (ada, ben):
        member.mem("sync", "enable", "--remote", database, "--name", "acme/app")
    with psycopg.connect(database, autocommit=True) as db:
        db.execute("INSERT INTO mem_epoch(repo, n, purged) VALUES ('acme/app', 2147483647, %s::text[])", (purged,))
    memory = ada.shared("The word is swordfish")
    for member in (ada, ben):
        member.mem("sync")
    assert ben.known() == {"The word is swordfish"}
    ada.mem("sync", "purge", memory)
    ben.mem("sync")
    assert ben.known() == set()


def test_too_many_ids_in_a_database_are_one_clear_error(database: str, machine: Team) -> None:
    ada = machine("ada", None)
    ada.mem("sync", "enable", "--remote", database, "--name", "acme/app")
    with psycopg.connect(database, autocommit=True) as db:
        db.execute("INSERT INTO mem_epoch(repo, n, purged) SELECT 'acme/app', 1, array_fill('M-1'::text, ARRAY[100001])")
    assert "names 100,001 purged objects" in ada.mem("sync", fails=1).err


def test_histories_of_a_database_are_read_up_to_a_limit(database: str, machine: Team) -> None:
    ada = machine("ada", None)
    ada.mem("sync", "enable", "--remote", database, "--name", "acme/app")
    ada.shared("A fact")
    ada.mem("sync")
    with psycopg.connect(database, autocommit=True) as db:
        roots = "ARRAY['0' || n, NULL, repeat('x', 1000)]"
        db.execute(f"INSERT INTO mem_history SELECT 'acme/app', {roots} FROM generate_series(1, 20000) n")
    started = time.monotonic()
    assert ada.mem("sync").code == 0
    assert time.monotonic() - started < 10


@pytest.mark.parametrize("path", ["seg", "seg/aa", "history"])
def test_a_file_in_the_place_of_a_folder_is_passed_over(machine: Team, tmp_path: Path, path: str) -> None:
    share = tmp_path / "share"
    (share / "seg").mkdir(parents=True) if "/" in path else share.mkdir()
    (share / path).write_text("x")
    ada = machine("ada", f"dir:{share}")
    good = [segment(titled("The good one")) for _ in range(9)]
    name, data = next(it for it in good if not seg(it[0]).startswith("seg/aa/"))
    if path != "seg":
        (share / seg(name)).parent.mkdir(parents=True)
        (share / seg(name)).write_bytes(data)
    ada.mem("sync", "pull")
    assert ada.known() == ({"The good one"} if path != "seg" else set())


def test_what_is_no_file_of_ours_in_a_directory_is_passed_over(machine: Team, tmp_path: Path) -> None:
    share = tmp_path / "share"
    ada = machine("ada", None)
    name, data = segment(titled("The good one"))
    (share / seg(name)).parent.mkdir(parents=True)
    (share / seg(name)).write_bytes(data)
    (share / f"seg/zz/{name}").parent.mkdir()
    (share / f"seg/zz/{name}").write_bytes(data)
    huge = share / f"seg/aa/{MALLORY}-{'a' * 32}.jsonl"
    huge.parent.mkdir(exist_ok=True)
    with open(huge, "wb") as file:
        file.truncate(1 << 40)
    ada.mem("sync", "enable", "--remote", f"dir:{share}")
    assert "1 a segment that is empty or too large" in ada.process("sync", "pull", preexec_fn=_bounded).err
    assert ada.known() == {"The good one"}
    (share / "epoch.json").mkdir()
    assert "epoch cannot be read" in ada.mem("sync", fails=1).err


def test_an_epoch_that_is_full_is_followed_and_who_purges_more_is_told(machine: Team, plant: Plant) -> None:
    name, data = segment(titled("The good one"))
    epoch = json.dumps({"n": 7, "purged": [ids.new("M") for _ in range(100_000)]}).encode()
    plant({seg(name): data, "epoch.json": epoch})
    ada, ben = machine("ada"), machine("ben")
    memory = ada.shared("By Ada")
    started = time.process_time()
    for member in (ada, ben, ada):
        member.mem("sync")
    assert time.process_time() - started < 30
    assert ben.known() == {"By Ada", "The good one"}
    refused = ada.mem("sync", "purge", memory, fails=1).err
    assert "would name 100,001 purged objects" in refused
    assert "mem forget --erase" in refused
    assert "By Ada" in ada.known(), "nothing was erased here alone"
    ben.shared("Afterwards")
    for member in (ben, ada):
        member.mem("sync")
    assert ada.known() == {"By Ada", "The good one", "Afterwards"}
