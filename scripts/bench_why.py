#!/usr/bin/env python3
"""How long `mem why` takes on a file of 5,000 lines in a repository of 20,000 commits.

Usage: bench_why.py [--commits N] [--runs N]

Makes two repositories with git fast-import: in one every twentieth commit changes the file, in the other each does. Prints
medians of whole processes in milliseconds, beside git blame of the same line.
"""

import argparse
import os
import random
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

LINES = 5_000
ASKED = (1, 1_234, 2_500, 5_000)  # lines


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--commits", type=int, default=20_000)
    parser.add_argument("--runs", type=int, default=5)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        own = {"HOME": folder, "MEMPACK_DATA_DIR": f"{folder}/data", "MEMPACK_CONFIG_DIR": f"{folder}/config"}
        env = {name: value for name, value in os.environ.items() if not name.startswith(("GIT_", "MEMPACK_"))} | own
        for share in (0.05, 1.0):
            repo = made(Path(folder, f"share-{share}"), options.commits, share, env)
            mem = [sys.executable, "-m", "memcli"]
            subprocess.run([*mem, "add", "Kept", "--summary", "s"], cwd=repo, env=env, check=True, capture_output=True)
            print(f"{share:.0%} of {options.commits:,} commits change the file")
            for words in (
                *[["why", f"src/big.py:{line}"] for line in ASKED],
                ["why", "src/big.py:2500-2540"],
                ["why", "src/big.py"],
            ):
                print(f"  mem {' '.join(words):<28} {median([*mem, *words], repo, env, options.runs):6.0f}")
            for line in ASKED:
                blame = ["git", "blame", "-L", f"{line},{line}", "src/big.py"]
                print(f"  {' '.join(blame):<32} {median(blame, repo, env, options.runs):6.0f}")
    return 0


def made(folder, commits, share, env):
    """Makes a repository and checks it out."""
    chance = random.Random(7)
    lines = [f"line {number} = {chance.randrange(10**6)}" for number in range(LINES)]
    subprocess.run(["git", "init", "-q", "-b", "main", str(folder)], env=env, check=True)
    importer = subprocess.Popen(["git", "fast-import", "--quiet"], cwd=folder, env=env, stdin=subprocess.PIPE)
    for count in range(commits):
        if count == 0 or chance.random() < share:
            line = chance.randrange(LINES)
            lines[line] = f"line {line} = {chance.randrange(10**6)}"
            path, text = "src/big.py", "\n".join(lines) + "\n"
        else:
            path, text = f"src/part{count % 40}/file{count % 1000}.py", f"x = {count}\n"
        head = f"commit refs/heads/main\ncommitter A <a@example.invalid> {1_600_000_000 + count * 600} +0000\n"
        message = f"Change {count}"
        importer.stdin.write(f"{head}data {len(message)}\n{message}\nM 100644 inline {path}\ndata {len(text)}\n{text}\n".encode())
    importer.stdin.close()
    if importer.wait():
        sys.exit("git fast-import failed")
    subprocess.run(["git", "reset", "-q", "--hard"], cwd=folder, env=env, check=True)
    return folder


def median(words, folder, env, runs):
    times = []
    for _ in range(runs):
        start = time.perf_counter()
        subprocess.run(words, cwd=folder, env=env, check=True, capture_output=True)
        times.append((time.perf_counter() - start) * 1000)
    return statistics.median(times)


if __name__ == "__main__":
    sys.exit(main())
