"""What an import cannot keep is listed, in a rehearsal as in the import itself, and the rest of the memory is kept."""

from __future__ import annotations

import json
import os
import re
import sqlite3
from collections.abc import Sequence
from contextlib import closing
from pathlib import Path

import pytest
from mcp import Client

from tests.conftest import Terminal
from tests.mcp.talk import call, refused, talk
from tests.sync import stores
from tests.sync.test_migration import imported, memories, reasons


def changed(path: Path, *statements: str) -> str:
    """Changes rows of a database. Returns its path."""
    with closing(sqlite3.connect(path)) as db:
        for statement in statements:
            db.execute(statement)
        db.commit()
    return str(path)


def listed(terminal: Terminal, path: str) -> dict[str, int]:
    """Rehearses an import, and imports. Returns what both list."""
    rehearsed = reasons(terminal, path)
    done = terminal.mem("import", path, "--json").json
    assert {reason["reason"]: reason["count"] for part in done["parts"] for reason in part["not_taken"]} == rehearsed
    return rehearsed


def fact(number: int) -> str:
    return f"M-20260101-120000-{number:08x}"


def successors(path: Path, pairs: Sequence[tuple[int, str]]) -> str:
    return changed(path, *[f"UPDATE memories SET superseded_by = '{new}' WHERE id = '{fact(old)}'" for old, new in pairs])


def test_names_of_workspaces_that_mem_does_not_have_become_names_like_them(terminal: Terminal, tmp_path: Path) -> None:
    names = ["feature/x", "feature x", "my.ws", "工作", "w" * 65, "fine"]
    updates = [f"UPDATE memories SET workspace = '{name}' WHERE id = '{fact(number)}'" for number, name in enumerate(names)]
    path = changed(stores.mempack(tmp_path / "memory.db", 8), *updates)
    assert imported(terminal, path, "--dry-run") == (8, 0, 0)
    assert terminal.mem("import", path).out.count("workspaces under another name: a name is of letters, digits, - and _") == 5
    done = terminal.mem("import", path, "--json").json
    places = [part["memory"] for part in done["parts"]]
    assert len(set(places)) == 7
    assert {"fine", None} < {*places}
    assert (done["imported"], done["unchanged"]) == (0, 8)
    (place,) = [place for place in places if place and place.startswith("feature-x_") and place != places[1]]
    assert len(memories(terminal, "--workspace", place)) == 1
    assert "another name" not in terminal.mem("import", path, "--workspace", "all").out
    refused = terminal.mem("import", path, "--workspace", "a/b", fails=2).err
    assert "not a name for a workspace" in refused
    assert all(place in refused for place in places if place), "the workspaces that there are"


def test_a_workspace_of_mempack_is_meant_by_its_name_there(terminal: Terminal, tmp_path: Path) -> None:
    path = changed(
        stores.mempack(tmp_path / "memory.db", 8), f"UPDATE memories SET workspace = 'feature/x' WHERE id = '{fact(3)}'"
    )
    terminal.mem("import", path)
    there = memories(terminal, "--workspace", "feature/x")
    assert len(there) == 1
    terminal.add("Written later", "In the same one.", "--workspace", "feature/x")
    assert set(memories(terminal, "--workspace", "feature/x")) == {*there, "Written later"}

    async def work(client: Client) -> str:
        assert "Written later" in await call(client, "mempack_get_context", query="written later", workspace="feature/x")
        return (await refused(client, "mempack_get_context", query="written", workspace="feature/y"))[0]

    (folder,) = terminal.data.glob("repos/*/workspaces/*")
    assert talk(work, terminal) == "invalid_input"
    assert talk(work, terminal, "--workspace", folder.name) == "other_workspace"


def test_an_import_that_changes_nothing_offers_no_undo(terminal: Terminal, tmp_path: Path) -> None:
    path = changed(stores.mempack(tmp_path / "memory.db", 4), f"UPDATE memories SET workspace = 'exp' WHERE id = '{fact(2)}'")
    assert "--workspace exp" in terminal.mem("import", path).out
    assert "undo" not in terminal.mem("import", path).out
    changed(tmp_path / "memory.db", f"UPDATE memories SET summary = 'New.' WHERE id = '{fact(2)}'")
    shown = terminal.mem("import", path).out
    assert shown.endswith(" --workspace exp\n")
    assert shown.count("mem undo") == 1


def test_successors_in_a_circle_leave_each_memory_as_one_that_holds(terminal: Terminal, tmp_path: Path) -> None:
    pairs = [(0, fact(1)), (1, fact(2)), (2, fact(0)), (3, fact(0)), (4, fact(4)), (5, fact(99)), (6, fact(7))]
    path = successors(stores.mempack(tmp_path / "memory.db", 9), pairs)
    expected = {"successors in a circle: each of them holds": 4, "successors that are not there: what they replace holds": 1}
    assert expected.items() <= listed(terminal, path).items()
    assert expected.items() <= listed(terminal, path).items()
    assert {title.split()[1] for title, memory in memories(terminal).items() if memory["superseded_by"] is None} == set("0124578")
    assert "Fact 1 of the parser" in terminal.titles("Fact 1 of the parser")
    assert "no problems found" in terminal.mem("doctor").out

    successors(tmp_path / "memory.db", [(7, fact(6))])
    assert listed(terminal, path)["successors in a circle: each of them holds"] == 5, "6 stays replaced by 7"


def test_of_a_circle_that_a_later_import_closes_only_what_holds_is_named(terminal: Terminal, tmp_path: Path) -> None:
    path = successors(stores.mempack(tmp_path / "memory.db", 5), [(2, fact(3)), (3, fact(4))])
    assert listed(terminal, path).keys().isdisjoint({"successors in a circle: each of them holds"})
    successors(tmp_path / "memory.db", [(4, fact(2))])
    assert listed(terminal, path)["successors in a circle: each of them holds"] == 1
    stored = memories(terminal)
    assert [number for number in (2, 3, 4) if stored[f"Fact {number} of the parser"]["superseded_by"] is None] == [4]


def test_decisions_that_supersede_each_other_both_hold(terminal: Terminal, tmp_path: Path) -> None:
    for number, other in ((1, 2), (2, 1)):
        text = f"# {number}. Use {number}\n\nDate: 2024-01-01\n\n## Status\n\nSuperseded by {other}\n\n## Decision\n\nYes.\n"
        (tmp_path / f"000{number}-x.md").write_text(text)
    assert listed(terminal, str(tmp_path))["successors in a circle: each of them holds"] == 2
    assert len(terminal.titles("use")) == 2


def test_what_a_store_of_mempack_says_in_vain_is_listed(terminal: Terminal, tmp_path: Path) -> None:
    commit = terminal.commit("later")
    path = changed(
        stores.mempack(tmp_path / "memory.db", 6),
        f"UPDATE memories SET anchor_commit = '{'f' * 40}' WHERE id = '{fact(0)}'",
        f"UPDATE memories SET anchor_commit = 'main' WHERE id = '{fact(2)}'",
        f"UPDATE memories SET anchor_commit = '{commit}' WHERE id = '{fact(3)}'",
        f"UPDATE memories SET tags_json = '[broken' WHERE id = '{fact(3)}'",
        f"UPDATE memories SET tags_json = 'null', entities_json = '' WHERE id = '{fact(4)}'",
        f"UPDATE memories SET entities_json = '{{}}', created_at = 'soon' WHERE id = '{fact(5)}'",
        f"INSERT INTO links VALUES ('{fact(0)}', 'uses', 'M-1', 1, ''), ('{fact(0)}', 'uses', 'M-1', 1, '')",
        "INSERT INTO links VALUES ('M-2', 'uses', 'M-3', 1, '')",
        "INSERT INTO threads VALUES ('T-1', 'r_12345678', 'default', 'Thread one', NULL, '2026'), "
        "('T-2', 'r_12345678', 'default', 'T-2', '[]', '2026'), ('T-3', 'r_12345678', 'default', NULL, '[\"x\"]', '2026')",
    )
    left = listed(terminal, path)
    left.pop("states, which every session is told (--trust)")
    assert left == {
        "commits that are not in this clone: their memories hold everywhere": 2,
        "tags that cannot be read": 1,
        "entities that cannot be read": 1,
        "times that are missing or cannot be read: taken as now": 1,
        "links to what is not there": 1,
        "links of memories that are not there": 1,
        "titles and tags of threads": 2,
        "evidence: mem ingest makes it anew": 1,
    }
    assert memories(terminal)["Fact 3 of the parser"]["anchor_commit"] == commit


def test_a_state_counts_also_where_it_alone_is_new(terminal: Terminal, tmp_path: Path) -> None:
    path = str(stores.mempack(tmp_path / "memory.db", 3))
    assert imported(terminal, path) == (3, 0, 0)
    assert imported(terminal, path, "--trust", "--dry-run") == (1, 0, 3)
    assert imported(terminal, path, "--trust") == (1, 0, 3)
    assert imported(terminal, path, "--trust") == (0, 0, 4)


def test_what_a_store_of_an_observer_says_in_vain_is_listed(terminal: Terminal, tmp_path: Path) -> None:
    path = changed(
        stores.cmem(tmp_path / "c-mem.db", 3),
        "UPDATE observations SET tags = 'cache, [', facts = '{' WHERE id = 1",
        "UPDATE user_prompts SET created_at = 'soon', created_at_epoch = -1",
    )
    left = listed(terminal, path)
    assert (left["tags that cannot be read"], left["facts that cannot be read"]) == (1, 1)
    assert left["times that are missing or cannot be read: taken as now"] == 1


@pytest.mark.parametrize("metadata", ["{", "[1]", '{"n": NaN}', "[" * 50_000])
def test_metadata_of_mecho_that_cannot_be_read_are_listed(terminal: Terminal, tmp_path: Path, metadata: str) -> None:
    top = stores.mecho(tmp_path / "modes", 1)
    with closing(sqlite3.connect(top / "bot" / "archival.db")) as db:
        db.execute("UPDATE archival_memory SET metadata_json = ?", (metadata,))
        db.commit()
    shown = terminal.mem("import", str(top)).out
    assert (
        "mecho in modes/bot_archival: 1 new, 0 changed, 0 unchanged\n  not taken: 1 × metadata that cannot be read: Trip\n"
        in shown
    )


def test_daily_notes_of_days_to_come_are_listed(terminal: Terminal, tmp_path: Path) -> None:
    claw = stores.picoclaw(tmp_path / "claw", 1)
    (claw / "memory/209901").mkdir()
    (claw / "memory/209901/20990101.md").write_text("# 2099-01-01\n\nOne\n\nTwo\n")
    (claw / "memory/202603").mkdir()
    (claw / "memory/202603/20260301.md").write_text("## 23:50\n\nLater today\n")
    os.utime(claw / "memory/MEMORY.md", (1_700_000_000, 1_700_000_000))
    assert listed(terminal, str(claw))["dates later than now: taken as now"] == 2


def test_what_is_taken_under_another_date_is_named_and_is_not_called_left_out(terminal: Terminal, tmp_path: Path) -> None:
    path = str(stores.mempack(tmp_path / "memory.db", 1, created_at="2099-01-01"))
    lines = terminal.mem("import", path).out.splitlines()
    assert "  taken, but changed: 1 × dates later than now: taken as now: Fact 0 of the parser" in lines
    (part,) = terminal.mem("import", path, "--json").json["parts"]
    assert {reason["is_taken"]: reason["examples"] for reason in part["not_taken"]}[True] == ["Fact 0 of the parser"]


def test_a_profile_that_is_no_object_is_listed(terminal: Terminal, tmp_path: Path) -> None:
    claw = stores.picoclaw(tmp_path / "claw", 1)
    for content in ('["a"]', "null"):
        (claw / "memory/profile.json").write_text(content)
        report = terminal.mem("import", str(claw), "--trust", "--dry-run").out
        assert "  not taken: 1 × profiles that are no JSON object: profile.json" in report


def test_numbers_in_a_profile_are_texts(terminal: Terminal, tmp_path: Path) -> None:
    values = {"name": "Mike", "age": 42, "half": 0.5, "remote": True, "pets": ["cat"], "empty": "", "none": None}
    (tmp_path / "profile.json").write_text(json.dumps(values))
    left = reasons(terminal, str(tmp_path / "profile.json"))
    assert left["values of the profile that are empty, lists or objects"] == 3
    terminal.mem("import", str(tmp_path / "profile.json"), "--trust")
    assert [terminal.mem("profile", "get", name).out.strip() for name in ("age", "half", "remote")] == ["42", "0.5", "true"]


def undone(terminal: Terminal, shown: str) -> None:
    """Runs the commands by which an import says that it is undone."""
    for command in re.findall(r"mem (undo .*?)(?:; |\n)", shown):
        assert terminal.mem(*command.split()).out.startswith("Took back command")


def test_where_an_import_went_is_said_if_that_is_not_the_repository_around(terminal: Terminal, tmp_path: Path) -> None:
    name = terminal.mem("init", "--json").json["name"]
    terminal.mem("use", ".")
    path = str(stores.ltm(tmp_path / "memory.json", 2))
    modes = stores.mecho(tmp_path / "modes", 3)
    (tmp_path / "apart").mkdir()
    lines = tmp_path / "all.jsonl"
    lines.write_text('{"title": "A", "summary": "B"}\n')
    assert terminal.mem("import", path, "--dry-run").out.startswith("ltm: would be 2 new")
    terminal = terminal.at(tmp_path / "apart")
    assert terminal.mem("import", path, "--dry-run").out.startswith(f"ltm in {name}: would be 2 new")
    for words in (("--repo", name), ("--repo", str(tmp_path / "work")), ()):
        shown = terminal.mem("import", path, *words).out
        assert shown.startswith(f"ltm in {name}: 2 new"), words
        terminal.mem(*re.findall(r"  undo: mem (.*)\n", shown)[0].split())
    assert terminal.mem("import", str(lines)).out.startswith(f"in {name}: 1 new")
    assert terminal.mem("import", path, "--user").out.startswith("ltm: 2 new")
    assert [memory["title"] for memory in terminal.mem("recent", "--json").json] == ["A", "Welcome to mem"]

    shown = terminal.mem("import", str(modes / "bot")).out
    undone(terminal, shown)
    assert terminal.mem("import", str(modes / "bot")).out.splitlines()[0] == shown.splitlines()[0]


def test_an_entry_without_a_text_and_modes_for_one_memory_are_named(terminal: Terminal, tmp_path: Path) -> None:
    modes = stores.mecho(tmp_path / "modes", 4)
    stores.mecho(modes, 4, "cat")
    changed(modes / "bot/mecho.db", "UPDATE curated_memory SET name = ' ', description = '', detail = '' WHERE is_deleted = 0")
    assert reasons(terminal, str(modes / "bot"))["entries without a text"] >= 1
    refused = terminal.mem("import", str(modes), "--user", fails=2).err
    assert "2 modes do not go into one memory: bot, cat" in refused


def test_texts_that_are_too_long_are_one_reason(terminal: Terminal, tmp_path: Path) -> None:
    long = {f"value{number}": "x" * (5_000 + number) for number in range(4)} | {"k" * number: "x" for number in range(300, 303)}
    (tmp_path / "profile.json").write_text(json.dumps(long))
    left = terminal.mem("import", str(tmp_path / "profile.json"), "--trust").out
    assert "4 × values that are too long for the profile (profile.value): taken as memories: value0; value1; value2 …\n" in left
    assert "3 × not a key: use 1 to " in left
    path = stores.mempack(tmp_path / "memory.db", 4)
    updates = [f"UPDATE memories SET summary = '{'x' * (70_000 + number)}' WHERE id = '{fact(number)}'" for number in range(3)]
    left_out = reasons(terminal, changed(path, *updates))
    assert [left_out[reason] for reason in left_out if "too many characters" in reason] == [3]


def test_modes_are_imported_outside_of_a_repository_and_what_is_a_repositorys_is_not(nowhere: Terminal, tmp_path: Path) -> None:
    path = str(stores.mecho(tmp_path / "modes", 3))
    assert nowhere.mem("import", path, "--dry-run").out.startswith("mecho in modes/bot: would be 2 new")
    assert nowhere.mem("import", path).out.startswith("mecho in modes/bot: 2 new")
    assert "Habit 2" in nowhere.mem("recent", "--repo", "modes", "--workspace", "bot").out
    (nowhere.folder / "CLAUDE.md").write_text("- Use tabs\n")
    refused = nowhere.mem("import", "CLAUDE.md", fails=3).err
    assert refused.startswith("Error: not inside a repository\nHint: go into one, name one with --repo")
