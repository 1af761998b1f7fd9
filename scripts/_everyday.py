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
    "list": ("recent", "threads", "thread general"),
    "state": ("state",),
    "log": ("log",),
    "show": ("show ID",),
    "add": ("add Another --summary because",),
    "update": ("update ID --summary new",),
    "pin": ("pin ID",),
    "checkpoint": ("checkpoint --reason r --state-json {}",),
    "write": ("link ID needs https://example.invalid", "undo"),
    "version": ("--version",),
    "status": ("status --short",),
    "call": ("hook pre-tool-use --harness claude",),
    "event": ("hook post-tool-use --harness claude",),
    "start": ("hook session-start --harness claude",),
    "prompt": ("hook user-prompt --harness claude",),
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
    """Returns what everyday.txt should say: a module a line, and the groups whose every command loads it.

    The order is one in which each module finds what it imports.
    """
    with tempfile.TemporaryDirectory() as folder:
        env = {name: value for name, value in os.environ.items() if not name.startswith(("GIT_", "MEMPACK_", "XDG_"))}
        env |= {"HOME": folder, "GIT_CONFIG_NOSYSTEM": "1", "PYTHONPATH": str(Path(__file__).resolve().parent.parent)}
        repo = Path(folder, "repo")
        subprocess.run(["git", "init", "-q", str(repo)], env=env, check=True)
        Path(repo, "session.py").write_text("def session():\n    return 'where session tokens live'\n")
        as_someone = ["-c", "user.name=n", "-c", "user.email=e@example.invalid"]
        subprocess.run(["git", *as_someone, "commit", "-q", "--allow-empty", "-m", "m"], cwd=repo, env=env, check=True)

        def run(*words: str) -> subprocess.CompletedProcess[str]:
            done = subprocess.run([sys.executable, *words], cwd=repo, env=env, input=PAYLOAD, capture_output=True, text=True)
            if done.returncode:
                sys.exit(f"{' '.join(words[-3:])} failed:\n{done.stderr}")
            return done

        def names(line: str) -> list[str]:
            return run("-c", PROBE, *line.split()).stderr.splitlines()[-1].split()

        added = run("-m", "memcli", "add", "Session tokens", "--summary", "live in Postgres", "--json")
        memory_id = json.loads(added.stdout)["id"]
        run("-m", "memcli", "ingest", ".")
        (store,) = Path(folder).rglob("memory.db")
        lock = os.open(store.parent / "worker.lock", os.O_CREAT | os.O_RDWR)
        fcntl.flock(lock, fcntl.LOCK_EX)  # as a running worker does: a real one would work up the prompt sooner or later
        lines = {group: [line.replace("ID", memory_id) for line in some] for group, some in COMMANDS.items()}
        for some in lines.values():
            for line in some:
                names(line)  # what is only done once is done
        loaded = {group: [names(line) for line in some] for group, some in lines.items()}
    ours = dict.fromkeys(name for lists in loaded.values() for some in lists for name in some if name.startswith("memcli."))
    del ours["memcli.__main__"]
    rows = [(name, [group for group, lists in loaded.items() if all(name in some for some in lists)]) for name in ours]
    return "".join(f"{name}: {' '.join(groups)}".rstrip() + "\n" for name, groups in rows)
