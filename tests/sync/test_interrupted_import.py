"""An import that ends before its last line says how much is stored, and goes on when it is run again."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from memcli import sync
from memcli.errors import MemError
from memcli.project import Where, open_for_writing
from tests.conftest import Terminal
from tests.store.test_full_disk import on_a_disk_of

LINES = [json.dumps({"text": f"Fact {number}: {'words ' * 60}{number}"}) for number in range(3_000)]
ON_A_SMALL_DISK = """
import json, os, resource, subprocess, sys
disk, tree = sys.argv[1], os.environ["TREE"]
env = {**os.environ, "MEMPACK_DATA_DIR": disk + "/data"}

def mem(*words, **more):
    done = subprocess.run([sys.executable, "-m", "memcli", *words], cwd=tree, env=env, capture_output=True, text=True, **more)
    return [done.returncode, done.stdout, done.stderr]

def no_large_file():
    resource.setrlimit(resource.RLIMIT_FSIZE, (2_500_000, 2_500_000))

def stored():
    return len(mem("export")[1].splitlines())

mem("add", "begun")
with open(disk + "/room", "wb") as file:
    file.write(bytes(200_000))
limited = mem("import", tree + "/facts.jsonl", preexec_fn=no_large_file)
between = stored()
full = mem("import", tree + "/facts.jsonl")
os.unlink(disk + "/room")
print(json.dumps([limited, between, full, stored()]))
"""


def test_a_full_disk_says_how_much_is_stored(terminal: Terminal, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (terminal.folder / "facts.jsonl").write_text("\n".join(LINES) + "\n")
    monkeypatch.setenv("TREE", str(terminal.folder))
    (tmp_path / "disk").mkdir()
    limited, between, full, after = json.loads(on_a_disk_of(6_000, tmp_path / "disk", ON_A_SMALL_DISK))
    assert 1 < between < after < len(LINES)
    assert limited[0] == full[0] == 1
    assert f"; {between - 1:,} of the entries are stored" in limited[2]
    assert f"no space left on the disk; {after - 1:,} of the entries are stored" in full[2]
    assert "then import again: it goes on from there" in full[2]


def test_who_interrupts_an_import_reads_how_much_is_stored(terminal: Terminal) -> None:
    def interrupted() -> Iterator[str]:
        yield from LINES[:700]
        raise KeyboardInterrupt

    project = open_for_writing(Where(repo=str(terminal.folder)))
    try:
        with pytest.raises(MemError, match="interrupted; 500 of the entries are stored") as stopped:
            sync.load(project, interrupted())
        assert (stopped.value.exit_code, stopped.value.hint) == (130, "import again: it goes on from there")
        assert sync.load(project, LINES[:700])[:3] == (200, 0, 500)
    finally:
        project.close()
