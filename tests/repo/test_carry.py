"""Reading what commits changed, and where a change went: what the end-to-end tests of histories do not reach."""

from __future__ import annotations

import os
from typing import Any

import pytest

from memcli.repo import carry, gitrun, head, history
from tests.conftest import Terminal


@pytest.fixture
def checkout(terminal: Terminal) -> Any:
    """The checkout of the terminal, as it is when it is called."""

    def found() -> head.Checkout:
        place = head.find(str(terminal.folder))
        assert place
        return place

    return found


def put(terminal: Terminal, name: str | bytes, content: bytes, message: str = "work") -> str:
    path = os.path.join(os.fsencode(terminal.folder), os.fsencode(name))
    with open(path, "wb") as file:
        file.write(content)
    terminal.git("add", "-A")
    terminal.git("commit", "-q", "-m", message)
    return terminal.git("rev-parse", "HEAD")


@pytest.mark.parametrize("name", ["plain.py", "new\nline.py", 'quo"te\t.py', "記憶.py", b"\xff\xfe.py", "-p", "commit abc.py"])
def test_a_listing_holds_every_name_whatever_it_consists_of(terminal: Terminal, checkout: Any, name: str | bytes) -> None:
    made = put(terminal, name, b"one", ":100644 no\n\ncommit 1234\n:body")
    found = history.listed(checkout(), ("-n5", "HEAD"))
    assert found is not None
    assert next(iter(found)) == made
    assert (found[made].total, len(found[made].changes), found[made].subject) == (1, 1, ":100644 no")
    assert found[made].parents == (terminal.git("rev-parse", "HEAD^"),)


def test_an_empty_subject_a_merge_and_a_root_are_listed(terminal: Terminal, checkout: Any) -> None:
    terminal.git("switch", "-q", "--orphan", "other")
    put(terminal, "root.py", b"one")
    terminal.git("merge", "-q", "--allow-unrelated-histories", "-m", "merge", "main")
    terminal.git("commit", "-q", "--allow-empty", "--allow-empty-message", "-m", "")
    found = history.listed(checkout(), ("--topo-order", "HEAD"))
    assert found is not None
    assert [(one.subject, len(one.parents), one.total) for one in found.values()][:2] == [("", 1, 0), ("merge", 2, 0)]
    assert [one.total for one in found.values() if one.subject == "work"] == [1]


def test_of_a_commit_with_many_files_the_first_are_kept_and_all_are_counted(terminal: Terminal, checkout: Any) -> None:
    for number in range(history.MOST_PATHS + 50):
        (terminal.folder / f"{number:03}.txt").write_text(f"{number}")
    made = put(terminal, "z.py", b"one")
    found = history.listed(checkout(), ("-n1", "HEAD"))
    assert found is not None
    assert (found[made].total, len(found[made].changes)) == (history.MOST_PATHS + 51, history.MOST_PATHS)


def test_a_patch_is_the_same_wherever_its_lines_stand_and_differs_by_content(terminal: Terminal, checkout: Any) -> None:
    lines = [f"{number}\n".encode() for number in range(20)]
    put(terminal, "a.py", b"".join(lines))
    low = put(terminal, "a.py", b"".join([*lines, b"new\n"]))
    terminal.git("switch", "-q", "--detach", "HEAD^")
    first = put(terminal, "a.py", b"".join([b"top\n", *lines]))
    high = put(terminal, "a.py", b"".join([b"top\n", *lines, b"new\n"]))
    other = put(terminal, "a.py", b"".join([b"top\n", *lines, b"newer\n"]))
    empty = terminal.git("commit-tree", "-p", "HEAD", "-m", "empty", "HEAD^{tree}")
    digests = history.patches(checkout(), [low, high, other, empty, f"{other} {first}", high])
    assert digests[0] == digests[1] == digests[5] != digests[2]
    assert digests[3] == ""
    assert len(set(digests)) == 4


def test_binary_files_count_by_their_content(terminal: Terminal, checkout: Any) -> None:
    made = [put(terminal, "a.bin", content) for content in (b"\0a", b"\0b", b"\0a", b"\0b")]
    digests = history.patches(checkout(), made)
    assert digests[1] == digests[3] != digests[2]
    assert "" not in digests


def test_what_git_does_not_tell_is_nothing_found(terminal: Terminal, checkout: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    lost = put(terminal, "a.py", b"one")
    terminal.git("reset", "-q", "--hard", "HEAD^")
    monkeypatch.setattr("memcli.repo.gitrun.run", lambda *words, **named: gitrun.Finished(128, b"", b"broken"))
    assert carry.find(checkout(), [lost], {}) is None
    assert carry.note(checkout(), [lost]) is None
    assert history.patches(checkout(), [lost]) == [""]
    assert history.patches(checkout(), []) == []


def test_a_listing_too_long_to_read_gives_its_beginning(
    terminal: Terminal, checkout: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    for number in range(5):
        put(terminal, "a.py", f"{number}".encode())
    monkeypatch.setattr("memcli.repo.history._MOST_LISTED", 300)
    assert history.listed(checkout(), ("HEAD",)) is not None
    monkeypatch.setattr("memcli.repo.history._MOST_DIFFED", 1)
    assert len(history.patches(checkout(), [terminal.git("rev-parse", "HEAD")])) == 1


@pytest.mark.parametrize(
    "content", [b"", b"\n\n", b"\0" * 99, b"one two\n", b"x" * 40 + b" " + b"y" * 40 + b" a\tcommit (amend): b\n"]
)
def test_a_reflog_may_hold_anything(terminal: Terminal, checkout: Any, content: bytes) -> None:
    (terminal.folder / ".git/logs/HEAD").write_bytes(content)
    (terminal.folder / ".git/logs/refs/heads/main").unlink()
    assert history.past(checkout()) == history.Past({}, set())


def test_a_reflog_that_is_no_file_is_passed_by(terminal: Terminal, checkout: Any) -> None:
    (terminal.folder / ".git/logs/HEAD").unlink()
    os.mkfifo(terminal.folder / ".git/logs/HEAD")
    assert history.past(checkout()).visited == {terminal.git("rev-parse", "HEAD")}


def test_amends_that_lead_in_a_circle_end(terminal: Terminal, checkout: Any) -> None:
    one, two = "1" * 40, "2" * 40
    line = "{} {} a <a@example.invalid> 1700000000 +0000\tcommit (amend): x\n"
    (terminal.folder / ".git/logs/HEAD").write_text(line.format(one, two) + line.format(two, one))
    assert carry.find(checkout(), [one, two], {}) == {}


def test_branches_are_read_from_loose_and_packed_refs(terminal: Terminal, checkout: Any) -> None:
    first = terminal.git("rev-parse", "HEAD")
    terminal.git("branch", "packed/one")
    terminal.git("tag", "tagged")
    terminal.git("pack-refs", "--all")
    second = put(terminal, "a.py", b"one")
    terminal.git("update-ref", "refs/remotes/origin/side", second)
    assert history.tips(checkout()) == {first, second}
