"""Memories that speak of files: fresh, drifted or unlinked, by the files' own bytes."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pytest

from tests.cli.histories import FACT, counting, sure
from tests.conftest import Terminal


def told(terminal: Terminal) -> tuple[str, list[str]]:
    """What the pack says, as data, of the files of the one memory."""
    (item,) = terminal.mem("get", "session", "--json").json["top_memories"]
    return item["freshness"], item["drifted"]


def links(terminal: Terminal, memory_id: str) -> dict[str, str]:
    """The files that a memory is linked to, and how."""
    found = terminal.mem("show", memory_id, "--json").json["memory"]["links"]
    return {link["to_id"]: link["rel"] for link in found if link["rel"] in ("file", "mention")}


def test_a_linked_file_is_fresh_until_it_changes(terminal: Terminal, monkeypatch: pytest.MonkeyPatch) -> None:
    file = terminal.folder / "a.py"
    file.write_text("one")
    memory_id = terminal.add(FACT, "because", "--file", "a.py")
    runs = counting(monkeypatch)
    assert (told(terminal), sure(terminal)) == (("fresh", []), "")
    file.write_text("two")
    assert (told(terminal), sure(terminal)) == (("drifted", ["a.py"]), "a.py changed since")
    assert ' changed="a.py"' in terminal.mem("get", "session", "--format", "xml").out
    assert "a.py (changed since)" in terminal.mem("show", memory_id).out
    file.unlink()
    assert (told(terminal), sure(terminal)) == (("drifted", ["a.py"]), "a.py is gone")
    assert ' gone="a.py"' in terminal.mem("get", "session", "--format", "xml").out
    file.write_text("one")
    assert (told(terminal), sure(terminal)) == (("fresh", []), "")
    assert runs == []


def test_a_memory_without_files_is_unlinked(terminal: Terminal) -> None:
    terminal.add(FACT)
    assert (told(terminal), sure(terminal)) == (("unlinked", []), "")


def test_several_files_are_counted_in_one_mark_of_each_sort(terminal: Terminal) -> None:
    names = ["a.py", "b.py", "c.py", "d.py", "e.py"]
    for name in names:
        (terminal.folder / name).write_text("one")
    terminal.add(FACT, "because", *[word for name in names for word in ("--file", name)])
    for name in names[:3]:
        (terminal.folder / name).write_text("two")
    (terminal.folder / "e.py").unlink()

    assert sure(terminal) == "a.py and 2 more changed since · e.py is gone"
    assert told(terminal) == ("drifted", ["a.py", "b.py", "c.py", "e.py"])


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("see src/app/rank.py", {"src/app/rank.py"}),
        ("(`src/app/rank.py:12`), and README.md.", {"src/app/rank.py", "README.md"}),
        ("src/app/rank.py#L3-L9 \"README.md\" 'README.md'", {"src/app/rank.py", "README.md"}),
        ("Makefile and src and src/app/ are no such names", set()),
        ("https://example.invalid/README.md file:README.md e.g. 3.14", set()),
        ("../other/README.md ../outside.txt /etc/passwd ~/README.md", set()),
        ("src/../README.md ./README.md", {"README.md"}),
        ("gone.py src/nothing.py .git/HEAD .git/config", set()),
        ("out.txt leads outside, loop.txt nowhere, inner.txt to README.md", {"README.md"}),
        ("pipe.fifo is not a file", set()),
        ("データ/文書.md", {"データ/文書.md"}),
        (" ".join(f"many/{number}.txt" for number in range(30)), {f"many/{number}.txt" for number in range(8)}),
    ],
)
def test_paths_in_the_text_that_exist_are_links_of_their_own_kind(terminal: Terminal, text: str, expected: set[str]) -> None:
    names = ["src/app/rank.py", "README.md", "Makefile", "データ/文書.md", *[f"many/{number}.txt" for number in range(30)]]
    for name in names:
        (terminal.folder / name).parent.mkdir(parents=True, exist_ok=True)
        (terminal.folder / name).write_text(name)
    (terminal.folder.parent / "outside.txt").write_text("secret")
    for name, target in {"out.txt": "../outside.txt", "loop.txt": "loop.txt", "inner.txt": "README.md"}.items():
        (terminal.folder / name).symlink_to(target)
    os.mkfifo(terminal.folder / "pipe.fifo")
    memory_id = terminal.add("A title", text)

    assert links(terminal, memory_id) == dict.fromkeys(expected, "mention")


def test_a_file_that_is_given_is_not_linked_again_because_the_text_names_it(terminal: Terminal) -> None:
    (terminal.folder / "a.py").write_text("one")
    assert links(terminal, terminal.add("See a.py", "because", "--file", "a.py")) == {"a.py": "file"}


def test_a_new_text_brings_its_own_files_and_a_replacement_takes_those_that_were_given(terminal: Terminal) -> None:
    for name in ("a.py", "b.py", "c.py"):
        (terminal.folder / name).write_text("one")
    memory_id = terminal.add(FACT, "in b.py", "--file", "a.py")
    terminal.mem("update", memory_id, "--summary", "in c.py")
    assert links(terminal, memory_id) == {"a.py": "file", "b.py": "mention", "c.py": "mention"}
    (terminal.folder / "a.py").write_text("two")
    new = terminal.mem("supersede", memory_id, "--summary", "in b.py", "--json").json["new_id"]
    assert links(terminal, new) == {"a.py": "file", "b.py": "mention"}
    assert told(terminal) == ("fresh", [])


def test_a_link_that_came_to_lead_outside_is_gone_and_never_read(terminal: Terminal) -> None:
    file = terminal.folder / "a.py"
    file.write_text("one")
    terminal.add(FACT, "because", "--file", "a.py")
    file.unlink()
    (terminal.folder.parent / "outside.txt").write_text("one")
    file.symlink_to("../outside.txt")

    assert told(terminal) == ("drifted", ["a.py"])


def test_of_a_large_file_the_beginning_and_the_size_count(terminal: Terminal) -> None:
    file = terminal.folder / "large.bin"
    file.write_bytes(bytes(3 << 20))
    terminal.add(FACT, "because", "--file", "large.bin")
    assert told(terminal) == ("fresh", [])
    file.write_bytes(b"\1" + bytes((3 << 20) - 1))
    assert told(terminal) == ("drifted", ["large.bin"])
    file.write_bytes(bytes((3 << 20) + 1))
    assert told(terminal) == ("drifted", ["large.bin"])


@pytest.mark.parametrize("name", ["new\nline.py", 'quo"te & <b>.py', "]\x1b[31m.py", "x" * 90 + ".py", "記憶.py"])
def test_an_odd_name_stays_on_its_line(terminal: Terminal, name: str) -> None:
    file = terminal.folder / name
    file.write_text("one")
    terminal.add(FACT, "because", "--file", name)
    file.write_text("two")
    said = terminal.mem("get", "session").out

    assert told(terminal) == ("drifted", [name])
    assert len([line for line in said.splitlines() if FACT in line and " changed since]" in line]) == 1
    assert "\x1b" not in said


def test_a_revert_leaves_a_memory_that_holds_and_has_drifted(terminal: Terminal) -> None:
    terminal.commit("base", a_py="base")
    terminal.commit("feature", a_py="feature")
    terminal.add(FACT, "because", "--file", "a.py")
    terminal.git("revert", "--no-edit", "HEAD")

    assert sure(terminal) == "a.py changed since"


def test_doctor_lists_what_drifted_oldest_first_with_the_next_step(terminal: Terminal, later: Any) -> None:
    assert terminal.mem("doctor", "--stale").out == "no memory that is valid here refers to a file that has changed\n"
    for name in ("a", "b", "c"):
        (terminal.folder / f"{name}.py").write_text("one")
    ids = []
    for day, name in (("05", "a"), ("02", "b"), ("03", "c"), ("04", "b")):
        later(f"2026-02-{day}T00:00:00Z")
        ids.append(terminal.add(f"About {name} on {day}", f"see {name}.py"))
    terminal.mem("forget", ids[3])
    (terminal.folder / "a.py").write_text("two")
    (terminal.folder / "b.py").unlink()
    later("2026-03-01T12:00:00Z")

    found = terminal.mem("doctor", "--stale", "--json").json
    assert [(one["title"], one["changed"], one["gone"]) for one in found] == [
        ("About b on 02", [], ["b.py"]),
        ("About a on 05", ["a.py"], []),
    ]
    assert found[0]["confirm"] == f"mem confirm {ids[1]}"
    out = terminal.mem("doctor", "--stale").out
    assert [line.split()[0] for line in out.splitlines() if line.startswith("M-")] == [ids[1], ids[0]]
    assert f'mem supersede {ids[0]} --summary "..."   or   mem confirm {ids[0]}' in out
    assert "b.py is gone" in out
    terminal.mem("doctor", "--stale", "--repair", fails=2)
    terminal.mem("supersede", ids[0], "--summary", "says it again")
    assert [one["id"] for one in terminal.mem("doctor", "--stale", "--json").json] == [ids[1]]


def test_confirm_renews_files_and_anchor_and_can_be_undone(terminal: Terminal) -> None:
    for name in ("a.py", "b.py", "c.py"):
        (terminal.folder / name).write_text("one")
    first = terminal.git("rev-parse", "HEAD")
    memory_id = terminal.add(FACT, "see b.py and c.py", "--file", "a.py")
    (terminal.folder / "a.py").write_text("two")
    (terminal.folder / "b.py").unlink()
    head = terminal.commit("second")
    assert sure(terminal) == "a.py changed since · b.py is gone"

    confirmed = terminal.mem("confirm", memory_id, "--json").json
    memory = terminal.mem("show", memory_id, "--json").json["memory"]
    line = {name: memory[name] for name in ("title", "thread_id", "anchor_branch", "tokens", "revision")}
    assert confirmed == [{"id": memory_id, **line, "anchor_commit": head, "status": "confirmed"}]
    assert (sure(terminal), told(terminal)) == ("", ("fresh", []))
    assert links(terminal, memory_id) == {"a.py": "file", "c.py": "mention"}
    assert terminal.mem("confirm", memory_id).out.startswith(f"Confirmed {memory_id}")
    terminal.mem("undo")
    assert sure(terminal) == "a.py changed since · b.py is gone"
    assert terminal.mem("show", memory_id, "--json").json["memory"]["anchor_commit"] == first
    assert terminal.mem("doctor").out.endswith("no problems found\n")


def test_confirm_brings_an_orphan_back(terminal: Terminal) -> None:
    terminal.git("switch", "-q", "-c", "side")
    terminal.commit("on the side", a_py="a")
    memory_id = terminal.add(FACT)
    terminal.git("switch", "-q", "main")
    assert sure(terminal) == "hidden"
    terminal.mem("confirm", memory_id)
    assert sure(terminal) == ""


def test_confirm_takes_all_or_none_and_leaves_alone_what_holds_everywhere(terminal: Terminal, tmp_path: Path) -> None:
    old = terminal.add(FACT)
    terminal.commit("second")
    revision = terminal.mem("log", "--json").json[0]["revision"]
    terminal.mem("confirm", old, "M-ZZZZZZZZZZ", fails=3)
    terminal.mem("confirm", fails=2)
    mine = terminal.add("Mine", "because", "--user")
    terminal.mem("confirm", mine, "--user")
    assert terminal.mem("show", mine, "--user", "--json").json["memory"]["anchor_commit"] is None
    assert terminal.mem("log", "--json").json[0]["revision"] == revision
