"""The bundle of an everyday command: written by its first use, used by the next, and never trusted beyond its sources."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import memcli
from tests.conftest import Terminal


class Copy:
    """A copy of the package, with a `__pycache__` of its own, run in a terminal's repository."""

    def __init__(self, terminal: Terminal, folder: Path) -> None:
        self.package = folder / "memcli"
        shutil.copytree(Path(memcli.__file__).parent, self.package, ignore=shutil.ignore_patterns("__pycache__"))
        self.env = {k: v for k, v in terminal.env.items() if k != "PYTHONDONTWRITEBYTECODE"} | {"PYTHONPATH": str(folder)}
        self.folder = terminal.folder

    def mem(self, *words: str, **env: str) -> str:
        """Runs a command of the copy. Returns what it printed."""
        command = [sys.executable, "-m", "memcli", *words]
        done = subprocess.run(command, cwd=self.folder, env=self.env | env, capture_output=True, text=True, timeout=60)
        assert done.returncode == 0, done.stderr
        self.said = done.stderr
        return done.stdout

    def imported(self, *words: str) -> set[str]:
        """Returns the modules that Python itself looked for."""
        self.mem(*words, PYTHONPROFILEIMPORTTIME="1")
        return {line.rpartition("|")[2].strip() for line in self.said.splitlines() if line.startswith("import time:")}

    @property
    def bundles(self) -> list[Path]:
        """The bundles there are."""
        return sorted((self.package / "__pycache__").glob("*.bundle*"))


@pytest.fixture
def copy(terminal: Terminal, tmp_path: Path) -> Copy:
    """A copy of the package, in a repository with one memory."""
    terminal.add("Session tokens live in Postgres", "Redis evicted them.")
    return Copy(terminal, tmp_path / "copy")


def test_the_first_use_of_a_command_writes_its_bundle_and_the_next_uses_it(copy: Copy) -> None:
    first = copy.mem("get", "session tokens")
    assert [path.name.partition(".")[0] for path in copy.bundles] == ["get"]

    assert copy.mem("get", "session tokens") == first
    found = copy.imported("get", "session tokens")
    assert "memcli.bundle" in found
    assert "memcli.recall.get" not in found


def test_a_source_that_changed_is_what_runs(copy: Copy) -> None:
    copy.mem("get", "session")
    with open(copy.package / "recall" / "render.py", "a", encoding="utf-8") as file:
        file.write("\nRULE_TRUTH = RULE_KEEP\nprint('changed')\n")

    assert "changed" in copy.mem("get", "session")
    assert "memcli.recall.get" not in copy.imported("get", "session")  # and the bundle is of the new source


@pytest.mark.parametrize("damage", ["empty", "cut", "garbage", "another layout"])
def test_a_bundle_that_is_no_use_is_passed_by_and_written_anew(copy: Copy, damage: str) -> None:
    good = copy.mem("get", "session")
    (bundle,) = copy.bundles
    whole = bundle.read_bytes()
    line = whole.index(b"\n") + 1
    wrong = {
        "empty": b"",
        "cut": whole[: len(whole) // 2],
        "garbage": whole[:line] + b"\xff" * 100,
        "another layout": whole[:line].replace(b" ", b"0 ") + whole[line:],
    }
    bundle.write_bytes(wrong[damage])

    assert copy.mem("get", "session") == good
    assert copy.said == ""
    assert bundle.read_bytes() == whole


def test_no_bundle_is_written_where_python_may_not_write_compiled_code(copy: Copy) -> None:
    copy.mem("get", "session", PYTHONDONTWRITEBYTECODE="1")
    assert copy.bundles == []


def test_commands_that_are_not_everyday_have_none(copy: Copy) -> None:
    copy.mem("repos")
    copy.mem("get", "--help")
    assert copy.bundles == []


def test_many_first_uses_at_once_leave_one_good_bundle(copy: Copy) -> None:
    command = [sys.executable, "-m", "memcli", "get", "session"]
    running = [
        subprocess.Popen(command, cwd=copy.folder, env=copy.env, stdout=subprocess.PIPE, stderr=subprocess.PIPE) for _ in range(6)
    ]
    assert {(process.communicate()[0], process.returncode) for process in running} == {(copy.mem("get", "session").encode(), 0)}
    assert [path.name.count(".bundle.") for path in copy.bundles] == [0]
    assert "memcli.recall.get" not in copy.imported("get", "session")
