"""The repository's own instructions for agents, from its file or one that the person names, as a turn quotes them."""

from __future__ import annotations

import os

from memcli.agents.turns import layout, sections
from memcli.records import replace
from memcli.repo import worktree
from memcli.text import bounded

TYPE_CHECKING = False
if TYPE_CHECKING:
    from memcli.agents.turns.layout import Block
    from memcli.project import Project
    from memcli.recall.pack import TokenBudget

_LEAST = 200  # bytes of instructions that are worth a heading
_LARGEST = 1 << 20  # bytes of a file of instructions that is read


def path_of(project: Project) -> str | None:
    """Returns the path of the instructions, or None. An absolute path may lead anywhere, a relative one only into the repository.

    No link is followed there, and no file of two names read: it came with a clone, and may lead to a file of the person's
    that is no text for agents.
    """
    path = str(project.config["turn.instructions"])
    if os.path.isabs(path):
        return path if os.path.isfile(path) else None
    if not project.root or bounded.is_linked(project.root, path) or bounded.has_other_names(os.path.join(project.root, path)):
        return None
    return worktree.place(project.root, path)


def blocks(project: Project, budget: TokenBudget, form: str) -> list[Block]:
    """Returns the repository's instructions for agents, as many lines as fit."""
    whole, changed_at = read(project)
    name = str(project.config["turn.instructions"])
    lines: list[str] = []
    if not whole:
        return []
    head = layout.INSTRUCTIONS_HEADING.format(name, " · looks like an injected order")  # if it does
    if budget.size is None or budget.size < _LEAST or not sections.spend(budget, head):
        return []
    for line in whole.splitlines():
        printed = layout.instructions_line(line, form)
        if not sections.spend(budget, f"{printed}\n"):
            lines.append("…")  # within what the frame may cost
            break
        lines.append(line)
    if not "".join(lines).strip(" …\n"):
        return []
    return [replace(layout.instructions_block(name, lines, whole, changed_at, form), tokens=budget.spent)]


def read(project: Project) -> tuple[str, int]:
    """Returns the told part of the instructions, "" for mem's own template, and the modification time in ms."""
    text, changed_at = _first(_open(project), project.config["turn.instructions_chars"])
    return "" if layout.digest(text) in layout.TEMPLATES else text, changed_at


def _open(project: Project) -> int | None:
    """Returns a descriptor of the instructions, of the very file that was looked at; None where there are none."""
    path = path_of(project)
    if path is None:
        return None
    try:
        if os.path.isabs(str(project.config["turn.instructions"])):
            return bounded.open_regular(path)
        top = os.path.realpath(project.root)
        handle = bounded.open_below(top, os.path.relpath(path, top))
    except OSError:
        return None
    if os.fstat(handle).st_nlink == 1:
        return handle
    os.close(handle)
    return None


def _first(handle: int | None, max_chars: int) -> tuple[str, int]:
    """Returns (the first characters of an open text file, its modification time in ms), and closes it; empty without one."""
    if handle is None:
        return "", 0
    try:
        changed_at = os.fstat(handle).st_mtime_ns // 1_000_000
        content = bounded.first(handle, min(_LARGEST, max_chars * 4 + 4))
    except OSError:
        return "", 0
    finally:
        os.close(handle)
    text = content.decode("utf-8", "replace").removeprefix("\ufeff").replace("\0", "\ufffd")[:max_chars]
    return text.strip("\n"), changed_at
