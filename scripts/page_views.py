#!/usr/bin/env python3
"""Makes docs/images/page/*.png and docs/views.md: every view of the page, on a desktop and a phone, light and dark.

    PYTHONPATH=. python scripts/page_views.py [--only VIEW,VIEW] [--large DIR]

Over a made-up repository whose agents worked for some days, in the system's Chromium. `--large`: also the views of lists and
pictures over 10,000 memories, in a directory for that store, used again if it is there. It says which view is wider than its
window. Pillow makes the pictures small.
"""

from __future__ import annotations

import argparse
import os
import re
import shutil
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(ROOT), str(ROOT / "scripts")]

import bench_anchors  # noqa: E402

from scripts.page_shots import DATES, made  # noqa: E402
from tests.conftest import Terminal  # noqa: E402
from tests.http.browser import Window, running, window  # noqa: E402
from tests.http.served import Served, serving, tell  # noqa: E402

OUT = ROOT / "docs" / "images" / "page"
PAGE = ROOT / "docs" / "views.md"
BASE = Path("/tmp/acme")  # made anew, and refused where it is there
NOW = "2026-03-01T12:00:00Z"
USUAL, RARE = 48, 16  # colours of a picture: those that it has most of, and some of the rest
LOOKS = {
    "desktop-light": {"viewport": {"width": 1180, "height": 760}, "color_scheme": "light"},
    "desktop-dark": {"viewport": {"width": 1180, "height": 760}, "color_scheme": "dark"},
    "phone-light": {"viewport": {"width": 390, "height": 760}, "color_scheme": "light"},
    "phone-dark": {"viewport": {"width": 390, "height": 760}, "color_scheme": "dark"},
}
# What a view is opened with, where it shows nothing without; {names} are those that `worked` returns.
PARAMETERS = {
    "all": "?q=session",
    "graph": "?start={postgres}",
    "json": "?call=/v2/threads",
    "memories": "?q=session%20login",
    "memory": "/{postgres}",
    "pack": "?q=why%20are%20sessions%20lost%20at%20checkout&budget=340",
    "session": "/{session}",
    "thread": "/auth",
    "why": "?target=session_store.py",
}
# Further pictures: other sources of the inspector, a comparison.
MORE = {
    "pack-start": "pack?source=start",
    "pack-turn": "pack?source=turn&session={session}&turn={turn}",
    "pack-compare": "pack?source=start&compare=true&other_q=why%20is%20the%20cart%20slow",
}
LARGE = ("home", "memories", "all", "history", "threads")
# day, session, prompt, a file that is edited with what becomes of it, answer
DAYS = (
    ("2026-02-24", "s-cart", "Why is the cart so slow? Please mend it.", ("cart.py", "PREFETCH = True\n"),
     "The prices were loaded one by one. I decided to prefetch them in CartView because 40 ms are enough.\n\n"
     "Still open: the wish list loads its prices one by one, too."),
    ("2026-02-26", "s-redis", "Try again whether sessions can live in Redis.", ("session_store.py", "REDIS = True\n"),
     "I tried Redis with a larger memory and reverted it: under load it evicted sessions of the checkout again."),
    ("2026-02-28", "s-flaky", "Find out why test_login is flaky on CI.", ("login.py", "LOCKOUT_MINUTES = 15\nCLOCK = None\n"),
     "The fake clock is shared between the workers. Each test has its own now.\n\nStill open: test_refund uses the old clock."),
)  # fmt: skip


def worked(served: Served, terminal: Terminal) -> dict[str, str]:
    """Lets agents work in the repository, and people in its memory. Returns ids by name."""
    served.post("/v2/notes", {"text": "Support wants to hear when the lockout changes."})
    served.ask("PUT", "/v2/profile/answers", {"value": "short, with the command that proves it"})
    for day, session, prompt, (path, text), answer in DAYS:
        about = {"session_id": session}
        moments = iter(f"{day}T10:{minute:02}:00Z" for minute in range(0, 50, 5))

        def at(event: str, payload: dict[str, object], about: dict[str, str] = about, moments: object = moments) -> None:
            terminal.env |= dict.fromkeys(DATES, next(moments))  # type: ignore[call-overload]
            tell(terminal, event, {**about, **payload})

        at("session-start", {"source": "startup"})
        at("user-prompt", {"prompt": prompt})
        before = (terminal.folder / path).read_text() if (terminal.folder / path).exists() else ""
        (terminal.folder / path).write_text(before + text)
        edit = {"file_path": str(terminal.folder / path), "old_string": "", "new_string": text}
        at("post-tool-use", {"tool_name": "Edit", "tool_input": edit, "tool_result": "ok"})
        failed = {
            "tool_name": "Bash",
            "tool_input": {"command": "pytest -q"},
            "tool_result": "2 failed, 40 passed",
            "failed": True,
        }
        at("post-tool-use", failed)
        at("post-tool-use", {**failed, "tool_result": "42 passed in 3.1 s", "failed": False})
        message = f"Work on {path}"
        terminal.git("add", "-A")
        terminal.commit(message)
        committed = {"tool_name": "Bash", "tool_input": {"command": f"git commit -qm '{message}'"}, "tool_result": "ok"}
        at("post-tool-use", committed)
        at("stop", {"last_assistant_message": answer})
        if session == "s-redis":
            terminal.git("revert", "--no-edit", "HEAD")
        at("session-end", {"reason": "exit"})
    run = {"MEMPACK_CAPTURE_WORKER": "auto", "MEMPACK_WORKER_IDLE_SECONDS": "0.1"}
    terminal.process("worker", "run", env=run)
    ids = {it["title"]: it["id"] for it in served.items("/v2/recent", limit=100)}
    session = next(it for it in served.items("/v2/sessions") if it["key"] == "s-flaky")["id"]
    turns = [it for it in served.items("/v2/turns") if it["session"] == session]
    turn = next((it for it in turns if it["number"]), turns[0])["id"]
    return {"postgres": ids["Session tokens live in Postgres"], "session": session, "turn": turn}


def views() -> list[str]:
    """Returns every view that the page knows."""
    listed = re.search(r"const VIEWS = \{(.*?)\};", (ROOT / "memcli/http/viewer/app.js").read_text(), re.S)
    assert listed
    return re.findall(r"(\w+)(?::\s*\w+)?\s*(?:,|$)", listed[1].strip())


def shot(page: Window, name: str, address: str) -> None:
    """Makes one picture when all of a view is there."""
    page.at(address)
    page.page.wait_for_function("() => !document.querySelector('main [aria-busy=true]')", timeout=120_000)
    page.page.wait_for_timeout(300)
    page.page.evaluate("document.activeElement.blur()")
    page.page.evaluate("document.querySelector('.compare[open]')?.scrollIntoView()")
    wider = page.page.evaluate("document.documentElement.scrollWidth - innerWidth")
    if wider > 0:
        print(f"{name}: {wider} px wider than the window")
    page.shot(name)
    small(page.folder / f"{name}.png")


def small(path: Path) -> None:
    """Writes a picture again with few colours, which is enough for text on paper."""
    try:
        from PIL import Image
    except ImportError:
        return
    image = Image.open(path).convert("RGB")
    colours = [colour for _, colour in sorted(image.getcolors(1 << 24), reverse=True)]
    rare = image.quantize(RARE, Image.Quantize.MAXCOVERAGE).getpalette()[: 3 * RARE]
    palette = [*colours[:USUAL], *zip(rare[::3], rare[1::3], rare[2::3])]
    # Pillow's own choice of the nearest takes colours that are alike for one: of the two grounds of a dark view, always the same.
    nearest = {bytes(colour): min(range(len(palette)), key=lambda at: distance(palette[at], colour)) for colour in colours}
    pixels = image.tobytes()
    few = Image.frombytes("P", image.size, bytes(nearest[pixels[at : at + 3]] for at in range(0, len(pixels), 3)))
    few.putpalette([part for colour in palette for part in colour])
    few.save(path, optimize=True)


def distance(colour: tuple[int, ...], other: tuple[int, ...]) -> int:
    """Returns how unlike two colours are."""
    return sum((a - b) ** 2 for a, b in zip(colour, other))


@contextmanager
def place() -> Iterator[Path]:
    """A directory whose name, which pictures show, is the same on each machine."""
    BASE.mkdir(mode=0o700)
    try:
        yield BASE
    finally:
        shutil.rmtree(BASE)


def of_shop(only: set[str]) -> None:
    """Makes the pictures over the made-up repository."""
    with place() as base, running() as browser:
        terminal = made(base)
        terminal.env |= dict.fromkeys(DATES, NOW) | {"GIT_AUTHOR_NAME": "Ada Example"}
        with serving(terminal) as served:
            ids = worked(served, terminal)
            terminal.env |= dict.fromkeys(DATES, NOW)
            addresses = {view: view + PARAMETERS.get(view, "") for view in views()} | MORE
            for look, options in LOOKS.items():
                with window(browser, served, OUT, **options) as page:
                    page.folder = OUT
                    page.page.clock.set_fixed_time(NOW)
                    page.open()
                    for name, address in addresses.items():
                        if not only or name in only:
                            shot(page, f"{name}-{look}", address.format(**ids))


def of_many(folder: Path) -> None:
    """Makes the pictures over 10,000 memories."""
    bench_anchors.enter(folder.resolve(), 10_000)
    terminal = Terminal(Path.cwd(), dict(os.environ), None)
    with running() as browser, serving(terminal) as served, window(browser, served, OUT, **LOOKS["desktop-light"]) as page:
        page.folder = OUT
        page.open()
        for view in LARGE:
            shot(page, f"{view}-10000", view)


def gallery() -> str:
    """Returns the page of documentation that shows the pictures."""
    names = sorted({path.stem.rsplit("-", 2)[0] for path in OUT.glob("*-desktop-light.png")})
    about = (
        "Every view of [the page](http.md#the-page) on a desktop and a phone, light and dark. `scripts/page_views.py` makes the"
    )
    lines = ["# The views of the page", "", about, "pictures.", ""]
    for name in names:
        lines += [f"## {name}", "", *[picture(f"{name}-{look}") for look in LOOKS], ""]
    large = sorted([path.stem for path in OUT.glob("*-10000.png")])
    lines += ["## 10,000 memories", "", *[picture(name) for name in large]]
    return "\n".join(lines) + "\n"


def picture(name: str) -> str:
    """Returns a picture as Markdown."""
    return f"![{name.replace('-', ' ')}](images/page/{name}.png)"


def main() -> None:
    """Makes the pictures and the page that shows them."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--only", default="", help="only these views, comma-separated")
    parser.add_argument("--large", help="a directory for the store of 10,000 memories; without it their pictures stay")
    options = parser.parse_args()
    OUT.mkdir(parents=True, exist_ok=True)
    of_shop(set(options.only.split(",")) - {""})
    if options.large:
        of_many(Path(options.large))
    PAGE.write_text(gallery())
    print(f"{sum(path.stat().st_size for path in OUT.glob('*.png')):,} bytes in {OUT}")


if __name__ == "__main__":
    main()
