"""Which modules of ours an everyday command loads, in the order in which they are complete: found by running each once."""

from __future__ import annotations

import fcntl
import json
import os
import subprocess
import sys
import tempfile
import textwrap
from pathlib import Path

# key of the bundle -> the plainest such command line; ID: a memory's
COMMANDS = {
    "get": "get session",
    "search": "search session",
    "explain": "explain session",
    "recent": "recent",
    "show": "show ID",
    "threads": "threads",
    "log": "log",
    "add": "add Another --summary because",
    "update": "update ID --summary new",
    "pin": "pin ID",
    "checkpoint": "checkpoint --reason r --state-json {}",
    "version": "--version",
    "hook-session-start": "hook session-start --harness claude",
    "hook-user-prompt": "hook user-prompt --harness claude",
    "hook-post-tool-use": "hook post-tool-use --harness claude",
}
PAYLOAD = '{"session_id": "s", "prompt": "why is the session slow", "tool_name": "Edit", "tool_use_id": "t", "cwd": "."}'
PROBE = """
import sys
from _frozen_importlib_external import SourceFileLoader
plain, names = SourceFileLoader.exec_module, []
def noting(self, module):
    plain(self, module)
    names.append(module.__name__)
SourceFileLoader.exec_module = noting
from memcli.__main__ import run
code = run(sys.argv[1:])
print(*names, file=sys.stderr)
sys.exit(code)
"""
BEFORE = ("memcli", "memcli.__main__", "memcli.bundle")  # loaded before a bundle is
HEAD = '''"""The modules of ours that an everyday command loads, in the order in which they are complete. Made by scripts/docs."""

from __future__ import annotations

LOADS = {
'''


def loads_text() -> str:
    """Returns the source of memcli/loads.py."""
    with tempfile.TemporaryDirectory() as folder:
        env = {name: value for name, value in os.environ.items() if not name.startswith(("GIT_", "MEMPACK_", "XDG_"))}
        env |= {"HOME": folder, "GIT_CONFIG_NOSYSTEM": "1", "PYTHONPATH": str(Path(__file__).resolve().parent.parent)}
        repo = Path(folder, "repo")
        subprocess.run(["git", "init", "-q", str(repo)], env=env, check=True)
        Path(repo, "session.py").write_text("def session():\n    return 'where session tokens live'\n")
        as_someone = ["-c", "user.name=n", "-c", "user.email=e@example.invalid"]
        subprocess.run(["git", *as_someone, "commit", "-q", "--allow-empty", "-m", "m"], cwd=repo, env=env, check=True)

        def names(line: str) -> list[str]:
            command = [sys.executable, "-c", PROBE, *line.split()]
            done = subprocess.run(command, cwd=repo, env=env, input=PAYLOAD, capture_output=True, text=True, check=True)
            return done.stderr.splitlines()[-1].split()

        add = [sys.executable, "-m", "memcli", "add", "Session tokens", "--summary", "live in Postgres", "--json"]
        added = subprocess.run(add, cwd=repo, env=env, check=True, capture_output=True, text=True)
        memory_id = json.loads(added.stdout)["id"]
        ingest = [sys.executable, "-m", "memcli", "ingest", "."]
        subprocess.run(ingest, cwd=repo, env=env, check=True, capture_output=True)
        lines = {key: line.replace("ID", memory_id) for key, line in COMMANDS.items()}
        (store,) = Path(folder).rglob("memory.db")
        lock = os.open(store.parent / "worker.lock", os.O_CREAT | os.O_RDWR)
        fcntl.flock(lock, fcntl.LOCK_EX)  # as a worker that is running: another one would work up the prompt sooner or later
        for line in lines.values():
            names(line)  # what is only done once is done
        return HEAD + "".join(_entry(key, names(line)) for key, line in lines.items()) + "}\n"


def _entry(key: str, names: list[str]) -> str:
    ours = " ".join(name for name in names if name.startswith("memcli") and name not in BEFORE)
    body = textwrap.fill(ours, 124, initial_indent="        ", subsequent_indent="        ")
    return f'    "{key}": """\n{body}\n    """,\n'
