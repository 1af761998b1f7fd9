"""Real clients in a HOME of their own, with a model that is none, told of the memory by `mem setup` alone."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.agents.real.clients import CLIENTS, Client
from tests.agents.real.stub import Stub
from tests.conftest import PERSON

WHERE = "MEM_HARNESS_CLIENTS"  # a directory with one of npm's in it for each client; without it they are installed


@pytest.fixture(scope="session")
def installed(tmp_path_factory: pytest.TempPathFactory) -> Any:
    """A function that returns the directory of a client's program, installed where it is missing."""

    def find(client: Client) -> Path:
        base = Path(os.environ.get(WHERE) or tmp_path_factory.getbasetemp() / "clients")
        folder = base / client.name
        programs = folder / "node_modules" / ".bin"
        if not (programs / client.binary).exists():
            npm = shutil.which("npm")
            assert npm, "npm is not on PATH"
            folder.mkdir(parents=True, exist_ok=True)
            (folder / "package.json").write_text('{"private": true}')
            words = [npm, "install", "--no-audit", "--no-fund", "--save-exact", *client.options, *client.package.split()]
            subprocess.run(words, cwd=folder, check=True, capture_output=True, stdin=subprocess.DEVNULL)
        return programs

    return find


class Harness:
    """A person's HOME and repository, a client, and the model that it believes to talk to."""

    def __init__(self, client: Client, programs: Path, root: Path) -> None:
        self.client = client
        self.program = programs / client.binary
        self.home, self.project = root / "home", root / "project"
        self.stub = Stub()
        for folder in (self.home, self.project):
            folder.mkdir()
        # No `mem` on PATH: what setup wrote has to find it.
        path = os.pathsep.join(
            [str(programs), *[os.path.dirname(shutil.which(name) or "/bin/x") for name in ("node", "git", "sh")]]
        )
        settings = {"MEMPACK_CAPTURE_WORKER": "off", "MEMPACK_WORKER_IDLE_SECONDS": "0.1"}
        base = {"PATH": path, "HOME": str(self.home), "TERM": "dumb", "LANG": "C.UTF-8", **PERSON, **settings}
        self.env = {**base, **client.prepare(self.home, self.project, self.stub.url)}
        subprocess.run(["git", "init", "-q", "-b", "main", "."], cwd=self.project, env=self.env, check=True)
        subprocess.run(["git", "commit", "-q", "--allow-empty", "-m", "first"], cwd=self.project, env=self.env, check=True)

    def mem(self, *words: str, fails: int = 0) -> str:
        """Runs the installed mem and returns what it printed."""
        program = Path(sys.executable).with_name("mem")
        done = subprocess.run([program, *words], cwd=self.project, env=self.env, capture_output=True, text=True, timeout=120)
        assert done.returncode == fails, done.stdout + done.stderr
        return done.stdout

    def start(self, *words: str) -> subprocess.Popen[str]:
        """Starts the client's program."""
        pipe = subprocess.PIPE
        return subprocess.Popen(
            [self.client.binary, *words],
            cwd=self.project,
            env=self.env,
            stdin=subprocess.DEVNULL,
            stdout=pipe,
            stderr=subprocess.STDOUT,
            text=True,
            start_new_session=True,
        )

    def finish(self, process: subprocess.Popen[str]) -> str:
        """Waits for a client, ends what it left of its own, and returns what it printed."""
        try:
            said, _ = process.communicate(timeout=300)
        finally:
            try:
                os.killpg(process.pid, signal.SIGKILL)
            except ProcessLookupError:
                pass
        assert process.returncode == 0, said[-2000:]
        return said

    def run(self, *words: str) -> str:
        """Runs the client's program."""
        return self.finish(self.start(*words))

    def ask(self, prompt: str) -> list[str]:
        """Runs a whole session with one prompt and returns every string that the model was sent."""
        before = len(self.stub.requests)
        self.run(*self.client.words, prompt)
        return self.stub.texts(before)

    def memories(self) -> list[dict[str, Any]]:
        """Works up what hooks have left, and returns the memories, newest first."""
        self.mem("worker", "run")
        return list(json.loads(self.mem("recent", "--limit", "50", "--json")))


@pytest.fixture
def harness(request: pytest.FixtureRequest, installed: Any, tmp_path: Path) -> Iterator[Harness]:
    """A harness with the client that the test names."""
    client = CLIENTS[request.param]
    made = Harness(client, installed(client), tmp_path)
    try:
        yield made
    finally:
        made.stub.shutdown()
        made.stub.server_close()
