"""What a person should review: memories whose files have changed or that nobody uses, and secrets in the store."""

from __future__ import annotations

import os
from collections.abc import Iterator
from glob import escape as glob_escaped
from glob import glob
from typing import Any

from memcli import config
from memcli.project import USER, Project
from memcli.records import Record
from memcli.screening import mask, mask_payload
from memcli.store import erasing, memories, replication, usage
from memcli.store.memories import Memory
from memcli.store.usage import UnusedMemory
from memcli.text import bounded, dates, json
from memcli.text.ids import anchor_commit
from memcli.validity import DRIFTED, statuses

_PAGE = 500  # memories read at a time
_MOST_UNUSED = 1_000
_REMOVAL = {
    "job": "mem queue purge {}",
    "cache": "delete the file; mem creates it again",
    "turn": "it goes with the turns of a week ago",
    "fact": "mem backup what you need, then delete the store",
    "config": "edit the file",
    "name": "rename the directory",
}
_LARGEST = 1 << 20  # bytes of a file of settings that is read


class StaleMemory(Record):
    """A memory that is valid at HEAD, and its linked files that changed or are gone, as paths from the repository's root."""

    memory: Memory
    changed: tuple[str, ...]
    gone: tuple[str, ...]

    def as_json(self) -> dict[str, Any]:
        """Returns the memory as data, with the two commands that settle it."""
        memory = self.memory
        return {
            "id": memory.id,
            "title": memory.title,
            "thread_id": memory.thread,
            "anchor_commit": anchor_commit(memory.anchor),
            "created_at": dates.iso(memory.created_at),
            "changed": list(self.changed),
            "gone": list(self.gone),
            "supersede": f'mem supersede {memory.id} --summary "..."',
            "confirm": f"mem confirm {memory.id}",
        }


class StoredSecret(Record):
    """A stored object that contains a secret: its id, the rules that matched, and how to remove it."""

    id: str
    rules: tuple[str, ...]
    erase: str


def stale_memories(project: Project) -> list[StaleMemory]:
    """Returns the memories that are valid at HEAD and have drifted, oldest first. Writes nothing."""
    stale = []
    linked = memories.linked(project.db)
    for start in range(0, len(linked), _PAGE):
        page = linked[start : start + _PAGE]
        for memory, status in zip(page, statuses(project, page)):
            if status.is_valid and status.freshness.state == DRIFTED:
                stale.append(StaleMemory(memory, status.freshness.changed, status.freshness.gone))
    return stale


def unused_memories(project: Project, least: int = usage.OFTEN, with_observed: bool = False) -> list[UnusedMemory]:
    """Returns the memories that `least` sessions or more were told and none used, the most told first. Writes nothing."""
    return usage.never_used(project.db, _MOST_UNUSED, least, with_observed)


def unused_as_json(memory: UnusedMemory) -> dict[str, Any]:
    """Returns a memory that no session used as data, with the command that retires it."""
    return {
        "id": memory.id,
        "title": memory.title,
        "thread_id": memory.thread,
        "created_at": dates.iso(memory.created_at),
        "told": memory.told,
        "last_told": dates.iso(memory.last_told),
        "forget": f"mem forget {memory.id}",
    }


def stored_secrets(project: Project) -> list[StoredSecret]:
    """Scans all stored text: the log, memories, states, threads, chunks, prompts, jobs and the cache, in that order; then the
    caches of all other stores, the names of their directories, and the files of settings.

    It finds secrets from before mem masked them, and those that a newer rule recognizes.
    """
    rules_by_id: dict[str, dict[str, None]] = {}
    for object_id, text, is_json in (*erasing.texts(project.db, project.folder), *_files(project)):
        if rules := _matching_rules(text, is_json):
            rules_by_id.setdefault(object_id, {}).update(dict.fromkeys(rules))
    shared = {name for name in replication.ever_shared(project.db) if not name.startswith("T-")}
    return [
        StoredSecret(mask(name).text, tuple(rules), f"mem sync purge {name}" if name in shared else _removal(name))
        for name, rules in rules_by_id.items()
    ]


def _files(project: Project) -> Iterator[tuple[str, str, bool]]:
    """Yields (id, text, False) of what stands in other files than the store's: caches, names of directories, settings."""
    base = config.data_dir()
    workspaces = glob(os.path.join(glob_escaped(base), "repos", "*", "workspaces", "*"))
    yield from ((f"name {path}", os.path.basename(path), False) for path in workspaces)
    for folder in (*glob(os.path.join(glob_escaped(base), "repos", "*")), *workspaces, os.path.join(base, USER)):
        if folder != project.folder:
            path = os.path.join(folder, "cache.db")
            yield from ((f"cache {path}", text, False) for text in erasing.cached_texts(path))
    own, committed = os.path.join(config.config_dir(), config.FILE), os.path.join(project.root, ".mempack", config.FILE)
    for path in (own, *([committed] if project.root and not bounded.leads_out(project.root, committed) else [])):
        if content := bounded.read(path, _LARGEST):
            yield f"config {path}", content.decode("utf-8", "replace"), False


def _matching_rules(text: str, is_json: bool) -> tuple[str, ...]:
    if is_json:
        try:
            return mask_payload(json.loads(text), lambda payload: payload).rules
        except json.Malformed:
            pass
    return mask(text).rules


def _removal(object_id: str) -> str:
    """Returns the command that removes the text of an object, or what to do where no single command does."""
    if object_id.startswith("T-"):  # a thread named like a secret
        return "mem forget --erase each of its memories; mem thread lists them"
    kind, _, number = object_id.partition(" ")
    return _REMOVAL[kind].format(number) if kind in _REMOVAL else f"mem forget --erase {object_id}"
