"""The soak: it runs, and finds what it looks for."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from scripts import soak

SCRIPT = Path(soak.__file__)


def test_everything_at_once_and_kills_lose_nothing() -> None:
    done = subprocess.run([sys.executable, SCRIPT, "--minutes", "0.1"], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, ""), done.stdout
    assert " (kills)\n" in done.stdout
    assert " memories and " in done.stdout


def test_it_names_what_was_lost_failed_or_grew(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("HOME", "MEMPACK_DATA_DIR", "GIT_CONFIG_GLOBAL"):
        monkeypatch.setenv(name, str(tmp_path))
    for name in ("AUTHOR_NAME", "AUTHOR_EMAIL", "COMMITTER_NAME", "COMMITTER_EMAIL"):
        monkeypatch.setenv(f"GIT_{name}", "a@b")
    run = soak.Soak(tmp_path, 1)
    soak.prepare(run)
    soak.add(run)
    soak.check(run)
    assert run.problems == []
    run.memories["M-LOST"] = "a memory"
    run.prompts.add("a prompt")
    run.peaks["files"] = soak.FILES + 1
    run.mem("show", "M-LOST")
    soak.check(run)
    assert [problem.partition(": ")[0] for problem in run.problems] == [
        "mem show M-LOST ended with 3",
        "1 acknowledged memories are lost, such as M-LOST",
        "1 acknowledged prompts are lost, such as a prompt",
        f"{soak.FILES + 1} files, more than {soak.FILES}",
    ]
