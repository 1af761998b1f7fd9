"""A real Chromium, headless, and a page in it that notes what it asks for and what it complains of."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from tests.http.served import Served

if TYPE_CHECKING:
    from playwright.sync_api import Browser, ConsoleMessage, Locator, Page

# The first one is built without windows, and needs half the processor time.
NAMES = ("chromium-headless-shell", "chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome")
ARTEFACTS = os.environ.get("MEM_TEST_ARTEFACTS")  # where screenshots are kept; else they go with pytest's own files
# --no-sandbox: in containers and as root there is none. The rest keeps the browser from asking the network anything.
OPTIONS = (
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
)
PATIENCE = 15_000  # ms


@contextmanager
def running() -> Iterator[Browser]:
    """The system's Chromium. Skips where there is none."""
    playwright = pytest.importorskip("playwright.sync_api", reason="playwright is not installed")
    found = next((path for name in NAMES if (path := shutil.which(name))), None)
    if found is None:
        pytest.skip("no Chromium is installed")
    with playwright.sync_playwright() as control:
        browser = control.chromium.launch(executable_path=found, args=list(OPTIONS))
        try:
            yield browser
        finally:
            browser.close()


@dataclass
class Window:
    """The page as a person has it in front of them."""

    page: Page
    served: Served
    folder: Path
    asked: list[str] = field(default_factory=list)
    complaints: list[str] = field(default_factory=list)
    may_be_alone: bool = False  # the service goes away in this test, of which the browser complains

    def open(self, view: str = "memories") -> Window:
        """Opens the page by a link that works once, and goes to a view; "": what it shows by itself."""
        self.page.goto(self.served.post("/v2/link")["url"])
        self.page.wait_for_selector("main h1")
        self.page.wait_for_selector("#status[data-state=live]")
        return self.at(view) if view else self

    def beside(self, served: Served) -> Window:
        """Returns another tab of the same browser, whose complaints are not noted. `served`: the service, maybe started again."""
        return Window(self.page.context.new_page(), served, self.folder)

    def at(self, view: str) -> Window:
        """Goes to a view and waits until it is there."""
        name = view.partition("/")[0].partition("?")[0]
        self.page.evaluate("(hash) => { location.hash = hash }", f"#/{view}")
        self.page.wait_for_selector(f"main .view-{name} h1")
        return self

    def keys(self, *names: str) -> Window:
        """Presses keys, one after the other."""
        for name in names:
            self.page.keyboard.press(name)
        return self

    def type(self, text: str) -> Window:
        """Types a text."""
        self.page.keyboard.type(text)
        return self

    def find(self, selector: str) -> Locator:
        """Returns what a selector means."""
        return self.page.locator(selector)

    def named(self, role: Any, name: str) -> Locator:
        """Returns what a screen reader calls so."""
        return self.page.get_by_role(role, name=name)

    def says(self, selector: str, text: str) -> Window:
        """Waits until something says a text."""
        from playwright.sync_api import expect

        expect(self.find(selector).first).to_contain_text(text, timeout=PATIENCE)
        return self

    def counts(self, selector: str, n: int) -> Window:
        """Waits until there are so many of something."""
        from playwright.sync_api import expect

        expect(self.find(selector)).to_have_count(n, timeout=PATIENCE)
        return self

    def listen(self, line: ConsoleMessage) -> None:
        """Notes an error or a warning of the console, with the place that it comes from."""
        if line.type in ("error", "warning"):
            self.complaints.append(f"{line.text} ({line.location['url']}:{line.location['lineNumber']})")

    @property
    def focus(self) -> str:
        """The text, or the name, of what has the focus."""
        said = "const one = document.activeElement; return one.ariaLabel || one.textContent || one.id"
        return str(self.page.evaluate(f"() => {{ {said} }}")).strip()

    def shot(self, name: str) -> None:
        """Keeps a screenshot."""
        self.folder.mkdir(parents=True, exist_ok=True)
        self.page.screenshot(path=self.folder / f"{name}.png")


@contextmanager
def window(browser: Browser, served: Served, folder: Path, **options: Any) -> Iterator[Window]:
    """A page with nothing of another test in it. In the end it must have asked nobody else and complained of nothing."""
    context = browser.new_context(**{"viewport": {"width": 1280, "height": 800}, "timezone_id": "UTC", **options})
    context.set_default_timeout(PATIENCE)
    page = context.new_page()
    shown = Window(page, served, Path(ARTEFACTS) if ARTEFACTS else folder)
    page.on("request", lambda request: shown.asked.append(request.url))
    page.on("console", shown.listen)
    page.on("pageerror", lambda error: shown.complaints.append(str(error)))
    try:
        yield shown
    finally:
        context.close()
    own = f"http://127.0.0.1:{served.port}/"
    elsewhere = [url for url in shown.asked if not url.startswith(own)]
    assert elsewhere == [], elsewhere
    expected = ("net::ERR_", "401 (Unauthorized)") if shown.may_be_alone else ()  # a session ends with the service
    complaints = [line for line in shown.complaints if not any(part in line for part in expected)]
    assert complaints == [], complaints  # pytest does not look into this module: the lines are named here
