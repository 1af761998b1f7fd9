"""Erasing: afterwards a text is in no file that mem keeps, whoever is reading, and nothing brings it back."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from pathlib import Path

import apsw
import pytest

from memcli.memory import commit
from memcli.screening import Masked, Payload
from memcli.store import erasing, rows
from tests.conftest import Terminal

WORD = "Quittenmus9"  # in lower case as well, since an index keeps words in it


def files_with(terminal: Terminal, word: str = WORD) -> list[str]:
    """Returns the files of mem's directories that hold the word, whatever its case."""
    folders = [terminal.data, Path(terminal.env["MEMPACK_CONFIG_DIR"]), Path(terminal.env["HOME"]), terminal.folder / ".git"]
    found = [path for folder in folders for path in folder.rglob("*") if path.is_file() and path.name != "stdin"]
    return [path.name for path in found if word.lower().encode() in path.read_bytes().lower()]


@pytest.fixture
def full(terminal: Terminal) -> Terminal:
    """A store with some memories of which none says the word."""
    texts = [(f"Fact {number}", f"The carts of customer {number} live in Postgres. " * 8) for number in range(30)]
    lines = [json.dumps({"title": title, "summary": summary}) for title, summary in texts]
    terminal.mem("import", "-", "--trust", stdin="\n".join(lines))
    return terminal


def test_an_erased_memory_is_in_no_file(full: Terminal) -> None:
    memory_id = full.add(f"Eat {WORD}", f"with {WORD}", "--tags", WORD, "--entities", WORD)
    full.mem("update", memory_id, "--summary", f"twice {WORD}")
    full.mem("link", memory_id, "needs", f"https://example.invalid/{WORD}")
    assert files_with(full)

    done = full.mem("forget", "--erase", memory_id, "--json").json

    assert done == {
        "id": memory_id,
        "kind": "memory",
        "status": "erased",
        "erased": [memory_id],
        "removed_files": [],
        "finished": True,
    }
    assert files_with(full) == []
    assert memory_id not in full.mem("search", WORD, "--json").out
    assert "no problems found" in full.mem("doctor", "--verbose").out


def test_an_erased_memory_keeps_its_places_in_the_log_and_loses_what_they_said(full: Terminal) -> None:
    memory_id = full.add(f"Eat {WORD}")
    before = full.mem("log", "--limit", "100", "--json").json
    full.mem("forget", "--erase", memory_id)
    after = full.mem("log", "--limit", "100", "--json").json

    assert after[0]["k"] == "erase"
    assert [op["id"] for op in after[1:]] == [op["id"] for op in before]
    assert after[1]["b"] == {}


def test_what_was_erased_cannot_be_brought_back(full: Terminal) -> None:
    memory_id = full.add(f"Eat {WORD}")
    full.mem("forget", "--erase", memory_id)

    assert "cannot come back" in full.mem("undo", fails=2).err
    for command in ("restore", "show", "forget", "pin", "confirm"):
        said = full.mem(command, memory_id, fails=3).err
        assert f"{memory_id} was erased" in said
        assert "nothing can bring it back" in said
    assert files_with(full) == []
    full.add("Another")
    full.mem("undo")
    assert "cannot come back" in full.mem("undo", fails=2).err


def test_undo_steps_over_what_was_erased_for_who_says_at_which_revision(full: Terminal) -> None:
    full.add("Earlier")
    full.mem("forget", "--erase", full.add(f"Eat {WORD}"))
    hint = full.mem("undo", fails=2).err.strip().rpartition("to undo what is older: mem ")[2]
    revision = int(hint.rpartition(" ")[2])
    assert hint == f"undo --if-revision {revision}"

    assert "cannot come back" in full.mem("undo", "--if-revision", str(revision - 1), fails=2).err, "seen before the erasure"
    assert "Earlier" in full.mem(*hint.split()).out
    assert "Earlier" not in full.mem("recent").out


def test_a_forgotten_memory_can_be_erased_and_an_erased_one_again(full: Terminal) -> None:
    memory_id = full.add(f"Eat {WORD}")
    full.mem("forget", memory_id)
    assert files_with(full)
    full.mem("forget", "--erase", memory_id)
    assert files_with(full) == []
    assert full.mem("forget", memory_id, "--erase", "--json").json["finished"] is True


def test_a_memory_holds_again_when_what_replaced_it_is_erased(full: Terminal) -> None:
    old = full.add("Breakfast is oats", "They keep")
    new = full.mem("supersede", old, "--summary", f"No, {WORD}", "--json").json["new_id"]
    full.mem("forget", "--erase", new)

    assert "Breakfast is oats" in full.titles("breakfast")
    assert files_with(full) == []
    assert "no problems found" in full.mem("doctor", "--verbose").out


def test_the_memory_that_replaced_an_erased_one_stays(full: Terminal) -> None:
    old = full.add("Breakfast is fruit", WORD)
    new = full.mem("supersede", old, "--summary", "No, oats", "--json").json["new_id"]
    full.mem("forget", "--erase", old)

    assert full.mem("show", new).code == 0
    assert full.titles("breakfast") == ["Breakfast is fruit"]
    assert files_with(full) == []
    assert "no problems found" in full.mem("doctor", "--verbose").out


def test_a_state_is_erased_with_what_it_said(full: Terminal) -> None:
    made = full.mem("checkpoint", "--reason", "lunch", "--state-json", f'{{"eat": "{WORD}"}}', "--json").json
    full.mem("forget", "--erase", made["state_id"])

    assert files_with(full) == []
    assert full.mem("state").out.strip() == "no checkpoint yet"
    assert full.mem("show", made["memory_id"]).code == 0


def put(terminal: Terminal, sql: str) -> None:
    """Writes to the store behind mem's back."""
    db = apsw.Connection(str(terminal.store))
    db.execute(sql)
    db.close()


def test_a_chunk_is_erased(full: Terminal) -> None:
    put(
        full,
        f"""
        INSERT INTO chunk(n, id, path, first_line, last_line, symbol, thread, tags, text, words, created_at, suspicious,
            shown_lines, prompt_tokens, xml_tokens)
          VALUES (1, 'C-0000000001', 'a.py', 1, 1, '', '', '', '{WORD}', '', 0, 0, 1, 1, 1);
        INSERT INTO chunk_fts(rowid, locator, text, tags, words) VALUES (1, 'a.py ', '{WORD}', '', '');
        """,
    )
    assert files_with(full)
    assert full.mem("forget", "--erase", "C-0000000001", "--json").json["kind"] == "chunk"
    assert files_with(full) == []
    assert "no problems found" in full.mem("doctor", "--verbose").out


SESSION = f"""
    INSERT INTO session(n, id, harness, key, status, reason, root, prompts, started_at, last_at)
      VALUES (1, 'A-0000000001', 'claude', 'abc', 'active', '', '/', 1, 0, 0);
    INSERT INTO prompt(n, id, session, number, text, reply, skipped, files, created_at)
      VALUES (1, 'P-0000000001', 1, 1, '{WORD}', '{WORD}', '', '', 0);
    INSERT INTO job(dedupe, harness, session, event, payload, status, attempts, not_before, lease_until, error, result,
        created_at)
      VALUES ('1', 'claude', 'abc', 'stop', '{{"a":"{WORD}"}}', 'pending', 0, 0, 0, '', '', 0);
    INSERT INTO op SELECT max(revision) + 1, 'a', max(hlc_ms), 1, 'w', 'session', 'A-0000000001', '{{}}', 'hook', 'local', 0
      FROM op;
    INSERT INTO op SELECT max(revision) + 1, 'b', max(hlc_ms), 2, 'w', 'prompt', 'P-0000000001', '{{"text":"{WORD}"}}', 'hook',
      'local', 0 FROM op;
"""


def test_a_prompt_is_erased_and_a_session_with_all_it_left(full: Terminal) -> None:
    put(full, SESSION)
    observed = full.add(f"Eat {WORD}")
    put(full, f"UPDATE memory SET session = 1 WHERE id = '{observed}'")

    assert full.mem("forget", "--erase", "P-0000000001", "--json").json["erased"] == ["P-0000000001"]
    assert files_with(full)
    done = full.mem("forget", "--erase", "A-0000000001", "--json").json

    assert (done["kind"], done["erased"]) == ("session", ["A-0000000001", observed])
    assert files_with(full) == []


def test_copies_of_the_store_beside_it_go_with_what_is_erased(full: Terminal) -> None:
    memory_id = full.add(f"Eat {WORD}")
    copy = full.store.with_name("memory.db.schema-3")
    copy.write_bytes(full.store.read_bytes())
    (full.store.parent / "memory.db.damaged-1").write_bytes(WORD.encode())
    (full.store.parent / "memory.db.damaged-1-wal").write_bytes(WORD.encode())

    done = full.mem("forget", "--erase", memory_id, "--json").json

    assert [os.path.basename(path) for path in done["removed_files"]] == ["memory.db.damaged-1", "memory.db.schema-3"]
    assert files_with(full) == []


@pytest.fixture
def reader(full: Terminal) -> Iterator[apsw.Connection]:
    """Somebody else who has the store open."""
    db = apsw.Connection(str(full.store))
    db.execute("SELECT count(*) FROM memory").fetchall()
    yield db
    db.close()


def test_a_text_is_erased_while_somebody_has_the_store_open(full: Terminal, reader: apsw.Connection) -> None:
    memory_id = full.add(f"Eat {WORD}")
    reader.execute("SELECT * FROM memory").fetchall()
    assert full.mem("forget", "--erase", memory_id, "--json").json["finished"] is True
    assert files_with(full) == []


def test_what_somebody_is_still_reading_is_erased_by_the_next_who_writes(full: Terminal, reader: apsw.Connection) -> None:
    memory_id = full.add(f"Eat {WORD}")
    reader.execute("BEGIN")
    reader.execute("SELECT * FROM memory").fetchall()

    said = full.mem("forget", "--erase", memory_id)
    assert "the next command that writes cleans it" in said.err
    assert "erased text is still in the file" in full.mem("doctor").out
    reader.execute("COMMIT")
    full.add("Another")

    assert files_with(full) == []
    assert "no problems found" in full.mem("doctor").out


def test_an_erasing_that_was_killed_in_the_middle_is_finished_by_the_next_who_writes(
    full: Terminal, monkeypatch: pytest.MonkeyPatch
) -> None:
    memory_id = full.add(f"Eat {WORD}")

    def killed(*words: object) -> bool:
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(erasing, "finish", killed)
        full.mem("forget", "--erase", memory_id, fails=130)
    full.add("Another")

    assert files_with(full) == []


def test_a_full_disk_leaves_erasing_for_later_and_stops_no_write(full: Terminal, monkeypatch: pytest.MonkeyPatch) -> None:
    memory_id = full.add(f"Eat {WORD}")

    def no_room(db: apsw.Connection, sql: str, *values: object) -> object:
        if sql == "VACUUM":
            raise apsw.FullError("database or disk is full")
        return rows(db, sql, *values)

    with monkeypatch.context() as patch:
        patch.setattr(erasing, "rows", no_room)
        assert full.mem("forget", "--erase", memory_id, "--json").json["finished"] is False
        full.add("Another")
    full.add("A third")

    assert files_with(full) == []


def test_erasing_says_what_it_cannot_find(full: Terminal) -> None:
    assert "no object has the id M-NONE" in full.mem("forget", "--erase", "M-NONE", fails=3).err
    assert "no object has the id X" in full.mem("forget", "--erase", "X", fails=3).err


def old(terminal: Terminal, monkeypatch: pytest.MonkeyPatch, *words: str) -> str:
    """Writes as a mem did that masked nothing. Returns what it printed."""
    with monkeypatch.context() as patch:
        patch.setattr(commit, "mask_payload", lambda body, clean: Payload(body))
        patch.setattr(commit, "mask", Masked)
        return terminal.mem(*words).out


def test_doctor_lists_stored_secrets_and_how_to_erase_each_but_never_shows_one(
    full: Terminal, monkeypatch: pytest.MonkeyPatch
) -> None:
    token = "ghp_Zx8Qw3Er7Ty1Ui5Op9As2Df6Gh0JkLcVbNm4"
    assert full.mem("doctor", "--secrets").out == "no stored secrets\n"
    memory_id = old(full, monkeypatch, "add", "Deploy", "--summary", f"with {token}", "--thread", token).split()[0]
    state_id = old(full, monkeypatch, "checkpoint", "--reason", "r", "--state-json", '{"password": "hunter2x"}').split()[0]
    put(full, SESSION.replace(WORD, token))

    said = full.mem("doctor", "--secrets", fails=1)
    found = {one["id"]: one for one in full.mem("doctor", "--secrets", "--json", fails=1).json}

    assert token not in said.out + said.err
    assert "hunter2x" not in said.out
    assert found[memory_id] == {"id": memory_id, "rules": ["github-token"], "erase": f"mem forget --erase {memory_id}"}
    assert found[state_id]["rules"] == ["password"]
    assert found["P-0000000001"]["rules"] == ["github-token"]
    assert found["job 1"]["erase"] == "mem queue purge 1"
    assert "T-[secret: github-token]" in found
    for one in (memory_id, state_id, "A-0000000001", "P-0000000001"):
        full.mem("forget", "--erase", one)
    assert full.mem("doctor", "--secrets").out == "no stored secrets\n"
    assert files_with(full, token) == []
    assert files_with(full, "hunter2x") == []


@pytest.mark.parametrize(
    "text", [r"A=1\n{}\nB=2", "see %3D{}%26", '{{"body": "{{\\"token\\": \\"{}\\"}}"}}', "DB_PASSWORD=orchardmeadow {}"]
)
def test_doctor_finds_what_an_older_mem_did_not_know_as_a_secret(
    text: str, full: Terminal, monkeypatch: pytest.MonkeyPatch
) -> None:
    token = "ghp_Zx8Qw3Er7Ty1Ui5Op9As2Df6Gh0JkLcVbNm4"
    memory_id = old(full, monkeypatch, "add", "Deploy", "--summary", text.format(token)).split()[0]

    listed = full.mem("doctor", "--secrets", "--json", fails=1).json

    assert [entry["id"] for entry in listed] == [memory_id]
    assert "github-token" in listed[0]["rules"]


def test_the_name_of_a_thread_goes_with_the_last_that_was_in_it(full: Terminal) -> None:
    first, second = full.add("Eat", "oats", "--thread", WORD), full.add("Drink", "tea", "--thread", WORD)
    full.mem("update", second, "--thread", "drinks")
    full.mem("forget", "--erase", first)
    assert WORD in full.mem("threads").out  # the history of the other has its name
    full.mem("forget", "--erase", second)
    assert files_with(full) == []
    assert "drinks" not in full.mem("threads").out
    assert "general" in full.mem("threads").out
    assert "no problems found" in full.mem("doctor", "--verbose").out


def test_a_thread_of_which_nothing_is_left_is_erased_by_its_name(full: Terminal, monkeypatch: pytest.MonkeyPatch) -> None:
    memory_id = full.add("Eat", "oats", "--thread", WORD)
    assert f"1 thing is or was in thread {WORD}" in full.mem("forget", "--erase", f"T-{WORD}", fails=2).err
    with monkeypatch.context() as patch:
        patch.setattr("memcli.maintenance.erase.emptied_threads", lambda *_: [])  # as an older version did
        full.mem("forget", "--erase", memory_id)
    assert files_with(full)
    assert full.mem("forget", "--erase", f"T-{WORD}", "--json").json["kind"] == "thread"
    assert files_with(full) == []
    assert f"no thread {WORD}" in full.mem("forget", "--erase", f"T-{WORD}", fails=3).err
    assert "no problems found" in full.mem("doctor", "--verbose").out


def test_a_thread_with_chunks_keeps_its_name(full: Terminal) -> None:
    (full.folder / "notes.md").write_text("# Lunch\n\nSoup.\n")
    full.mem("ingest", "notes.md", "--thread", WORD)
    full.mem("forget", "--erase", full.add("Eat", "oats", "--thread", WORD))
    assert WORD in full.mem("threads").out
