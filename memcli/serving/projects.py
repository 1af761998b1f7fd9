"""Which memory a server stands for, memories opened for one call, and any error of a call as one to show.

Each call opens its own: it sees HEAD, the settings and what other processes wrote as they are when it begins, no two threads
share a handle, and an idle server keeps nobody waiting.
"""

from __future__ import annotations

import os
import shlex
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from memcli import store
from memcli.errors import MemError, NotFound
from memcli.operations import after_change, after_reading
from memcli.project import Project, Where, folder_of, locate, open_for_reading, open_for_writing
from memcli.records import replace
from memcli.store import copies, opening


def default_store(repo: str | None, workspace: str | None) -> Where | None:
    """Returns the memory that a service serves, in words that mean the same from any directory, or None.

    Raises NotFound for one that was named and does not exist, InvalidInput for an invalid name of a workspace.
    """
    try:
        location = locate(Where(repo, workspace))
    except NotFound:
        folder_of("", workspace)  # raises for an invalid name
        if repo is not None:
            raise
        return None
    folder_of(location.repo_id or "", workspace)
    return Where(location.root or location.repo_id, workspace)


@contextmanager
def reading(where: Where) -> Iterator[Project]:
    """Opens a memory for one reading call. Raises NotFound and what else opening raises."""
    project = open_for_reading(where)
    try:
        if problem := loss(project.folder):
            raise problem
        yield project
    finally:
        project.close()
    after_reading(project)  # HEAD, the day or a linked file may have changed since the last call


@contextmanager
def writing(where: Where, via: dict[str, str], create: bool = False) -> Iterator[Project]:
    """Opens a memory to change it; `via` is kept with every operation. Raises what opening raises."""
    project = replace(open_to_write(where, create), via=via)
    try:
        yield project
    finally:
        project.close()
    after_change(project)


def open_to_write(where: Where, create: bool = True, rehearse: Callable[[Project], object] | None = None) -> Project:
    """Opens a memory to change it, unless its store is gone: nobody would see that it is begun anew. Raises MemError."""
    if problem := loss(folder_of(locate(where).repo_id, where.workspace)):
        raise problem
    return open_for_writing(where, create, rehearse)


def loss(folder: str) -> MemError | None:
    """Returns the error for a store that is gone while a copy of it is left, by its directory; None for any other."""
    path = os.path.join(folder, "memory.db")
    if not folder or os.path.lexists(path) or not opening.is_lost(path) or (copy := copies.fullest(path)) is None:
        return None
    has = "1 memory" if copy.memories == 1 else f"{copy.memories:,} memories"
    hint = f"the person can restore it: mem backup --restore {shlex.quote(copy.path)}"
    return MemError(f"the store of this memory is gone; a copy of it has {has}", hint, "gone")


def explain(error: Exception, hint: str) -> MemError:
    """Returns the error to show for any exception. Of a bug it names only the type, with `hint`."""
    return store.explain_known(error) or MemError(f"internal error: {type(error).__name__}", hint, "internal")
