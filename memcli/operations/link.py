"""link: relate a memory to another, a chunk or a web address."""

from __future__ import annotations

from memcli import fields
from memcli.fields import Based, Result
from memcli.memory import links
from memcli.operations import Operation
from memcli.text import dates

TYPE_CHECKING = False
if TYPE_CHECKING:
    from memcli.project import Project
    from memcli.store.graph import Link


class LinkRequest(Based):
    """The two ends of a link, and how they are related."""

    from_id: str = fields.text("A memory.", max_length=80, metavar="FROM")
    rel: str = fields.text("How they are related, such as depends_on.", max_length=64, metavar="REL")
    to_id: str = fields.text("A memory, a chunk, or a web address.", max_length=2_000, metavar="TO")


class Linked(Result):
    """A link that was made, or existed already."""

    from_id: str
    rel: str
    to_id: str
    weight: int
    created_at: str
    created: bool
    status: str


def plan(project: Project, request: LinkRequest) -> tuple[str, str, str] | Linked:
    """Returns the link's relation and ends, or the result for an existing link. Raises NotFound, or InvalidInput for a cycle."""
    rel, source, target = links.ends(project, request.from_id, request.rel, request.to_id)
    existing = links.existing(project, rel, source, target)
    return _linked(existing, created=False) if existing else (rel, source, target)


def apply(project: Project, planned: tuple[str, str, str], actor: str) -> Linked:
    """Makes the link."""
    return _linked(*links.make(project, planned, actor))


def _linked(link: Link, created: bool) -> Linked:
    status = "linked" if created else "exists"
    return Linked(link.from_id, link.rel, link.to_id, 1, dates.iso(link.created_at), created, status)


OPERATIONS = {
    "link": Operation(
        "link",
        "Link a memory to another, a chunk or a web address.",
        LinkRequest,
        Linked,
        plan,
        apply,
        question="Link these memories?",
        repeatable=True,
    )
}
