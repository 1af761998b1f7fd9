"""What a wheel brings for everyday commands: their modules in one, which behaves as the files do."""

from __future__ import annotations

import compileall
import fcntl
import json
import os
import shutil
import signal
import subprocess
import sys
from pathlib import Path

import pytest

import memcli
from memcli.__main__ import GROUPS
from tests.conftest import Terminal, interruptible
from tests.http.served import tell

ROOT = Path(memcli.__file__).parent.parent
sys.path.insert(0, str(ROOT))
from hatch_build import everyday_sources  # noqa: E402

COMMANDS = [
    "get tokens",
    "search tokens --json",
    "explain tokens",
    "recent",
    "threads",
    "log",
    "--version",
    "add New --summary one",
]
PROBE = """
import sys
from memcli.__main__ import run, use_everyday
use_everyday(sys.argv[1:3])
code = run(sys.argv[1:])
ours = [module.__spec__ for name, module in sys.modules.items() if name.startswith("memcli.")]
print(sum(spec.loader is None for spec in ours), *[spec.name for spec in ours if spec.loader], file=sys.stderr)
sys.exit(code)
"""


class Installed:
    """A copy of the package as a wheel installs it, run in a terminal's repository."""

    def __init__(self, terminal: Terminal, folder: Path) -> None:
        self.terminal = terminal
        self.package = folder / "memcli"
        self.env = terminal.env | {"PYTHONPATH": str(folder)}
        self.folder = terminal.folder

    def run(self, *command: str, **env: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [sys.executable, *command],
            cwd=self.folder,
            env=self.env | env,
            capture_output=True,
            text=True,
            timeout=60,
            input='{"session_id": "s"}',
        )


@pytest.fixture(scope="session")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A directory with the package as a wheel installs it, compiled; made once for all processes of the suite."""
    own = tmp_path_factory.getbasetemp()
    folder = (own.parent if "PYTEST_XDIST_WORKER" in os.environ else own) / "wheel"
    with open(f"{folder}.lock", "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not folder.exists():
            package = folder / "memcli"
            shutil.copytree(Path(memcli.__file__).parent, package)  # with what is compiled already
            for group, source in everyday_sources(str(ROOT)).items():
                (package / f"_everyday_{group}.py").write_text(source)
            compileall.compile_dir(package, quiet=2)
    return folder


@pytest.fixture
def installed(terminal: Terminal, wheel: Path) -> Installed:
    """The package as installed, run in a repository with one memory. Nothing may be changed in it."""
    terminal.add("Session tokens live in Postgres", "Redis evicted them.")
    return Installed(terminal, wheel)


def test_every_group_of_commands_has_a_module(wheel: Path) -> None:
    modules = [path.stem for path in (wheel / "memcli").glob("_everyday_*.py")]
    assert sorted(modules) == sorted(f"_everyday_{group}" for group in {*GROUPS.values(), "event"})


def test_commands_print_the_same_with_their_modules_in_one_and_in_files(installed: Installed) -> None:
    for command in COMMANDS[:-1]:
        together = installed.run("-m", "memcli", *command.split())
        apart = installed.run("-m", "memcli", *command.split(), MEMPACK_DEBUG="1")
        assert (together.returncode, together.stdout, together.stderr) == (0, apart.stdout, apart.stderr), command


@pytest.mark.parametrize("command", [*COMMANDS, "hook post-tool-use", "hook user-prompt"])
def test_an_installed_command_takes_its_modules_from_one(installed: Installed, command: str) -> None:
    installed.run("-c", PROBE, *command.split())  # what is only done once is done
    done = installed.run("-c", PROBE, *command.split(), MEMPACK_CLOCK="")
    assert done.returncode == 0, done.stderr
    count, *from_files = done.stderr.splitlines()[-1].split()
    assert int(count) > 8
    assert [name for name in from_files if not name.startswith(("memcli.__main__", "memcli._everyday_"))] == []

    done = installed.run("-c", PROBE, *command.split(), MEMPACK_DEBUG="1")
    assert done.stderr.splitlines()[-1].split()[0] == "0"


def test_an_open_point_is_closed_by_an_installed_command(installed: Installed) -> None:
    tell(installed.terminal, "user-prompt", {"prompt": "mend the login"})
    tell(installed.terminal, "stop", {"last_assistant_message": "It works.\n\nStill open: tell support that it is back."})
    installed.terminal.work()
    rows = json.loads(installed.run("-m", "memcli", "recent", "--json").stdout)
    point = next(row["id"] for row in rows if "#a" in row["id"])

    done = installed.run("-m", "memcli", "supersede", point, "--summary", "Told support.")
    assert (done.returncode, done.stderr) == (0, "")
    assert "Closed: tell support that it is back." in installed.run("-m", "memcli", "recent").stdout


def test_a_traceback_names_the_file_that_somebody_can_open(terminal: Terminal, wheel: Path, tmp_path: Path) -> None:
    changed = Installed(terminal, shutil.copytree(wheel, tmp_path / "copy"))
    broken = changed.package / "recall" / "get.py"
    broken.write_text(broken.read_text() + "\nraise RuntimeError('broken')\n")

    done = changed.run("-m", "memcli", "get", "tokens", MEMPACK_DEBUG="1")
    assert str(broken) in done.stderr
    assert changed.run("-m", "memcli", "get", "tokens").returncode == 0  # what was built does not look at the file


def test_a_module_that_was_built_knows_where_its_files_are(installed: Installed) -> None:
    done = installed.run("-c", "import sys; from memcli.__main__ import use_everyday; use_everyday(['get']); "
                         "from memcli import store; print(store.__file__, store.__spec__.origin, store.__package__)")  # fmt: skip
    path = str(installed.package / "store" / "__init__.py")
    assert done.stdout.split() == [path, path, "memcli.store"]


@pytest.fixture(params=["from files", "built"])
def copy(request: pytest.FixtureRequest, installed: Installed, wheel: Path, tmp_path: Path) -> Installed:
    """A copy that takes the modules of everyday commands from their files, and one that has them in one."""
    if request.param == "built":
        return installed
    plain = Installed(installed.terminal, shutil.copytree(wheel, tmp_path / "copy", copy_function=os.link))
    for module in plain.package.glob("_everyday_*.py"):
        module.unlink()
    return plain


def test_a_source_that_fails_to_load_ends_in_one_line_and_never_fails_a_hook(copy: Installed, tmp_path: Path) -> None:
    (tmp_path / "bad").mkdir()
    (tmp_path / "bad" / "apsw.py").write_text("raise ImportError('apsw broken')")
    path = f"{tmp_path / 'bad'}{os.pathsep}{copy.env['PYTHONPATH']}"

    failed = copy.run("-m", "memcli", "get", "session", PYTHONPATH=path)
    assert (failed.returncode, failed.stdout) == (1, "")
    assert failed.stderr.splitlines()[0] == "Error: mem could not start: apsw broken"
    assert len(failed.stderr.splitlines()) == 2
    assert copy.run("-m", "memcli", "hook", "user-prompt", PYTHONPATH=path).returncode == 0


@pytest.mark.parametrize("moment", range(8))
def test_an_interrupt_at_any_moment_leaves_no_traceback(copy: Installed, moment: int) -> None:
    pipes = {"stdout": subprocess.DEVNULL, "stderr": subprocess.PIPE}
    command = [sys.executable, "-m", "memcli", "get", "session"]
    running = subprocess.Popen(command, cwd=copy.folder, env=copy.env, preexec_fn=interruptible, **pipes)  # type: ignore[call-overload]
    try:
        running.wait(0.02 + 0.02 * moment)
    except subprocess.TimeoutExpired:
        running.send_signal(signal.SIGINT)

    errors = running.communicate()[1].decode()
    assert [line for line in errors.splitlines() if "memcli" in line and not is_at_the_start(copy, line)] == []


def is_at_the_start(copy: Installed, line: str) -> bool:
    """Whether a line of a traceback is about the first lines of ours, before which nobody can answer an interrupt."""
    source = (copy.package / "__main__.py").read_text().splitlines()
    last = 1 + next(number for number, text in enumerate(source, 1) if text.startswith("if __name__"))
    places = [f'"{copy.package / "__main__.py"}", line {number}, in <module>' for number in range(1, last + 1)]
    places += [f'"{copy.package / "__init__.py"}", line {number}, in <module>' for number in range(1, 4)]
    return any(place in line for place in places)


def test_many_first_uses_at_once_print_the_same(copy: Installed) -> None:
    env = {name: value for name, value in copy.env.items() if name != "PYTHONDONTWRITEBYTECODE"}
    command = [sys.executable, "-m", "memcli", "get", "session"]
    running = [subprocess.Popen(command, cwd=copy.folder, env=env, stdout=-1, stderr=-1) for _ in range(6)]
    printed = {(*process.communicate(), process.returncode) for process in running}
    assert printed == {(copy.run("-m", "memcli", "get", "session").stdout.encode(), b"", 0)}
