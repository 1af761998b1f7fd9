"""The page and what it must never do: run what is stored, ask anybody else, scroll sideways, hide from a screen reader."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import quote

import pytest

from tests.conftest import Terminal
from tests.http.browser import Window, window
from tests.http.served import Served, tell
from tests.http.test_page_access import views

if TYPE_CHECKING:
    from playwright.sync_api import Browser

HOSTILE = (
    "<script>document.title='run'</script><img src=x onerror=alert(1)> \x1b[31mred\x1b[0m "
    "\u202etxt.exe\u202c {{7*7}} javascript:alert(1)"
)
LONG = "W" * 300
MARKUP = "<img src=x onerror=alert(1)>"  # where a name may not be as long, or not have all of the above
BRANCH = "<img/src=x/onerror=alert(1)>"
VIEWS = ("home", "memories", "pack?q=login", "sessions", "state", "feed", "queue", "settings", "why", "why?target=HEAD")
AUDIT = (Path(__file__).parent / "audit.js").read_text()


@pytest.fixture(scope="module", autouse=True)
def filled(shared: tuple[Served, Terminal]) -> str:
    """Hostile texts wherever a text can be stored; the id of a hostile memory."""
    served, terminal = shared
    terminal.process("init", "--no-agents")
    given = {
        "title": HOSTILE,
        "summary": f"login {HOSTILE} {LONG}",
        "thread": "login",
        "tags": [HOSTILE[:60], MARKUP],
        "entities": [LONG[:60]],
    }
    made = str(served.post("/v2/memories", given)["id"])
    served.post(
        "/v2/memories", {"title": "Aside", "summary": "s"}, workspace="w" * 60
    )  # so that there are several to choose from
    other = served.post("/v2/memories", {"title": f"login {LONG}", "summary": "s"})["id"]
    served.post("/v2/links", {"from_id": made, "rel": "relates", "to_id": other})
    served.post("/v2/links", {"from_id": made, "rel": "see", "to_id": "https://example.org/" + LONG})
    served.post("/v2/state", {"reason": HOSTILE, "state": {HOSTILE: [HOSTILE, LONG]}})
    served.post("/v2/notes", {"text": HOSTILE})
    served.ask("PUT", f"/v2/profile/{quote(MARKUP)}", {"value": HOSTILE})
    (terminal.folder / f"{MARKUP}.py").write_text(f"# {HOSTILE}\ndef login():\n    return '{MARKUP}'\n")
    terminal.git("add", ".")
    terminal.commit(HOSTILE.replace("\x1b", "").replace("\n", " "))
    terminal.git("checkout", "-q", "-b", BRANCH)
    terminal.commit(f"On {BRANCH}")
    served.post("/v2/memories", {"title": MARKUP, "summary": MARKUP, "thread": MARKUP, "kind": "note", "files": [f"{MARKUP}.py"]})
    terminal.git("checkout", "-q", "main")
    tell(terminal, "session-start", {"source": "startup"})
    tell(terminal, "user-prompt", {"prompt": HOSTILE})
    failed = {"tool_name": "Bash", "tool_input": {"command": f"pytest '{MARKUP}'"}, "tool_result": HOSTILE, "failed": True}
    tell(terminal, "post-tool-use", failed)
    tell(terminal, "stop", {"last_assistant_message": f"Still open: {MARKUP} login. {HOSTILE}{LONG}"})
    terminal.process("ingest", ".")
    terminal.process("worker", "run", env={"MEMPACK_CAPTURE_WORKER": "auto", "MEMPACK_WORKER_IDLE_SECONDS": "0.1"})
    return made


def everywhere(page: Window, made: str) -> Iterator[str]:
    """Goes to each view in turn."""
    session = page.served.items("/v2/sessions")[0]["id"]
    for view in (*VIEWS, f"memory/{made}", f"session/{session}"):
        page.at(view)
        page.page.wait_for_function("() => !document.querySelector('main [aria-busy=true]')")
        yield view


def of_every_view(page: Window, made: str) -> Iterator[str]:
    """Goes to each view that the page knows, and with each sort of hostile name in its address; what is folded is opened."""
    session = page.served.items("/v2/sessions")[0]["id"]
    turn = page.served.items("/v2/turns")[0]["id"]
    name = quote(MARKUP)
    more = (
        f"memory/{made}",
        f"session/{session}",
        f"thread/{name}",
        f"all?q={name}",
        f"all?thread={name}&branch={quote(BRANCH)}&file={name}.py",
        f"memories?q={name}&thread={name}&session={name}",
        f"graph?start=thread:{name}",
        f"graph?start=file:{name}.py",
        f"why?target={name}.py",
        f"history?branch={quote(BRANCH)}&thread={name}",
        f"pack?q={name}",
        "pack?source=start",
        f"pack?source=turn&session={session}&turn={turn}",
        f"json?call=/v2/threads?{name}",
        f"settings?q={name}",
    )
    for view in (*[view for view in views() if view not in ("memory", "session", "thread", "json")], *more):
        page.page.evaluate("(hash) => { location.hash = hash }", f"#/{view}")
        page.page.wait_for_selector(f"main[data-view={view.partition('/')[0].partition('?')[0]}] h1")
        page.page.wait_for_function("() => !document.querySelector('main [aria-busy=true]')")
        page.page.evaluate("document.querySelectorAll('main details').forEach((one) => { one.open = true; })")
        page.page.wait_for_timeout(50)
        page.complaints[:] = [line for line in page.complaints if "Failed to load resource" not in line]  # of what is not there
        yield view


def test_hostile_text_is_shown_as_text_in_every_view(page: Window, filled: str) -> None:
    page.page.on("dialog", lambda _: page.complaints.append("a dialog opened"))
    page.open()
    for view in of_every_view(page, filled):
        inside = page.find("main script, main img, main iframe, main [onerror], main [style*='url']").count()
        assert (view, inside) == (view, 0)
        text = str(page.page.evaluate("document.body.innerText"))
        assert not {"\x1b", "\u202e", "\u202c"} & set(text), view
        assert page.complaints == [], view
        assert page.find("a[href^='javascript']").count() == 0
    assert page.page.title() != "run"
    page.at(f"memory/{filled}").says("main h1", "<script>").says("main h1", "⟨U+202E⟩txt.exe").says("main h1", "⟨U+001B⟩[31m")
    page.shot("hostile")


def test_a_hostile_text_is_edited_as_it_is(page: Window, filled: str) -> None:
    page.open(f"memory/{filled}").keys("e").says("dialog h2", "Edit")
    page.keys("Control+Enter").counts("dialog", 0)
    before = page.served.get(f"/v2/memories/{filled}")["memory"]
    assert before["title"] == HOSTILE


def test_the_policy_lets_nothing_but_the_pages_own_files_in(page: Window) -> None:
    page.open()
    policy = page.served.ask("GET", "/").headers["content-security-policy"]
    assert policy.startswith("default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; ")
    assert "unsafe" not in policy
    refused = """() => {
        try { document.body.innerHTML = "<b>x</b>"; return "done" } catch (error) { return error.name }
    }"""
    assert page.page.evaluate(refused) == "TypeError"
    assert page.page.evaluate("() => fetch('http://example.invalid/').then(() => 'sent', () => 'refused')") == "refused"
    page.complaints.clear()  # of just that
    page.asked[:] = [url for url in page.asked if "example.invalid" not in url]


def test_every_part_of_the_page_comes_from_the_service_and_is_part_of_the_package(page: Window) -> None:
    page.open()
    page.at("pack").at("feed")
    paths = {url.split("?")[0].split("/", 3)[3] for url in page.asked}
    folder = Path(__file__).parents[2] / "memcli" / "http" / "viewer"
    shipped = {f"viewer/{path.relative_to(folder).as_posix()}" for path in folder.rglob("*") if path.is_file()}
    assert {path for path in paths if path.startswith("viewer/")} <= shipped
    unused = shipped - paths - {"viewer/index.html", "viewer/icon.svg", "viewer/nowhere.html"}
    assert unused == set()


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_every_view_has_names_landmarks_and_contrast(
    chromium: Browser, shared: tuple[Served, Terminal], filled: str, scheme: str, tmp_path: Path
) -> None:
    with window(chromium, shared[0], tmp_path, color_scheme=scheme, reduced_motion="reduce") as page:
        page.open()
        for view in everywhere(page, filled):
            assert (view, page.page.evaluate(AUDIT)) == (view, [])
        page.keys("g", "m").says("h1", "Memories").keys("n").says("dialog h2", "Remember")
        assert page.page.evaluate(AUDIT) == []
        page.shot(f"dialog-{scheme}")


def test_a_phone_shows_every_view_without_scrolling_sideways(
    chromium: Browser, shared: tuple[Served, Terminal], filled: str, tmp_path: Path
) -> None:
    size = {"width": 320, "height": 640}
    with window(chromium, shared[0], tmp_path, viewport=size, has_touch=True, is_mobile=True) as page:
        page.open()
        page.page.wait_for_selector("#workspace")
        for view in everywhere(page, filled):
            assert (view, page.page.evaluate("document.documentElement.scrollWidth")) == (view, 320)
        page.shot("phone")
        page.at("memories").find("[data-act=e]").first.tap()
        page.says("dialog h2", "Edit")
        assert page.page.evaluate("document.querySelector('dialog').scrollWidth") <= 320


def test_colours_follow_the_system_until_somebody_chooses(
    chromium: Browser, shared: tuple[Served, Terminal], tmp_path: Path
) -> None:
    paper = "() => { const [r] = getComputedStyle(document.body).backgroundColor.match(/\\d+/g); return Number(r) }"
    with window(chromium, shared[0], tmp_path, color_scheme="dark") as page:
        page.open()
        assert page.page.evaluate(paper) < 60
        page.shot("dark")
        page.keys("t")
        assert page.page.evaluate(paper) > 200
        page.page.reload()
        page.says("h1", "Memories")
        assert page.page.evaluate(paper) > 200
        page.keys("t", "t")
        assert page.page.evaluate(paper) < 60


def test_the_small_parts_do_what_they_say(page: Window) -> None:
    page.open()
    ask = """async () => {
        const { backoff, parse } = await import("/viewer/lib/stream.js");
        const { lines } = await import("/viewer/lib/diff.js");
        const { lanes } = await import("/viewer/lib/lanes.js");
        const { plain } = await import("/viewer/lib/dom.js");
        const merge = [["d", "c", "b"], ["c", "a"], ["b", "a"], ["a"]].map(([id, ...parents]) => ({ id, parents }));
        return {
            waits: [0, 1, 2, 20].map((n) => [backoff(n, 0), backoff(n, 1)]),
            events: parse("id: 4\\nevent: x\\ndata: {}\\n\\n: heartbeat\\n\\nid: 5"),
            diff: lines("a\\nb\\nc", "a\\nc\\nd").map((one) => one.join("")),
            lanes: lanes(merge).map((one) => one.lane),
            plain: plain("a\\u0000\\u202e\\ud800\\u00e9\\n"),
        };
    }"""
    assert page.page.evaluate(ask) == {
        "waits": [[250, 500], [500, 1000], [1000, 2000], [10_000, 20_000]],
        "events": {"events": [{"id": "4", "name": "x", "data": "{}"}], "rest": "id: 5"},
        "diff": [" a", "-b", " c", "+d"],
        "lanes": [0, 0, 1, 0],
        "plain": "a⟨U+0000⟩⟨U+202E⟩⟨U+D800⟩é\n",
    }
