"""Configures an agent harness to use the memory: plans what to write, and writes it.

Each harness has a list of parts, each of one file. Setup inserts them, removal takes them out, `checks` examines them.
"""

from __future__ import annotations

import os
from collections.abc import Sequence

from memcli.agents.adapters import LOCAL, PROJECT, USER, Adapter, adapter, adapters
from memcli.agents.setup import files, jsonedit, merge, places
from memcli.agents.setup.merge import BLANK, Edit, Part
from memcli.agents.setup.program import config_path, hooks_path, program, with_tilde
from memcli.agents.setup.switches import switches
from memcli.agents.turns import context_file
from memcli.errors import InvalidInput, MemError, NotFound
from memcli.records import Record, replace
from memcli.text import bounded

LEADS_OUT = "leads out of the repository by a symbolic link"


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
    """The outcome for one file: created, changed, unchanged, restored or removed; `copy`: where the old one is kept."""

    path: str
    action: str
    copy: str = ""

    @property
    def location(self) -> str:
        """The path as a person writes it, and where the copy is."""
        return with_tilde(self.path) + (f"; a copy of the old one: {with_tilde(self.copy)}" if self.copy else "")


def configurable() -> list[Adapter]:
    """Returns the harnesses that setup can configure."""
    return [harness for harness in adapters() if harness.hook_files or harness.plugin_files or harness.server_files]


def plan(request: SetupRequest) -> list[FilePlan]:
    """Returns the plan, file by file. Writes nothing.

    Raises InvalidInput for a configuration that is not what the harness documents, NotFound where a project is missing, MemError.
    """
    harness = find_adapter(request.harness)
    if request.scope == PROJECT and not request.root:
        raise NotFound("no project here", "go into a repository, name one with --repo, or leave out --project", "no_repository")
    if request.scope == PROJECT and harness.project_refusal:
        raise InvalidInput(*harness.project_refusal)
    scope, root = request.scope, request.root
    is_server_only = request.server and request.remove
    entries = [*([] if is_server_only else harness.workspace_parts()), *parts(harness, scope, root)]
    if scope == PROJECT and not entries:
        raise InvalidInput(f"{harness.title} has no files in a project", "leave out --project")
    chosen = [entry for entry in entries if entry.is_server or not is_server_only]
    if not request.server and not request.remove:
        chosen = [entry for entry in entries if not entry.is_server]
    paths = list(dict.fromkeys([entry.path for entry in chosen]))
    if scope == PROJECT:
        _refuse_links_out(paths, root)
    plans = []
    for path in paths:
        file = _plan_file(path, [entry for entry in chosen if entry.path == path], request.remove, largest(scope))
        if request.remove and file.before is not None and file.after != file.before:
            file = _restored(file, [entry for entry in chosen if entry.path == path], harness)
        removals = [entry.take_out for entry in entries if entry.path == path]
        plans.append(replace(file, has_ours=not _is_without_us(removals, file.before or "")))
    return plans


def parts(harness: Adapter, scope: str, root: str) -> list[Part]:
    """Returns our parts of a harness's files in a scope, whether they exist or not."""
    mem = program()
    entries: list[Part] = []
    if harness.hook_files and (path := hooks_path(harness, scope, root)):
        entries.append(Part(path, lambda text: merge.hooks_in(text, harness, mem), merge.hooks_out))
    if scope == LOCAL:
        return entries
    if path := config_path(harness.plugin_files, scope, root):
        entries.append(merge.own_file(path, harness.plugin_text(mem)))
    if path := config_path(harness.server_files, scope, root):
        put_in, take_out = (lambda text: merge.server_in(text, harness, mem)), (lambda text: merge.server_out(text, harness))
        entries.append(Part(path, put_in, take_out, True))
    return entries


def largest(scope: str) -> int:
    """Returns the bytes that a configuration of a scope may have."""
    return files.LARGEST if scope == USER else files.LARGEST_OF_PROJECT


def _plan_file(path: str, entries: Sequence[Part], is_removal: bool, most: int) -> FilePlan:
    """Returns the plan of a file, into which its parts are inserted or from which they are removed."""
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
    """Returns what the person has to do before the harness uses the configuration, one sentence each."""
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
        raise InvalidInput(f"no harness {name[:80]!r}", f"use {', '.join(names)}, or git")
    return adapter(name)


def _restored(file: FilePlan, entries: Sequence[Part], harness: Adapter) -> FilePlan:
    """Returns a removal that restores what was there before setup, byte for byte, if nothing else has changed since.

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
    """Tells whether a text has no part of ours, or cannot be read."""
    if not text.strip(BLANK):
        return True
    try:
        return _apply_all(removals, text) == text
    except (ValueError, merge.Misfit):
        return True


def _apply_all(edits: Sequence[Edit], text: str) -> str:
    """Returns a text after some edits, one after the other."""
    for edit in edits:
        text = edit(text)
    return text


def _is_bare(file: FilePlan, harness: Adapter) -> bool:
    """Tells whether a file contains only what setup itself began it with."""
    text = (file.after or "").strip()
    if not text or not file.path.endswith((".json", ".jsonc")):
        return not text
    return bool(jsonedit.parse(text).value in ({}, harness.new_hook_file))


def apply(plans: Sequence[FilePlan]) -> list[FileResult]:
    """Writes the plans and returns the outcome for each file. Raises MemError, usually before anything is written."""
    changed = [file for file in plans if file.after != file.before]
    for file in changed:
        files.check(file.path)
    results = [_apply(file) if file in changed else FileResult(file.path, "unchanged") for file in plans]
    for file in plans:
        if file.after is not None and os.path.basename(file.path) == context_file.FILE:
            _register_workspace(os.path.dirname(file.path))
    return results


def _register_workspace(workspace: str) -> None:
    """Registers a workspace whose context file is to be kept up to date. Raises MemError."""
    try:
        context_file.register(workspace)
    except OSError as problem:
        raise MemError(f"the data directory cannot be written: {problem.strerror}", "run mem doctor", "unwritable") from None


def _refuse_links_out(paths: Sequence[str], root: str) -> None:
    """Raises InvalidInput for a path of a project that leads out of it through a link, which may have come with a clone."""
    for path in paths:
        if bounded.leads_out(root, path):
            raise InvalidInput(f"{path} {LEADS_OUT}", "remove the link, or leave out --project")


def _apply(file: FilePlan) -> FileResult:
    """Writes or removes one file, and keeps a copy of a text that has no part of ours. Raises MemError."""
    copy = ""
    if file.after is None:
        files.remove(file.path)
    else:
        if file.before is not None and not file.stale and not file.has_ours:
            copy = files.keep(file.path, file.before)
        folders = places.missing_folders(file.path)
        files.write(file.path, file.after)
        places.note(places.FOLDER, folders)
    for path in file.stale:
        files.discard(path)
    if file.after is None:
        places.remove_empty(file.path)
    action = "removed" if file.after is None else "created" if file.before is None else "restored" if file.stale else "changed"
    return FileResult(file.path, action, copy)
