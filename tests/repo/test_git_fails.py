"""No answer of a git that failed, was stopped or is missing is kept."""

from __future__ import annotations

import time
from pathlib import Path

import pytest

from memcli import repo as repository
from memcli.repo import gitrun
from tests.conftest import Terminal

FACT = "Tokens live in Postgres"


@pytest.fixture
def history(terminal: Terminal) -> Terminal:
    """A memory on an abandoned branch, one carried over by a rebase, one on main; HEAD has moved since the last question."""
    terminal.mem("init", "--no-agents")
    terminal.commit("first")
    terminal.add("On main: " + FACT)
    terminal.git("switch", "-q", "-c", "side")
    (terminal.folder / "side.txt").write_text("side\n")
    terminal.git("add", ".")
    terminal.commit("side")
    terminal.add("On the side: " + FACT)
    terminal.git("switch", "-q", "main")
    terminal.mem("get", "tokens")
    terminal.commit("second")
    terminal.git("cherry-pick", "side")
    terminal.commit("third")
    return terminal


def break_git(monkeypatch: pytest.MonkeyPatch, tmp_path: Path, way: str) -> None:
    """Makes git fail from here on."""
    if way == "hangs":
        monkeypatch.setattr(repository, "deadline", time.monotonic() + 0.5)
    if way == "missing":
        monkeypatch.setattr(gitrun, "_program", lambda: "")
    else:
        program = tmp_path / "git"
        program.write_text(
            {
                "fails": "#!/bin/sh\nexit 128\n",
                "dies": "#!/bin/sh\nkill -9 $$\n",
                "lies": "#!/bin/sh\nexit 0\n",
                "hangs": "#!/bin/sh\nexec sleep 60\n",
            }[way]
        )
        program.chmod(0o755)
        monkeypatch.setattr(gitrun, "_program", lambda: str(program))


@pytest.mark.parametrize("way", ["missing", "fails", "dies", "hangs"])
@pytest.mark.parametrize("is_shallow", [False, True])
def test_one_run_with_a_broken_git_spoils_no_later_answer(
    history: Terminal, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, way: str, is_shallow: bool
) -> None:
    if is_shallow:
        git_dir = history.folder / ".git"
        (git_dir / "shallow").write_text(history.git("rev-list", "--max-parents=0", "HEAD") + "\n")
    with monkeypatch.context() as patch:
        break_git(patch, tmp_path, way)
        broken = history.mem("get", "tokens").out
        history.mem("get", "tokens", "--include-orphans")
        history.add("Written meanwhile")
    told = history.mem("get", "tokens").out
    assert "On main" in told
    assert "unknown" in broken
    if is_shallow:
        assert "On the side" in told
    else:
        assert "cherry-picked" in told
        assert "unknown" not in told


PLANTED = """[core]
	repositoryformatversion = 1
[extensions]
	partialClone = origin
[remote "origin"]
	promisor = true
	url = "ext::sh -c touch% CANARY"
[protocol "ext"]
	allow = always
"""


def test_no_protocol_is_used_even_by_a_git_that_fetches_lazily(
    history: Terminal, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    canary = tmp_path / "canary"
    config = history.folder / ".git/config"
    config.write_text(PLANTED.replace("CANARY", str(canary)))
    tree = history.git("rev-parse", "HEAD^{tree}")
    blob = history.git("rev-parse", "HEAD:side.txt")
    for name in (tree, blob, history.git("rev-parse", "HEAD~2")):
        (history.folder / ".git/objects" / name[:2] / name[2:]).unlink()
    old = tmp_path / "old-git"
    old.write_text('#!/bin/sh\nunset GIT_NO_LAZY_FETCH\nexec git "$@"\n')
    old.chmod(0o755)
    monkeypatch.setattr(gitrun, "_program", lambda: str(old))
    monkeypatch.setenv("MEMPACK_WORKER_IDLE_SECONDS", "0")
    history.mem("get", "tokens")
    history.mem("hook", "user-prompt", "--harness", "claude", stdin="{}")
    history.mem("worker", "run")
    assert not canary.exists()
    assert gitrun.run(("cat-file", "-p", blob), str(history.folder)).code
    assert not canary.exists()
