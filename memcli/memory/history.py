"""Undoing the last command: by new operations that say the opposite, never by removing old ones."""

from __future__ import annotations

from memcli.errors import Call, InvalidInput, NotFound
from memcli.memory.commit import commit
from memcli.memory.projection import fold
from memcli.store import RESTORED, chunks, context, erasing, meta, oplog, transaction
from memcli.store.context import State
from memcli.store.memories import OBSERVED
from memcli.store.oplog import Change
from memcli.store.passages import OVERTAKEN
from memcli.text import ids, json

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from memcli.memory.projection import Folded
    from memcli.project import Project
    from memcli.store.chunks import Chunk
    from memcli.store.oplog import LoggedOperation


def _forgotten_chunks(project: Project) -> tuple[list[Chunk], bool]:
    """Returns (the chunks that the newest command forgot, whether that is all it did).

    Chunks are not in the log, so its newest operations alone are those of the command before.
    """
    forgotten, revision, with_operations = chunks.last_hidden(project.db)
    if not forgotten or (oplog.last_undoable(project.db) or 0) > revision:
        return [], False
    return forgotten, not with_operations


def object_of(project: Project, reference: str) -> str:
    """Returns the id of the object that a reference names: a state, memory, session, prompt, profile key or note.

    Raises NotFound or InvalidInput.
    """
    from memcli.memory import find_memory, find_prompt, find_session

    if state := context.find(project.db, State, reference.upper()):
        return state.id
    typed = ids.canonical(reference)
    kind = typed[:2]
    if kind in ("K-", "N-") and oplog.of_object(project.db, typed):
        return typed
    if kind == "A-":
        return find_session(project, reference).id
    return (
        find_prompt(project, reference, forgotten=True) if kind == "P-" else find_memory(project, reference, forgotten=True)
    ).id


def check_undo(project: Project, if_revision: int | None = None) -> list[LoggedOperation]:
    """Returns the operations that `undo` would revert. Raises NotFound or InvalidInput if it cannot.

    `if_revision`: what is undone was seen at this revision of the log. At the newest, what was erased is passed by, and a restore
    does not stop it.
    """
    steps_over = if_revision == oplog.revision(project.db)
    if _forgotten_chunks(project)[1]:
        return []
    command = oplog.last_undoable(project.db)
    while command is not None:
        if not steps_over:
            _check_restored(project, command)
        operations = oplog.of_command(project.db, command)
        if not any(op.kind == "erase" or erasing.is_erased(project.db, op.object) for op in operations):
            return operations
        if not steps_over:
            raise InvalidInput("what was erased cannot come back", _going_on(project), "erased")
        command = oplog.last_undoable(project.db, command)
    raise NotFound("nothing to undo", ("see ", Call("log")))


def _check_restored(project: Project, command: int) -> None:
    """Raises InvalidInput for a command that is part of the copy which the memory was restored from."""
    if command > int(meta(project.db, RESTORED) or 0):
        return
    import shlex

    from memcli.store import copies

    kept = copies.labelled(project.db.filename, copies.BEFORE_RESTORE)
    back = f"take the restore back with: mem backup --restore {shlex.quote(kept[0])}; " if kept else ""
    raise InvalidInput("undo stops at the copy that was restored", (back, *_going_on(project)), "restored")


def _going_on(project: Project) -> tuple[str | Call, ...]:
    """Returns the hint that says how the command before is undone."""
    return ("to undo what is older: ", Call("undo", if_revision=str(oplog.revision(project.db))))


def undo(project: Project, actor: str) -> tuple[list[LoggedOperation], list[Chunk]]:
    """Reverts the newest command that is not itself an undo and was not undone.

    Returns (its operations, the chunks that it had forgotten). Raises NotFound, or InvalidInput if something was erased.
    """
    operations: list[LoggedOperation] = []
    restored: list[Chunk] = []

    def decide() -> list[Change]:
        operations.extend(check_undo(project, project.based_on))
        restored.extend(_forgotten_chunks(project)[0])
        for chunk in restored:
            chunks.unhide(project.db, chunk)
        if not operations:
            return []
        for chunk in chunks.restored_by(project.db, operations[-1].revision):
            chunks.hide(project.db, chunk)
        inverse = [change for op in reversed(operations) for change in _inverse(project, op)]
        _apply_sharing(project, inverse)
        return [Change("undo", operations[0].id, {}), *inverse]

    written = commit(project, decide, actor)
    if written:
        from memcli.store import withdrawing

        with transaction(project.db):
            withdrawing.withdraw(project.db, operations, written)
    return operations, restored


def _apply_sharing(project: Project, changes: Sequence[Change]) -> None:
    """Applies changes of sharing: shares again what they say is shared, and stops sharing what they say is not."""
    changes = [change for change in changes if change.kind in (oplog.SHARE, oplog.UNSHARE)]
    if not changes:
        return
    from memcli.store import replication

    for change in changes:
        if change.kind == oplog.UNSHARE:
            replication.stop_sharing(project.db, [change.object])
        elif change.body.get(oplog.BY_RULES):
            replication.leave_to_rules(project.db, change.object)
        else:
            replication.share(project.db, [change.object])


def redo(project: Project, command: int, actor: str, part_of: int | None) -> int | None:
    """Restores what an undone command had stored, as far as it is still gone. Returns the command that does it.

    None if there is nothing to restore. `part_of`: the command that this one is part of.
    """
    undone_by = oplog.undone_by(project.db, command)
    if undone_by is None:
        return None
    undoing = oplog.of_command(project.db, undone_by)
    gone = {op.object for op in undoing if op.kind == "forget" and fold(oplog.of_object(project.db, op.object)).forgotten}
    changes = [change for op in reversed(undoing) if op.object in gone for change in _inverse(project, op)]
    return commit(project, lambda: changes, actor, part_of)[0].command if changes else None


def _inverse(project: Project, op: LoggedOperation) -> list[Change]:
    body = json.loads(op.body)
    if op.kind == "supersede":
        return [Change(op.kind, op.object, {**body, "on": not body["on"]})]
    if op.kind in (oplog.SHARE, oplog.UNSHARE):
        return [Change(oplog.UNSHARE if op.kind == oplog.SHARE else oplog.SHARE, op.object, body)]
    if op.kind in ("forget", "restore"):
        return [Change("restore" if op.kind == "forget" else "forget", op.object, {})]
    if op.kind == "prompt" and oplog.first_of(project.db, op.object) == op.revision:
        return [Change("forget", op.object, {})]
    if op.kind == "prompt" and "facts" in body:
        return [Change("prompt", op.object, {"facts": _before(project, op).fields.get("facts", [])})]
    if op.kind == "prompt" and OVERTAKEN in body and op.actor not in OBSERVED:  # somebody closed what was left open
        return [Change("prompt", op.object, {OVERTAKEN: _before(project, op).fields.get(OVERTAKEN) or {}})]
    if op.kind not in ("put", "state", "link", "profile", "note"):
        return []
    earlier = _before(project, op)
    if op.kind == "link":
        before = earlier.links.get((body["rel"], body["to"]))
        edge = {"rel": body["rel"], "to": body["to"], "on": before is not None}
        return [Change("link", op.object, {**edge, "hash": before.hash} if before and before.hash else edge)]
    if earlier.first is None or (earlier.forgotten and op.object.startswith(("T-", "K-"))):
        return [Change("forget", op.object, {})]
    kind = op.kind if op.object.startswith(("K-", "N-")) else "put"  # others take no other operations on these
    return [Change(kind, op.object, {name: earlier.fields.get(name) for name in body})]


def _before(project: Project, op: LoggedOperation) -> Folded:
    """Returns an object as the operations before this one left it."""
    return fold([other for other in oplog.of_object(project.db, op.object) if other.revision < op.revision])
