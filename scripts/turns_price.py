#!/usr/bin/env python3
"""Prints what ten turns of a session cost in cl100k tokens: with deltas, with the full turn each time, with a pack each time.

The memory is this repository's own (.mempack), in a throw-away store; between the turns things change as they do: another session
writes two memories, the state moves on, somebody sets a key of the profile. Each turn goes through the command.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from memcli.store.vocabulary import ranks
from memcli.text import tokens

ROOT = Path(__file__).resolve().parent.parent
# What is asked, and the commands that other sessions run before that.
TURNS: tuple[tuple[str, tuple[tuple[str, ...], ...]], ...] = (
    ("", ()),
    ("why does the everyday path not import json or re", ()),
    ("and what does a further module cost at every start", ()),
    (
        "how is a squash merge recognised",
        (("add", "Bench numbers are medians of 21 runs", "--summary", "Fewer jumped by a tenth."),),
    ),
    ("continue", ()),
    ("where are tokens counted, and are they exact", (("profile", "set", "answers", "short, in British English"),)),
    ("write a test for it", ()),
    ("run the suite and fix what fails", (("checkpoint", "--reason", "turns", "--state-json", '{"next": "docs/turns.md"}'),)),
    ("how do hooks keep events when the store is locked", ()),
    ("commit", (("add", "The suite runs on two cores", "--summary", "More workers than cores only make its timeouts fail."),)),
)


class Session:
    """A throw-away repository with this repository's memory."""

    def __init__(self, folder: str) -> None:
        names = ("HOME", "MEMPACK_DATA_DIR", "MEMPACK_CONFIG_DIR")
        own = {**dict.fromkeys(names, folder), "PYTHONPATH": str(ROOT), "MEMPACK_CLOCK": "2026-03-01T12:00:00Z"}
        self.env = {name: value for name, value in os.environ.items() if not name.startswith(("GIT_", "MEMPACK_", "XDG_"))} | own
        self.repo = Path(folder, "repo")
        subprocess.run(["git", "init", "-q", "-b", "main", str(self.repo)], env=self.env, check=True)
        person = ["-c", "user.name=n", "-c", "user.email=e@example.invalid"]
        subprocess.run(["git", *person, "commit", "-q", "--allow-empty", "-m", "m"], cwd=self.repo, env=self.env, check=True)
        self.mem("init")
        rows = [json.loads(line) for line in (ROOT / ".mempack" / "memories.jsonl").read_text(encoding="utf-8").splitlines()]
        for number, row in enumerate(rows):  # a day apart: which are the newest must not depend on their ids
            row["created_at"] = f"2026-{1 + number // 28:02}-{1 + number % 28:02}T12:00:00Z"
        Path(folder, "rows").write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")
        self.mem("import", str(Path(folder, "rows")))
        self.mem("checkpoint", "--reason", "start", "--state-json", '{"task": "turns", "open": ["tests", "docs"]}')

    def mem(self, *words: str) -> str:
        """Runs mem and returns what it printed."""
        command = [sys.executable, "-m", "memcli", *words]
        return subprocess.run(command, cwd=self.repo, env=self.env, check=True, capture_output=True, text=True).stdout

    def turn(self, session: str, query: str) -> tuple[str, int]:
        """Returns (the mode of a turn, its tokens) once it is told."""
        answer = json.loads(self.mem("turn", "prepare", "--session", session, "--query", query, "--format", "prompt"))
        self.mem("turn", "ack", "--prepare-id", answer["prepareId"], "--status", "success")
        return answer["mode"], tokens.count(answer["text"], ranks())


def main() -> int:
    """Prints a line a turn and the sums. Returns 0."""
    sums = [0, 0, 0]
    print("| turn | prompt | mode | with deltas | full each time | `mem get` each time |\n| --- | --- | --- | --- | --- | --- |")
    with tempfile.TemporaryDirectory() as folder:
        session = Session(folder)
        for number, (query, changes) in enumerate(TURNS, 1):
            for words in changes:
                session.mem(*words)
            mode, cost = session.turn("one", query)
            _, whole = session.turn(f"turn {number}", query)
            pack = tokens.count(session.mem("get", query or "turns", "--format", "prompt"), ranks())
            sums = [had + new for had, new in zip(sums, (cost, whole, pack))]
            print(f"| {number} | {query or '(start)'} | {mode} | {cost:,} | {whole:,} | {pack:,} |")
    print(f"| | **ten turns** | | **{sums[0]:,}** | **{sums[1]:,}** | **{sums[2]:,}** |")
    return 0


if __name__ == "__main__":
    sys.exit(main())
