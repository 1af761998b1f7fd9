"""What harnesses were told of the memory, and what of it does not work: gone programs, missing events, hooks nobody reviewed."""

from __future__ import annotations

import os
import shutil

from memcli.agents.adapters import claude, codex, openclaw
from memcli.agents.adapters.spec import LOCAL, PROJECT, USER, path_of, place_of, program, shown
from memcli.agents.setup import files, merge
from memcli.agents.setup.configure import SPECS
from memcli.agents.setup.switches import settings, switches
from memcli.errors import MemError
from memcli.records import Record
from memcli.text import jsonedit

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from memcli.agents.adapters.spec import Spec


class Seen(Record):
    """One thing about a harness: whether it is well, in words, with the next step where it is not."""

    ok: bool
    harness: str
    text: str
    hint: str = ""


def look(root: str) -> list[Seen]:
    """Returns what there is to say of every harness that was told of the memory, for the person and for the project at `root`."""
    said: list[Seen] = []
    for spec in SPECS.values():
        at = {scope: found for scope in (USER, PROJECT) if (found := _look(spec, scope, root)) is not None}
        if local := _local(spec, root):
            at[LOCAL] = local
        hooked = [scope for scope, found in at.items() if any(one.text.startswith("hooks in ") for one in found)]
        said += [one for found in at.values() for one in found]
        if len(hooked) > 1:
            both = " and ".join([shown(path_of(spec, scope, root)) for scope in hooked])
            said.append(Seen(False, spec.name, f"its hooks stand in {both}", _take_out(spec, hooked[-1], root)))
        said += _switched_off(spec, root) if hooked else []
        if spec is claude.SPEC and _has_plugin(root):
            said += _beside_plugin(spec, hooked, root)
    said += [Seen(False, openclaw.NAME, text, hint) for text, hint in openclaw.troubles()]
    return said + [Seen(True, openclaw.NAME, f"bridge in {shown(folder)}") for folder in openclaw.bridged()]


def _has_plugin(root: str) -> bool:
    """Tells whether our plugin is enabled in Claude Code, for the person or, which goes before it, for the project at `root`."""
    enabled: dict[str, Any] = {}
    for scope in (USER, PROJECT, LOCAL) if root else (USER,):
        found = settings(path_of(claude.SPEC, scope, root)).get("enabledPlugins")
        enabled |= found if isinstance(found, dict) else {}
    return enabled.get(claude.PLUGIN) is True


def _take_out(spec: Spec, scope: str, root: str) -> str:
    """Returns how hooks are taken out of a place again."""
    if scope == LOCAL:
        return f"take them out of {shown(path_of(spec, LOCAL, root))}, which setup does not write"
    return f"mem setup {spec.name}{' --project' if scope == PROJECT else ''} --remove"


def _local(spec: Spec, root: str) -> list[Seen]:
    """Returns what there is to say of hooks that a person put into a project's settings of their own."""
    if not (path := path_of(spec, LOCAL, root)):
        return []
    try:
        text = files.read(path)
        troubles = _hooks(spec, path, text) if text and text.strip(merge.BLANK) else None
    except (MemError, jsonedit.Malformed, ValueError) as problem:
        return [_unreadable(spec, path, problem)]
    if troubles is None:
        return []
    said = [Seen(False, spec.name, f"hooks in {shown(path)}: {text}", hint or "correct it by hand") for text, hint in troubles]
    return said or [Seen(True, spec.name, f"hooks in {shown(path)}")]


def _switched_off(spec: Spec, root: str) -> list[Seen]:
    """Returns the switches against hooks in a harness's files."""
    said = [(f"{one.text} in {one.path}, so that no such hook runs", one.hint) for one in switches(spec, root)]
    return [Seen(False, spec.name, text, hint) for text, hint in said]


def _unreadable(spec: Spec, path: str, problem: Exception) -> Seen:
    message = problem.message if isinstance(problem, MemError) else " ".join(str(problem).split())
    return Seen(False, spec.name, f"{shown(path)} cannot be read: {message}", "correct it")


def _beside_plugin(spec: Spec, hooked: list[str], root: str) -> list[Seen]:
    """Returns that the plugin is there, and for each place that has the same hooks, how to take them out."""
    said = [Seen(True, spec.name, f"plugin {claude.PLUGIN}")]
    for scope in hooked:
        again = _take_out(spec, scope, root)
        said.append(Seen(False, spec.name, f"hooks run twice: the plugin {claude.PLUGIN} has them, too", again))
    return said


def _look(spec: Spec, scope: str, root: str) -> list[Seen] | None:
    """Returns what there is to say of one harness in one place, None where it was told nothing there."""
    if scope == PROJECT and not root:
        return None
    said: list[Seen] = []
    again = f"mem setup {spec.name}{' --project' if scope == PROJECT else ''}"
    for part, judge in ((spec.hooks, _hooks), (spec.own, _own), (spec.server, _server)):
        path = place_of(part, scope, root) if part and (part.project or scope == USER) else ""
        try:
            text = files.read(path) if path else None
            troubles = judge(spec, path, text) if text else None
        except (MemError, jsonedit.Malformed, ValueError) as problem:
            said.append(_unreadable(spec, path, problem))
            continue
        if troubles is not None:
            what = "server" if part is spec.server else "hooks"
            command = f"{again} --mcp" if part is spec.server else again
            said += [Seen(False, spec.name, f"{what} in {shown(path)}: {text}", hint or command) for text, hint in troubles]
            if not troubles:
                said.append(Seen(True, spec.name, f"{what} in {shown(path)}"))
    return said or None


def _hooks(spec: Spec, path: str, text: str) -> list[tuple[str, str]] | None:
    """Returns what is wrong with the hooks in a text, each with a next step where it is not setup; None where there are none."""
    hooks = spec.hooks
    value = jsonedit.parse(text).value
    found = merge.find_hooks(value)
    if not found or hooks is None:
        return None
    said = []
    events = [one.event for one in found if one.event in hooks.events]
    if missing := [event for event in hooks.events if event not in events]:
        said.append((f"nothing for {', '.join(missing)}", ""))
    if doubled := sorted({event for event in events if events.count(event) > 1}):
        said.append((f"twice for {', '.join(doubled)}", ""))
    said += _programs({one.words[0] for one in found})
    if spec is codex.SPEC and (untrusted := codex.untrusted(path, [one.path for one in found])):
        said.append((f"not reviewed, so that Codex skips {untrusted}", "open codex, type /hooks and trust them"))
    return said


def _own(spec: Spec, path: str, text: str) -> list[tuple[str, str]] | None:
    wanted = spec.own.text(program()) if spec.own else ""
    if text.partition("\n")[0] != wanted.partition("\n")[0]:
        return None
    return [] if text == wanted else [("of another mem, or of an older one", "")]


def _server(spec: Spec, path: str, text: str) -> list[tuple[str, str]] | None:
    if spec.server is None:
        return None
    value: Any = _toml(text) if path.endswith(".toml") else jsonedit.parse(text).value
    try:
        words = merge.find_server(value, spec.server)
    except merge.Misfit:
        return None  # somebody else's, or nothing that we would write into
    return None if words is None else _programs({words[0]})


def _toml(text: str) -> Any:
    import tomllib

    return tomllib.loads(text)


def _programs(called: set[str]) -> list[tuple[str, str]]:
    """Returns what is wrong with the programs that hooks or a server start."""
    now = program()[0]
    said = []
    for name in sorted(called):
        if shutil.which(name) is None:
            said.append((f"{shown(name)} is gone", ""))
        elif os.sep in name and os.path.realpath(name) != os.path.realpath(now):
            said.append((f"they run {shown(name)}, and this is {shown(now)}", ""))
    return said
