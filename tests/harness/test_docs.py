"""docs/harnesses.md, docs/mcp.md and what is shipped say what setup writes."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from memcli.agents.adapters import openclaw
from memcli.agents.setup import merge, plugins
from memcli.agents.setup.configure import SPECS

ROOT = Path(__file__).resolve().parents[2]
MEM = ["/home/you/.local/bin/mem"]
TITLES = "|".join([*[spec.title for spec in SPECS.values()], "Others"])
PARTS = re.split(rf"\n## (?=(?:{TITLES})\n)", (ROOT / "docs/harnesses.md").read_text(encoding="utf-8"))
SECTIONS = {part.partition("\n")[0]: part for part in PARTS[1:]}


@pytest.mark.parametrize("spec", SPECS.values(), ids=list(SPECS))
def test_the_section_of_each_harness_has_the_command_the_files_and_what_is_written(spec) -> None:  # type: ignore[no-untyped-def]
    section = SECTIONS[spec.title]
    assert f"\n    mem setup {spec.name}\n" in section
    blocks = re.findall(r"```\w+\n(.*?)```", section, re.S)
    wanted = []
    if spec.hooks:
        wanted.append(merge.hooks_in("", spec.hooks, spec.name, MEM))
    if spec is openclaw.SPEC:
        wanted.append(merge.block_in("", openclaw.REFERENCE))
    put = merge.table_in if spec.server.user.endswith(".toml") else merge.server_in
    assert blocks == [*wanted, put("", spec.server, MEM)]
    for part in (spec.hooks, spec.own, spec.server):
        for path in (part.project, re.sub(r"\$\{\w+:-([^}]*)\}", r"\1", part.user)) if part else ():
            name = path if path not in ("~/.codex/config.toml", ".codex/config.toml") else "config.toml"
            assert name in section or Path(name).name in section


def test_every_harness_has_its_command_for_the_server() -> None:
    text = (ROOT / "docs/mcp.md").read_text(encoding="utf-8")
    for name in SPECS:
        assert f"`mem setup {name} --mcp`" in text


@pytest.mark.parametrize("name", plugins.files())
def test_what_is_shipped_is_what_setup_would_write(name: str) -> None:
    assert (ROOT / name).read_text(encoding="utf-8") == plugins.files()[name], "run python scripts/generate.py"


def test_nothing_else_is_shipped() -> None:
    found = {path.relative_to(ROOT).as_posix() for path in (ROOT / "plugins").rglob("*") if path.is_file()}
    assert found == {name for name in plugins.files() if name.startswith("plugins/")}
