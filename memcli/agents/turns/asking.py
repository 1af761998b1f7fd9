"""Asks an agent once per session, after real work, to save what it learned, if its harness lets a hook continue a turn.

Off by default (`capture.ask`), as it costs one more call of the agent's model. Never a second time in a session,
never where something was saved in it already, never in answer to a stop that a hook caused.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from memcli.agents.adapters import PROJECT, USER, adapter
from memcli.agents.setup import merge
from memcli.agents.setup.program import config_path
from memcli.agents.setup.switches import has_plugin
from memcli.agents.turns.builder import command
from memcli.project import now
from memcli.store import authorship, hints, inbox, oplog, sessions
from memcli.text import json

if TYPE_CHECKING:
    from typing import Any

    from memcli.agents.adapters import Adapter
    from memcli.agents.capture.normalize import HarnessEvent
    from memcli.config import Config
    from memcli.store import Connection

ON_COMMIT = "commit"
_WAITING, _DONE = 100, 500  # latest calls of a session, waiting and processed, that are searched for work
_LOGGED = 2_000  # latest operations that are searched for what the agent saved
REQUEST = (
    "<mem-request>\nBefore you stop: save what the next session has to know and the code does not say, such as a decision with "
    "its reason, what is left open, what failed and why, a trap, a command that works. At most five facts, one call each: {}. "
    "If there is nothing of that kind, save nothing. Then stop, without another answer.\n</mem-request>"
)
BY_TOOL = "the tool mempack_add_memory of mem, title the fact, summary why"
BY_COMMAND = '{} add "FACT" --summary "WHY"'


def request(db: Connection, config: Config, event: HarnessEvent, payload: dict[str, Any], root: str) -> str:
    """Returns what a stop hook prints to ask an agent, and records that it was asked; "" if it must not be asked.

    `root`: top of the working tree.
    """
    harness = adapter(event.harness)
    hook = payload.get("hook_event_name")
    answer = harness.go_on(hook if isinstance(hook, str) else "", REQUEST.format(_way(harness, config, root)))
    is_again = payload.get("stop_hook_active") or payload.get("loop_count") or hints.asked_at(db, event.harness, event.session)
    if not answer or is_again or event.body.get("agent"):
        return ""
    if not _has_worked(db, event, config["capture.ask"] == ON_COMMIT) or _has_saved(db, event):
        return ""
    # By the moment of the stop itself: the answer may come in the millisecond in which this is noted, and is later all the same.
    asked_at = inbox.last_of_session(db, event.session) or now()
    hints.record(db, event.harness, event.session, (hints.ASKED,), asked_at)  # first: one that is not printed is no loss
    return answer


def _way(harness: Adapter, config: Config, root: str) -> str:
    """Returns the tool or command by which the agent can save. That of our server only if it is set up and may write."""
    is_offered = config["mcp.write"] != "off" and (
        _has_server(harness, root) or (harness.plugin_id and has_plugin(harness, root))
    )
    return BY_TOOL if is_offered else BY_COMMAND.format(command())


def _has_server(harness: Adapter, root: str) -> bool:
    """Tells whether our server is set up in a harness, for the person or for the project at `root`."""
    roots = {USER: "", PROJECT: root} if root else {USER: ""}
    paths = {scope: config_path(harness.server_files, scope, root) for scope in roots}
    return any(_is_in(path, roots[scope], harness) for scope, path in paths.items() if path)


def _is_in(path: str, root: str, harness: Adapter) -> bool:
    try:
        return merge.find_server(merge.read_settings(path, root), harness) is not None
    except merge.Misfit:
        return False


def _has_worked(db: Connection, event: HarnessEvent, only_commits: bool) -> bool:
    """Tells whether files were edited or committed in a session, as far as hooks saw."""
    session = sessions.by_key(db, event.harness, event.session)
    done = authorship.of_sessions(db, [session.id], _DONE) if session else []
    if any(work.is_commit or not only_commits for work in done):
        return True
    waiting = inbox.payloads(db, event.harness, event.session, "post-tool-use", _WAITING)
    return any(_is_work(adapter(event.harness), payload, only_commits) for payload in waiting)


def _is_work(harness: Adapter, payload: str, only_commits: bool) -> bool:
    try:
        body = json.loads(payload)
    except json.Malformed:
        return False
    kind = harness.kind_of(str(body.get("tool", ""))) if isinstance(body, dict) and "failed" not in body else ""
    if kind == "shell":
        return "git commit" in json.canonical(body.get("input"))
    return kind == "edit" and not only_commits


def _has_saved(db: Connection, event: HarnessEvent) -> bool:
    """Tells whether the agent has saved something in its session."""
    began = inbox.started_at(db, event.harness, event.session)
    return oplog.was_saved(db, event.session, began or now(), _LOGGED)
