"""Meaning beside words: the cosine of question and memory as one more feature of the score.

The measured recipe (docs/retrieval.md): a normalised lexical score plus a weighted cosine, over what words found and what is
nearest in meaning. Ranks are not fused: with one strong and one weak ranking that loses more than it brings.
"""

from __future__ import annotations

from memcli.models import embedders
from memcli.models.embedders import Unavailable
from memcli.recall.rank import Scored, rank
from memcli.records import Record, replace
from memcli.store import vectors

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from memcli.project import Project
    from memcli.recall.rank import Ranked
    from memcli.store.db import Connection
    from memcli.store.search import Filter

NEAREST = 50  # memories that are candidates by their meaning alone
NEAREST_CHUNKS = 4
LEAST = 0.2  # cosine from which a meaning is near; unrelated sentences lie about 0 to 0.15


class QueryVector(Record):
    """A question as a vector of a model."""

    model: str
    vector: bytes


def encode_query(project: Project, question: str) -> QueryVector:
    """Encodes a question. Raises Unavailable where that cannot be, or where there is nothing to compare it with."""
    model = embedders.model_of(project.config)
    known = max([vectors.dimensions(db, model) for db, _ in _stores(project)])
    if not known:
        raise Unavailable(f"nothing is encoded by {model} yet", "run mem embed")
    vector = encoded(project, [question])[0]
    if len(vector) != known:
        raise Unavailable(f"{model} gave {len(vector)} dimensions, and {known} before", "is embed.model still the same model?")
    return QueryVector(model, vector)


def encoded(project: Project, texts: Sequence[str]) -> list[bytes]:
    """Returns a vector for each text, as it is kept. Raises Unavailable, whatever the provider's libraries raise."""
    try:
        return [embedders.packed(vector) for vector in embedders.provider(project.config).encode(texts)]
    except Unavailable:
        raise
    except Exception as problem:
        raise Unavailable(f"the embedding model failed: {type(problem).__name__}", "see mem embed status") from None


def blend(
    project: Project, meaning: QueryVector, terms: Sequence[str], ranked: Sequence[Ranked], only: Filter | None = None
) -> list[Ranked]:
    """Adds the weighted cosine to the score of each candidate, and what is nearest in meaning to the candidates; best first.

    A candidate that is not encoded yet gets the mean of the others: not knowing is neither for it nor against it.
    """
    found = list(ranked)
    near: dict[str, float] = {}
    for db, from_user in _stores(project):
        here = [one.hit.id for one in ranked if one.from_user == from_user]
        nearest = vectors.nearest(db, vectors.MEMORY, meaning.model, meaning.vector, NEAREST)
        close = {name: cosine for name, cosine in nearest if cosine >= LEAST}
        near |= close | vectors.cosines(db, vectors.MEMORY, meaning.model, meaning.vector, here)
        added = vectors.hits(db, [name for name in close if name not in here], only)
        found += rank([Scored(hit, from_user, 0.0) for hit in added], terms, project.config, project.now)
    known = [near[one.hit.id] for one in found if one.hit.id in near]
    unknown = sum(known) / len(known) if known else 0.0
    weight = project.config["rank.semantic"]
    blended = []
    for one in found:
        share = weight * near.get(one.hit.id, unknown)
        blended.append(replace(one, semantic=share, score=one.score + share))
    return sorted(blended, key=lambda one: (-one.score, one.from_user, one.hit.n))


def with_near_chunks(project: Project, meaning: QueryVector, hits: Sequence[int], only: Filter | None = None) -> list[int]:
    """Returns chunks by their row numbers: those that words found, then those that are near in meaning only.

    `only`: the tree that must hold them.
    """
    nearest = vectors.nearest(project.db, vectors.CHUNK, meaning.model, meaning.vector, NEAREST_CHUNKS)
    close = [name for name, cosine in nearest if cosine >= LEAST]
    numbers = vectors.chunk_numbers(project.db, close, only)
    return list(dict.fromkeys([*hits, *[numbers[name] for name in close if name in numbers]]))


def _stores(project: Project) -> list[tuple[Connection, bool]]:
    """Returns the stores of a project, and whether each is the person's own."""
    own = [] if project.user_db is None else [(project.user_db, True)]
    return [(project.db, project.is_user), *own]
