"""Gemini CLI: hooks and servers in settings.json; its timeouts are milliseconds.

Files and events: the vendor's reference of hooks, and measured with 0.61.0. SessionEnd is not waited for. Whatever ends with
another code than 0 or 1 blocks the prompt, and so would a `mem` that is gone, with the shell's 127: hence `|| true`. It
documents no limit of context; that of the others is taken. Of what SessionStart is answered, a resumed session has nothing (nor
of a prompt that -p put behind it), and /clear drops it; what BeforeAgent is answered stands behind the prompt and is kept.
"""

from __future__ import annotations

from memcli.agents.adapters import PROJECT, Adapter, blocked_stop, nested_context, shell_line

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Any

    from memcli.agents.adapters import Handler, Problem

OR_TRUE = ["||", "true"]
TRUST = "trust the folder when gemini asks: until then it does not read .gemini; it warns once about new hooks"


class Gemini(Adapter):
    """Gemini CLI."""

    name = "gemini"
    title = "Gemini CLI"
    max_bytes = 10_000
    context_events = ("user-prompt",)
    events = {
        "SessionStart": ("session-start", 10_000),
        "BeforeAgent": ("user-prompt", 5_000),
        "AfterTool": ("post-tool-use", 5_000),
        "AfterAgent": ("stop", 10_000),
        "PreCompress": ("pre-compact", 10_000),
        "SessionEnd": ("session-end", 5_000),
    }
    compaction_triggers = ("manual",)  # with "auto" it fires before each call of the model, compressed or not
    edit_tools = "writefile replace"
    read_tools = "listdirectory readfile readmanyfiles searchfilecontent glob grepsearch writetodos"
    shell_tools = "runshellcommand"
    web_tools = "googlewebsearch webfetch"
    extension_place = "${GEMINI_CLI_HOME:-~}/.gemini/extensions/mem"
    own_places = (".gemini", "${GEMINI_CLI_HOME:-~}/.gemini")
    hook_files = (".gemini/settings.json", "${GEMINI_CLI_HOME:-~}/.gemini/settings.json")
    server_files = hook_files
    approvals = {PROJECT: (TRUST,)}
    server_approvals = approvals

    def context(self, event: str, text: str) -> str:
        """Returns a nested object with no other key."""
        return nested_context("BeforeAgent", text)

    def go_on(self, hook: str, request: str) -> str:
        """Returns the decision that refuses the answer."""
        return blocked_stop(request) if hook == "AfterAgent" else ""

    def hook_entry(self, words: Sequence[str], event: str, timeout: int) -> Handler:
        """Returns a hook with a name, by which Gemini tells hooks apart."""
        plain = list(words[:-2] if list(words[-2:]) == OR_TRUE else words)
        command = f"{shell_line(plain)} {' '.join(OR_TRUE)}"
        name = f"mem-{self.events[event][0]}"
        return {"hooks": [{"type": "command", "name": name, "command": command, "timeout": timeout}]}

    def switched_off(self, settings: Mapping[str, Any]) -> list[Problem]:
        """Returns that all hooks are disabled, or some of ours by name or command line."""
        config = settings.get("hooksConfig")
        if not isinstance(config, dict):
            return []
        switches = []
        if config.get("enabled") is False:
            switches.append(("hooksConfig.enabled is false", "take enabled out of its hooksConfig"))
        names = config.get("disabled")
        own = [name for name in names if isinstance(name, str) and self._is_own(name)] if isinstance(names, list) else []
        if own:
            switches.append((f"hooksConfig.disabled names {', '.join(own)}", "take that out of its hooksConfig.disabled"))
        return switches

    def _is_own(self, name: str) -> bool:
        """Tells whether a name or command line, as Gemini lists it, is one of our hooks."""
        import shlex

        from memcli.agents.setup.program import HOOK, arguments_of_mem

        if name in [f"mem-{event}" for event, _ in self.events.values()]:
            return True
        try:
            return bool(arguments_of_mem(shlex.split(name), HOOK))
        except ValueError:
            return False


ADAPTER = Gemini()
