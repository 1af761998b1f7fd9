"""Which files a session changes and which commits it makes, for `mem why`."""

from __future__ import annotations

from memcli.agents.capture import tool_rules
from memcli.agents.capture.findings import Finding
from memcli.agents.capture.payloads import CapturedEvent
from memcli.project import Project
from memcli.store import authorship, graph
from memcli.store.authorship import Authored

_COMMIT, _EDIT = "commit:", "file:"  # how the groups of findings begin
_MANY = 1_000  # edits and commits of a session, the last


def note(project: Project, event: CapturedEvent, finding: Finding, session_id: str, prompt: int) -> None:
    """Notes the files that a tool call changed, or the commit that it made; inside the transaction. `prompt`: its number."""
    paths = finding.modified if finding.group.startswith(_EDIT) else ("",) if finding.group.startswith(_COMMIT) else ()
    if not paths or project.is_user:
        return
    lines = "" if paths == ("",) else authorship.digests(tool_rules.new_text(event))
    entries = [Authored(0, session_id, prompt, path, project.commit, event.at, lines) for path in paths]
    authorship.save(project.db, entries)
    if project.commit:
        graph.expect_commit(project.db, project.commit)


def has_committed(project: Project, session_id: str, prompt: int) -> bool:
    """Tells whether hooks saw a commit in a turn of a session. `prompt`: its number."""
    return any(entry.is_commit and entry.prompt == prompt for entry in authorship.of_sessions(project.db, [session_id], _MANY))
