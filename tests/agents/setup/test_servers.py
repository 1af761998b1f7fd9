"""`mem setup HARNESS --mcp`: the server, and who may write by it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from memcli.agents.adapters import adapter
from memcli.agents.setup.program import words_of
from tests.agents.setup.conftest import SERVERS, Person

SCOPES = ("user", "project")


@pytest.mark.parametrize("harness", SERVERS)
def test_another_server_of_our_name_is_left_alone(person: Person, harness: str) -> None:
    person.setup(harness, "--mcp")
    path = person.file(harness, server=True)
    path.write_text(path.read_text().replace(str(person.mem), "/opt/other/memory"))
    before = person.everything()
    refused = person.setup(harness, "--mcp", fails=2).err
    assert "another server is called mem" in refused
    assert "Hint:" in refused
    assert person.everything() == before


@pytest.mark.parametrize("scope", SCOPES)
@pytest.mark.parametrize("harness", SERVERS)
def test_the_server_is_registered_beside_others(person: Person, harness: str, scope: str) -> None:
    keys = adapter(harness).server_keys
    path = person.file(harness, scope, server=True)
    path.parent.mkdir(parents=True, exist_ok=True)
    other = (
        '# mine\n[mcp_servers.other] # x\ncommand = "other"\n' if path.suffix == ".toml" else json.dumps({keys[0]: {"other": {}}})
    )
    path.write_text(other)
    person.setup(harness, f"--{scope}", "--mcp")
    servers = person.settings(harness, scope, server=True)[keys[0]]
    assert list(servers) == ["other", "mem"]
    assert words_of(servers["mem"]) == [str(person.mem), "mcp"]
    assert path.read_text().startswith(other.rstrip("}"))
    person.setup(harness, f"--{scope}", "--mcp", "--remove")
    assert path.read_text() == other or path == person.file(harness, scope)
    assert person.file(harness, scope).is_file()


def test_variables_and_arguments_that_a_person_gave_our_server_stay(person: Person, tmp_path: Path) -> None:
    person.setup("codex", "--mcp")
    path = person.file("codex", server=True)
    text = path.read_text().replace(str(person.mem), "/gone/mem").replace('["mcp"]', '["mcp", "--repo", "x"]')
    path.write_text(text + '[mcp_servers.mem.env] # mine\nA = "b"\n')
    person.setup("codex", "--mcp")
    server = person.settings("codex", server=True)["mcp_servers"]["mem"]
    assert server == {"command": str(person.mem), "args": ["mcp", "--repo", "x"], "env": {"A": "b"}}
    assert "# mine" in path.read_text()


def test_write_decides_once_in_the_persons_own_settings(person: Person) -> None:
    person.terminal.mem("init")
    person.setup("claude", "--mcp", "--write", "ask")
    assert person.terminal.mem("config", "get", "mcp.write").out == "ask\n"
    person.setup("codex", "--mcp", "--write", "off")
    assert person.terminal.mem("config", "get", "mcp.write").out == "off\n"
    settings = Path(person.terminal.env["MEMPACK_CONFIG_DIR"]) / "config.toml"
    assert settings.read_text().count("\n# ") > 30  # what init wrote there as examples
