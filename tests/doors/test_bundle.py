"""The bundle of an everyday command: written by its first use, used by the next, and never trusted beyond its sources."""

from __future__ import annotations

import marshal
import os
import shutil
import signal
import subprocess
import sys
from pathlib import Path

import pytest

import memcli
from tests.conftest import Terminal, interruptible


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
        return sorted(Path(self.env["HOME"], ".cache/mempack/bundles").glob("*"))


@pytest.fixture
def copy(terminal: Terminal, tmp_path: Path) -> Copy:
    """A copy of the package, in a repository with one memory."""
    terminal.add("Session tokens live in Postgres", "Redis evicted them.")
    return Copy(terminal, tmp_path / "copy")


def test_the_first_use_of_a_command_writes_its_bundle_and_the_next_uses_it(copy: Copy) -> None:
    first = copy.mem("get", "session tokens")
    assert ["-get-" in path.name for path in copy.bundles] == [True]
    assert copy.bundles[0].stat().st_mode & 0o777 == 0o600

    assert copy.mem("get", "session tokens") == first
    found = copy.imported("get", "session tokens")
    assert "memcli.bundle" in found
    assert "memcli.recall.get" not in found


def test_a_source_that_changed_is_what_runs(copy: Copy) -> None:
    copy.mem("get", "session")
    with open(copy.package / "recall" / "render.py", "a", encoding="utf-8") as file:
        file.write("\nprint('changed')\n")

    assert "changed" in copy.mem("get", "session")
    assert "memcli.recall.get" not in copy.imported("get", "session")  # and the bundle is of the new source


def test_a_source_that_fails_to_load_ends_in_one_line_and_never_fails_a_hook(copy: Copy, tmp_path: Path) -> None:
    copy.mem("get", "session")
    copy.mem("hook", "user-prompt")
    (tmp_path / "bad").mkdir()
    (tmp_path / "bad" / "apsw.py").write_text("raise ImportError('apsw broken')")
    env = copy.env | {"PYTHONPATH": f"{tmp_path / 'bad'}{os.pathsep}{copy.env['PYTHONPATH']}"}

    def run(*words: str) -> tuple[int, str]:
        command = [sys.executable, "-m", "memcli", *words]
        done = subprocess.run(command, cwd=copy.folder, env=env, input="{}", capture_output=True, text=True, timeout=60)
        return done.returncode, done.stderr.splitlines()[0]

    assert run("get", "session") == (1, "Error: mem could not start: apsw broken")
    assert run("hook", "user-prompt")[0] == 0


def test_a_bundle_that_somebody_else_could_have_written_is_passed_by(copy: Copy) -> None:
    copy.mem("get", "session")
    copy.bundles[0].chmod(0o666)
    assert "memcli.recall.get" in copy.imported("get", "session")
    assert copy.bundles[0].stat().st_mode & 0o777 == 0o600


def test_a_source_that_is_checked_by_its_content_is_left_to_python(copy: Copy) -> None:
    command = [sys.executable, "-m", "compileall", "-q", "-f", "--invalidation-mode", "checked-hash", str(copy.package)]
    subprocess.run(command, check=True, env=copy.env)
    copy.mem("get", "session")
    assert copy.bundles == []


@pytest.mark.parametrize("moment", range(8))
def test_an_interrupt_at_any_moment_leaves_no_traceback_and_nothing_half_written(copy: Copy, moment: int) -> None:
    command = [sys.executable, "-m", "memcli", "get", "session"]
    pipes = {"stdout": subprocess.DEVNULL, "stderr": subprocess.PIPE}
    running = subprocess.Popen(command, cwd=copy.folder, env=copy.env, preexec_fn=interruptible, **pipes)
    try:
        running.wait(0.02 + 0.02 * moment)
    except subprocess.TimeoutExpired:
        running.send_signal(signal.SIGINT)
    said = running.communicate()[1].decode()

    assert "memcli" not in said  # the interpreter itself may be caught before it runs us
    assert all("-get-" in path.name for path in copy.bundles)


@pytest.mark.parametrize("damage", ["empty", "cut", "garbage", "another layout", "another shape"])
def test_a_bundle_that_is_no_use_is_passed_by_and_written_anew(copy: Copy, damage: str) -> None:
    good = copy.mem("get", "session")
    (bundle,) = copy.bundles
    whole = bundle.read_bytes()
    line = whole.index(b"\n", 4) + 1  # the mark of compiled code has one, too
    wrong = {
        "empty": b"",
        "cut": whole[: len(whole) // 2],
        "garbage": whole[:line] + b"\xff" * 100,
        "another shape": whole[:line] + marshal.dumps([5]),
        "another layout": whole[:line].replace(b" ", b"0 ") + whole[line:],
    }
    bundle.write_bytes(wrong[damage])

    assert copy.mem("get", "session") == good
    assert copy.said == ""
    again = bundle.read_bytes()
    assert again[:line] == whole[:line]
    assert marshal.loads(again[line:]) == marshal.loads(whole[line:])  # byte for byte marshal promises nothing


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
    assert len(copy.bundles) == 1
    assert "memcli.recall.get" not in copy.imported("get", "session")
