"""The examples for CI services are run as their runners would: each script of a job in a fresh clone, on a fresh machine."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.replication.conftest import Machine

EXAMPLES = Path(__file__).parents[2] / "docs/examples"
Team = Callable[..., Machine]


def scripts_of(path: Path) -> list[str]:
    """Returns the scripts of a job in order, without the one that installs mem."""
    text = path.read_text(encoding="utf-8")
    if path.name == "gitlab-ci.yml":
        (steps,) = re.findall(r"^  script:\n((?:    - .*\n)+)", text, re.MULTILINE)
        return ["\n".join([line.removeprefix("    - ") for line in steps.splitlines()])]
    blocks = re.findall(r"^        run: \|\n((?:          .*\n)+)", text, re.MULTILINE)
    return ["\n".join([line.strip() for line in block.splitlines()]) for block in blocks]


@pytest.mark.parametrize(("example", "variable"), [("github-actions.yml", "GITHUB_ACTIONS"), ("gitlab-ci.yml", "GITLAB_CI")])
def test_an_example_recalls_and_remembers(machine: Team, tmp_path: Path, example: str, variable: str) -> None:
    ada = machine("ada")
    ada.shared("The login test fails without the VPN", "known failing tests: login", "--kind", "gotcha")
    ada.mem("sync")
    programs = tmp_path / "bin"
    programs.mkdir()
    (programs / "mem").write_text(f'#!/bin/sh\nexec {sys.executable} -m memcli "$@"\n')
    (programs / "mem").chmod(0o755)
    job = machine("job", None)
    env = {**job.env, "PATH": f"{programs}:{os.environ['PATH']}", "CI": "true", variable: "true"}
    printed = ""
    for script in scripts_of(EXAMPLES / example):
        done = subprocess.run(
            ["bash", "-eo", "pipefail", "-c", script], cwd=job.folder, env=env, capture_output=True, text=True, check=False
        )
        assert done.returncode == 0, done.stderr
        printed += done.stdout
    assert "The login test fails without the VPN" in printed
    ada.mem("sync")
    assert "tests: passed" in ada.mem("get", "how are the tests").out
