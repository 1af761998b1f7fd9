"""A repository whose configuration would run programs is only read."""

from __future__ import annotations

import subprocess
from pathlib import Path

from tests.provenance.conftest import Desk
from tests.provenance.test_places import LONG, written

HOSTILE = """
[core]
    fsmonitor = {0}
    hooksPath = {1}
    pager = {0}
    sshCommand = {0}
    attributesFile = {2}
[diff]
    external = {0}
[diff "evil"]
    textconv = {0}
    command = {0}
[filter "evil"]
    clean = {0}
    smudge = {0}
    process = {0}
    required = true
[log]
    showSignature = true
[gpg]
    program = {0}
[pager]
    blame = {0}
    log = {0}
[alias]
    blame = !{0}
"""


def test_nothing_that_a_hostile_repository_configures_is_run(desk: Desk, tmp_path: Path) -> None:
    commit = written(desk)
    marks, program, attributes = tmp_path / "ran", tmp_path / "evil", tmp_path / "attributes"
    program.write_text(f'#!/bin/sh\necho "$0 $*" >> {marks}\ncat\n')
    program.chmod(0o755)
    hooks = tmp_path / "hooks"
    hooks.mkdir()
    (hooks / "post-index-change").symlink_to(program)
    for place in (attributes, desk.terminal.folder / ".gitattributes", desk.terminal.folder / ".git" / "info" / "attributes"):
        place.parent.mkdir(exist_ok=True)
        place.write_text("* diff=evil filter=evil\n")
    with (desk.terminal.folder / ".git" / "config").open("a") as config:
        config.write(HOSTILE.format(program, hooks, attributes))
    (desk.terminal.folder / "a.py").write_text("# changed\n" + LONG)
    (desk.terminal.folder / "c.py").write_text(LONG)

    assert desk.why("a.py:4")["changes"][0]["commit"]["id"] == commit
    for target in ("a.py", "a.py:2-8", "c.py:3", "c.py", "HEAD", commit, "nothing.py"):
        desk.terminal.mem("why", target, "--json", fails=3 if target == "nothing.py" else 0)
    assert not marks.exists(), marks.read_text()
    subprocess.run(["git", "diff"], cwd=desk.terminal.folder, env=desk.terminal.env, capture_output=True, check=False)
    assert marks.exists()  # the repository is as hostile as it should be


def test_a_subject_and_an_author_of_megabytes_are_told_in_short(desk: Desk) -> None:
    message = desk.terminal.folder.parent / "message"
    message.write_text("Sessions are short. " * 60_000)
    author = f"--author={'A ' * 30_000}<a@example.invalid>"
    desk.terminal.git("commit", "-q", "--allow-empty", "-F", str(message), author)
    commit = desk.why("HEAD")["changes"][0]["commit"]
    assert (len(commit["subject"]), len(commit["author"])) == (500, 200)
    assert len(desk.terminal.mem("why", "HEAD").out) < 2_000
