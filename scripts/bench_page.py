#!/usr/bin/env python3
"""Measures what the page takes to show things over a large store: `bench_page.py [--memories N] [--keep DIR] [--rounds N]`.

Run it with the interpreter whose `memcli` is measured; it needs playwright and the system's Chromium. A person types a word into
the search of Memories and of Everything: the time from the last key until the rows of that word are painted. Each view: from the
click until its first content is painted, and until all of it is. Beside it what GET /health takes from the page at that moment.
The store is that of bench_anchors.py: each memory has a commit of its own.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
import tempfile
from itertools import islice
from pathlib import Path
from statistics import median

ROOT = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(ROOT), str(ROOT / "scripts")]

import bench_anchors  # noqa: E402

from tests.conftest import Terminal  # noqa: E402
from tests.http.browser import running, window  # noqa: E402
from tests.http.served import serving  # noqa: E402

WORDS = 25
VIEWS = ("home", "memories", "all", "history", "threads", "pack", "doctor", "sessions", "reverts")
# Notes when the last key was pressed, and when the list was last painted.
WATCH = """() => {
  window.times = { key: 0, painted: 0 };
  document.querySelector("[data-search]").addEventListener("input", () => { times.key = performance.now(); });
  new MutationObserver(() => requestAnimationFrame(() => requestAnimationFrame(() => { times.painted = performance.now(); })))
    .observe(document.querySelector("main .list"), { childList: true });
}"""
HEALTH = """async () => {
  const start = performance.now();
  await (await fetch("/health")).text();
  return performance.now() - start;
}"""
OPEN = """(view) => new Promise((done) => {
  const start = performance.now();
  let first = 0;
  const painted = (run) => requestAnimationFrame(() => run(performance.now() - start));
  const look = () => {
    const isThere = document.querySelector(`main .view-${view} h1`);
    if (isThere && !first) painted((ms) => { first = ms; });
    if (first && !document.querySelector("main [aria-busy=true]")) painted((ms) => done([first, ms]));
    else setTimeout(look, 5);
  };
  location.hash = `#/${view}`;
  setTimeout(look, 0);
})"""


def typed(page, view, words):
    """Returns [ms until painted, ms of /health] for each word."""
    page.at(view)
    page.page.wait_for_selector("main .list li")
    page.page.evaluate(WATCH)
    rows = []
    for word in words:
        page.find("[data-search]").fill("")
        page.page.wait_for_timeout(400)
        page.find("[data-search]").press_sequentially(word, delay=60)
        page.page.wait_for_function("() => times.key && times.painted > times.key")
        page.page.wait_for_timeout(400)  # in which nothing of an earlier key may come
        times = page.page.evaluate("() => times")
        assert times["painted"] > times["key"], (view, word, times)
        rows.append((times["painted"] - times["key"], page.page.evaluate(HEALTH)))
    return rows


def matching(terminal, words, n):
    """Returns the first words that something matches: where nothing does before and after a key, nothing is painted.

    A service of its own is asked, so that the one that is measured has none of them ready.
    """
    with serving(terminal) as served:
        found = (word for word in words if served.get("/v2/memories", query=word, limit=1)["total"])
        return list(islice(found, n))


def told(rows):
    """Returns what was measured, in ms."""
    shown, health = zip(*rows)
    over = [one - other for one, other in rows]
    return {
        "p50": round(median(shown)),
        "p95": round(sorted(shown)[-2:][0]),
        "health": round(median(health), 1),
        "over": round(median(over)),
    }


def main():
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--memories", type=int, default=10_000)
    parser.add_argument("--keep", help="a directory for the store, used again if it is there")
    parser.add_argument("--rounds", type=int, default=6, help="how often each view is opened")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="mem-page-") as temporary:
        bench_anchors.enter(Path(options.keep or temporary).resolve(), options.memories)
        terminal = Terminal(Path.cwd(), dict(os.environ), None)
        words = matching(terminal, bench_anchors.vocabulary(), 2 * WORDS)
        with running() as browser, serving(terminal) as served, window(browser, served, Path(temporary)) as page:
            page.open()
            print(f"{'':24}{'p50':>7}{'p95':>7}{'health':>8}{'over it':>9}, ms")
            for number, view in enumerate(("memories", "all")):
                line(f"search in {view}", told(typed(page, view, words[number * WORDS :][:WORDS])))
            for view in VIEWS:
                first, whole = [], []
                for _ in range(options.rounds):
                    page.at("settings")
                    times = page.page.evaluate(OPEN, view)
                    health = page.page.evaluate(HEALTH)
                    first.append((times[0], health))
                    whole.append((times[1], health))
                line(f"{view}, first", told(first))
                line(f"{view}, whole", told(whole))
    print(json.dumps({"memories": options.memories}))


def line(name, result):
    print(f"{name:24}{result['p50']:7}{result['p95']:7}{result['health']:8}{result['over']:9}", flush=True)


if __name__ == "__main__":
    main()
