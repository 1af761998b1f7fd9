"""The picture of commits around a memory's anchor: true neighbours, one lane for one line, and what is passed over."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest

from memcli.repo import head, surroundings
from tests.conftest import Terminal
from tests.http.browser import Window
from tests.http.served import Served

VIEWER = Path(__file__).parents[2] / "memcli" / "http" / "viewer"


@pytest.fixture(scope="module")
def long_line(shared: tuple[Served, Terminal]) -> dict[str, Any]:
    """A memory near the beginning of sixty commits, one on a branch of its own, and a link between them."""
    served, terminal = shared
    terminal.process("init", "--no-agents")
    commits = [terminal.commit(f"commit {number}") for number in range(60)]
    terminal.git("checkout", "-q", "-b", "feature/a-rather-long-name", commits[40])
    aside = [terminal.commit(f"aside {number}") for number in range(3)]
    terminal.git("checkout", "-q", "-f", aside[1])
    lost = served.post("/v2/memories", {"title": "Only on the side", "summary": "s"})["id"]
    terminal.git("checkout", "-q", commits[9])
    made = served.post("/v2/memories", {"title": "Sessions live in Postgres", "summary": "s"})["id"]
    terminal.git("checkout", "-q", "main")
    served.post("/v2/links", {"from_id": made, "rel": "explains", "to_id": lost})
    return {"commits": commits, "aside": aside, "made": made, "lost": lost}


def subjects(graph: dict[str, Any]) -> list[str]:
    return [commit["subject"] for commit in graph["commits"]]


def test_an_old_anchor_stands_among_its_own_neighbours_and_the_gap_to_head_is_counted(
    shared: tuple[Served, Terminal], long_line: dict[str, Any]
) -> None:
    graph = shared[0].get(f"/v2/memories/{long_line['made']}/commits")
    near = [f"commit {number}" for number in (59, 58, 57, 12, 11, 10, 9, 8, 7, 6)]
    assert subjects(graph) == near
    gaps = [edge for edge in graph["edges"] if edge["between"]]
    names = long_line["commits"]
    assert gaps == [{"above": names[57], "below": names[12], "between": 44}]
    assert [commit["memories"] for commit in graph["commits"]].count(1) == 1


def test_a_commit_on_another_branch_stands_beside_the_line_of_head_down_to_where_they_part(
    shared: tuple[Served, Terminal], long_line: dict[str, Any]
) -> None:
    graph = shared[0].get(f"/v2/memories/{long_line['lost']}/commits")
    line = [f"commit {number}" for number in (59, 58, 57, 43, 42, 41)]
    assert subjects(graph) == [*line, "aside 2", "aside 1", "aside 0", *[f"commit {number}" for number in (40, 39, 38, 37)]]
    assert graph["anchor_branch"] == "feature/a-rather-long-name"
    assert graph["anchor_tip"] == long_line["aside"][2]


def test_a_merge_leads_to_both_of_its_parents_and_the_line_to_the_anchor_goes_by_the_first(terminal: Terminal) -> None:
    first = terminal.git("rev-parse", "HEAD")
    terminal.git("checkout", "-q", "-b", "side")
    side = terminal.commit("side", a_py="1")
    terminal.git("checkout", "-q", "main")
    own = terminal.commit("own", b_py="1")
    terminal.git("merge", "-q", "--no-edit", "side")
    checkout = head.find(str(terminal.folder))
    assert checkout
    near = surroundings.around(checkout, first)
    assert [commit.id for commit in near.commits] == [checkout.commit, own, first]
    near = surroundings.around(checkout, side)
    assert [commit.id for commit in near.commits] == [checkout.commit, side, first]
    assert checkout.commit
    assert {(edge.above, edge.below, edge.between) for edge in near.edges} == {(checkout.commit, side, 0), (side, first, 0)}


def test_an_anchor_that_the_clone_has_not_got_and_histories_without_a_common_commit_are_drawn_as_far_as_they_go(
    terminal: Terminal,
) -> None:
    terminal.git("checkout", "-q", "--orphan", "island")
    island = terminal.commit("island")
    terminal.git("checkout", "-q", "-f", "main")
    checkout = head.find(str(terminal.folder))
    assert checkout
    assert [commit.subject for commit in surroundings.around(checkout, "0" * 40).commits] == ["first"]
    near = surroundings.around(checkout, island)
    assert {commit.subject for commit in near.commits} == {"first", "island"}
    assert (near.edges, near.branch) == ((), "island")


def in_javascript(script: str) -> Any:
    """Returns what a module of JavaScript prints as JSON. Needs no browser."""
    words = [str(shutil.which("node")), "--input-type=module", "-e", script]
    done = subprocess.run(words, capture_output=True, text=True, timeout=60, check=True)
    return json.loads(done.stdout)


@pytest.mark.skipif(shutil.which("node") is None, reason="node is not installed")
def test_each_line_of_history_has_one_lane_and_what_is_passed_over_a_row() -> None:
    script = f"""
        import {{ lines, rows }} from "{(VIEWER / "lib" / "lanes.js").as_uri()}";
        const edge = (above, below, between = 0) => ({{ above, below, between }});
        const draw = (names, edges) => {{
          const all = rows(names.map((id) => ({{ id }})), edges);
          const text = all.map((row) => `${{row.commit ? row.commit.id : row.between}}@${{row.lane}}`);
          const ends = (line) => [line.from, line.to].map(({{ lane, row }}) => [lane, row]);
          return [text, lines(all, edges).map((line) => [...ends(line), line.isGap])];
        }};
        console.log(JSON.stringify([
          draw(["d", "c", "b", "a"], [edge("d", "c"), edge("c", "b", 1596), edge("b", "a")]),
          draw(["h", "g", "t", "s", "b"], [edge("h", "g"), edge("g", "b", 7), edge("t", "s"), edge("s", "b")]),
          draw(["m", "x", "y", "a"], [edge("m", "x"), edge("m", "y"), edge("x", "a"), edge("y", "a")]),
          draw(["a", "b"], []),
        ]));
    """
    linear, beside, merge, apart = in_javascript(script)
    assert linear[0] == ["d@0", "c@0", "1596@0", "b@0", "a@0"]
    assert linear[1] == [[[0, 0], [0, 1], False], [[0, 1], [0, 3], True], [[0, 3], [0, 4], False]]
    assert beside[0] == ["h@0", "g@0", "7@0", "t@1", "s@1", "b@0"]
    assert merge[0] == ["m@0", "x@0", "y@1", "a@0"]
    assert apart == [["a@0", "b@0"], []]


def test_the_picture_says_dates_branch_and_gap_and_leads_to_commits_and_memories(page: Window, long_line: dict[str, Any]) -> None:
    page.open(f"memory/{long_line['made']}").says(".commit-list", "44 commits between")
    rows = page.find(".commit-list li")
    assert page.find(".commits svg circle").count() == 10
    assert len({dot.get_attribute("cx") for dot in page.find(".commits svg circle").all()}) == 1
    assert all(re.fullmatch(r"\d{4}-\d\d-\d\d", text) for text in page.find(".commit-list time").all_inner_texts())
    anchor = page.find(".commit-list .is-anchor")
    assert "written here" in anchor.inner_text()
    anchor.get_by_role("link", name="1 memory").click()
    page.says(".view-memories [role=status]", "1 memory").says(".list", "Sessions live in Postgres")

    page.at(f"memory/{long_line['lost']}").says(".commit-list", "feature/a-rather-long-name")
    badge = page.find(".commit-list .badge").filter(has_text="feature/a-rather-long-name")
    assert badge.evaluate("it => it.scrollWidth <= it.clientWidth + 1")  # not cut
    assert len({dot.get_attribute("cx") for dot in page.find(".commits svg circle").all()}) == 2
    assert rows.count() == 14
    page.find(".commit-list .hash").first.click()
    page.says(".view-why h1", "Why").says(".list", "commit 59")
    page.complaints.clear()


def test_on_a_phone_a_commit_is_still_known_by_its_hash(page: Window, shared: tuple[Served, Terminal]) -> None:
    made = shared[0].post("/v2/memories", {"title": "Written where a phone looks", "summary": "s"})["id"]
    page.page.set_viewport_size({"width": 360, "height": 740})
    page.open(f"memory/{made}").says(".commits .is-anchor", shared[1].git("rev-parse", "--short=7", "HEAD"))
    assert page.find(".commit-list .is-anchor .hash").is_visible()
    assert page.page.evaluate("() => document.documentElement.scrollWidth <= innerWidth")
