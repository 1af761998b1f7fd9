#!/usr/bin/env python3
"""Measures a store whose memories each have a commit of their own.

Usage: bench_anchors.py [--memories N] [--keep DIR] [--http] [--rounds N]

Run it with the interpreter whose `memcli` is measured. `mem get` beside `python -c pass`: after HEAD moved by one commit, and by
a hundred and more, warm, and where nothing is cached; the routes that the views of the page ask, beside /health, with the
processor time of the service and of its git: each with words that were not asked for before, and again with the same. Calls are
made in turn, so that a busy moment of the machine meets all alike.
"""

import argparse
import json
import os
import random
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from statistics import median
from urllib.parse import quote

import bench_corpus
from _bench_http import client

ROUNDS = 20


def main():
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--memories", type=int, default=10_000)
    parser.add_argument("--keep", help="a directory for the store, used again if it is there")
    parser.add_argument("--http", action="store_true", help="the routes of the page only")
    parser.add_argument("--rounds", type=int, default=ROUNDS, help="how often each route is asked")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="mem-anchors-") as temporary:
        folder = Path(options.keep or temporary).resolve()
        enter(folder, options.memories)
        words = vocabulary()
        got = {} if options.http else {"get": of_get(words)}
        print(json.dumps({**got, "http": of_service(words, options.rounds)}, indent=1))


def enter(folder, count):
    """Goes into the repository of the store, which is made where it is not there, with an environment of its own."""
    os.environ |= {
        "HOME": str(folder / "home"),
        "MEMPACK_DATA_DIR": str(folder / "data"),
        "MEMPACK_CONFIG_DIR": str(folder / "config"),
        "GIT_AUTHOR_NAME": "bench", "GIT_AUTHOR_EMAIL": "bench@localhost",
        "GIT_COMMITTER_NAME": "bench", "GIT_COMMITTER_EMAIL": "bench@localhost",
    }  # fmt: skip
    if not (folder / "repo").exists():
        build(folder, count)
    os.chdir(folder / "repo")


def build(folder, count):
    """Makes a repository of so many commits, and a memory on each."""
    for name in ("home", "data", "config"):
        (folder / name).mkdir(parents=True, exist_ok=True)
    commits = bench_corpus.long_history(folder / "repo", count)
    os.chdir(folder / "repo")
    for words in (["branch", "side"], ["reset", "-q", "--hard", f"HEAD~{count // 5}"]):  # of the last fifth HEAD knows nothing
        subprocess.run(["git", *words], check=True)
    project = bench_corpus.open_for_writing(bench_corpus.Where())
    files = bench_corpus.sources(count)
    bench_corpus.sync.load(project, bench_corpus.memory_lines(files, count, (commits, commits)))
    project.close()


def vocabulary():
    """Returns words of the corpus, in an order of their own each time: so a word was not asked for before."""
    weights = bench_corpus.vocabulary(bench_corpus.sources(2_000))
    words = sorted(weights, key=weights.get, reverse=True)[300:3_300]
    random.shuffle(words)
    return words


def of_get(words):
    """Returns what `mem get` takes, in ms: after HEAD moved by one commit, and by many, warm, and where nothing is cached."""
    installed = Path(sys.executable).with_name("mem")  # what people and hooks start; python -m adds 3 ms of its own
    python, mem = [sys.executable, "-c", "pass"], [installed] if installed.exists() else [sys.executable, "-m", "memcli"]
    times = {"pass": [], "moved": [], "warm": []}
    for number in range(ROUNDS):
        subprocess.run(["git", "commit", "-q", "--allow-empty", "-m", f"move {number}"], check=True)
        times["pass"].append(spawned(python))
        times["moved"].append(spawned([*mem, "get", words[number]]))
        times["warm"].append(spawned([*mem, "get", words[-number - 1]]))
    far, first = [], []
    for number in range(1, 9):  # from main each time, and to where nobody asked before
        subprocess.run(["git", "checkout", "-q", f"HEAD~{100 * number}"], check=True)
        far.append(spawned([*mem, "get", words[number]]))
        subprocess.run(["git", "checkout", "-q", "main"], check=True)
        spawned([*mem, "get", words[-number]])
    for number in range(1, 9):
        for path in Path(os.environ["MEMPACK_DATA_DIR"]).rglob("cache.db*"):
            path.unlink()
        first.append(spawned([*mem, "get", words[number]]))
    rows = {**times, "moved_far": far, "first": first}
    return {name: dict(zip(("ms", "cpu"), (round(median(column), 1) for column in zip(*row)))) for name, row in rows.items()}


def spawned(command):
    """Returns what a command took, and the processor time of it and of its processes, in ms."""
    started, before = time.perf_counter(), resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
    taken, after = time.perf_counter() - started, resource.getrusage(resource.RUSAGE_CHILDREN)
    used = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return taken * 1000, used * 1000


def of_service(words, rounds):
    """Returns what the routes take, in ms: with new words, and with the same again."""
    process = subprocess.Popen([sys.executable, "-m", "memcli", "serve", "--port", "0", "--json"], stdout=subprocess.PIPE)
    try:
        port = json.loads(process.stdout.readline())["port"]
        ask = client(port, (Path(os.environ["MEMPACK_DATA_DIR"]) / "token").read_text().strip())
        ids = [memory["id"] for memory in json.loads(ask("GET", "/v2/memories?limit=100")[1])["items"]]
        paths = {
            "health": lambda number: "/health",
            "search": lambda number: f"/v2/search?query={quote(words[number])}",
            "memories query": lambda number: f"/v2/memories?limit=30&query={quote(words[-number - 1])}",
            "memories holds here": lambda number: f"/v2/memories?limit=30&anchor_state=reachable&offset={number}",
            "memories offset": lambda number: f"/v2/memories?limit=30&offset={9_000 + number}",
            "commits": lambda number: f"/v2/memories/{ids[number]}/commits",
            "everything": lambda number: f"/v2/items?limit=50&offset={number * 50}",
            "everything, no counts": lambda number: f"/v2/items?limit=50&offset={number * 50}&counts=false",
            "open work": lambda number: "/v2/items?type=passage&kind=open&state=holds&limit=5&counts=false",
            "everything query": lambda number: f"/v2/items?limit=50&query={quote(words[number + 500])}",
            "history": lambda number: "/v2/history",
            "graph": lambda number: f"/v2/graph?start={ids[number]}&depth=2",
            "pack": lambda number: f"/v2/pack?query={quote(words[number + 700])}",
            "pack without a task": lambda number: "/v2/pack?query=",
            "start": lambda number: "/v2/turn/preview?engine=claude",
            "stats": lambda number: "/v2/stats",
            "threads": lambda number: "/v2/threads",
        }
        return {label: timed(ask, paths, rounds, lambda: used_by(process.pid)) for label in ("new", "again")}
    finally:
        process.terminate()
        process.wait(60)


def timed(ask, paths, rounds, used):
    times = {name: [] for name in paths}
    for number in range(rounds):
        for name, path in paths.items():
            started, before = time.perf_counter(), used()
            status, _ = ask("GET", path(number + 50))
            times[name].append(((time.perf_counter() - started) * 1000, used() - before))
            assert status == 200, (name, status)
    return {name: told(*zip(*rows)) for name, rows in times.items()}


def told(taken, used):
    return {"p50": round(median(taken), 1), "p95": round(sorted(taken)[-2:][0], 1), "cpu": round(median(used))}


def used_by(pid):
    """Returns the processor time of a process and of those that it started and waited for, in ms; 10 at a time."""
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return sum(map(int, fields[11:15])) * 1000 // os.sysconf("SC_CLK_TCK")


if __name__ == "__main__":
    main()
