"""What is known, in a file, for an agent that reads files and runs no hooks: MEMORY_CONTEXT.md at the top of its workspace.

`mem setup openclaw` makes it. Where it stands, it is written again after every change of the memory; nobody has to ask.
"""

from __future__ import annotations

import os

TYPE_CHECKING = False
if TYPE_CHECKING:
    from memcli.project import Project

FILE = "MEMORY_CONTEXT.md"
MARK = "<!-- Written by mem, again and again; do not edit it. -->\n"
NOTHING = "Nothing is known yet.\n"


def stands(root: str) -> bool:
    """True where the working tree at `root` has the file, and it is ours."""
    path = os.path.join(root, FILE)
    if not root or not os.path.lexists(path):
        return False
    try:
        with open(path, encoding="utf-8") as file:
            return file.read(len(MARK)) == MARK
    except (OSError, UnicodeDecodeError):
        return False


def text(project: Project | None) -> str:
    """Returns what the file is to say. `project`: open for reading; None: there is no memory yet."""
    if project is None:
        return MARK + NOTHING
    from memcli.turns import turn

    made = turn.plan(project, turn.Ask("file", form="prompt", anew=True))
    return MARK + (NOTHING if made.is_empty else made.text)


def refresh(root: str) -> bool:
    """Writes the file again where it stands and would say something else. Returns whether it did; what fails is tried again."""
    if not stands(root):
        return False
    from memcli.errors import MemError
    from memcli.project import Where, open_for_reading

    try:
        project = open_for_reading(Where(root))
        try:
            now = text(project)
        finally:
            project.close()
        return write(root, now)
    except (MemError, OSError):
        return False  # the next change tries again


def write(root: str, now: str) -> bool:
    """Makes the file say something, all of it at once. Returns whether that is new. Raises OSError."""
    path = os.path.join(root, FILE)
    try:
        with open(path, encoding="utf-8", newline="") as file:
            if file.read() == now:
                return False
    except (OSError, UnicodeDecodeError):
        pass
    aside = f"{path}.{os.getpid()}.tmp"
    with open(aside, "x", encoding="utf-8", newline="") as file:
        file.write(now)
    os.replace(aside, path)
    return True
