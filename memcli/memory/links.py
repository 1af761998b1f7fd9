"""Links of a memory: to other memories, a chunk or a web address, and to files with the hash of their bytes at that moment."""

from __future__ import annotations

import os

from memcli.errors import Call, InvalidInput, NotFound, Option
from memcli.memory import lookup
from memcli.memory.commit import commit, masked_text
from memcli.store import graph
from memcli.store.oplog import Change
from memcli.text.terminal import is_storable, oneline

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from memcli.project import Project
    from memcli.store.graph import Link

FILE, MENTION = "file", "mention"  # relations: a file that was named by --file, one that the text names
_MOST_MENTIONED = 8  # files of one text
_MOST_LOOKED_AT = 64  # words of one text that look like a path
_LONGEST = 200  # characters of a path in a text
_AROUND = "()[]{}<>\"'`,;:!?*"  # what stands around a path in a sentence
RESERVED = ("supersedes", FILE, MENTION)


def link(project: Project, from_ref: str, relation: str, to_ref: str, actor: str) -> tuple[Link, bool]:
    """Links a memory to another, a chunk or a web address. Returns (the link, whether it is new).

    Raises NotFound, or InvalidInput for a cycle.
    """
    return make(project, ends(project, from_ref, relation, to_ref), actor)


def make(project: Project, planned: tuple[str, str, str], actor: str) -> tuple[Link, bool]:
    """Makes the link of a relation and two ends. Returns (the link, whether it is new). Raises InvalidInput for a cycle."""
    rel, source, target = planned
    created = True

    def decide() -> list[Change]:
        nonlocal created
        if existing(project, rel, source, target):
            created = False
            return []
        _check_circle(project, rel, source, target)
        return [Change("link", source, {"rel": rel, "to": target, "on": True})]

    commit(project, decide, actor)
    link = existing(project, rel, source, target)
    assert link is not None
    return link, created


def existing(project: Project, rel: str, source: str, target: str) -> Link | None:
    """Returns the link of a relation between two ends, None where there is none."""
    links = graph.links_from(project.db, source)
    return next((link for link in links if link.to_id == target and link.rel == rel), None)


def ends(project: Project, from_ref: str, relation: str, to_ref: str) -> tuple[str, str, str]:
    """Returns a link's relation, and the ids that it leads from and to. Raises NotFound, or InvalidInput for a cycle."""
    rel = check_relation(relation)
    source = lookup.find(project, from_ref).id
    if "://" in to_ref:
        target = masked_text(project, to_ref)
    else:
        target = (lookup.find_chunk(project, to_ref) or lookup.find(project, to_ref)).id
    if target == source:
        raise InvalidInput("a memory cannot be linked to itself", "give another memory", "cycle")
    _check_circle(project, rel, source, target)
    return rel, source, target


def _check_circle(project: Project, rel: str, source: str, target: str) -> None:
    """Raises InvalidInput for a link that would close a circle."""
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
        raise InvalidInput(f"{name} is made by its own command", ("use ", Call("supersede"), ", or ", Call("add", files="")))
    return name


def _reaches(project: Project, start: str, rel: str, goal: str) -> bool:
    """True when links of one relation lead from `start` to `goal`."""
    seen = {start}
    waiting = [start]
    while waiting:
        for known in graph.links_from(project.db, waiting.pop()):
            if known.rel == rel and known.to_id == goal:
                return True
            if known.rel == rel and known.to_id not in seen:
                seen.add(known.to_id)
                waiting.append(known.to_id)
    return False


def file_links(project: Project, memory_id: str, paths: Sequence[str]) -> list[Change]:
    """Returns the links from a memory to files, given from the top of the repository or as whole paths.

    Raises NotFound or InvalidInput.
    """
    full_paths = dict.fromkeys([os.path.join(project.root, path) for path in paths])
    return [file_link(memory_id, FILE, inside(project, path), digest(path, project.root)) for path in full_paths]


def file_link(memory_id: str, rel: str, path: str, fingerprint: str) -> Change:
    """Returns the change that links a memory to a file as it is."""
    return Change("link", memory_id, {"rel": rel, "to": path, "on": True, "hash": fingerprint})


def mentions(project: Project, memory_id: str, texts: Sequence[str], known: Iterable[str] = ()) -> list[Change]:
    """Returns links to the files of the repository that texts name, but for those `known` already: a few, and never an error."""
    if not project.root or project.is_user:
        return []
    words = [word for text in texts if "/" in text or "." in text for word in text.split() if "/" in word or "." in word]
    paths = dict.fromkeys([path for word in words if (path := _path_in(word))])
    seen = set(known)
    found: list[Change] = []
    for path in list(paths)[:_MOST_LOOKED_AT]:
        named, fingerprint = _now(project, path)
        if fingerprint and named not in seen and len(found) < _MOST_MENTIONED:
            seen.add(named)
            found.append(file_link(memory_id, MENTION, named, fingerprint))
    return found


def _path_in(word: str) -> str:
    """Returns the path that a word of a text may be: with a slash, or a dot before an ending; "" for none."""
    path = word.strip(_AROUND).rstrip(".").partition("#")[0]
    head, colon, number = path.rpartition(":")
    while colon and number.replace("-", "").isdigit():  # src/a.py:12:4
        path = head
        head, colon, number = path.rpartition(":")
    stem, dot, ending = path.rpartition(".")
    looks = "/" in path or (dot and stem and ending.isalnum() and len(ending) <= 10)
    odd = ":" in path or path.startswith(("/", "~")) or not path.isprintable() or len(path) > _LONGEST
    return path if looks and not odd else ""


def _now(project: Project, path: str) -> tuple[str, str | None]:
    """Returns a file's name from the top of the repository and what is in it; None where no file of the repository is there."""
    from memcli.repo import worktree

    full = worktree.place(project.root, path) if project.root else None
    try:
        fingerprint = worktree.fingerprint(full) if full else None
    except OSError:
        fingerprint = None
    return (os.path.relpath(full, os.path.realpath(project.root)).replace(os.sep, "/") if full else path), fingerprint


def renewed(project: Project, memory_id: str, links: Sequence[Link]) -> list[Change]:
    """Returns the changes that make a memory's links to files say what is in them now; a file that is gone is linked no more."""
    changes = []
    for known in links:
        if known.rel in (FILE, MENTION):
            _, fingerprint = _now(project, known.to_id)
            if fingerprint is None:
                changes.append(Change("link", memory_id, {"rel": known.rel, "to": known.to_id, "on": False}))
            elif fingerprint != known.hash:
                changes.append(file_link(memory_id, known.rel, known.to_id, fingerprint))
    return changes


def inherited(project: Project, memory_id: str, links: Sequence[Link]) -> list[Change]:
    """Returns the links that a memory takes over from the one it replaces, to files as they are now."""
    there = [(known, _now(project, known.to_id)[1]) for known in links if known.rel == FILE]
    return [file_link(memory_id, FILE, known.to_id, fingerprint) for known, fingerprint in there if fingerprint]


def inside(project: Project, path: str) -> str:
    """Returns `path` as it is named from the top of the repository. Raises InvalidInput for one outside it."""
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
    """Returns what tells a file's content from another. Raises NotFound or InvalidInput."""
    from memcli.repo import worktree

    try:
        found = worktree.fingerprint(os.path.realpath(path)) if os.path.isfile(path) else None
    except OSError as problem:
        raise InvalidInput(
            f"{_shown(path, root)} cannot be read: {(problem.strerror or '').lower()}", "check its permissions"
        ) from None
    if found is None:
        raise NotFound(f"no file {_shown(path, root)}", "give the path of an existing file")
    return found


def _shown(path: str, root: str) -> str:
    """Returns a path for a message: from the top of the repository where it is inside."""
    return os.path.relpath(path, root) if path.startswith(root + os.sep) else path
