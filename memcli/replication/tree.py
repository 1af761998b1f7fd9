"""Shared memories as files of the repository, for those who want to review them: one readable file each, named by its id.

    .mempack/memories/M-9MQB26FTWX.md

A file begins with its fields between two lines of `---`, one a line, each value JSON, which YAML reads, too; the summary follows.
Two people who add memories add different files. What was edited in a file is taken in; what is only older than the store is not.
"""

from __future__ import annotations

import os
import re
from pathlib import Path
from typing import Any

from memcli.errors import InvalidInput
from memcli.memory import FIELDS, check, entries
from memcli.memory.commit import commit
from memcli.memory.projection import fold
from memcli.project import Project
from memcli.records import Record
from memcli.replication import sharing, wire
from memcli.store import memories, oplog, rehearsal, replication
from memcli.store.oplog import Change
from memcli.text import bounded, dates, files, ids, json
from memcli.text.terminal import is_storable

FOLDER = os.path.join(".mempack", "memories")
_ACTOR = "import"
_FENCE = "---"
_MARKERS = ("<<<<<<< ", ">>>>>>> ")
_NAME = re.compile(rf"(M-[{ids.ALPHABET}]{{{ids.LENGTH}}})\.md\Z")
_LARGEST = 1 << 18  # bytes of one file
_MOST = 100_000  # files
_HASH = re.compile(r"[0-9a-f]{40}(?:[0-9a-f]{24})?\Z")
_HEADER = tuple([name for name in FIELDS if name != "summary"])


class TreeExport(Record):
    """What an export to the working tree did: files written, files that said the same already, files taken away.

    `left`: (file, why) of each that was left as it is.
    """

    folder: str
    written: int
    unchanged: int
    removed: int
    left: list[tuple[str, str]]


class TreeImport(Record):
    """What an import from the working tree did. `refused`: (file, why) of each that is none of ours."""

    imported: int
    updated: int
    unchanged: int
    refused: list[tuple[str, str]]


def export(project: Project) -> TreeExport:
    """Writes each shared memory that is not forgotten to a file, and takes away the files of those that are.

    A file that says what an import would take in, or that a merge left undecided, stays as it is. Raises InvalidInput outside of
    a repository, and where the directory is a link.
    """
    folder = _folder(project)
    with rehearsal(project.db):
        sharing.apply_rules(project)
        shared = replication.shared_objects(project.db)
    counts, left = {"written": 0, "unchanged": 0, "removed": 0}, []
    for name in [name for name in shared if name.startswith("M-")]:
        path = folder / f"{name}.md"
        text = _text_of(project, name)
        before = bounded.read(str(path), _LARGEST)
        if text is None:
            counts["removed"] += path.exists()
            path.unlink(missing_ok=True)
        elif before == text.encode():
            counts["unchanged"] += 1
        elif before is not None and (reason := _unimported(project, name, str(path))):
            left.append((path.name, reason))
        else:
            folder.mkdir(parents=True, exist_ok=True)
            files.write(str(path), text)
            counts["written"] += 1
    return TreeExport(FOLDER, **counts, left=left)


def _unimported(project: Project, memory_id: str, path: str) -> str:
    """Returns why the file of a memory is not to be overwritten; "" for one that says only what the store had once."""
    try:
        fields = parsed(_content(path), memory_id)
    except InvalidInput as problem:
        return problem.message
    is_edited = _changes(project, memory_id, fields, {"updated": 0, "unchanged": 0})
    return f"it has edits that were not imported; mem import {FOLDER}" if is_edited else ""


def _folder(project: Project) -> Path:
    if not project.root:
        raise InvalidInput("outside a repository there is no working tree", "go into one, or name one with --repo")
    folder = Path(project.root) / FOLDER
    for path in (folder.parent, folder):
        if path.is_symlink() or (path.exists() and not path.is_dir()):
            raise InvalidInput(f"{path.relative_to(project.root)} is not a directory", "move it away; nothing was written")
    return folder


def _text_of(project: Project, memory_id: str) -> str | None:
    """Returns the file of a memory, None for one that is forgotten."""
    memory = memories.find(project.db, memory_id)
    if memory is None or memory.forgotten:
        return None
    folded, portable = fold(oplog.of_object(project.db, memory_id)), wire.Portable(project.root)
    fields = {"id": memory_id, **{name: portable.value(folded.fields.get(name)) for name in _HEADER}}
    fields["created"] = dates.iso(memory.created_at)
    fields["anchor"] = ids.anchor_commit(memory.anchor)
    fields["superseded_by"] = memory.superseded_by
    lines = [f"{name}: {_encoded(value)}" for name, value in fields.items() if value not in (None, [], "")]
    return "\n".join([_FENCE, *lines, _FENCE, "", portable.text(memory.summary).rstrip("\n"), ""])


def _encoded(value: Any) -> str:
    return json.canonical(value).replace('","', '", "') if isinstance(value, list) else json.canonical(value)


def is_ours(path: str) -> bool:
    """Tells whether a directory has files of memories."""
    try:
        return any(_NAME.match(entry.name) for entry in os.scandir(path))
    except OSError:
        return False


def load(project: Project, path: str) -> TreeImport:
    """Takes in the files of a directory in one command. What is no file of ours is left out with its reason."""
    sources, refused = [], []
    for name in sorted(os.listdir(path))[:_MOST]:
        match = _NAME.match(name)
        if match is None and name.endswith(".md"):
            refused.append((name, "not named after a memory, M-….md; store what it says with mem add"))
        if match:
            try:
                sources.append((match[1], parsed(_content(os.path.join(path, name)), match[1])))
            except InvalidInput as problem:
                refused.append((name, problem.message))
    counts = {"imported": 0, "updated": 0, "unchanged": 0}
    unshared = replication.kept_here(project.db, [memory_id for memory_id, _ in sources])
    refused += [
        (f"{memory_id}.md", f"you did not share that memory; mem share {memory_id} first") for memory_id in sorted(unshared)
    ]
    kept = replication.stopped_objects(project.db) & {memory_id for memory_id, _ in sources}
    refused += [(f"{name}.md", f"you keep changes of that memory here; mem share {name} first") for name in sorted(kept)]
    sources = [(memory_id, fields) for memory_id, fields in sources if memory_id not in unshared | kept]

    def decide() -> list[Change]:
        changes = [change for memory_id, fields in sources for change in _changes(project, memory_id, fields, counts)]
        threads = dict.fromkeys([change.body["thread"] for change in changes if change.kind == "put" and "thread" in change.body])
        return [change for thread in threads for change in entries.thread_change(project, thread)] + changes

    commit(project, decide, _ACTOR)
    sharing.share(project, [memory_id for memory_id, _ in sources])
    return TreeImport(**counts, refused=refused)


def _content(path: str) -> str:
    data = bounded.read(path, _LARGEST) if not os.path.islink(path) else None
    if data is None:
        raise InvalidInput(f"not a regular file of at most {_LARGEST:,} bytes", "")
    try:
        return data.decode()
    except UnicodeDecodeError:
        raise InvalidInput("not UTF-8", "") from None


def parsed(text: str, memory_id: str) -> dict[str, Any]:
    """Returns the fields in the text of a memory's file. Raises InvalidInput for what is none."""
    lines = text.replace("\r\n", "\n").split("\n")
    if lines[:1] != [_FENCE] or _FENCE not in lines[1:]:
        raise InvalidInput("it does not begin with fields between two lines of ---", "")
    if any(line.startswith(_MARKERS) for line in lines):
        raise InvalidInput("it has the markers of a merge conflict", "")
    end = lines.index(_FENCE, 1)
    values = dict([_pair(line) for line in lines[1:end] if line.strip()])
    if values.get("id") != memory_id:
        raise InvalidInput("its id is not that of its name", "")
    values["summary"] = "\n".join(lines[end + 1 :]).strip("\n")
    return _checked(values)


def _pair(line: str) -> tuple[str, Any]:
    name, mark, value = line.partition(":")
    if not mark:
        raise InvalidInput(f"a line of its fields has no colon: {line[:40]!r}", "")
    try:
        return name.strip(), json.loads(value.strip())
    except json.Malformed:
        return name.strip(), value.strip()  # a person may leave the quotation marks out


def _checked(values: dict[str, Any]) -> dict[str, Any]:
    """Returns the fields as they are stored. Raises InvalidInput."""
    fields: dict[str, Any] = {}
    for name, field in FIELDS.items():
        value = values.get(name, [] if field.kind == "labels" else None if name != "thread" else "general")
        if field.kind == "labels" and not (isinstance(value, list) and all(isinstance(item, str) for item in value)):
            raise InvalidInput(f"{name} is not a list of words", "")
        if value is None and field.kind in ("name", "text") and name in ("title", "summary"):
            raise InvalidInput(f"it has no {name}", "")
        if value is not None and field.kind in ("name", "text") and not isinstance(value, str):
            raise InvalidInput(f"{name} is not text", "")
        fields[name] = value if value is None else check(name, value)
    fields = {name: value for name, value in fields.items() if value is not None}
    anchor, created = values.get("anchor"), values.get("created")
    fields["anchor"] = anchor if isinstance(anchor, str) and _HASH.match(anchor) else None
    fields["created"] = dates.parse(created) if isinstance(created, str) and is_storable(created) else 0
    return fields


def _changes(project: Project, memory_id: str, fields: dict[str, Any], counts: dict[str, int]) -> list[Change]:
    """Returns what a file changes: all of a memory that is not here; of others the fields that it never had here."""
    operations = oplog.of_object(project.db, memory_id)
    if not operations:
        counts["imported"] += 1
        created = min(fields["created"] or project.now, project.now)
        return [Change("put", memory_id, {**fields, "created": created})]
    portable, current = wire.Portable(project.root), fold(operations)
    earlier = [portable.value(fold(operations[:end], withdrawn=True).fields) for end in range(1, len(operations) + 1)]
    edited = {
        name: value
        for name, value in fields.items()
        if name in FIELDS and not any(_is_same(state.get(name), value) for state in earlier)
    }
    if not edited or current.first is None or current.forgotten:
        counts["unchanged"] += 1
        return []
    counts["updated"] += 1
    return [Change("put", memory_id, edited)]


def _is_same(stored: Any, value: Any) -> bool:
    """Tells whether a file says what is stored; it has no empty lines at the end of a summary."""
    return bool(stored == value or (isinstance(stored, str) and stored.rstrip("\n") == value))


def merged(base: str, ours: str, theirs: str) -> tuple[str, bool]:
    """Returns the file that has what both sides changed of a memory's file, and whether they changed one field differently.

    Such a field stands there twice, between the markers of git, for a person to choose. Raises InvalidInput.
    """
    sides = [_raw(text) for text in (base, ours, theirs)]
    lines: dict[str, str] = {}
    is_contested = False
    for name in dict.fromkeys([name for side in (sides[1], sides[2], sides[0]) for name in side]):
        before, mine, other = [_line(name, side.get(name)) for side in sides]
        if mine == other or other == before:
            lines[name] = mine
        elif mine == before:
            lines[name] = other
        else:
            lines[name] = f"<<<<<<< ours\n{mine}=======\n{other}>>>>>>> theirs\n"
            is_contested = True
    header = "".join([line for name, line in lines.items() if name])
    return f"{_FENCE}\n{header}{_FENCE}\n\n{lines.get('', '')}", is_contested


def _line(name: str, value: str | None) -> str:
    return "" if value is None else f"{name}: {value}\n" if name else f"{value}\n"


def _raw(text: str) -> dict[str, str]:
    """Returns the fields of a file as they stand in it; the summary has no name. Raises InvalidInput."""
    if not text.strip():
        return {}
    lines = text.replace("\r\n", "\n").split("\n")
    if lines[:1] != [_FENCE] or _FENCE not in lines[1:]:
        raise InvalidInput("not the file of a memory", "merge it by hand")
    end = lines.index(_FENCE, 1)
    fields = [line.partition(":") for line in lines[1:end] if ":" in line]
    return {name.strip(): value.strip() for name, _, value in fields} | {"": "\n".join(lines[end + 1 :]).strip("\n")}
