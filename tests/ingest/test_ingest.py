"""mem ingest follows a working tree: what is there is kept once, what is gone goes, and an unchanged text keeps its id."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

import apsw
import pytest

from memcli.ingest import read
from tests.conftest import Terminal
from tests.ingest.trees import chunks, counts, edit, ids, ingest, is_sound, paragraphs, rows, write


def test_the_first_run_takes_everything_in_and_the_second_reads_nothing(tree: Terminal, monkeypatch: pytest.MonkeyPatch) -> None:
    before = ids(tree)
    monkeypatch.setattr(read, "read_all", None)

    assert sorted(before) == ["a.txt", "docs/b.md", "lib/c.py"]
    assert len(before["a.txt"]) == 2
    assert counts(ingest(tree)) == (0, 0, 3, 0)
    assert ids(tree) == before
    assert is_sound(tree)


def test_what_was_ingested_is_found(tree: Terminal) -> None:
    pack = tree.mem("get", "who says beta", "--format", "json").json

    assert [chunk["path"] for chunk in pack["top_chunks"]][:1] == ["a.txt"]


def test_a_commit_changes_nothing(tree: Terminal) -> None:
    before = ids(tree)
    tree.git("commit", "-q", "--allow-empty", "-m", "more")

    assert counts(ingest(tree)) == (0, 0, 3, 0)
    assert ids(tree) == before


def test_after_an_edit_only_that_file_is_read_and_its_unchanged_part_keeps_its_id(tree: Terminal) -> None:
    before = ids(tree)
    edit(tree.folder / "a.txt", paragraphs("alpha", "gamma"))
    summary = ingest(tree)

    assert counts(summary) == (0, 1, 2, 0)
    assert summary["read_bytes"] == (tree.folder / "a.txt").stat().st_size
    assert ids(tree)["a.txt"][0] == before["a.txt"][0]
    assert ids(tree)["a.txt"][1] != before["a.txt"][1]
    assert not rows(tree, "SELECT 1 FROM chunk WHERE text LIKE '%beta%'")
    assert is_sound(tree)


def test_a_renamed_file_keeps_the_ids_of_its_chunks(tree: Terminal) -> None:
    before = ids(tree)
    tree.git("mv", "a.txt", "lib/moved.txt")

    assert counts(ingest(tree)) == (1, 0, 2, 1)
    assert ids(tree)["lib/moved.txt"] == before["a.txt"]
    assert "a.txt" not in ids(tree)


def test_a_switch_and_back_leaves_what_was_there(tree: Terminal) -> None:
    before = ids(tree)
    tree.git("switch", "-q", "-c", "other")
    tree.git("rm", "-q", "a.txt")
    write(tree.folder, {"new.py": "def new():\n    pass\n", "docs/b.md": "about wasps\n"})
    tree.git("add", ".")
    tree.git("commit", "-q", "-m", "other")

    assert counts(ingest(tree)) == (1, 1, 1, 1)
    assert sorted(ids(tree)) == ["docs/b.md", "lib/c.py", "new.py"]
    tree.git("switch", "-q", "main")
    ingest(tree)
    assert ids(tree) == before
    assert is_sound(tree)


def test_deleted_and_since_ignored_files_go(tree: Terminal) -> None:
    (tree.folder / "a.txt").unlink()
    (tree.folder / ".mempackignore").write_text("docs/\n")

    assert counts(ingest(tree)) == (1, 0, 1, 2)
    assert sorted(ids(tree)) == [".mempackignore", "lib/c.py"]


def test_an_untracked_file_that_git_ignores_later_goes(tree: Terminal) -> None:
    write(tree.folder, {"notes.txt": "to do"})
    assert counts(ingest(tree)) == (1, 0, 3, 0)
    (tree.folder / ".git/info/exclude").write_text("notes.txt\n")

    assert counts(ingest(tree)) == (0, 0, 3, 1)


def test_a_path_touches_only_what_lies_under_it(tree: Terminal) -> None:
    (tree.folder / "a.txt").unlink()
    edit(tree.folder / "lib/c.py", "def ocean():\n    pass\n")
    edit(tree.folder / "docs/b.md", "about ants\n")

    assert counts(ingest(tree, "lib")) == (0, 1, 0, 0)
    assert counts(ingest(tree, "docs/b.md")) == (0, 1, 0, 0)
    assert "a.txt" in ids(tree)
    assert counts(ingest(tree, "a.txt")) == (0, 0, 0, 1)


def test_a_path_is_meant_from_the_working_directory(tree: Terminal) -> None:
    edit(tree.folder / "lib/c.py", "def ocean():\n    pass\n")

    assert counts(ingest(tree.at(tree.folder / "lib"), ".")) == (0, 1, 0, 0)
    assert [chunk["path"] for chunk in chunks(tree.at(tree.folder / "lib"), "c.py")] == ["lib/c.py"]


def test_a_neighbour_whose_name_begins_the_same_is_not_under_a_path(tree: Terminal) -> None:
    write(tree.folder, {"lib2/d.py": "x = 1\n", "lib-3.py": "y = 2\n"})
    ingest(tree)
    for name in ("lib2/d.py", "lib-3.py"):
        (tree.folder / name).unlink()

    assert counts(ingest(tree, "lib")) == (0, 0, 1, 0)
    assert {"lib2/d.py", "lib-3.py"} <= set(ids(tree))


def test_a_path_outside_or_of_nothing_is_an_error(tree: Terminal, tmp_path: Path) -> None:
    assert "outside" in tree.mem("ingest", str(tmp_path), fails=2).err
    assert "no file or directory nowhere.py" in tree.mem("ingest", "nowhere.py", fails=3).err
    (tree.folder / "way-out").symlink_to(tmp_path)
    assert "outside" in tree.mem("ingest", "way-out/x", fails=2).err


def test_where_nothing_is_read_it_is_said_why(tree: Terminal) -> None:
    (tree.folder / ".git/info/exclude").write_text("out/\n")
    write(tree.folder, {"out/a.txt": "alpha\n"})
    tree.git("init", "-q", "inner")
    write(tree.folder, {"inner/b.py": "x = 1\n"})

    for path in ("out/a.txt", "out", "inner/b.py", ".git/config"):
        done = tree.mem("ingest", path)
        assert done.out == "0 new, 0 changed, 0 unchanged, 0 removed; 0 chunks written, 0 taken out\n"
        assert done.err == f"no file under {path} to read: what git ignores, and what another repository has, is not\n"
    assert tree.mem("ingest", "out", "--json").err == ""
    assert tree.mem("ingest", "inner").err == ""
    assert tree.mem("ingest", "inner").out.endswith("\n1 skipped: 1 repository\n")


def test_one_chunk_is_one_chunk(terminal: Terminal) -> None:
    write(terminal.folder, {"a.py": "x = 1\n"})

    assert terminal.mem("ingest").out == "1 new, 0 changed, 0 unchanged, 0 removed; 1 chunk written, 0 taken out\n"


def test_nothing_is_told_apart_by_what_ingest_was_called(terminal: Terminal) -> None:
    write(terminal.folder, {"a.py": "x = 1\n"})

    assert terminal.mem("ingest-artifact", ".", "--thread", "src").out.startswith("1 new")
    assert terminal.process("ingest-artifact", ".").out.startswith("0 new")


def test_what_is_kept_of_a_path_can_be_taken_out(tree: Terminal) -> None:
    assert tree.mem("ingest", "--remove", "docs", "--json").json == {"removed": 1, "chunks_removed": 1}
    assert sorted(ids(tree)) == ["a.txt", "lib/c.py"]
    assert "nothing from docs is stored" in tree.mem("ingest", "--remove", "docs", fails=3).err
    assert "excludes other paths and options" in tree.mem("ingest", "lib", "--remove", "docs", fails=2).err
    assert is_sound(tree)


def test_chunks_have_the_thread_that_was_named_and_keep_it(tree: Terminal) -> None:
    ingest(tree, "lib", "--thread", "core")
    edit(tree.folder / "lib/c.py", "def ocean():\n    pass\n")
    ingest(tree)

    assert dict(rows(tree, "SELECT path, thread FROM chunk")) == {"a.txt": "general", "docs/b.md": "general", "lib/c.py": "core"}
    assert "thread" in tree.mem("ingest", "--thread", " ", fails=2).err


def test_other_limits_cut_anew(tree: Terminal) -> None:
    summary = ingest(tree, "--chunk-tokens", "64", "--overlap-tokens", "0")

    assert counts(summary) == (0, 0, 3, 0)
    assert summary["chunks_removed"] == 4
    assert ingest(tree, "--chunk-tokens", "64", "--overlap-tokens", "0")["chunks_added"] == 0


@pytest.mark.parametrize(
    "words", [["--chunk-tokens", "1"], ["--overlap-tokens", "999"], ["--max-file-mb", "0"], ["--max-file-mb", "x"]]
)
def test_a_limit_that_makes_no_sense_is_refused(tree: Terminal, words: list[str]) -> None:
    refused = tree.mem("ingest", *words, fails=2)

    assert refused.err.startswith("Error: ")
    assert "\nHint: " in refused.err
    assert counts(ingest(tree)) == (0, 0, 3, 0)


def test_a_forgotten_chunk_stays_forgotten_whatever_becomes_of_its_file(tree: Terminal) -> None:
    first, second = ids(tree)["a.txt"]
    # As mem forget leaves it.
    rows_of = "SELECT n, locator, text, tags, words FROM chunk_text WHERE n = (SELECT n FROM chunk WHERE id = ?)"
    db = apsw.Connection(str(tree.store))
    (row,) = db.execute(rows_of, (first,)).fetchall()
    db.execute("INSERT INTO chunk_fts(chunk_fts, rowid, locator, text, tags, words) VALUES ('delete', ?, ?, ?, ?, ?)", row)
    db.execute("UPDATE chunk SET hidden = 1 WHERE id = ?", (first,))
    db.close()

    edit(tree.folder / "a.txt", paragraphs("alpha", "gamma"))
    ingest(tree)
    assert rows(tree, f"SELECT hidden FROM chunk WHERE id = '{first}'") == [(1,)]
    tree.git("switch", "-q", "--orphan", "empty", "-f")
    ingest(tree)
    assert rows(tree, "SELECT id, artifact FROM chunk") == [(first, -1)]
    tree.git("switch", "-q", "main")
    ingest(tree)
    assert rows(tree, "SELECT id, hidden FROM chunk WHERE path = 'a.txt' ORDER BY first_line") == [(first, 1), (second, 0)]
    assert is_sound(tree)


def test_copies_of_a_text_have_ids_of_their_own_and_keep_them(terminal: Terminal) -> None:
    write(terminal.folder, {f"copy{number}.txt": paragraphs("same", f"own{number}") for number in range(5)})
    ingest(terminal)
    before = {path: some[0] for path, some in ids(terminal).items()}
    assert len(set(before.values())) == 5
    for number in range(5):
        edit(terminal.folder / f"copy{number}.txt", paragraphs("same", f"other{number}"))
    (terminal.folder / "copy0.txt").unlink()
    ingest(terminal)

    assert [some[0] for _, some in sorted(ids(terminal).items())] == [before[f"copy{number}.txt"] for number in range(1, 5)]


def test_each_working_tree_has_its_own_state_and_shares_what_is_the_same(tree: Terminal) -> None:
    before = ids(tree)
    side = tree.folder.parent / "side"
    tree.git("worktree", "add", "-q", "-b", "side", str(side))
    other = tree.at(side)
    write(side, {"docs/b.md": "about wasps\n"})
    summary = ingest(other)

    assert counts(summary) == (3, 0, 0, 0)
    assert summary["chunks_added"] == 1
    assert ids(tree) == before
    assert ids(other)["a.txt"] == before["a.txt"]
    assert ids(other)["docs/b.md"] != before["docs/b.md"]
    tree.git("worktree", "remove", "--force", str(side))
    ingest(tree)
    assert ids(tree) == before
    assert not rows(tree, "SELECT 1 FROM chunk WHERE text LIKE '%wasps%'")
    assert rows(tree, "SELECT count(*) FROM tree") == [(1,)]
    assert is_sound(tree)


def test_two_clones_of_one_origin_share_a_store(tree: Terminal) -> None:
    tree.git("remote", "add", "origin", "https://example.invalid/one.git")
    tree.mem("init", "--no-agents")
    clone = tree.folder.parent / "clone"
    tree.git("clone", "-q", str(tree.folder), str(clone))
    tree.git("remote", "set-url", "origin", "https://example.invalid/one.git", cwd=clone)
    other = tree.at(clone)

    assert ingest(other)["chunks_added"] == 0
    assert ids(other) == ids(tree)
    (clone / "a.txt").unlink()
    ingest(other)
    assert "a.txt" in ids(tree)
    assert "a.txt" not in ids(other)


def test_a_tree_that_was_moved_is_known_again(tree: Terminal) -> None:
    before = ids(tree)
    moved = tree.at(tree.folder.parent / "moved")
    shutil.move(tree.folder, moved.folder)

    assert counts(ingest(moved)) == (0, 0, 3, 0)
    assert ids(moved) == before
    assert rows(moved, "SELECT root FROM tree") == [(str(moved.folder),)]


def test_a_tree_whose_name_is_not_text_stays_while_it_is_there(tree: Terminal) -> None:
    odd = Path(os.fsdecode(os.fsencode(tree.folder.parent) + b"/odd \xff\xfe \\xzz\\x41"))
    tree.git("worktree", "add", "-q", "--detach", str(odd))
    write(odd, {"only.py": "def only_there():\n    pass\n"})
    other = tree.at(odd)
    assert counts(ingest(other)) == (4, 0, 0, 0)
    before = ids(other)

    ingest(tree)
    assert rows(tree, "SELECT count(*) FROM tree") == [(2,)]
    assert counts(ingest(other)) == (0, 0, 4, 0)
    assert ids(other) == before
    moved = tree.at(odd.with_name(odd.name + "\udcff"))
    tree.git("worktree", "move", str(odd), str(moved.folder))
    assert counts(ingest(moved)) == (0, 0, 4, 0)
    assert rows(tree, "SELECT count(*) FROM tree") == [(2,)]
    tree.git("worktree", "remove", "--force", str(moved.folder))
    ingest(tree)
    assert rows(tree, "SELECT count(*) FROM tree") == [(1,)]
    assert is_sound(tree)


def test_a_plain_directory_is_ingested_without_git(nowhere: Terminal) -> None:
    write(nowhere.folder, {"a.py": "x = 1\n", ".gitignore": "*.log\n", "b.log": "no\n"})
    nowhere.mem("init", "--no-git", "--no-agents")

    assert counts(ingest(nowhere, ".")) == (2, 0, 0, 0)
    assert sorted(ids(nowhere)) == [".gitignore", "a.py"]


def test_where_there_are_no_files_to_ingest_it_says_so(terminal: Terminal, tmp_path: Path) -> None:
    assert "no files" in terminal.mem("ingest", "--user", fails=2).err
    bare = tmp_path / "bare.git"
    terminal.git("init", "-q", "--bare", str(bare))
    assert "bare" in terminal.at(bare).mem("ingest", fails=2).err
    assert terminal.mem("ingest").out.startswith("0 new")
    assert "mem ingest" in terminal.mem("chunks").out


def test_another_directory_is_named_by_repo(tree: Terminal, tmp_path: Path) -> None:
    edit(tree.folder / "a.txt", "other\n")

    assert counts(ingest(tree.at(tmp_path), "--repo", str(tree.folder))) == (0, 1, 2, 0)


def test_doctor_tells_how_much_is_kept_and_since_when(tree: Terminal) -> None:
    found = tree.mem("doctor", "--json").json

    assert found["ok"]
    assert found["evidence"] == {"files": 3, "chunks": 4, "ingested_at": "2026-03-01T12:00:00.000Z"}
    assert "3 files in 4 chunks" in tree.mem("doctor").out


def test_the_words_of_an_identifier_find_its_chunk(terminal: Terminal) -> None:
    write(terminal.folder, {"net.js": "function sendHTTPRequest(user_session_id) { return fetchAll2(x) }\n"})
    ingest(terminal)

    for word in ("request", "http", "usersessionid", "session", "fetch", "sendhttprequest", "net"):
        assert terminal.mem("get", word, "--format", "json").json["top_chunks"], word


def test_lists_are_readable(tree: Terminal) -> None:
    out = tree.mem("chunks", "a.txt").out

    assert out.splitlines()[0].split()[1] == "a.txt:1-40"
    assert len(tree.mem("chunks", "--limit", "1").out.splitlines()) == 1
    assert os.linesep in out


def test_the_summary_names_the_lines_in_which_secrets_were_masked(terminal: Terminal) -> None:
    token = "ghp_" + "Zx8Qw3Er7Ty1Ui5Op9As2Df6Gh0JkLcVbNm4"
    terminal.mem("init", "--no-agents")
    (terminal.folder / "a.md").write_text(f"# A\n\nplain\n\nuse {token}\n", "utf-8")
    (terminal.folder / "b.json").write_text(f'{{"msg": "connected\\n{token}"}}\n', "utf-8")

    assert "secrets masked in 2 files: a.md:5, b.json:1\n" in terminal.mem("ingest").out
    assert terminal.mem("ingest", "--json").json["masked_in"] == []
