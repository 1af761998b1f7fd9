"""What could answer a question: matching memories of the repository and of the person, and matching chunks."""

from __future__ import annotations

from memcli.records import record
from memcli.store import search

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from memcli.project import Project
    from memcli.store.search import ChunkHit, Filter, Hit

CHUNKS = 40  # chunks that are looked at; a pack prints a handful


@record
class Candidate:
    """A memory that matches, and whether it comes from the person's own store."""

    hit: Hit
    from_user: bool


def memories(project: Project, terms: Sequence[str], limit: int, only: Filter | None = None) -> list[Candidate]:
    """Returns up to `limit` matching memories of each store."""
    config = project.config
    weights = [config[f"rank.{column}"] for column in ("title", "summary", "tags", "entities", "words")]
    found = [Candidate(hit, project.is_user) for hit in search.memories(project.db, terms, weights, limit, only)]
    if project.user_db is not None:
        found += [Candidate(hit, True) for hit in search.memories(project.user_db, terms, weights, limit, only)]
    return found


def chunks(project: Project, terms: Sequence[str]) -> list[ChunkHit]:
    """Returns matching chunks, best first."""
    config = project.config
    weights = [*[config[f"rank.chunk_{column}"] for column in ("locator", "text", "tags")], config["rank.words"]]
    found = search.chunks(project.db, terms, weights, CHUNKS)
    return sorted(found, key=lambda hit: hit.suspicious)
