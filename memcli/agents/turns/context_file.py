"""The context as a file, for an agent that reads files but runs no hooks: MEMORY_CONTEXT.md in the root of its workspace.

`mem setup openclaw` makes it, and a note of it in DATA/bridges: which store it tells of, and as of which moment. The note is also
the lock of its writers. A file without a note came with a clone, one that git tracks would be published: neither is ever written,
because the text has the person's own memory, too. Others are written again once they would say something else: after a change of
the memory or of the person's own, and when HEAD, the day or a linked file turns out to have changed.
"""

from __future__ import annotations

import os
import time
from typing import Any

from memcli import config, store, system
from memcli.agents.turns import turn
from memcli.agents.turns.layout import digest
from memcli.agents.turns.turn import NOTHING, TurnPlan
from memcli.errors import InvalidInput, MemError, NotFound
from memcli.project import USER, Project, Where, folder_of, open_for_reading
from memcli.repo import head, worktree
from memcli.text import bounded, files, json

FILE = "MEMORY_CONTEXT.md"
MARK = "<!-- Written by mem, again and again; do not edit it. -->\n"
NOTES = "bridges"
_LARGEST = 1 << 20  # bytes of the file: a full turn has some ten thousand
_TRIES, _NAP = 200, 0.01  # two seconds for another writer, who needs a hundredth of one


def is_ours(root: str) -> bool:
    """Tells whether the working tree at `root` has the file, and it is ours. A link, which may lead out of the tree, never is."""
    path = os.path.join(root, FILE)
    if not root or not os.path.lexists(path) or os.path.islink(path):
        return False
    return (bounded.read(path, _LARGEST) or b"").startswith(MARK.encode())


def refuse_tracked(root: str) -> None:
    """Raises InvalidInput if git tracks the file of a workspace, or cannot tell."""
    if is_tracked(root):
        path = os.path.join(root, FILE)
        raise InvalidInput(f"git tracks {path}, and it would hold your own memory", f"git rm --cached {FILE}", "tracked")


def is_tracked(root: str) -> bool:
    """Tells whether `root` is a git working tree in which git tracks the file, or cannot tell. Runs git once."""
    checkout = head.find(root)
    return checkout is not None and worktree.is_tracked(checkout, os.path.relpath(os.path.join(root, FILE), checkout.root))


def is_followed(root: str) -> bool:
    """Tells whether setup on this machine made the file of a workspace."""
    return os.path.isfile(_note_path(root))


def followed() -> list[str]:
    """Returns the roots of all workspaces whose file this machine keeps current."""
    return [root for root, _ in _noted()]


def register(root: str) -> None:
    """Registers the file of a workspace to be kept current, writes it, and tells git to ignore it. Raises OSError."""
    os.makedirs(_folder(), mode=0o700, exist_ok=True)
    os.close(system.open_private(_note_path(root), os.O_RDWR | os.O_CREAT))
    if checkout := head.find(root):
        worktree.exclude(checkout, os.path.relpath(os.path.join(root, FILE), checkout.root))
    refresh(root)


def text_for(root: str) -> str:
    """Returns the current content of the file of a workspace, whether that has a memory or not."""
    try:
        project = open_for_reading(Where(root))
    except NotFound:
        return MARK + NOTHING
    try:
        return _text(_plan(project))
    finally:
        project.close()


def follow(folder: str, root: str = "") -> None:
    """Updates the files that a change of the store in `folder` concerns; all files, if it is the person's own store.

    `root`: the working tree of the change, whose file may not be registered yet. Failures are retried the next time.
    """
    user_folder = folder_of(USER, None)
    concerned = [tree for tree, store_folder in _noted() if folder in (store_folder, user_folder)]
    for tree in dict.fromkeys([root, *concerned]):
        refresh(tree)


def poll() -> None:
    """Updates every registered file."""
    follow(folder_of(USER, None))


def refresh(root: str, waits: bool = True) -> bool:
    """Rewrites the file if setup made it and its content would change. Returns whether it did.

    Failures are retried. `waits`: whether to wait for another writer. A reader does not: a change waits, and the
    next to look sees the rest.
    """
    if not is_ours(root):
        return False
    try:
        note = _note(root, _TRIES if waits else 1)
        if note is None:
            return False
        try:
            return _renew(root, note)
        finally:
            os.close(note)
    except (MemError, store.Error, OSError):
        return False


def _renew(root: str, note: int) -> bool:
    """Does so under the lock. The store is read only now, so that the last writer has seen all earlier changes."""
    project = open_for_reading(Where(root))
    try:
        stored = _read(note)
        if stored and stored["file"] == _stat(root) and _is_current(project, stored):
            return False
        planned = _plan(project)
        folder = project.folder
    finally:
        project.close()
    content = _text(planned)
    if is_new := _differs(root, content):
        if is_tracked(root):
            return False
        files.write(os.path.join(root, FILE), content, follows=False)
    note_fields = {
        "root": root,
        "store": folder,
        "revision": planned.turn.revision,
        "stamp": planned.turn.stamp,
        "file": _stat(root),
    }
    encoded = json.canonical(note_fields).encode() + b"\n"
    os.lseek(note, 0, os.SEEK_SET)
    os.write(note, encoded)
    os.ftruncate(note, len(encoded))  # only then: whoever reads a line meanwhile finds one
    return is_new


def _plan(project: Project) -> TurnPlan:
    return turn.plan(project, turn.TurnRequest("file", form="prompt", is_full=True))


def _text(planned: TurnPlan) -> str:
    return MARK + (NOTHING if planned.is_empty else planned.text)


def _is_current(project: Project, stored: dict[str, Any]) -> bool:
    try:
        return turn.is_current(project, turn.TurnRequest("file", form="prompt"), stored["revision"], stored["stamp"])
    except (ValueError, TypeError):  # a note that somebody changed
        return False


def _differs(root: str, content: str) -> bool:
    return bounded.read(os.path.join(root, FILE), _LARGEST) != content.encode()


def _stat(root: str) -> list[int]:
    status = os.stat(os.path.join(root, FILE))
    return [status.st_size, status.st_mtime_ns]


def _folder() -> str:
    return os.path.join(config.data_dir(), NOTES)


def _note_path(root: str) -> str:
    return os.path.join(_folder(), digest(os.path.realpath(root)))


def _note(root: str, tries: int) -> int | None:
    """Returns the open note of a file, locked by us; None while another process holds it. Raises OSError if there is none."""
    note = system.open_private(_note_path(root), os.O_RDWR)
    for tries_left in range(tries - 1, -1, -1):
        if system.try_lock(note):
            return note
        if tries_left:
            time.sleep(_NAP)
    os.close(note)
    return None


def _read(note: int) -> dict[str, Any] | None:
    """Returns the content of a note; None for a new one, or one whose writer was killed."""
    try:
        fields = json.loads(system.signature(note, 1 << 20).partition(b"\n")[0].decode())
    except ValueError:
        return None
    if not isinstance(fields, dict) or {"root", "store", "revision", "stamp", "file"} != set(fields):
        return None
    return fields if isinstance(fields["root"], str) and isinstance(fields["store"], str) else None


def _noted() -> list[tuple[str, str]]:
    """Returns (working tree, directory of its store) of every registered file, and forgets those that are gone."""
    noted = []
    try:
        names = sorted(os.listdir(_folder()))
    except OSError:
        return []
    for name in names:
        path = os.path.join(_folder(), name)
        try:
            note = system.open_private(path, os.O_RDWR)
            try:
                fields = _read(note)
            finally:
                os.close(note)
            if fields and is_ours(fields["root"]):
                noted.append((fields["root"], fields["store"]))
            elif fields:
                os.remove(path)
        except OSError:
            continue  # another one forgot it first
    return noted
