"""Shared memories in the working tree: readable files to review, that two people can add to and edit without a conflict."""

from __future__ import annotations

import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.conftest import Terminal
from tests.replication.conftest import Machine, texts_of

Team = Callable[..., Machine]
FOLDER = ".mempack/memories"


def test_a_memory_is_a_readable_file(machine: Team) -> None:
    ada = machine("ada")
    memory = ada.shared(
        "Preise für Kunden werden gecacht", "Der Dienst ist langsam.\n\n- Ablauf: 5 Minuten", "--tags", "cache,preise"
    )
    assert ada.mem("export", "--shared").out == f"1 written, 0 unchanged in {FOLDER}\n"
    text = (ada.folder / FOLDER / f"{memory}.md").read_text()
    assert text == (
        f'---\nid: "{memory}"\ntitle: "Preise für Kunden werden gecacht"\nthread: "general"\nkind: "note"\n'
        f'tags: ["cache", "preise"]\ncreated: "2026-03-01T12:00:00.000Z"\nanchor: "{ada.git("rev-parse", "HEAD")}"\n---\n\n'
        "Der Dienst ist langsam.\n\n- Ablauf: 5 Minuten\n"
    )
    assert ada.mem("export", "--shared").out == f"0 written, 1 unchanged in {FOLDER}\n"
    ada.mem("forget", memory)
    assert ada.mem("export", "--shared").out == f"0 written, 0 unchanged, 1 removed in {FOLDER}\n"


def test_files_bring_memories_under_their_ids_and_what_was_edited_in_them(machine: Team) -> None:
    ada, ben = machine("ada"), machine("ben", None)
    memory = ada.shared("A fact", "First reason")
    ada.mem("export", "--shared")
    path = ada.folder / FOLDER
    assert ben.mem("import", str(path)).out == "1 new, 0 changed, 0 unchanged\n"
    assert ben.mem("import", str(path)).out == "0 new, 0 changed, 1 unchanged\n"
    file = path / f"{memory}.md"
    file.write_text(file.read_text().replace("First reason", "Better reason").replace('title: "A fact"', "title: A better fact"))
    assert ben.mem("import", str(path)).out == "0 new, 1 changed, 0 unchanged\n"
    shown = ben.mem("show", memory, "--json").json["memory"]
    assert (shown["title"], shown["summary"], shown["trust"]) == ("A better fact", "Better reason", "low")
    ben.mem("update", memory, "--title", "The best fact")
    assert ben.mem("import", str(path)).out == "0 new, 0 changed, 1 unchanged\n", "an older file changes nothing"
    ben.mem("undo")
    ben.mem("undo")
    assert ben.mem("show", memory, "--json").json["memory"]["title"] == "A fact"


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("nothing like it", "does not begin with fields"),
        ('---\nid: "M-0000000000"\ntitle: "t"\n---\n\ns\n', "its id is not that of its name"),
        ("---\nid: {id}\n---\n\ns\n", "it has no title"),
        ("---\nid: {id}\ntitle: [1]\n---\n\ns\n", "title is not text"),
        ("---\nid: {id}\ntitle: t\ntags: 7\n---\n\ns\n", "tags is not a list of words"),
        ("---\nid: {id}\ntitle: t\n---\n\n", "the summary is empty"),
        ("---\nid: {id}\nnonsense\n---\n\ns\n", "has no colon"),
    ],
)
def test_a_file_that_is_not_right_is_left_out_with_its_reason(machine: Team, text: str, reason: str) -> None:
    ada = machine("ada")
    memory = ada.shared("A fact")
    ada.mem("export", "--shared")
    bad = "M-ABCDEFGHJK"
    (ada.folder / FOLDER / f"{bad}.md").write_text(text.replace("{id}", bad))
    result = ada.mem("import", str(ada.folder / FOLDER))
    assert result.out == "0 new, 0 changed, 1 unchanged\n"
    assert f"left out {bad}.md: " in result.err
    assert reason in result.err
    assert memory in ada.mem("recent").out


def test_links_and_large_files_are_not_followed(machine: Team, tmp_path: Path) -> None:
    ada = machine("ada")
    ada.shared("A fact")
    ada.mem("export", "--shared")
    (ada.folder / FOLDER / "M-ABCDEFGHJK.md").symlink_to("/etc/passwd")
    (ada.folder / FOLDER / "M-ABCDEFGHJM.md").write_bytes(b"-" * (1 << 19))
    assert ada.mem("import", str(ada.folder / FOLDER)).err.count("not a regular file") == 2
    (ada.folder / ".mempack").rename(tmp_path / "elsewhere")
    (ada.folder / ".mempack").symlink_to(tmp_path / "elsewhere")
    assert ".mempack is not a directory" in ada.mem("export", "--shared", fails=2).err


def test_a_conflict_is_only_what_both_changed_differently(machine: Team, terminal: Terminal) -> None:
    ada, ben = machine("ada"), machine("ben")
    memory = ada.shared("Title", "Summary", "--tags", "a")
    ada.mem("export", "--shared")
    ada.git("add", ".mempack")
    ada.git("commit", "-q", "-m", "memories")
    ada.git("push", "-q", "origin", "main")
    ben.git("pull", "-q")
    ben.mem("import", str(ben.folder / FOLDER))
    ben.process("setup", "git")
    ada.mem("update", memory, "--title", "Title by Ada", "--tags", "a,b")
    ada.shared("New from Ada")
    ben.mem("update", memory, "--title", "Title by Ben", "--summary", "Summary by Ben")
    ben.shared("New from Ben")
    for member in (ada, ben):
        member.mem("export", "--shared")
        member.git("add", ".mempack")
        member.git("commit", "-q", "-m", "more memories")
    ada.git("push", "-q", "origin", "main")
    subprocess.run(
        ["git", "pull", "-q", "--no-rebase", "--no-edit"], cwd=ben.folder, env=ben.env, capture_output=True, check=False
    )
    merged = (ben.folder / FOLDER / f"{memory}.md").read_text()
    assert 'tags: ["a", "b"]' in merged
    assert "Summary by Ben" in merged
    assert merged.count("<<<<<<< ours") == 1, "both changed the title"
    assert 'title: "Title by Ada"' in merged
    file = ben.folder / FOLDER / f"{memory}.md"
    assert "has the markers of a merge conflict" in ben.mem("import", str(ben.folder / FOLDER)).err
    chosen = [line for line in merged.splitlines() if not line.startswith(("<<<<", "====", ">>>>")) and 'by Ben"' not in line]
    file.write_text("\n".join(chosen) + "\n")
    assert len(list((ben.folder / FOLDER).glob("*.md"))) == 3
    assert ben.mem("import", str(ben.folder / FOLDER)).out == "0 new, 1 changed, 2 unchanged\n"


def test_setup_puts_the_merge_driver_in_and_takes_it_out(machine: Team) -> None:
    ada = machine("ada")
    attributes = ada.folder / ".git/info/attributes"
    ada.process("setup", "git")
    assert "/.mempack/memories/*.md merge=mem\n" in attributes.read_text()
    assert "merge-memory %O %A %B" in ada.git("config", "merge.mem.driver")
    assert "already set up" in ada.process("setup", "git").out
    ada.process("setup", "git", "--remove")
    assert not attributes.exists() or "merge=mem" not in attributes.read_text()
    assert "merge.mem" not in ada.git("config", "--list", "--local")


def test_a_file_that_is_no_memorys_is_named_with_the_reason(machine: Team) -> None:
    ada = machine("ada")
    memory = ada.shared("A fact")
    ada.mem("export", "--shared")
    folder = ada.folder / ".mempack/memories"
    (folder / "by-hand.md").write_text("A fact, by hand\n")
    (folder / f"{memory}.md").write_text("---\ntitle: x\n")
    told = ada.mem("import", str(folder)).err
    assert "left out by-hand.md: not named after a memory" in told
    assert f"left out {memory}.md: it does not begin with fields between two lines of ---" in told


def test_what_is_put_in_by_hand_is_printed_with_the_merge_driver(machine: Team) -> None:
    printed = machine("ada").mem("setup", "git", "--print").out
    assert "/.mempack/memories/*.md merge=mem" in printed
    assert "merge-memory %O %A %B" in printed


def test_a_file_with_the_id_of_a_memory_that_was_not_shared_changes_and_publishes_nothing(
    machine: Team, remote: Path, terminal: Terminal
) -> None:
    ada = machine("ada")
    memory, shared = ada.add("Private to Ada", "kept at home"), ada.shared("A fact")
    ada.mem("export", "--shared")
    folder = ada.folder / FOLDER
    (folder / f"{memory}.md").write_text((folder / f"{shared}.md").read_text().replace(shared, memory))
    imported = ada.mem("import", str(folder))
    assert imported.out.startswith("0 new, 0 changed, 1 unchanged")
    assert f"mem share {memory} first" in imported.err
    ada.mem("sync")
    assert ada.known() == {"Private to Ada", "A fact"}
    assert "at home" not in texts_of(remote, terminal.git)


def test_an_export_leaves_a_file_that_says_what_was_not_imported(machine: Team) -> None:
    ada = machine("ada")
    edited, torn = ada.shared("Deploys need a tag"), ada.shared("Sessions live in Redis")
    ada.mem("export", "--shared")
    paths = [ada.folder / f".mempack/memories/{name}.md" for name in (edited, torn)]
    paths[0].write_text(paths[0].read_text().replace("because", "because of the audit"))
    paths[1].write_text(paths[1].read_text() + "<<<<<<< ours\none\n=======\ntwo\n>>>>>>> theirs\n")
    before = [path.read_text() for path in paths]
    ada.mem("update", edited, "--title", "Deploys need a signed tag")
    exported = ada.mem("export", "--shared")
    assert [path.read_text() for path in paths] == before
    assert exported.out == "0 written, 0 unchanged in .mempack/memories\n"
    told = " ".join(exported.err.split())
    assert f"left {edited}.md as it is: it has edits that were not imported; mem import .mempack/memories" in told
    assert f"left {torn}.md as it is: it has the markers of a merge conflict" in told
    ada.mem("import", ".mempack/memories")
    assert "1 written" in ada.mem("export", "--shared").out
    text = paths[0].read_text()
    assert "because of the audit" in text
    assert "Deploys need a signed tag" in text
