"""What the Go program mempack named goes on under its names."""

from __future__ import annotations

import json
import re
import sqlite3
from contextlib import closing
from importlib.metadata import entry_points
from pathlib import Path

from mcp import Client

from tests.conftest import Terminal
from tests.mcp.talk import talk
from tests.sync import stores
from tests.sync.test_migration import memories


def test_ids_of_mempack_go_on_after_the_import(terminal: Terminal, tmp_path: Path) -> None:
    former, shared = "M-20260101-120000-00000004", "M-20260101-120000-00000005"
    path = str(stores.mempack(tmp_path / "memory.db", 8, root=str(terminal.folder)))
    terminal.add("A fact of its own", "Its id may begin like any other.")
    for words in (("show", former), ("update", former, "--title", "Changed"), ("forget", former)):
        refused = terminal.mem(*words, fails=3)
        assert "mem import --from mempack" in refused.err
        assert "did you mean" not in refused.err
    assert "mem import --from mempack" in terminal.mem("recent", "--repo", "r_12345678", fails=3).err

    terminal.mem("import", path)
    ids = {title: memory["id"] for title, memory in memories(terminal).items()}
    for name in (former, former.lower(), f"mempack:{former}"):
        assert terminal.mem("show", name, "--json").json["memory"]["id"] == ids["Fact 4 of the parser"]
    link = terminal.mem("link", former, "depends_on", shared, "--json").json
    assert (link["from_id"], link["to_id"]) == (ids["Fact 4 of the parser"], ids["Fact 5 of the parser"])
    terminal.mem("forget", former)
    assert f"mem restore {ids['Fact 4 of the parser']}" in terminal.mem("show", former, fails=3).err
    terminal.mem("restore", former)
    assert terminal.mem("show", "M-20260101-120000-0000ffff", fails=3).out == ""

    assert set(memories(terminal, "--repo", "r_12345678")) == set(memories(terminal))
    assert terminal.mem("use", "r_12345678", "--json").json == terminal.mem("use", ".", "--json").json
    assert "mem import --from mempack" in terminal.mem("use", "r_87654321", fails=3).err


def test_an_import_into_several_workspaces_names_the_undo_of_each(terminal: Terminal, tmp_path: Path) -> None:
    path = stores.mempack(tmp_path / "memory.db", 4)
    with closing(sqlite3.connect(path)) as db:
        db.execute("UPDATE memories SET workspace = 'exp' WHERE title = 'Fact 2 of the parser'")
        db.commit()
    assert "undo" not in terminal.mem("import", str(path), "--dry-run").out
    shown = terminal.mem("import", str(path)).out
    undo, undo_there = re.findall(r"mem (undo --if-revision \d+(?: --workspace exp)?)(?:; |\n)", shown)
    terminal.mem(*undo_there.split())
    assert terminal.mem("export", "--workspace", "exp").out == ""
    terminal.add("Later")
    assert "changed" in terminal.mem(*undo.split(), fails=2).err, "it takes back the import and nothing else"
    assert "Later" in memories(terminal)
    terminal.mem("undo")
    terminal.mem(*undo.split())
    assert terminal.mem("export").out == ""
    parts = terminal.mem("import", str(path), "--json").json["parts"]
    assert [part["memory"] for part in parts] == [None, "exp"]
    assert [re.sub(r"\d+", "N", part["undo"]) for part in parts] == [
        "mem undo --if-revision N",
        "mem undo --if-revision N --workspace exp",
    ]
    assert [part["undo"] for part in terminal.mem("import", str(path), "--json").json["parts"]] == [None, None]

    first = terminal.mem("undo").out
    assert first.endswith("\nThe same import in workspace exp stands: repeat with --workspace exp\n")
    assert "stands" not in terminal.mem("undo", "--workspace", "exp").out, "the other part was taken back before"
    assert terminal.mem("export", "--workspace", "exp").out == terminal.mem("export").out == ""


def test_an_undo_names_only_what_the_same_import_left_and_the_same_command_takes_back(terminal: Terminal, tmp_path: Path) -> None:
    path = stores.mempack(tmp_path / "memory.db", 4)
    with closing(sqlite3.connect(path)) as db:
        db.execute("UPDATE memories SET workspace = 'exp' || (rowid % 2) WHERE title != 'Fact 2 of the parser'")
        db.commit()
    terminal.mem("import", str(path), "--user")
    terminal.mem("add", "Newer", "--summary", "x", "--user", "--workspace", "exp1")
    assert terminal.mem("undo", "--user", "--json").json["stands_in"] == ["exp0"], "in exp1 it is not the last command"
    terminal.add("Alone")
    assert "stands" not in terminal.mem("undo").out


def test_commands_of_mempack_that_mean_something_else_here_name_what_does_it(terminal: Terminal) -> None:
    terminal.add("Sessions live in Postgres", "Redis evicted them.")
    for words in (("share", "export"), ("share", "export", "--out", "mem-share")):
        assert "there is mem export" in terminal.mem(*words, fails=2).err
    for words in (("share", "import"), ("share", "import", "--in", "mem-share", "--replace")):
        assert "there is mem import" in terminal.mem(*words, fails=2).err
    assert "mem add TITLE" in terminal.mem("session", "upsert", "--title", "Session: a.go", fails=2).err


def test_texts_of_mempack_without_options_are_taken(terminal: Terminal) -> None:
    added = terminal.mem("add", "Sessions live in Postgres", "Redis evicted them.", "--json").json
    assert terminal.mem("show", added["id"], "--json").json["memory"]["summary"] == "Redis evicted them."
    assert terminal.mem("add", "Deploys are frozen", "-", "--json", stdin="Until Monday.\n").json["title"] == "Deploys are frozen"
    stored = terminal.mem("checkpoint", "Half done", '{"left": ["tests"]}', "--json").json
    assert stored["reason"] == "Half done"
    assert terminal.mem("state", "--json").json["state"] == {"left": ["tests"]}
    (terminal.folder / "STATE.md").write_text("# Left\n\n- tests\n")
    for words, text in (
        (("--state-file", "STATE.md"), "# Left\n\n- tests\n"),
        (("--state-json", "tests are left"), "tests are left"),
    ):
        assert terminal.mem("checkpoint", "--reason", "Notes", *words).out.endswith("kept as a text, under raw\n")
        assert terminal.mem("checkpoint", "--reason", "Notes", *words, "--json").json["state_is_text"] is True
        assert terminal.mem("state", "--json").json["state"] == {"raw": text}

    count = len(memories(terminal))
    for words, text in (
        (("add", "Title", "One", "--summary", "Two"), "two summaries"),
        (("add", "Sessions", "live", "in"), ""),
        (("add", "--stdin-json", "Title", "Summary"), "excludes a title"),
        (("checkpoint", "Why", "{}", "--reason", "Why"), "give exactly one reason"),
        (("checkpoint", "--state-json", "{}"), "give exactly one reason"),
        (("checkpoint", "Why", "{}", "--state-json", "{}"), "give exactly one state"),
        (("checkpoint", "Why"), "give exactly one state"),
        (("checkpoint", "Why", '{"left": '), "the state is not JSON"),
        (("checkpoint", "Why", "STATE.md"), "the state is not JSON"),
    ):
        assert text in terminal.mem(*words, fails=2, stdin="{}").err, words
    assert len(memories(terminal)) == count


def test_labels_are_added_and_taken_out_by_themselves(terminal: Terminal) -> None:
    id = terminal.add("Sessions live in Postgres", "Redis evicted them.", "--tags", "db,Old", "--entities", "src/db.go")

    def labels() -> tuple[list[str], list[str]]:
        memory = terminal.mem("show", id, "--json").json["memory"]
        return memory["tags"], memory["entities"]

    terminal.mem("update", id, "--tags-add", "new,db", "--tags-remove", "old,absent", "--entities-add", "Session")
    assert labels() == (["db", "new"], ["src/db.go", "Session"])
    terminal.mem("undo")
    assert labels() == (["db", "Old"], ["src/db.go"])

    async def work(client: Client) -> None:
        update = next(tool for tool in (await client.list_tools()).tools if tool.name == "mempack_update_memory")
        assert "tags_add" not in update.input_schema["properties"], "each word of the list costs every session"
        arguments = {"id": id, "tags_add": ["warm"], "entities_remove": "src/db.go", "title": "Sessions are rows"}
        await client.call_tool("mem_update_memory", arguments)
        await client.call_tool("mempack_update_memory", {"id": id, "tags_add": ["warm"]})
        assert (await client.call_tool("mempack_update_memory", {"id": id, "tags_add": 7})).is_error
        assert (await client.call_tool("mempack_update_memory", {"id": id, "tags_add": []})).is_error

    talk(work, terminal, "--allow-write", "--write-mode", "auto")
    assert labels() == (["db", "Old", "warm"], [])
    terminal.mem("update", id, "--tags", "a,b", "--tags-remove", "B")
    assert labels()[0] == ["a"]
    assert "nothing to change" in terminal.mem("update", id, "--tags-add", "", fails=2).err
    terminal.mem("update", "M-0000000000", "--tags-add", "x", fails=3)


def test_the_store_of_a_repository_that_was_moved_is_named(terminal: Terminal, tmp_path: Path) -> None:
    home = Path(terminal.env["HOME"]) / ".local/share/mempack/repos"
    old = stores.mempack(home / "r_1" / "memory.db", 3, root=f"/gone/{terminal.folder.name}")
    stores.mempack(home / "r_2" / "memory.db", 3, root="/gone/other")
    stores.mempack(home / "r_3" / "memory.db", 3, root=str(tmp_path))
    (home / "r_4").mkdir()
    (home / "r_4/memory.db").write_bytes(b"not a store")
    missing = terminal.mem("import", "--from", "mempack", fails=3).err
    assert "nothing of mempack notes this directory\nHint: if this repository was moved" in missing
    assert missing.endswith(f"is gone: mem import {old}\n")

    bundle = terminal.folder / "mem-share"
    bundle.mkdir()
    (bundle / "manifest.json").write_text("{}")
    row = {"source_id": "M-20260101-120000-00000000", "thread_id": "T-0", "title": "Fact 0 of the parser", "summary": "x"}
    (bundle / "memories.jsonl").write_text(json.dumps(row))
    done = terminal.mem("import", "--from", "mempack")
    assert "1 new" in done.out
    assert f"mem import {old}\n" in done.err
    assert terminal.mem("import", "--from", "mempack", "--dry-run", "--json").json["moved"] == [str(old)]

    stores.mempack(home / "r_5" / "memory.db", 3, root=str(terminal.folder))
    assert "moved" not in terminal.mem("import", "--from", "mempack").err, "this one notes the directory"


def test_options_of_mempack_are_taken(terminal: Terminal) -> None:
    assert terminal.mem("-v").out == terminal.mem("--version").out
    wrote = terminal.mem("init", "--agents", "--all").out
    assert all(f"wrote {name}" in wrote for name in ("CLAUDE.md", "GEMINI.md"))
    assert (
        terminal.mem("repos", "--format", "table").out == terminal.mem("repos", "--format=table").out == terminal.mem("repos").out
    )
    assert terminal.mem("repos", "--format=json").json == terminal.mem("repos", "--json").json


def test_the_store_of_a_repository_is_named_until_something_of_it_is_imported(terminal: Terminal) -> None:
    line = "mempack has memories to import: mem import --from mempack\n"
    assert line not in terminal.mem("init").err
    home = Path(terminal.env["HOME"]) / ".local/share/mem/repos"
    stores.mempack(home / "r_1/memory.db", 3, root=str(terminal.folder))
    for words in (("init",), ("status",), ("init", str(terminal.folder)), ("import", "--from", "all")):
        assert line in terminal.mem(*words).err, words
    assert terminal.mem("status", "--json").err == terminal.mem("init", "--user").err == ""
    terminal.mem("import", "--from", "mempack")
    assert line not in terminal.mem("init").err + terminal.mem("status").err
    terminal.mem("undo")
    assert line in terminal.mem("status").err


def test_stores_of_other_programs_are_named_beside_the_sessions_of_all_agents(terminal: Terminal) -> None:
    home = Path(terminal.env["HOME"])
    stores.claude_mem(home / ".claude-mem/claude-mem.db", 2)
    stores.cmem(home / ".c-mem/c-mem.db", 2)
    stores.picoclaw(home / ".picoclaw/workspace", 1)
    stores.decisions(terminal.folder / "docs/adr", 1)
    commands = "mem import --from claude-mem; mem import --from cmem; mem import --from picoclaw --user"
    line = f"claude-mem, cmem, picoclaw have memories to import: {commands}\n"
    assert terminal.mem("import", "--from", "all", "--dry-run").err == line
    assert terminal.mem("import", "--from", "codex").err == ""
    terminal.mem("import", "--from", "picoclaw", "--user")
    assert "picoclaw" not in terminal.mem("import", "--from", "all").err


def test_of_the_directory_of_all_stores_that_of_the_repository_is_taken(terminal: Terminal, tmp_path: Path) -> None:
    home = tmp_path / "data"
    stores.mempack(home / "repos/r_00000001/memory.db", 2, root="/gone/other")
    for place in (home, home / "repos"):
        assert terminal.mem("import", str(place), "--dry-run").out.startswith("mempack: would be 2 new"), "it is the only one"
    stores.mempack(home / "repos/r_00000002/memory.db", 3, root="/gone/third")
    for words in ((str(home),), ("--from", "mempack", str(home / "repos"))):
        refused = terminal.mem("import", *words, fails=2).err
        assert "has the stores of 2 repositories, none of them of this one" in refused
        assert "r_00000001/memory.db (/gone/other); " in refused
    stores.mempack(home / "repos/r_00000003/memory.db", 4, root=str(terminal.folder))
    assert terminal.mem("import", str(home)).out.startswith("mempack: 4 new")
    (tmp_path / "none/repos").mkdir(parents=True)
    assert "no memory.db" in terminal.mem("import", "--from", "mempack", str(tmp_path / "none"), fails=2).err


def test_the_command_of_mempack_is_the_same_program() -> None:
    commands = {entry.name: entry.value for entry in entry_points(group="console_scripts")}
    assert commands["mempack"] == commands["mem"]
