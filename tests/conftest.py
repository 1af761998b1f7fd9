"""A terminal in a real git repository, with its own HOME, its own data directory and a clock that stands still."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import chdir
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import apsw
import pytest

from memcli.__main__ import GROUPS, run
from memcli.agents.capture import worker
from memcli.project import Where
from memcli.repo import identity
from memcli.repo.head import find
from memcli.store import APPLICATION_ID, opening, rows
from memcli.system import CI_SIGNS
from tests import servers

CLOCK = "2026-03-01T12:00:00Z"
PERSON = {f"GIT_{role}_{what}": "a@example.invalid" for role in ("AUTHOR", "COMMITTER") for what in ("NAME", "EMAIL")}
STRANGERS = (
    *CI_SIGNS,
    "CODESPACES",
    "GIT_",
    "XDG_",
    "MEM_",
    "MEMPACK_",
    "CLAUDE",
    "CODEX_",
    "COPILOT_",
    "CURSOR_",
    "GEMINI_",
    "NO_COLOR",
    "COLUMNS",
    "TERM",
)


def interruptible() -> None:
    """To be run in a new process: makes an interrupt end it and all that it starts, also where a shell started the tests in the
    background, whose processes would ignore one."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)


FillOnce = Callable[[str, Callable[[], object]], None]


@dataclass(frozen=True)
class Result:
    """What a command printed and how it ended."""

    code: int
    out: str
    err: str

    @property
    def json(self) -> Any:
        """The one JSON value on standard output."""
        return json.loads(self.out)

    @property
    def id(self) -> str:
        """The id at the beginning of the output."""
        return self.out.split()[0]


@dataclass
class Terminal:
    """A working directory and an environment, in which `mem` and `git` are run."""

    folder: Path
    env: dict[str, str]
    capture: Any

    def mem(self, *words: str, fails: int | None = 0, stdin: str | bytes | None = None) -> Result:
        """Runs mem in this process. Fails the test unless it ends with the code `fails` (None: any)."""
        before = os.getcwd()
        os.chdir(self.folder)
        own_stdin = os.dup(0)
        self.capture.readouterr()
        try:
            with open(os.devnull if stdin is None else self._file(stdin), "rb") as source:
                os.dup2(source.fileno(), 0)
                code = run(list(words))
        finally:
            os.dup2(own_stdin, 0)
            os.close(own_stdin)
            os.chdir(before)
        out, err = self.capture.readouterr()
        assert fails is None or code == fails, f"mem {' '.join(words)} ended with {code}\n{out}\n{err}"
        return Result(code, out, err)

    def _file(self, content: str | bytes) -> Path:
        """Returns the path of a file with what the command reads from standard input."""
        path = Path(self.env["HOME"]) / "stdin"
        path.write_bytes(content.encode("utf-8", "surrogatepass") if isinstance(content, str) else content)
        return path

    def process(self, *words: str | bytes, fails: int | None = 0, **more: Any) -> Result:
        """Runs mem as a process of its own. Fails the test unless it ends with the code `fails` (None: any)."""
        env = {**self.env, **more.pop("env", {})}
        program = [sys.executable, "-m", "memcli"] if "preexec_fn" in more else self.program(words, env)
        ended = subprocess.run(
            [*program, *words],
            cwd=more.pop("cwd", self.folder),
            env=env,
            capture_output=True,
            timeout=60,
            **more,
        )
        out, err = ended.stdout.decode("utf-8", "replace"), ended.stderr.decode("utf-8", "replace")
        assert fails is None or ended.returncode == fails, f"mem {words!r} ended with {ended.returncode}\n{out}\n{err}"
        return Result(ended.returncode, out, err)

    def program(self, words: Sequence[str | bytes], env: dict[str, str]) -> list[str]:
        """Returns the beginning of a command line of mem as a process of its own: the one that runs these words soonest."""
        is_everyday = words and words[0] in (*GROUPS, "hook")  # it starts sooner than a process with everything in it forks
        return [sys.executable, "-m", "memcli"] if is_everyday else servers.command(env)

    def work(self) -> int:
        """Runs the worker in this process until nothing waits. Returns how many events it worked up."""
        with chdir(self.folder):
            return worker.run(Where()) or 0

    def git(self, *words: str, cwd: Path | None = None) -> str:
        """Runs git, which must not fail, and returns what it printed, without blanks around it."""
        ended = subprocess.run(["git", *words], cwd=cwd or self.folder, env=self.env, capture_output=True, check=True)
        return ended.stdout.decode().strip()

    def commit(self, message: str = "work", **files: str) -> str:
        """Commits files (`a_py="text"` is a.py) and returns the commit's hash."""
        paths = {name.replace("_", "."): text for name, text in files.items()}
        for path, text in paths.items():
            (self.folder / path).write_text(text)
        if paths:
            self.git("add", *paths)
        self.git("commit", "-q", "--allow-empty", "-m", message)
        return self.git("rev-parse", "HEAD")

    def add(self, title: str, summary: str = "because", *more: str) -> str:
        """Adds a memory and returns its id."""
        return str(self.mem("add", title, "--summary", summary, "--json", *more).json["id"])

    def titles(self, question: str, *more: str) -> list[str]:
        """Returns the titles of the memories that `mem get` puts into its pack."""
        return [item["title"] for item in self.mem("get", question, "--format", "json", *more).json["top_memories"]]

    def at(self, folder: Path) -> Terminal:
        """Returns the same terminal in another directory."""
        return Terminal(folder, self.env, self.capture)

    @property
    def data(self) -> Path:
        """The data directory."""
        return Path(self.env["MEMPACK_DATA_DIR"])

    @property
    def store(self) -> Path:
        """The one store of a repository that there is."""
        (path,) = self.data.glob("repos/*/memory.db")
        return path


@pytest.fixture(scope="session", autouse=True)
def first_schema() -> Iterator[None]:
    """The script of the schema runs once in a process; other new stores get a copy of the pages, in a tenth of the time.

    Only where nobody else writes: in memory, and in a file that is not in its place yet.
    """
    make, empty = opening._make_schema, apsw.Connection(":memory:")
    rows(empty, f"PRAGMA auto_vacuum = INCREMENTAL; PRAGMA application_id = {APPLICATION_ID}")
    make(empty)

    def copy(db: apsw.Connection) -> None:
        if db.filename and not db.filename.endswith(".new"):
            return make(db)
        with db.backup("main", empty, "main") as pages:
            pages.step()
        opening._note_migration(db)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(opening, "_make_schema", copy)
        yield


@pytest.fixture
def nowhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: Any) -> Terminal:
    """A terminal in an empty directory that no repository surrounds."""
    for name in list(os.environ):
        if name.startswith(STRANGERS):
            monkeypatch.delenv(name)
    places = {"HOME": "home", "MEMPACK_DATA_DIR": "data", "MEMPACK_CONFIG_DIR": "config"}
    folders = {name: str(tmp_path / folder) for name, folder in places.items()}
    (tmp_path / "home").mkdir()
    (tmp_path / "work").mkdir()
    settings = {
        "MEMPACK_CLOCK": CLOCK,
        "MEMPACK_CAPTURE_WORKER": "off",
        "MEMPACK_WORKER_IDLE_SECONDS": "0",
        "MEMPACK_SYNC_ASK_REMOTES": "false",
        "GIT_CONFIG_NOSYSTEM": "1",
        "COLUMNS": "100",
        "PYTHONPATH": os.getcwd(),
    }
    for name, value in {**folders, **settings, **PERSON}.items():
        monkeypatch.setenv(name, value)
    monkeypatch.setattr("memcli.cli.output._without_color", False)
    return Terminal(tmp_path / "work", dict(os.environ), capfd)


@pytest.fixture(scope="session")
def first_commit(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A git repository with one commit, to be copied: git itself takes ten times as long."""
    folder = tmp_path_factory.mktemp("first")
    env = {name: value for name, value in os.environ.items() if not name.startswith(STRANGERS)}
    env |= {**PERSON, "GIT_CONFIG_NOSYSTEM": "1", "HOME": str(folder)}
    # After each commit git would start another process that looks whether there is something to tidy up.
    for words in ("init -q -b main .", "config maintenance.auto false", "commit -q --allow-empty -m first"):
        subprocess.run(["git", *words.split()], cwd=folder, env=env, check=True, umask=0o022)
    shutil.rmtree(folder / ".git/hooks")
    return folder


@pytest.fixture
def terminal(nowhere: Terminal, first_commit: Path) -> Terminal:
    """A terminal in a git repository with one commit."""
    shutil.copytree(first_commit, nowhere.folder, dirs_exist_ok=True)
    return nowhere


@pytest.fixture
def fill_once(terminal: Terminal, request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> FillOnce:
    """Fills the data directory: by a function the first time, and for later tests with a copy of what that left.

    It is called with a name for that, which the tests of a file share.
    """

    def fill(name: str, function: Callable[[], object]) -> None:
        copy = tmp_path_factory.getbasetemp() / "filled" / request.path.stem / name
        if not copy.exists():
            function()
            shutil.copytree(terminal.data, copy)
            return
        shutil.rmtree(terminal.data, ignore_errors=True)
        shutil.copytree(copy, terminal.data)
        checkout = find(str(terminal.folder))
        assert checkout
        identity.record(checkout, terminal.store.parent.name)

    return fill


@pytest.fixture
def later(monkeypatch: pytest.MonkeyPatch) -> Callable[[str], None]:
    """A function that sets the clock."""

    def set_clock(moment: str) -> None:
        monkeypatch.setenv("MEMPACK_CLOCK", moment)

    return set_clock


# A skipped test counts as failed unless the reason for it stands here.
ALLOWED_SKIPS = (
    "memcli is not installed beside this Python",
    "needs /dev/full",
    "root may write everywhere, and setpriv is missing",
    "permission bits do not bind root; the next test stands in",
    "mounting is for root",
    "only root can leave files that a person cannot open",
    "mounting is not permitted here",
    "memcli[semantic] is not installed",
    "playwright is not installed",
    "textual is not installed",
    "no formatter of manual pages is installed",
    "no Chromium is installed",
    "node is not installed",
    "PostgreSQL is not installed",
    "no sshd is installed",
    "git has no http-backend",
)


def pytest_runtest_logreport(report: pytest.TestReport) -> None:
    """Fails the run for a skip that nobody allowed."""
    if report.skipped and not any(reason in str(report.longrepr) for reason in ALLOWED_SKIPS):
        report.outcome = "failed"
