"""OpenClaw: a bridge of files. It runs no hooks of ours, but reads its workspace, so what is known stands there in a file.

`MEMORY_CONTEXT.md` in the workspace is ours, and `turns/bridge.py` keeps it current; `AGENTS.md`, which OpenClaw gives to the
model, gets a reference to it between two marks. Files: the vendor's pages on workspaces and memory; what of it reaches the
model was measured with 2026.9.6.
"""

from __future__ import annotations

import glob
import os

from memcli.agents.adapters.spec import Server, Spec, shown
from memcli.agents.setup import merge
from memcli.agents.turns import context_file
from memcli.agents.turns.context_file import FILE
from memcli.errors import NotFound
from memcli.project import Where, locate, open_for_reading

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from memcli.agents.adapters.spec import Handler

NAME = "openclaw"
VARIABLE = "OPENCLAW_WORKSPACE"
THEIRS = "OPENCLAW_WORKSPACE_DIR"  # OpenClaw's own, for one
USUAL = "~/.openclaw/workspace*"
AGENTS = "AGENTS.md"
REFERENCE = f"""\
## Memory

Read `{FILE}` at the start of every session: what was decided, tried and left open here, as far as it still holds.
It is written by `mem`; never edit it. To keep what you learn: `mem add "the fact" --summary "why"`.
"""


def server(words: Sequence[str]) -> Handler:
    """Returns a server as OpenClaw's settings have it."""
    return {"command": words[0], "args": list(words[1:])}


SPEC = Spec(NAME, "OpenClaw", server=Server("", "~/.openclaw/openclaw.json", ("mcp", "servers"), server))


def workspaces() -> list[str]:
    """Returns OpenClaw's workspaces: those that OPENCLAW_WORKSPACE names, with wildcards, else its own, else the usual ones.

    Raises NotFound where there is none.
    """
    own = glob.escape(os.environ.get(THEIRS, ""))
    named = os.environ.get(VARIABLE, "")
    parts = named.split(os.pathsep) if named else [own or USUAL]
    found = [path for part in parts for path in sorted(glob.glob(os.path.expanduser(part)))]
    folders = list(dict.fromkeys([os.path.abspath(path) for path in found if os.path.isdir(path)]))
    if not folders:
        said = f"no workspace of OpenClaw: {os.pathsep.join(parts)}"
        raise NotFound(said, f"start OpenClaw once, or set {VARIABLE}", "no_workspace")
    return folders


def known(folder: str) -> str:
    """Returns what MEMORY_CONTEXT.md in a workspace is to say now."""
    try:
        project = open_for_reading(Where(folder))
    except NotFound:
        return context_file.text(None)
    try:
        return context_file.text(project)
    finally:
        project.close()


def without_memory() -> list[str]:
    """Returns what is to be done for the workspaces that have no memory of their own yet."""
    said = []
    for folder in workspaces():
        try:
            place = locate(Where(folder))
        except NotFound:
            said.append(f"mem init {shown(folder)} --no-git    gives that workspace a memory")
            continue
        if place.repo_id is None:
            said.append(f"mem init {shown(folder)}    gives that workspace a memory")
    return said


def committed() -> list[str]:
    """Returns what is to be minded in workspaces that are repositories."""
    named = [shown(folder) for folder in workspaces() if os.path.lexists(os.path.join(folder, ".git"))]
    return [f"do not commit {FILE} in {', '.join(named)}: it holds your own memory, too"] if named else []


def bridged() -> list[str]:
    """Returns the workspaces that have both halves of the bridge."""
    return [folder for folder, has_file, has_reference in _halves() if has_file and has_reference]


def troubles() -> list[tuple[str, str]]:
    """Returns what is wrong with workspaces that have one half of the bridge, each with the next step."""
    said = []
    for folder, has_file, has_reference in _halves():
        if has_file != has_reference:
            is_theirs = not has_file and os.path.lexists(os.path.join(folder, FILE))
            gone = f"{FILE} is not the file of mem" if is_theirs else f"{FILE} is gone"
            missing = f"{AGENTS} says nothing of {FILE}" if has_file else gone
            hint = "move it away; mem setup openclaw" if is_theirs else "mem setup openclaw"
            said.append((f"{shown(folder)}: {missing}", hint))
    return said


def _halves() -> list[tuple[str, bool, bool]]:
    """Returns each workspace with whether it has our file and the reference to it."""
    try:
        folders = workspaces()
    except NotFound:
        return []
    return [(folder, context_file.stands(folder), _refers(os.path.join(folder, AGENTS))) for folder in folders]


def _refers(path: str) -> bool:
    try:
        with open(path, encoding="utf-8", errors="replace") as file:
            return merge.START in file.read()
    except OSError:
        return False
