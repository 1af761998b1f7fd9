"""forget and restore: hide a memory or a chunk from every recall, erase it for good, or bring it back."""

from __future__ import annotations

from memcli import fields
from memcli.fields import Based, Result
from memcli.memory import entries, find_chunk, find_memory
from memcli.operations import Operation
from memcli.records import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from memcli.project import Project
    from memcli.store.chunks import Chunk
    from memcli.store.memories import Memory


class ForgetRequest(Based):
    """What is to be hidden or erased."""

    id: str = fields.identifier("A memory or a chunk; with --erase any id.")
    erase: bool = fields.flag("Remove its text everywhere, for good.", default=False)


class Forgotten(Result):
    """What was hidden or erased. The last three are of erasing: what went with it, removed files, whether it is complete."""

    id: str
    kind: str
    status: str
    erased: tuple[str, ...] | None = None
    removed_files: tuple[str, ...] | None = None
    finished: bool | None = None


class RestoreRequest(Based):
    """What is to come back."""

    id: str = fields.identifier("A memory or a chunk that was forgotten.")


class Restored(Result):
    """What is recalled again."""

    id: str
    kind: str
    title: str
    status: str


class ForgetPlan(Record):
    """The id to be hidden or erased."""

    id: str
    erase: bool


def plan(project: Project, request: ForgetRequest) -> ForgetPlan:
    """Finds what is meant. Raises NotFound or InvalidInput."""
    if request.erase:
        from memcli.maintenance import erase

        return ForgetPlan(erase.find(project, request.id), True)
    return ForgetPlan((find_chunk(project, request.id) or find_memory(project, request.id)).id, False)


def apply(project: Project, planned: ForgetPlan, actor: str) -> Forgotten:
    """Hides a memory or a chunk, or erases what is meant."""
    if planned.erase:
        from memcli.maintenance import erase

        erased = erase.erase(project, planned.id, actor)
        return Forgotten(erased.id, erased.kind, "erased", erased.objects, erased.removed, erased.finished)
    entries.hide(project, planned.id, actor)
    return Forgotten(planned.id, _kind(planned.id), "forgotten")


def plan_restore(project: Project, request: RestoreRequest) -> Memory | Chunk:
    """Finds what comes back. Raises NotFound, or InvalidInput for what is not forgotten."""
    return entries.find_forgotten(project, request.id)


def apply_restore(project: Project, planned: Memory | Chunk, actor: str) -> Restored:
    """Brings a memory or a chunk back."""
    restored = entries.bring_back(project, planned, actor)
    title = restored.title if _kind(restored.id) == "memory" else restored.place  # type: ignore[union-attr]
    return Restored(restored.id, _kind(restored.id), title, "restored")


def _kind(object_id: str) -> str:
    return "chunk" if object_id.startswith("C-") else "memory"


OPERATIONS = {
    "forget": Operation(
        "forget",
        "Hide a memory or a chunk from all results, or erase it.",
        ForgetRequest,
        Forgotten,
        plan,
        apply,
        question="Forget this memory?",
        hides=True,
    ),
    "restore": Operation("restore", "Bring a forgotten memory back.", RestoreRequest, Restored, plan_restore, apply_restore),
}
