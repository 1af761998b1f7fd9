"""checkpoint: store where the work stands, and why."""

from __future__ import annotations

from memcli import fields
from memcli.fields import Based, Result
from memcli.memory import context, entries
from memcli.operations import Operation
from memcli.records import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from memcli.memory.entries import Draft
    from memcli.project import Project


class CheckpointRequest(Based):
    """The reason, and the state as JSON text. Without a state only the reason is stored."""

    reason: str = fields.text("Why you store it now.", max_length=65_536)
    state_json: str | None = fields.json_value("The state, as one JSON value, or as a text.", default=None)
    thread: str | None = fields.name("The thread.", default=None)
    share: bool = fields.flag("Share it through mem sync.", default=False)


class Stored(Result):
    """A stored state and the memory that holds its reason. `state_id` None: there is only the memory.

    `state_is_text`: it was not JSON, and is stored under `raw`.
    """

    state_id: str | None
    workspace: str
    reason: str
    memory_id: str
    thread_used: str
    thread_defaulted: bool
    state_is_text: bool = False


class CheckpointPlan(Record):
    """The memory to be stored, and the state. `has_state` tells a state of null from no state."""

    draft: Draft
    state: Any
    has_state: bool
    thread_defaulted: bool
    is_text: bool
    share: bool


def plan(project: Project, request: CheckpointRequest) -> CheckpointPlan:
    """Drafts the memory and reads the state. Raises InvalidInput."""
    has_state = request.state_json is not None
    value = context.checked_state(request.reason, request.state_json)
    draft = context.draft_checkpoint(project, request.reason, request.thread)
    is_text = value == {"raw": request.state_json}
    return CheckpointPlan(draft, value, has_state, request.thread is None, is_text, request.share)


def apply(project: Project, planned: CheckpointPlan, actor: str) -> Stored:
    """Stores the state and the memory together."""
    memory = planned.draft.fields
    if planned.has_state:
        stored = context.store_state(project, planned.draft, planned.state, actor)
        state_id, memory_id = stored.id, stored.memory_id or ""
    else:
        state_id, memory_id = None, entries.store(project, planned.draft, actor).id
    if planned.share:
        from memcli.replication import sharing

        sharing.share(project, [name for name in (state_id, memory_id) if name])
    return Stored(
        state_id,
        project.workspace,
        memory["summary"],
        memory_id,
        memory["thread"],
        planned.thread_defaulted,
        planned.is_text,
    )


OPERATIONS = {
    "checkpoint": Operation(
        "checkpoint",
        "Store the state of the work, and a memory that says why.",
        CheckpointRequest,
        Stored,
        plan,
        apply,
        creates=True,
        question="Store this checkpoint?",
    )
}
