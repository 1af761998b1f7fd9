"""Checks our part of the configurations of harnesses: hooks, servers and plugins, and the programs that they start."""

from __future__ import annotations

import os
import shutil
from collections.abc import Sequence

from memcli.agents.adapters import LOCAL, PROJECT, USER, Adapter, Problem
from memcli.agents.setup import files, jsonedit, merge
from memcli.agents.setup.configure import LEADS_OUT, configurable, largest, parts
from memcli.agents.setup.merge import BLANK, Part
from memcli.agents.setup.program import config_path, expand, hooks_path, program, with_tilde
from memcli.agents.setup.switches import has_plugin, switches
from memcli.errors import MemError
from memcli.records import Record
from memcli.text import bounded


class HarnessCheck(Record):
    """One check of a harness: whether it passed, in words, with the next step if it failed."""

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
    scopes = (USER, PROJECT, LOCAL) if root else (USER,)
    by_scope = {scope: _check_scope(harness, scope, root) for scope in scopes}
    with_hooks = [scope for scope, checks in by_scope.items() if any(check.text.startswith("hooks in ") for check in checks)]
    result = [check for checks in by_scope.values() for check in checks]
    if len(with_hooks) > 1:
        paths = " and ".join([with_tilde(hooks_path(harness, scope, root)) for scope in with_hooks])
        result.append(HarnessCheck(False, harness.name, f"its hooks are in {paths}", _removal(harness, with_hooks[-1], root)))
    if with_hooks:
        for switch in switches(harness, root):
            text = f"{switch.text} in {switch.path}, so its hooks do not run"
            result.append(HarnessCheck(False, harness.name, text, switch.hint))
    if harness.plugin_id and has_plugin(harness, root):
        result.append(HarnessCheck(True, harness.name, f"plugin {harness.plugin_id}"))
        for scope in with_hooks:
            text = f"hooks run twice: the plugin {harness.plugin_id} has them, too"
            result.append(HarnessCheck(False, harness.name, text, _removal(harness, scope, root)))
    elif not with_hooks and (evidence := _used_place(harness, root)):
        text = f"{evidence} shows that {harness.title} is used here, but it has no hooks of mem"
        result.append(HarnessCheck(False, harness.name, text, f"mem setup {harness.name}"))
    return result


def _used_place(harness: Adapter, root: str) -> str:
    """Returns what shows that this person uses a harness without us in the project at `root`, or ""."""
    paths = harness.own_places if root else None
    if not paths or (harness.extension_place and os.path.exists(expand(harness.extension_place))):
        return ""
    return paths[0] if all(os.path.exists(config_path(paths, scope, root)) for scope in (USER, PROJECT)) else ""


def _removal(harness: Adapter, scope: str, root: str) -> str:
    """Returns how to remove our hooks from a file."""
    if scope == LOCAL:
        return f"take them out of {with_tilde(hooks_path(harness, LOCAL, root))}, which setup does not write"
    return f"mem setup {harness.name}{' --project' if scope == PROJECT else ''} --remove"


def _check_scope(harness: Adapter, scope: str, root: str) -> list[HarnessCheck]:
    """Returns the checks of our parts of a harness's files in one scope, none for a missing part."""
    checks: list[HarnessCheck] = []
    setup = f"mem setup {harness.name}{' --project' if scope == PROJECT else ''}"
    for entry in parts(harness, scope, root):
        name = with_tilde(entry.path)
        hint = "correct it by hand" if scope == LOCAL else f"{setup} --mcp" if entry.is_server else setup
        if scope != USER and bounded.leads_out(root, entry.path):
            checks.append(HarnessCheck(False, harness.name, f"{name} {LEADS_OUT}, and is not read", "remove the link"))
            continue
        try:
            text = files.read(entry.path, largest(scope))
            problems = _problems(harness, entry, text) if text and text.strip(BLANK) else None
        except (MemError, ValueError) as problem:
            message = problem.message if isinstance(problem, MemError) else " ".join(str(problem).split())
            checks.append(HarnessCheck(False, harness.name, f"{name} cannot be read: {message}", "correct it"))
            continue
        if problems is not None:
            title = f"{'server' if entry.is_server else 'hooks'} in {name}"
            failed = [HarnessCheck(False, harness.name, f"{title}: {text}", step or hint) for text, step in problems]
            checks += failed or [HarnessCheck(True, harness.name, title)]
    return checks


def _problems(harness: Adapter, entry: Part, text: str) -> list[Problem] | None:
    """Returns the problems of our part of a text, each with a next step unless that is setup; None if the part is missing."""
    if entry.is_server:
        try:
            words = merge.find_server(merge.format_of(entry.path).value(text), harness)
        except merge.Misfit:
            return None  # somebody else's, or nothing that we would write into
        if words is None:
            return None
        return _check_programs({words[0]})
    if harness.hook_files:
        return _check_hooks(harness, entry.path, merge.find_hooks(jsonedit.parse(text).value))
    content = entry.put_in("")
    if text.partition("\n")[0] != content.partition("\n")[0]:
        return None
    return [] if text == content else [("written by another or an older mem", "")]


def _check_hooks(harness: Adapter, path: str, hooks: Sequence[merge.OwnHook]) -> list[Problem] | None:
    if not hooks:
        return None
    problems = []
    events = [hook.event for hook in hooks if hook.event in harness.events]
    if missing := [event for event in harness.events if event not in events]:
        problems.append((f"no hook for {', '.join(missing)}", ""))
    if duplicates := sorted({event for event in events if events.count(event) > 1}):
        problems.append((f"two hooks for {', '.join(duplicates)}", ""))
    problems += _check_programs({hook.words[0] for hook in hooks})
    if unreviewed := harness.unreviewed(path, [hook.path for hook in hooks]):
        text = f"not reviewed, so {harness.title} skips {unreviewed}"
        problems.append((text, f"open {harness.name}, type /hooks and trust them"))
    return problems


def _check_programs(names: set[str]) -> list[Problem]:
    """Returns what is wrong with the programs that hooks or a server start."""
    current = program()[0]
    problems = []
    for name in sorted(names):
        if shutil.which(name) is None:
            problems.append((f"{with_tilde(name)} is gone", ""))
        elif os.sep in name and os.path.realpath(name) != os.path.realpath(current):
            problems.append((f"they run {with_tilde(name)}, but this is {with_tilde(current)}", ""))
    return problems
