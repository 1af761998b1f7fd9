"""Links between memories, and from a memory to a chunk or a web address."""

from __future__ import annotations

from memcli.errors import Call, InvalidInput
from memcli.memory import lookup, screen
from memcli.memory.commit import commit
from memcli.store import graph
from memcli.store.oplog import Change
from memcli.text.terminal import oneline

TYPE_CHECKING = False
if TYPE_CHECKING:
    from memcli.project import Project
    from memcli.store.graph import Link

RESERVED = ("supersedes", "file", "mention")


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
        target = screen.text(project, to_ref)
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
