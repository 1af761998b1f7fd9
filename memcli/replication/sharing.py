"""What of a memory is shared: what the person named, what the rules of the settings say, and what these need."""

from __future__ import annotations

from collections.abc import Sequence

from memcli.config import Config
from memcli.errors import InvalidInput
from memcli.memory.commit import commit
from memcli.memory.items import Item
from memcli.project import Project
from memcli.store import replication, transaction
from memcli.store.oplog import BY_RULES, SHARE, UNSHARE, Change
from memcli.validity import origin_of

_KINDS = ("memory", "state", "note", "profile entry")
EVERYTHING = "*"


def check(items: Sequence[Item]) -> None:
    """Raises InvalidInput for what never leaves this machine: sessions, prompts, passages, chunks."""
    for item in items:
        if item.kind not in _KINDS:
            raise InvalidInput(
                f"{item.id} is a {item.kind}, which never leaves this machine", "share a memory, state, note or entry"
            )


def share(project: Project, ids: Sequence[str]) -> None:
    """Shares objects that a command has just made, as a part of it."""
    with transaction(project.db):
        replication.share(project.db, ids)


def begin(project: Project, ids: Sequence[str], actor: str) -> None:
    """Shares objects from now on: as they are, not what was overwritten before. Undo takes it back."""

    def decide() -> list[Change]:
        shared = set(replication.shared_objects(project.db))
        fresh = [name for name in ids if name not in shared]
        replication.share(project.db, fresh)
        return [Change(SHARE, name, {}) for name in fresh]

    commit(project, decide, actor)


def stop(project: Project, ids: Sequence[str], actor: str) -> None:
    """Keeps objects here from now on, whatever the rules say. What others have already stays with them. Undo takes it back."""

    def decide() -> list[Change]:
        stopped, shared = replication.stopped_objects(project.db), set(replication.shared_objects(project.db))
        ended = [name for name in ids if name not in stopped]
        replication.stop_sharing(project.db, ended)
        return [Change(UNSHARE, name, {} if name in shared else {BY_RULES: True}) for name in ended]

    commit(project, decide, actor)


def apply_rules(project: Project) -> None:
    """Shares what the settings say, and what shared memories need: their threads, and what replaces them."""
    with transaction(project.db):
        replication.share(project.db, by_rules(project))
        while neighbours := replication.unshared_neighbours(project.db):
            replication.share(project.db, neighbours)


def by_rules(project: Project) -> list[str]:
    """Returns what the settings share and is not shared yet."""
    kinds, threads, origins = [_names(project.config, f"sync.{name}") for name in ("kinds", "threads", "origins")]
    chosen = [
        memory_id
        for memory_id, kind, thread, actor in (replication.candidates(project.db) if kinds else ())
        if _has(kinds, kind) and _has(threads, thread) and _has(origins, origin_of(actor).writer)
    ]
    return chosen + (replication.unshared_states(project.db) if project.config["sync.states"] else [])


def _names(config: Config, key: str) -> set[str]:
    return {name.strip() for name in config[key].split(",") if name.strip()}


def _has(names: set[str], name: str) -> bool:
    return EVERYTHING in names or name in names
