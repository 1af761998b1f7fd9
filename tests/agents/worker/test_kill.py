"""A worker that is killed at any statement: whatever was sent is there once when the next one has run."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

from tests.agents.worker.events import EDIT, Events
from tests.properties import EXAMPLES

STEP = 1 if EXAMPLES else 3  # statements from one kill to the next

# Runs the worker again and again on copies of a store, killed at a change, at a later one, ... until one gets through,
# each time followed by a worker that is left alone. Prints the number of kills and, for each, what the store tells then.
DRIVER = """
import os, shutil, sys
import apsw
from memcli import logs
from memcli.agents.capture import worker
from memcli.project import Where

logs.write = lambda *about: None
kill_at = 0
class Counter:
    left = 0
def trace(cursor, sql, values):
    if sql.lstrip().startswith(("SELECT", "PRAGMA")):  # killed before a question is killed before the change after it
        return True
    Counter.left -= 1
    if Counter.left == 0:
        os.kill(os.getpid(), 9)
    return True
def hook(db):
    db.execute("PRAGMA synchronous = OFF")
    db.exec_trace = trace
apsw.connection_hooks.append(hook)
real = worker.open_for_writing
def fast(*about, **more):
    project = real(*about, **more)
    project.db.execute("PRAGMA synchronous = OFF")
    return project
worker.open_for_writing = fast
clean, folder = sys.argv[1:3]

def run_worker(kill):
    child = os.fork()
    if child == 0:
        Counter.left = kill
        if not kill:
            os.environ["MEMPACK_CLOCK"] = "2026-03-01T12:30:00Z"  # the lease of the killed one has run out
        code = 0
        try:
            worker.run(Where())
        except BaseException as problem:
            print(repr(problem), file=sys.stderr)
            code = 1
        os._exit(code)
    return os.waitpid(child, 0)[1]

def state():
    db = apsw.Connection(folder + "/memory.db")
    said = []
    for sql in (
        "SELECT status, count(*) FROM job GROUP BY 1",
        "SELECT kind, title, summary, prompt, tools, session FROM memory WHERE session > 0 ORDER BY kind, title",
        "SELECT number, text, reply, files FROM prompt ORDER BY number",
        "SELECT harness, key, status, reason, prompts, summary IS NOT NULL FROM session",
        "SELECT rel, to_id FROM memory_link ORDER BY 1, 2",
        "SELECT kind, count(DISTINCT object) FROM op GROUP BY 1 ORDER BY 1",
    ):
        said.append(list(db.execute(sql)))
    db.close()
    return said

kill, done = int(sys.argv[3]), False
while not done:
    shutil.rmtree(folder)
    shutil.copytree(clean, folder)
    done = run_worker(kill) == 0
    if not done:
        assert run_worker(0) == 0, kill
    print(kill, state())
    kill += int(sys.argv[4])
"""


def test_a_worker_killed_at_any_statement_loses_and_doubles_nothing(events: Events, tmp_path: Path) -> None:
    events.prompt("Fix the login")
    events.tool("Read", {"file_path": "auth.py"})
    events.tool("Edit", EDIT)
    events.shell("pytest -q tests", "3 failed, 2 passed in 1.2s")
    events.stop("Remaining: write docs.")
    events.end()
    folder, clean = events.terminal.store.parent, tmp_path / "clean"
    shutil.copytree(folder, clean)
    lines: list[str] = []
    children = [
        subprocess.Popen(
            [
                sys.executable,
                "-c",
                DRIVER,
                str(clean),
                str(_place(tmp_path, folder, number)),
                str(1 + number * STEP),
                str(2 * STEP),
            ],
            cwd=events.terminal.folder,
            env={**events.terminal.env, "MEMPACK_DATA_DIR": str(tmp_path / f"data{number}")},
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        for number in range(2)
    ]
    for child in children:
        out, err = child.communicate(timeout=600)
        assert child.returncode == 0, err
        lines += out.splitlines()
    assert len(lines) > 90 // STEP
    assert len({line.partition(" ")[2] for line in lines}) == 1, sorted({line.partition(" ")[2] for line in lines})
    assert "('processed', 6)" in lines[0]


def _place(tmp_path: Path, folder: Path, number: int) -> Path:
    """Makes a data directory of its own with a copy of the store in it."""
    data = tmp_path / f"data{number}"
    shutil.copytree(Path(os.environ["MEMPACK_DATA_DIR"]), data)
    return data / "repos" / folder.name
