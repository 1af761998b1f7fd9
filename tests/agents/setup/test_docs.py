"""docs/harnesses.md, docs/mcp.md and what is shipped say what setup writes."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from memcli.agents.adapters import Adapter, openclaw
from memcli.agents.setup import merge
from memcli.agents.setup.configure import configurable
from scripts import _plugins as plugins
from scripts._harness_doc import with_events, with_harnesses

ROOT = Path(__file__).resolve().parents[3]
MEM = ["/home/you/.local/bin/mem"]
HARNESSES = configurable()
TITLES = "|".join([*[harness.title for harness in HARNESSES], "Others"])
PARTS = re.split(rf"\n## (?=(?:{TITLES})\n)", (ROOT / "docs/harnesses.md").read_text(encoding="utf-8"))
SECTIONS = {part.partition("\n")[0]: part for part in PARTS[1:]}


@pytest.mark.parametrize("harness", HARNESSES, ids=lambda harness: harness.name)
def test_the_section_of_each_harness_has_the_command_the_files_and_what_is_written(harness: Adapter) -> None:
    section = SECTIONS[harness.title]
    assert f"\n    mem setup {harness.name}\n" in section
    blocks = re.findall(r"```\w+\n(.*?)```", section, re.S)
    wanted = []
    if harness.hook_files:
        wanted.append(merge.hooks_in("", harness, MEM))
    if harness is openclaw.ADAPTER:
        wanted.append(merge.block_in("", openclaw.REFERENCE))
    assert harness.server_files
    assert blocks == [*wanted, merge.server_in("", harness, MEM)]
    for paths in (harness.hook_files, harness.plugin_files, harness.server_files):
        for path in (paths[0] or "", re.sub(r"\$\{\w+:-([^}]*)\}", r"\1", paths[1])) if paths else ():
            name = path if path not in ("~/.codex/config.toml", ".codex/config.toml") else "config.toml"
            assert name in section or Path(name).name in section


@pytest.mark.parametrize("name", ["README.md", "CONTRIBUTING.md", "docs/harnesses.md"])
def test_lists_of_harnesses_are_those_of_the_registry(name: str) -> None:
    text = (ROOT / name).read_text(encoding="utf-8")
    assert with_harnesses(text) == text, "run python scripts/generate.py"
    older = text.replace(", OpenCode", "").replace("|opencode", "").replace("| OpenCode |", "| OpenCoat |")
    assert older != text
    assert with_harnesses(older) == text


def test_names_of_events_are_those_of_the_adapters() -> None:
    text = (ROOT / "docs/capture.md").read_text(encoding="utf-8")
    assert with_events(text) == text, "run python scripts/generate.py"


def test_every_harness_has_its_command_for_the_server() -> None:
    text = (ROOT / "docs/mcp.md").read_text(encoding="utf-8")
    for harness in HARNESSES:
        assert f"`mem setup {harness.name} --mcp`" in text


@pytest.mark.parametrize("name", plugins.files())
def test_what_is_shipped_is_what_setup_would_write(name: str) -> None:
    assert (ROOT / name).read_text(encoding="utf-8") == plugins.files()[name], "run python scripts/generate.py"


def test_nothing_else_is_shipped() -> None:
    found = {path.relative_to(ROOT).as_posix() for path in (ROOT / "plugins").rglob("*") if path.is_file()}
    assert found == {name for name in plugins.files() if name.startswith("plugins/")}
