"""Modes of mecho: each is a workspace of one project, whatever characters its id has. Its store keeps the id."""

from __future__ import annotations

import hashlib
import re
import unicodedata

from memcli import store
from memcli.errors import InvalidInput
from memcli.memory.context import DETAIL
from memcli.project import MODE, Project
from memcli.store import context, memories
from memcli.store.memories import Memory
from memcli.text.terminal import is_storable

MODES = "modes"  # the project of modes that belong to none
ARCHIVE = "_archival"  # suffix of the store beside a mode's own, so that archival texts never come into a prompt by themselves
SOURCE = "mecho:"  # begins the source id of an entry with an id of the client's own
ARCHIVED = "mecho:archival:"  # the same of an archival text
CORE = DETAIL.removeprefix(SOURCE)  # begins the id of the entry with what of a core does not fit into a value of the profile
_CORE, _DELETED = "mecho_core", "mode_deleted"  # in the facts of a store: the key of mecho's one core; "1" of a deleted mode
_PLAIN = re.compile(r"(?=.*[a-z0-9])[a-z0-9_-]{1,53}")
_NOT_PLAIN = re.compile(r"[^a-z0-9_-]")
_DIGESTED = re.compile(r".*_[0-9a-f]{16}")
_READABLE = 30  # characters of an id that begin the name of its workspace


def id_of(text: str) -> str:
    """Returns the id of a mode as it is kept: without spaces around it, accents as one character. Raises InvalidInput."""
    if not text.strip() or not text.isprintable() or not is_storable(text):
        raise InvalidInput("not an id of a mode", "use printable characters, not only spaces")
    return unicodedata.normalize("NFC", text.strip())


def plain_id(text: str) -> str:
    """Returns the id that mecho's own service makes of one, "" where nothing is left: small letters, digits, `_` and `-`."""
    return _NOT_PLAIN.sub("", text.strip().lower())


def workspace_of(mode: str) -> str:
    """Returns the name of a mode's workspace: its id where that can be one, else what is readable of it and a digest.

    No id is the name of another one's workspace or archive. Names of workspaces know no case, ids do. Raises InvalidInput.
    """
    mode = id_of(mode)
    if _PLAIN.fullmatch(mode) and not _DIGESTED.fullmatch(mode) and not mode.endswith(ARCHIVE):
        return mode
    return digested(mode)


def digested(name: str) -> str:
    """Returns the name of a workspace for a name that cannot be one: what is readable of it, and a digest."""
    readable = "".join([char if char.isascii() and char.isalnum() else "-" for char in name.casefold()])[:_READABLE]
    return f"{readable}_{hashlib.sha256(name.encode()).hexdigest()[:16]}"


def mark(project: Project, mode: str) -> None:
    """Notes in the store of a mode, or of its archive, which mode it is of. Raises InvalidInput."""
    _note(project, MODE, id_of(mode))
    _note(project, _DELETED, "")


def note_deleted(project: Project) -> None:
    """Notes that the mode of a store was deleted. It is there again once something is stored in it, or comes back."""
    _note(project, _DELETED, "1")


def of_store(project: Project) -> str:
    """Returns which mode a store is of; "" of none, or of one that was deleted.

    Of those that belong to no project, one that nobody noted is called as its workspace.
    """
    if store.meta(project.db, _DELETED) and not memories.count(project.db) and not context.profile(project.db):
        return ""
    workspace = project.workspace.removesuffix(ARCHIVE)
    mode = store.meta(project.db, MODE)
    if mode is None or workspace_of(mode) != workspace:  # a copy of another mode's store was put there
        return workspace if project.name == MODES and not project.root else ""
    return mode


def client_id(memory: Memory, source: str = SOURCE) -> str:
    """Returns the id by which a client knows an entry: one of its own, else ours. `source`: what begins the ids of its kind."""
    name = memory.source_id or ""
    return name.removeprefix(source) if name.startswith(source) else memory.id


def is_detail_of_core(memory: Memory) -> bool:
    """Tells whether a memory is what of a core does not fit into a value of the profile."""
    return (memory.source_id or "").startswith(DETAIL)


def description(project: Project, memory: Memory) -> str:
    """Returns how an entry is listed: its first line."""
    return memory.summary.partition("\n")[0].strip()


def core_of(project: Project) -> str:
    """Returns the key under which mecho's one core is kept; "" where there is none."""
    return store.meta(project.db, _CORE) or ""


def note_core(project: Project, key: str) -> None:
    """Notes under which key mecho's one core is kept."""
    _note(project, _CORE, key)


def _note(project: Project, name: str, value: str) -> None:
    if (store.meta(project.db, name) or "") != value:
        with store.transaction(project.db):
            store.set_meta(project.db, name, value)
