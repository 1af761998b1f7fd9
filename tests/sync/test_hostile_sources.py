"""Files of other programs that are broken, huge, lead elsewhere or lie: one clear line, nothing stored, nothing changed."""

from __future__ import annotations

import errno
import json
import os
import sqlite3
import time
from contextlib import closing
from pathlib import Path
from typing import NoReturn

import pytest

from memcli.sync import sources
from tests.conftest import Terminal
from tests.sync import stores
from tests.sync.test_migration import below, imported, memories, reasons


def refused(terminal: Terminal, *words: str, code: int = 2) -> str:
    """Imports what cannot be. Returns the error, which is one line and a hint."""
    error = terminal.mem("import", *words, fails=code).err
    assert error.startswith("Error: ")
    assert len(error.splitlines()) <= 4, error  # as wrapped
    assert "Traceback" not in error
    assert not list(terminal.data.glob("repos/*/memory.db")), "a refused import makes no store"
    return " ".join(error.split())


def sparse(path: Path, size: int, head: bytes = b"") -> Path:
    with open(path, "wb") as file:
        file.write(head)
        file.truncate(size)
    return path


def test_a_database_in_which_another_program_writes_is_read_with_its_log_and_left_alone(
    terminal: Terminal, tmp_path: Path
) -> None:
    folder = tmp_path / "live"
    folder.mkdir()
    with closing(sqlite3.connect(folder / "memory.db")) as db:
        db.execute("PRAGMA journal_mode = WAL")
        db.executescript(stores.MEMPACK)
        row = ("M-1", "r", "T", "Only in the log", "so far", "2026-01-01T00:00:00Z")
        db.execute("INSERT INTO memories(id, repo_id, thread_id, title, summary, created_at) VALUES (?, ?, ?, ?, ?, ?)", row)
        db.commit()
        before = below(folder)
        assert set(before) == {"memory.db", "memory.db-wal", "memory.db-shm"}
        assert imported(terminal, str(folder / "memory.db")) == (1, 0, 0)
        assert below(folder) == before
    assert "Only in the log" in memories(terminal)


def test_a_log_that_a_program_left_behind_is_read_and_left_alone(terminal: Terminal, tmp_path: Path) -> None:
    live, left = tmp_path / "live", tmp_path / "left"
    live.mkdir()
    left.mkdir()
    with closing(sqlite3.connect(live / "memory.db")) as db:
        db.execute("PRAGMA journal_mode = WAL")
        db.executescript(stores.MEMPACK)
        db.commit()
        for name in ("memory.db", "memory.db-wal"):
            (left / name).write_bytes((live / name).read_bytes())
    before = below(left)
    left.chmod(0o500)
    assert imported(terminal, str(left / "memory.db")) == (0, 0, 0)
    left.chmod(0o700)
    assert below(left) == before


def test_a_database_in_wal_mode_without_a_log_gets_no_files_beside_it(terminal: Terminal, tmp_path: Path) -> None:
    folder = tmp_path / "closed"
    path = stores.mempack(folder / "memory.db", 2)
    with closing(sqlite3.connect(path)) as db:
        db.execute("PRAGMA journal_mode = WAL")
    before = below(folder)
    assert imported(terminal, str(path)) == (2, 0, 0)
    assert below(folder) == before


@pytest.mark.parametrize("program", ["mempack", "claude-mem", "cmem", "basic-memory"])
def test_a_damaged_database_is_refused(terminal: Terminal, tmp_path: Path, program: str) -> None:
    path = stores.mempack(tmp_path / "memory.db", 500)
    content = bytearray(path.read_bytes())
    for start in range(4096, len(content), 4096):
        content[start : start + 200] = os.urandom(200)
    path.write_bytes(content)
    refused(terminal, "--from", program, str(path))
    path.write_bytes(bytes(content[:5000]))
    refused(terminal, str(path))


def test_a_database_of_another_program_names_its_tables(terminal: Terminal, tmp_path: Path) -> None:
    path = stores.database(tmp_path / "x.db", "CREATE TABLE songs(title TEXT)")
    assert "songs" in refused(terminal, str(path))
    terminal.add("ours")
    assert "mem export" in terminal.mem("import", str(terminal.store), fails=2).err


def test_a_store_with_fewer_tables_or_columns_gives_what_it_has(terminal: Terminal, tmp_path: Path) -> None:
    schema = "CREATE TABLE memories (id TEXT PRIMARY KEY, title TEXT, summary TEXT, created_at TEXT)"
    row = {"id": "M-1", "title": "Old fact", "summary": "of the first version", "created_at": "2026-01-01T00:00:00Z"}
    path = stores.database(tmp_path / "memory.db", schema, memories=[row])
    assert imported(terminal, "--from", "mempack", str(path)) == (1, 0, 0)
    assert memories(terminal)["Old fact"]["created_at"].startswith("2026-01-01")

    old = stores.CLAUDE_MEM.replace("content_session_id", "claude_session_id").replace("memory_session_id", "sdk_session_id")
    old = old.replace("title TEXT, subtitle TEXT, facts TEXT, narrative TEXT,", "")
    seen = {"sdk_session_id": "s", "project": "work", "text": "Tokens expire early. So renew.", "type": "discovery"}
    other = {**seen, "created_at": "2025-10-09T08:53:20Z", "created_at_epoch": stores.START}
    path = stores.database(tmp_path / "claude-mem.db", old, observations=[other])
    assert imported(terminal, str(path)) == (1, 0, 0)
    assert memories(terminal)["Tokens expire early."]["kind"] == "discovery"


def test_a_table_that_is_a_view_without_end_is_not_read(terminal: Terminal, tmp_path: Path) -> None:
    schema = stores.MEMPACK.replace("CREATE TABLE memories (", "CREATE TABLE hidden (")
    schema += """CREATE VIEW memories AS WITH RECURSIVE n(id) AS (SELECT 1 UNION ALL SELECT id + 1 FROM n)
      SELECT id, 'r' AS repo_id, 'T' AS thread_id, 'x' AS title, 'y' AS summary FROM n;"""
    path = stores.database(tmp_path / "memory.db", schema)
    refused(terminal, "--from", "mempack", str(path))
    refused(terminal, str(path))


def test_what_is_no_file_is_not_waited_for(terminal: Terminal, tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    for program in ("mempack", "ltm", "mcp-memory", "picoclaw", "agents-md"):
        refused(terminal, "--from", program, str(tmp_path / "pipe"))
    refused(terminal, str(tmp_path / "pipe"))
    refused(terminal, "/dev/zero")
    refused(terminal, "--from", "ltm", str(tmp_path / "missing.json"), code=3)
    refused(terminal, "--from", "mecho", str(tmp_path / "missing"), code=3)
    refused(terminal, "", code=3)


@pytest.mark.parametrize("program", ["ltm", "mcp-memory", "cmem", "agents-md", "cursor-rules", "basic-memory", "adr"])
def test_a_file_of_a_gibibyte_is_refused(terminal: Terminal, tmp_path: Path, program: str) -> None:
    path = sparse(tmp_path / "memory.json", 1 << 30, b'{"entries": [')
    assert "MiB" in refused(terminal, "--from", program, str(path)) or program == "adr"
    assert "MiB" in refused(terminal, str(path))


def test_links_in_a_directory_that_lead_elsewhere_are_not_followed(terminal: Terminal, tmp_path: Path) -> None:
    secret = tmp_path / "secret"
    secret.write_text('# Private\n\n- The password is on the desk\n\n{"name": "Ann"}\n')
    claw = stores.picoclaw(tmp_path / "claw", 1)
    for name in ("MEMORY.md", "202501/20250101.md"):
        (claw / "memory" / name).unlink()
        (claw / "memory" / name).symlink_to(secret)
    (claw / "memory" / "202502").symlink_to(tmp_path)
    links = "links, which are not followed"
    assert reasons(terminal, str(claw))[f"{links}, and what is no file"] == 3
    terminal.mem("import", str(claw))

    top = tmp_path / "adr"
    stores.decisions(top, 2)
    (top / "0009-link.md").symlink_to(secret)
    assert reasons(terminal, str(top))[links] == 1
    terminal.mem("import", str(top))
    (terminal.folder / ".cursorrules").symlink_to(secret)
    terminal.mem("import", "--from", "cursor-rules", fails=3)
    (terminal.folder / ".cursor").mkdir()
    assert reasons(terminal, str(terminal.folder), "--from", "cursor-rules")[links] == 1
    (terminal.folder / "CLAUDE.md").symlink_to(secret)
    terminal.mem("import", "--from", "agents-md", fails=3)
    assert "password" not in terminal.mem("export").out


def test_a_json_file_that_is_broken_or_another_is_refused(terminal: Terminal, tmp_path: Path) -> None:
    path = tmp_path / "memory.json"
    for text in ("", "{", "[]", '{"entries": 3}', "\x00\x01", '{"entries":' + "[" * 100_000, "null"):
        path.write_text(text)
        refused(terminal, "--from", "ltm", str(path))
    path.write_text(
        json.dumps({"entries": [None, 3, {"content": ""}, {"content": ["x"]}, {"content": "ok", "keywords": {"a": 1}}]})
    )
    left = reasons(terminal, "--from", "ltm", str(path))
    undated = "times that are missing or cannot be read: taken as now"
    assert left == {"entries without content": 3, undated: 2, "keywords that cannot be read": 1}


def test_values_of_the_wrong_kind_are_left_out_or_taken_as_they_can_be(terminal: Terminal, tmp_path: Path) -> None:
    path = stores.mempack(tmp_path / "memory.db", 5)
    with closing(sqlite3.connect(path)) as db:
        db.execute("UPDATE memories SET title = x'ff00', summary = 7 WHERE id LIKE '%0'")
        db.execute("UPDATE memories SET tags_json = '{bad', created_at = 'yesterday', thread_id = 12 WHERE id LIKE '%1'")
        db.execute("UPDATE memories SET superseded_by = id, anchor_commit = 'no such' WHERE id LIKE '%2'")
        db.execute("UPDATE memories SET summary = printf('%.*c', 200000, 'x') WHERE id LIKE '%3'")
        db.execute("UPDATE memories SET title = char(27) || '[31m', thread_id = printf('%.*c', 500, 't') WHERE id LIKE '%4'")
        db.commit()
    assert imported(terminal, str(path)) == (4, 0, 0)
    left = reasons(terminal, str(path))
    assert any("characters" in reason for reason in left)
    assert "\x1b" not in terminal.mem("recent").out


def test_memories_that_replace_each_other_in_a_circle_are_all_shown(terminal: Terminal, tmp_path: Path) -> None:
    path = stores.mempack(tmp_path / "memory.db", 3)
    with closing(sqlite3.connect(path)) as db:
        db.execute("UPDATE memories SET superseded_by = 'M-20260101-120000-00000001' WHERE id LIKE '%2'")
        db.commit()
    terminal.mem("import", str(path))
    pack = terminal.mem("get", "parser").out
    assert [number for number in range(3) if f"Fact {number} of the parser" in pack] == [0, 1, 2]
    assert "no problems found" in terminal.mem("doctor").out


def test_ids_of_a_source_cannot_be_those_of_our_memories(terminal: Terminal, tmp_path: Path) -> None:
    memory_id = terminal.add("Deploy from the laptop only")
    (tmp_path / "memory.jsonl").write_text(
        json.dumps({"type": "entity", "name": memory_id, "entityType": "x", "observations": ["Run theirs"]}) + "\n"
    )
    terminal.mem("import", str(tmp_path / "memory.jsonl"))
    assert "Deploy from the laptop only" in memories(terminal)


def test_what_has_one_name_twice_loses_nothing(terminal: Terminal, tmp_path: Path) -> None:
    entity = {"type": "entity", "name": "Ann", "entityType": "person"}
    lines = [{**entity, "observations": facts} for facts in (["Likes tea", "Is in Oslo"], ["Likes tea", "Sings"])]
    (tmp_path / "graph.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
    assert imported(terminal, str(tmp_path / "graph.jsonl")) == (1, 0, 0)
    assert memories(terminal)["Ann"]["summary"] == "- Likes tea\n- Is in Oslo\n- Sings"

    entries = [{"id": "a", "content": text} for text in ("One", "Two", "one")]
    (tmp_path / "memory.json").write_text(json.dumps({"entries": entries}))
    assert imported(terminal, str(tmp_path / "memory.json"))[0] == 2
    assert imported(terminal, str(tmp_path / "memory.json"))[:2] == (0, 0)

    stores.basic_memory(tmp_path / "notes", 1, facts=0)
    copy = (tmp_path / "notes" / "coffee-0.md").read_text().replace("How to brew", "How to drink")
    (tmp_path / "notes" / "coffee-0 (copy).md").write_text(copy)
    assert imported(terminal, str(tmp_path / "notes")) == (2, 0, 0)
    assert imported(terminal, str(tmp_path / "notes")) == (0, 0, 2)


def test_a_path_in_a_source_leads_nowhere_outside(terminal: Terminal, tmp_path: Path) -> None:
    path = stores.claude_mem(tmp_path / "claude-mem.db", 3)
    with closing(sqlite3.connect(path)) as db:
        db.execute('UPDATE observations SET files_modified = \'["../../etc/passwd", "/etc/passwd", "a\\u0000b"]\'')
        db.commit()
    terminal.mem("import", str(path))
    assert "passwd" not in terminal.mem("export").out
    bad = stores.mecho(tmp_path / "modes", 2)
    with closing(sqlite3.connect(bad / "bot" / "mecho.db")) as db:
        db.execute("UPDATE curated_memory SET mode_id = '../../../evil'")
        db.commit()
    done = terminal.mem("import", str(bad), "--json").json
    assert all("/.." not in (part["memory"] or "") for part in done["parts"])


PIECES = ("<!-- mem:start -->", "<!--", "# # ", "- [x", "```\n", "[[", "- a (b ", "](", "\t", "- a: [[b]] ", "--- ", "- x\n")


@pytest.mark.parametrize("piece", PIECES)
def test_text_that_is_made_to_take_long_takes_no_time(terminal: Terminal, tmp_path: Path, piece: str) -> None:
    path = tmp_path / "0001-AGENTS.md"
    text = piece * (50_000 // len(piece))
    path.write_text(f"# 1. T\n\n## Decision\n\nx\n\n## Status\n\nAccepted superseded by {text}\n\n{text}")
    for program in ("agents-md", "adr", "basic-memory", "cursor-rules", "picoclaw"):
        start = time.process_time()
        done = terminal.mem("import", "--from", program, str(path), "--dry-run", fails=None)
        assert done.code in (0, 2), done
        assert time.process_time() - start < 8  # quadratic time would be several times as long


TIMES = {
    1_760_000_000: "2025-10-09T08:53:20",
    1_760_000_000_000.0: "2025-10-09T08:53:20",
    1_760_000_000_000_000: "2025-10-09T08:53:20",
    1_760_000_000_000_000_000: "2025-10-09T08:53:20",
    "1760000000": "2025-10-09T08:53:20",
    "1760000000.5": "2025-10-09T08:53:20.500",
    "20251009": "2025-10-09T00:00:00",
    "2025-10-09": "2025-10-09T00:00:00",
    " 2025-10-09 08:53:20 ": "2025-10-09T08:53:20",
    "2025-10-09T08:53:20.123456789Z": "2025-10-09T08:53:20.123",
    "2025-10-09 08:53:20.5 +0200 UTC": "2025-10-09T06:53:20.500",
    "Thu, 09 Oct 2025 08:53:20 +0200": "2025-10-09T06:53:20",
}
NO_TIMES = (None, "", 0, -5, 1e30, "yesterday", "09.10.2025", "2025-13-40", "25:00", True, [1], {"a": 1}, "2025", "1" * 400)


@pytest.mark.parametrize("piece", ["# a\n\n", "```a\n", "~~~\n\n", "## 10:00\n"])
def test_a_day_that_is_made_to_take_long_takes_no_time(terminal: Terminal, tmp_path: Path, piece: str) -> None:
    path = tmp_path / "20260221.md"
    path.write_text(piece * (100_000 // len(piece)))
    start = time.process_time()
    terminal.mem("import", str(path), "--dry-run")
    assert time.process_time() - start < 8


def test_times_are_read_in_any_form_and_those_that_cannot_be_are_listed(terminal: Terminal, tmp_path: Path) -> None:
    entries = [{"content": f"Fact {number}", "created_at": time} for number, time in enumerate([*TIMES, *NO_TIMES])]
    entries.append({"content": "Changed", "created_at": "soon", "updated_at": "2025-10-09"})
    (tmp_path / "memory.json").write_text(json.dumps({"entries": entries}))
    path = str(tmp_path / "memory.json")
    assert reasons(terminal, path) == {"times that are missing or cannot be read: taken as now": len(NO_TIMES)}
    assert imported(terminal, path) == (len(entries), 0, 0)
    stored = {title: memory["created_at"] for title, memory in memories(terminal).items()}
    assert stored.pop("Changed").startswith("2025-10-09")
    wanted = [*TIMES.values(), *["2026-03-01T12:00:00"] * len(NO_TIMES)]
    assert [stored[f"Fact {number}"][: len(time)] for number, time in enumerate(wanted)] == wanted
    assert imported(terminal, path) == (0, 0, len(entries))


@pytest.mark.parametrize("encoding", ["utf-8-sig", "utf-16", "utf-8"])
def test_texts_are_read_as_windows_writes_them(terminal: Terminal, tmp_path: Path, encoding: str) -> None:
    stores.ltm(tmp_path / "memory.json", 3)
    stores.mcp_memory(tmp_path / "graph.json", 3)
    stores.decisions(tmp_path / "adr", 2)
    stores.basic_memory(tmp_path / "notes", 2, facts=1)
    stores.picoclaw(tmp_path / "claw", 1)
    (tmp_path / "AGENTS.md").write_text("# Agents\n\n## Tests\n\n- Run them\n  before each push\n")
    counts = {"memory.json": 3, "graph.json": 3, "adr": 2, "notes": 4, "claw": 5, "AGENTS.md": 1}
    for name, count in counts.items():
        assert imported(terminal, str(tmp_path / name)) == (count, 0, 0), name
    for name in counts:
        for file in [path for path in [tmp_path / name, *(tmp_path / name).rglob("*")] if path.is_file()]:
            file.write_bytes(file.read_text().replace("\n", "\r\n").encode(encoding))
    for name, count in counts.items():
        assert imported(terminal, str(tmp_path / name)) == (0, 0, count), name


def test_another_programs_data_are_not_read_as_those_of_the_one_that_is_named(terminal: Terminal, tmp_path: Path) -> None:
    paths = {
        "mempack": stores.mempack(tmp_path / "memory.db", 2),
        "claude-mem": stores.claude_mem(tmp_path / "claude-mem.db", 2),
        "ltm": stores.ltm(tmp_path / "memory.json", 2),
        "mcp-memory": stores.mcp_memory(tmp_path / "graph.jsonl", 2),
    }
    for system, path in paths.items():
        for other in ("cmem", "mecho", "picoclaw", "ltm", "mempack"):
            if other != system:
                assert f"--from {system}" in refused(terminal, "--from", other, str(path))


def test_settings_that_are_broken_keep_no_database_out(terminal: Terminal, tmp_path: Path) -> None:
    stores.cmem(tmp_path / "c-mem.db", 2)
    (tmp_path / "settings.json").write_text('{"workerPort": ')
    assert reasons(terminal, str(tmp_path))["settings that cannot be read"] == 1
    assert imported(terminal, str(tmp_path)) == (3, 0, 0)
    refused_settings = terminal.mem("import", "--from", "cmem", str(tmp_path / "settings.json"), fails=2).err
    assert "is not JSON" in refused_settings


def test_a_directory_without_anything_of_a_program_is_refused(terminal: Terminal, tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    for program in sources.SOURCES:
        error = refused(terminal, "--from", program, str(tmp_path / "empty"))
        assert str(tmp_path / "empty") in error, error
        assert "regular" not in error or program == "mcp-memory"


def test_what_the_disk_cannot_read_is_named(terminal: Terminal, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(path: str) -> NoReturn:
        raise OSError(errno.EIO, "Input/output error")

    path = str(stores.ltm(tmp_path / "memory.json", 1))
    monkeypatch.setattr(sources, "Look", fail)
    for words in ((path,), ("--from", "ltm", path)):
        assert f"{path} cannot be read: input/output error" in refused(terminal, *words)


def test_what_should_be_a_file_and_is_a_directory_is_named(terminal: Terminal, tmp_path: Path) -> None:
    for name in ("a/claude-mem.db", "b/memory.json", "c/memory/profile.json", "d/memory.db"):
        (tmp_path / name).mkdir(parents=True)
    assert "claude-mem.db" in refused(terminal, str(tmp_path / "a"))
    assert "memory.json" in refused(terminal, "--from", "ltm", str(tmp_path / "b"))
    assert "memory.json" in refused(terminal, "--from", "ltm", str(tmp_path / "b" / "memory.json"))
    assert "memory.db" in refused(terminal, "--from", "mempack", str(tmp_path / "d"))
    assert "mecho.db" in refused(terminal, "--from", "mecho", str(tmp_path / "a"))
    refused(terminal, "--from", "mecho", code=3)
    empty = stores.database(tmp_path / "bot" / "mecho.db", stores.MECHO)
    assert terminal.mem("import", str(empty)).out == "mecho: 0 new, 0 changed, 0 unchanged\n"
    done = terminal.mem("import", str(tmp_path / "c")).out
    assert "1 × links, which are not followed, and what is no file: profile.json" in done
