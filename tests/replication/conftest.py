"""A team: several machines, each with a clone, a home and a data directory of its own, and the remote between them."""

from __future__ import annotations

import glob
import os
import pwd
import shutil
import subprocess
import tempfile
from collections.abc import Callable, Iterator
from inspect import signature
from pathlib import Path

import psycopg
import pytest

from tests.conftest import PERSON, STRANGERS, Result, Terminal
from tests.replication.git_servers import http_remote as http_remote
from tests.replication.git_servers import ssh_server as ssh_server
from tests.replication.mallory import plant as plant


class Machine(Terminal):
    """A terminal of one member; the environment of this process is theirs while `mem` runs."""

    def mem(self, *words: str, fails: int = 0, stdin: str | bytes | None = None) -> Result:
        """Runs mem as this member."""
        own = {name: self.env[name] for name in ("HOME", "MEMPACK_DATA_DIR", "MEMPACK_CONFIG_DIR")}
        before = {name: os.environ[name] for name in own}
        os.environ.update(own)
        try:
            return super().mem(*words, fails=fails, stdin=stdin)
        finally:
            os.environ.update(before)

    def shared(self, title: str, summary: str = "because", *more: str) -> str:
        """Adds a memory, shares it and returns its id."""
        memory_id = self.add(title, summary, *more)
        self.mem("share", memory_id)
        return memory_id

    def known(self) -> set[str]:
        """Returns the titles of all memories that hold here."""
        return {row["title"] for row in self.mem("recent", "--limit", "1000", "--json").json}


@pytest.fixture(scope="session")
def first_push(first_commit: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A repository that pushed its commit to a remote, and a clone of that, to be copied: git itself takes ten times as long."""
    folder = tmp_path_factory.mktemp("pushed")
    shutil.copytree(first_commit, folder / "work")
    env = {name: value for name, value in os.environ.items() if not name.startswith(STRANGERS)}
    env |= {**PERSON, "GIT_CONFIG_NOSYSTEM": "1", "HOME": str(folder)}
    remote = str(folder / "origin.git")
    for words in (
        ["init", "-q", "--bare", "-b", "main", remote],
        ["remote", "add", "origin", remote],
        ["push", "-q", "origin", "main"],
        ["clone", "-q", remote, str(folder / "clone")],
    ):
        subprocess.run(["git", *words], cwd=folder / "work", env=env, check=True, umask=0o022)
    for sample in folder.rglob("*.sample"):
        sample.unlink()
    return folder


def _copy(first_push: Path, name: str, to: Path, remote: Path) -> None:
    """Copies one of the repositories to where git would have made it, with the address of its remote."""
    shutil.copytree(first_push / name, to)
    for config in (*to.glob("config"), *to.glob(".git/config")):
        config.write_text(config.read_text().replace(str(first_push / "origin.git"), str(remote)))


def _names(folder: Path) -> set[Path]:
    return {path.relative_to(folder) for path in folder.rglob("*")}


@pytest.fixture
def remote(terminal: Terminal, first_push: Path, tmp_path: Path) -> Path:
    """The git repository that everybody pushes to."""
    path = tmp_path / "origin.git"
    _copy(first_push, "origin.git", path, path)
    shutil.rmtree(terminal.folder / ".git")
    _copy(first_push, "work/.git", terminal.folder / ".git", path)
    return path


@pytest.fixture
def shared(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """What the machines of a test share their memory through: git's remote, or a folder where `shared_folder` marks it.

    Much of sharing is the same over each transport, and git takes twice as long. A test that takes `remote` looks into git's.
    """
    if request.node.get_closest_marker("shared_folder") is None or "remote" in signature(request.function).parameters:
        return "origin"
    folder = tmp_path / "shared"
    folder.mkdir()
    return f"dir:{folder}"


@pytest.fixture
def machine(terminal: Terminal, remote: Path, shared: str, first_push: Path, tmp_path: Path) -> Callable[..., Machine]:
    """A function that sets up the machine of a member: a clone that shares its memory, unless `enable` is None."""

    def set_up(name: str, enable: str | None = shared) -> Machine:
        home = tmp_path / f"home-{name}"
        env = {
            **terminal.env,
            "HOME": str(home),
            "MEMPACK_DATA_DIR": str(home / "data"),
            "MEMPACK_CONFIG_DIR": str(home / "config"),
        }
        folder = tmp_path / name
        home.mkdir()
        if _names(remote) == _names(first_push / "origin.git"):
            _copy(first_push, "clone", folder, remote)
        else:
            terminal.git("clone", "-q", str(remote), str(folder))
        member = Machine(folder, env, terminal.capture)
        member.mem("config", "set", "sync.author", name.capitalize())
        if enable:
            member.mem("sync", "enable", "--remote", enable)
        return member

    return set_up


@pytest.fixture(scope="session")
def server() -> Iterator[str]:
    """The address of a database in a cluster of its own, reached by a socket only."""
    programs = sorted(glob.glob("/usr/lib/postgresql/*/bin/initdb"))
    if not programs:
        pytest.skip("PostgreSQL is not installed")
    folder = Path(tempfile.mkdtemp(prefix="mem-pg-", dir="/tmp"))
    binaries, user = Path(programs[-1]).parent, "postgres" if os.getuid() == 0 else pwd.getpwuid(os.getuid()).pw_name
    if os.getuid() == 0:
        account = pwd.getpwnam("postgres")
        os.chown(folder, account.pw_uid, account.pw_gid)
    as_user = ["setpriv", "--reuid=postgres", "--regid=postgres", "--clear-groups"] if os.getuid() == 0 else []

    def call(program: str, *words: str) -> None:
        subprocess.run([*as_user, str(binaries / program), *words], check=True, capture_output=True, cwd=folder)

    data = str(folder / "data")
    call("initdb", "-D", data, "-U", user, "--auth=trust", "--no-sync", "-E", "UTF8", "--locale=C")
    settings = f"-c listen_addresses='' -c unix_socket_directories={folder} -c fsync=off"
    call("pg_ctl", "-D", data, "-w", "-l", str(folder / "log"), "-o", settings, "start")
    try:
        yield f"postgresql://{user}@/postgres?host={folder}"
    finally:
        call("pg_ctl", "-D", data, "-m", "immediate", "stop")
        subprocess.run(["rm", "-rf", str(folder)], check=True)


@pytest.fixture
def database(server: str) -> str:
    """An empty database."""
    with psycopg.connect(server, autocommit=True) as db:
        db.execute("DROP TABLE IF EXISTS mem_op, mem_epoch, mem_history")
    return server


def texts_of(repository: Path, git: Callable[..., str]) -> str:
    """Returns every object of a bare repository as one text, reachable or not."""
    names = git("cat-file", "--batch-check=%(objectname) %(objecttype)", "--batch-all-objects", cwd=repository).splitlines()
    blobs = [name.split()[0] for name in names if name.endswith("blob")]
    done = subprocess.run(
        ["git", "cat-file", "--batch"], cwd=repository, input="\n".join(blobs).encode(), capture_output=True, check=True
    )
    return done.stdout.decode("utf-8", "replace")


def bytes_of(folder: Path) -> bytes:
    """Returns the bytes of all files below a directory."""
    return b"\n".join([path.read_bytes() for path in sorted(folder.rglob("*")) if path.is_file()])


def snapshot(folder: Path) -> dict[str, bytes]:
    """Returns each file below a directory with its bytes."""
    return {str(path.relative_to(folder)): path.read_bytes() for path in sorted(folder.rglob("*")) if path.is_file()}


def copied(machine: Machine, to: Path) -> Machine:
    """Returns the same machine as a copy of its home would start it, in another clone."""
    shutil.copytree(machine.env["HOME"], to)
    env = {**machine.env, "HOME": str(to), "MEMPACK_DATA_DIR": str(to / "data"), "MEMPACK_CONFIG_DIR": str(to / "config")}
    return Machine(machine.folder, env, machine.capture)


def writes(remote: Path, ref: str, text: str) -> bool:
    """Tells whether a ref of the remote has a text in one of its files."""
    return subprocess.run(["git", "grep", "-q", "-F", text, ref], cwd=remote, check=False).returncode == 0
