#!/usr/bin/env python3
"""Makes docs/images/*.png: the page over a small made-up repository, in the system's Chromium.

    python scripts/page_shots.py [FOLDER]

Pillow, where it is there, makes them smaller.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))

from tests.conftest import PERSON, Terminal  # noqa: E402
from tests.http.browser import running, window  # noqa: E402
from tests.http.served import serving  # noqa: E402

SIZE = {"width": 1180, "height": 740}
STORE = '''"""Sessions live in Postgres."""


class SessionStore:
    """Rows of the table session, thirty days each."""

    def load(self, token):
        """Returns the session of a token, None for one that has ended."""
        return self.db.one("SELECT * FROM session WHERE token = %s", token)
'''
# Commits have the dates of their memories: two of one second and subject are taken for one that was rebased.
DATES = ("MEMPACK_CLOCK", "GIT_AUTHOR_DATE", "GIT_COMMITTER_DATE")
# day, branch, title, summary, thread, kind, more
FACTS = (
    ("2026-01-10", "main", "Login lockout is 15 minutes", "Five failures lock the account. Product asked for 30; support could "
     "not bear it.", "auth", "decision", ("--file", "login.py")),
    ("2026-01-19", "main", "Prices are integers in cents", "Floats lost a cent in refunds; every amount in the database and the "
     "API is cents, formatted at the edge only.", "payments", "decision", ()),
    ("2026-02-02", "redis", "Session tokens live in Redis", "Fast and simple; evicted under load.", "auth", "decision", ()),
    ("2026-02-10", "main", "Session tokens live in Postgres", "Redis evicted them under load and people were logged out at "
     "checkout; rows in the table session, 30 days.", "auth", "decision", ("--file", "session_store.py")),
    ("2026-02-11", "main", "test_login is flaky on CI", "The fake clock is shared between workers; run it with -p no:randomly "
     "until the fixture is its own.", "auth", "bugfix", ()),
    ("2026-02-12", "main", "Refunds go through the queue", "Checkout sessions were lost while refunds ran; 10 a second.",
     "payments", "discovery", ()),
    ("2026-02-26", "main", "Deploys need the canary to be green for ten minutes", "2.2 went out in four and took the cart down; "
     "promote with scripts/promote, never by hand.", "release", "decision", ()),
    ("2026-02-27", "main", "The cart is slow because of N+1 queries on prices", "cart.items loads each price alone; prefetch in "
     "CartView, 40 ms instead of 900.", "cart", "discovery", ()),
    ("2026-02-28", "main", "Old login page answers until June", "Partners link to /signin; redirect with 302, so that it can go.",
     "auth", "note", ()),
)  # fmt: skip


def made(base: Path) -> Terminal:
    """Returns a terminal in a repository with some memories."""
    for name in ("home", "shop"):
        (base / name).mkdir()
    folders = {"HOME": "home", "MEMPACK_DATA_DIR": "data", "MEMPACK_CONFIG_DIR": "config"}
    env = {**os.environ, **PERSON, **{name: str(base / folder) for name, folder in folders.items()}}
    terminal = Terminal(base / "shop", env | {"PYTHONPATH": str(ROOT), "MEMPACK_CAPTURE_WORKER": "off"}, None)
    terminal.env |= dict.fromkeys(DATES, f"{FACTS[0][0]}T09:00:00Z")
    terminal.git("init", "-q", "-b", "main", ".")
    terminal.git("remote", "add", "origin", "https://example.org/acme/shop.git")
    (terminal.folder / "login.py").write_text("LOCKOUT_MINUTES = 15\n")
    (terminal.folder / "session_store.py").write_text(STORE)
    terminal.git("add", ".")
    terminal.commit("Begin with login and sessions")
    terminal.process("init", "--no-agents")
    for day, branch, title, summary, thread, kind, more in FACTS:
        terminal.env |= dict.fromkeys(DATES, f"{day}T10:00:00Z")
        terminal.git("checkout", "-q", *(["main"] if branch == "main" else ["-B", branch]))
        terminal.commit(f"Work on {thread}", **{f"{thread}_txt": day})
        terminal.process("add", title, "--summary", summary, "--thread", thread, "--kind", kind, *more)
    terminal.env["MEMPACK_CLOCK"] = "2026-03-01T12:00:00Z"
    (terminal.folder / "login.py").write_text("LOCKOUT_MINUTES = 15  # see support\n")
    ids = {line["title"]: line["id"] for line in terminal.process("recent", "--limit", "50", "--json").json}
    terminal.process("pin", ids["Session tokens live in Postgres"])
    terminal.process("supersede", ids["Refunds go through the queue"], "--title", "Refunds wait in the queue, 25 a second")
    state = '{"deploying": "2.4", "canary": true, "open": ["flaky test_login"]}'
    terminal.process("checkpoint", "--reason", "2.4 is on the canary", "--state-json", state)
    terminal.process("ingest", ".")
    return terminal


def small(path: Path) -> None:
    """Writes a picture again with 256 colours, which is more than the page has."""
    try:
        from PIL import Image
    except ImportError:
        return
    Image.open(path).convert("RGB").quantize(256, Image.Quantize.MAXCOVERAGE, dither=Image.Dither.NONE).save(path, optimize=True)


def main(folder: Path) -> None:
    """Makes the pictures."""
    with tempfile.TemporaryDirectory() as base, running() as browser:
        terminal = made(Path(base))
        with serving(terminal) as served, window(browser, served, folder, viewport=SIZE, color_scheme="light") as page:
            page.folder = folder
            page.page.clock.set_fixed_time("2026-03-01T12:00:00Z")
            page.open("memories?q=session%20login").says("mark", "Session").shot("memories")
            page.at("pack?q=why%20are%20sessions%20lost%20at%20checkout&budget=340").says(".pack-middle", "Postgres")
            page.find(".pack-middle .why summary").first.click()
            page.page.evaluate("document.activeElement.blur(); scrollTo(0, 0)")
            page.shot("pack-inspector")
    for name in ("memories", "pack-inspector"):
        small(folder / f"{name}.png")
        print(f"{folder / name}.png {(folder / f'{name}.png').stat().st_size:,} bytes")


if __name__ == "__main__":
    subprocess.run(["git", "--version"], check=True, stdout=subprocess.DEVNULL)
    main(Path(sys.argv[1]) if len(sys.argv) > 1 else ROOT / "docs" / "images")
