"""add, update, supersede, forget, restore, pin, link: what changes a memory, and how one is named."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable
from typing import Any

import pytest

from memcli.text import ids
from tests.conftest import Terminal

TITLE = "Session tokens live in Postgres"


def shown(terminal: Terminal, memory_id: str) -> dict[str, Any]:
    """A memory as `mem show` has it."""
    memory: dict[str, Any] = terminal.mem("show", memory_id, "--json").json["memory"]
    return memory


def count(terminal: Terminal) -> int:
    """How many memories there are."""
    return len(terminal.mem("recent", "--json").json)


@pytest.fixture
def chosen(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The ids that will be given next, to be filled by the test."""
    waiting: list[str] = []
    monkeypatch.setattr(ids, "new", lambda kind: f"{kind}-{waiting.pop(0)}")
    return waiting


def test_adding_prints_the_id_the_title_and_where_it_went(terminal: Terminal) -> None:
    added = terminal.mem("add", TITLE, "--summary", "Redis evicted them.", "--thread", "auth")
    memory = shown(terminal, added.id)
    head = terminal.git("rev-parse", "--short=7", "HEAD")

    assert added.out == f"{added.id}  {TITLE:<44}  thread auth · on {head} · {memory['tokens']} tokens\n"
    assert added.err == ""
    assert len(added.id) == 12
    assert added.id.startswith("M-")


def test_an_added_memory_holds_what_was_said(terminal: Terminal) -> None:
    words = ["--thread", "auth", "--tags", "db, cache,,db", "--entities", "Postgres,Redis", "--kind", "Decision"]
    added = terminal.mem("add", TITLE, "--summary", "one\ntwo  ", *words, "--json").json

    assert added["thread_id"] == added["thread_used"] == "auth"
    assert added["thread_defaulted"] is False
    assert (added["title"], added["anchor_commit"]) == (TITLE, terminal.git("rev-parse", "HEAD"))
    memory = shown(terminal, added["id"])
    assert (memory["title"], memory["summary"], memory["thread_id"]) == (TITLE, "one\ntwo  ", "auth")
    assert (memory["tags"], memory["entities"], memory["kind"]) == (["db", "cache"], ["Postgres", "Redis"], "decision")
    assert (memory["created_at"], memory["origin"], memory["superseded_by"]) == ("2026-03-01T12:00:00.000Z", "cli", None)


def test_the_title_may_be_an_option(terminal: Terminal) -> None:
    assert terminal.mem("add", "--title", TITLE, "--summary", "x", "--json").json["title"] == TITLE
    assert terminal.mem("add", TITLE, "--title", TITLE, "--summary", "x", fails=2).out == ""
    assert terminal.mem("add", "--summary", "x", fails=2).err.startswith("Error: give exactly one title\nHint: such as: mem add ")


def test_a_fact_of_one_line_needs_no_summary_and_is_told_once(terminal: Terminal) -> None:
    added = terminal.mem("add", TITLE, "--json").json
    assert terminal.mem("get", TITLE, "--format", "prompt").out.count(TITLE) == 1
    assert terminal.mem("add", TITLE, "--json").json["duplicate_of"] == added["id"]


def test_an_empty_summary_is_refused(terminal: Terminal) -> None:
    refused = terminal.mem("add", TITLE, "--summary", "", fails=2)
    assert refused.err == "Error: the summary is empty\nHint: give it some words\n"
    assert not terminal.data.exists()


def test_a_thread_that_is_not_named_is_the_default_one(terminal: Terminal, monkeypatch: pytest.MonkeyPatch) -> None:
    added = terminal.mem("add", TITLE, "--summary", "x", "--json").json
    assert (added["thread_used"], added["thread_defaulted"]) == ("general", True)

    monkeypatch.setenv("MEMPACK_MEMORY_THREAD", "ops")
    added = terminal.mem("add", TITLE, "--summary", "x", "--json").json
    assert (added["thread_used"], added["thread_defaulted"]) == ("ops", True)


def test_a_dash_reads_the_summary_from_standard_input(terminal: Terminal) -> None:
    memory_id = terminal.mem("add", TITLE, "--summary", "-", stdin="one\n\ntwo\n").id
    assert shown(terminal, memory_id)["summary"] == "one\n\ntwo"

    terminal.mem("update", memory_id, "--summary", "-", stdin="three")
    assert shown(terminal, memory_id)["summary"] == "three"
    successor = terminal.mem("supersede", memory_id, "--summary", "-", "--json", stdin="four\n").json["new_id"]
    assert shown(terminal, successor)["summary"] == "four"


def test_a_program_may_send_one_json_object(terminal: Terminal) -> None:
    (terminal.folder / "a.py").write_text("pass\n")
    sent = {
        "title": "-",
        "summary": "--json",
        "thread": "t",
        "tags": ["a,b"],
        "entities": ["E"],
        "kind": "bugfix",
        "files": ["a.py"],
    }
    memory = shown(terminal, terminal.mem("add", "--stdin-json", stdin=json.dumps(sent)).id)

    assert (memory["title"], memory["summary"], memory["thread_id"]) == ("-", "--json", "t")
    assert (memory["tags"], memory["entities"], memory["kind"]) == (["a,b"], ["E"], "bugfix")
    assert [link["to_id"] for link in memory["links"]] == ["a.py"]


@pytest.mark.parametrize(
    "sent",
    [
        "", "{", "[]", "null", '"text"', '{"summary": "x"}', '{"title": 1, "summary": "x"}', "NaN",
        '{"title": "x"} {}', '{"title": "x", "summary": "y", "tags": "a,b"}', '{"title": "x", "summary": "y", "tags": [1]}',
        '{"title": "x", "summary": null}', '{"title": "x", "summary": "y", "sumary": "z"}', '{"title": "", "summary": "y"}',
        '{"title": "x", "summary": "\\ud800"}', '{"title": "x", "summary": "y", "files": ["nofile"]}',
        b'{"title": "\xff", "summary": "y"}', "[" * 100_000,
    ],
)  # fmt: skip
def test_json_that_is_no_memory_is_refused_and_nothing_is_stored(terminal: Terminal, sent: str | bytes) -> None:
    terminal.add(TITLE)
    refused = terminal.mem("add", "--stdin-json", "--json", stdin=sent, fails=3 if "nofile" in str(sent) else 2)

    assert refused.out == ""
    assert set(json.loads(refused.err)["error"]) == {"code", "message", "hint"}
    assert count(terminal) == 1


def test_a_file_is_linked_by_its_path_from_the_top_and_its_hash(terminal: Terminal) -> None:
    (terminal.folder / "src").mkdir()
    (terminal.folder / "src/a.py").write_text("pass\n")
    inside = terminal.at(terminal.folder / "src")
    added = inside.mem("add", TITLE, "--summary", "x", "--file", "a.py", "--file", "../src/a.py", "--file=./a.py")
    (link,) = shown(terminal, added.id)["links"]

    assert (link["rel"], link["to_id"], link["hash"]) == ("file", "src/a.py", hashlib.sha1(b"pass\n").hexdigest())


def test_a_file_outside_the_repository_or_missing_is_refused(terminal: Terminal) -> None:
    (terminal.folder / "way_out").symlink_to("/etc/passwd")
    for path in ("/etc/passwd", "../outside", "way_out"):
        terminal.mem("add", TITLE, "--summary", "x", "--file", path, fails=2)

    assert terminal.mem("add", TITLE, "--summary", "x", "--file", "nofile", fails=3).err.startswith("Error: no file nofile\n")
    terminal.mem("add", TITLE, "--summary", "x", "--file", ".", fails=3)
    assert count(terminal) == 0


def test_updating_changes_only_what_is_said(terminal: Terminal) -> None:
    memory_id = terminal.add(TITLE, "old", "--thread", "auth", "--tags", "a")
    terminal.mem("update", memory_id, "--summary", "new", "--kind", "Decision")
    memory = shown(terminal, memory_id)

    assert (memory["title"], memory["summary"], memory["thread_id"], memory["tags"]) == (TITLE, "new", "auth", ["a"])
    assert memory["kind"] == "decision"
    terminal.mem("update", memory_id, "--thread", " ops ", "--tags", "", "--entities", "E", "--title", "Tokens")
    memory = shown(terminal, memory_id)
    assert (memory["title"], memory["thread_id"], memory["tags"], memory["entities"]) == ("Tokens", "ops", [], ["E"])
    assert [one["thread_id"] for one in terminal.mem("threads", "--json").json] == ["auth", "ops"]
    assert terminal.titles("session postgres") == []


def test_updating_nothing_or_to_nothing_is_refused(terminal: Terminal) -> None:
    memory_id = terminal.add(TITLE)
    for words in ([], ["--title", " "], ["--summary", ""], ["--thread", ""], ["--kind", " "]):
        terminal.mem("update", memory_id, *words, fails=2)

    assert len(terminal.mem("log", memory_id, "--json").json) == 1


def test_superseding_keeps_thread_kind_and_labels(terminal: Terminal) -> None:
    old = terminal.add(TITLE, "old", "--thread", "auth", "--tags", "a,b", "--entities", "E", "--kind", "decision")
    done = terminal.mem("supersede", old, "--summary", "new", "--json").json
    new = shown(terminal, done["new_id"])

    line = {name: new[name] for name in ("id", "title", "thread_id", "anchor_commit", "anchor_branch", "tokens")}
    assert done == {
        **line,
        "old_id": old,
        "new_id": new["id"],
        "status": "superseded",
        "revision": shown(terminal, old)["revision"],
    }
    assert (new["title"], new["summary"], new["thread_id"], new["kind"]) == (TITLE, "new", "auth", "decision")
    assert (new["tags"], new["entities"]) == (["a", "b"], ["E"])
    assert [(link["rel"], link["to_id"]) for link in new["links"]] == [("supersedes", old)]
    assert shown(terminal, old)["superseded_by"] == new["id"]


def test_superseding_twice_names_the_successor(terminal: Terminal) -> None:
    old = terminal.add(TITLE)
    new = terminal.mem("supersede", old, "--title", "Tokens live in SQLite").id

    assert terminal.mem("supersede", old, "--title", "x", fails=2).err == (
        f"Error: {old} is superseded by {new}\nHint: mem supersede {new}, or mem show {new} to see where it holds\n"
    )
    assert count(terminal) == 2
    terminal.mem("supersede", new, fails=2)


def test_a_forgotten_memory_is_found_by_nothing_and_can_be_restored(terminal: Terminal) -> None:
    memory_id = terminal.add(TITLE, "because", "--thread", "auth")
    assert terminal.mem("forget", memory_id).out == f"Forgot {memory_id}; bring it back with: mem restore {memory_id}\n"

    assert terminal.titles("session tokens", "--include-orphans") == []
    assert terminal.mem("search", "session", "--json").json == []
    assert count(terminal) == 0
    assert terminal.mem("export").out == ""
    for words in (["show"], ["update", "--title", "x"], ["supersede", "--title", "x"], ["pin"], ["forget"]):
        refused = terminal.mem(words[0], memory_id, *words[1:], fails=3)
        assert refused.err == f"Error: {memory_id} is forgotten\nHint: mem restore {memory_id} brings it back\n"

    terminal.mem("restore", memory_id)
    assert terminal.titles("session tokens") == [TITLE]
    assert terminal.mem("restore", memory_id, fails=2).err.startswith(f"Error: {memory_id} is not forgotten\n")


def test_forgetting_a_successor_does_not_bring_older_knowledge_back(terminal: Terminal) -> None:
    old = terminal.add("Session tokens live in Redis")
    new = terminal.mem("supersede", old, "--title", TITLE).id
    terminal.mem("forget", new)

    assert terminal.titles("session tokens") == []


def test_pinning_is_seen_and_taken_back(terminal: Terminal) -> None:
    memory_id = terminal.add(TITLE)
    line = {
        name: shown(terminal, memory_id)[name]
        for name in ("id", "title", "thread_id", "anchor_commit", "anchor_branch", "tokens")
    }
    for _ in range(2):
        assert terminal.mem("pin", memory_id, "--json").json == {**line, "pinned": True, "status": "pinned"}
    assert shown(terminal, memory_id)["pinned"] is True

    assert terminal.mem("unpin", memory_id, "--json").json == {**line, "pinned": False, "status": "unpinned"}
    assert shown(terminal, memory_id)["pinned"] is False


def test_a_link_is_made_once_and_seen_from_both_ends(terminal: Terminal) -> None:
    one, two = terminal.add("One"), terminal.add("Two")

    assert terminal.mem("link", one, "Depends On", two).out == f"{one} depends_on {two}\n"
    again = terminal.mem("link", one, "depends_on", two, "--json").json
    assert (again["created"], again["status"], again["rel"]) == (False, "exists", "depends_on")
    for end in (one, two):
        assert [(link["from_id"], link["to_id"]) for link in shown(terminal, end)["links"]] == [(one, two)]
    assert f"depends_on {two}\n" in terminal.mem("show", one).out
    assert terminal.mem("link", one, "seen", "https://example.invalid/x?a=b", "--json").json["created"] is True


def test_a_link_that_cannot_be_is_refused(terminal: Terminal) -> None:
    one, two, three = (terminal.add(title) for title in ("One", "Two", "Three"))
    terminal.mem("link", one, "needs", two)
    terminal.mem("link", two, "needs", three)

    circle = terminal.mem("link", three, "needs", one, "--json", fails=2)
    assert json.loads(circle.err)["error"]["code"] == "cycle"
    assert terminal.mem("link", one, "needs", one, fails=2).err.startswith("Error: a memory cannot be linked to itself\n")
    for relation in ("supersedes", "Supersedes", "file", "", "a/b", "x" * 65, "\x1b[31m"):
        terminal.mem("link", one, relation, three, fails=2)
    terminal.mem("link", one, "needs", "M-ZZZZZZZZZZ", fails=3)
    terminal.mem("link", "M-ZZZZZZZZZZ", "needs", one, fails=3)
    terminal.mem("link", three, "leads_to", one)


def test_the_beginning_of_an_id_will_do_in_any_case(terminal: Terminal, chosen: list[str]) -> None:
    chosen += ["ABCDEFGH01", "XYZ0000001"]
    terminal.add(TITLE)
    terminal.add("Another")

    for typed in ("M-ABCDEFGH01", "M-ABCD", "m-abcdefgho1", "M-AB", "ABC", "m-abcdefgho"):
        assert shown(terminal, typed)["title"] == TITLE, typed
    terminal.mem("pin", "m-xyz")
    assert shown(terminal, "M-XYZ0000001")["pinned"] is True


def test_a_beginning_that_several_share_is_ambiguous(terminal: Terminal, chosen: list[str]) -> None:
    chosen += ["ABCDEFGH01", "ABCDEFGH02", "ABCDEFGH03"]
    terminal.add("One")
    terminal.add("Two")
    refused = terminal.mem("forget", "M-ABCD", fails=2)

    assert refused.err == (
        "Error: M-ABCD could be 2 memories\nHint: give more of the id: M-ABCDEFGH01 (One), M-ABCDEFGH02 (Two)\n"
    )
    assert count(terminal) == 2
    terminal.mem("forget", "M-ABCDEFGH01")
    assert shown(terminal, "M-ABCD")["title"] == "Two"


def test_an_unknown_id_is_not_found_and_the_nearest_is_offered(terminal: Terminal, chosen: list[str]) -> None:
    chosen += ["7F3K2QWZ9A"]
    terminal.add(TITLE)

    assert terminal.mem("show", "M-7F3X", fails=3).err == f"Error: no memory M-7F3X\nHint: did you mean M-7F3K2QWZ9A ({TITLE})?\n"
    for words in map(str.split, "update --title x|forget|pin|unpin|supersede --title x|restore|log".split("|")):
        assert terminal.mem(words[0], "M-ZZZZZZZZZZ", *words[1:], fails=3).err.startswith("Error: no memory M-ZZZZZZZZZZ\nHint: ")
    for typed in ("", "M-", "nosuch", "M-7", "%", "M-%", "M-7F3K2QWZ9A0", "C-7F3K2QWZ9A"):
        terminal.mem("show", typed, fails=3)


def test_several_memories_are_shown_in_the_order_asked(terminal: Terminal) -> None:
    one, two = terminal.add("One"), terminal.add("Two")

    assert [item["memory"]["title"] for item in terminal.mem("show", two, one, "--json").json] == ["Two", "One"]
    text = terminal.mem("show", two, one).out
    assert text.startswith(f"{two}  Two\n\nbecause\n\nthread     general\n")
    assert text.index(two) < text.index(one)
    terminal.mem("show", one, "M-ZZZZZZZZZZ", fails=3)


def test_threads_tell_what_they_hold(terminal: Terminal, later: Callable[[str], None]) -> None:
    one = terminal.add("One", "x", "--thread", "auth")
    later("2026-03-01T12:00:01Z")
    two = terminal.add("Two", "x", "--thread", "auth")
    terminal.add("Three")

    assert terminal.mem("threads").out == "auth          2  now\ngeneral       1  now\n"
    assert [item["id"] for item in terminal.mem("thread", "auth", "--json").json["memories"]] == [two, one]
    assert [item["id"] for item in terminal.mem("thread", "auth", "--limit", "1", "--json").json["memories"]] == [two]
    assert terminal.mem("thread", "nosuch", fails=3).err == "Error: no thread nosuch\nHint: see mem threads\n"


def test_the_newest_come_first_in_recent(terminal: Terminal, later: Callable[[str], None]) -> None:
    titles = [f"Fact {number}" for number in range(25)]
    for number, title in enumerate(titles):
        later(f"2026-02-01T00:00:{number:02}Z")
        terminal.add(title)

    assert [item["title"] for item in terminal.mem("recent", "--json", "--limit", "100").json] == titles[::-1]
    assert len(terminal.mem("recent").out.splitlines()) == 20
