"""The protocol's own programs from npm, with a Node that is new enough for them."""

from __future__ import annotations

import fcntl
import os
import shutil
import subprocess
from pathlib import Path

import pytest

WHERE = "MEM_HARNESS_CLIENTS"  # a directory of programs from npm, as for the real harnesses; without it they are installed
PACKAGES = ("node@22.23.3", "@modelcontextprotocol/conformance@0.2.0-alpha.12", "@modelcontextprotocol/inspector@2.12.0")


@pytest.fixture(scope="session")
def programs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The directory of the programs."""
    own = tmp_path_factory.getbasetemp()
    shared = own.parent if "PYTEST_XDIST_WORKER" in os.environ else own
    folder = Path(os.environ.get(WHERE) or shared / "clients") / "mcp"
    folder.mkdir(parents=True, exist_ok=True)
    with open(folder / "lock", "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)  # one process installs, the others wait
        install(folder)
    return folder / "node_modules" / ".bin"


def install(folder: Path) -> None:
    """Installs the programs, unless just these are there."""
    wanted, noted = "\n".join(PACKAGES), folder / "installed"
    if noted.exists() and noted.read_text() == wanted:
        return
    npm = shutil.which("npm")
    assert npm, "npm is not on PATH"
    (folder / "package.json").write_text('{"private": true}')
    words = [npm, "install", "--no-audit", "--no-fund", "--save-exact", *PACKAGES]
    subprocess.run(words, cwd=folder, check=True, capture_output=True, stdin=subprocess.DEVNULL)
    noted.write_text(wanted)
