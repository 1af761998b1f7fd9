"""What a repository's file of settings tries to widen: every setting that there is, at once."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from tests.conftest import Terminal

NAMES = {"memory.thread", "capture.thread"}  # a repository names its own threads


def test_no_setting_of_a_repository_widens_anything_and_doctor_names_each(terminal: Terminal) -> None:
    terminal.mem("init", "--no-agents")
    before = {row["key"]: row["value"] for row in terminal.mem("config", "list", "--json").json}
    assert len(before) > 100
    (terminal.folder / ".mempack").mkdir(exist_ok=True)
    (terminal.folder / ".mempack/config.toml").write_text(_widened(before))
    after = {row["key"]: row["value"] for row in terminal.mem("config", "list", "--json").json}
    assert {key for key in before if before[key] != after[key]} <= NAMES
    told = terminal.mem("doctor").out
    assert [key for key in before.keys() - NAMES if f"{key} = " not in told and f"{key}: " not in told] == []


def _widened(settings: dict[str, Any]) -> str:
    lines = []
    for key, value in settings.items():
        wider = not value if isinstance(value, bool) else value * 10 + 7 if isinstance(value, int | float) else "evil"
        lines.append(f"{key} = {json.dumps(['evil'] if isinstance(value, list) else wider)}")
    return "\n".join(lines) + "\n"


def test_settings_behind_a_link_are_not_read(terminal: Terminal, tmp_path: Path) -> None:
    (tmp_path / "theirs").mkdir()
    (tmp_path / "theirs/config.toml").write_text("[turn]\nentries = 5\n")
    (terminal.folder / ".mempack").symlink_to(tmp_path / "theirs")
    assert terminal.mem("config", "get", "turn.entries", "--json").json["source"] == "default"
    terminal.mem("init", "--no-agents")
    assert ".mempack is a symbolic link, so its settings are not read" in terminal.mem("doctor").out
