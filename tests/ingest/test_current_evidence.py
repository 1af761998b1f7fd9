"""What `mem ingest` took in and `mem get` prints stands in the files at that moment, whatever became of them in between."""

from __future__ import annotations

import os
import random
import shutil
from pathlib import Path
from typing import Any

import pytest

from tests.conftest import Terminal
from tests.ingest.trees import LONG_AGO, counts, edit, ids, ingest, is_sound, write

RENEW = '    """Renew the session of a token."""\n' + "    log('renewing the session')\n" * 12 + "    return store.renew(token)\n"
EXPIRE = '    """Expire the session of a token."""\n' + "    log('expiring the session')\n" * 12 + "    store.drop(token)\n"
CODE = f"import store\n\n\ndef renew_session(token):\n{RENEW}\n\ndef expire_session(token):\n{EXPIRE}"


@pytest.fixture
def code(terminal: Terminal) -> Terminal:
    """A repository with a committed file of two functions, ingested as a chunk each."""
    write(terminal.folder, {"src/auth.py": CODE})
    terminal.git("add", ".")
    terminal.git("commit", "-q", "-m", "code")
    terminal.mem("config", "set", "ingest.chunk_tokens", "200")
    assert counts(ingest(terminal)) == (1, 0, 0, 0)
    return terminal


def shown(terminal: Terminal, question: str = "session", *more: str) -> list[Any]:
    """Returns the chunks of a pack, of which none may be stale."""
    chunks = list(terminal.mem("get", question, "--json", *more).json["top_chunks"])
    assert [one for one in chunks if is_stale(terminal, one)] == []
    return chunks


def is_stale(terminal: Terminal, chunk: Any) -> bool:
    """Tells whether a chunk says what does not stand in its file at the lines that it names."""
    file = terminal.folder / chunk["path"]
    if file.is_symlink() or not file.is_file():
        return True
    first, last = chunk["lines"]
    return file.read_bytes().decode().replace("\r\n", "\n").split("\n")[first - 1 : last] != chunk["text"].split("\n")


def places(terminal: Terminal, question: str = "session", *more: str) -> list[str]:
    """Returns where the evidence of a pack stands, in the order of files and lines."""
    return sorted([f"{one['path']}:{one['lines'][0]}-{one['lines'][1]}" for one in shown(terminal, question, *more)])


def outdated(terminal: Terminal, question: str = "session") -> int:
    return int(terminal.mem("get", question, "--json").json["left_out"]["outdated_chunks"])


def verdicts(terminal: Terminal) -> dict[str, str]:
    """Returns what became of each chunk that was looked at, by its place."""
    found = terminal.mem("explain", "session", "--json").json["chunks"]
    assert all(one["included"] == (one["verdict"] == "included") for one in found)
    return {one["locator"]: one["verdict"] for one in found}


def test_the_pack_names_the_file_and_the_lines_of_a_passage(code: Terminal) -> None:
    out = code.mem("get", "where is the session renewed").out

    assert "] src/auth.py lines 1-20, renew_session\n    import store\n\n\n    def renew_session(token):\n" in out
    assert places(code) == ["src/auth.py:1-20", "src/auth.py:21-35"]


def test_an_edit_above_moves_the_lines_at_once(code: Terminal) -> None:
    edit(code.folder / "src/auth.py", "# one more\n# and one more\n" + CODE)
    assert places(code) == ["src/auth.py:23-37", "src/auth.py:3-22"]

    before = ids(code)
    assert counts(ingest(code)) == (0, 1, 0, 0)
    assert places(code) == ["src/auth.py:23-37", "src/auth.py:6-22"]
    assert ids(code)["src/auth.py"][-1] == before["src/auth.py"][-1]


def test_an_edit_inside_leaves_that_passage_out_until_it_is_ingested_again(code: Terminal) -> None:
    edit(code.folder / "src/auth.py", CODE.replace("store.drop(token)", "store.forget(token)"))
    assert (places(code), outdated(code)) == (["src/auth.py:1-20"], 1)
    out = code.mem("get", "session").out
    assert "store.drop" not in out
    assert "Evidence left out because its file changed: 1 (mem ingest)." in out

    ingest(code)
    assert (places(code), outdated(code)) == (["src/auth.py:1-20", "src/auth.py:21-35"], 0)
    assert "store.forget" in code.mem("get", "session").out


def test_after_a_switch_only_what_the_branch_has_is_printed(code: Terminal) -> None:
    code.git("switch", "-q", "-c", "other")
    edit(code.folder / "src/auth.py", CODE.replace("store.renew(token)", "store.prolong(token)"))
    write(code.folder, {"src/more.py": "def session_of(user):\n    return user.session\n"})
    code.git("add", ".")
    code.git("commit", "-q", "-m", "other")
    ingest(code)
    assert places(code) == ["src/auth.py:1-20", "src/auth.py:21-35", "src/more.py:1-2"]

    code.git("switch", "-q", "main")
    assert (places(code), outdated(code)) == (["src/auth.py:21-35"], 2)
    assert "prolong" not in code.mem("get", "session").out
    ingest(code)
    assert (places(code), outdated(code)) == (["src/auth.py:1-20", "src/auth.py:21-35"], 0)


def test_a_renamed_file_is_left_out_under_its_old_name_and_printed_under_its_new_one(code: Terminal) -> None:
    code.git("mv", "src/auth.py", "src/login.py")
    assert (places(code), outdated(code)) == ([], 2)

    before = ids(code)["src/auth.py"]
    ingest(code)
    assert places(code) == ["src/login.py:1-20", "src/login.py:21-35"]
    assert ids(code) == {"src/login.py": before}
    write(code.folder, {"src/auth.py": "def session_id():\n    return 1\n"})
    assert "src/auth.py" not in {one["path"] for one in shown(code)}
    ingest(code)
    assert places(code) == ["src/auth.py:1-2", "src/login.py:1-20", "src/login.py:21-35"]


def test_of_a_deleted_file_nothing_is_printed(code: Terminal) -> None:
    code.git("rm", "-q", "src/auth.py")
    assert (places(code), outdated(code)) == ([], 2)

    ingest(code)
    assert (places(code), outdated(code)) == ([], 0)
    assert code.mem("chunks", "--json").json == []


def test_worktrees_of_one_repository_see_their_own_text(code: Terminal) -> None:
    other = code.at(code.folder.parent / "other")
    code.git("worktree", "add", "-q", "-b", "other", str(other.folder))
    edit(other.folder / "src/auth.py", "# other\n" + CODE.replace("store.drop(token)", "store.forget(token)"))
    assert places(other) == ["src/auth.py:2-21"]
    ingest(other)

    assert places(other) == ["src/auth.py:1-21", "src/auth.py:22-36"]
    assert places(code) == ["src/auth.py:1-20", "src/auth.py:21-35"]
    assert "store.forget" not in code.mem("get", "session").out
    assert "store.drop" not in other.mem("get", "session").out
    edit(code.folder / "src/auth.py", "def session():\n    pass\n")
    ingest(code)
    assert places(code) == ["src/auth.py:1-2"]
    assert places(other) == ["src/auth.py:1-21", "src/auth.py:22-36"]


@pytest.mark.parametrize("same", [True, False])
def test_a_file_that_became_a_link_is_not_printed(code: Terminal, same: bool) -> None:
    file = code.folder / "src/auth.py"
    away = code.folder.parent / "away.py"
    away.write_text(CODE if same else CODE.replace("token", "stolen"))
    os.utime(away, (LONG_AGO, LONG_AGO))
    file.unlink()
    file.symlink_to(away)

    assert (places(code), outdated(code)) == ([], 2)
    assert "stolen" not in code.mem("get", "session").out
    assert ingest(code)["skipped"] == {"link that leaves the tree": 1}
    assert (places(code), outdated(code)) == ([], 0)


def test_other_line_ends_change_neither_text_nor_lines(code: Terminal) -> None:
    before = ids(code)
    file = code.folder / "src/auth.py"
    file.write_bytes(CODE.replace("\n", "\r\n").encode())
    os.utime(file, (LONG_AGO + 50, LONG_AGO + 50))
    assert (places(code), outdated(code)) == (["src/auth.py:1-20", "src/auth.py:21-35"], 0)
    assert counts(ingest(code)) == (0, 1, 0, 0)
    assert places(code) == ["src/auth.py:1-20", "src/auth.py:21-35"]
    assert ids(code) == before
    assert "\r" not in code.mem("get", "session").out

    file.write_bytes(("# above\n" + CODE).encode())
    assert places(code) == ["src/auth.py:2-21", "src/auth.py:22-36"]


def test_memories_and_evidence_share_one_budget(code: Terminal) -> None:
    for number in range(6):
        code.add(f"Session rule {number}", f"A session lasts {number} hours, and its token is kept in the vault. " * 3)
    sizes = {}
    for budget in (120, 250, 400, 800, 2500):
        pack = code.mem("get", "session token", "--json", "--budget", str(budget)).json
        used = pack["budget"]["used_total"]
        assert used <= budget
        sizes[budget] = len(pack["top_memories"]), len(shown(code, "session token", "--budget", str(budget)))
    memories, chunks = zip(*sizes.values())

    assert list(memories) == sorted(memories)
    assert list(chunks) == sorted(chunks)
    assert sizes[120][1] == 0
    assert sizes[2500] == (6, 2)
    assert 0 < sizes[400][0] + sizes[400][1] < 8


def test_explain_says_of_every_passage_why_it_is_in_or_out(code: Terminal) -> None:
    write(code.folder, {"copy/auth.py": CODE, "gone.py": "def session_gone():\n    pass\n"})
    write(code.folder, {"old.py": "def session_old():\n    pass\n"})
    ingest(code)
    (code.folder / "gone.py").unlink()
    edit(code.folder / "old.py", "def season_new():\n    pass\n")
    found = verdicts(code)

    assert found["gone.py lines 1-2, session_gone"] == "gone"
    assert found["old.py lines 1-2, session_old"] == "changed"
    assert sorted([found[f"{folder}/auth.py lines 1-20, renew_session"] for folder in ("src", "copy")]) == [
        "duplicate",
        "included",
    ]
    out = code.mem("explain", "session").out
    assert "gone gone.py lines 1-2, session_gone" in " ".join(out.split())
    code.mem("config", "set", "budget.total", "100")
    assert set(verdicts(code).values()) == {"budget", "gone", "changed", "duplicate"}
    code.mem("config", "set", "budget.total", "2500")
    code.mem("forget", next(one["chunk_id"] for one in shown(code) if one["symbol"] == "expire_session"))
    assert "expire_session" not in [one["symbol"] for one in shown(code) if one["path"] == "src/auth.py"]


@pytest.mark.parametrize("seed", range(6))
def test_whatever_happens_to_the_files_nothing_stale_is_printed(code: Terminal, seed: int) -> None:
    chance = random.Random(seed)
    write(code.folder, {f"lib/m{n}.py": f"def session_{n}():\n    return {n}\n\n\n" + CODE for n in range(3)})
    code.git("add", ".")
    code.git("commit", "-q", "-m", "more")
    code.git("branch", "other")
    ingest(code)
    clock = LONG_AGO
    for step in range(12):
        clock += 10
        files = sorted([path for path in code.folder.rglob("*.py") if path.is_file()])
        file = chance.choice(files) if files else code.folder / "new.py"
        if (
            what := chance.choice(["above", "inside", "move", "copy", "delete", "switch", "ingest", "crlf"])
        ) == "above" and files:
            _change(file, f"# {step}\n" + file.read_text(), clock)
        elif what == "inside" and files:
            _change(file, file.read_text().replace("log(", f"log_{step}(", 3), clock)
        elif what in ("move", "copy") and files:
            (shutil.move if what == "move" else shutil.copy2)(file, code.folder / f"at{step}.py")
        elif what == "delete" and files:
            file.unlink()
        elif what == "switch":
            code.git("add", "--all")
            code.git("commit", "-q", "--allow-empty", "-m", f"step {step}")
            code.git("switch", "-q", chance.choice(["main", "other"]))
        elif what == "ingest":
            ingest(code)
        elif files:
            _change(file, file.read_bytes().decode().replace("\r\n", "\n").replace("\n", "\r\n"), clock)
        printed = code.mem("get", "session", "--json").json["top_chunks"]
        assert [(what, one) for one in printed if is_stale(code, one)] == []
    ingest(code)
    assert outdated(code) == 0
    assert {one["path"] for one in shown(code)} <= set(ids(code))
    assert is_sound(code)


def _change(file: Path, text: str, clock: int) -> None:
    file.write_bytes(text.encode())
    os.utime(file, (clock, clock))
