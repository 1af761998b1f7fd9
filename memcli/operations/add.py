"""add: keep a fact."""

from __future__ import annotations

from memcli import fields
from memcli.fields import Result
from memcli.memory import entries
from memcli.memory.entries import NewMemory
from memcli.operations import Operation
from memcli.records import Record
from memcli.text import dates
from memcli.text.ids import anchor_branch, anchor_commit

TYPE_CHECKING = False
if TYPE_CHECKING:
    from memcli.memory.entries import Draft
    from memcli.project import Project
    from memcli.store.memories import Memory


class AddRequest(NewMemory):
    """A memory to be kept."""

    force: bool = fields.flag("Store it even if an equal memory exists.", default=False)
    share: bool = fields.flag("Share it through mem sync.", default=False)


class Added(Result):
    """The memory that was stored, or an equal one that existed already."""

    id: str
    thread_id: str
    thread_used: str
    thread_defaulted: bool
    title: str
    anchor_commit: str | None
    created_at: str
    tokens: int
    duplicate_of: str | None = None
    anchor_branch: str | None = None  # whose next commit it belongs to, where it has none yet


class AddPlan(Record):
    """A memory that can be stored. `once`: unless an equal one holds."""

    draft: Draft
    once: bool
    thread_defaulted: bool
    share: bool = False


def plan(project: Project, request: AddRequest) -> AddPlan | Added:
    """Drafts the memory, or returns the result for an equal one that holds already. Raises NotFound or InvalidInput."""
    draft = entries.draft(project, request)
    defaulted = request.thread is None
    if not request.force and not request.share and (equal := entries.find_equal(project, draft)):
        return added(equal, defaulted, is_new=False)
    return AddPlan(draft, not request.force, defaulted, request.share)


def apply(project: Project, planned: AddPlan, actor: str) -> Added:
    """Stores the memory."""
    if planned.once:
        memory, is_new = entries.store_once(project, planned.draft, actor)
    else:
        memory, is_new = entries.store(project, planned.draft, actor), True
    if planned.share:
        from memcli.replication import sharing

        if is_new:
            sharing.share(project, [memory.id])
        else:
            sharing.begin(project, [memory.id], actor)
    return added(memory, planned.thread_defaulted, is_new)


def added(memory: Memory, thread_defaulted: bool, is_new: bool) -> Added:
    """Returns the result for a memory."""
    return Added(
        id=memory.id,
        thread_id=memory.thread,
        thread_used=memory.thread,
        thread_defaulted=thread_defaulted,
        title=memory.title,
        anchor_commit=anchor_commit(memory.anchor),
        created_at=dates.iso(memory.created_at),
        tokens=memory.prompt_tokens,
        duplicate_of=None if is_new else memory.id,
        anchor_branch=anchor_branch(memory.anchor) or None,
    )


OPERATIONS = {
    "add": Operation(
        "add",
        "Store a fact; print its id once it is on disk.",
        AddRequest,
        Added,
        plan,
        apply,
        creates=True,
        question="Store this memory?",
        repeatable=True,
    )
}
