"""Which modules of ours everyday commands load: found by running each once."""

from __future__ import annotations

import fcntl
import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

# The plainest lines of each group of commands (GROUPS in memcli/__main__.py); ID: a memory's
COMMANDS = {
    "get": ("get session", "get sesion --format json"),
    "search": ("search session",),
    "explain": ("explain session",),
    "list": ("recent", "threads", "thread general", "log", "state"),
    "show": ("show ID",),
    "add": ("add Another --summary because", "update ID --summary new", "pin ID"),
    "write": ("link ID needs https://example.invalid", "checkpoint --reason r --state-json {}", "undo"),
    "version": ("--version",),
    "event": ("hook post-tool-use --harness claude",),
    "start": ("hook session-start --harness claude",),
    "prompt": ("hook session-start --harness claude", "hook user-prompt --harness claude"),  # a first prompt tells all
}
PAYLOAD = '{"session_id": "s", "prompt": "where do session tokens live", "tool_name": "Edit", "tool_use_id": "t", "cwd": "."}'
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


def everyday_text() -> str:
    """Returns what everyday.txt should say: a module a line, and the groups of commands that load it."""
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
        subprocess.run(ingest, cwd=repo, env=env, check=True)
        commands = [(group, line.replace("ID", memory_id)) for group, lines in COMMANDS.items() for line in lines]
        (store,) = Path(folder).rglob("memory.db")
        lock = os.open(store.parent / "worker.lock", os.O_CREAT | os.O_RDWR)
        fcntl.flock(lock, fcntl.LOCK_EX)  # as a running worker does: a real one would work up the prompt sooner or later
        for _, line in commands:
            names(line)  # what is only done once is done
        groups: dict[str, list[str]] = {}
        for group, line in commands:
            for name in names(line):
                if name.startswith("memcli."):
                    groups.setdefault(name, [])
                    groups[name] += [group] if group not in groups[name] else []
        return "".join(f"{name}: {' '.join(some)}\n" for name, some in sorted(groups.items()) if name != "memcli.__main__")
