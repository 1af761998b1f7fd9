"""A memory opened for one call of a server.

Each call opens its own: it sees HEAD, the settings and what other processes wrote as they are when it begins, no two threads
share a handle, and an idle server keeps nobody waiting.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from memcli.agents.turns import context_file
from memcli.project import Project, Where, open_for_reading, open_for_writing
from memcli.records import replace


@contextmanager
def reading(where: Where) -> Iterator[Project]:
    """Opens a memory for one reading call. Raises NotFound and what else opening raises."""
    project = open_for_reading(where)
    try:
        yield project
    finally:
        project.close()
    context_file.refresh(project.root, waits=False)  # HEAD, the day or a linked file may have changed since the last call


@contextmanager
def writing(where: Where, via: dict[str, str], create: bool = False) -> Iterator[Project]:
    """Opens a memory to change it; `via` is kept with every operation. Raises what opening raises."""
    project = replace(open_for_writing(where, create), via=via)
    try:
        yield project
    finally:
        project.close()
    context_file.follow(project.folder, project.root)
