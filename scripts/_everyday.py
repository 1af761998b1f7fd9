"""Which modules of ours everyday commands load: found by running each once."""

from __future__ import annotations

import fcntl
import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

from memcli import store
from memcli.store import inbox, opening

# Ordinary lines of each group of commands (GROUPS in memcli/__main__.py); ID: a memory's, FACT: a sentence
COMMANDS = {
    "start": ("hook session-start --harness claude",),  # before what changes the memory: a prompt then brings what is new
    "get": ("get session", "get sesion", "get QUESTION"),
    "search": ("search session", "search QUESTION"),
    "explain": ("explain session", "explain QUESTION"),
    "list": ("recent", "threads", "thread general"),
    "state": ("state",),
    "log": ("log",),
    "show": ("show ID",),
    "add": ("add Another --summary because", "add FACT"),
    "update": ("update ID --summary new",),
    "pin": ("pin ID", "unpin ID"),  # each time round there is something to do
    "checkpoint": ("checkpoint --reason r --state-json {}",),
    "write": ("link ID needs https://example.invalid", "undo"),
    "version": ("--version",),
    "status": ("status --short",),
    "call": ("hook pre-tool-use --harness claude",),
    "event": ("hook post-tool-use --harness claude",),
    "prompt": ("hook user-prompt --harness claude",),
}
QUESTION = "why is the session token refreshed twice when a user logs in"
FACTS = (
    "The retry queue lives in Redis because Postgres was too slow under load in the spring.",
    "Login tokens expire after ten minutes, which the security review of the mobile client wanted.",
)
SUMMARY = (
    "Sessions of the web client end after an hour, those of the desktop client after a week. The worker removes them at night."
)
PAYLOAD = json.dumps(
    {
        "session_id": "s",
        "prompt": "where do session tokens live",
        "tool_name": "Edit",
        "tool_use_id": "t",
        "tool_response": {"stdout": "tests/test_a.py::test_b PASSED [ 50%]"},  # of a word like this one more is read
        "cwd": ".",
    }
)
# Ids without chance: letters of one may look like the name of a secret, and the text that has it is then read by more modules.
NO_CHANCE = """
import os, sys
from _sha1 import sha1
process, calls = sys.argv.pop(1), []
def bytes_of(size):
    calls.append(size)
    return (sha1(f"{process} {len(calls)}".encode()).digest() * 4)[:size]
os.urandom = bytes_of
"""
COMMAND = "from memcli.__main__ import run; sys.exit(run(sys.argv[1:]))"
PROBE = """
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
    """Returns what everyday.txt should say: a module a line, and the groups of which a command loads it.

    The order is one in which each module finds what it imports. A module that a command could have done without costs a
    twentieth of one that Python has to look for on the disk.
    """
    # Not below TMPDIR: a path with a long name, or with chance letters, may look like a secret, and is then read by more modules.
    folder = Path("/tmp") / f"mem-{os.getpid()}"
    folder.mkdir()
    try:
        repository = Repository(folder)
        memory_id = repository.fill()
        (path,) = folder.rglob("memory.db")
        lock = os.open(path.parent / "worker.lock", os.O_CREAT | os.O_RDWR)
        fcntl.flock(lock, fcntl.LOCK_EX)  # as a running worker does: a real one would work up the prompt sooner or later
        db = opening.open_writer(str(path))
        store.set_meta(db, inbox.READ_COMMIT, repository.run("git", "rev-parse", "HEAD").stdout.strip())  # a worker ran before
        db.close()
        repository.loaded(memory_id, FACTS[0])  # what is only done once is done
        loaded = repository.loaded(memory_id, FACTS[1])
    finally:
        shutil.rmtree(folder)
    ours = dict.fromkeys(name for lists in loaded.values() for some in lists for name in some if name.startswith("memcli."))
    del ours["memcli.__main__"]
    rows = [(name, [group for group, lists in loaded.items() if any(name in some for some in lists)]) for name in ours]
    return "".join(f"{name}: {' '.join(groups)}".rstrip() + "\n" for name, groups in rows)


class Repository:
    """A repository in a folder of its own, with an environment in which nothing of this person counts."""

    def __init__(self, folder: Path) -> None:
        source = str(Path(__file__).resolve().parent.parent)
        who = {f"GIT_{role}_{field}": "n@example.invalid" for role in ("AUTHOR", "COMMITTER") for field in ("NAME", "EMAIL")}
        who |= {f"GIT_{role}_DATE": "2026-03-01T12:00:00Z" for role in ("AUTHOR", "COMMITTER")}  # ids of commits without chance
        path = os.environ.get("PATH", os.defpath)  # the rest would let a harness, a language or a time zone of this machine count
        self.env = {
            **who,
            "PATH": path,
            "HOME": str(folder),
            "GIT_CONFIG_NOSYSTEM": "1",
            "PYTHONPATH": source,
            "PYTHONHASHSEED": "0",
        }
        self.commands = 0
        self.path = folder / "repo"
        self.path.mkdir()

    def run(self, *words: str) -> subprocess.CompletedProcess[str]:
        """Runs a command in it; ends the script where it fails."""
        done = subprocess.run(words, cwd=self.path, env=self.env, input=PAYLOAD, capture_output=True, text=True)
        if done.returncode:
            sys.exit(f"{' '.join(words[-3:])} failed:\n{done.stderr}")
        return done

    def mem(self, *words: str) -> str:
        """Runs a command of `mem`. Returns what it printed."""
        return self.python(COMMAND, *words).stdout

    def python(self, source: str, *words: str) -> subprocess.CompletedProcess[str]:
        """Runs Python source with these arguments, and ids that are the same each time."""
        self.commands += 1
        return self.run(sys.executable, "-c", NO_CHANCE + source, str(self.commands), *words)

    def fill(self) -> str:
        """Stores what an ordinary memory has. Returns the id of one memory."""
        file = self.path / "session.py"
        file.write_text("def session():\n    return 'where session tokens live'\n")
        self.run("git", "init", "-q", ".")
        self.run("git", "commit", "-q", "--allow-empty", "-m", "m")
        added = self.mem("add", "Session tokens", "--summary", "live in Postgres", "--json")
        self.mem("add", "Sessions are read by session.py", "--summary", SUMMARY, "--file", "session.py")
        past = self.path / "past.jsonl"  # what a person did not write is marked
        past.write_text(json.dumps({"title": "Session cookies were given up", "summary": SUMMARY}) + "\n")
        self.mem("import", str(past))
        past.unlink()
        self.mem("ingest", ".")
        self.mem("checkpoint", "--reason", "the day ends", "--state-json", '{"next": "write the tests"}')
        self.run("git", "checkout", "-q", "-b", "other")
        self.run("git", "commit", "-q", "--allow-empty", "-m", "n")
        for number in range(4):  # what is on another branch is hidden on this one
            self.mem("add", f"Session {number} ends after an hour", "--summary", SUMMARY)
        self.run("git", "checkout", "-q", "-")
        return str(json.loads(added)["id"])

    def loaded(self, memory_id: str, fact: str) -> dict[str, list[list[str]]]:
        """Runs every line of COMMANDS. Returns by group the modules that each line loaded."""
        texts = {"ID": memory_id, "QUESTION": QUESTION, "FACT": fact}
        return {
            group: [self._modules([texts.get(word, word) for word in line.split()]) for line in lines]
            for group, lines in COMMANDS.items()
        }

    def _modules(self, words: list[str]) -> list[str]:
        return self.python(PROBE, *words).stderr.splitlines()[-1].split()
