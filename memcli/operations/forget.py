"""forget and restore: hide things from every recall, erase them for good, or bring them back."""

from __future__ import annotations

from memcli import fields
from memcli.errors import InvalidInput, NotFound, Option
from memcli.fields import Based, Filtered, Result
from memcli.memory import items
from memcli.memory.items import Item
from memcli.operations import Operation
from memcli.records import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from memcli.project import Project


class ForgetRequest(Based, Filtered):
    """What to hide or erase: by ids, or everything of a session, an origin or a time."""

    id: tuple[str, ...] = fields.identifiers(
        "Ids of memories, chunks, prompts, states or notes; with --erase of anything.", default=()
    )
    erase: bool = fields.flag(
        "Delete the text from this store, for good; needs ids. Others keep what was shared: mem sync purge.", default=False
    )
    session: str | None = fields.identifier("All memories and prompts of a session.", default=None)
    lost: bool = fields.flag("All memories whose commits no branch has any more.", default=False)
    dry_run: bool = fields.flag("Only list what would be forgotten.", default=False)


class Forgotten(Result):
    """What was hidden or erased. `summary`: the one of a hidden prompt's session, which may quote the prompt.

    Of an erasure: what was removed with it, removed files, whether it is complete, and what others still have of it.
    `title`: of what would be hidden.
    """

    id: str
    kind: str
    status: str
    summary: str | None = None
    erased: tuple[str, ...] | None = None
    removed_files: tuple[str, ...] | None = None
    finished: bool | None = None
    shared: tuple[str, ...] | None = None
    title: str | None = None


class RestoreRequest(Based):
    """What to restore."""

    id: tuple[str, ...] = fields.identifiers("Ids of forgotten items.")


class Restored(Result):
    """What was restored."""

    id: str
    kind: str
    title: str
    status: str


class ForgetPlan(Record):
    """The items to hide, or the ids of those to erase."""

    items: list[Item]
    erase: tuple[str, ...] = ()
    is_selection: bool = False  # found by what the items have in common, not by their ids
    dry_run: bool = False


def plan(project: Project, request: ForgetRequest) -> ForgetPlan:
    """Finds what to forget. Raises NotFound or InvalidInput."""
    is_selection = request.lost or any(getattr(request, name) is not None for name in (*Filtered.FIELDS, "session"))
    if is_selection == bool(request.id):
        message = "ids and a selection exclude each other" if is_selection else "no id is given"
        raise InvalidInput(message, ("give ids, or ", Option("session"), ", ", Option("origin"), ", ", Option("since")))
    if request.erase and (is_selection or request.dry_run):
        raise InvalidInput("--erase needs ids", "forget the selection first, then erase by id what must be gone for good")
    if request.erase:
        from memcli.maintenance import erase

        return ForgetPlan([], tuple(dict.fromkeys([erase.find(project, reference) for reference in request.id])))
    hidden = _selected(project, request) if is_selection else items.to_hide(project, request.id)
    return ForgetPlan(hidden, is_selection=is_selection, dry_run=request.dry_run)


def _selected(project: Project, request: ForgetRequest) -> list[Item]:
    """Returns everything that a selection covers. Raises NotFound or InvalidInput."""
    if not request.lost:
        return items.matching(project, request, request.session)
    if any(getattr(request, name) is not None for name in (*Filtered.FIELDS, "session")):
        raise InvalidInput("lost memories and a selection exclude each other", ("give either ", Option("lost"), " or the others"))
    from memcli.validity import commits

    lost = commits.lost(project)
    if not lost:
        raise NotFound("no memory belongs to a lost commit", "memories of other branches are forgotten by their ids")
    return items.find_items(project, [name for name, _ in lost])


def apply(project: Project, planned: ForgetPlan, actor: str) -> list[Forgotten]:
    """Hides items, or erases them, all or none."""
    if planned.erase:
        from memcli.maintenance import erase

        return [
            Forgotten(
                erased.id, erased.kind, "erased", None, erased.objects, erased.removed, erased.finished, erased.shared or None
            )
            for erased in erase.erase(project, planned.erase, actor)
        ]
    if planned.dry_run:
        return [Forgotten(item.id, item.kind, "stored", title=items.title_of(item)) for item in planned.items]
    items.hide(project, planned.items, actor, alone=planned.is_selection)
    _revise_summaries(project, planned.items)
    return [Forgotten(item.id, item.kind, "forgotten", _summary(project, item)) for item in planned.items]


def _revise_summaries(project: Project, changed: list[Item]) -> None:
    """Updates the summaries of sessions: without what was forgotten, and with what was restored."""
    gone = {item.id for item in changed}
    numbers = dict.fromkeys([item.row.session for item in changed if item.kind == "prompt"])
    if not numbers:
        return
    from memcli.agents.capture import summaries
    from memcli.store import sessions

    for number in numbers:
        session = sessions.find(project.db, sessions.id_of(project.db, number) or "")
        if session and session.summary and session.summary not in gone:
            summaries.revise(project, session)


def _summary(project: Project, item: Item) -> str | None:
    """Returns the summary of a prompt's session, if there is one that is told."""
    if item.kind != "prompt":
        return None
    from memcli.store import memories, sessions

    session = sessions.find(project.db, sessions.id_of(project.db, item.row.session) or "")
    summary = memories.find(project.db, session.summary) if session and session.summary else None
    return summary.id if summary and not summary.forgotten else None


def plan_restore(project: Project, request: RestoreRequest) -> list[Item]:
    """Finds what to restore. Raises NotFound, or InvalidInput for what is not forgotten."""
    return items.to_bring_back(project, request.id)


def apply_restore(project: Project, planned: list[Item], actor: str) -> list[Restored]:
    """Restores forgotten items."""
    restored = items.bring_back(project, planned, actor)
    _revise_summaries(project, restored)
    return [Restored(item.id, item.kind, items.title_of(item), "restored") for item in restored]


OPERATIONS = {
    "forget": Operation(
        "forget",
        "Hide memories, chunks, prompts, states or notes from all results, or erase them.",
        ForgetRequest,
        Forgotten,
        plan,
        apply,
        question="Forget this memory?",
        hides=True,
    ),
    "restore": Operation("restore", "Bring back what was forgotten.", RestoreRequest, Restored, plan_restore, apply_restore),
}
