#!/usr/bin/env python3
"""Uses a memory from everywhere at once and kills what it uses: `soak.py [--minutes N] [--seed N]`.

Hooks, commands, the worker, the service, ingestion, gc, backups and a HEAD that moves run together on a repository of their own,
and every few seconds one of their processes is killed (SIGKILL). In the end nothing may be lost whose writing was acknowledged,
the store has to be sound, and files, processes, memory and open files must not have grown without limit. Prints what ran and what
is wrong; exits with 1 for the latter. Linux only: it reads /proc.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import shutil
import signal
import sqlite3
import subprocess
import sys
import tempfile
import threading
import time
from collections import Counter
from collections.abc import Callable
from pathlib import Path

from memcli import client, serving

MEM = [sys.executable, "-P", "-m", "memcli"]
KILLED = -signal.SIGKILL
SAMPLE = 2.0  # seconds between two looks at what is used
RSS, FILES, HANDLES = 400, 60, 120  # MB of a process, files beside the store, open files of a process: more is growth
PROCESSES = 40
PATIENCE = 120  # seconds for a call: beyond, it hangs


class Soak:
    """A repository, what was acknowledged there, and what went wrong."""

    def __init__(self, folder: Path, seed: int) -> None:
        self.folder, self.repo, self.data = folder, folder / "work", folder / "data"
        self.random = random.Random(seed)
        self.stopped = threading.Event()
        self.lock = threading.Lock()
        self.memories: dict[str, str] = {}  # id -> title
        self.prompts: set[str] = set()
        self.calls: Counter[str] = Counter()
        self.peaks: Counter[str] = Counter()
        self.problems: list[str] = []
        self.number = 0
        os.environ.update(HOME=str(folder), MEMPACK_DATA_DIR=str(self.data), GIT_CONFIG_GLOBAL=os.devnull)
        os.environ.update({f"GIT_{who}_{what}": "a@b" for who in ("AUTHOR", "COMMITTER") for what in ("NAME", "EMAIL")})

    def run(self, words: list[str], stdin: str = "") -> subprocess.CompletedProcess[str] | None:
        """Runs a program. Returns None where it was killed; a traceback or a hanging program is a problem."""
        try:
            done = subprocess.run(
                words, cwd=self.repo, input=stdin, capture_output=True, text=True, timeout=PATIENCE, check=False
            )
        except subprocess.TimeoutExpired:
            self.fail(f"{' '.join(words[3:])} hangs")
            return None
        if "Traceback" in done.stderr:
            self.fail(f"{' '.join(words[3:6])}: {done.stderr.splitlines()[-1]}")
        return None if done.returncode == KILLED else done

    def mem(self, *words: str, stdin: str = "") -> str | None:
        """Runs mem. Returns what it printed, None where it was killed; an error is a problem."""
        done = self.run([*MEM, *words], stdin)
        with self.lock:
            self.calls[words[0] + (" (killed)" if done is None else "")] += 1
        if done is not None and done.returncode:
            self.fail(f"mem {' '.join(words[:2])} ended with {done.returncode}: {done.stderr.strip()[:300]}")
            return None
        return None if done is None else done.stdout

    def fail(self, text: str) -> None:
        """Notes a problem."""
        with self.lock:
            self.problems.append(text)

    def marker(self) -> str:
        """Returns a word that nothing else has."""
        with self.lock:
            self.number += 1
            return f"thing{self.number}of{os.getpid()}"


def add(soak: Soak) -> None:
    """Adds a memory on the command line."""
    title = f"Decided how {soak.marker()} is stored"
    if out := soak.mem("add", title, "--summary", "since it is faster", "--json"):
        soak.memories[json.loads(out)["id"]] = title


def get(soak: Soak) -> None:
    """Asks."""
    soak.mem("get", "how", "is", soak.random.choice([*soak.memories.values(), "it"]), "stored")


def session(soak: Soak) -> None:
    """Plays a session of an agent: its events come as a harness sends them."""
    key = soak.marker()

    def event(name: str, kind: str, **fields: object) -> str | None:
        payload = {"session_id": key, "hook_event_name": kind, "cwd": str(soak.repo), **fields}
        return soak.mem("hook", name, "--harness", "claude", stdin=json.dumps(payload))

    event("session-start", "SessionStart", source="startup")
    for _ in range(3):
        prompt = f"Mend {soak.marker()} in the login, please"
        if event("user-prompt", "UserPromptSubmit", prompt=prompt) is not None:
            soak.prompts.add(prompt)
        edit = {"file_path": str(soak.repo / "a.py"), "old_string": "x = 1", "new_string": f"x = {soak.number}"}
        event("pre-tool-use", "PreToolUse", tool_name="Edit", tool_input=edit)
        event("post-tool-use", "PostToolUse", tool_name="Edit", tool_input=edit, tool_response={"filePath": "a.py"})
    event("stop", "Stop", last_assistant_message="Mended. Remaining: the nightly sync.")
    event("session-end", "SessionEnd", reason="exit")


def call(soak: Soak) -> None:
    """Adds a memory over HTTP, after starting the service where it does not run."""
    about = serving.running()
    if about is None:
        soak.run([*MEM, "serve", "start", "--port", "0"])
        return
    title = f"Agreed over HTTP on {soak.marker()}"
    target = client.Target(about.url, None, (soak.data / "token").read_text().strip(), 30.0)
    try:
        status, body = client.request(target, "POST", "/v2/memories", json.dumps({"title": title, "summary": "b"}).encode())
    except (OSError, ValueError, client.http.client.HTTPException):
        soak.calls["http (killed)"] += 1
        return
    soak.calls["http"] += 1
    if status not in (200, 201):
        soak.fail(f"POST /v2/memories answered {status}: {body[:200]!r}")
    else:
        soak.memories[json.loads(body)["id"]] = title


def upkeep(soak: Soak) -> None:
    """Runs what is run now and then."""
    choice = soak.random.randrange(6)
    if choice == 0:
        (soak.repo / "notes.md").write_text("".join([f"## Part {n}\n\n{soak.marker()}\n\n" for n in range(20)]))
        soak.mem("ingest")
    elif choice == 1:
        soak.mem("gc")
    elif choice == 2:
        soak.mem("backup")
    elif choice == 3:
        soak.mem("doctor", "--json")
    else:
        soak.mem("recent", "--limit", "5")
    time.sleep(1)


def move_head(soak: Soak) -> None:
    """Commits, amends, and changes branches."""
    branch = f"b{soak.random.randrange(3)}"
    steps = [["commit", "-q", "--allow-empty", "-m", soak.marker()], ["commit", "-q", "--allow-empty", "--amend", "-m", "again"],
             ["checkout", "-q", "-B", branch], ["checkout", "-q", "main"], ["merge", "-q", "-m", "merged", branch]]  # fmt: skip
    subprocess.run(["git", *soak.random.choice(steps)], cwd=soak.repo, capture_output=True, check=False)
    time.sleep(0.3)


def kill(soak: Soak) -> None:
    """Kills one of the processes of mem."""
    time.sleep(soak.random.uniform(0.5, 2.0))
    if pids := list(processes(soak)):
        pid = soak.random.choice(pids)
        try:
            os.kill(pid, signal.SIGKILL)
            soak.calls["(kills)"] += 1
        except ProcessLookupError:
            pass


def watch(soak: Soak) -> None:
    """Notes the most that was used at once."""
    for pid in (pids := list(processes(soak))):
        try:
            rss = int(Path(f"/proc/{pid}/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE") >> 20
            handles = len(os.listdir(f"/proc/{pid}/fd"))
        except (OSError, IndexError):
            continue
        soak.peaks["MB of a process"] = max(soak.peaks["MB of a process"], rss)
        soak.peaks["open files of a process"] = max(soak.peaks["open files of a process"], handles)
    files = sum(len(names) for _, _, names in os.walk(soak.data))
    soak.peaks["processes"] = max(soak.peaks["processes"], len(pids))
    soak.peaks["files"] = max(soak.peaks["files"], files)
    time.sleep(SAMPLE)


def processes(soak: Soak) -> list[int]:
    """Returns the processes of mem that use this data directory."""
    ours, mark = [], f"MEMPACK_DATA_DIR={soak.data}\0".encode()
    for name in os.listdir("/proc"):
        if name.isdigit() and int(name) != os.getpid():
            try:
                if b"memcli" in Path(f"/proc/{name}/cmdline").read_bytes() and mark in Path(f"/proc/{name}/environ").read_bytes():
                    ours.append(int(name))
            except OSError:
                continue
    return ours


def repeat(action: Callable[[Soak], None], soak: Soak) -> None:
    """Does the same until the time is over. An error of this script itself is a problem, too."""
    while not soak.stopped.is_set():
        try:
            action(soak)
        except Exception as error:
            soak.fail(f"{action.__name__}: {type(error).__name__}: {error}")
            time.sleep(0.5)


def prepare(soak: Soak) -> None:
    """Makes the repository and its memory."""
    soak.repo.mkdir()
    for words in (["init", "-q", "-b", "main"], ["commit", "-q", "--allow-empty", "-m", "first"]):
        subprocess.run(["git", *words], cwd=soak.repo, check=True)
    (soak.repo / "a.py").write_text("x = 1\n")
    soak.mem("init", "--no-agents")


def settle(soak: Soak) -> None:
    """Ends the service, has the worker do what waits, and ends whatever of mem is still there."""
    soak.mem("serve", "stop")
    deadline = time.monotonic() + PATIENCE
    while waiting(soak) and time.monotonic() < deadline:
        soak.run([*MEM, "worker", "run"])
    soak.mem("worker", "stop")
    soak.mem("gc")
    deadline = time.monotonic() + PATIENCE
    while (left := processes(soak)) and time.monotonic() < deadline:
        soak.mem("serve", "stop")  # a service whose start was killed may come up only now
        time.sleep(0.1)
    if left:
        soak.fail(f"{len(left)} processes do not end: {', '.join(map(command, left))}")
        for pid in left:
            os.kill(pid, signal.SIGKILL)


def command(pid: int) -> str:
    """Returns a process's command line, without the interpreter."""
    try:
        words = Path(f"/proc/{pid}/cmdline").read_bytes().decode(errors="replace").split("\0")
    except OSError:
        return "one that ended now"
    return " ".join(words[len(MEM) - 1 :]).strip()


def rows(soak: Soak, statement: str) -> list[str]:
    """Returns the first column of what a statement selects from the store."""
    (path,) = soak.data.glob("repos/*/memory.db")
    with sqlite3.connect(f"file:{path}?mode=ro", uri=True) as db:
        return [str(row[0]) for row in db.execute(statement)]


def waiting(soak: Soak) -> bool:
    """Tells whether events wait."""
    return rows(soak, "SELECT count(*) FROM job WHERE status IN ('pending', 'processing')") != ["0"]


def check(soak: Soak) -> None:
    """Notes what was lost, is damaged or has grown."""
    for name, lost in (
        ("memories", soak.memories.keys() - set(rows(soak, "SELECT id FROM memory WHERE NOT forgotten"))),
        ("prompts", soak.prompts - set(rows(soak, "SELECT text FROM prompt"))),
    ):
        if lost:
            soak.fail(f"{len(lost)} acknowledged {name} are lost, such as {min(lost)}")
    if (state := rows(soak, "PRAGMA integrity_check")) != ["ok"]:
        soak.fail(f"the store is damaged: {state[0]}")
    if failed := rows(soak, "SELECT error FROM job WHERE status = 'failed'"):
        soak.fail(f"{len(failed)} events failed, such as: {failed[0]}")
    limits = {"MB of a process": RSS, "open files of a process": HANDLES, "processes": PROCESSES, "files": FILES}
    for name, limit in limits.items():
        if soak.peaks[name] > limit:
            soak.fail(f"{soak.peaks[name]} {name}, more than {limit}")
    soak.mem("doctor")


def main() -> int:
    """Runs it. Returns the exit code."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--minutes", type=float, default=5.0)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--keep", action="store_true", help="keep the directory")
    options = parser.parse_args()
    folder = Path(tempfile.mkdtemp(prefix="mem-soak-"))
    soak = Soak(folder, options.seed)
    try:
        prepare(soak)
        actions = [add, add, get, session, session, call, call, upkeep, move_head, kill, watch]
        threads = [threading.Thread(target=repeat, args=(action, soak), daemon=True) for action in actions]
        for thread in threads:
            thread.start()
        soak.stopped.wait(options.minutes * 60)
        soak.stopped.set()
        for thread in threads:
            thread.join()
        settle(soak)
        check(soak)
    finally:
        if not options.keep:
            shutil.rmtree(folder, ignore_errors=True)
    for name, count in [*sorted(soak.calls.items()), *sorted(soak.peaks.items())]:
        print(f"{count:7,} {name}")
    print(f"{len(soak.memories):7,} memories and {len(soak.prompts):,} prompts acknowledged")
    for text, count in Counter(soak.problems).most_common():
        print(f"PROBLEM{f' ({count} times)' if count > 1 else ''}: {text}")
    return 1 if soak.problems else 0


if __name__ == "__main__":
    sys.exit(main())
