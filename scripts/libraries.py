#!/usr/bin/env python3
"""Measures libraries that stay out of the package: what they cost to import, and what each does in place of our own code.

    uv run --no-project --with gitpython --with tiktoken --with rich python scripts/libraries.py

Times are multiples of an interpreter's start, the best of nine, so that they mean the same on a busy machine.
"""

from __future__ import annotations

import os
import sqlite3
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
FILE = "memcli/project.py"
BLAME = ["blame", "--porcelain", "-L", "1,60", "HEAD", "--", FILE]
PATTERN = r"'(?i:[sdmt]|ll|ve|re)|[^\r\n\p{L}\p{N}]?+\p{L}++|\p{N}{1,3}+| ?[^\s\p{L}\p{N}]++[\r\n]*+|\s++$|\s*[\r\n]|\s+(?!\S)|\s"


def seconds(code: str) -> float:
    """Returns the shortest of nine runs of a program."""
    times = []
    for _ in range(9):
        start = time.perf_counter()
        subprocess.run([sys.executable, "-c", code], cwd=ROOT, check=True, capture_output=True)
        times.append(time.perf_counter() - start)
    return min(times)


def costs() -> None:
    """Prints what imports cost, and a blame by a process of git and by GitPython."""
    base = seconds("pass")
    for name in ("git", "tiktoken", "rich.table", "rich.markdown"):
        print(f"import {name}: {(seconds(f'import {name}') - base) / base:.1f} starts of Python")
    plain = seconds(f"import subprocess; subprocess.run(['git', *{BLAME}], capture_output=True, check=True)")
    library = seconds(f"import git; git.Repo('.').git.execute(['git', *{BLAME}])")
    print(f"blame: a process of git {(plain - base) / base:.1f}, GitPython {(library - base) / base:.1f} starts of Python")


def safety() -> None:
    """Prints which programs of a repository's own configuration GitPython runs."""
    import git  # noqa: TID251  # what is measured

    with tempfile.TemporaryDirectory() as folder:
        run = {"cwd": folder, "check": True, "capture_output": True}
        Path(folder, "a").write_text("x\n")
        Path(folder, ".gitattributes").write_text("a diff=theirs\n")
        person = ["-c", "user.name=a", "-c", "user.email=a@example.invalid"]
        for words in (["init", "-q"], ["add", "."], [*person, "commit", "-qm", "first"]):
            subprocess.run(["git", *words], **run)
        for key, name in (("diff.theirs.textconv", "textconv"), ("core.fsmonitor", "fsmonitor")):
            subprocess.run(["git", "config", key, f"touch {folder}/ran-{name}; false"], **run)
        for words in (["blame", "HEAD", "--", "a"], ["status"]):
            try:
                git.Repo(folder).git.execute(["git", *words])
            except git.GitCommandError:
                pass  # what they run may fail; it ran
        print("GitPython ran:", ", ".join(sorted(name for name in os.listdir(folder) if name.startswith("ran-"))) or "nothing")


def counting() -> None:
    """Prints how long tiktoken takes to count this repository's lines with the shipped vocabulary."""
    lines = [line for path in sorted(ROOT.glob("memcli/**/*.py")) for line in path.read_text().splitlines(keepends=True)]
    start = time.process_time()
    import tiktoken

    rows = sqlite3.connect(ROOT / "memcli/store/cl100k.db").execute("SELECT bytes, rank FROM token")
    ranks = {bytes(token): rank for token, rank in rows}
    encoding = tiktoken.Encoding("cl100k", pat_str=PATTERN, mergeable_ranks=ranks, special_tokens={})
    made = time.process_time()
    count = sum(len(encoding.encode_ordinary(line)) for line in lines)
    print(f"tiktoken: {made - start:.2f} s until it counts, {time.process_time() - made:.2f} s for {count:,} tokens")


if __name__ == "__main__":
    costs()
    safety()
    counting()
