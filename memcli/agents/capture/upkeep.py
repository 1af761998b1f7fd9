"""What the worker does when nothing waits: sums up, closes what fell silent, hides what aged, keeps anchors, tidies up."""

from __future__ import annotations

from memcli.agents.capture import compressor, summaries
from memcli.agents.capture.handlers import log_for
from memcli.agents.capture.observations import ACTOR
from memcli.memory.commit import commit, update_anchors
from memcli.project import Project, now
from memcli.records import replace
from memcli.store import memories, oplog, queue, sessions
from memcli.store.oplog import Change
from memcli.text import dates

_AT_ONCE = 50  # sessions, or 10 times as many rows: others want to write, too
_EVER = 1 << 62
_KEPT_DAYS = 7  # jobs that are done; a harness does not repeat an event after that


def run(project: Project, quiet_ms: int | None) -> None:
    """Does all of it. `quiet_ms`: for how long nothing must have happened in a session that is summed up; None: every one is."""
    project = replace(project, now=now(), masked={})
    before = _EVER if quiet_ms is None else project.now - quiet_ms
    for session in sessions.needing_summary(project.db, before, _AT_ONCE):
        summaries.revise(project, session, compressor.summarize(project, session, "", log_for(project)))
    idle = project.now - project.config["session.idle_minutes"] * 60_000
    for session in sessions.idle(project.db, idle, project.now, _AT_ONCE):
        up_to_date = session not in sessions.needing_summary(project.db, _EVER, _AT_ONCE)
        summary = None if up_to_date else compressor.summarize(project, session, "", log_for(project))
        summaries.close(project, session, "idle", summary)
    hide_aged(project)
    queue.prune(project.db, project.now - _KEPT_DAYS * dates.DAY, _AT_ONCE * 10)
    update_anchors(project)


def hide_aged(project: Project) -> int:
    """Forgets observations older than `capture.keep_days` that nobody cites, pinned or linked. Returns how many."""
    before = project.now - project.config["capture.keep_days"] * dates.DAY

    def decide() -> list[Change]:
        return [Change("forget", name, {}) for name in memories.aged(project.db, before, _AT_ONCE * 10)]

    if not memories.aged(project.db, before, 1):
        return 0
    return len(commit(project, decide, ACTOR, oplog.NO_COMMAND))
