"""Lines that moved, files that are none, names that are odd, histories that were rewritten or cut off."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from tests.conftest import Terminal
from tests.provenance.conftest import Desk, prompts

LONG = "".join([f"def function_{number}(argument):\n    return argument * {number} + 17\n\n" for number in range(30)])
ASK = "Write the functions"


def written(desk: Desk, path: str = "a.py", text: str = LONG, commit: bool = True) -> str:
    """A session writes a file and commits it. Returns the commit."""
    desk.prompt(ASK)
    desk.write(path, text)
    made = desk.commit("Functions") if commit else ""
    desk.work()
    return made


def test_a_line_is_followed_through_a_rename(desk: Desk) -> None:
    commit = written(desk)
    desk.terminal.git("mv", "a.py", "b.py")
    desk.terminal.git("commit", "-q", "-m", "Rename")
    (change,) = desk.why("b.py:4")["changes"]

    assert (change["commit"]["id"], change["place"], prompts(change)) == (commit, {"path": "a.py", "line": 4}, [ASK])


def test_a_rename_that_is_not_committed_hides_nothing(desk: Desk) -> None:
    commit = written(desk)
    desk.terminal.git("mv", "a.py", "b.py")
    (change,) = desk.why("b.py:4")["changes"]

    assert (change["commit"]["id"], prompts(change)) == (commit, [ASK])


def test_a_copied_line_leads_to_the_copy_and_to_what_was_copied(desk: Desk) -> None:
    commit = written(desk)
    copied = desk.terminal.commit("Copy", b_py=LONG[:400])
    copy, original = desk.why("b.py:4")["changes"]

    assert (copy["commit"]["id"], copy["moved_from"]) == (copied, {"path": "a.py", "line": 4})
    assert (original["commit"]["id"], prompts(original)) == (commit, [ASK])


def test_lines_that_moved_within_a_file_lead_to_where_they_were(desk: Desk) -> None:
    commit = written(desk)
    blocks = LONG.split("\n\n")
    moved = desk.terminal.commit("Reorder", a_py="\n\n".join([*blocks[3:8], *blocks[:3], *blocks[8:]]))
    (line,) = [number for number, text in enumerate((desk.terminal.folder / "a.py").read_text().splitlines(), 1) if "_0(" in text]
    change, before = desk.why(f"a.py:{line}")["changes"]

    assert (change["commit"]["id"], change["moved_from"], before["commit"]["id"]) == (moved, {"path": "a.py", "line": 1}, commit)


def test_a_copy_that_is_not_committed_leads_to_what_was_copied(desk: Desk) -> None:
    commit = written(desk)
    desk.terminal.commit("other", b_py="x = 1\n")
    (desk.terminal.folder / "b.py").write_text("x = 1\n" + LONG[:400])
    copy, original = desk.why("b.py:5")["changes"]

    assert (copy["commit"], original["commit"]["id"]) == (None, commit)


def test_a_line_of_a_merged_branch_leads_to_the_commit_of_the_branch(desk: Desk) -> None:
    desk.terminal.commit("base", base_py="x\n")
    desk.terminal.git("switch", "-q", "-c", "side")
    commit = written(desk)
    desk.terminal.git("switch", "-q", "main")
    desk.terminal.commit("meanwhile", other_py="y\n")
    desk.terminal.git("merge", "-q", "--no-ff", "-m", "Merge", "side")
    (change,) = desk.why("a.py:4")["changes"]

    assert (change["commit"]["id"], prompts(change)) == (commit, [ASK])


@pytest.mark.parametrize("gone", [False, True])
def test_a_squashed_line_leads_to_the_session_of_its_branch(desk: Desk, gone: bool) -> None:
    desk.terminal.git("switch", "-q", "-c", "side")
    written(desk)
    desk.prompt("Multiply by three")
    desk.write("a.py", "return argument * 3 + 18", "return argument * 3 + 17")
    desk.commit("Fix")
    desk.work()
    desk.terminal.git("switch", "-q", "main")
    desk.terminal.commit("meanwhile", other_py="y\n")
    desk.terminal.git("merge", "-q", "--squash", "side")
    desk.terminal.git("commit", "-q", "-m", "Squashed")
    if gone:
        desk.terminal.add("Something else")
        desk.terminal.git("branch", "-q", "-D", "side")
        desk.terminal.git("reflog", "expire", "--expire=now", "--all")
        desk.terminal.git("gc", "-q", "--prune=now")
    (change,) = desk.why("a.py:11")["changes"]

    assert (change["commit"]["subject"], change["sessions"][0]["how"]) == ("Squashed", "committed")
    assert "Multiply by three" in prompts(change)
    assert ASK in prompts(desk.why("a.py:1")["changes"][0])


def test_an_amended_and_a_rebased_line_keep_their_session(desk: Desk) -> None:
    desk.terminal.git("switch", "-q", "-c", "side")
    written(desk)
    desk.terminal.git("commit", "-q", "--amend", "-m", "Functions, said better")
    assert prompts(desk.why("a.py:4")["changes"][0]) == [ASK]
    desk.terminal.git("switch", "-q", "main")
    desk.terminal.commit("meanwhile", other_py="y\n")
    desk.terminal.git("switch", "-q", "side")
    desk.terminal.git("rebase", "-q", "main")

    assert prompts(desk.why("a.py:4")["changes"][0]) == [ASK]
    assert prompts(desk.why("HEAD")["changes"][0]) == [ASK]


def test_what_was_carried_over_stays_known_when_history_goes_on(desk: Desk) -> None:
    written(desk)
    desk.terminal.git("commit", "-q", "--amend", "-m", "Functions, said better")
    desk.why("a.py:4")
    desk.terminal.add("Something else")
    desk.terminal.add("And more")
    desk.terminal.git("reflog", "expire", "--expire=now", "--all")
    desk.terminal.git("gc", "-q", "--prune=now")
    desk.terminal.commit("later", other_py="y\n")

    assert desk.sql("SELECT DISTINCT anchor FROM authored WHERE path = ''") == [(desk.terminal.git("rev-parse", "HEAD^"),)]
    assert prompts(desk.why("a.py:4")["changes"][0]) == [ASK]


def test_a_binary_file_has_commits_and_no_lines(desk: Desk) -> None:
    (desk.terminal.folder / "logo.png").write_bytes(b"\x89PNG\0\0\n\0\n")
    desk.terminal.git("add", "-A")
    desk.terminal.git("commit", "-q", "-m", "Logo")
    answer = desk.why("logo.png:2")

    assert (answer["kind"], answer["changes"][0]["commit"]["subject"]) == ("file", "Logo")
    assert "binary" in answer["notes"][0]


@pytest.mark.parametrize(
    ("target", "code", "message"),
    [
        ("nothing.py", 3, "no file or commit nothing.py"),
        ("nothing.py:3", 3, "no file or commit nothing.py:3"),
        ("a.py:91", 2, "a.py ends at line 90"),
        ("a.py:0", 2, "a.py:0 is no range of lines"),
        ("a.py:5-3", 2, "a.py:5-3 is no range of lines"),
        ("a.py:1-5000", 2, "5,000 lines are too many"),
        ("folder", 2, "folder is a directory"),
        ("folder/", 2, "folder is a directory"),
        (".", 2, "that is the whole repository"),
        ("../outside.py", 3, "no file or commit"),
        ("/etc/passwd", 2, "/etc/passwd is outside the repository"),
        (".git/config", 3, "no file or commit"),
        ("deadbeef" * 5, 3, "no file or commit"),
        ("HEAD~99", 3, "no file or commit"),
        ("--output=x", 2, ""),
        ("", 2, "no file or commit is given"),
        ("   ", 2, "no file or commit is given"),
        ("x" * 5_000, 3, "no file or commit"),
    ],
)
def test_what_cannot_be_explained_is_refused_in_a_line(desk: Desk, target: str, code: int, message: str) -> None:
    written(desk, "folder/b.py", "x = 1\n")
    desk.terminal.commit("a", a_py=LONG)
    result = desk.terminal.mem("why", target, fails=code)

    assert message in result.err
    assert len(result.err.splitlines()) <= 2
    assert not (desk.terminal.folder / "x").exists()


def test_a_file_that_was_removed_leads_to_the_commit_that_removed_it(desk: Desk) -> None:
    written(desk)
    desk.terminal.git("rm", "-q", "a.py")
    desk.terminal.git("commit", "-q", "-m", "Functions moved out")

    for target in ("a.py", "a.py:7"):
        assert desk.why(target)["changes"][0]["commit"]["subject"] == "Functions moved out"


def test_a_file_that_is_gone_from_the_tree_is_explained_as_head_has_it(desk: Desk) -> None:
    commit = written(desk)
    (desk.terminal.folder / "a.py").unlink()

    assert desk.why("a.py:4")["changes"][0]["commit"]["id"] == commit


@pytest.mark.parametrize(
    "name", ["with space.py", "ünï.py", 'qu"ote.py', "tab\there.py", "a:3", "-rf", "new\nline.py", "*.py", ":x"]
)
def test_any_name_of_a_file(desk: Desk, name: str) -> None:
    commit = written(desk, name)
    (change,) = desk.why(f"./{name}:4")["changes"]

    assert (change["commit"]["id"], change["place"]["path"], prompts(change)) == (commit, name, [ASK])
    assert prompts(desk.why(f"./{name}")["changes"][0]) == [ASK]


def test_a_name_that_is_no_utf_8_is_refused_or_explained(desk: Desk) -> None:
    written(desk)
    path = bytes(desk.terminal.folder) + b"/\xff.py"
    Path(path.decode("utf-8", "surrogateescape")).write_text("x = 1\n")
    result = desk.terminal.process("why", b"\xff.py:1", fails=None)

    assert (result.code, "Traceback" in result.err) == (2, False)


def test_a_file_is_named_from_where_one_stands(desk: Desk) -> None:
    commit = written(desk, "src/deep/a.py")
    below = desk.terminal.at(desk.terminal.folder / "src" / "deep")

    assert below.mem("why", "a.py:4", "--json").json["changes"][0]["commit"]["id"] == commit
    assert below.mem("why", "../../src/deep/a.py:4", "--json").json["path"] == "src/deep/a.py"
    assert desk.why(f"{desk.terminal.folder}/src/deep/a.py:4")["path"] == "src/deep/a.py"


def test_a_file_whose_name_is_also_a_branch_is_the_file(desk: Desk) -> None:
    written(desk, "main")
    assert desk.why("main")["kind"] == "file"


def test_a_shallow_clone_says_that_it_sees_no_further(desk: Desk, tmp_path: Path) -> None:
    written(desk)
    desk.terminal.commit("later", other_py="y\n")
    desk.terminal.git("clone", "-q", "--depth=1", f"file://{desk.terminal.folder}", str(tmp_path / "shallow"))
    answer = desk.terminal.at(tmp_path / "shallow").mem("why", "a.py:4", "--json").json

    assert answer["changes"][0]["commit"]["subject"] == "later"
    assert "shallow" in answer["notes"][0]


def test_a_submodule_is_a_repository_of_its_own(desk: Desk, tmp_path: Path, first_commit: Path) -> None:
    allowed = ("-c", "protocol.file.allow=always")
    desk.terminal.git(*allowed, "submodule", "--quiet", "add", str(first_commit), "sub")
    desk.terminal.git("commit", "-q", "-m", "Add sub")
    (desk.terminal.folder / "sub" / "x.py").write_text("x = 1\n")

    for target in ("sub", "sub/x.py", "sub/x.py:1"):
        assert "sub is a repository of its own" in desk.terminal.mem("why", target, fails=2).err
    desk.terminal.git("submodule", "--quiet", "deinit", "-f", "sub")
    assert "sub is a repository of its own" in desk.terminal.mem("why", "sub", fails=2).err


def test_outside_of_any_repository(nowhere: Terminal) -> None:
    assert "Error" in nowhere.mem("why", "a.py:1", fails=3).err


def test_a_link_is_not_followed_out_of_the_repository(desk: Desk) -> None:
    (desk.terminal.folder / "passwd").symlink_to("/etc/passwd")
    desk.terminal.git("add", "-A")
    desk.terminal.git("commit", "-q", "-m", "Link")
    answer = desk.terminal.mem("why", "passwd:1", "--json").out

    assert "root:" not in answer
    assert '"Link"' in answer


def test_line_ends_of_another_system_are_no_change(desk: Desk) -> None:
    commit = written(desk)
    desk.terminal.git("config", "core.autocrlf", "true")
    (desk.terminal.folder / "a.py").write_bytes(LONG.replace("\n", "\r\n").encode())

    assert desk.why("a.py:4")["changes"][0]["commit"]["id"] == commit
    assert [change["commit"]["id"] for change in desk.why("a.py")["changes"]] == [commit]


def test_a_worktree_of_its_own_is_its_own_uncommitted_work(desk: Desk, tmp_path: Path) -> None:
    written(desk)
    desk.prompt("Only here")
    desk.write("a.py", "    return argument * 1 + 99\n", "    return argument * 1 + 17\n")
    desk.work()
    desk.terminal.git("worktree", "add", "-q", "-b", "side", str(tmp_path / "side"))
    (tmp_path / "side" / "a.py").write_text(LONG.replace("argument * 1 + 17", "argument * 1 + 55"))
    elsewhere = desk.terminal.at(tmp_path / "side").mem("why", "a.py:5", "--json").json["changes"][0]

    assert (elsewhere["commit"], elsewhere["sessions"]) == (None, [])
    assert prompts(desk.why("a.py:5")["changes"][0]) == ["Only here"]


def test_a_partial_clone_fetches_nothing(desk: Desk, tmp_path: Path) -> None:
    written(desk)
    desk.terminal.git("config", "uploadpack.allowFilter", "true")
    clone = ("clone", "-q", "--filter=blob:none", "--no-checkout", f"file://{desk.terminal.folder}", str(tmp_path / "partial"))
    desk.terminal.git(*clone)
    result = desk.terminal.at(tmp_path / "partial").mem("why", "a.py:4", fails=1)

    assert "git cannot tell" in result.err


def test_a_bare_repository_explains_commits(desk: Desk, tmp_path: Path) -> None:
    commit = written(desk)
    desk.terminal.git("clone", "-q", "--bare", str(desk.terminal.folder), str(tmp_path / "bare.git"))
    bare = desk.terminal.at(tmp_path / "bare.git")

    assert bare.mem("why", commit, "--json").json["commit"] == commit
    bare.mem("why", "a.py:4", fails=3)


def test_a_broken_list_of_commits_to_ignore_is_named_and_not_quoted(desk: Desk) -> None:
    written(desk)
    desk.terminal.git("config", "blame.ignoreRevsFile", "/etc/passwd")
    error = desk.terminal.mem("why", "a.py:4", fails=1).err

    assert "blame.ignoreRevsFile" in error
    assert "root" not in error


def test_commits_that_git_is_told_to_ignore_are_passed_by(desk: Desk) -> None:
    commit = written(desk)
    formatted = desk.terminal.commit("Format", a_py=LONG.replace("argument * 1 + 17", "(argument * 1) + 17"))
    assert desk.why("a.py:5")["changes"][0]["commit"]["id"] == formatted
    (desk.terminal.folder / "ignored").write_text(f"{formatted}\n")
    desk.terminal.git("config", "blame.ignoreRevsFile", "ignored")

    assert desk.why("a.py:5")["changes"][0]["commit"]["id"] == commit


def test_a_long_history_of_one_file_gives_the_answer_of_git(desk: Desk) -> None:
    """A sample of the history is looked at first, and must lead to the same commits."""
    stream = []
    lines = [f"value_{number} = 0" for number in range(40)]
    for count in range(700):
        lines[count * 7 % 40] = f"value_{count * 7 % 40} = {count}"
        text = "\n".join(lines) + "\n"
        stream.append(
            f"commit refs/heads/long\ncommitter A <a@example.invalid> {1_700_000_000 + count} +0000\ndata 2\nc\n"
            f"M 100644 inline big.py\ndata {len(text)}\n{text}\n"
        )
    subprocess.run(
        ["git", "fast-import", "--quiet"],
        cwd=desk.terminal.folder,
        env=desk.terminal.env,
        input="".join(stream).encode(),
        check=True,
    )
    desk.terminal.git("switch", "-q", "long")
    expected = [
        line.split()[0].lstrip("^") for line in desk.terminal.git("blame", "--abbrev=39", "--root", "big.py").splitlines()
    ]

    for number in (1, 8, 20, 40):
        assert desk.why(f"big.py:{number}")["changes"][0]["commit"]["id"].startswith(expected[number - 1])
