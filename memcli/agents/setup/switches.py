"""What a person switched off in a harness's settings, so that hooks of ours that stand there do not run."""

from __future__ import annotations

import shlex

from memcli.agents.adapters import claude, codex, gemini
from memcli.agents.adapters.spec import HOOK, LOCAL, PROJECT, USER, ours, path_of, place_of, shown
from memcli.agents.setup import files, merge
from memcli.errors import MemError
from memcli.records import Record
from memcli.text import jsonedit

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from memcli.agents.adapters.spec import Spec

CLAUDE = ("disableAllHooks", "allowManagedHooksOnly")


class Switch(Record):
    """A switch that keeps hooks from running: the file it is in, how it stands there, what to do."""

    path: str
    text: str
    hint: str


def switches(spec: Spec, root: str) -> list[Switch]:
    """Returns the switches against hooks of ours in a harness's files, the person's and, where `root` is one, the project's."""
    found = []
    for scope in (USER, PROJECT, LOCAL) if root else (USER,):
        part = spec.server if spec is codex.SPEC and scope != LOCAL else None
        path = place_of(part, scope, root) if part else path_of(spec, scope, root)
        found += [Switch(shown(path), text, hint) for text, hint in _in(spec, settings(path))]
    return found


def settings(path: str) -> dict[str, Any]:
    """Returns what a file of settings says; nothing for one that is broken, of which is told where its hooks are looked for."""
    try:
        text = files.read(path) if path else None
        if not text or not text.strip(merge.BLANK):
            return {}
        value = _toml(text) if path.endswith(".toml") else jsonedit.parse(text).value
    except (MemError, jsonedit.Malformed, ValueError):
        return {}
    return value if isinstance(value, dict) else {}


def _toml(text: str) -> Any:
    import tomllib

    return tomllib.loads(text)


def _in(spec: Spec, said: dict[str, Any]) -> list[tuple[str, str]]:
    """Returns each switch that is on in what a file says, and how to be rid of it."""
    if spec is claude.SPEC:
        return [(f"{switch} is on", f"take {switch} out of it") for switch in CLAUDE if said.get(switch) is True]
    if spec is codex.SPEC:
        features = said.get("features")
        is_off = isinstance(features, dict) and features.get("hooks") is False
        return [("[features] hooks is false", "take hooks out of its [features]")] if is_off else []
    if spec is gemini.SPEC and isinstance(kept := said.get("hooksConfig"), dict):
        off = [("hooksConfig.enabled is false", "take enabled out of its hooksConfig")] if kept.get("enabled") is False else []
        named = kept.get("disabled")
        if isinstance(named, list) and (mine := [one for one in named if isinstance(one, str) and _is_gemini_s(one)]):
            off.append((f"hooksConfig.disabled names {', '.join(mine)}", "take that out of its hooksConfig.disabled"))
        return off
    return []


def _is_gemini_s(named: str) -> bool:
    """True for one of our hooks as Gemini names it: by its name, or its command line."""
    if named in [f"mem-{event}" for event, _ in gemini.EVENTS.values()]:
        return True
    try:
        return bool(ours(shlex.split(named), HOOK))
    except ValueError:
        return False
