"""What an installation without extras can do, and what it says where it cannot."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from importlib.metadata import packages_distributions
from pathlib import Path

import pytest
from packaging.utils import canonicalize_name

from memcli import browse
from memcli.errors import MemError
from memcli.operations import Caller
from memcli.project import Where
from scripts.packages import packages
from tests.conftest import Result, Terminal

ROOT = Path(__file__).parents[2]

CODE = "def pay(amount):\n    return amount\n\n\nclass Till:\n    def open(self):\n        return pay(1)\n"


@pytest.fixture
def plain(terminal: Terminal, tmp_path: Path) -> Callable[..., Result]:
    """Runs `mem` where no package of an extra can be imported: the interpreter finds none."""
    absent = packages("all") - packages("")
    modules = [name for name, owners in packages_distributions().items() if {canonicalize_name(it) for it in owners} & absent]
    assert {"tree_sitter", "watchfiles", "textual"} <= set(modules)
    folder = tmp_path / "python"
    folder.mkdir()
    (folder / "sitecustomize.py").write_text(f"import sys\nsys.modules.update(dict.fromkeys({sorted(modules)!r}))\n")

    env = {"PYTHONPATH": str(folder), "MEMPACK_WORKER_IDLE_SECONDS": "0.01"}

    def run(*words: str, **more: object) -> Result:
        return terminal.process(*words, env=env, **more)

    return run


def test_hooks_and_the_command_line_need_no_extra(terminal: Terminal, plain: Callable[..., Result]) -> None:
    plain("init")
    plain("add", "Sessions live in Postgres", "--summary", "Redis evicted them.")
    assert "Redis evicted them." in plain("get", "why are sessions in postgres").out
    start = {"session_id": "s1", "hook_event_name": "SessionStart", "source": "startup", "cwd": str(terminal.folder)}
    told = plain("hook", "session-start", "--harness", "claude", input=json.dumps(start).encode()).out
    assert "Sessions live in Postgres" in told
    prompt = {"session_id": "s1", "hook_event_name": "UserPromptSubmit", "prompt": "Mend the login", "cwd": str(terminal.folder)}
    plain("hook", "user-prompt", "--harness", "claude", input=json.dumps(prompt).encode())
    plain("worker", "run")
    assert "Mend the login" in plain("sessions").out
    plain("setup", "claude")
    plain("doctor")
    assert "Help on a command" in plain("--help").out
    assert "mem get" in plain("help", "get").out


def test_files_are_ingested_without_the_grammars_and_again_with_them(terminal: Terminal, plain: Callable[..., Result]) -> None:
    (terminal.folder / "till.py").write_text(CODE)
    (terminal.folder / "guide.md").write_text("# Guide\n\n## Paying\n\nPay at the till.\n")
    done = plain("ingest")
    assert done.err == "1 file cut by lines, not by definitions: the grammars come with memcli's extra [ingest]\n"
    assert [chunk["symbol"] for chunk in plain("chunks", "till.py", "--json").json] == [""]
    assert "guide.md:1-5 Guide" in plain("chunks", "guide.md").out
    terminal.mem("ingest")
    assert "Till" in terminal.mem("chunks", "till.py").out


def test_a_missing_extra_is_one_error_and_a_hint(terminal: Terminal, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("memcli.extras.find_spec", lambda name: None)
    assert terminal.mem("ingest", "--watch", fails=1).err.splitlines() == [
        "Error: mem ingest --watch needs packages that are not installed",
        "Hint: run install.sh without --minimal, or install '.[ingest]' in a checkout",
    ]


def test_the_servers_need_no_extra(plain: Callable[..., Result]) -> None:
    plain("add", "Sessions live in Postgres")
    hello = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "t", "version": "1"}}
    asked = json.dumps({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": hello}) + "\n"
    assert '"serverInfo"' in plain("mcp", input=asked.encode()).out
    plain("setup", "claude", "--mcp")
    try:
        assert "http://127.0.0.1:" in plain("serve", "start", "--port", "0").out
    finally:
        plain("serve", "stop")


def test_the_browser_says_so_too(terminal: Terminal, monkeypatch: pytest.MonkeyPatch) -> None:
    terminal.add("Sessions live in Postgres")
    monkeypatch.setattr("memcli.extras.find_spec", lambda name: None)
    monkeypatch.chdir(terminal.folder)
    with pytest.raises(MemError, match="mem browse needs packages that are not installed"):
        browse.run(Caller(Where(), "cli"))


def test_the_documentation_counts_the_packages() -> None:
    text = (ROOT / "docs/install.md").read_text()
    rows = dict(re.findall(r"^\| `([^`]+)` \| .* \| (\d+)\b.* \|$", text, re.M))
    plain = packages("")
    assert f"{len(plain)} packages instead of {len(packages('all'))}" in (ROOT / "README.md").read_text()
    counts = {f"[{extra}]": len(packages(extra) - plain) for extra in ("ingest", "browse")}
    assert {name: int(count) for name, count in rows.items()} == {"memcli": len(plain), **counts, "[all]": len(packages("all"))}
