#!/usr/bin/env python3
"""How fast the sessions of a client are imported: those of a person who works every day, in a repository with as many commits.

Usage: bench_import.py [--sessions 150] [--events 70] [--again]

Each session has prompts, edits, failing and passing tests, a commit and answers with what is open and why something was decided.
`--again` also measures an import that finds everything stored.
"""

import argparse
import json
import os
import random
import subprocess
import sys
import tempfile
import time
from datetime import UTC, datetime, timedelta
from pathlib import Path

MEM = Path(sys.executable).with_name("mem")
WORDS = (
    "cache queue parser token ledger retry socket index schema worker invoice search upload mirror bucket widget report".split()
)
START = datetime(2026, 1, 5, 9, tzinfo=UTC)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--sessions", type=int, default=150)
    parser.add_argument("--events", type=int, default=70)
    parser.add_argument("--again", action="store_true")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder)
        project, home = root / "project", root / "claude"
        make_repository(project, options.sessions)
        make_transcripts(home / "projects" / "project", project, options.sessions, options.events)
        env = {**os.environ, "CLAUDE_CONFIG_DIR": str(home), "MEMPACK_DATA_DIR": str(root / "data")}
        seconds, done = run(project, env)
        rate = done["events"] / seconds * 60
        print(f"{done['sessions']:,} sessions, {done['events']:,} events in {seconds:.1f} s: {rate:,.0f} a minute")
        if options.again:
            seconds, done = run(project, env)
            print(f"again: {done['stored']:,} stored already, {done['events']:,} events, {seconds:.1f} s")


def run(project, env):
    start = time.monotonic()
    words = [MEM, "import", "--from", "claude", "--json"]
    done = subprocess.run(words, cwd=project, env=env, check=True, capture_output=True, text=True)
    return time.monotonic() - start, json.loads(done.stdout)["clients"][0]


def make_repository(project, commits):
    project.mkdir()
    git = ["git", "-C", str(project), "-c", "user.name=A", "-c", "user.email=a@example.org"]
    subprocess.run([*git, "init", "-q", "-b", "main"], check=True)
    for number in range(commits):
        moment = (START + timedelta(days=number)).isoformat()
        env = {**os.environ, "GIT_AUTHOR_DATE": moment, "GIT_COMMITTER_DATE": moment}
        (project / f"{WORDS[number % len(WORDS)]}.py").write_text(f"def step_{number}():\n    return {number}\n")
        subprocess.run([*git, "add", "-A"], check=True)
        subprocess.run([*git, "commit", "-qm", f"Change {WORDS[number % len(WORDS)]} {number}"], env=env, check=True)


def make_transcripts(folder, project, sessions, events):
    folder.mkdir(parents=True)
    chance = random.Random(7)
    for number in range(sessions):
        lines = Lines(f"session-{number:04d}", project, START + timedelta(days=number, hours=1), chance)
        while lines.events < events:
            lines.turn()
        (folder / f"{lines.session}.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines.lines))


class Lines:
    """The lines of one transcript."""

    def __init__(self, session, project, at, chance):
        self.session, self.project, self.at, self.chance = session, str(project), at, chance
        self.lines, self.events = [], 0

    def turn(self):
        first, second = self.chance.sample(WORDS, 2)
        self.add("user", f"Make the {first} handle a full {second}, and always run the tests before you commit")
        for number in range(3):
            edit = {
                "file_path": f"{self.project}/{first}.py",
                "old_string": f"{second} = {number}",
                "new_string": f"{second}_{self.events} = 2",
            }
            self.call("Edit", edit, {"filePath": edit["file_path"]})
            failed = number == 0
            self.call(
                "Bash",
                {"command": f"pytest tests/test_{first}.py"},
                {"stdout": "1 failed" if failed else "4 passed", "stderr": ""},
                failed,
            )
        self.call(
            "Bash",
            {"command": f"git commit -am 'Handle a full {second}'"},
            {"stdout": f"[main abc{self.events:04d}] Handle", "stderr": ""},
        )
        self.add(
            "assistant",
            [
                {
                    "type": "text",
                    "text": f"""The {first} keeps what it has when the {second} is full.

## Decision
We chose a bounded {second} because the {first} must never block on it.

## Open points
- The {second} of the {first} is not flushed at exit yet.""",
                }
            ],
        )
        self.events += 2

    def call(self, tool, arguments, result, failed=False):
        name = f"toolu_{self.session}_{self.events}"
        self.add("assistant", [{"type": "tool_use", "id": name, "name": tool, "input": arguments}])
        content = [{"type": "tool_result", "tool_use_id": name, "content": json.dumps(result), "is_error": failed}]
        self.add("user", content, toolUseResult="Error: Exit code 1\n1 failed" if failed else result)
        self.events += 1

    def add(self, kind, content, **more):
        self.at += timedelta(seconds=20)
        place = {"cwd": self.project, "gitBranch": "main", "sessionId": self.session, "uuid": f"{self.session}-{len(self.lines)}"}
        message = {"role": kind, "content": content}
        self.lines.append({"type": kind, "message": message, "timestamp": self.at.isoformat(), **place, **more})


if __name__ == "__main__":
    main()
