"""Settings of a person or project in a harness that decide whether our hooks run: switches against hooks, and our plugin."""

from __future__ import annotations

from typing import Any

from memcli.agents.adapters import LOCAL, PROJECT, USER, Adapter
from memcli.agents.setup import merge
from memcli.agents.setup.program import config_path, hooks_path, with_tilde
from memcli.records import Record


class Switch(Record):
    """A switch that keeps hooks from running: the file it is in, how it is set there, what to do."""

    path: str
    text: str
    hint: str


def switches(harness: Adapter, root: str) -> list[Switch]:
    """Returns the switches against our hooks in a harness's files: the person's and, if `root` is given, the project's."""
    result = []
    for scope in (USER, PROJECT, LOCAL) if root else (USER,):
        paths = harness.switch_files if scope != LOCAL else None
        path = config_path(paths, scope, root) if paths else hooks_path(harness, scope, root)
        settings = merge.read_settings(path, "" if scope == USER else root)
        result += [Switch(with_tilde(path), text, hint) for text, hint in harness.switched_off(settings)]
    return result


def has_plugin(harness: Adapter, root: str) -> bool:
    """Tells whether our plugin is enabled for the project at `root`, whose settings take precedence, or for the person."""
    enabled: dict[str, Any] = {}
    for scope in (USER, PROJECT, LOCAL) if root else (USER,):
        plugins = merge.read_settings(hooks_path(harness, scope, root), "" if scope == USER else root).get("enabledPlugins")
        enabled |= plugins if isinstance(plugins, dict) else {}
    return enabled.get(harness.plugin_id) is True
