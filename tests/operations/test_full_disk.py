"""On a disk without a free byte a person can still forget and undo: what is reserved for events makes room for that."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.conftest import Terminal
from tests.store.test_full_disk import on_a_disk_of

PROGRAM = """
import json, os, subprocess, sys
disk = sys.argv[1]
env = {**os.environ, "MEMPACK_DATA_DIR": disk + "/data"}

def mem(*words):
    line = [sys.executable, "-m", "memcli", *words]
    return subprocess.run(line, cwd=os.environ["TREE"], env=env, capture_output=True, text=True)

ids = [json.loads(mem("add", f"Fact {number}", "--summary", "words " * 400, "--json").stdout)["id"] for number in range(4)]
words = {"forget": ["forget", ids[0]], "erase": ["forget", "--erase", ids[0]], "undo": ["undo"]}[os.environ["VERB"]]
with open(disk + "/fill", "wb", buffering=0) as file:
    try:
        while True:
            file.write(bytes(512))
    except OSError:
        pass
done = mem(*words)
os.unlink(disk + "/fill")
print(json.dumps([done.returncode, done.stderr, len(mem("export").stdout.splitlines())]))
"""


@pytest.mark.parametrize("verb", ["forget", "erase", "undo"])
def test_a_full_disk_lets_a_person_free_space(
    terminal: Terminal, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, verb: str
) -> None:
    monkeypatch.setenv("TREE", str(terminal.folder))
    monkeypatch.setenv("VERB", verb)
    (tmp_path / "disk").mkdir()
    code, said, left = json.loads(on_a_disk_of(3_000, tmp_path / "disk", PROGRAM))
    assert (code, left) == (0, 3), said
