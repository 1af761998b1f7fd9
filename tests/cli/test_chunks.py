"""What can be done with one chunk: look at it in its file, cite it, forget it, bring it back."""

from __future__ import annotations

import sqlite3

import pytest

from memcli.project import Where, open_for_writing
from memcli.store import transaction
from tests.conftest import Terminal
from tests.recall.files import ingest, keep, write

CODE = "import store\n\ndef refresh(token):\n    # a session lasts a day\n    return token\n\ndef other():\n    pass\n"
PLACE = "src/auth.py lines 3-5, refresh"


@pytest.fixture
def code(terminal: Terminal) -> Terminal:
    """A repository with an ingested file."""
    write(terminal, src__auth_py=CODE)
    ingest(terminal, "src/auth.py")
    return terminal


@pytest.fixture
def chunk(code: Terminal) -> str:
    """The id of the chunk about a session."""
    return str(found(code)[0])


def found(terminal: Terminal, question: str = "session") -> list[str]:
    return [one["chunk_id"] for one in terminal.mem("get", question, "--json").json["top_chunks"]]


def test_a_chunk_is_shown_with_all_that_is_known_of_it(code: Terminal, chunk: str) -> None:
    memory_id = code.add("Sessions last a day")
    code.mem("link", memory_id, "cites", chunk)
    assert code.mem("show", chunk).out == (
        f"{chunk}  src/auth.py lines 3-5, refresh\n\n"
        "def refresh(token):\n    # a session lasts a day\n    return token\n\n"
        "file       as it was when it was read\nlanguage   python\nkind       function\nsymbol     refresh\n"
        f"thread     general\ntags       python\ncited by   {memory_id} (cites)\n"
    )
    said = code.mem("show", chunk.lower()[:6], "--json").json
    assert said["kind"] == "chunk"
    assert said["chunk"] == {
        "id": chunk,
        "path": "src/auth.py",
        "lines": [3, 5],
        "symbol": "refresh",
        "kind": "function",
        "language": "python",
        "state": "current",
        "thread_id": "general",
        "text": "def refresh(token):\n    # a session lasts a day\n    return token",
        "before": [],
        "after": [],
        "tags": ["python"],
        "origin": "ingest",
        "trust": "low",
        "created_at": "1970-01-01T00:00:00.000Z",
        "cited_by": [{"id": memory_id, "rel": "cites"}],
    }


def test_lines_around_a_chunk_are_those_of_the_file_now(code: Terminal, chunk: str) -> None:
    assert code.mem("show", chunk, "--context", "2").out.split("\n\nfile")[0] == (
        f"{chunk}  src/auth.py lines 3-5, refresh\n\n"
        "     1  import store\n     2\n     3  def refresh(token):\n     4      # a session lasts a day\n"
        "     5      return token\n     6\n     7  def other():"
    )
    (code.folder / "src/auth.py").write_text("# new\n" + CODE.replace("pass\n", "pass  # \x1b[31m"))
    said = code.mem("show", chunk, "--context", "100", "--json").json["chunk"]
    assert (said["state"], said["lines"]) == ("found", [4, 6])
    assert said["before"] == ["# new", "import store", ""]
    assert said["after"] == ["", "def other():", "    pass  # \x1b[31m"]
    assert "\x1b" not in code.mem("show", chunk, "--context", "9").out
    assert "src/auth.py lines 4-6, refresh" in code.mem("show", chunk).out


@pytest.mark.parametrize(
    ("text", "state", "said"),
    [
        ("def refresh(): ...\n", "changed", "changed since, and these lines are not in it: mem ingest"),
        (None, "gone", "gone: mem ingest"),
    ],
)
def test_a_chunk_that_no_longer_stands_in_its_file_says_so(
    code: Terminal, chunk: str, text: str | None, state: str, said: str
) -> None:
    file = code.folder / "src/auth.py"
    file.unlink() if text is None else file.write_text(text)
    shown = code.mem("show", chunk, "--context", "3", "--json").json["chunk"]
    assert (shown["state"], shown["before"], shown["after"]) == (state, [], [])
    assert f"file       {said}\n" in code.mem("show", chunk).out
    assert "a session lasts a day" in code.mem("show", chunk).out


def test_a_text_without_a_file_is_shown_as_it_was_given(code: Terminal, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(code.folder)
    project = open_for_writing(Where())
    with transaction(project.db):
        name = keep(project, "minutes", "A day was too long.")
    project.close()
    assert "file       none: given as a text\n" in code.mem("show", name, "--context", "4").out


@pytest.mark.parametrize("lines", ["-1", "1001", "many"])
def test_a_number_of_lines_that_is_none_is_refused(code: Terminal, chunk: str, lines: str) -> None:
    err = code.mem("show", chunk, "--context", lines, fails=2).err
    assert [line.partition(": ")[0] for line in err.splitlines()] == ["Error", "Hint"]


def test_a_forgotten_chunk_is_hidden_until_it_is_restored(code: Terminal, chunk: str) -> None:
    assert code.mem("forget", chunk).out == f"Forgot {chunk}; bring it back with: mem restore {chunk}\n"
    assert found(code) == []
    assert code.mem("show", chunk, fails=3).err == (f"Error: {chunk} is forgotten\nHint: mem restore {chunk} brings it back\n")
    assert f"{chunk} is forgotten" in code.mem("forget", chunk, fails=3).err
    assert code.mem("doctor", "--verbose", "--json").json["ok"]
    assert code.mem("doctor", "--json").json["fts"]["chunks"] == 2

    assert code.mem("restore", chunk, "--json").json == {"id": chunk, "kind": "chunk", "title": PLACE, "status": "restored"}
    assert found(code) == [chunk]
    assert code.mem("restore", chunk, fails=2).err == f"Error: {chunk} is not forgotten\nHint: see it with mem show\n"
    assert code.mem("doctor", "--verbose", "--json").json["ok"]
    code.mem("forget", chunk, "--json")
    assert code.mem("restore", chunk).out.startswith(f"{chunk}  src/auth.py lines 3-5, refresh")


def test_undo_brings_a_forgotten_chunk_back_and_not_something_else(code: Terminal, chunk: str) -> None:
    written = code.add("Something")
    code.mem("forget", chunk)
    assert code.mem("undo").out.startswith(f"Brought back {chunk}")
    assert found(code) == [chunk]
    code.mem("forget", chunk)
    code.mem("pin", written)
    assert written in code.mem("undo").out  # what was done last comes first
    assert code.mem("undo", "--json").json == {"undone": [], "command": None, "titles": {chunk: PLACE}, "restored": chunk}
    code.mem("forget", chunk)
    code.mem("restore", chunk)
    assert written in code.mem("undo").out
    assert found(code) == [chunk]


def test_a_rebuilt_index_leaves_forgotten_chunks_out(code: Terminal, chunk: str) -> None:
    code.mem("forget", chunk)
    base = sqlite3.connect(code.store)
    base.execute("INSERT INTO chunk_fts(rowid, locator, text, tags, words) VALUES (99, 'session', 'session', '', '')")
    base.commit()
    base.close()
    assert "rebuilt the text index" in code.mem("doctor", "--repair").out
    assert found(code) == []
    code.mem("restore", chunk)
    assert found(code) == [chunk]


def test_a_link_to_a_chunk_outlives_what_leaves_its_text_as_it_is(code: Terminal, chunk: str) -> None:
    memory_id = code.add("Sessions last a day")
    assert code.mem("link", memory_id, "cites", chunk).out == f"{memory_id} cites {chunk}\n"
    assert code.mem("link", memory_id, "cites", chunk).out == f"{memory_id} cites {chunk} (exists)\n"
    write(code, src__auth_py="# new\n\n" + CODE)
    ingest(code)
    assert found(code) == [chunk]
    assert code.mem("show", chunk, "--json").json["chunk"]["cited_by"] == [{"id": memory_id, "rel": "cites"}]
    assert f"cites      {chunk}" in code.mem("show", memory_id).out


@pytest.mark.parametrize("words", [("show",), ("forget",), ("restore",), ("link", "MEMORY", "cites")])
def test_an_id_of_no_chunk_is_an_error_with_a_hint(code: Terminal, words: tuple[str, ...]) -> None:
    memory_id = code.add("Sessions last a day")
    words = tuple(memory_id if word == "MEMORY" else word for word in words)
    for name in ("C-0000000000", "C-", "C-!"):
        assert code.mem(*words, name, fails=3).err == (
            f"Error: no chunk {name}\nHint: its text changed or is gone; look for it with mem get\n"
        )


def test_a_beginning_that_several_chunks_have_is_refused(code: Terminal, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(code.folder)
    project = open_for_writing(Where())
    number = 0
    names: dict[str, str] = {}
    with transaction(project.db):
        while True:
            number += 1
            name = keep(project, "minutes", f"line {number}")
            if name[:4] in names:
                break
            names[name[:4]] = name
    project.close()
    assert f"Error: {name[:4]} could be 2 chunks\nHint: give more of the id: " in code.mem("show", name[:4], fails=2).err
    assert code.mem("show", name, "--json").json["chunk"]["id"] == name


def test_a_thread_that_has_only_evidence_is_listed_and_opened(terminal: Terminal) -> None:
    (terminal.folder / "queue.md").write_text("# Queue\n\nThe retry queue drains at night.\n")
    terminal.mem("ingest", "queue.md", "--thread", "ev")
    (listed,) = [row for row in terminal.mem("threads", "--json").json if row["thread_id"] == "ev"]
    assert (listed["memory_count"], listed["chunk_count"]) == (0, 1)
    assert "1 chunk" in terminal.mem("threads").out
    opened = terminal.mem("thread", "ev", "--json").json
    assert (opened["thread"]["chunk_count"], opened["memories"]) == (1, [])
    assert "1 chunk of evidence" in terminal.mem("thread", "ev").out
    terminal.mem("add", "Drains at night", "--summary", "s", "--thread", "ev")
    assert terminal.mem("thread", "ev", "--json").json["thread"]["memory_count"] == 1
    assert "no thread none" in terminal.mem("thread", "none", fails=3).err


def test_an_explanation_scores_chunks(terminal: Terminal) -> None:
    (terminal.folder / "queue.md").write_text("# Queue\n\nThe retry queue drains at night.\n")
    terminal.mem("ingest")
    (chunk,) = terminal.mem("explain", "retry queue", "--json").json["chunks"]
    assert chunk["verdict"] == "included"
    assert chunk["score"] > 0
    assert f"{chunk['score']:.3f}" in terminal.mem("explain", "retry queue").out
