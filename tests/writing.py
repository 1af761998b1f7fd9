"""Writes in one call what an operation plans first and then applies."""

from __future__ import annotations

from memcli.memory import context, entries, find_memory, items, links
from memcli.memory.entries import Edit
from memcli.project import Project
from memcli.store.chunks import Chunk
from memcli.store.context import State
from memcli.store.graph import Link
from memcli.store.memories import Memory


def update(project: Project, reference: str, edit: Edit, actor: str) -> Memory:
    return entries.apply(project, entries.revision(project, reference, edit), actor)[0]


def supersede(project: Project, reference: str, edit: Edit, actor: str) -> tuple[Memory, Memory]:
    return entries.succeed(project, entries.succession(project, reference, edit), actor)


def forget(project: Project, reference: str, actor: str) -> Memory:
    memory = find_memory(project, reference)
    items.hide(project, items.to_hide(project, [memory.id]), actor)
    return memory


def restore(project: Project, reference: str, actor: str) -> Memory | Chunk:
    return items.bring_back(project, items.to_bring_back(project, [reference]), actor)[0].row


def pin(project: Project, reference: str, pinned: bool, actor: str) -> Memory:
    return entries.apply(project, items.pinning(project, [reference], pinned), actor)[0]


def link(project: Project, from_ref: str, relation: str, to_ref: str, actor: str) -> tuple[Link, bool]:
    return links.make(project, links.ends(project, from_ref, relation, to_ref), actor)


def checkpoint(project: Project, reason: str, state_json: str, thread: str | None, actor: str) -> State:
    value = context.checked_state(reason, state_json)
    return context.store_state(project, context.draft_checkpoint(project, reason, thread), value, actor)


def set_profile(project: Project, key: str, value: str, actor: str) -> None:
    change = context.profile_change(project, key, value)
    entry = context.profile_entry(project, change)
    if entry is None or entry.value != change.body["value"]:
        context.store_entry(project, change, actor)


def delete_profile(project: Project, key: str, actor: str) -> None:
    if change := context.profile_removal(project, key):
        context.commit(project, lambda: [change], actor)


def add_note(project: Project, text: str, actor: str) -> None:
    context.store_note(project, context.checked_note(project, text), actor)
