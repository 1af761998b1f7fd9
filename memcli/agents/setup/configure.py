"""Telling an agent harness of the memory: what is to be written is worked out first, whole, and then written or shown."""

from __future__ import annotations

import os

from memcli.agents.adapters import claude, codex, copilot, cursor, gemini, openclaw, opencode
from memcli.agents.adapters.spec import PROJECT, USER, place_of, program
from memcli.agents.setup import files, merge
from memcli.agents.setup.switches import switches
from memcli.agents.turns import context_file
from memcli.errors import InvalidInput, NotFound
from memcli.records import Record, replace
from memcli.text import jsonedit

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from memcli.agents.adapters.spec import Spec

    Change = Callable[[str], str]

SPECS: dict[str, Spec] = {one.SPEC.name: one.SPEC for one in (claude, codex, gemini, copilot, cursor, opencode, openclaw)}


class Ask(Record):
    """What is wanted: for which harness, where, with the server or, to remove, only the server."""

    harness: str
    scope: str = USER
    root: str = ""  # top of the project; needed for that scope
    server: bool = False
    remove: bool = False


class Step(Record):
    """One file: its text before (None: there is none) and after (None: it goes), and the part of it that is ours.

    `stale`: copies that say nothing new once this is done; `has_ours`: the text before has ours in it, and no copy of it is kept.
    """

    path: str
    before: str | None
    after: str | None
    fragment: str = ""
    stale: tuple[str, ...] = ()
    has_ours: bool = False


class Done(Record):
    """What became of one file: created, changed, unchanged, restored or removed; `copy`: where the old one is kept."""

    path: str
    action: str
    copy: str = ""


def plan(ask: Ask) -> list[Step]:
    """Returns what is to be done, file by file; nothing is written.

    Raises InvalidInput for a configuration that is not what the harness documents, NotFound where a project is missing, MemError.
    """
    spec = spec_of(ask.harness)
    if ask.scope == PROJECT and not ask.root:
        raise NotFound("no project here", "go into a repository, name one with --repo, or leave out --project", "no_repository")
    if ask.scope == PROJECT and spec is openclaw.SPEC:
        raise InvalidInput(
            "OpenClaw knows workspaces, no projects", f"leave out --project; set {openclaw.VARIABLE} to choose some"
        )
    steps: dict[str, Step] = {}
    mem = program()
    for path, change, out in _changes(spec, ask, mem):
        known = steps.get(path) or Step(path, (text := files.read(path)), text)
        steps[path] = _step(known, out if ask.remove else change, ask.remove)
    done = [_restored(step, spec, ask, mem) for step in steps.values()] if ask.remove else list(steps.values())
    return [_marked(step, spec, ask, mem) for step in done]


def approvals(ask: Ask) -> list[str]:
    """Returns what the person has to do before the harness takes notice, a sentence each."""
    spec = spec_of(ask.harness)
    said = [*spec.approve.get(ask.scope, ()), *(spec.approve_server.get(ask.scope, ()) if ask.server else ())]
    said += [f"{one.path}: {one.text}, so that no such hook runs; {one.hint}" for one in switches(spec, ask.root)]
    if ask.scope == PROJECT:
        said.append(f"what was written names a path of this machine, {program()[0]}: rather do not commit it")
    if spec is openclaw.SPEC:
        said += openclaw.without_memory() + openclaw.committed()
    return list(dict.fromkeys(said))


def spec_of(name: str) -> Spec:
    """Returns what is known of a harness. Raises InvalidInput for one that is not known."""
    if name not in SPECS:
        raise InvalidInput(f"no harness {name[:80]!r}", f"use {', '.join(SPECS)}")
    return SPECS[name]


def _changes(spec: Spec, ask: Ask, mem: Sequence[str]) -> list[tuple[str, Change, Change]]:
    """Returns for each file what puts our part in and what takes it out."""
    found: list[tuple[str, Change, Change]] = []
    only_server = ask.server and ask.remove
    if (hooks := spec.hooks) and not only_server:
        found.append(
            (place_of(hooks, ask.scope, ask.root), lambda text: merge.hooks_in(text, hooks, spec.name, mem), merge.hooks_out)
        )
    if (own := spec.own) and not only_server:
        found.append(
            (
                place_of(own, ask.scope, ask.root),
                lambda text: _own_in(text, own.text(mem)),
                lambda text: _own_out(text, own.text(mem)),
            )
        )
    if spec is openclaw.SPEC and not only_server:
        found += _bridge()
    if (server := spec.server) and (ask.server or ask.remove):
        put, take = (merge.table_in, merge.table_out) if server.user.endswith(".toml") else (merge.server_in, merge.server_out)
        found.append(
            (place_of(server, ask.scope, ask.root), lambda text: put(text, server, mem), lambda text: take(text, server))
        )
    return found


def _bridge() -> list[tuple[str, Change, Change]]:
    """Returns the same for the files in each workspace of OpenClaw."""
    found: list[tuple[str, Change, Change]] = []
    for folder in openclaw.workspaces():
        path = os.path.join(folder, context_file.FILE)
        found.append((path, *_own(openclaw.known(folder), path)))
        agents = os.path.join(folder, openclaw.AGENTS)
        found.append((agents, lambda text: merge.block_in(text, openclaw.REFERENCE), merge.block_out))
    return found


def _own(wanted: str, path: str) -> tuple[Change, Change]:
    """Returns what makes the file at `path`, ours as a whole, say `wanted`, and what empties it."""

    def put(text: str) -> str:
        if os.path.islink(path):  # what is known is not to land outside of the workspace
            raise merge.Misfit("it is a link", "move it away, and run it again")
        return _own_in(text, wanted)

    return put, lambda text: _own_out(text, wanted)


def _own_in(text: str, wanted: str) -> str:
    _own_out(text, wanted)
    return wanted


def _own_out(text: str, wanted: str) -> str:
    if text.strip() and text.partition("\n")[0] != wanted.partition("\n")[0]:
        raise merge.Misfit("it is not the file of mem", "move it away, and run it again")
    return ""


def _step(known: Step, change: Change, remove: bool) -> Step:
    """Returns a step with one more change of its file."""
    if remove and known.after is None:
        return known
    try:
        after = change(known.after or "")
        fragment = "" if remove else change(known.fragment)
        _verify(known.path, after)
    except (jsonedit.Malformed, ValueError, KeyError) as problem:
        said = " ".join(str(problem).split())
        raise InvalidInput(f"{known.path} cannot be read: {said}", "correct it; nothing was changed", "broken_config") from None
    except merge.Misfit as problem:
        hint = problem.hint or "correct it; nothing was changed"
        raise InvalidInput(f"{known.path}: {problem.message}", hint, "broken_config") from None
    return Step(known.path, known.before, after, fragment)


def _verify(path: str, text: str) -> None:
    """Raises ValueError for a text that would be broken."""
    if path.endswith(".toml"):
        import tomllib

        tomllib.loads(text)
    elif path.endswith((".json", ".jsonc")) and text.strip():
        jsonedit.parse(text)


def _marked(step: Step, spec: Spec, ask: Ask, mem: Sequence[str]) -> Step:
    """Returns a step with a mark where the file has ours already, so that its text is not what was there before us."""
    if step.before is None or not step.before.strip(merge.BLANK) or step.after in (None, step.before):
        return step
    everything = Ask(ask.harness, ask.scope, ask.root, remove=True)
    takes = [take for path, _, take in _changes(spec, everything, mem) if path == step.path]
    return replace(step, has_ours=not _is_without_us(takes, step.before))


def _restored(step: Step, spec: Spec, ask: Ask, mem: Sequence[str]) -> Step:
    """Returns a removal that leaves what was there before setup, byte for byte, where nothing else has changed since.

    A file in which nothing is left, and of which there was none before, goes. A copy tells that there was one, if an empty one.
    """
    if step.before is None or step.after == step.before:
        return step
    changes = [(put, take) for path, put, take in _changes(spec, ask, mem) if path == step.path]
    puts, takes = [put for put, _ in changes], [take for _, take in changes]  # of the server alone, where only that goes
    kept = {name: files.read(name) or "" for name in files.copies(step.path)}
    for text in dict.fromkeys((*kept.values(), "")):
        try:
            ways = [_all(chosen, text) for chosen in (puts, puts[:1], puts[1:]) if chosen]
            is_before_us = not text.strip(merge.BLANK) or _all(takes, text) == text
        except (jsonedit.Malformed, ValueError, merge.Misfit):
            continue  # a copy of something else
        if step.before in ways and is_before_us:
            stale = tuple([name for name, one in kept.items() if one == text or one in ways])
            return replace(step, after=text if text or "" in kept.values() else None, stale=stale)
    if not _is_bare(step, spec):
        return step
    theirs = {name: text for name, text in kept.items() if _is_without_us(takes, text)}
    blank = {name: text for name, text in theirs.items() if not text.strip(merge.BLANK)}
    if blank:
        return replace(step, after=next(iter(blank.values())), stale=tuple(blank))
    return step if theirs else replace(step, after=None)


def _is_without_us(takes: Sequence[Change], text: str) -> bool:
    try:
        return _all(takes, text) == text
    except (jsonedit.Malformed, ValueError, merge.Misfit):
        return True


def _all(changes: Sequence[Change], text: str) -> str:
    for change in changes:
        text = change(text)
    return text


def _is_bare(step: Step, spec: Spec) -> bool:
    """True for a file with nothing in it but what setup itself began it with."""
    text = (step.after or "").strip()
    if not text or not step.path.endswith((".json", ".jsonc")):
        return not text
    top = spec.hooks.top if spec.hooks else {}
    return bool(jsonedit.parse(text).value in ({}, top))


def carry_out(steps: Sequence[Step]) -> list[Done]:
    """Writes what was planned and returns what became of each file. Raises MemError, most often before anything is written."""
    due = [step for step in steps if step.after != step.before]
    for step in due:
        files.check(step.path)
    return [_carry_out(step) if step in due else Done(step.path, "unchanged") for step in steps]


def follow_up(ask: Ask) -> None:
    """Makes known to this machine what it has to keep up to date from now on."""
    if spec_of(ask.harness) is openclaw.SPEC:
        for folder in openclaw.workspaces():
            context_file.refresh(folder)


def _carry_out(step: Step) -> Done:
    copy = ""
    if step.after is None:
        files.remove(step.path)
    else:
        if step.before is not None and not step.stale and not step.has_ours:
            copy = files.keep(step.path, step.before)
        files.write(step.path, step.after)
    for name in step.stale:
        files.discard(name)
    action = "removed" if step.after is None else "created" if step.before is None else "restored" if step.stale else "changed"
    return Done(step.path, action, copy)
