"""What is remembered as files, for people and other tools; all of it comes back."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path

import pytest

from memcli.sync import sources
from tests.conftest import Terminal
from tests.sync.test_migration import imported, memories, reasons

NOTE = "Deployed.\n\nThen went home:\n- by bus"


@pytest.fixture
def written(terminal: Terminal, later: Callable[[str], None], tmp_path: Path) -> Path:
    """The files of a memory with a profile, notes of two days, memories of two threads."""
    terminal.mem("profile", "set", "address", "Elm Street 1\nOslo")
    terminal.mem("profile", "set", "editor", "vim")
    terminal.mem("note", "add", NOTE)
    terminal.add("Tokens live in Postgres", "Redis evicted them.", "--thread", "auth", "--tags", "db")
    terminal.add("Prices are cached", "For an hour.", "--thread", "../Größe")
    later("2026-03-02T08:15:00Z")
    terminal.mem("note", "add", "Called Ann")
    terminal.mem("export", "--format", "markdown", str(tmp_path / "out"))
    return tmp_path / "out"


def test_each_day_and_each_thread_is_a_file(written: Path) -> None:
    files = sorted(str(path.relative_to(written)) for path in written.rglob("*") if path.is_file())
    assert [name for name in files if "gr" not in name] == [
        "202603/20260301.md",
        "202603/20260302.md",
        "MEMORY.md",
        "profile.json",
        "threads/auth.md",
    ]
    profile = (written / "profile.json").read_text()
    assert json.loads(profile)["editor"] == "vim"
    assert '\n  "editor": "vim"' in profile, "an entry a line"
    assert "- **editor**: vim\n" in (written / "MEMORY.md").read_text()
    assert "## 08:15 <!-- N-" in (written / "202603/20260302.md").read_text()
    assert "## Tokens live in Postgres\n" in (written / "threads/auth.md").read_text()


def test_reading_the_files_back_changes_nothing(terminal: Terminal, written: Path) -> None:
    done = terminal.mem("import", str(written), "--trust", "--json").json
    assert (done["from"], done["imported"], done["updated"], done["unchanged"]) == ("picoclaw", 0, 0, 6)


def test_another_memory_takes_everything_from_the_files(terminal: Terminal, written: Path) -> None:
    copy = ("--workspace", "copy")
    with open(written / "202603/20260302.md", "a") as file:
        file.write("\n## 09:30\n\nAdded by hand\n")
    assert terminal.mem("import", str(written), "--trust", "--json", *copy).json["imported"] == 7
    assert terminal.mem("profile", "get", "address", *copy).out.strip() == "Elm Street 1\nOslo"
    texts = {note["text"]: note["created_at"] for note in terminal.mem("note", "list", "--days", "9", "--json", *copy).json}
    assert texts[NOTE].startswith("2026-03-01T12:00")
    assert texts["Added by hand"].startswith("2026-03-02T")


def test_a_note_that_is_edited_in_the_files_is_changed_once_and_none_is_lost(terminal: Terminal, tmp_path: Path) -> None:
    day = tmp_path / "claw" / "memory" / "202602" / "20260228.md"
    day.parent.mkdir(parents=True)
    day.write_text("# 2026-02-28\n\n## 09:00\n\nCoffee first\n\nThe till is broken\n\n## 10:00\n\nCalled the bank\n")
    terminal.mem("import", str(tmp_path / "claw"))
    terminal.mem("note", "add", "The printer is out")
    out = str(tmp_path / "out")
    terminal.mem("export", "--format", "markdown", out)

    exported = tmp_path / "out" / "202602" / "20260228.md"
    edited = exported.read_text().replace("is broken", "is broken.\n\nA fuse, they say").replace("Coffee first\n", "")
    exported.write_text(edited + "\nPaid\n\n## 11:00\n\nLunch\n")
    own = tmp_path / "out" / "202603" / "20260301.md"
    own.write_text(own.read_text().replace("printer", "printer in the hall"))
    shown = terminal.mem("import", out).out
    assert shown.startswith("picoclaw: 1 new, 2 changed, 0 unchanged\n")
    assert "1 × entries that would change what was written here: The printer in the hall is out\n" in shown
    kept = ["Coffee first", "The till is broken.\n\nA fuse, they say", "Called the bank\n\nPaid", "Lunch"]

    def notes(day: str) -> list[str]:
        return [note["text"] for note in terminal.mem("note", "show", day, "--json").json]

    for _ in range(2):
        assert notes("2026-02-28") == kept
        assert notes("2026-03-01") == ["The printer is out"]
        assert imported(terminal, out)[:2] == (0, 0)
    assert imported(terminal, str(tmp_path / "claw")) == (0, 0, 3), "what it says there is older than the edit"
    assert notes("2026-02-28") == kept
    terminal.mem("export", "--format", "markdown", out)
    assert imported(terminal, out) == (0, 0, 5)


def test_a_value_that_is_too_long_for_the_profile_is_a_memory(terminal: Terminal, tmp_path: Path) -> None:
    claw = tmp_path / "claw"
    claw.mkdir()
    long = "Cooks for a living. " * 120
    (claw / "profile.json").write_text(json.dumps({"work": long, "editor": "vim"}))
    reason = "values that are too long for the profile (profile.value): taken as memories"
    shown = terminal.mem("import", str(claw), "--trust").out
    assert shown == f"picoclaw: 2 new, 0 changed, 0 unchanged\n  taken, but changed: 1 × {reason}: work\n"
    assert memories(terminal)["work"]["summary"] == long.strip()
    terminal.mem("export", "--format", "markdown", str(tmp_path / "out"))
    for path in (claw, tmp_path / "out"):
        assert imported(terminal, str(path), "--trust") == (0, 0, 2)

    (claw / "profile.json").write_text('{"work": "A cook", "editor": "vim"}')
    assert imported(terminal, str(claw), "--trust") == (1, 1, 1)
    assert terminal.mem("profile", "get", "work").out == "A cook\n"
    assert "work" not in memories(terminal)


def test_files_of_somebody_else_are_not_overwritten(terminal: Terminal, written: Path, tmp_path: Path) -> None:
    terminal.mem("export", "--format", "markdown", str(written))
    (tmp_path / "claw").mkdir()
    (tmp_path / "claw" / "MEMORY.md").write_text("mine")
    terminal.mem("export", "--format", "markdown", str(tmp_path / "claw"), fails=2)
    terminal.mem("export", "--format", "markdown", fails=2)
    terminal.mem("export", "--format", "markdown", "/dev/null/x", fails=2)
    assert (tmp_path / "claw" / "MEMORY.md").read_text() == "mine"


def test_files_are_the_persons_alone_and_links_are_not_written_through(terminal: Terminal, written: Path, tmp_path: Path) -> None:
    assert {path.stat().st_mode & 0o077 for path in [written, *written.rglob("*")]} == {0}
    (tmp_path / "precious").write_text("mine")
    (written / "profile.json").unlink()
    (written / "profile.json").symlink_to(tmp_path / "precious")
    assert "is a link" in terminal.mem("export", "--format", "markdown", str(written), fails=2).err
    assert (tmp_path / "precious").read_text() == "mine"


def test_each_program_has_its_section_in_the_documentation() -> None:
    page = (Path(__file__).parents[2] / "docs" / "migrating.md").read_text(encoding="utf-8")
    assert [system for system in sources.SOURCES if f"| [`{system}`](#" not in page] == []


def test_a_long_term_memory_of_picoclaw_is_taken_whole(terminal: Terminal, tmp_path: Path) -> None:
    (tmp_path / "MEMORY.md").write_text(
        "# Long-term Memory\n\nThis file stores important information that should persist across sessions.\n\n"
        "## User Information\n\nMike lives in Oslo. He\nis a cook.\n\n(Important facts about user)\n\n"
        "- Likes tea\n  at five\n\nNo nuts.\n"
    )
    assert imported(terminal, str(tmp_path / "MEMORY.md")) == (3, 0, 0)
    stored = {memory["summary"]: memory["thread_id"] for memory in memories(terminal).values()}
    assert stored == dict.fromkeys(["Mike lives in Oslo. He\nis a cook.", "Likes tea\nat five", "No nuts."], "User Information")


def test_a_time_with_a_title_is_one_note_of_that_time(terminal: Terminal, tmp_path: Path) -> None:
    day = tmp_path / "claw" / "memory" / "202602"
    day.mkdir(parents=True)
    (day / "20260228.md").write_text(
        "# 2026-02-28\n\nAt noon\n\n## 9:05 Standup\n\nThe till.\n\n### Coins\nIt takes them.\n\n"
        "## Ideas\n\nOne\n\n---\n\nTwo\n* * *\n"
        "\n## 14:05\nPlain\n\nAlso plain\n\n### 3:15 pm - Review\nFine\n\n## [16:20] Retro\n\n## 10:30-11:00 Call\n"
        "\n## 24:05 no time\n"
    )
    assert imported(terminal, str(tmp_path / "claw")) == (10, 0, 0)
    notes = {note["text"]: note["created_at"][11:16] for note in terminal.mem("note", "show", "2026-02-28", "--json").json}
    assert notes == {
        "At noon": "12:00",
        "Standup\n\nThe till.\n\n### Coins\nIt takes them.": "09:05",
        "## Ideas\nOne": "09:05",
        "Two": "09:05",
        "Plain": "14:05",
        "Also plain": "14:05",
        "Review\nFine": "15:15",
        "Retro": "16:20",
        "10:30-11:00 Call": "10:30",
        "## 24:05 no time": "10:30",
    }
    assert imported(terminal, str(tmp_path / "claw")) == (0, 0, 10)


def test_notes_of_a_day_that_differ_only_in_spaces_are_all_kept(terminal: Terminal, tmp_path: Path) -> None:
    (tmp_path / "20260228.md").write_text("## 09:00\n\nFed the\ncats\n\n## 10:00\n\nFed the cats\n\n## 11:00\n\nFed the  cats\n")
    assert reasons(terminal, str(tmp_path / "20260228.md")) == {}
    assert imported(terminal, str(tmp_path / "20260228.md")) == (3, 0, 0)
    assert imported(terminal, str(tmp_path / "20260228.md")) == (0, 0, 3)
    times = [note["created_at"][11:16] for note in terminal.mem("note", "show", "2026-02-28", "--json").json]
    assert times == ["09:00", "10:00", "11:00"]


def test_a_note_with_lines_like_headings_of_notes_comes_back_as_it_was(terminal: Terminal, tmp_path: Path) -> None:
    text = "Quoted:\n## 9:05 Standup\n\\## 10:00\n\n## Ideas"
    terminal.mem("note", "add", text)
    terminal.mem("export", "--format", "markdown", str(tmp_path / "out"))
    assert imported(terminal, str(tmp_path / "out"), "--workspace", "copy") == (1, 0, 0)
    (note,) = terminal.mem("note", "list", "--json", "--workspace", "copy").json
    assert note["text"] == text


def test_a_long_term_memory_goes_out_and_comes_back_whole(
    terminal: Terminal, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A thousand items and the profile reach the person's own memory on another machine, once."""
    claw = tmp_path / "claw"
    claw.mkdir()
    (claw / "profile.json").write_text('{"editor": "vim"}')
    (claw / "MEMORY.md").write_text("# Memory\n\n## Kitchen\n\n" + "".join([f"- Likes tea number {n}\n" for n in range(1_000)]))
    assert imported(terminal, str(claw), "--user", "--trust") == (1_001, 0, 0)
    terminal.mem("export", "--user", "--format", "markdown", str(tmp_path / "out"))
    before = memories(terminal, "--user")

    monkeypatch.setenv("MEMPACK_DATA_DIR", str(tmp_path / "elsewhere"))
    assert imported(terminal, str(tmp_path / "out"), "--user", "--trust") == (1_001, 0, 0)
    same = ("summary", "thread_id", "kind", "tags", "created_at")
    after = memories(terminal, "--user")
    assert {title: [memory[name] for name in same] for title, memory in after.items()} == {
        title: [memory[name] for name in same] for title, memory in before.items()
    }
    assert imported(terminal, str(tmp_path / "out"), "--user", "--trust") == (0, 0, 1_001)
    assert imported(terminal, str(claw), "--user", "--trust") == (0, 0, 1_001)


def test_a_memory_with_every_field_comes_back_as_it_was(terminal: Terminal, tmp_path: Path) -> None:
    """A text may look like the file that it stands in."""
    summary = "One\n\n## Two\n\nM-1 · note <!-- {} -->\n\\M-1 <!-- {} -->\n\nthree -->\n# four"
    terminal.add("Ends -- a <!-- comment -->", summary, "--thread", "../Größe -->", "--tags", "db,x -->", "--kind", "decision")
    old = terminal.add("Old", "It was so.")
    terminal.mem("supersede", old, "--title", "New")
    terminal.mem("export", "--format", "markdown", str(tmp_path / "out"))
    assert imported(terminal, str(tmp_path / "out"), "--workspace", "copy") == (3, 0, 0)
    exported = [sorted(terminal.mem("export", *more).out.splitlines()) for more in ((), ("--workspace", "copy"))]
    assert exported[0] == exported[1]
    assert imported(terminal, str(tmp_path / "out"), "--workspace", "copy") == (0, 0, 3)


def test_what_an_export_did_not_write_into_its_threads_is_named(terminal: Terminal, written: Path) -> None:
    (written / "threads" / "mine.md").write_text("# Mine\n\n## Title\n\nText\n")
    (written / "threads" / "link.md").symlink_to(written / "MEMORY.md")
    left_out = reasons(terminal, str(written), "--trust")
    assert left_out["texts of threads without the mark of mem export"] == 1
    assert left_out["links, which are not followed, and what is no file"] == 1


def test_files_that_an_earlier_version_wrote_without_marks_come_back(terminal: Terminal, tmp_path: Path) -> None:
    terminal.add(
        "Fact", "Old words.\n\n## A heading\n\nand more", "--tags", "db,web", "--thread", "auth", "--entities", "src/a.py"
    )
    old = terminal.add("It was so", "Before.")
    terminal.mem("supersede", old, "--title", "It is so", "--summary", "Now.")
    out = tmp_path / "out"
    terminal.mem("export", "--format", "markdown", str(out))
    for path in (out / "threads").iterdir():
        path.write_text(re.sub(r" <!-- \{.*\} -->", "", path.read_text()))

    assert imported(terminal, str(out)) == (0, 0, 3), "here they are already, with more than the files say"
    done = terminal.mem("import", str(out), "--workspace", "copy").out
    assert done.startswith("picoclaw in copy: 3 new")
    assert "3 × commits of which the file has only the beginning" in done
    here, copy = memories(terminal), memories(terminal, "--workspace", "copy")
    for title in ("Fact", "It is so"):
        for name in ("title", "thread_id", "kind", "tags"):
            assert copy[title].get(name) == here[title].get(name)
    assert copy["Fact"]["created_at"][:10] == here["Fact"]["created_at"][:10]
    shown = terminal.mem("show", copy["Fact"]["id"], "--workspace", "copy", "--json").json["memory"]
    assert shown["summary"] == "Old words.\n\n## A heading\n\nand more"
    assert (
        terminal.mem("get", "it was so", "--workspace", "copy", "--format", "json").json["top_memories"][0]["title"] == "It is so"
    )
    assert imported(terminal, str(out), "--workspace", "copy") == (0, 0, 3)

    path = out / "threads" / "auth.md"
    path.write_text(path.read_text().replace("2026-03-01", "2026-02-31"))
    assert reasons(terminal, str(out), "--workspace", "third")["times that are missing or cannot be read: taken as now"] == 1
    path.write_text(path.read_text().replace("M-", "m-"))
    assert reasons(terminal, str(out), "--workspace", "third")["texts of threads without the mark of mem export"] == 1


def picoclaw_day(top: Path, name: str, text: str) -> Path:
    """Writes the notes of a day as PicoClaw has them. Returns its workspace."""
    path = top / "claw" / "memory" / name[:6] / f"{name}.md"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    return top / "claw"


def notes_of(terminal: Terminal, day: str) -> list[str]:
    return [note["text"] for note in terminal.mem("note", "show", day, "--json").json]


FENCE = "```sh\n# install deps\n\n## 10:00 restart\nnpm i\n\n---\n```"
TILDES = "~~~~\n```\n\n# not the end\n~~~\n\n~~~~"


def test_of_a_day_no_line_is_lost_and_a_fence_is_in_one_note(terminal: Terminal, tmp_path: Path) -> None:
    picoclaw_day(
        tmp_path,
        "20260221",
        f"# 2026-02-21 (Saturday)\n\nRan\n{FENCE}\n\n# Later\n\nbar\n\n{TILDES}\n\n- one\n\n  ```\n\n  # two\n  ```\n",
    )
    picoclaw_day(
        tmp_path, "20260222", "line without heading\n# not first heading\nmore\n\n```\nnever ends\n\n## 08:00\n\n# 2026-02-22\n"
    )
    picoclaw_day(tmp_path, "20260223", "# Standup with Ann\n\nagenda\n")
    picoclaw_day(tmp_path, "20260224", "\n# 2026-02-23\n\n---\n# Alone\n\n")
    claw = str(
        picoclaw_day(
            tmp_path,
            "20260225",
            "# 20260225\n# Release 2\n\nOut.\n\n## 9:00 Steps\n\n```\n## 10:00\n\n# Done\n```\n\n# Evening\n\nHome\n",
        )
    )
    assert reasons(terminal, claw) == {"lines across the page": 1}
    imported(terminal, claw)

    assert notes_of(terminal, "20260221") == [f"Ran\n{FENCE}", "# Later\nbar", TILDES, "- one", "  ```\n\n  # two\n  ```"]
    assert sorted(notes_of(terminal, "20260222")) == [
        "# 2026-02-22",
        "```\nnever ends",
        "line without heading\n# not first heading\nmore",
    ]
    assert notes_of(terminal, "20260223") == ["# Standup with Ann\nagenda"]
    assert notes_of(terminal, "20260224") == ["# 2026-02-23", "# Alone"], "which is another day"
    assert notes_of(terminal, "20260225") == ["Steps\n\n```\n## 10:00\n\n# Done\n```", "# Evening\nHome", "# Release 2\nOut."]


def test_notes_of_one_time_keep_their_order(terminal: Terminal, tmp_path: Path) -> None:
    words = [f"{word} is what this paragraph says" for word in "alpha beta gamma delta epsilon zeta".split()]
    at_two = picoclaw_day(tmp_path, "20260227", "## 14:05\n\n" + "\n\n".join(words) + "\n\n## 14:05\n\nlast\n")
    later_today = "early\n\n## 18:00\n\n" + "\n\n".join(words) + "\n\n## 17:00\n\nbefore\n"
    picoclaw_day(tmp_path, "20260301", later_today)  # now it is noon
    imported(terminal, str(at_two))
    assert notes_of(terminal, "20260227") == [*words, "last"]
    assert notes_of(terminal, "20260301") == ["before", *words, "early"] or notes_of(terminal, "20260301") == [
        "early",
        "before",
        *words,
    ]

    terminal.mem("export", "--format", "markdown", str(tmp_path / "out"))
    exported = (tmp_path / "out" / "202602" / "20260227.md").read_text()
    assert [line for line in exported.splitlines() if line in words] == words
    assert imported(terminal, str(tmp_path / "out"), "--workspace", "copy")[0] == 15
    copied = [note["text"] for note in terminal.mem("note", "show", "20260227", "--json", "--workspace", "copy").json]
    assert copied == [*words, "last"]
