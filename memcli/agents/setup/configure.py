"""Configuring an agent harness to use the memory: what is to be written is worked out first, whole, and then written or shown."""

from __future__ import annotations

import os
import tomllib
from collections.abc import Callable, Sequence

from memcli.agents.adapters import PROJECT, USER, Adapter, adapter, adapters
from memcli.agents.setup import files, jsonedit, merge
from memcli.agents.setup.program import config_path, program, with_tilde
from memcli.agents.setup.switches import switches
from memcli.agents.turns import context_file
from memcli.errors import InvalidInput, NotFound
from memcli.records import Record, replace

Edit = Callable[[str], str]
FileChange = tuple[str, Edit, Edit]  # the path; what puts our part into its text, and what takes it out


class SetupRequest(Record):
    """Which harness to configure, where, with the server or, to remove, only the server."""

    harness: str
    scope: str = USER
    root: str = ""  # top of the project; needed for that scope
    server: bool = False
    remove: bool = False


class FilePlan(Record):
    """One file: its text before (None: no such file) and after (None: it is removed), and the part of it that is ours.

    `stale`: copies that are of no use once this is done; `has_ours`: the text before has ours in it, and no copy of it is kept.
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
    plans: dict[str, FilePlan] = {}
    mem = program()
    for path, put_in, take_out in _changes(harness, request, mem):
        file = plans.get(path) or FilePlan(path, (text := files.read(path)), text)
        plans[path] = _edited(file, take_out if request.remove else put_in, request.remove)
    edited = list(plans.values())
    if request.remove:
        edited = [_restored(file, harness, request, mem) for file in edited]
    return [_marked(file, harness, request, mem) for file in edited]


def approvals(request: SetupRequest) -> list[str]:
    """Returns what the person has to do before the harness takes notice, a sentence each."""
    harness = find_adapter(request.harness)
    steps = [*harness.approvals.get(request.scope, ())]
    steps += harness.server_approvals.get(request.scope, ()) if request.server else ()
    for switch in switches(harness, request.root):
        steps.append(f"{switch.path}: {switch.text}, so that no such hook runs; {switch.hint}")
    if request.scope == PROJECT:
        steps.append(f"what was written names a path of this machine, {program()[0]}: rather do not commit it")
    return list(dict.fromkeys([*steps, *harness.workspace_notes()]))


def find_adapter(name: str) -> Adapter:
    """Returns the adapter of a harness that setup can configure. Raises InvalidInput for another name."""
    names = [harness.name for harness in configurable()]
    if name not in names:
        raise InvalidInput(f"no harness {name[:80]!r}", f"use {', '.join(names)}")
    return adapter(name)


def _changes(harness: Adapter, request: SetupRequest, mem: Sequence[str]) -> list[FileChange]:
    """Returns for each file what puts our part in and what takes it out."""
    changes: list[FileChange] = []
    scope, root = request.scope, request.root
    if not (request.server and request.remove):  # else only the server goes
        if harness.hook_files:
            path = config_path(harness.hook_files, scope, root)
            changes.append((path, lambda text: merge.hooks_in(text, harness, mem), merge.hooks_out))
        if harness.plugin_files:
            changes.append(own_file(config_path(harness.plugin_files, scope, root), harness.plugin_text(mem)))
        changes += harness.workspace_changes()
    if harness.server_files and (request.server or request.remove):
        is_toml = harness.server_files[1].endswith(".toml")
        put_in, take_out = (merge.table_in, merge.table_out) if is_toml else (merge.server_in, merge.server_out)
        path = config_path(harness.server_files, scope, root)
        changes.append((path, lambda text: put_in(text, harness, mem), lambda text: take_out(text, harness)))
    return changes


def own_file(path: str, content: str, follows_links: bool = True) -> FileChange:
    """Returns the change of a file that is ours as a whole: its content, and what empties it.

    `follows_links`: else a link at `path` is refused, so that what is known does not land outside of its directory.
    """

    def put(text: str) -> str:
        if not follows_links and os.path.islink(path):
            raise merge.Misfit("it is a link", "move it away, and run it again")
        take(text)
        return content

    def take(text: str) -> str:
        if text.strip() and text.partition("\n")[0] != content.partition("\n")[0]:
            raise merge.Misfit("it is not the file of mem", "move it away, and run it again")
        return ""

    return path, put, take


def _edited(file: FilePlan, edit: Edit, remove: bool) -> FilePlan:
    """Returns the plan of a file with one more edit."""
    if remove and file.after is None:
        return file
    try:
        after = edit(file.after or "")
        fragment = "" if remove else edit(file.fragment)
        _verify(file.path, after)
    except (jsonedit.MalformedJson, ValueError, KeyError) as problem:
        message = " ".join(str(problem).split())
        raise InvalidInput(f"{file.path} cannot be read: {message}", "correct it; nothing was changed", "broken_config") from None
    except merge.Misfit as problem:
        hint = problem.hint or "correct it; nothing was changed"
        raise InvalidInput(f"{file.path}: {problem.message}", hint, "broken_config") from None
    return FilePlan(file.path, file.before, after, fragment)


def _verify(path: str, text: str) -> None:
    """Raises ValueError for a text that would be broken."""
    if path.endswith(".toml"):
        tomllib.loads(text)
    elif path.endswith((".json", ".jsonc")) and text.strip():
        jsonedit.parse(text)


def _marked(file: FilePlan, harness: Adapter, request: SetupRequest, mem: Sequence[str]) -> FilePlan:
    """Returns a plan with a mark where the file has ours already, so that its text is not what was there before us."""
    if file.before is None or not file.before.strip(merge.BLANK) or file.after in (None, file.before):
        return file
    everything = SetupRequest(request.harness, request.scope, request.root, remove=True)
    removals = [take_out for path, _, take_out in _changes(harness, everything, mem) if path == file.path]
    return replace(file, has_ours=not _is_without_us(removals, file.before))


def _restored(file: FilePlan, harness: Adapter, request: SetupRequest, mem: Sequence[str]) -> FilePlan:
    """Returns a removal that leaves what was there before setup, byte for byte, where nothing else has changed since.

    A file that is empty then, and did not exist before, is removed. A copy shows that there was one, if an empty one.
    """
    if file.before is None or file.after == file.before:
        return file
    changes = [(put_in, take_out) for path, put_in, take_out in _changes(harness, request, mem) if path == file.path]
    additions, removals = [put_in for put_in, _ in changes], [take_out for _, take_out in changes]
    copies = {path: files.read(path) or "" for path in files.copies(file.path)}
    # A copy from which setup makes the present text is the original: with the hooks, the server, or both.
    for original in dict.fromkeys((*copies.values(), "")):
        try:
            results = [_apply_all(chosen, original) for chosen in (additions, additions[:1], additions[1:]) if chosen]
            is_before_us = not original.strip(merge.BLANK) or _apply_all(removals, original) == original
        except (jsonedit.MalformedJson, ValueError, merge.Misfit):
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
    try:
        return _apply_all(removals, text) == text
    except (jsonedit.MalformedJson, ValueError, merge.Misfit):
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
            context_file.refresh(os.path.dirname(file.path))  # from now on it is known, and follows every change
    return results


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
