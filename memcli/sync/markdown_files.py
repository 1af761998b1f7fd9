"""An export for people and other tools: the profile, a file of notes per day, a file of memories per thread.

The profile and the notes are in PicoClaw's form; `sources/picoclaw.py` reads all of it back.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence

from memcli import system
from memcli.errors import InvalidInput
from memcli.memory import labels
from memcli.project import Project
from memcli.store import context, memories
from memcli.store.context import Note, ProfileEntry
from memcli.store.memories import Memory
from memcli.sync import exported
from memcli.sync.sources.picoclaw import PROFILE_HEADING, escaped
from memcli.sync.sources.thread_files import FOLDER, MARK, section
from memcli.text import bounded, dates, files, ids, json

_INDEX = "MEMORY.md"
_PAGE = 500
_READABLE = 40  # characters of a thread's name in the name of its file


def texts(project: Project) -> Iterator[tuple[str, str]]:
    """Yields (path, text) of each file."""
    entries = context.leading_entries(project.db)
    if entries:
        yield "profile.json", _profile(entries)
    lines = [f"- **{entry.key}**: {_indented(entry.value)}" for entry in entries]
    profile = [f"## {PROFILE_HEADING}", "", *lines, ""] if lines else []
    yield _INDEX, "\n".join([MARK, "# Memory", "", *profile])
    for day, notes in _by_day(project).items():
        name = day.replace("-", "")
        yield f"{name[:6]}/{name}.md", f"# {day}\n" + "".join([_note(note) for note in notes])
    for thread, members in _by_thread(project).items():
        parts = [section(exported(project, memory), _facts(memory)) for memory in members]
        yield f"{FOLDER}/{_file_name(thread)}.md", "".join([f"# {thread}\n", *parts])


def _profile(entries: Sequence[ProfileEntry]) -> str:
    """Returns the profile as PicoClaw writes it: one entry per line, for editors and version control."""
    lines = [f"  {json.canonical(entry.key)}: {json.canonical(entry.value)}" for entry in entries]
    return "{\n" + ",\n".join(lines) + "\n}\n"


def write(project: Project, folder: str) -> int:
    """Writes the files into a directory, each atomically, and returns how many. Raises InvalidInput.

    If the directory holds anything else, nothing is written: a workspace of PicoClaw has files of the same names.
    """
    count = 0
    system.keep_private()  # what is new is the person's alone
    try:
        os.makedirs(folder, exist_ok=True)
        if os.listdir(folder) and not _is_ours(os.path.join(folder, _INDEX)):
            raise InvalidInput(f"{folder} holds files of somebody else", "give a new directory, or one that mem export wrote")
        for name, text in texts(project):
            path = os.path.join(folder, name)
            if bounded.is_linked(folder, name):
                raise InvalidInput(f"{path} is a link, or lies behind one", "give a new directory")
            os.makedirs(os.path.dirname(path), exist_ok=True)
            files.write(path, text)
            count += 1
    except OSError as problem:
        reason = (problem.strerror or "").lower()
        raise InvalidInput(f"{folder} cannot be written: {reason}", "check the path and its permissions") from None
    return count


def _is_ours(path: str) -> bool:
    return (bounded.read(path, 1 << 20) or b"").startswith(MARK.encode())


def _by_day(project: Project) -> dict[str, list[Note]]:
    days: dict[str, list[Note]] = {}
    for note in context.notes_between(project.db, "", "~"):
        days.setdefault(dates.local(note.created_at)[:10], []).append(note)
    return dict(sorted(days.items()))


def _note(note: Note) -> str:
    return f"\n## {dates.local(note.created_at)[11:16]} <!-- {note.id} -->\n\n{escaped(note.text)}\n"


def _by_thread(project: Project) -> dict[str, list[Memory]]:
    threads: dict[str, list[Memory]] = {}
    after = 0
    while page := memories.everything(project.db, after, _PAGE):
        for memory in page:
            threads.setdefault(memory.thread, []).append(memory)
        after = page[-1].n
    return threads


def _facts(memory: Memory) -> str:
    facts = [memory.id, memory.kind, dates.day(memory.created_at), *labels(memory.tags)]
    facts += [f"commit {memory.anchor[:12]}"] if memory.anchor else []
    facts += [f"superseded by {memory.superseded_by}"] if memory.superseded_by else []
    return " · ".join(facts)


def _file_name(thread: str) -> str:
    """Returns the name of a thread's file, with a digest if the thread's name is not a valid one."""
    plain = "".join([char if char.isascii() and char.isalnum() else "-" for char in thread.lower()]).strip("-")[:_READABLE]
    return plain if plain == thread else f"{plain}-{ids.of_text('T', thread)[2:]}".strip("-").lower()


def _indented(value: str) -> str:
    return value.replace("\n", "\n  ")
