"""What of a tree is read: what git lists or a walk finds, without what is ignored, linked, fetched or made by tools."""

from __future__ import annotations

import os
import socket
import time
from pathlib import Path

import pytest

from memcli.errors import InvalidInput
from memcli.ingest import walk
from memcli.repo import head
from tests.conftest import Terminal
from tests.ingest.trees import ids, ingest, write

MOST = 1_000


def listed(terminal: Terminal, *scopes: str) -> walk.Seen:
    return walk.list_files(str(terminal.folder), head.find(str(terminal.folder)), scopes, MOST)


def test_git_says_what_is_tracked_and_what_is_ignored(terminal: Terminal) -> None:
    nested = {".gitignore": "*.log\n!keep.log\n", "sub/.gitignore": "secret.txt\n/out\n", ".git/info/exclude": "mine.txt\n"}
    write(terminal.folder, nested)
    kept = {"a.txt": "a", "sub/b.txt": "b", "keep.log": "k", "sub/deep/out": "no anchor"}
    left = {"x.log": "x", "sub/secret.txt": "s", "sub/out": "o", "mine.txt": "m"}
    write(terminal.folder, {**kept, **left})
    (Path(terminal.env["HOME"]) / ".gitconfig").write_text("[core]\n\texcludesFile = ~/global\n")
    write(Path(terminal.env["HOME"]), {"global": "*.tmp\n"})
    write(terminal.folder, {"e.tmp": "e"})
    terminal.git("add", "-f", "sub/secret.txt")

    assert set(listed(terminal).stamps) == {*kept, ".gitignore", "sub/.gitignore", "sub/secret.txt"}


def test_what_is_gone_or_not_checked_out_counts_nowhere(terminal: Terminal) -> None:
    write(terminal.folder, {"in/a.txt": "a", "out/b.txt": "b", "c.txt": "c"})
    terminal.git("add", ".")
    terminal.git("commit", "-q", "-m", "files")
    terminal.git("sparse-checkout", "set", "--no-cone", "in", "c.txt")
    (terminal.folder / "c.txt").unlink()

    assert (set(listed(terminal).stamps), listed(terminal).skipped) == ({"in/a.txt"}, {})


def test_an_unmerged_file_is_one_file(terminal: Terminal) -> None:
    terminal.commit(a_txt="base")
    terminal.git("switch", "-q", "-c", "side")
    terminal.commit(a_txt="side")
    terminal.git("switch", "-q", "main")
    terminal.commit(a_txt="main")
    with pytest.raises(Exception, match="merge"):
        terminal.git("merge", "side")

    assert list(listed(terminal).stamps) == ["a.txt"]


def test_repositories_inside_are_left_alone(terminal: Terminal) -> None:
    inner = terminal.folder / "inner"
    inner.mkdir()
    terminal.git("init", "-q", cwd=inner)
    write(inner, {"a.txt": "a"})
    terminal.git("add", ".", cwd=inner)
    terminal.git("commit", "-q", "-m", "inner", cwd=inner)
    assert (list(listed(terminal).stamps), listed(terminal).skipped) == ([], {"repository": 1})
    terminal.git("-c", "advice.addEmbeddedRepo=false", "add", "inner")  # as a submodule is recorded

    assert (list(listed(terminal).stamps), listed(terminal).skipped) == ([], {"repository": 1})


def test_no_link_is_followed(terminal: Terminal, tmp_path: Path) -> None:
    write(tmp_path, {"outside/secret.txt": "secret"})
    write(terminal.folder, {"a.txt": "a", "real/b.txt": "b"})
    (terminal.folder / "to-a").symlink_to("a.txt")
    (terminal.folder / "out.txt").symlink_to(tmp_path / "outside/secret.txt")
    (terminal.folder / "dangling").symlink_to("nowhere")
    (terminal.folder / "out").symlink_to(tmp_path / "outside")
    terminal.git("add", ".")
    (terminal.folder / "real/b.txt").unlink()
    (terminal.folder / "real").rmdir()
    (terminal.folder / "real").symlink_to(tmp_path / "outside")  # b.txt is still in git's index

    assert list(listed(terminal).stamps) == ["a.txt"]
    assert listed(terminal).skipped == {"link": 3, "link that leaves the tree": 3}
    ingest(terminal)
    assert list(ids(terminal)) == ["a.txt"]


def test_what_is_no_file_is_left_alone(terminal: Terminal) -> None:
    write(terminal.folder, {"pipe": "a file, when git saw it", "a.txt": "a"})
    terminal.git("add", ".")
    (terminal.folder / "pipe").unlink()
    os.mkfifo(terminal.folder / "pipe")
    before = os.getcwd()
    os.chdir(terminal.folder)
    listening = socket.socket(socket.AF_UNIX)
    listening.bind("plug")
    listening.close()
    os.chdir(before)

    assert list(listed(terminal).stamps) == ["a.txt"]
    assert listed(terminal).skipped == {"special file": 1}  # git does not list the socket


def test_large_fetched_made_and_secret_files_are_counted_by_reason(terminal: Terminal) -> None:
    files = {
        "a.go": "package a\n",
        "big.txt": "x" * (MOST + 1),
        "vendor/x/x.go": "package x\n",
        "web/node_modules/y/index.js": "y\n",
        "static/jquery-3.1.js": "z\n",
        "Cargo.lock": "l\n",
        "api.pb.go": "package p\n",
        "logo.png": "\x89PNG",
        ".env": "TOKEN=1\n",
        ".env.example": "TOKEN=\n",
        "deploy/id_rsa": "key\n",
        ".mempack/MEMORY.md": "for agents\n",
    }
    write(terminal.folder, files)
    found = listed(terminal)

    assert set(found.stamps) == {"a.go", ".env.example"}
    assert found.skipped == {"too large": 1, "vendored": 3, "generated": 2, "binary": 1, "secret": 2, "mem's own": 1}


def test_content_that_is_no_text_of_anybody_is_skipped_once_and_remembered(terminal: Terminal) -> None:
    write(
        terminal.folder,
        {
            "blob": b"MZ\0\1\2",
            "line.txt": "x" * 60_000,
            "made.go": "// Code generated by stringer. DO NOT EDIT.\n\npackage a\n",
            "packed.js": "var a=1;" * 200,
            "model.csv": "version https://git-lfs.github.com/spec/v1\noid sha256:4d7a21\nsize 12345\n",
            "plain.js": "var a = 1;\n" * 200,
            "empty.txt": "",
        },
    )
    reasons = {"binary": 1, "long line": 1, "generated": 2, "pointer": 1}
    first = ingest(terminal)
    again = ingest(terminal)

    assert (first["new"], first["skipped"]) == (2, reasons)
    assert (again["unchanged"], again["read_bytes"], again["skipped"]) == (2, 0, reasons)
    assert list(ids(terminal)) == ["plain.js"]


def test_a_notebook_with_a_picture_is_read(terminal: Terminal) -> None:
    picture = '{"output_type": "display_data", "data": {"image/png": "' + "iVBORw0KGgo" * 8_000 + '"}}'
    code = '{"cell_type": "code", "source": ["def frobnicate(x):\\n"],\n "outputs": [\n' + picture + "\n]}"
    write(terminal.folder, {"a.ipynb": '{"cells": [\n' + code + '\n],\n"metadata": {}, "nbformat": 4}\n'})

    assert ingest(terminal)["skipped"] == {}
    (found,) = [one for one in terminal.mem("get", "frobnicate", "--json").json["top_chunks"] if "frobnicate" in one["text"]]
    assert found["path"] == "a.ipynb"


def test_mempackignore_has_gits_syntax_and_may_bring_back_what_rules_leave_out(terminal: Terminal) -> None:
    write(
        terminal.folder,
        {
            ".mempackignore": "*.csv\n/data/\n!vendor/ours/\n",
            "sub/.mempackignore": "!keep.csv\nnotes.md\n",
            **dict.fromkeys(("a.csv", "sub/keep.csv", "sub/notes.md", "notes.md", "data/x.txt", "sub/data/y.txt"), "text\n"),
            **dict.fromkeys(("vendor/theirs/a.go", "vendor/ours/b.go"), "package x\n"),
        },
    )
    found = listed(terminal)

    assert {name for name in found.stamps if not name.endswith("ignore")} == {
        "sub/keep.csv",
        "notes.md",
        "sub/data/y.txt",
        "vendor/ours/b.go",
    }
    assert found.skipped == {"ignored": 3, "vendored": 1}


@pytest.mark.parametrize("patterns", ["a" * 1_000_000, "\n".join(["?" * 900] * 300)], ids=["long", "many"])
def test_patterns_that_take_long_or_no_engine_reads_are_named_at_once(terminal: Terminal, patterns: str) -> None:
    write(terminal.folder, {".mempackignore": patterns, "a.txt": "a"})

    started = time.monotonic()
    with pytest.raises(InvalidInput, match=r"\.mempackignore: .*pattern"):
        listed(terminal)
    assert time.monotonic() - started < 5


def test_a_mempackignore_that_makes_no_sense_is_named(terminal: Terminal) -> None:
    write(terminal.folder, {".mempackignore": "!\n", "a.txt": "a"})

    with pytest.raises(InvalidInput, match=r"\.mempackignore"):
        listed(terminal)


def test_paths_may_hold_anything_but_bytes_that_are_no_text(terminal: Terminal) -> None:
    odd = ["two\nlines.txt", "a b.txt", "tab\t.txt", "-n.txt", ":(glob)x.txt", "ü😀.txt", 'quo"te.txt', "back\\slash.txt"]
    write(terminal.folder, {name: f"text of {name!r}\n" for name in odd})
    Path(os.fsdecode(os.fsencode(terminal.folder) + b"/\xff.txt")).write_text("x")

    assert set(listed(terminal).stamps) == set(odd)
    assert listed(terminal).skipped == {"name": 1}
    assert ingest(terminal)["new"] == len(odd)
    assert set(ids(terminal)) == set(odd)
    assert ingest(terminal, ":(glob)x.txt")["unchanged"] == 1
    for line in terminal.mem("chunks").out.splitlines():
        assert line.startswith("C-")


def test_a_scope_is_no_pattern(terminal: Terminal) -> None:
    write(terminal.folder, {"[ab].txt": "x", "a.txt": "y", "*/b.txt": "z", "c/b.txt": "w"})

    assert list(listed(terminal, "[ab].txt").stamps) == ["[ab].txt"]
    assert list(listed(terminal, "*").stamps) == ["*/b.txt"]


def test_without_git_a_walk_heeds_ignore_files_at_every_level(nowhere: Terminal) -> None:
    write(
        nowhere.folder,
        {
            ".gitignore": "*.log\nbuild/\n/top.txt\n",
            "sub/.gitignore": "!keep.log\nlocal.txt\n",
            **dict.fromkeys(("a.txt", "x.log", "top.txt", "sub/top.txt", "sub/keep.log", "sub/local.txt", "local.txt"), "text\n"),
            "build/out.txt": "no\n",
            "sub/build/out.txt": "no\n",
            "node_modules/x/y.js": "no\n",
            "other/.git/HEAD": "ref: refs/heads/main\n",
            "other/c.txt": "no\n",
        },
    )
    found = listed(nowhere)

    assert {name for name in found.stamps if not name.endswith("ignore")} == {"a.txt", "local.txt", "sub/top.txt", "sub/keep.log"}
    assert found.skipped == {"vendored": 1, "repository": 1}
    assert set(listed(nowhere, "sub").stamps) == {"sub/.gitignore", "sub/top.txt", "sub/keep.log"}
    assert list(listed(nowhere, "a.txt").stamps) == ["a.txt"]
    assert list(listed(nowhere, "build").stamps) == []


def test_a_directory_that_cannot_be_read_is_counted(nowhere: Terminal, monkeypatch: pytest.MonkeyPatch) -> None:
    write(nowhere.folder, {"a.txt": "a", "closed/b.txt": "b"})
    scandir = os.scandir

    def refusing(path: str) -> object:
        if str(path).endswith("closed"):
            raise PermissionError(13, "Permission denied", path)
        return scandir(path)

    monkeypatch.setattr(os, "scandir", refusing)

    assert (list(listed(nowhere).stamps), listed(nowhere).skipped) == (["a.txt"], {"unreadable": 1})


def test_where_git_fails_its_reason_is_told_and_nothing_is_taken_out(terminal: Terminal) -> None:
    write(terminal.folder, {"a.txt": "a"})
    ingest(terminal)
    (terminal.folder / ".git/index").write_bytes(b"not an index")

    assert "git cannot list the files" in terminal.mem("ingest", fails=1).err
    assert list(ids(terminal)) == ["a.txt"]


def test_a_pattern_of_many_stars_takes_no_time(terminal: Terminal) -> None:
    write(terminal.folder, {".mempackignore": "a*" * 30 + "b\n", "a" * 200: "x"})
    began = time.monotonic()
    assert "a" * 200 in listed(terminal).stamps
    assert time.monotonic() - began < 5
