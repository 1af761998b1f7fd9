"""Configuring an agent harness to use the memory: plans what is to be written, writes it, and checks what stands there.

Each harness has a list of parts, each of one file: setup puts them in, removal takes them out, the doctor checks them.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Sequence
from typing import Any

from memcli.agents.adapters import LOCAL, PROJECT, USER, Adapter, Problem, adapter, adapters
from memcli.agents.setup import files, jsonedit, merge
from memcli.agents.setup.merge import BLANK, Edit, Part
from memcli.agents.setup.program import config_path, expand, hooks_path, program, with_tilde
from memcli.agents.turns import context_file
from memcli.errors import InvalidInput, MemError, NotFound
from memcli.records import Record, replace
from memcli.text import bounded

_LEADS_OUT = "leads out of the repository by a symbolic link"


class SetupRequest(Record):
    """Which harness to configure, where, with the server or, to remove, only the server."""

    harness: str
    scope: str = USER
    root: str = ""  # top of the project; needed for that scope
    server: bool = False
    remove: bool = False


class FilePlan(Record):
    """One file: its text before (None: no such file) and after (None: it is removed), and our part alone.

    `stale`: copies that are of no use once this is done; `has_ours`: the text before contains our part, so no copy of it is kept.
    """

    path: str
    before: str | None
    after: str | None
    fragment: str = ""
    stale: tuple[str, ...] = ()
    has_ours: bool = False


class FileResult(Record):
    """What became of one file: created, changed, unchanged, restored or removed; `copy`: where the old one is kept."""

    path: str
    action: str
    copy: str = ""

    @property
    def location(self) -> str:
        """The path as a person writes it, and where the copy is."""
        return with_tilde(self.path) + (f"; a copy of the old one: {with_tilde(self.copy)}" if self.copy else "")


class HarnessCheck(Record):
    """One check of a harness: whether it passed, in words, with the next step where it failed."""

    ok: bool
    harness: str
    text: str
    hint: str = ""


def configurable() -> list[Adapter]:
    """Returns the harnesses that setup can configure."""
    return [harness for harness in adapters() if harness.hook_files or harness.plugin_files or harness.server_files]


def plan(request: SetupRequest) -> list[FilePlan]:
    """Returns what is to be done, file by file; writes nothing.

    Raises InvalidInput for a configuration that is not what the harness documents, NotFound where a project is missing, MemError.
    """
    harness = find_adapter(request.harness)
    if request.scope == PROJECT and not request.root:
        raise NotFound("no project here", "go into a repository, name one with --repo, or leave out --project", "no_repository")
    if request.scope == PROJECT and harness.project_refusal:
        raise InvalidInput(*harness.project_refusal)
    scope, root = request.scope, request.root
    is_server_only = request.server and request.remove
    entries = [*([] if is_server_only else harness.workspace_parts()), *_parts(harness, scope, root)]
    chosen = [entry for entry in entries if entry.is_server or not is_server_only]
    if not request.server and not request.remove:
        chosen = [entry for entry in entries if not entry.is_server]
    paths = list(dict.fromkeys([entry.path for entry in chosen]))
    if scope == PROJECT:
        _refuse_links_out(paths, root)
    plans = []
    for path in paths:
        file = _planned(path, [entry for entry in chosen if entry.path == path], request.remove, _largest(scope))
        if request.remove and file.before is not None and file.after != file.before:
            file = _restored(file, [entry for entry in chosen if entry.path == path], harness)
        removals = [entry.take_out for entry in entries if entry.path == path]
        plans.append(replace(file, has_ours=not _is_without_us(removals, file.before or "")))
    return plans


def _parts(harness: Adapter, scope: str, root: str) -> list[Part]:
    """Returns our parts of a harness's files in a scope, whether they are there or not."""
    mem = program()
    entries: list[Part] = []
    if harness.hook_files and (path := hooks_path(harness, scope, root)):
        entries.append(Part(path, lambda text: merge.hooks_in(text, harness, mem), merge.hooks_out))
    if harness.plugin_files and scope != LOCAL:
        entries.append(merge.own_file(config_path(harness.plugin_files, scope, root), harness.plugin_text(mem)))
    servers = harness.server_files if scope != LOCAL else None
    if servers and (servers[0] or scope == USER):
        path = config_path(servers, scope, root)
        put_in, take_out = (lambda text: merge.server_in(text, harness, mem)), (lambda text: merge.server_out(text, harness))
        entries.append(Part(path, put_in, take_out, True))
    return entries


def _largest(scope: str) -> int:
    """Returns the bytes that a configuration of a scope may have."""
    return files.LARGEST if scope == USER else files.LARGEST_OF_PROJECT


def _planned(path: str, entries: Sequence[Part], is_removal: bool, most: int) -> FilePlan:
    """Returns the plan of a file into which its parts are put, or out of which they are taken."""
    before = files.read(path, most)
    if is_removal and before is None:
        return FilePlan(path, None, None)
    edits = [entry.take_out if is_removal else entry.put_in for entry in entries]
    try:
        return FilePlan(path, before, _apply_all(edits, before or ""), "" if is_removal else _apply_all(edits, ""))
    except (ValueError, KeyError) as problem:
        message = " ".join(str(problem).split())
        raise InvalidInput(f"{path} cannot be read: {message}", "correct it; nothing was changed", "broken_config") from None
    except merge.Misfit as problem:
        hint = problem.hint or "correct it; nothing was changed"
        raise InvalidInput(f"{path}: {problem.message}", hint, "broken_config") from None


def approvals(request: SetupRequest) -> list[str]:
    """Returns what the person has to do before the harness takes notice, a sentence each."""
    harness = find_adapter(request.harness)
    steps = [*harness.approvals.get(request.scope, ())]
    steps += harness.server_approvals.get(request.scope, ()) if request.server else ()
    steps += [harness.first_start] if harness.first_start else []
    for switch in switches(harness, request.root):
        steps.append(f"{switch.path}: {switch.text}, so its hooks do not run; {switch.hint}")
    if request.scope == PROJECT:
        steps.append(f"what was written contains a path on this machine, {program()[0]}: better not to commit it")
    return list(dict.fromkeys([*steps, *harness.workspace_notes()]))


def find_adapter(name: str) -> Adapter:
    """Returns the adapter of a harness that setup can configure. Raises InvalidInput for another name."""
    names = [harness.name for harness in configurable()]
    if name not in names:
        raise InvalidInput(f"no harness {name[:80]!r}", f"use {', '.join(names)}")
    return adapter(name)


def _restored(file: FilePlan, entries: Sequence[Part], harness: Adapter) -> FilePlan:
    """Returns a removal that leaves what was there before setup, byte for byte, where nothing else has changed since.

    A file that is empty then, and did not exist before, is removed. A copy shows that there was one, if an empty one.
    """
    additions, removals = [entry.put_in for entry in entries], [entry.take_out for entry in entries]
    copies = {path: files.read(path) or "" for path in files.copies(file.path)}
    # A copy from which setup makes the present text is the original: with the hooks, the server, or both.
    for original in dict.fromkeys((*copies.values(), "")):
        try:
            results = [_apply_all(chosen, original) for chosen in (additions, additions[:1], additions[1:]) if chosen]
            is_before_us = not original.strip(merge.BLANK) or _apply_all(removals, original) == original
        except (ValueError, merge.Misfit):
            continue  # a copy of something else
        if file.before in results and is_before_us:
            stale = tuple([path for path, text in copies.items() if text == original or text in results])
            return replace(file, after=original if original or "" in copies.values() else None, stale=stale)
    if not _is_bare(file, harness):
        return file
    without_us = {path: text for path, text in copies.items() if _is_without_us(removals, text)}
    blank = {path: text for path, text in without_us.items() if not text.strip(merge.BLANK)}
    if blank:
        return replace(file, after=next(iter(blank.values())), stale=tuple(blank))
    return file if without_us else replace(file, after=None)


def _is_without_us(removals: Sequence[Edit], text: str) -> bool:
    if not text.strip(BLANK):
        return True
    try:
        return _apply_all(removals, text) == text
    except (ValueError, merge.Misfit):
        return True


def _apply_all(edits: Sequence[Edit], text: str) -> str:
    for edit in edits:
        text = edit(text)
    return text


def _is_bare(file: FilePlan, harness: Adapter) -> bool:
    """True for a file with nothing in it but what setup itself began it with."""
    text = (file.after or "").strip()
    if not text or not file.path.endswith((".json", ".jsonc")):
        return not text
    return bool(jsonedit.parse(text).value in ({}, harness.new_hook_file))


def apply(plans: Sequence[FilePlan]) -> list[FileResult]:
    """Writes what was planned and returns what became of each file. Raises MemError, most often before anything is written."""
    changed = [file for file in plans if file.after != file.before]
    for file in changed:
        files.check(file.path)
    results = [_apply(file) if file in changed else FileResult(file.path, "unchanged") for file in plans]
    for file in plans:
        if file.after is not None and os.path.basename(file.path) == context_file.FILE:
            _follow(os.path.dirname(file.path))
    return results


def _follow(workspace: str) -> None:
    """Has the file of a workspace follow every change from now on. Raises MemError."""
    try:
        context_file.register(workspace)
    except OSError as problem:
        raise MemError(f"the data directory cannot be written: {problem.strerror}", "run mem doctor", "unwritable") from None


def _refuse_links_out(paths: Sequence[str], root: str) -> None:
    """Raises InvalidInput for a path of a project that a link leads out of it: the link may have come with a clone."""
    for path in paths:
        if bounded.leads_out(root, path):
            raise InvalidInput(f"{path} {_LEADS_OUT}", "remove the link, or leave out --project")


def _apply(file: FilePlan) -> FileResult:
    copy = ""
    if file.after is None:
        files.remove(file.path)
    else:
        if file.before is not None and not file.stale and not file.has_ours:
            copy = files.keep(file.path, file.before)
        files.write(file.path, file.after)
    for path in file.stale:
        files.discard(path)
    action = "removed" if file.after is None else "created" if file.before is None else "restored" if file.stale else "changed"
    return FileResult(file.path, action, copy)


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
    """Returns what shows in the project at `root` that a harness is used there without us, by this person; empty for nothing."""
    paths = harness.own_places if root else None
    if not paths or (harness.extension_place and os.path.exists(expand(harness.extension_place))):
        return ""
    return paths[0] if all(os.path.exists(config_path(paths, scope, root)) for scope in (USER, PROJECT)) else ""


def has_plugin(harness: Adapter, root: str) -> bool:
    """Tells whether our plugin is enabled, for the person or, which goes before it, for the project at `root`."""
    enabled: dict[str, Any] = {}
    for scope in (USER, PROJECT, LOCAL) if root else (USER,):
        plugins = merge.read_settings(hooks_path(harness, scope, root), "" if scope == USER else root).get("enabledPlugins")
        enabled |= plugins if isinstance(plugins, dict) else {}
    return enabled.get(harness.plugin_id) is True


def _removal(harness: Adapter, scope: str, root: str) -> str:
    """Returns how hooks are taken out of a file again."""
    if scope == LOCAL:
        return f"take them out of {with_tilde(hooks_path(harness, LOCAL, root))}, which setup does not write"
    return f"mem setup {harness.name}{' --project' if scope == PROJECT else ''} --remove"


def _check_scope(harness: Adapter, scope: str, root: str) -> list[HarnessCheck]:
    """Returns the checks of our parts of a harness's files in one scope; none for a part that is not there."""
    checks: list[HarnessCheck] = []
    setup = f"mem setup {harness.name}{' --project' if scope == PROJECT else ''}"
    for entry in _parts(harness, scope, root):
        name = with_tilde(entry.path)
        hint = "correct it by hand" if scope == LOCAL else f"{setup} --mcp" if entry.is_server else setup
        if scope != USER and bounded.leads_out(root, entry.path):
            checks.append(HarnessCheck(False, harness.name, f"{name} {_LEADS_OUT}, and is not read", "remove the link"))
            continue
        try:
            text = files.read(entry.path, _largest(scope))
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
    """Returns what is wrong with our part of a text, each with a next step where it is not setup; None where it is not there."""
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
        settings = merge.read_settings(path, "" if scope == USER else root)
        result += [Switch(with_tilde(path), text, hint) for text, hint in harness.switched_off(settings)]
    return result
