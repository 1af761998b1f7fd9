"""Pictures: the history, a session as a waterfall, given against used, what hangs together; each also as a table."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tests.conftest import Terminal
from tests.http.browser import Window, window
from tests.http.populated import populate
from tests.http.served import Served, tell
from tests.http.test_page_commits import VIEWER, in_javascript

if TYPE_CHECKING:
    from playwright.sync_api import Browser

# Of each mark of a picture its colour, and the one that the legend has for it.
COLOURS = """() => [...document.querySelectorAll(".picture .legend [data-mark]")].flatMap((entry) => {
  const mark = document.querySelector(`.picture .mark[data-mark=${entry.dataset.mark}]`);
  return mark ? [[entry.dataset.mark, getComputedStyle(mark).fill, getComputedStyle(entry, "::before").backgroundColor]] : [];
})"""


@pytest.fixture(scope="module", autouse=True)
def filled(shared: tuple[Served, Terminal]) -> dict[str, str]:
    """Something in each picture: a branch, what is superseded and drifted, a call that failed, what was told and used."""
    served, terminal = shared
    made = populate(served, terminal)
    old = served.post("/v2/memories", {"title": "Lockouts last an hour", "summary": "s", "thread": "auth"})["id"]
    made["new"] = served.post(f"/v2/memories/{old}/supersede", {"title": "Lockouts last as long as they must"})["id"]
    made["old"] = old
    (terminal.folder / "login.py").write_text("LOCKOUT = 30\n")
    who = {"session_id": "s-2"}
    tell(terminal, "session-start", {**who, "source": "startup"})
    tell(terminal, "user-prompt", {**who, "prompt": "who is mailed about lockouts?"})
    edit = {"file_path": str(terminal.folder / "login.py"), "old_string": "30", "new_string": "45"}
    tell(
        terminal,
        "post-tool-use",
        {**who, "tool_name": "Edit", "tool_input": edit, "tool_result": {"exit_code": 1, "stderr": "no"}},
    )
    tell(
        terminal,
        "post-tool-use",
        {**who, "tool_name": "Read", "tool_input": {"file_path": "login.py"}, "tool_result": "LOCKOUT = 30"},
    )
    tell(terminal, "stop", {**who, "last_assistant_message": f"As {made['lockout']} says: fifteen minutes."})
    terminal.process("worker", "run", env={"MEMPACK_CAPTURE_WORKER": "auto", "MEMPACK_WORKER_IDLE_SECONDS": "0.1"})
    made["told"] = next(one["id"] for one in served.items("/v2/sessions") if one["key"] == "s-2")
    return made


def rows(page: Window) -> list[list[str]]:
    """The rows of the table below the picture."""
    page.find(".picture details summary").first.click()
    return [row.split("\t") for row in page.find(".picture table").first.locator("tbody tr").all_inner_texts()]


def test_memories_stand_along_the_commits_they_were_written_on(
    page: Window, shared: tuple[Served, Terminal], filled: dict[str, str]
) -> None:
    picture = shared[0].get("/v2/history")
    by_id = {memory["id"]: (commit, memory) for commit in picture["commits"] for memory in commit["memories"]}
    commit, memory = by_id[filled["aside"]]
    assert (commit["branch"], commit["subject"], memory["state"]) == ("side", "Aside", "orphan")
    commit, memory = by_id[filled["lockout"]]
    assert (commit["branch"], commit["subject"], memory["state"], memory["kind"]) == (
        None,
        "Limit the tries",
        "drifted",
        "decision",
    )
    assert by_id[filled["old"]][1]["superseded_by"] == filled["new"]
    assert [commit["at"] for commit in picture["commits"]] == sorted(
        [commit["at"] for commit in picture["commits"]], reverse=True
    )

    page.open("").keys("g", "y").says(".view-history h1", "History")
    shapes = {"superseded": "superseded", "overtaken": "superseded", "orphan": "orphan", "drifted": "drifted"}
    marks = {(commit["id"], shapes.get(memory["state"], "holds")) for commit, memory in by_id.values()}
    assert page.find(".picture svg a").count() == len(marks)
    assert set(page.find(".picture .mark").evaluate_all("(all) => all.map((one) => one.dataset.mark)")) == {
        kind for _, kind in marks
    }
    assert page.find(".picture .label").all_text_contents() == ["HEAD's history", "side", "no commit"]
    table = rows(page)
    assert len(table) == len(by_id)
    assert ["not on this branch", "side"] in [[row[2], row[5]] for row in table]
    page.page.get_by_label("state").select_option("superseded")
    page.page.get_by_label("thread").select_option("auth")
    page.says("main [role=status]", "1 memory on 1 commit").counts(".picture .mark[data-mark=superseded]", 1)
    mark = page.find(".picture svg a")
    assert "Lockouts last an hour, superseded" in (mark.get_attribute("aria-label") or "")
    mark.focus()
    page.keys("Enter").says(".view-memory h1", "Lockouts last an hour")


def test_what_was_written_without_a_commit_has_a_line_of_its_own_with_counts_that_lead_to_the_list(page: Window) -> None:
    def memory(number: int, at: str) -> dict[str, object]:
        return {
            "id": f"M-{number:010}",
            "title": f"Fact {number}",
            "kind": "note",
            "state": "holds",
            "superseded_by": None,
            "at": at,
        }

    imported = [memory(n, f"2026-02-0{1 + n % 2}T10:00:00Z") for n in range(41)]
    commits = [
        {"id": None, "branch": None, "subject": "", "at": "2026-02-02T10:00:00Z", "memories": imported},
        {
            "id": "a" * 40,
            "branch": None,
            "subject": "Begin",
            "at": "2026-01-01T10:00:00Z",
            "memories": [memory(99, "2026-01-01T10:00:00Z")],
        },
    ]
    answer = {"head": "a" * 40, "commits": commits, "total": 42, "capped": False}
    page.open("home").page.route("**/v2/history*", lambda route: route.fulfill(json=answer))
    page.at("history").says("main [role=status]", "1 memory on 1 commit, 41 without a commit")
    assert page.find(".picture .label").all_text_contents() == ["HEAD's history", "no commit"]
    marks = page.find(".picture svg a")
    assert marks.locator("text").all_text_contents() == ["21", "20"]
    assert "without a commit: 20 memories" in (marks.nth(2).get_attribute("aria-label") or "")
    marks.nth(2).focus()
    page.keys("Enter").page.wait_for_function("() => location.hash.includes('since=2026-02-02&until=2026-02-02')")


def test_commits_of_one_second_stand_in_the_order_of_the_history_the_latest_to_the_right(
    page: Window, shared: tuple[Served, Terminal]
) -> None:
    served, terminal = shared
    before = dict(terminal.env)
    terminal.git("checkout", "-q", "-f", "-b", "quick")
    terminal.env |= dict.fromkeys(("GIT_AUTHOR_DATE", "GIT_COMMITTER_DATE"), "2026-02-20T10:00:00Z")
    titles = [f"Step {number} of the move" for number in (1, 2, 3, 4)]
    commits = [terminal.commit(title) for title in titles]
    for commit, title in zip(commits[::-1], titles[::-1]):  # written from the last to the first
        terminal.git("checkout", "-q", commit)
        terminal.process("add", title, "--summary", "s", "--thread", "move")
    terminal.git("checkout", "-q", "quick")
    terminal.process("add", "Step 4 was the last", "--summary", "s", "--thread", "move")
    try:
        drawn = served.get("/v2/history", thread="move")["commits"]
        assert [commit["id"] for commit in drawn] == commits[::-1]
        assert [memory["title"] for memory in drawn[0]["memories"]] == ["Step 4 was the last", titles[3]]
        page.open("history?thread=move").says("main [role=status]", "5 memories on 4 commits")
        marks = page.find(".picture svg a").evaluate_all(
            "(all) => all.map((one) => [one.getBoundingClientRect().x, one.getAttribute('aria-label')])"
        )
        assert [label.split(" ")[2:4] for _, label in sorted(marks)] == [["Step", str(number)] for number in (1, 2, 3, 4)]
    finally:
        terminal.git("checkout", "-q", "-f", "main")
        (terminal.folder / "login.py").write_text("LOCKOUT = 30\n")
        terminal.env.clear()
        terminal.env.update(before)


def test_a_session_is_a_waterfall_of_prompts_tools_failures_and_what_it_was_told(
    page: Window, shared: tuple[Served, Terminal], filled: dict[str, str]
) -> None:
    acts = shared[0].items(f"/v2/sessions/{filled['told']}/acts")
    assert [act["lane"] for act in acts][:2] == ["told", "prompt"]
    page.open(f"session/{filled['told']}").says(".picture figcaption", f"{len(acts)} moments")
    failed = [act for act in acts if act["failed"]]
    assert len(failed) == 1
    assert page.find(".picture .mark[data-mark=failed]").count() == 1
    told = [act for act in acts if act["lane"] == "told"]
    assert told
    assert page.find(".picture .mark[data-mark=told]").count() == len(told)
    table = rows(page)
    assert len(table) == len(acts)
    assert [row[1] for row in table].count("failure") == 1
    assert f"{told[0]['tokens']:,}" in [row[3] for row in table]
    page.find(
        ".picture svg a",
    ).filter(has=page.find("[data-mark=told]")).first.focus()
    page.keys("Enter").says(".view-pack [role=status]", "Start of the session")


def test_an_edit_and_a_check_that_failed_after_it_are_each_a_mark_with_its_own_words(
    page: Window, shared: tuple[Served, Terminal]
) -> None:
    served, terminal = shared
    who = {"session_id": "s-3"}
    tell(terminal, "user-prompt", {**who, "prompt": "Lengthen the lockout."})
    edit = {"file_path": str(terminal.folder / "login.py"), "old_string": "30", "new_string": "failed = 60"}
    tell(terminal, "post-tool-use", {**who, "tool_name": "Edit", "tool_input": edit, "tool_result": "ok"})
    for result, code in (("1 failed, 41 passed", 1), ("42 passed in 3.1 s", 0)):
        check = {
            "tool_name": "Bash",
            "tool_input": {"command": "pytest -q"},
            "tool_result": {"exit_code": code, "stdout": result},
        }
        tell(terminal, "post-tool-use", {**who, **check})
    tell(terminal, "stop", {**who, "last_assistant_message": "It is longer now."})
    terminal.process("worker", "run", env={"MEMPACK_CAPTURE_WORKER": "auto", "MEMPACK_WORKER_IDLE_SECONDS": "0.1"})
    session = next(one["id"] for one in served.items("/v2/sessions") if one["key"] == "s-3")
    page.open(f"session/{session}").says(".picture figcaption", "1 failure,")
    done = [row[1:3] for row in rows(page) if row[1] in ("tool", "failure")]
    assert [what for what, _ in done] == ["tool", "failure", "tool"]
    assert [words for _, words in done] == [
        "Edited login.py: `30` became `failed = 60`",
        "`pytest -q` failed: “1 failed, 41 passed”",
        "`pytest -q` passed: “42 passed in 3.1 s”",
    ]
    marks = page.find(".picture svg .mark:is([data-mark=tool], [data-mark=failed])")
    places = marks.evaluate_all("(all) => all.map((one) => one.getBoundingClientRect().x)")
    assert len(set(places)) == len(places) == 3


def test_given_and_used_are_counted_by_day(page: Window, shared: tuple[Served, Terminal]) -> None:
    days = shared[0].items("/v2/usage", days=30)
    assert len(days) == 30
    assert days[-1]["day"] == "2026-03-01"
    assert days[-1]["told"] >= days[-1]["used"] > 0
    page.open("turns").says(".picture figcaption", f"used {days[-1]['used']} time")
    assert rows(page) == [["2026-03-01", str(days[-1]["told"]), str(days[-1]["used"])]]
    label = page.find(".picture svg").get_attribute("aria-label") or ""
    assert f"Told {days[-1]['told']} times in 30 days" in label


def test_a_graph_goes_on_to_what_is_wanted_as_far_as_is_wanted(
    page: Window, shared: tuple[Served, Terminal], filled: dict[str, str]
) -> None:
    served = shared[0]
    near = served.get("/v2/graph", start=filled["lockout"], depth=1)
    edges = {(edge["from_id"], edge["rel"], edge["to_id"]) for edge in near["edges"]}
    lockout = filled["lockout"]
    assert {(lockout, "file", "file:login.py"), (lockout, "in", "thread:auth"), (lockout, "relates", filled["aside"])} <= edges
    assert {node["depth"] for node in near["nodes"]} == {0, 1}
    far = served.get("/v2/graph", start="thread:auth", depth=2, types="memory")
    states = {node["id"]: node["state"] for node in far["nodes"]}
    assert (states[filled["old"]], states[filled["new"]]) == ("superseded", "holds")
    assert {node["type"] for node in far["nodes"]} == {"thread", "memory"}
    assert served.get("/v2/graph", start="file:login.py", depth=0)["edges"] == []

    page.open(f"graph?start={lockout}&depth=1").says(".picture svg", "login.py")
    assert page.find(".picture svg a").count() == len(near["nodes"])
    assert len(rows(page)) == len(near["edges"])
    page.page.get_by_label("files").uncheck()
    page.page.wait_for_function("() => !document.querySelector('.picture svg').textContent.includes('login.py')")
    page.page.evaluate("() => { document.querySelector('.picture svg').dataset.before = 'yes'; }")
    page.page.get_by_label("Steps").select_option("3")
    page.page.wait_for_function(
        "() => location.hash.includes('depth=3') && document.querySelector('.picture svg:not([data-before])')"
    )
    page.find(".picture svg a").first.focus()
    page.keys("Enter").says(".view-memory h1", "Lockouts last fifteen minutes")


def test_what_no_picture_can_be_drawn_of_is_refused(shared: tuple[Served, Terminal]) -> None:
    served = shared[0]
    assert served.refused("GET", "/v2/graph", start="M-ZZZZZZZZZZ") == (404, "not_found")
    assert served.refused("GET", "/v2/graph", start="thread:auth", types="sessions") == (422, "invalid_input")
    assert served.refused("GET", "/v2/sessions/nobody/acts")[0] == 404
    assert served.get("/v2/graph", start="thread:nothing")["nodes"][0]["label"] == "nothing"
    assert served.get("/v2/history", kind="nothing")["commits"] == []


@pytest.mark.skipif(shutil.which("node") is None, reason="node is not installed")
def test_marks_of_one_line_stand_apart_in_their_order() -> None:
    script = f"""
        import {{ apart }} from "{(VIEWER / "lib" / "scales.js").as_uri()}";
        const dense = Array.from({{ length: 101 }}, () => 50);
        console.log(JSON.stringify([
          apart([100, 100, 200], 20, 0, 300), apart([290, 300, 10], 20, 0, 300), apart(dense, 20, 0, 300).sort((a, b) => a - b),
        ]));
    """
    same, edge, dense = in_javascript(script)
    assert same == [100, 120, 200]
    assert edge == [280, 300, 10]
    assert (dense[0] >= 0, dense[-1]) == (True, 300)
    assert all(later - earlier > 2.9 for earlier, later in zip(dense, dense[1:]))


@pytest.mark.skipif(shutil.which("node") is None, reason="node is not installed")
def test_marks_for_which_there_is_no_room_stand_for_their_neighbours_too() -> None:
    script = f"""
        import {{ grouped }} from "{(VIEWER / "lib" / "scales.js").as_uri()}";
        const even = Array.from({{ length: 1000 }}, (_, at) => 999 - at);
        const roomy = grouped([100, 105, 200], 20, 300), crowded = grouped([5, 0, 100, 12], 20, 50);
        console.log(JSON.stringify([roomy, crowded, grouped(even, 20, 999)]));
    """
    roomy, crowded, even = in_javascript(script)
    assert roomy == [[0], [1], [2]]
    assert crowded == [[1, 0, 3], [2]]
    assert [len(group) for group in even] == [20] * 50
    assert sorted(place for group in even for place in group) == list(range(1000))


def test_with_forced_colours_bars_are_seen_and_marks_have_the_colour_of_the_legend(
    chromium: Browser, shared: tuple[Served, Terminal], tmp_path: Path
) -> None:
    colour = "(one) => getComputedStyle(one).backgroundColor"
    with window(chromium, shared[0], tmp_path, forced_colors="active") as page:
        page.open("home").counts(".day-bars .column", 7)
        assert page.find(".day-bars .column span").last.evaluate(colour) != page.find("body").evaluate(colour)
        page.at("history").says(".picture .legend", "holds")
        colours = page.page.evaluate(COLOURS)
    assert {"holds", "drifted", "superseded"} <= {mark for mark, _, _ in colours}
    assert [one for one in colours if one[1] != one[2]] == []
