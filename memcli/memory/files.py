"""Files that a memory speaks of: their path and the hash of their bytes at that moment."""

from __future__ import annotations

import os

from memcli.errors import InvalidInput, NotFound
from memcli.store.oplog import Change

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from memcli.project import Project

_BLOCK = 1 << 20


def file_links(project: Project, memory_id: str, paths: Sequence[str]) -> list[Change]:
    """Returns the links from a memory to files, named from the top of the repository. Raises NotFound or InvalidInput."""
    return [
        Change("link", memory_id, {"rel": "file", "to": inside(project, path), "on": True, "hash": digest(path)})
        for path in dict.fromkeys(paths)
    ]


def inside(project: Project, path: str) -> str:
    """Returns `path` as it is named from the top of the repository. Raises InvalidInput for one outside it."""
    full = os.path.realpath(path)
    if not project.root:
        raise InvalidInput("this memory belongs to no directory", "leave out --file")
    top = os.path.realpath(project.root)
    if os.path.commonpath([full, top]) != top:
        raise InvalidInput(f"{path} is outside the repository", f"give a file below {top}")
    return os.path.relpath(full, top).replace(os.sep, "/")


def digest(path: str) -> str:
    """Returns the SHA-1 of a file's bytes, in hex. Raises NotFound or InvalidInput."""
    from _sha1 import sha1  # type: ignore[import-not-found]  # hashlib costs 3 ms to import

    found = sha1()
    try:
        if not os.path.isfile(path):
            raise NotFound(f"no file {path}", "give the path of an existing file")
        with open(path, "rb") as file:
            while block := file.read(_BLOCK):
                found.update(block)
    except OSError as problem:
        raise InvalidInput(f"{path} cannot be read: {(problem.strerror or '').lower()}", "check its permissions") from None
    return str(found.hexdigest())
