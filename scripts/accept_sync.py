#!/usr/bin/env python3
"""Runs the acceptance tests of `mem sync` at full size, through git remotes on this disk, and prints a line for each.

    accept_sync.py [--kills 200] [--jobs 10 30] [--hostile] [--seeds 0] [--database ADDRESS]

Those that say so go through each transport: git, dir, and a PostgreSQL where one is given.

kills    synchronizations of two stores are killed at random moments: nothing is lost or doubled, git fsck finds all sound
jobs     so many CI jobs push at once: all arrive, with two attempts each at most on average
empty    a pull of nothing takes at most four processes of git
week     a store that is offline writes 500 memories while the remote is compacted twice and purged; all agree (each transport)
hostile  a file of 1 GB and a tree of a million files: a minute of processor time and 300 MB, and the rest is taken (minutes)
seeds    so many simulations (simulate_sync.py) with crashes (each transport)
"""

import argparse
import hashlib
import json
import os
import random
import signal
import subprocess
import sys
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from types import SimpleNamespace

from _bench_sync import git, team
from bench import environment

MEM = [sys.executable, "-m", "memcli"]
MALLORY = "feedfacefeedface"
LEAKED, OFFLINE = "swordfish seventeen", 500  # a text that is purged; memories that are written offline
MOST_PUSHES, MOST_PROCESSES, MOST_SECONDS, MOST_MB = 2, 4, 60, 300


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--kills", type=int, default=200)
    parser.add_argument("--jobs", type=int, nargs="*", default=[10, 30])
    parser.add_argument("--hostile", action="store_true")
    parser.add_argument("--seeds", type=int, default=0)
    parser.add_argument("--database", metavar="ADDRESS")
    options = parser.parse_args()
    tests = [(f"kills {options.kills}", lambda setup: kills(setup, options.kills))] if options.kills else []
    tests += [(f"jobs {count}", lambda setup, count=count: jobs(setup, count)) for count in options.jobs]
    tests.append(("empty", empty))
    transports = ["git", "dir", *([options.database] if options.database else [])]
    tests += [(f"week {it}", lambda setup, transport=it: week(setup, transport)) for it in transports]
    if options.hostile:
        tests += [
            ("hostile file", lambda setup: hostile(setup, huge_file)),
            ("hostile tree", lambda setup: hostile(setup, huge_tree)),
        ]
    if options.seeds:
        tests += [
            (f"seeds {transport}", lambda _, transport=transport: seeds(transport, options.seeds)) for transport in transports
        ]
    failed = [name for name, test in tests if not passes(name, test)]
    print(f"{len(tests) - len(failed)} of {len(tests)} passed" + (f"; failed: {', '.join(failed)}" if failed else ""))
    return bool(failed)


def passes(name, test):
    """Runs one test and prints its line."""
    started = time.perf_counter()
    with tempfile.TemporaryDirectory(prefix="mem-accept-") as folder:
        environ = {**environment(Path(folder)), "PYTHONPATH": str(Path(__file__).resolve().parent.parent)}
        try:
            outcome = test(SimpleNamespace(folder=folder, mem=MEM, environ=environ))
        except (AssertionError, subprocess.CalledProcessError) as problem:
            print(f"FAILED {name}: {problem}", flush=True)
            return False
    print(f"ok {name}: {outcome} ({time.perf_counter() - started:.0f} s)", flush=True)
    return True


def titles(machine):
    """Returns the titles of all memories that hold, each as often as it is there."""
    return sorted([row["title"] for row in json.loads(machine.mem("recent", "--limit", "1000", "--json").stdout)])


def kills(setup, count):
    ada, ben = team(setup, "kills", ["ada", "ben"])
    chance, expected, killed = random.Random(1), [], 0
    longest = max(ada.timed("sync"), ben.timed("sync")) * 2
    while killed < count:
        expected.append(f"Fact {len(expected)}")
        ada.mem("add", expected[-1], "--summary", "s")
        for machine in (ada, ben):
            killed += kill(machine, chance.random() * longest)
    for machine in (ada, ben, ada):
        machine.mem("sync")
    assert titles(ada) == titles(ben) == sorted(expected), "lost or doubled"
    subprocess.run(["git", "fsck", "--strict"], cwd=ada.root.parent / "origin.git", check=True, capture_output=True)
    for machine in (ada, ben):
        machine.mem("doctor")
        (sidecar,) = machine.root.parent.glob(f"home-{machine.root.name}/data/**/sync.git")
        subprocess.run(["git", "fsck"], cwd=sidecar, check=True, capture_output=True)
    return f"{killed} killed, {len(expected)} memories in both stores"


def kill(machine, seconds):
    """Starts a synchronization and kills it, and what it started, after a while. Returns whether it still ran."""
    process = subprocess.Popen(
        [*MEM, "sync"],
        cwd=machine.root,
        env=machine.environ,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    )
    try:
        process.wait(seconds)
        return False
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, signal.SIGKILL)
        process.wait()
        return True


def jobs(setup, count):
    reader, *machines = team(setup, "jobs", ["reader", *[f"job{number}" for number in range(count)]])
    for number, machine in enumerate(machines):
        machine.mem("add", f"Result {number}", "--summary", "s")
    watched = [machine.watched() for machine in machines]

    def push(machine, environ):
        return machine.mem("sync", "--timeout", "120", environ={**environ, "CI": "true"})

    with ThreadPoolExecutor(count) as pool:
        list(pool.map(push, machines, [environ for environ, _ in watched]))
    attempts = [sum([" push " in line for line in log.read_text().splitlines()]) for _, log in watched]
    reader.mem("sync", "pull")
    assert titles(reader) == sorted([f"Result {number}" for number in range(count)]), "not all arrived"
    mean = sum(attempts) / count
    assert mean <= MOST_PUSHES, f"{mean:.2f} attempts on average"
    return f"all arrived, {mean:.2f} attempts on average, {max(attempts)} at most"


def empty(setup):
    ada, ben = team(setup, "empty", ["ada", "ben"])
    ada.mem("add", "A fact", "--summary", "s")
    ada.mem("sync")
    ben.mem("sync")
    ben.mem("sync")
    count = ben.git_processes("sync", "pull")
    assert count <= MOST_PROCESSES, f"{count} processes of git"
    return f"{count} processes of git"


def week(setup, transport):
    """Ben's store writes while it is offline, also to what is purged meanwhile, which nobody has afterwards."""
    folder = Path(setup.folder) / "shared"
    folder.mkdir()
    names = {"git": ("origin",), "dir": (f"dir:{folder}",)}
    members = ada, ben, cleo = team(
        setup, "week", ["ada", "ben", "cleo"], names.get(transport, (transport, "--name", str(folder)))
    )

    def on_day(number):
        for machine in members:
            machine.environ["MEMPACK_CLOCK"] = f"2026-03-{number:02}T12:00:00Z"

    def add(machine, title):
        return json.loads(machine.mem("add", title, "--summary", "s", "--json").stdout)["id"]

    on_day(1)
    leaked, outdated, kept = add(ada, LEAKED), add(ada, "Outdated"), add(cleo, "Of Cleo")
    for machine in (ada, cleo, ben):
        machine.mem("sync")
    on_day(3)
    ben.write(OFFLINE)
    ben.mem("update", leaked, "--summary", f"{LEAKED}, edited offline")
    ben.mem("forget", outdated)
    ben.mem("update", kept, "--title", "Of Cleo, edited offline")
    compacted = []
    for day in (9, 17):  # what is older than a week is compacted
        for number in range(2):
            on_day(day - 8 + number)
            add(cleo, f"Day {day}, {number}")
            cleo.mem("sync")
        on_day(day)
        compacted.append(json.loads(ada.mem("sync", "compact", "--json").stdout)["segments_removed"])
    assert all(compacted) or transport not in names, f"segments that were compacted: {compacted}"
    ada.mem("sync", "purge", leaked)
    on_day(18)
    for machine in (ben, ada, cleo, ben):
        machine.mem("sync")
    stores = [json.loads(machine.mem("recent", "--limit", "1000", "--json").stdout) for machine in members]
    memories = [sorted([(row["id"], row["title"], row["summary"]) for row in rows]) for rows in stores]
    assert memories[0] == memories[1] == memories[2], "the stores differ"
    present = {title for _, title, _ in memories[0]}
    assert len(memories[0]) == OFFLINE + 5, f"{len(memories[0])} memories"
    assert present >= {"Of Cleo, edited offline", "Day 17, 1"}, "not the newest"
    assert not present & {"Outdated", LEAKED}, "what was forgotten or purged came back"
    assert not holders(LEAKED, ada.root.parent, folder), f"what was purged is still in {holders(LEAKED, ada.root.parent, folder)}"
    if transport == "git":
        subprocess.run(["git", "fsck", "--strict"], cwd=ada.root.parent / "origin.git", check=True, capture_output=True)
    return f"{compacted} segments compacted, {len(memories[0])} memories in all three stores"


def holders(text, *folders):
    """Returns what of these directories has a text: files, and repositories in their objects once they collected garbage."""
    paths = [path for folder in folders for path in folder.rglob("*")]
    holding = [path for path in paths if path.is_file() and text.encode() in path.read_bytes()]
    for repository in [path.parent for path in paths if path.name == "HEAD" and path.parent.suffix == ".git"]:
        git(repository, "gc", "--prune=now", "--quiet")
        words = ["git", "cat-file", "--batch-all-objects", "--batch", "--buffer"]
        objects = subprocess.run(words, cwd=repository, check=True, capture_output=True).stdout
        holding += [repository] if text.encode() in objects else []
    return holding


def hostile(setup, plant):
    ada, ben = team(setup, "hostile", ["ada", "ben"])
    ada.mem("add", "A fact", "--summary", "s")
    ada.mem("sync")
    plant(ada.root.parent / "origin.git")
    words = [*MEM, "sync", "pull", "--timeout", "900"]
    process = subprocess.Popen(words, cwd=ben.root, env=ben.environ, stdout=subprocess.DEVNULL)
    _, status, usage = os.wait4(process.pid, 0)
    seconds, peak = usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024  # with git's: other work does not count
    assert status == 0, f"mem sync pull ended with {status}"
    assert titles(ben) == ["A fact"], "the good part was not taken"
    assert seconds <= MOST_SECONDS, f"{seconds:.0f} s"
    assert peak <= MOST_MB, f"{peak:.0f} MB"
    return f"pulled with {seconds:.1f} s of processor time, {peak:.0f} MB at most"


def huge_file(remote):
    name = f"seg/aa/{MALLORY}-{'a' * 32}.jsonl"
    process = subprocess.Popen(["git", "fast-import", "--quiet"], cwd=remote, stdin=subprocess.PIPE)
    start = f"commit refs/mempack/v1/w/{MALLORY}\ncommitter m <m@x> 1 +0000\ndata 1\nx\nM 100644 inline {name}\ndata {1 << 30}\n"
    process.stdin.write(start.encode())
    for _ in range(1 << 10):
        process.stdin.write(b"x" * (1 << 20))
    process.stdin.write(b"\n")
    process.stdin.close()
    assert process.wait() == 0


def huge_tree(remote):
    """Plants a million files. The trees are written as they are: fast-import takes minutes to grow them."""
    blob, shards = stored(remote, "blob", b"x\n"), {}
    for number in range(1_000_000):
        digest = hashlib.sha256(str(number).encode()).hexdigest()
        shards.setdefault(digest[:2], []).append(f"{MALLORY}-{digest[:32]}.jsonl")
    trees = {
        shard: stored(remote, "tree", b"".join([f"100644 {name}\0".encode() + bytes.fromhex(blob) for name in sorted(names)]))
        for shard, names in shards.items()
    }
    folder = stored(
        remote, "tree", b"".join([f"40000 {shard}\0".encode() + bytes.fromhex(tree) for shard, tree in sorted(trees.items())])
    )
    root = stored(remote, "tree", b"40000 seg\0" + bytes.fromhex(folder))
    commit = stored(remote, "commit", f"tree {root}\nauthor m <m@x> 1 +0000\ncommitter m <m@x> 1 +0000\n\nx\n".encode())
    git(remote, "update-ref", f"refs/mempack/v1/w/{MALLORY}", commit)


def stored(remote, kind, data):
    words = ["git", "hash-object", "-w", "-t", kind, "--stdin"]
    return subprocess.run(words, cwd=remote, input=data, check=True, capture_output=True).stdout.decode().strip()


def seeds(transport, count):
    script = Path(__file__).with_name("simulate_sync.py")
    words = [sys.executable, str(script), "--transport", transport, "--seeds", str(count), "--crashes"]
    subprocess.run(words, check=True, stdout=subprocess.PIPE)
    return f"{count} simulations agree"


if __name__ == "__main__":
    sys.exit(main())
