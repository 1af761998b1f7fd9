"""The page for everybody: what axe-core finds, patterns beside colours, paper, forced colours, and what is read out."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from tests.conftest import Terminal
from tests.http.browser import Window, window
from tests.http.populated import populate
from tests.http.served import Served

if TYPE_CHECKING:
    from playwright.sync_api import Browser

AXE = (Path(__file__).parent / "vendor" / "axe.min.js").read_text()
VIEWER = Path(__file__).parents[2] / "memcli" / "http" / "viewer"
PARAMETERS = {
    "all": "?q=lockout",
    "graph": "?start={lockout}",
    "json": "?call=/v2/threads",
    "memory": "/{lockout}",
    "pack": "?q=why is the lockout so long",
    "session": "/{session}",
    "thread": "/auth",
    "why": "?target=login.py",
}
LOOKS: dict[str, dict[str, Any]] = {
    "light": {"color_scheme": "light"},
    "dark": {"color_scheme": "dark"},
    "phone": {"viewport": {"width": 360, "height": 740}, "color_scheme": "light"},
    "forced colours": {"forced_colors": "active"},
}
RUN = """async () => {
  const tags = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"];
  const found = await axe.run(document, { runOnly: tags });
  return found.violations.filter((one) => ["serious", "critical"].includes(one.impact))
    .flatMap((one) => one.nodes.map((node) => `${one.id}: ${node.html.slice(0, 160)} ${node.failureSummary}`));
}"""


@pytest.fixture(scope="module", autouse=True)
def filled(shared: tuple[Served, Terminal]) -> dict[str, str]:
    """A memory with something in each view."""
    return populate(*shared)


def views() -> list[str]:
    """Every view that the page knows."""
    listed = re.search(r"const VIEWS = \{(.*?)\};", (VIEWER / "app.js").read_text(), re.S)
    assert listed
    return re.findall(r"(\w+)(?::\s*\w+)?\s*(?:,|$)", listed[1].strip())


@pytest.mark.parametrize("look", LOOKS)
def test_axe_finds_nothing_serious_in_any_view(
    chromium: Browser, shared: tuple[Served, Terminal], tmp_path: Path, filled: dict[str, str], look: str
) -> None:
    found: dict[str, list[str]] = {}
    with window(chromium, shared[0], tmp_path, **LOOKS[look]) as page:
        page.open()
        page.page.evaluate(AXE)
        for view in views():
            page.at(view + PARAMETERS.get(view, "").format(**filled))
            page.page.wait_for_timeout(100)
            if look == "light" and page.find("main details.why, main details.api").count():
                page.page.evaluate("document.querySelectorAll('main details').forEach((one) => { one.open = true; })")
            found[view] = page.page.evaluate(RUN)
            page.complaints.clear()  # whatever axe tries
        page.find("#help").click() if look != "phone" else page.keys("?")
        found["the keys"] = page.page.evaluate(RUN)
    assert len(found) > 18
    assert {view: problems for view, problems in found.items() if problems} == {}


CONTRAST = """(names) => {
  const canvas = document.createElement("canvas").getContext("2d", { willReadFrequently: true });
  const light = (name) => {
    const probe = document.body.appendChild(document.createElement("i"));
    probe.style.color = `var(${name})`;
    canvas.fillStyle = getComputedStyle(probe).color;
    probe.remove();
    canvas.fillRect(0, 0, 1, 1);
    return [...canvas.getImageData(0, 0, 1, 1).data].slice(0, 3).map((part) => part / 255)
      .map((part) => (part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4))
      .reduce((sum, part, at) => sum + part * [0.2126, 0.7152, 0.0722][at], 0);
  };
  return names.map(([one, other]) => {
    const [a, b] = [light(one), light(other)].sort((x, y) => y - x);
    return (a + 0.05) / (b + 0.05);
  });
}"""
TONES = ("--frame", "--memory", "--chunk", "--minus", "--edge")


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_parts_of_a_drawing_stand_out_from_their_ground(
    chromium: Browser, shared: tuple[Served, Terminal], tmp_path: Path, scheme: Any
) -> None:
    pairs = [(tone, ground) for tone in TONES for ground in ("--sunken", "--paper", "--raised")]
    with window(chromium, shared[0], tmp_path, color_scheme=scheme) as page:
        ratios = page.open().page.evaluate(CONTRAST, pairs)
    assert {pair: ratio for pair, ratio in zip(pairs, ratios) if ratio < 3} == {}


def test_the_parts_of_a_budget_differ_by_pattern_and_are_parted_by_a_gap(page: Window) -> None:
    page.open("pack?q=lockout").says(".budget", "tokens" if page.find(".budget >> text=tokens").count() else "memories")
    patterns = page.page.evaluate(
        """() => ["frame", "memory", "chunk"].map((tone) => {
          const part = document.querySelector(`.budget-bar [data-tone=${tone}]`) || Object.assign(document.createElement("span"));
          if (!part.isConnected) { part.dataset.tone = tone; document.querySelector(".budget-bar").append(part); }
          return getComputedStyle(part).backgroundImage;
        })"""
    )
    assert len(set(patterns)) == 3
    assert all("gradient" in pattern for pattern in patterns)
    gap = page.page.evaluate("parseFloat(getComputedStyle(document.querySelector('.budget-bar')).columnGap)")
    assert gap >= 2


def test_paper_has_what_is_said_and_nothing_to_press(page: Window, filled: dict[str, str]) -> None:
    for view in ("memories", "pack?q=lockout", f"memory/{filled['lockout']}", f"session/{filled['session']}"):
        page.open(view) if page.page.url == "about:blank" else page.at(view)
        page.page.emulate_media(media="print")
        for hidden in (".bar", ".toasts", "main button", "main input", ".api"):
            for part in page.find(hidden).all():
                assert not part.is_visible(), (view, hidden)
        assert page.find("main h1").is_visible()
        if view.startswith("pack"):
            assert page.find(".budget-bar").evaluate("(one) => getComputedStyle(one).printColorAdjust") == "exact"
        page.page.emulate_media(media="screen")


def test_with_forced_colours_the_view_that_is_shown_is_told_by_its_line(
    chromium: Browser, shared: tuple[Served, Terminal], tmp_path: Path
) -> None:
    with window(chromium, shared[0], tmp_path, forced_colors="active") as page:
        page.open("sessions")
        lines = page.find("#subnav a").evaluate_all(
            "(all) => all.map((one) => [one.matches('[aria-current]'), getComputedStyle(one).borderBlockEndWidth])"
        )
    assert {width for is_current, width in lines if is_current} == {"4px"}
    assert {width for is_current, width in lines if not is_current} == {"2px"}


def test_what_happens_is_read_out_from_a_log_that_holds_a_list(page: Window) -> None:
    page.open("feed").says("[role=log] > ol", "remembered")
    assert page.find("ol[role], ul[role]").count() == 0
    assert page.find("[role=log]").get_attribute("aria-relevant") == "additions"
