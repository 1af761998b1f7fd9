"""What differs between operating systems, as far as one of them can show it."""

from __future__ import annotations

import ast
import json
import os
import re
import shutil
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace

import pytest

from memcli import system
from tests.conftest import Terminal
from tests.other_system import MISSING, MODULES, without_spawning

HOLDER = """
import os, sys
from memcli import system
file = system.open_private(sys.argv[1], os.O_RDWR | os.O_CREAT)
system.sign(file, b"mine")
print(system.try_lock(file, shared=len(sys.argv) > 2), flush=True)
sys.stdin.read()
"""


@pytest.mark.parametrize(("words", "shared", "is_free"), [([], False, False), ([], True, False), (["shared"], True, True)])
def test_a_lock_is_one_processes_until_it_ends(tmp_path: Path, words: list[str], shared: bool, is_free: bool) -> None:
    path = tmp_path / "lock"
    command = [sys.executable, "-c", HOLDER, path, *words]
    holder = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    assert holder.stdout is not None
    assert holder.stdout.readline() == "True\n"
    file = system.open_private(str(path), os.O_RDWR)
    assert system.try_lock(file, shared) is is_free
    assert system.signature(file) == b"mine"
    holder.communicate()
    system.wait_lock(file)
    assert system.try_lock(file)
    os.close(file)


def test_windows_locks_a_byte_behind_all_that_is_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    taken: list[tuple[int, int]] = []

    def locking(file: int, mode: int, size: int) -> None:
        place = (os.lseek(file, 0, os.SEEK_CUR), size)
        if place in taken:
            raise PermissionError
        taken.append(place)

    monkeypatch.setitem(sys.modules, "fcntl", None)
    monkeypatch.setitem(sys.modules, "msvcrt", SimpleNamespace(locking=locking, LK_NBLCK=2))
    file = system.open_private(str(tmp_path / "lock"), os.O_RDWR | os.O_CREAT)
    system.sign(file, b"longer")
    system.sign(file, b"mine")
    assert system.try_lock(file)
    assert not system.try_lock(file, shared=True)
    assert taken == [(1 << 30, 1)]
    assert system.signature(file) == b"mine"
    taken.clear()
    system.wait_lock(file)
    assert len(taken) == 1
    os.close(file)


def test_a_file_is_its_owners_and_no_link_or_fifo(tmp_path: Path) -> None:
    os.close(system.open_private(str(tmp_path / "file"), os.O_CREAT | os.O_WRONLY))
    assert (tmp_path / "file").stat().st_mode & 0o777 == 0o600
    (tmp_path / "link").symlink_to(tmp_path / "file")
    os.mkfifo(tmp_path / "fifo")
    with pytest.raises(OSError, match="symbolic links"):
        system.open_private(str(tmp_path / "link"), os.O_RDONLY)
    with pytest.raises(OSError, match="No such device"):
        system.open_private(str(tmp_path / "fifo"), os.O_WRONLY)


@pytest.mark.parametrize("is_posix", [True, False])
def test_a_detached_process_writes_its_errors_where_it_is_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, is_posix: bool
) -> None:
    if not is_posix:
        without_spawning(monkeypatch)
    errors = tmp_path / "errors"
    errors.touch()
    program = "import os, sys; print(os.getsid(0) == os.getpid(), file=sys.stderr)"
    system.spawn_detached([sys.executable, "-c", program], str(errors))
    deadline = time.monotonic() + 30
    while not errors.read_text() and time.monotonic() < deadline:
        time.sleep(0.01)
    assert errors.read_text() == "True\n"


KEYWORDS = {"start_new_session", "preexec_fn", "dir_fd", "pass_fds", "creationflags", "process_group"}
# Beside system.py: a room that has such a thing to itself, and what it has.
ELSEWHERE: dict[str, set[str]] = {
    "config.py": {"sys.platform"},  # where data and settings lie
    # running git, on the everyday path
    "repo/gitrun.py": set(
        "os.name os.posix_spawn os.killpg os.WNOHANG os.pwrite os.memfd_create os.O_ASYNC select.poll fcntl".split()
    ),
    "text/bounded.py": {"dir_fd"},  # files opened beneath a directory
    "cli/verbs/exchange.py": {"/proc"},  # names of standard input
    "cli/verbs/edit.py": {"os.name"},  # how a command line is quoted
}

SIGNS = re.compile(rf"\b({'|'.join(MISSING)})\.|{'|'.join((*MODULES, *KEYWORDS))}|from ({'|'.join(MISSING)}) import|/proc/")


def platform_uses(tree: ast.AST) -> set[str]:
    """Returns what of a module is not the same on every system."""
    uses: set[str] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
            if node.attr in MISSING.get(node.value.id, "").split():
                uses.add(f"{node.value.id}.{node.attr}")
        elif isinstance(node, ast.Import):
            uses |= MODULES & {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            missing = MISSING.get(node.module or "", "").split()
            uses |= {f"{node.module}.{alias.name}" for alias in node.names if alias.name in missing} | MODULES & {
                node.module or ""
            }
        elif isinstance(node, ast.keyword) and node.arg in KEYWORDS:
            uses.add(node.arg)
        elif isinstance(node, ast.Constant) and isinstance(node.value, str) and node.value.startswith("/proc/"):
            uses.add("/proc")
    return uses


def test_what_differs_between_systems_is_in_one_module() -> None:
    package = Path(system.__file__).parent
    texts = {path.relative_to(package).as_posix(): path.read_text(encoding="utf-8") for path in package.rglob("*.py")}
    uses = {name: platform_uses(ast.parse(text)) if SIGNS.search(text) else set() for name, text in texts.items()}
    allowed = {"system.py": uses["system.py"], **ELSEWHERE}

    assert {name: strange for name, some in uses.items() if (strange := some - allowed.get(name, set()))} == {}
    assert {name for name in allowed if not uses[name]} == set()
    assert {"os.fchmod", "fcntl", "start_new_session", "socket.AF_UNIX"} <= uses["system.py"]


@pytest.fixture
def elsewhere(terminal: Terminal) -> Callable[..., str]:
    """Runs a command of mem as on a system like Windows, each in a process of its own. Returns what it prints."""
    programs = Path(terminal.env["HOME"]) / "bin"
    programs.mkdir()
    (programs / "git.exe").symlink_to(str(shutil.which("git")))
    env = {**terminal.env, "PATH": f"{programs}{os.pathsep}{terminal.env['PATH']}"}

    def run(*words: str, stdin: str = "") -> str:
        command = [sys.executable, "-m", "tests.other_system", *words]
        done = subprocess.run(command, cwd=terminal.folder, env=env, input=stdin, capture_output=True, text=True, timeout=60)
        assert (done.returncode, done.stderr) == (0, "")
        return done.stdout

    return run


def test_every_module_can_be_imported_elsewhere(elsewhere: Callable[..., str]) -> None:
    assert elsewhere() == "imported\n"


def test_a_first_use_elsewhere(elsewhere: Callable[..., str], terminal: Terminal) -> None:
    assert "wrote AGENTS.md" in elsewhere("init")
    assert "Session tokens" in elsewhere("add", "Session tokens live in Postgres", "--summary", "Redis evicted them")
    assert "Redis evicted them" in elsewhere("get", "session tokens")
    event = {"hook_event_name": "UserPromptSubmit", "session_id": "s", "cwd": str(terminal.folder), "prompt": "session tokens?"}
    assert "Redis evicted them" in elsewhere("hook", "user-prompt", "--harness", "claude", stdin=json.dumps(event))
    assert elsewhere("worker", "run") == "processed 1 event\n"
    assert "created" in elsewhere("setup", "claude")
    assert "Copied" in elsewhere("backup")
    assert "index complete" in elsewhere("doctor")
