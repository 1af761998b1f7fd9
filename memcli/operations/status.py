"""status: a memory at a glance: where it is, how much it has, what waits."""

from __future__ import annotations

from memcli import fields, replication
from memcli.fields import Request, Result
from memcli.operations import Operation
from memcli.operations.machine import QueueRequest, queue
from memcli.project import Project
from memcli.recall.render import PROMPT, name_and_branch
from memcli.records import Record
from memcli.replication import Status
from memcli.store import memories
from memcli.store.context import State
from memcli.validity import current_states


class StatusRequest(Request):
    """A request for the status, without options."""


class SharedStatus(Result):
    """How a memory is shared."""

    remote: str
    pending: int = fields.number("Changes that wait to be pushed.")
    quarantined: int = fields.number("Changes from elsewhere that are not applied.")
    last: str | None = fields.text("When it was synchronized last.")
    error: str = fields.text("Why that failed; empty where it did not.")


class ProjectStatus(Result):
    """Where a memory is, how much it has, and what waits."""

    repo_id: str | None
    name: str
    workspace: str
    branch: str
    commit: str | None
    memories: int
    state: str | None = fields.text("The reason of the last checkpoint.")
    waiting: int = fields.number("Events of hooks that the worker has not processed.")
    failed: int = fields.number("Events that were given up; see mem queue.")
    shared: SharedStatus | None


class Overview(Record):
    """The status, and its time."""

    status: ProjectStatus
    checkpoint: State | None
    now: int

    def answer(self) -> ProjectStatus:
        """Returns the status as a result."""
        return self.status


def reason_of(state: State) -> str:
    """Returns the reason of a checkpoint, marked if the state reads like an order to a model."""
    return state.reason + PROMPT.marks["suspicious"][0] * bool(state.suspicious)


def read(project: Project, request: StatusRequest) -> Overview:
    """Returns where a memory is, how much it has, and what waits."""
    waits = queue(project, QueueRequest())
    states = current_states(project)
    shared = replication.status(project)
    return Overview(
        ProjectStatus(
            project.repo_id,
            project.name,
            project.workspace,
            name_and_branch(project)[1],
            project.commit,
            memories.count(project.db),
            reason_of(states[0]) if states else None,
            waits.counts.pending + waits.counts.processing + waits.counts.stuck + waits.files.events,
            waits.counts.failed,
            _shared(shared) if shared else None,
        ),
        states[0] if states else None,
        project.now,
    )


def _shared(status: Status) -> SharedStatus:
    last = status.last or {}
    return SharedStatus(
        status.remote, status.pending, status.quarantined, str(last["at"]) if last else None, str(last.get("error") or "")
    )


OPERATIONS = {
    "status": Operation(
        "status", "Show the memory at a glance: how much it holds and what is pending.", StatusRequest, Overview, read=read
    )
}
