"""OpenClaw: a file instead of hooks. It runs no hooks of ours, but reads its workspace, so MEMORY_CONTEXT.md is written there.

A person may install our plugin instead (plugins/openclaw), which tells of events and prepends the answers to each prompt: what a
plugin prepends is not kept in the conversation.

That file is ours, and `turns/context_file.py` keeps it current; `AGENTS.md`, which OpenClaw gives to the model, gets a
reference to it between two marks. Files: the vendor's pages on workspaces and memory; what of it reaches the model was measured
with 2026.9.6.
"""

from __future__ import annotations

import os

from memcli.agents.adapters import Adapter, to_json
from memcli.errors import NotFound

TYPE_CHECKING = False
if TYPE_CHECKING:
    from memcli.agents.adapters import Problem
    from memcli.agents.setup.merge import Part

VARIABLE = "OPENCLAW_WORKSPACE"  # ours: several workspaces, with wildcards
OWN_VARIABLE = "OPENCLAW_WORKSPACE_DIR"  # OpenClaw's own, for one
DEFAULT_WORKSPACES = "~/.openclaw/workspace*"
AGENTS = "AGENTS.md"
_LARGEST = 1 << 22  # bytes of one
REFERENCE = """\
## Memory

Read `MEMORY_CONTEXT.md` at the start of every session: what was decided, tried and left open here, as far as it still holds.
It is written by `mem`; never edit it. To keep what you learn: `mem add "the fact" --summary "why"`.
"""


class OpenClaw(Adapter):
    """OpenClaw."""

    name = "openclaw"
    title = "OpenClaw"
    event_aliases = {
        "session_start": "session-start",
        "before_prompt_build": "user-prompt",
        "before_agent_start": "user-prompt",
        "message_received": "user-prompt",
        "tool_result": "post-tool-use",
        "after_tool_call": "post-tool-use",
        "agent_end": "stop",
        "before_compaction": "pre-compact",
        "session_end": "session-end",
    }
    edit_tools = "edit write"
    read_tools = "read"
    shell_tools = "exec"
    server_files = (None, "~/.openclaw/openclaw.json")
    server_keys = ("mcp", "servers")
    project_refusal = ("OpenClaw has workspaces, not projects", f"leave out --project; set {VARIABLE} to choose some")

    def context(self, event: str, text: str) -> str:
        """Returns an object, which its plugin returns."""
        return to_json({"prependContext": text})

    def workspace_parts(self) -> list[Part]:
        """Returns our parts of both files in each workspace. Raises NotFound if there is no workspace.

        Raises InvalidInput if git tracks the file that would contain the person's own memory.
        """
        from memcli.agents.setup import merge
        from memcli.agents.turns import context_file

        parts: list[Part] = []
        for folder in workspaces():
            context_file.refuse_tracked(folder)
            path = os.path.join(folder, context_file.FILE)
            parts.append(merge.own_file(path, context_file.text_for(folder), follows_links=False))
            agents = os.path.join(folder, AGENTS)
            parts.append(merge.Part(agents, lambda text: merge.block_in(text, REFERENCE), merge.block_out))
        return parts

    def workspace_notes(self) -> list[str]:
        """Returns which workspaces have no memory of their own yet, and which must not commit the file."""
        from memcli.agents.setup.program import with_tilde
        from memcli.agents.turns.context_file import FILE
        from memcli.project import Where, locate

        notes = []
        for folder in workspaces():
            try:
                if locate(Where(folder)).repo_id is None:
                    notes.append(f"mem init {with_tilde(folder)}    gives that workspace a memory")
            except NotFound:
                notes.append(f"mem init {with_tilde(folder)} --no-git    gives that workspace a memory")
        repositories = [with_tilde(folder) for folder in workspaces() if os.path.lexists(os.path.join(folder, ".git"))]
        if repositories:
            notes.append(f"do not commit {FILE} in {', '.join(repositories)}: it holds your own memory, too")
        return notes

    def workspace_status(self) -> tuple[list[Problem], list[str]]:
        """Returns the workspaces that have one of the two files, as problems, and those that have both."""
        from memcli.agents.setup.program import with_tilde
        from memcli.agents.turns import context_file

        problems, complete = [], []
        try:
            folders = workspaces()
        except NotFound:
            return [], []
        for folder in folders:
            has_file, has_reference = context_file.is_ours(folder), _refers(os.path.join(folder, AGENTS))
            if has_file and context_file.is_tracked(folder):
                text = f"{with_tilde(folder)}: git tracks {context_file.FILE}, so it is not kept current"
                problems.append((text, f"git rm --cached {context_file.FILE}; mem setup openclaw"))
            elif has_file and not context_file.is_followed(folder):
                text = f"{with_tilde(folder)}: {context_file.FILE} was not made by setup on this machine"
                problems.append((text, "mem setup openclaw"))
            elif has_file and has_reference:
                complete.append(f"bridge in {with_tilde(folder)}")
            elif has_file:
                text = f"{with_tilde(folder)}: {AGENTS} does not mention {context_file.FILE}"
                problems.append((text, "mem setup openclaw"))
            elif has_reference and os.path.lexists(os.path.join(folder, context_file.FILE)):
                text = f"{with_tilde(folder)}: {context_file.FILE} was not written by mem"
                problems.append((text, "move it away; mem setup openclaw"))
            elif has_reference:
                problems.append((f"{with_tilde(folder)}: {context_file.FILE} is gone", "mem setup openclaw"))
        return problems, complete


def workspaces() -> list[str]:
    """Returns OpenClaw's workspaces: those in OPENCLAW_WORKSPACE, which may have wildcards, else its own, else the usual ones.

    Raises NotFound if there is none.
    """
    import glob

    own = glob.escape(os.environ.get(OWN_VARIABLE, ""))
    listed = os.environ.get(VARIABLE, "")
    patterns = listed.split(os.pathsep) if listed else [own or DEFAULT_WORKSPACES]
    paths = [path for pattern in patterns for path in sorted(glob.glob(os.path.expanduser(pattern)))]
    folders = list(dict.fromkeys([os.path.abspath(path) for path in paths if os.path.isdir(path)]))
    if not folders:
        message = f"no OpenClaw workspace: {os.pathsep.join(patterns)}"
        raise NotFound(message, f"start OpenClaw once, or set {VARIABLE}", "no_workspace")
    return folders


def _refers(path: str) -> bool:
    from memcli.agents.setup.merge import START
    from memcli.text import bounded

    return START.encode() in (bounded.read(path, _LARGEST) or b"")


ADAPTER = OpenClaw()
