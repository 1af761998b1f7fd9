"""What other programs remember comes along: all of it, once, and one undo takes it back."""

from __future__ import annotations

import json
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.conftest import Terminal
from tests.sync import stores

COUNT = 1_000  # more than a batch
SECONDS = 60  # on two cores that others share; alone it takes a few


def imported(terminal: Terminal, *words: str) -> tuple[int, int, int]:
    """Imports. Returns how many entries were new, changed, and there already."""
    done = terminal.mem("import", *words, "--json").json
    return done["imported"], done["updated"], done["unchanged"]


def memories(terminal: Terminal, *more: str) -> dict[str, dict[str, Any]]:
    """Every memory, by its title."""
    return {memory["title"]: memory for memory in terminal.mem("recent", "--limit", "5000", "--json", *more).json}


def reasons(terminal: Terminal, *words: str) -> dict[str, int]:
    """Looks at what an import would leave out. Returns how many for which reason."""
    done = terminal.mem("import", *words, "--dry-run", "--json").json
    return {reason["reason"]: reason["count"] for part in done["parts"] for reason in part["not_taken"]}


def below(top: Path) -> dict[str, bytes]:
    """Returns every file in a directory with its bytes."""
    return {str(path.relative_to(top)): path.read_bytes() for path in sorted(top.rglob("*")) if path.is_file()}


def rules(top: Path, count: int) -> Path:
    folder = top / ".cursor" / "rules"
    folder.mkdir(parents=True)
    for number in range(count):
        text = (
            f"---\ndescription: Rule {number}\nglobs: src/{number}/*.ts\nalwaysApply: false\n---\n\n- Use strict types {number}\n"
        )
        (folder / f"rule{number}.mdc").write_text(text)
    return top


def instructions(top: Path, count: int) -> Path:
    path = top / "AGENTS.md"
    sections = [f"## Part {part}\n\n" + "".join(f"- Rule {part}.{n} holds\n" for n in range(count // 10)) for part in range(10)]
    path.write_text("# Agents\n\n" + "\n".join(sections))
    return path


# what makes a source of so many entries in a directory, and how many come besides
PROGRAMS: dict[str, tuple[Callable[[Path, int], Path], Callable[[int], int]]] = {
    "mempack": (lambda top, count: stores.mempack(top / "memory.db", count), lambda count: 0),
    "claude-mem": (lambda top, count: stores.claude_mem(top / "claude-mem.db", count), lambda count: -(-count // 50)),
    "cmem": (lambda top, count: stores.cmem(top / "c-mem.db", count), lambda count: 1),
    "ltm": (lambda top, count: stores.ltm(top / "memory.json", count), lambda count: 0),
    "picoclaw": (lambda top, count: stores.picoclaw(top / "workspace", count // 3), lambda count: 2 - count % 3),
    "mcp-memory": (lambda top, count: stores.mcp_memory(top / "memory.jsonl", count), lambda count: 0),
    "basic-memory": (lambda top, count: stores.basic_memory(top / "notes", count // 4), lambda count: 0),
    "agents-md": (instructions, lambda count: 0),
    "adr": (lambda top, count: stores.decisions(top / "adr", count), lambda count: 0),
    "cursor-rules": (rules, lambda count: 0),
}


@pytest.mark.parametrize("program", PROGRAMS)
def test_a_thousand_entries_arrive_once(terminal: Terminal, tmp_path: Path, program: str) -> None:
    make, more = PROGRAMS[program]
    (tmp_path / "source").mkdir()
    path, count = str(make(tmp_path / "source", COUNT)), COUNT + more(COUNT)
    source = below(tmp_path / "source")

    assert imported(terminal, path, "--dry-run") == (count, 0, 0)
    assert not terminal.data.exists() or not list(terminal.data.glob("repos/*/memory.db"))

    start = time.monotonic()
    assert terminal.mem("import", path, "--json").json["from"] == program
    assert time.monotonic() - start < SECONDS
    assert terminal.mem("export").out.count("\n") == count
    revision = terminal.mem("log", "--limit", "1", "--json").json[0]["revision"]

    assert imported(terminal, "--from", program, path) == (0, 0, count)
    assert terminal.mem("log", "--limit", "1", "--json").json[0]["revision"] == revision
    assert below(tmp_path / "source") == source


@pytest.mark.parametrize(("program", "size"), [("ltm", COUNT), *[(program, 20) for program in PROGRAMS]])
def test_one_undo_takes_an_import_back_and_another_import_brings_it_again(
    terminal: Terminal, tmp_path: Path, program: str, size: int
) -> None:
    make, more = PROGRAMS[program]
    path, count = str(make(tmp_path, size)), size + more(size)
    assert imported(terminal, path) == (count, 0, 0)
    stored = terminal.mem("export").out
    assert stored.count("\n") == count

    terminal.mem("undo")
    assert terminal.mem("export").out == ""
    assert imported(terminal, path) == (count, 0, 0)
    assert terminal.mem("export").out == stored


def test_a_thousand_entries_of_a_mode_of_mecho_go_where_the_server_keeps_it(terminal: Terminal, tmp_path: Path) -> None:
    path = str(stores.mecho(tmp_path / "modes", COUNT))

    assert imported(terminal, path, "--dry-run") == (COUNT, 0, 0)
    assert imported(terminal, path, "--trust") == (COUNT + 1, 0, 0)
    assert imported(terminal, path, "--trust") == (0, 0, COUNT + 1)


def test_a_mode_of_mecho_is_taken_back_like_any_memory(terminal: Terminal, tmp_path: Path) -> None:
    path = str(stores.mecho(tmp_path / "modes", 10))
    done = terminal.mem("import", path, "--trust", "--json").json
    assert [part["memory"] for part in done["parts"]] == ["modes/bot", "modes/bot_archival"]
    there = ("--repo", "modes", "--workspace", "bot")
    assert terminal.mem("profile", "get", "persona", *there).out.strip() == "A calm guide.\nNever shouts."
    assert memories(terminal, *there)["Habit 7"]["summary"] == "Prefers tea at 7.\nSaid so."
    assert "Habit 1" not in memories(terminal, *there)
    assert memories(terminal, "--repo", "modes", "--workspace", "bot_archival")["Trip"]["kind"] == "archival"

    terminal.mem("undo", *there)
    assert memories(terminal, *there) == {}
    assert imported(terminal, path, "--trust")[0] == 10

    assert imported(terminal, path, "--user") == (10, 0, 0)
    stores.mecho(tmp_path / "modes", 10, "cat")
    for place in (("--user",), ("--workspace", "both")):
        assert "2 modes" in terminal.mem("import", path, *place, fails=2).err


def test_what_mempack_knew_of_a_memory_survives(terminal: Terminal, tmp_path: Path) -> None:
    commit = terminal.commit("later")
    stores.mempack(tmp_path / "memory.db", 10, anchor_commit=commit)
    terminal.mem("import", str(tmp_path / "memory.db"), "--trust")

    fact = memories(terminal)["Fact 3 of the parser"]
    assert fact["thread_id"] == "T-3"
    assert fact["tags"] == ["parser", "tag0"]
    assert fact["entities"] == ["src/file3.go"]
    assert fact["created_at"] == "2026-01-04T12:00:00.123Z"
    assert fact["anchor_commit"] == commit
    assert "depends_on" in terminal.mem("show", fact["id"]).out
    assert "Fact 1 of the parser" not in terminal.titles("Fact 1 of the parser")
    assert terminal.mem("state", "--json").json["state"] == {"goal": "ship"}
    left = reasons(terminal, str(tmp_path / "memory.db"))
    assert left == {"evidence: mem ingest makes it anew": 1}


def test_a_bundle_of_mempack_keeps_its_threads_and_is_the_same_as_the_store(terminal: Terminal, tmp_path: Path) -> None:
    bundle = tmp_path / "mem-share"
    bundle.mkdir()
    row = {"source_id": "M-20260101-120000-00000003", "thread_id": "T-3", "title": "Fact 3 of the parser"}
    row |= {"summary": "Because of reason 3.", "tags": ["parser", "tag0"], "entities": ["src/file3.go"]}
    (bundle / "manifest.json").write_text(json.dumps({"schema_version": 1, "memory_count": 1}))
    (bundle / "memories.jsonl").write_text(json.dumps({**row, "anchor_commit": "", "created_at": "2026-01-04T12:00:00Z"}) + "\n")

    assert imported(terminal, str(bundle)) == (1, 0, 0)
    assert memories(terminal)["Fact 3 of the parser"]["thread_id"] == "T-3"
    assert imported(terminal, str(bundle / "memories.jsonl")) == (0, 0, 1)
    assert imported(terminal, str(stores.mempack(tmp_path / "memory.db", 5))) == (4, 0, 1)


def test_the_store_of_mempack_for_this_repository_is_found_where_it_keeps_it(terminal: Terminal) -> None:
    home = Path(terminal.env["HOME"]) / ".local/share/mempack/repos"
    stores.mempack(home / "r_1" / "memory.db", 3, root=str(terminal.folder))
    stores.mempack(home / "r_2" / "memory.db", 5, root="/elsewhere")

    assert imported(terminal, "--from", "mempack") == (3, 0, 0)
    assert "mem import --from mecho PATH" in terminal.mem("import", "--from", "mecho", fails=3).err


def test_sessions_and_prompts_of_an_observer_come_along_where_it_is_trusted(terminal: Terminal, tmp_path: Path) -> None:
    path = str(stores.claude_mem(tmp_path / "claude-mem.db", 60))
    prompts = "prompts, which count as the person's own words (--trust)"
    assert reasons(terminal, path)[prompts] == 2
    assert imported(terminal, path, "--trust") == (64, 0, 0)

    sessions = terminal.mem("sessions", "--json").json
    assert sorted(session["key"] for session in sessions) == ["work-content-0", "work-content-50"]
    told = terminal.mem("session", "work-content-0").out
    assert "Fix the login of step 0" in told
    assert "Login step 7 fixed" in told
    assert imported(terminal, path, "--trust") == (0, 0, 64)
    terminal.mem("undo")
    assert imported(terminal, path, "--trust") == (64, 0, 0)


def test_directives_of_claude_mem_are_rules_here(terminal: Terminal, tmp_path: Path) -> None:
    path = stores.claude_mem(tmp_path / "claude-mem.db", 1)
    times = {"created_at": "2025-10-09T08:53:20Z", "created_at_epoch": stores.START, "updated_at_epoch": stores.START}
    rules = [
        {"content": "Answer in Korean.", **times},
        {"content": "Never mock.", "scope": "project", "project": "work", **times},
        {"content": "Use tabs.", "scope": "project", "project": "shop", **times},
        {"content": "Be brief.", "status": "inactive", **times},
    ]
    stores.database(path, "", directives=rules)
    left = reasons(terminal, str(path))
    assert (left["directives that are not active"], left["pins, which every session is told (--trust)"]) == (1, 2)
    assert left["of other projects (--project NAME, or --project all)"] == 1
    assert imported(terminal, str(path), "--trust")[0] == 5  # with an observation, a summary and a prompt
    stored = memories(terminal)
    assert {title for title, memory in stored.items() if memory["pinned"]} == {"Answer in Korean.", "Never mock."}
    assert {stored[title]["kind"] for title in ("Answer in Korean.", "Never mock.")} == {"rule"}


def test_of_several_projects_this_repositorys_is_taken_or_the_one_that_is_named(terminal: Terminal, tmp_path: Path) -> None:
    path = stores.claude_mem(tmp_path / "claude-mem.db", 10, project="work")
    other = stores.claude_mem(tmp_path / "other.db", 5, project="shop")
    stores.database(
        path,
        "",
        observations=[
            {
                "memory_session_id": "x",
                "project": "shop",
                "type": "change",
                "title": "Till",
                "created_at": "",
                "created_at_epoch": 1,
            }
        ],
    )
    assert imported(terminal, str(path)) == (11, 0, 0)
    assert imported(terminal, str(path), "--project", "shop") == (1, 0, 0)
    assert imported(terminal, str(other)) == (6, 0, 0)
    assert "there is" in terminal.mem("import", str(path), "--project", "nothing", fails=2).err


def test_settings_of_cmem_are_listed_and_set_where_they_are_trusted(terminal: Terminal, tmp_path: Path) -> None:
    stores.cmem(tmp_path / "c-mem.db", 2)
    (tmp_path / "settings.json").write_text('{"workerPort": 37999, "skipTools": ["Glob"], "theme": "dark", "logLevel": "WARN"}')
    listed = terminal.mem("import", str(tmp_path / "c-mem.db")).out
    assert "serve.port = 37999" in listed
    assert "settings that have no counterpart: theme" in listed
    assert terminal.mem("config", "get", "serve.port").out.strip() != "37999"

    assert "would be serve.port = 37999" in terminal.mem("import", str(tmp_path / "c-mem.db"), "--trust", "--dry-run").out
    assert terminal.mem("config", "get", "serve.port").out.strip() != "37999"
    terminal.mem("import", str(tmp_path / "c-mem.db"), "--trust")
    assert terminal.mem("config", "get", "serve.port").out.strip() == "37999"
    assert terminal.mem("config", "get", "capture.skip_tools").out.strip() == "Glob"


def test_what_is_about_the_person_goes_to_their_own_memory_on_request(nowhere: Terminal, tmp_path: Path) -> None:
    path = str(stores.ltm(tmp_path / "memory.json", 3))
    assert "--user" in nowhere.mem("import", "--from", "ltm", path, fails=3).err
    assert imported(nowhere, path, "--user") == (3, 0, 0)
    assert memories(nowhere, "--user")["User likes dish 2."]["tags"] == ["food", "dish2"]

    assert "It is spicy" in nowhere.mem("get", "dish 2", "--user", "--format", "prompt").out
    assert nowhere.mem("get", "dish 2", "--user", "--format", "prompt").out.count("User likes dish 2.") == 1

    stores.picoclaw(tmp_path / "claw", 1)
    nowhere.mem("import", str(tmp_path / "claw"), "--user", "--trust")
    assert nowhere.mem("profile", "get", "editor", "--user").out.strip() == "vim"
    assert "Met Ann\nabout the rota" in nowhere.mem("note", "show", "2025-01-01", "--user", "--json").out.replace("\\n", "\n")


def test_decisions_keep_their_dates_their_status_and_their_file(terminal: Terminal) -> None:
    stores.decisions(terminal.folder / "docs" / "adr", 6)
    (terminal.folder / "docs/adr/0007-no.md").write_text("# 7. Use nothing\n\n## Status\n\nRejected\n\n## Decision\n\nNo.\n")
    assert imported(terminal, "docs/adr") == (7, 0, 0)

    records = memories(terminal)
    assert records["Use thing 1"]["created_at"].startswith("2024-02-02")
    assert records["Use thing 1"]["summary"].startswith("We will use thing 1.\nContext: We need 1.")
    assert records["Use thing 1"]["kind"] == "decision"
    assert "Rejected: Use nothing" in records
    assert "Use thing 2" not in terminal.titles("use thing 2")
    shown = terminal.mem("show", records["Use thing 1"]["id"]).out
    assert "docs/adr/0001-use-thing-1.md" in shown
    assert imported(terminal, "--from", "adr") == (0, 0, 7)


def test_notes_of_basic_memory_are_linked_as_they_were_from_files_or_the_database(terminal: Terminal, tmp_path: Path) -> None:
    stores.basic_memory(tmp_path / "notes", 3, facts=1)
    assert imported(terminal, str(tmp_path / "notes")) == (6, 0, 0)
    records = memories(terminal)
    fact = records["Pour 1.0 slowly #brewing"]
    assert (fact["kind"], fact["tags"], fact["thread_id"]) == ("technique", ["brewing"], "Coffee 1")
    note = records["Coffee 1"]
    assert note["created_at"].startswith("2025-03-01T08:00")
    assert "pairs_with" in terminal.mem("show", note["id"]).out
    assert reasons(terminal, str(tmp_path / "notes")) == {"relations of notes that are not there": 3}

    entity = {
        "id": 1,
        "title": "Coffee 1",
        "note_type": "note",
        "project_id": 1,
        "permalink": "coffee-1",
        "created_at": "2025-03-01",
    }
    observation = {"project_id": 1, "entity_id": 1, "content": "Pour 1.0 slowly #brewing", "category": "technique"}
    stores.database(
        tmp_path / "index.db",
        stores.BASIC_MEMORY,
        project=[{"id": 1, "name": "main"}],
        entity=[entity],
        observation=[
            {**observation, "context": "from Ann", "tags": '["brewing"]'},
            {**observation, "entity_id": 9, "content": "Of nothing"},
        ],
        relation=[{"project_id": 1, "from_id": 1, "to_name": "Nobody", "relation_type": "lists"}],
    )
    assert imported(terminal, str(tmp_path / "index.db")) == (0, 0, 2)
    assert reasons(terminal, str(tmp_path / "index.db"))["observations of notes that are not there"] == 1
    assert memories(terminal)["Coffee 1"] == note, "an old database has no prose that could replace it"


def test_a_graph_of_the_memory_server_stays_a_graph(terminal: Terminal, tmp_path: Path) -> None:
    path = str(stores.mcp_memory(tmp_path / "memory.json", 3))
    assert reasons(terminal, path) == {"relations of what is not there": 1}
    terminal.mem("import", path)
    entity = memories(terminal)["Service 0"]
    assert (entity["kind"], entity["summary"]) == ("service", "- Runs on 0\n- In Go")
    assert "depends_on" in terminal.mem("show", entity["id"]).out


def test_items_of_instructions_have_their_heading_and_what_programs_wrote_stays_out(terminal: Terminal) -> None:
    (terminal.folder / "CLAUDE.md").write_text(
        "# Project\n\nProse.\n\n## Testing\n\n- Run `make test`\n  before each push\n- Never mock\n\n```sh\n- not an item\n```\n"
        "<!-- mem:start -->\n- Ask mem first\n<!-- mem:end -->\n"
    )
    assert reasons(terminal, "CLAUDE.md")["paragraphs outside of lists"] == 1
    assert imported(terminal, "CLAUDE.md") == (2, 0, 0)
    records = memories(terminal)
    assert {record["thread_id"] for record in records.values()} == {"Testing"}
    assert records["Run `make test`"]["summary"] == "Run `make test`\nbefore each push"
    assert "CLAUDE.md" in terminal.mem("show", records["Never mock"]["id"]).out


def test_a_rule_of_cursor_says_where_it_applies(terminal: Terminal) -> None:
    rules(terminal.folder, 10)
    (terminal.folder / ".cursorrules").write_text("You write Go.\n")
    assert imported(terminal, "--from", "cursor-rules") == (11, 0, 0)
    rule = memories(terminal)["Rule 7"]
    assert rule["summary"] == "Applies to src/7/*.ts.\n- Use strict types 7"
    assert rule["entities"] == ["src/7/*.ts"]


def test_decisions_of_adr_tools_are_replaced_in_its_own_spelling(terminal: Terminal) -> None:
    folder = terminal.folder / "doc" / "adr"
    folder.mkdir(parents=True)
    text = "# {0}. Use {1}\n\nDate: 2024-02-12\n\n## Status\n\n{2}\n\n## Context\n\nWhy.\n\n## Decision\n\nWe use {1}.\n"
    old = "Superceded by [2. Use Kafka in 2024](0002-use-kafka.md)"
    (folder / "0001-use-rabbit.md").write_text(text.format(1, "Rabbit", old))
    (folder / "0002-use-kafka.md").write_text(
        text.format(2, "Kafka", "Accepted\n\nSupercedes [1. Use Rabbit](0001-use-rabbit.md)")
    )
    (folder / "0003-use-zookeeper.md").write_text(text.format(3, "Zookeeper", "Superseded"))
    terminal.mem("import", "--from", "adr")

    assert terminal.titles("what do we use, Rabbit or Kafka")[0] == "Use Kafka"
    assert "Use Rabbit" not in terminal.titles("use Rabbit")
    assert "Superseded: Use Zookeeper" in memories(terminal)


def test_an_import_of_nothing_names_what_is_at_hand(terminal: Terminal) -> None:
    stores.decisions(terminal.folder / "docs" / "adr", 1)
    (terminal.folder / "AGENTS.md").write_text("- Be kind\n")
    assert "agents-md, adr" in " ".join(terminal.mem("import", fails=2).err.split())


def test_a_graph_that_was_saved_as_one_object_is_the_same(terminal: Terminal, tmp_path: Path) -> None:
    lines = stores.mcp_memory(tmp_path / "memory.jsonl", 3)
    rows = [json.loads(line) for line in lines.read_text().splitlines()]
    graph = {"entities": [row for row in rows if row["type"] == "entity"], "relations": rows[3:]}
    (tmp_path / "graph.json").write_text(json.dumps(graph, indent=2))
    assert imported(terminal, str(lines)) == (3, 0, 0)
    assert imported(terminal, str(tmp_path / "graph.json")) == (0, 0, 3)


def test_an_unknown_program_lists_those_that_there_are(terminal: Terminal) -> None:
    error = terminal.mem("import", "--from", "notion", fails=2).err
    assert all(program in error for program in (*PROGRAMS, "mecho", "claude", "opencode"))


def test_an_import_is_untrusted_screened_and_not_of_the_future(terminal: Terminal, tmp_path: Path) -> None:
    path = stores.mempack(
        tmp_path / "memory.db", 1, summary="token ghp_0123456789abcdefghijklmnopqrstuvwx01", created_at="2099-01-01"
    )
    left = reasons(terminal, str(path))
    assert left["states, which every session is told (--trust)"] == 1
    assert left["dates later than now: taken as now"] == 1
    terminal.mem("import", str(path))
    (record,) = memories(terminal).values()
    assert "[secret:" in record["summary"]
    assert (record["origin"], record["created_at"]) == ("import", "2026-03-01T12:00:00.000Z")
    assert "ship" not in terminal.mem("get", "anything").out
