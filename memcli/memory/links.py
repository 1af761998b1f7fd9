"""Links of a memory: to other memories, a chunk or a web address, and to files with the hash of their content at that time."""

from __future__ import annotations

import os

from memcli.errors import Call, InvalidInput, NotFound, Option
from memcli.memory import find_chunk, find_memory
from memcli.memory.commit import commit, masked_text
from memcli.store import graph
from memcli.store.oplog import Change
from memcli.text.terminal import is_storable, oneline

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from memcli.errors import Hint
    from memcli.project import Project
    from memcli.store.graph import Link

FILE, MENTION = "file", "mention"  # relations: a file that was named by --file, one that the text names
_MAX_MENTIONS = 8  # files of one text
_MAX_CANDIDATES = 64  # words of one text that look like a path
_MAX_PATH = 200  # characters of a path in a text
_AROUND = "()[]{}<>\"'`,;:!?*"  # what stands around a path in a sentence
_ANEW: Hint = ("replace the memory with one that names the file: ", Call("add", "TITLE", file="PATH"))
_COMMANDS: dict[str, Hint] = {
    "supersedes": (Call("supersede", "OLD", by="NEW"), ": NEW takes the place of OLD"),
    FILE: _ANEW,
    MENTION: _ANEW,
}
RESERVED = tuple(_COMMANDS)
_SCHEMES = ("https", "http")  # of addresses that a memory may be linked to: no script, no file of one machine


def make(project: Project, planned: tuple[str, str, str], actor: str) -> tuple[Link, bool]:
    """Makes a link of a relation between two ends. Returns (the link, whether it is new). Raises InvalidInput for a cycle."""
    rel, source, target = planned
    created = True

    def decide() -> list[Change]:
        nonlocal created
        if existing(project, rel, source, target):
            created = False
            return []
        _check_cycle(project, rel, source, target)
        return [Change("link", source, {"rel": rel, "to": target, "on": True})]

    commit(project, decide, actor)
    link = existing(project, rel, source, target)
    assert link is not None
    return link, created


def existing(project: Project, rel: str, source: str, target: str) -> Link | None:
    """Returns the link of a relation between two ends, or None."""
    links = graph.links_from(project.db, source)
    return next((link for link in links if link.to_id == target and link.rel == rel), None)


def ends(project: Project, from_ref: str, relation: str, to_ref: str) -> tuple[str, str, str]:
    """Returns a link's relation, and the ids that it leads from and to. Raises NotFound, or InvalidInput for a cycle."""
    rel = check_relation(relation)
    source = find_memory(project, from_ref).id
    if "://" in to_ref:
        if to_ref.partition("://")[0].lower() not in _SCHEMES:
            raise InvalidInput("not a web address", f"give one that begins with {' or '.join(_SCHEMES)}://")
        target = masked_text(project, to_ref)
    else:
        target = (find_chunk(project, to_ref) or find_memory(project, to_ref)).id
    if target == source:
        raise InvalidInput("a memory cannot be linked to itself", "give another memory", "cycle")
    _check_cycle(project, rel, source, target)
    return rel, source, target


def _check_cycle(project: Project, rel: str, source: str, target: str) -> None:
    """Raises InvalidInput for a link that would close a cycle."""
    if _reaches(project, target, rel, source):
        raise InvalidInput(
            f"{target} already leads to {source} by {rel}: the link would close a circle", "link the other way", "cycle"
        )


def check_relation(relation: str) -> str:
    """Returns a relation's name: lower case, `_` for spaces. Raises InvalidInput."""
    name = "_".join(relation.lower().split())
    plain = name.replace("_", "").replace("-", "").replace(":", "")
    if not plain or not (plain.isascii() and plain.isalnum()) or len(name) > 64:
        raise InvalidInput(
            f"not a relation: {oneline(relation)[:80]!r}", "use letters, digits, _ - and :, at most 64, such as depends_on"
        )
    if name in RESERVED:
        raise InvalidInput(f"{name} is made by its own command", _COMMANDS[name])
    return name


def _reaches(project: Project, start: str, rel: str, goal: str) -> bool:
    """Tells whether links of one relation lead from `start` to `goal`."""
    reached = {start}
    pending = [start]
    while pending:
        for link in graph.links_from(project.db, pending.pop()):
            if link.rel == rel and link.to_id == goal:
                return True
            if link.rel == rel and link.to_id not in reached:
                reached.add(link.to_id)
                pending.append(link.to_id)
    return False


def file_links(project: Project, memory_id: str, paths: Sequence[str]) -> list[Change]:
    """Returns the links from a memory to files, given relative to the repository's root or as absolute paths.

    Raises NotFound or InvalidInput.
    """
    full_paths = dict.fromkeys([os.path.join(project.root, path) for path in paths])
    return [file_link(memory_id, FILE, inside(project, path), digest(path, project.root)) for path in full_paths]


def file_link(memory_id: str, rel: str, path: str, fingerprint: str) -> Change:
    """Returns the change that links a memory to a file with its current content."""
    return Change("link", memory_id, {"rel": rel, "to": path, "on": True, "hash": fingerprint})


def mentions(project: Project, memory_id: str, texts: Sequence[str], linked: Iterable[str] = ()) -> list[Change]:
    """Returns links to a few of the repository's files that texts name, without those `linked` already. Never raises."""
    if not project.root or project.is_user:
        return []
    words = [word for text in texts if "/" in text or "." in text for word in text.split() if "/" in word or "." in word]
    paths = dict.fromkeys([path for word in words if (path := _path_in(word))])
    targets = set(linked)
    changes: list[Change] = []
    for path in list(paths)[:_MAX_CANDIDATES]:
        name, fingerprint = _path_and_digest(project, path)
        if fingerprint and name not in targets and len(changes) < _MAX_MENTIONS:
            targets.add(name)
            changes.append(file_link(memory_id, MENTION, name, fingerprint))
    return changes


def _path_in(word: str) -> str:
    """Returns the path that a word of a text may be (it has a slash, or a dot and an ending), or ""."""
    path = word.strip(_AROUND).rstrip(".").partition("#")[0]
    head, colon, number = path.rpartition(":")
    while colon and number.replace("-", "").isdigit():  # src/a.py:12:4
        path = head
        head, colon, number = path.rpartition(":")
    stem, dot, ending = path.rpartition(".")
    looks = "/" in path or (dot and stem and ending.isalnum() and len(ending) <= 10)
    odd = ":" in path or path.startswith(("/", "~")) or not path.isprintable() or len(path) > _MAX_PATH
    return path if looks and not odd else ""


def _path_and_digest(project: Project, path: str) -> tuple[str, str | None]:
    """Returns a file's path from the repository's root and the digest of its content; None if the repository has no such file."""
    from memcli.repo import worktree

    full = worktree.place(project.root, path) if project.root else None
    try:
        fingerprint = worktree.fingerprint(full) if full else None
    except OSError:
        fingerprint = None
    return (os.path.relpath(full, os.path.realpath(project.root)).replace(os.sep, "/") if full else path), fingerprint


def renewed(project: Project, memory_id: str, links: Sequence[Link]) -> list[Change]:
    """Returns the changes that bring a memory's links to files up to date; links to files that are gone are removed."""
    changes = []
    for link in links:
        if link.rel in (FILE, MENTION):
            _, fingerprint = _path_and_digest(project, link.to_id)
            if fingerprint is None:
                changes.append(Change("link", memory_id, {"rel": link.rel, "to": link.to_id, "on": False}))
            elif fingerprint != link.hash:
                changes.append(file_link(memory_id, link.rel, link.to_id, fingerprint))
    return changes


def inherited(project: Project, memory_id: str, links: Sequence[Link]) -> list[Change]:
    """Returns the links that a memory inherits from the one it replaces, to files as they are now."""
    files = [(link, _path_and_digest(project, link.to_id)[1]) for link in links if link.rel == FILE]
    return [file_link(memory_id, FILE, link.to_id, fingerprint) for link, fingerprint in files if fingerprint]


def inside(project: Project, path: str) -> str:
    """Returns `path` relative to the repository's root. Raises InvalidInput for one outside it."""
    if not is_storable(path):
        raise InvalidInput("a file's path has a NUL or half a surrogate pair", "give the path of an existing file")
    full = os.path.realpath(path)
    if not project.root:
        raise InvalidInput("this memory belongs to no directory", ("leave out ", Option("files")))
    top = os.path.realpath(project.root)
    if os.path.commonpath([full, top]) != top:
        raise InvalidInput(f"{path} is outside the repository", f"give a file below {top}")
    return os.path.relpath(full, top).replace(os.sep, "/")


def digest(path: str, root: str) -> str:
    """Returns the digest of a file's content. Raises NotFound or InvalidInput."""
    from memcli.repo import worktree

    try:
        fingerprint = worktree.fingerprint(os.path.realpath(path)) if os.path.isfile(path) else None
    except OSError as problem:
        raise InvalidInput(
            f"{_readable_path(path, root)} cannot be read: {(problem.strerror or '').lower()}", "check its permissions"
        ) from None
    if fingerprint is None:
        raise NotFound(f"no file {_readable_path(path, root)}", "give the path of an existing file")
    return fingerprint


def _readable_path(path: str, root: str) -> str:
    """Returns a path for a message: relative to the repository's root if it is inside."""
    return os.path.relpath(path, root) if path.startswith(root + os.sep) else path
