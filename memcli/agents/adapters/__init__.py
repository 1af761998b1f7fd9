"""Agent harnesses: one file each, and the registry by which a hook recognises them.

To add one, write a file here with an `Adapter` called ADAPTER, and one line in HARNESSES. A hook loads the registry and the
adapter that it needs; only setup and the worker load them all.

| harness | context goes in as | on nothing |
| --- | --- | --- |
| claude | plain text | nothing |
| codex, gemini | `{"hookSpecificOutput": {"hookEventName", "additionalContext"}}`, and no other key | nothing |
| copilot | `{"additionalContext"}`; a nested one is dropped | nothing |
| cursor | `{"additional_context"}`, for a prompt with `"continue": true` | nothing |
| opencode | plain text, which its plugin appends | nothing |
| openclaw | `{"prependContext"}`, which its plugin returns | nothing |
| generic | one JSON object for every event: see generic.py | the same object |
"""

from __future__ import annotations

import os
import sys

from memcli.errors import InvalidInput, Option
from memcli.records import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Any

    from memcli.agents.setup.merge import Part

    Handler = dict[str, Any]
    FilePair = tuple[str | None, str]  # a file of a project, None where the harness has none there, and one of the person

Problem = tuple[str, str]  # what is wrong, and the next step

EVENTS = ("session-start", "user-prompt", "pre-tool-use", "post-tool-use", "stop", "pre-compact", "session-end")
CONTEXT_EVENTS = ("session-start", "user-prompt")  # answered with what is due: see Adapter.answer
CALL_EVENTS = ("pre-tool-use", "post-tool-use")  # answered with a hint, where the harness takes one: see Adapter.hint
PROJECT, USER, LOCAL = "project", "user", "local"  # local: a person's own settings of one project
MAX_BYTES = 10_000  # of context, where a harness documents no limit of its own
MAX_SESSION_CHARS = 200


class Signs(Record):
    """How a process recognises a harness: by what only its hooks have in their environment or payload.

    `variables`: the harness sets them for its hooks. `session_variable`: the one whose value is what hooks call the session.
    `fields`: payload fields, a nested one as a.b; `events`: values of `hook_event_name`; `transcripts`: parts of the path of
    its record. If there are signs of several harnesses, the lowest `precedence` wins: one that runs the hooks of another's
    settings, or is usually started from within it. `borrows`: whose settings it runs hooks of.
    """

    variables: tuple[str, ...] = ()
    session_variable: str = ""
    fields: tuple[str, ...] = ()
    events: tuple[str, ...] = ()
    transcripts: tuple[str, ...] = ()
    precedence: int = 9
    borrows: str = ""


HARNESSES = {
    "claude": Signs(
        # CLAUDE_PROJECT_DIR is no sign: three others set it, too.
        ("CLAUDECODE", "CLAUDE_CODE_SESSION_ID"),
        "CLAUDE_CODE_SESSION_ID",
        ("prompt_id",),
        transcripts=("/.claude/",),
        precedence=5,
    ),
    "codex": Signs(
        ("CODEX_MANAGED_BY_NPM", "CODEX_MANAGED_PACKAGE_ROOT"),
        "CODEX_SESSION_ID",
        ("turn_id",),
        transcripts=("/.codex/", "/rollout-"),
        precedence=4,
    ),
    "gemini": Signs(
        ("GEMINI_SESSION_ID",),
        fields=("prompt_response",),
        events=("BeforeAgent", "AfterTool", "AfterAgent", "PreCompress"),
        transcripts=("/.gemini/",),
        precedence=3,
    ),
    "copilot": Signs(
        ("COPILOT_CLI",),
        fields=("sessionId", "toolName", "tool_result.text_result_for_llm"),
        precedence=2,
        borrows="claude",
    ),
    "cursor": Signs(("CURSOR_VERSION",), fields=("cursor_version", "generation_id"), precedence=1, borrows="claude"),
    "opencode": Signs(),
    "openclaw": Signs(),
    "generic": Signs(),
}
CONFIGURED = tuple(name for name in HARNESSES if name != "generic")  # those that setup can connect


class Adapter:
    """A harness: its names of events and tools, how to answer its hooks, and which of its files setup changes.

    A path of the person's own configuration is written as the shell would, `${CODEX_HOME:-~/.codex}/hooks.json`; one of a
    project counts from its top. Pairs of paths are (project, user).
    """

    name = ""
    title = ""  # what people call it

    # Context that a hook may print before the harness cuts it or moves it into a file; 0: unknown. Text never has more
    # characters than bytes, so a limit in bytes holds where the harness counts characters, too.
    max_bytes = 0
    max_tokens: int | None = None
    # The events that are answered with context. Without session-start the first prompt tells all: of a harness that drops the
    # answer to a start, or does not keep it in the conversation that a resumed session goes on with.
    context_events: tuple[str, ...] = CONTEXT_EVENTS

    # The harness's name of an event -> (ours, the timeout of its hook in the harness's unit): what setup asks for.
    events: Mapping[str, tuple[str, int]] = {}
    # Further names that a hook written by hand may pass on, of events as setup asks for them or of others -> ours.
    event_aliases: Mapping[str, str] = {}
    # Triggers with which a pre-compact event says that the context is compacted; None: whatever the trigger.
    compaction_triggers: tuple[str, ...] | None = None
    # Names of its tools in lower case, without marks: those that change files, read files, run commands, read the web.
    edit_tools = ""
    read_tools = ""
    shell_tools = ""
    web_tools = ""

    extension_place = ""  # where the harness keeps our extension once it is installed, which brings the same hooks
    # What shows that the harness is used (in a project, by the person): directories or files of its own.
    own_places: tuple[str, str] | None = None
    # None: the harness has no such files.
    hook_files: FilePair | None = None
    local_hook_file = ""  # another file of a project with hooks in it, which setup never writes
    new_hook_file: Mapping[str, Any] = {}  # what a file of hooks begins with
    server_files: FilePair | None = None  # of servers of the Model Context Protocol
    server_keys: tuple[str, ...] = ("mcpServers",)
    plugin_files: FilePair | None = None  # a file that is ours from the first byte to the last
    plugin_id = ""  # of our plugin, where the harness installs it from a marketplace; it brings the same hooks
    first_start = ""  # what the first start after setup costs, where that is more than running a hook
    # What the person must approve in the harness, by scope: for the hooks, and for the server.
    approvals: Mapping[str, tuple[str, ...]] = {}
    server_approvals: Mapping[str, tuple[str, ...]] = {}
    project_refusal: Problem | None = None  # why setup has nothing to configure in a project, and what to do instead

    def payload(self, event: str, payload: dict[str, Any]) -> dict[str, Any]:
        """Returns a payload in the field names that capture/normalize.py reads, for a harness that has others.

        `event`: ours. A name that means different things in different events is told apart here.
        """
        return payload

    def context(self, event: str, text: str) -> str:
        """Returns the output of a hook that gives the harness a text as context."""
        return text

    def answer(self, event: str, context: str, status: str, number: int = 0) -> str:
        """Returns the output of a hook, which may be empty: output of a Stop hook makes some harnesses continue the turn.

        `event`: empty for an unknown one; `context`: empty for none; `status`: `queued`, or why the event was not queued;
        `number`: of a prompt within its session, from 1.
        """
        return self.context(event, context) if context and event in self.context_events else ""

    def hint(self, hook: str, text: str) -> str:
        """Returns the output of a tool call's hook that gives the harness a hint as context, "" if it takes none.

        `hook`: the harness's own name of the event, "" if unknown.
        """
        return ""

    def refusal(self, hook: str, reason: str) -> str:
        """Returns the output of a hook that forbids a tool call, "" if the harness has no such answer."""
        return ""

    def go_on(self, hook: str, request: str) -> str:
        """Returns the output of a Stop hook that makes the agent continue with a request, "" if the harness has no such answer.

        `hook`: the harness's own name of the event, "" if unknown.
        """
        return ""

    def kind_of(self, tool: str) -> str:
        """Returns what a tool of the harness does: edit, read or shell; empty for others."""
        name = plain_tool(tool)
        kinds = {"edit": self.edit_tools, "read": self.read_tools, "shell": self.shell_tools}
        return next((kind for kind, names in kinds.items() if name in names.split()), "")

    def hook_entry(self, words: Sequence[str], event: str, timeout: int) -> Handler:
        """Returns the harness's configuration entry that runs a command line on one of its own events."""
        raise NotImplementedError

    def server_entry(self, words: Sequence[str]) -> Handler:
        """Returns a server as the harness writes it."""
        return {"command": words[0], "args": list(words[1:])}

    def plugin_text(self, mem: Sequence[str]) -> str:
        """Returns the text of the file that is entirely ours. `mem`: the command line of the program."""
        raise NotImplementedError

    @property
    def switch_files(self) -> FilePair | None:
        """The files in which the harness's hooks can be switched off."""
        return self.hook_files

    def switched_off(self, settings: Mapping[str, Any]) -> list[Problem]:
        """Returns the settings that disable hooks, each with how to undo it."""
        return []

    def unreviewed(self, path: str, hooks: Sequence[Sequence[str | int]]) -> str:
        """Returns the events whose hooks in the file `path` the person has yet to approve. `hooks`: their place in it."""
        return ""

    def workspace_parts(self) -> list[Part]:
        """Returns our parts of files in the harness's own workspaces."""
        return []

    def workspace_notes(self) -> list[str]:
        """Returns what the person should do about those workspaces after setup."""
        return []

    def workspace_status(self) -> tuple[list[Problem], list[str]]:
        """Returns (the problems of those workspaces, what is in order)."""
        return [], []


def adapter(name: str) -> Adapter:
    """Returns the adapter of a harness in HARNESSES."""
    module = f"{__name__}.{name}"
    __import__(module)
    harness: Adapter = sys.modules[module].ADAPTER
    return harness


def adapters() -> list[Adapter]:
    """Returns the adapters of all harnesses."""
    return [adapter(name) for name in HARNESSES]


def detect_harness(flag: str, payload: Mapping[str, Any], environ: Mapping[str, str] = os.environ) -> str:
    """Returns the harness that runs a hook: by the flag, else the payload, else the environment, else claude.

    A harness that borrows another's settings runs hooks with the other's flag, so such a flag does not decide alone. The
    payload comes before the environment, because a harness that another one started inherits its variables.
    """
    borrowers = [name for name, signs in HARNESSES.items() if flag and signs.borrows == flag]
    if flag and not borrowers:
        return flag
    by_precedence = sorted(HARNESSES.items(), key=lambda item: item[1].precedence)
    by_environment = [name for name, signs in by_precedence if any(variable in environ for variable in signs.variables)]
    name = _by_payload(payload, by_precedence) or next(iter(by_environment), "")
    return name if name and (not flag or name in borrowers) else flag or "claude"


def _by_payload(payload: Mapping[str, Any], harnesses: Sequence[tuple[str, Signs]]) -> str:
    """Returns the harness whose signs a payload has, or ""."""
    event = payload.get("hook_event_name")
    for name, signs in harnesses:
        if event in signs.events or any(_has(payload, field) for field in signs.fields):
            return name
    path = payload.get("transcript_path")
    path = "/" + path.replace("\\", "/") if isinstance(path, str) else ""
    return next((name for name, signs in harnesses if any(fragment in path for fragment in signs.transcripts)), "")


def _has(payload: Mapping[str, Any], field: str) -> bool:
    outer, _, inner = field.partition(".")
    value = payload.get(outer)
    return isinstance(value, dict) and inner in value if inner else outer in payload


def session_origin(environ: Mapping[str, str] = os.environ) -> dict[str, str]:
    """Returns the name of the agent's session that started this process, as a field to store with what it writes.

    Empty if the environment names none, or two harnesses each name one: then it is not known which of them runs.
    """
    variables = [signs.session_variable for signs in HARNESSES.values() if signs.session_variable]
    keys = {environ[variable] for variable in variables if environ.get(variable)}
    key = keys.pop() if len(keys) == 1 else ""
    return {"session": key} if key.isascii() and key.isprintable() and 0 < len(key) <= MAX_SESSION_CHARS else {}


def runs_for_agent(environ: Mapping[str, str] = os.environ) -> bool:
    """Tells whether a harness started this process, as far as the environment shows."""
    names = {name for signs in HARNESSES.values() for name in (*signs.variables, signs.session_variable) if name}
    return any(environ.get(name) for name in names)


def normalize_event(word: str) -> str:
    """Returns the event that a harness's name means, or "". `PostToolUse` and `post_tool_use` are the same name."""
    if word in EVENTS:
        return word
    plain = _plain(word)
    for harness in adapters():
        names = {**{name: event for name, (event, _) in harness.events.items()}, **harness.event_aliases}
        for name, event in names.items():
            if _plain(name) == plain:
                return event
    return next((event for event in EVENTS if _plain(event) == plain), "")


def _plain(word: str) -> str:
    return "".join([char for char in word.lower() if char.isalnum()])


def plain_tool(name: str) -> str:
    """Returns the name of a tool in lower case, without punctuation and the name of its server."""
    return _plain(name.rpartition("__")[2].rpartition(".")[2])


def context_limits(name: str) -> tuple[int, int | None]:
    """Returns how much context a harness takes: (bytes, tokens or None). Raises InvalidInput if that is not known."""
    harness = adapter(name) if name in HARNESSES else None
    if harness is None or not harness.max_bytes:
        limited = [other.name for other in adapters() if other.max_bytes]
        raise InvalidInput(f"no harness {name[:80]!r}", ("use " + ", ".join(limited) + "; or give ", Option("max_bytes")))
    return harness.max_bytes, harness.max_tokens


def nested_context(name: str, text: str) -> str:
    """Returns a text as the context of `hookSpecificOutput`, for the harness's event `name`."""
    return to_json({"hookSpecificOutput": {"hookEventName": name, "additionalContext": text}})


def blocked_stop(request: str) -> str:
    """Returns the decision that makes an agent continue with a request."""
    return to_json({"decision": "block", "reason": request})


def nested_refusal(reason: str) -> str:
    """Returns the decision of `hookSpecificOutput` that forbids a tool call."""
    decision = {"permissionDecision": "deny", "permissionDecisionReason": reason}
    return to_json({"hookSpecificOutput": {"hookEventName": "PreToolUse", **decision}})


def to_json(value: Mapping[str, Any]) -> str:
    """Returns an object as JSON."""
    from memcli.text import json

    return json.dumps(value)


def shell_line(words: Sequence[str]) -> str:
    """Returns a command line for a shell."""
    import shlex

    return shlex.join(words)
