"""The profile: what holds for good and is asked for by its key, such as how somebody wants to be answered."""

from __future__ import annotations

import hashlib

from memcli.errors import Call, InvalidInput, NotFound
from memcli.memory.commit import commit, masked_fields, masked_text
from memcli.project import Project
from memcli.store import context, erasing
from memcli.store.context import ProfileEntry
from memcli.store.oplog import Change
from memcli.text import ids
from memcli.text.terminal import is_storable, oneline


def put(project: Project, key: str, value: str, actor: str) -> ProfileEntry:
    """Keeps a value under a key, in the place of what was there. Raises InvalidInput."""
    change = said(project, key, value)
    entry = current(project, change)
    return entry if entry and entry.value == change.body["value"] else store(project, change, actor)


def current(project: Project, change: Change) -> ProfileEntry | None:
    """Returns the entry that a change is about, as it is now."""
    return context.find(project.db, ProfileEntry, change.object)


def store(project: Project, change: Change, actor: str) -> ProfileEntry:
    """Stores the change that keeps a value under a key."""
    commit(project, lambda: [change], actor)
    entry = current(project, change)
    assert entry is not None
    return entry


def said(project: Project, key: str, value: str) -> Change:
    """Returns the change that keeps a value under a key. Raises InvalidInput."""
    name = checked_key(project, key)
    return Change("profile", _entry_id(project, name), {"key": name, "value": _checked_value(project, name, value)})


def get(project: Project, key: str) -> tuple[ProfileEntry, bool]:
    """Returns what is kept under a key here, else for the person, and whether that is so. Raises NotFound, InvalidInput."""
    name = checked_key(project, key)
    pair = next((pair for pair in listed(project) if pair[0].key == name), None)
    if pair is None:
        raise NotFound(f"nothing is kept under {oneline(name)[:80]}", ("see ", Call("profile list")))
    return pair


def listed(project: Project) -> list[tuple[ProfileEntry, bool]]:
    """Returns (an entry, whether it is the person's own) of both profiles, as turns tell them: under one key the repository's."""
    return [(entry, is_own or project.is_user) for entry, is_own in context.merged_profile(project.db, project.user_db)]


def delete(project: Project, key: str, actor: str) -> bool:
    """Takes a key out of the profile; its history stays in the log. Returns whether it was there. Raises InvalidInput."""
    change = out(project, key)
    if change is None:
        return False
    commit(project, lambda: [change], actor)
    return True


def out(project: Project, key: str) -> Change | None:
    """Returns the change that takes a key out, None where it is not there. Raises InvalidInput."""
    entry_id = _entry_id(project, checked_key(project, key))
    return Change("forget", entry_id, {}) if context.find(project.db, ProfileEntry, entry_id) is not None else None


def checked_key(project: Project, key: str) -> str:
    """Returns a key as it is stored: trimmed, secrets masked. Raises InvalidInput."""
    name = key.strip()
    limit = project.config["profile.key"]
    if not name or len(name) > limit or not name.isprintable() or not is_storable(name):
        raise InvalidInput(f"not a key: {oneline(name)[:80]!r}", f"use 1 to {limit} printable characters, such as editor")
    return masked_text(project, name)


def _checked_value(project: Project, key: str, value: str) -> str:
    limit = project.config["profile.value"]
    if not value.strip():
        raise InvalidInput("the value is empty", ("give it some words, or delete the key with ", Call("profile delete")))
    if len(value) > limit:
        raise InvalidInput(
            f"the value has {len(value):,} characters", f"the limit is {limit:,} (profile.value); what is longer is a memory"
        )
    if not is_storable(value):
        raise InvalidInput("the value holds a NUL or half a surrogate pair", "remove it: only Unicode text can be stored")
    (text,) = masked_fields(project, {key: value}).values()  # a key such as api_key makes a secret of any value
    if not text.strip():
        raise InvalidInput("the value is private as a whole", "nothing was stored; leave something outside <private>")
    return str(text)


def _entry_id(project: Project, key: str) -> str:
    """Returns the id of a key's entry: a digest of the key, so that stores that never met agree; past ids that were erased."""
    for times in range(1_000):
        digest = hashlib.sha1(f"{key}\0{times}".encode(), usedforsecurity=False).digest()
        entry_id = f"K-{ids.encode(int.from_bytes(digest[:8], 'big'), ids.LENGTH)}"
        if not erasing.is_erased(project.db, entry_id):
            return entry_id
    raise InvalidInput(f"{oneline(key)[:80]} was erased a thousand times", "use another key")
