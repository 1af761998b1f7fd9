"""Switches in a harness's settings that keep our hooks from running."""

from __future__ import annotations

import tomllib
from typing import Any

from memcli.agents.adapters import LOCAL, PROJECT, USER, Adapter
from memcli.agents.setup import files, jsonedit
from memcli.agents.setup.merge import BLANK
from memcli.agents.setup.program import config_path, hooks_path, with_tilde
from memcli.errors import MemError
from memcli.records import Record


class Switch(Record):
    """A switch that keeps hooks from running: the file it is in, how it is set there, what to do."""

    path: str
    text: str
    hint: str


def switches(harness: Adapter, root: str) -> list[Switch]:
    """Returns the switches against our hooks in a harness's files, the person's and, where `root` is one, the project's."""
    result = []
    for scope in (USER, PROJECT, LOCAL) if root else (USER,):
        paths = harness.switch_files if scope != LOCAL else None
        path = config_path(paths, scope, root) if paths else hooks_path(harness, scope, root)
        result += [Switch(with_tilde(path), text, hint) for text, hint in harness.switched_off(read_settings(path))]
    return result


def read_settings(path: str) -> dict[str, Any]:
    """Returns the settings in a file; none for a broken one, which is reported where its hooks are checked."""
    try:
        text = files.read(path) if path else None
        if not text or not text.strip(BLANK):
            return {}
        value = tomllib.loads(text) if path.endswith(".toml") else jsonedit.parse(text).value
    except (MemError, jsonedit.MalformedJson, ValueError):
        return {}
    return value if isinstance(value, dict) else {}
