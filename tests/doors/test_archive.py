"""The executable of a release: it unpacks itself once, into a private directory, and runs from there."""

from __future__ import annotations

import os
import subprocess
import sys
import time
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest

from memcli.agents.turns import builder

SCRIPTS = Path(__file__).parents[2] / "scripts"
VERSION = f"{sys.version_info[0]}.{sys.version_info[1]}"
MAIN = """
import os, sys
def main():
    import helped
    print(os.path.basename(sys.argv[0]), *sys.argv[1:], helped.WORD, sys.stdin.read())
    sys.exit(4)
"""
Run = Callable[..., subprocess.CompletedProcess[str]]


def write_wheel(path: Path, files: dict[str, str]) -> Path:
    """Writes a wheel with files."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with zipfile.ZipFile(path, "w") as archive:
        for name, text in files.items():
            archive.writestr(zipfile.ZipInfo(name), text)
    return path


def build(folder: Path, main: str = MAIN) -> Path:
    """Builds an executable of a `mem` that prints its command line, and of one package that it needs."""
    own = write_wheel(folder / "memcli-1.0-py3-none-any.whl", {"memcli/__init__.py": "", "memcli/__main__.py": main})
    write_wheel(folder / "wheels" / VERSION / "helped-1.0-py3-none-any.whl", {"helped.py": "WORD = 'helped'"})
    subprocess.run([sys.executable, SCRIPTS / "archive.py", own, folder / "wheels", folder / "mem"], check=True)
    return folder / "mem"


@pytest.fixture(scope="module")
def executable(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return build(tmp_path_factory.mktemp("archive"))


@pytest.fixture
def home(tmp_path: Path) -> Path:
    return tmp_path


def environment(home: Path | str) -> dict[str, str]:
    return {"HOME": str(home), "PATH": f"{os.path.dirname(os.path.realpath(sys.executable))}:/usr/bin:/bin", "LC_ALL": "C"}


@pytest.fixture
def run(home: Path) -> Run:
    """Runs an executable where nothing but Python is installed."""

    def run(path: Path, *words: str, home: Path | str = home) -> subprocess.CompletedProcess[str]:
        return subprocess.run([path, *words], env=environment(home), input="typed", capture_output=True, text=True, check=False)

    return run


def unpacked(home: Path) -> list[Path]:
    """Returns what executables unpacked."""
    return [path for path in (home / ".cache/memcli").iterdir() if path.is_dir()]


def test_it_unpacks_once_for_its_owner_only_and_passes_everything_on(executable: Path, run: Run, home: Path) -> None:
    done = run(executable, "get", "two words")
    assert (done.returncode, done.stdout, done.stderr) == (4, "mem get two words helped typed\n", "")
    (folder,) = unpacked(home)
    assert [path.stat().st_mode & 0o777 for path in (home / ".cache/memcli", folder)] == [0o700, 0o700]
    assert list(folder.rglob("memcli/__pycache__/__main__.*.pyc")) != []
    packages = folder / f"lib/python{VERSION}/site-packages"
    before = packages.stat()
    assert run(executable).stdout == "mem helped typed\n"
    assert packages.stat() == before


def test_starts_at_the_same_time_unpack_it_once(executable: Path, home: Path) -> None:
    words = [executable, "get"]
    starts = [
        subprocess.Popen(words, env=environment(home), stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, text=True)
        for _ in range(4)
    ]
    assert [start.communicate()[0] for start in starts] == ["mem get helped \n"] * 4
    assert len(unpacked(home)) == 1


def test_what_a_killed_start_left_goes_and_a_lost_interpreter_is_replaced(executable: Path, run: Run, home: Path) -> None:
    left = home / ".cache/memcli/abc.tmp"
    left.mkdir(parents=True)
    run(executable)
    assert not left.exists()
    (folder,) = unpacked(home)
    (folder / "bin/python").unlink()
    (folder / "bin/python").symlink_to("/nonexistent/python3.11")
    assert run(executable).stdout == "mem helped typed\n"


def test_a_version_goes_that_was_not_started_for_a_month(executable: Path, run: Run, home: Path, tmp_path: Path) -> None:
    run(executable)
    (first,) = unpacked(home)
    month_ago = time.time() - 31 * 86_400
    os.utime(first, (month_ago, month_ago))
    run(executable)
    assert first.stat().st_mtime > month_ago + 86_400
    second = build(tmp_path / "second", MAIN + "# another\n")
    run(second)
    assert len(unpacked(home)) == 2
    os.utime(first, (month_ago, month_ago))
    run(build(tmp_path / "third", MAIN + "# a third\n"))
    assert first not in unpacked(home)
    assert len(unpacked(home)) == 2


def test_a_home_without_room_is_one_error_and_no_veto(executable: Path, run: Run) -> None:
    done = run(executable, "get", home="/dev/null")
    assert done.returncode == 1
    assert done.stderr.splitlines() == [
        "Error: mem cannot unpack itself into /dev/null/.cache/memcli: Not a directory",
        "Hint: let XDG_CACHE_HOME name a directory that you can write, and nobody else",
    ]
    hook = run(executable, "hook", "session-start", home="/dev/null")
    assert (hook.returncode, hook.stdout, hook.stderr) == (0, "", "")


def test_nothing_runs_from_a_directory_that_others_can_write(executable: Path, run: Run, home: Path) -> None:
    (home / ".cache/memcli").mkdir(parents=True)
    (home / ".cache/memcli").chmod(0o777)
    done = run(executable)
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr.startswith(f"Error: mem cannot unpack itself into {home}/.cache/memcli: it is not yours alone\n")


def test_a_damaged_download_says_so(executable: Path, run: Run, home: Path, tmp_path: Path) -> None:
    damaged = tmp_path / "mem"
    damaged.write_bytes(executable.read_bytes()[:-200])
    damaged.chmod(0o755)
    done = run(damaged)
    assert (done.returncode, done.stderr.splitlines()) == (
        1,
        [f"Error: {damaged} is damaged", "Hint: download it again, and compare it with checksums.txt"],
    )
    assert unpacked(home) == []


def test_without_a_python_that_fits_it_says_which(executable: Path, tmp_path: Path) -> None:
    (tmp_path / "uname").symlink_to("/bin/uname" if os.path.exists("/bin/uname") else "/usr/bin/uname")
    done = subprocess.run(
        ["/bin/sh", executable], env={"HOME": str(tmp_path), "PATH": str(tmp_path)}, capture_output=True, text=True, check=False
    )
    assert (done.returncode, done.stderr) == (1, f"Error: mem needs Python, one of {VERSION}\nHint: install python3\n")


def test_a_wheel_for_other_directories_is_no_part_of_it(tmp_path: Path) -> None:
    own = write_wheel(tmp_path / "memcli-1.0-py3-none-any.whl", {"memcli-1.0.data/scripts/mem": ""})
    (tmp_path / "wheels").mkdir()
    done = subprocess.run(
        [sys.executable, SCRIPTS / "archive.py", own, tmp_path / "wheels", tmp_path / "mem"],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 1
    assert "installs memcli-1.0.data/scripts/mem" in done.stderr


def test_agents_are_told_its_path_unless_mem_is_on_theirs(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setattr(sys, "argv", ["/opt/memcli-1.0-linux-x64.pyz", "hook"])
    assert builder.command() == "/opt/memcli-1.0-linux-x64.pyz"
    (tmp_path / "mem").touch(0o755)
    assert builder.command() == "mem"
