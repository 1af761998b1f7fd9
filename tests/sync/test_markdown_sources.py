"""Blocks of Markdown that other programs keep: items and paragraphs are memories once, what is neither is counted."""

from __future__ import annotations

import os
from pathlib import Path

from tests.conftest import Terminal
from tests.sync.test_migration import imported, memories, reasons

TEXT = """\
Habits
======

- Drinks tea

  at five

  ```sh
  kettle on
  ```
- Walks to work
in any weather

---

Lives in Oslo.

> Never call
> before ten.

| day | place |
| --- | --- |
| Monday | office |

```sh
- no item
```

Reading
-------

    indented code

1. Poems
   - of Larkin
"""


def test_each_block_of_a_long_term_memory_is_taken_once_or_counted(terminal: Terminal, tmp_path: Path) -> None:
    path = tmp_path / "MEMORY.md"
    path.write_text(TEXT)
    left_out = reasons(terminal, str(path))
    assert (left_out["blocks of code"], left_out["tables"]) == (3, 1)

    assert imported(terminal, str(path)) == (5, 0, 0)
    assert {memory["summary"]: memory["thread_id"] for memory in memories(terminal).values()} == {
        "Drinks tea\nat five": "Habits",
        "Walks to work\nin any weather": "Habits",
        "Lives in Oslo.": "Habits",
        "Never call\nbefore ten.": "Habits",
        "Poems\n - of Larkin": "Reading",
    }


def test_paragraphs_in_an_item_are_not_counted_as_outside_of_lists(terminal: Terminal) -> None:
    (terminal.folder / "AGENTS.md").write_text("---\napplyTo: src\n---\n\n" + TEXT.replace("\n", "\r\n"))
    left_out = reasons(terminal, "AGENTS.md")
    assert (left_out["paragraphs outside of lists"], left_out["blocks of code"], left_out["tables"]) == (2, 3, 1)
    assert imported(terminal, "AGENTS.md") == (3, 0, 0)


def test_items_of_a_file_elsewhere_are_not_linked_to_the_repositorys_own(terminal: Terminal, tmp_path: Path) -> None:
    (terminal.folder / "CLAUDE.md").write_text("- Ours\n")
    other = tmp_path / "other"
    other.mkdir()
    (other / "CLAUDE.md").write_text("- Theirs\n- Use tabs\n")

    assert reasons(terminal, str(other))["links to files that are not in this repository"] == 2
    assert imported(terminal, str(other)) == (2, 0, 0)
    assert imported(terminal, str(other)) == (0, 0, 2)
    assert "CLAUDE.md (" not in terminal.mem("show", memories(terminal)["Theirs"]["id"]).out
    assert imported(terminal, "CLAUDE.md") == (1, 0, 0)
    assert "CLAUDE.md (" in terminal.mem("show", memories(terminal)["Ours"]["id"]).out


def test_a_note_of_basic_memory_is_read_as_basic_memory_reads_it(terminal: Terminal, tmp_path: Path) -> None:
    notes = tmp_path / "notes"
    (notes / ".obsidian").mkdir(parents=True)
    (notes / ".obsidian/x.md").write_text("- [setting] hidden\n")
    (notes / ".trash.md").write_text("- [setting] thrown away\n")
    lines = ["---", "title: Tea", "type: [recipe, note]", "tags: '#one, two'", "created: soon", "---", "", "How to brew.", ""]
    lines += ["- [method] Pour slowly #hot", "- [ ] buy tea", "- [x] boil water", "- [-] find cups", "- pairs_with [[Tea]]"]
    (notes / "tea.md").write_bytes("\r\n".join(lines).encode())
    os.utime(notes / "tea.md", (1_700_000_000, 1_700_000_000))
    assert reasons(terminal, str(notes)) == {"times that are missing or cannot be read: taken as when the file changed last": 1}
    assert imported(terminal, str(notes)) == (2, 0, 0)
    note = memories(terminal)["Tea"]
    assert (note["tags"], note["kind"]) == (["one", "two"], "recipe")
    assert note["summary"] == "How to brew.\n\n- [ ] buy tea\n- [x] boil water\n- [-] find cups"
    assert memories(terminal)["Pour slowly #hot"]["kind"] == "method"


def test_notes_that_basic_memory_passes_over_are_listed(terminal: Terminal, tmp_path: Path) -> None:
    notes = tmp_path / "notes"
    for name in ("tea", "drafts/x", "a/drafts/y", "top/z", "a/top/kept", "old.bak", "a/b.tmp", "private", "dist/made", "seen"):
        path = notes / f"{name}.md"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(f"---\ntitle: {name}\n---\n- [tip] Of {name}\n")
    (notes / ".gitignore").write_text("# not told\n\ndrafts/\n/top/\n*.tmp.md\n/private.md\n!seen.md\n")
    (notes / ".bmignore").write_text("*.bak*\n")
    reason = "notes that .gitignore or .bmignore leaves out, as basic-memory does"
    assert reasons(terminal, str(notes))[reason] == 7
    assert imported(terminal, str(notes)) == (6, 0, 0)
    assert memories(terminal).keys() == {"tea", "Of tea", "a/top/kept", "Of a/top/kept", "seen", "Of seen"}

    own = Path(terminal.env["HOME"]) / ".basic-memory"
    own.mkdir()
    (own / ".bmignore").write_text("tea.md\n")
    assert reasons(terminal, str(notes))[reason] == 7, "a person's own patterns stand in the place of the usual ones"
    (notes / ".gitignore").unlink()
    (notes / ".gitignore").symlink_to(tmp_path / "elsewhere")
    assert reasons(terminal, str(notes))[reason] == 2


def test_a_note_of_basic_memory_is_told_without_headings_that_say_nothing(terminal: Terminal, tmp_path: Path) -> None:
    (tmp_path / "notes").mkdir()
    (tmp_path / "notes/t.md").write_text(
        "---\ntitle: Tea\npermalink: tea\n---\n# Tea #\n\n## Observations\n- [tip] Warm the pot\n\n## How\n\n### First\n"
        "\nBoil.\n\n## Relations\n### Uses\n- uses [[Tea]]\n"
    )
    assert imported(terminal, str(tmp_path / "notes")) == (2, 0, 0)
    assert memories(terminal)["Tea"]["summary"] == "## How\n\n### First\n\nBoil."
