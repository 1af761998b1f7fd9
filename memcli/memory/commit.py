"""One transaction for every change: append to the log, then update the tables that are read."""

from __future__ import annotations

from memcli.errors import Call, Changed, InvalidInput
from memcli.memory.projection import refresh
from memcli.records import replace
from memcli.repo import head
from memcli.screening import mask, mask_payload, without_private
from memcli.store import UNFINISHED_ERASURE, context, graph, meta, oplog, transaction
from memcli.store.oplog import Change

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import Any

    from memcli.project import Project
    from memcli.store.oplog import LoggedOperation

_REQUIRED = ("title", "summary", "reason")  # texts that masking must not leave empty
_NOTED_AT_ONCE = 32  # commits
_MOVED_AT_ONCE = 200  # memories
TIDIED_EVERY = 64  # operations after which each index is made one piece again


def commit(
    project: Project, decide: Callable[[], Sequence[Change]], actor: str, command: int | None = None
) -> list[LoggedOperation]:
    """Runs `decide` and stores the changes that it returns, all or none, under the store's write lock.

    What `decide` reads cannot change before its changes are stored. `command`: the one that they are a further part of.
    Secrets and private spans are masked first (`project.masked` says which rules matched). Raises InvalidInput.
    Returns the operations, which are on disk by then.
    """
    update_anchors(project)
    if meta(project.db, UNFINISHED_ERASURE) is not None:
        from memcli.store import erasing

        erasing.finish(project.db, 0)
    with transaction(project.db):
        changes = _masked(project, _with_origin(project, decide()))
        _check_basis(project, changes)
        written = oplog.append(project.db, changes, actor, project.now, command) if changes else []
        for object_id in dict.fromkeys(change.object for change in changes):
            refresh(project, object_id)
        if written and (written[0].revision - 1) // TIDIED_EVERY != written[-1].revision // TIDIED_EVERY:
            from memcli.store import search

            for table in ("memory", "passage"):
                search.tidy(project.db, table)
    return written


def _check_basis(project: Project, changes: Sequence[Change]) -> None:
    """Raises Changed if an object changed after the revision that the changes are based on. A state follows the newest one."""
    objects = [change.object for change in changes]
    if any(change.kind == "state" for change in changes):
        objects += [state.id for state in context.latest_lasting_states(project.db, 1)]
    check_unchanged(project, objects)


def check_unchanged(project: Project, objects: Sequence[str]) -> None:
    """Raises Changed if one of the objects changed after the revision that a change is based on."""
    if project.based_on is None:
        return
    for object_id in objects:
        if (revision := oplog.last_of(project.db, object_id)) > project.based_on:
            hint = ("nothing was stored; look at it with ", Call("log", object_id), ", then try again")
            raise Changed(f"{object_id} was changed meanwhile, by revision {revision}", hint, revision)


def _with_origin(project: Project, changes: Sequence[Change]) -> Sequence[Change]:
    """Adds to changes where they come from, such as an agent's session, if that is known."""
    if not project.via:
        return changes
    return [
        change if change.kind in ("undo", "erase") else replace(change, body={**change.body, "via": project.via})
        for change in changes
    ]


def update_anchors(project: Project) -> None:
    """Notes the commits of earlier writes, and re-anchors what the last recall found carried over.

    A commit that is still checked out waits, so that repeated writes on one commit start no process.
    """
    if project.commit is None or project.checkout is None:
        return
    if due := graph.unread_commits(project.db, project.commit, _NOTED_AT_ONCE):
        from memcli.validity import commits

        commits.note(project, due)
    if settled := settled_anchors(project):
        with transaction(project.db):
            anchor_settled(project, settled)
    view = head.view(project.checkout)
    if to := project.cache.moved(view):
        if anchored := graph.memories_anchored_at(project.db, list(to), _MOVED_AT_ONCE):
            with transaction(project.db):
                _reanchor(project, anchored, to)
        else:
            from memcli.store import authorship

            with transaction(project.db):
                authorship.reanchor(project.db, to)
            project.cache.note_settled(view)


def settled_anchors(project: Project) -> dict[str, str]:
    """Returns the anchors that waited for a branch's next commit and need not any more, each with what takes its place."""
    if project.commit is None or project.checkout is None:
        return {}
    anchors = graph.awaited(project.db, _MOVED_AT_ONCE)
    if not anchors:
        return {}
    from memcli.validity import commits

    return commits.settled(project, anchors)


def anchor_settled(project: Project, settled: dict[str, str]) -> None:
    """Anchors what waited for a commit at what takes its place, inside the caller's transaction."""
    if waiting := [(name, anchor) for anchor in settled for name in graph.waiting_at(project.db, anchor)]:
        _reanchor(project, waiting, settled)


def _reanchor(project: Project, anchored: Sequence[tuple[str, str]], to: dict[str, str]) -> None:
    """Anchors memories and answers, given as (id, anchor), at the commits that now carry the changes of their anchors.

    Inside the caller's transaction. They belong to no command: `mem undo` reverts what a person or agent did, and this is
    neither.
    """
    kinds = {"P-": "prompt", "M-": "put"}
    changes = [Change(kinds[name[:2]], name, {"anchor": to[anchor]}) for name, anchor in anchored]
    oplog.append(project.db, changes, oplog.ANCHOR_ACTOR, project.now, oplog.NO_COMMAND)
    for memory_id, _ in anchored:
        refresh(project, memory_id)


def _masked(project: Project, changes: Sequence[Change]) -> list[Change]:
    """Returns changes with secrets masked, and notes on the project which rules matched. Raises InvalidInput."""
    masked = []
    for change in changes:
        body = _masked_session(project, change.body) if change.kind == "session" else masked_fields(project, change.body)
        object_id = f"T-{masked_text(project, change.object[2:])}" if change.object.startswith("T-") else change.object
        masked.append(
            change if body is change.body and object_id == change.object else replace(change, body=body, object=object_id)
        )
    return masked


def _masked_session(project: Project, body: dict[str, Any]) -> dict[str, Any]:
    """Returns the fields of a session with secrets masked, except `key`, its name in the harness, which looks like one."""
    fields = masked_fields(project, {name: value for name, value in body.items() if name != "key"})
    return {**fields, "key": masked_text(project, body["key"])} if "key" in body else fields


def masked_fields(project: Project, body: dict[str, Any]) -> dict[str, Any]:
    """Returns the fields of one change with secrets masked. Raises InvalidInput if nothing would be left of a text."""
    payload = mask_payload(body, without_private)
    if payload.rules:
        project.masked.update(dict.fromkeys(payload.rules))
        for name in _REQUIRED:
            if isinstance(body.get(name), str) and body[name].strip() and not payload.value[name].strip():
                raise InvalidInput(f"the {name} is private as a whole", "nothing was stored; leave something outside <private>")
    masked: dict[str, Any] = payload.value
    return masked


def masked_text(project: Project, text: str) -> str:
    """Returns a text with secrets masked."""
    masked = mask(without_private(text))
    if masked.rules:
        project.masked.update(dict.fromkeys(masked.rules))
    return masked.text
