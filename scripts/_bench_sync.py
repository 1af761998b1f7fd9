"""Measures how long a push and a pull of a shared memory take, through a git remote on this disk: run by `bench.py --sync`."""

import json
import os
import random
import re
import shutil
import subprocess
import time
from os import times
from pathlib import Path

SIZES = (100, 10_000, 100_000)
PERSON = {f"GIT_{role}_{field}": "a@example.invalid" for role in ("AUTHOR", "COMMITTER") for field in ("NAME", "EMAIL")}


def measure(setup):
    """Returns a row for each size: memories of one machine, pushed, and pulled by another; then an empty pull. In seconds.

    The processor time of the pull, over all its processes, does not depend on what else runs; two cores halve most of it.
    """
    return [_measured(setup, size) for size in SIZES]


def show(rows):
    """Prints the rows."""
    print("operations   push s   pull s   CPU s of it   next pull of 100 s   empty pull s   git processes of it")
    for size, pushed, pulled, cpu, more, empty, processes in rows:
        print(f"{size:>10,} {pushed:>8.2f} {pulled:>8.2f} {cpu:>13.2f} {more:>20.2f} {empty:>14.2f} {processes:>21}")


def _measured(setup, size):
    ada, ben = team(setup, f"sync-{size}", ["ada", "ben"])
    ada.write(size)
    pushed = ada.timed("sync", "--timeout", "900")
    before = times()
    pulled = ben.timed("sync", "pull", "--timeout", "900")
    cpu = sum(times()[2:4]) - sum(before[2:4])  # of processes that ended
    ada.write(100)
    ada.timed("sync", "--timeout", "900")
    more, empty = ben.timed("sync", "pull"), ben.timed("sync", "pull")
    return size, pushed, pulled, cpu, more, empty, ben.git_processes("sync", "pull")


def team(setup, name, members, remote=("origin",)):
    """Returns the machines of members who share through a new remote, in a directory of this name.

    `remote`: the words that enable another one than the git remote there.
    """
    folder = Path(setup.folder) / name
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    git(folder, "init", "-q", "--bare", "-b", "main", "origin.git")
    git(folder, "init", "-q", "-b", "main", "first")
    git(folder / "first", "commit", "-q", "--allow-empty", "-m", "first")
    git(folder / "first", "push", "-q", str(folder / "origin.git"), "main")
    for member in members:
        git(folder, "clone", "-q", "origin.git", member)
    return [Machine(setup, folder, member, remote) for member in members]


def git(folder, *words):
    subprocess.run(["git", *words], cwd=folder, env={**os.environ, **PERSON}, check=True, capture_output=True)


class Machine:
    """A clone with a home of its own, whose memories are all shared."""

    def __init__(self, setup, folder, name, remote):
        self.setup, self.root, home = setup, folder / name, folder / f"home-{name}"
        home.mkdir()
        own = {"HOME": str(home), "MEMPACK_DATA_DIR": str(home / "data"), "MEMPACK_CONFIG_DIR": str(home / "config")}
        own |= {"MEMPACK_SYNC_KINDS": "*", "MEMPACK_SYNC_ORIGINS": "*", "MEMPACK_CAPTURE_WORKER": "off"}
        self.environ = {**setup.environ, **PERSON, **own}
        self.random = random.Random(name)
        self.mem("sync", "enable", "--remote", *remote)

    def mem(self, *words, environ=None):
        command = [*self.setup.mem, *words]
        return subprocess.run(command, cwd=self.root, env=environ or self.environ, check=True, capture_output=True, text=True)

    def timed(self, *words):
        started = time.perf_counter()
        self.mem(*words)
        return time.perf_counter() - started

    def write(self, count):
        """Imports as many memories, in words of the documentation."""
        docs = Path(__file__).resolve().parent.parent / "docs"
        words = re.findall(r"[a-z]+", "".join([path.read_text(encoding="utf-8").lower() for path in sorted(docs.glob("*.md"))]))
        path = self.root / "memories.jsonl"
        with open(path, "w", encoding="utf-8") as file:
            for _ in range(count):
                title, summary = " ".join(self.random.choices(words, k=7)), " ".join(self.random.choices(words, k=40))
                file.write(json.dumps({"title": title, "summary": summary}) + "\n")
        self.mem("import", str(path))

    def git_processes(self, *words):
        """Returns how many processes of git a command starts itself."""
        environ, log = self.watched()
        self.mem(*words, environ=environ)
        return len(log.read_text().splitlines()) if log.exists() else 0

    def watched(self):
        """Returns an environment in which each git that is started writes its arguments into a file, and the file."""
        programs, log = self.root.parent / f"bin-{self.root.name}", self.root.parent / f"log-{self.root.name}"
        programs.mkdir(exist_ok=True)
        log.unlink(missing_ok=True)
        (programs / "git").write_text(f'#!/bin/sh\necho "$@" >>{log}\nexec {shutil.which("git")} "$@"\n')
        (programs / "git").chmod(0o755)
        return {**self.environ, "PATH": f"{programs}:{self.environ['PATH']}"}, log
