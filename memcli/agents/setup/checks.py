"""What harnesses are configured to do, and what of it does not work: missing programs and events, hooks nobody reviewed."""

from __future__ import annotations

import os
import shutil
import tomllib
from typing import Any

from memcli.agents.adapters import LOCAL, PROJECT, USER, Adapter, Problem
from memcli.agents.setup import files, jsonedit, merge
from memcli.agents.setup.configure import configurable
from memcli.agents.setup.program import config_path, hooks_path, program, with_tilde
from memcli.agents.setup.switches import read_settings, switches
from memcli.errors import MemError
from memcli.records import Record


class HarnessCheck(Record):
    """One check of a harness: whether it passed, in words, with the next step where it failed."""

    ok: bool
    harness: str
    text: str
    hint: str = ""


def check_harnesses(root: str) -> list[HarnessCheck]:
    """Returns the checks of every harness that is configured, for the person and for the project at `root`."""
    checks: list[HarnessCheck] = []
    workspaces: list[HarnessCheck] = []
    for harness in configurable():
        checks += _check_harness(harness, root)
        problems, complete = harness.workspace_status()
        workspaces += [HarnessCheck(False, harness.name, text, hint) for text, hint in problems]
        workspaces += [HarnessCheck(True, harness.name, text) for text in complete]
    return checks + workspaces


def _check_harness(harness: Adapter, root: str) -> list[HarnessCheck]:
    by_scope = {scope: checks for scope in (USER, PROJECT) if (checks := _check_scope(harness, scope, root)) is not None}
    if local := _check_local(harness, root):
        by_scope[LOCAL] = local
    with_hooks = [scope for scope, checks in by_scope.items() if any(check.text.startswith("hooks in ") for check in checks)]
    result = [check for checks in by_scope.values() for check in checks]
    if len(with_hooks) > 1:
        paths = " and ".join([with_tilde(hooks_path(harness, scope, root)) for scope in with_hooks])
        result.append(HarnessCheck(False, harness.name, f"its hooks stand in {paths}", _removal(harness, with_hooks[-1], root)))
    if with_hooks:
        for switch in switches(harness, root):
            text = f"{switch.text} in {switch.path}, so that no such hook runs"
            result.append(HarnessCheck(False, harness.name, text, switch.hint))
    if harness.plugin_id and _has_plugin(harness, root):
        result.append(HarnessCheck(True, harness.name, f"plugin {harness.plugin_id}"))
        for scope in with_hooks:
            text = f"hooks run twice: the plugin {harness.plugin_id} has them, too"
            result.append(HarnessCheck(False, harness.name, text, _removal(harness, scope, root)))
    return result


def _has_plugin(harness: Adapter, root: str) -> bool:
    """Tells whether our plugin is enabled, for the person or, which goes before it, for the project at `root`."""
    enabled: dict[str, Any] = {}
    for scope in (USER, PROJECT, LOCAL) if root else (USER,):
        plugins = read_settings(hooks_path(harness, scope, root)).get("enabledPlugins")
        enabled |= plugins if isinstance(plugins, dict) else {}
    return enabled.get(harness.plugin_id) is True


def _removal(harness: Adapter, scope: str, root: str) -> str:
    """Returns how hooks are taken out of a file again."""
    if scope == LOCAL:
        return f"take them out of {with_tilde(hooks_path(harness, LOCAL, root))}, which setup does not write"
    return f"mem setup {harness.name}{' --project' if scope == PROJECT else ''} --remove"


def _check_local(harness: Adapter, root: str) -> list[HarnessCheck]:
    """Returns the checks of hooks that a person put into a project's settings of their own."""
    if not (path := hooks_path(harness, LOCAL, root)):
        return []
    try:
        text = files.read(path)
        problems = _check_hooks(harness, path, text) if text and text.strip(merge.BLANK) else None
    except (MemError, jsonedit.MalformedJson, ValueError) as problem:
        return [_unreadable(harness, path, problem)]
    if problems is None:
        return []
    label = f"hooks in {with_tilde(path)}"
    failed = [HarnessCheck(False, harness.name, f"{label}: {text}", hint or "correct it by hand") for text, hint in problems]
    return failed or [HarnessCheck(True, harness.name, label)]


def _unreadable(harness: Adapter, path: str, problem: Exception) -> HarnessCheck:
    message = problem.message if isinstance(problem, MemError) else " ".join(str(problem).split())
    return HarnessCheck(False, harness.name, f"{with_tilde(path)} cannot be read: {message}", "correct it")


def _check_scope(harness: Adapter, scope: str, root: str) -> list[HarnessCheck] | None:
    """Returns the checks of a harness's files in one scope, None where nothing of ours is in them."""
    if scope == PROJECT and not root:
        return None
    checks: list[HarnessCheck] = []
    setup = f"mem setup {harness.name}{' --project' if scope == PROJECT else ''}"
    sections = (
        (harness.hook_files, _check_hooks, "hooks", setup),
        (harness.plugin_files, _check_plugin, "hooks", setup),
        (harness.server_files, _check_server, "server", f"{setup} --mcp"),
    )
    for paths, check, label, command in sections:
        path = config_path(paths, scope, root) if paths and (paths[0] or scope == USER) else ""
        try:
            text = files.read(path) if path else None
            problems = check(harness, path, text) if text else None
        except (MemError, jsonedit.MalformedJson, ValueError) as problem:
            checks.append(_unreadable(harness, path, problem))
            continue
        if problems is not None:
            title = f"{label} in {with_tilde(path)}"
            checks += [HarnessCheck(False, harness.name, f"{title}: {text}", hint or command) for text, hint in problems]
            if not problems:
                checks.append(HarnessCheck(True, harness.name, title))
    return checks or None


def _check_hooks(harness: Adapter, path: str, text: str) -> list[Problem] | None:
    """Returns what is wrong with the hooks in a text, each with a next step where it is not setup; None where there are none."""
    hooks = merge.find_hooks(jsonedit.parse(text).value)
    if not hooks or not harness.hook_files:
        return None
    problems = []
    events = [hook.event for hook in hooks if hook.event in harness.events]
    if missing := [event for event in harness.events if event not in events]:
        problems.append((f"nothing for {', '.join(missing)}", ""))
    if duplicates := sorted({event for event in events if events.count(event) > 1}):
        problems.append((f"twice for {', '.join(duplicates)}", ""))
    problems += _check_programs({hook.words[0] for hook in hooks})
    if unreviewed := harness.unreviewed(path, [hook.path for hook in hooks]):
        text = f"not reviewed, so that {harness.title} skips {unreviewed}"
        problems.append((text, f"open {harness.name}, type /hooks and trust them"))
    return problems


def _check_plugin(harness: Adapter, path: str, text: str) -> list[Problem] | None:
    content = harness.plugin_text(program())
    if text.partition("\n")[0] != content.partition("\n")[0]:
        return None
    return [] if text == content else [("of another mem, or of an older one", "")]


def _check_server(harness: Adapter, path: str, text: str) -> list[Problem] | None:
    value: Any = tomllib.loads(text) if path.endswith(".toml") else jsonedit.parse(text).value
    try:
        words = merge.find_server(value, harness)
    except merge.Misfit:
        return None  # somebody else's, or nothing that we would write into
    return None if words is None else _check_programs({words[0]})


def _check_programs(names: set[str]) -> list[Problem]:
    """Returns what is wrong with the programs that hooks or a server start."""
    current = program()[0]
    problems = []
    for name in sorted(names):
        if shutil.which(name) is None:
            problems.append((f"{with_tilde(name)} is gone", ""))
        elif os.sep in name and os.path.realpath(name) != os.path.realpath(current):
            problems.append((f"they run {with_tilde(name)}, and this is {with_tilde(current)}", ""))
    return problems
