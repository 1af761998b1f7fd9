"""The files that tell agents about the memory: written once, and never over a person's text."""

from __future__ import annotations

import os
from collections.abc import Sequence

from memcli import system
from memcli.errors import MemError
from memcli.records import Record
from memcli.text import bounded

MEMORY = ".mempack/MEMORY.md"
AGENTS = "AGENTS.md"
STUBS = {"agents": AGENTS, "claude": "CLAUDE.md", "gemini": "GEMINI.md"}


class InstructionFile(Record):
    """A file of instructions: its path relative to the repository's root, and whether this call created it."""

    path: str
    created: bool


def template(name: str) -> str:
    """Returns the text of a template: MEMORY.md or AGENTS.md."""
    with open(os.path.join(os.path.dirname(__file__), "templates", name), encoding="utf-8") as file:
        return file.read()


def write(root: str, stubs: Sequence[str]) -> list[InstructionFile]:
    """Writes MEMORY.md and the requested stubs (keys of STUBS) below `root`, without touching existing files.

    If AGENTS.md is a person's own, its stub goes to .mempack/AGENTS.md instead. Raises MemError if nothing can be written.
    """
    written = [_write(root, MEMORY, template("MEMORY.md"))]
    for stub in stubs:
        name = STUBS[stub]
        text = template("AGENTS.md")
        if stub == "agents" and os.path.lexists(os.path.join(root, name)) and not _is_ours(root, name, text):
            name = os.path.join(".mempack", AGENTS)
        written.append(_write(root, name, text))
    return written


def _is_ours(root: str, name: str, text: str) -> bool:
    """Tells whether a file is the template, unchanged."""
    return not bounded.leads_out(root, name) and bounded.read(os.path.join(root, name), len(text.encode())) == text.encode()


def _write(root: str, name: str, text: str) -> InstructionFile:
    """Creates one file, unless there is one. Raises MemError."""
    path = os.path.join(root, name)
    folder = os.path.dirname(path)
    if os.path.islink(folder) and folder != root:
        raise MemError(f"{os.path.dirname(name)} is a symbolic link", "make it a directory of the repository, or use --no-agents")
    try:
        if not os.path.isdir(folder):
            os.makedirs(folder)
            os.chmod(folder, 0o755)  # committed directories are for everybody, whatever the store's umask
        handle = os.open(path, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o644)
    except FileExistsError:
        return InstructionFile(name, False)
    except OSError as problem:
        raise MemError(
            f"{name} cannot be written: {(problem.strerror or '').lower()}", "make the directory writable, or use --no-agents"
        ) from None
    with open(handle, "w", encoding="utf-8") as file:
        system.set_mode(handle, 0o644)
        file.write(text)
    return InstructionFile(name, True)
