"""What scripts/bench.py measures of hooks: payloads of two sizes, while no worker runs and while one does."""

import json
import subprocess
import time
from contextlib import contextmanager, nullcontext

from bench import QUESTIONS, Verb, line, rounds

EVENTS = ("session-start", "user-prompt", "pre-tool-use", "post-tool-use")


def hooks(setup, runs, warm_ups):
    """Measures hooks with payloads of two sizes, while no worker runs and while one does. Returns lines of the table."""
    (folder,) = [path.parent for path in (setup.folder / "home").rglob("memory.db") if path.parent.parent.name == "repos"]
    lines = []
    for suffix, setting in (("", "off"), (", worker", "auto")):
        with_worker = setup._replace(environ={**setup.environ, "MEMPACK_CAPTURE_WORKER": setting})
        verbs = hook_verbs(setup, suffix)
        with worker(with_worker, folder) if suffix else nullcontext():
            timed = rounds(with_worker, verbs, runs, warm_ups)
        lines += [line(verb.name, timed, verb.target) for verb in verbs]
    return lines


def hook_verbs(setup, suffix):
    """Returns what is measured of hooks: each call is an event of its own, all in one session."""
    log = "tests/test_queue.py::test_retries PASSED [ 42%] in 0.12s\n"

    def payloads(size, **fields):
        base = {"session_id": "bench", "cwd": str(setup.folder / "repo"), "permission_mode": "default"}

        def payload(number):
            ids = dict.fromkeys(("prompt_id", "tool_use_id"), f"{time.monotonic_ns()}-{number}")
            return json.dumps({**base, **ids, **{name: fill(size) for name, fill in fields.items()}}).encode()

        return payload

    def question(size):
        return (" ".join(QUESTIONS) + ". " + PROSE * (size // len(PROSE) + 1))[:size]

    def output(size):
        return {"stdout": (log * (size // len(log) + 1))[:size], "stderr": ""}

    def failure(size):
        return "Exit code 127\n" + (log * (size // len(log) + 1))[:size] + "\nbash: line 1: pytest: command not found"

    call = {event: lambda number, event=event: ["hook", event, "--harness", "claude"] for event in EVENTS}

    def before(tool):
        arguments = {"Bash": {"command": "git push origin main"}, "Edit": {"file_path": str(setup.folder / "repo" / "README.md")}}
        return payloads(0, tool_name=lambda _: tool, tool_input=lambda _: arguments[tool])

    verbs = []
    for size, name in ((1_800, "2 KB"), (200_000, "200 KB")):
        tool = payloads(size, tool_name=lambda _: "Bash", tool_input=lambda _: {"command": "pytest -q"}, tool_response=output)
        verbs += [Verb(f"post-tool-use {name}{suffix}", 1.8, call["post-tool-use"], stdin=tool)]
        failing = payloads(size, tool_name=lambda _: "Bash", tool_input=lambda _: {"command": "pytest -q"}, error=failure)
        verbs += [Verb(f"post-tool-use {name}, failing{suffix}", 2.4, call["post-tool-use"], stdin=failing)]
        verbs += [Verb(f"user-prompt {name}{suffix}", 2.5, call["user-prompt"], stdin=payloads(size, prompt=question))]
    verbs += [Verb(f"pre-tool-use {tool}{suffix}", 2.4, call["pre-tool-use"], stdin=before(tool)) for tool in ("Bash", "Edit")]
    return [*verbs, Verb(f"session-start{suffix}", 2.5, call["session-start"], stdin=payloads(0, source=lambda _: "startup"))]


# Holds what a worker holds: the lock, and the store open.
WORKER = """
import fcntl, sys
from memcli import store
from memcli.store import opening
lock = open(sys.argv[1] + "/worker.lock", "w")
fcntl.flock(lock, fcntl.LOCK_EX)
handle = opening.open_writer(sys.argv[1] + "/memory.db")
print("ready", flush=True)
sys.stdin.read()
handle.close()
"""
PROSE = "The nightly run of the importer fails since the queue was moved to a process of its own. Please find out why. "


@contextmanager
def worker(setup, folder):
    """Something that holds the store in `folder` as a worker does."""
    command = [*setup.python, "-c", WORKER, str(folder)]
    process = subprocess.Popen(command, env=setup.environ, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    try:
        process.stdout.readline()
        yield
    finally:
        process.communicate()
