"""Meaning beside words: the cosine of question and memory as one more feature of the score.

The measured recipe (docs/retrieval.md): a normalised lexical score plus a weighted cosine, over what words found and what is
nearest in meaning. Ranks are not fused: with one strong and one weak ranking that loses more than it brings.
"""

from __future__ import annotations

from memcli.models import embedders
from memcli.models.embedders import Unavailable
from memcli.recall.relevance import MIN_COSINE, Scored, rank
from memcli.records import Record, replace
from memcli.store import vectors

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from memcli.project import Project
    from memcli.recall.relevance import Ranked
    from memcli.store.db import Connection
    from memcli.store.search import Filter

NEAREST = 50  # memories that are candidates by their meaning alone
NEAREST_CHUNKS = 4


class QueryVector(Record):
    """A question as a vector of a model."""

    model: str
    vector: bytes


def encode_query(project: Project, question: str) -> QueryVector:
    """Encodes a question. Raises Unavailable where that cannot be, or where there is nothing to compare it with."""
    model = embedders.model_of(project.config)
    dimensions = max([vectors.dimensions(db, model) for db, _ in _stores(project)])
    if not dimensions:
        raise Unavailable(f"nothing is encoded by {model} yet", "run mem embed")
    vector = encoded(project, [question])[0]
    if len(vector) != dimensions:
        raise Unavailable(
            f"{model} gave {len(vector)} dimensions, and {dimensions} before", "is embed.model still the same model?"
        )
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
    """Adds the weighted cosine to the score of each match, and what is nearest in meaning to the matches; best first.

    A match that is not encoded yet gets the mean of the others: not knowing is neither for it nor against it.
    """
    matches = list(ranked)
    cosines: dict[str, float] = {}
    for db, from_user in _stores(project):
        ids = [match.hit.id for match in ranked if match.from_user == from_user]
        nearest = vectors.nearest(db, vectors.MEMORY, meaning.model, meaning.vector, NEAREST)
        close = {memory_id: cosine for memory_id, cosine in nearest if cosine >= MIN_COSINE}
        cosines |= close | vectors.cosines(db, vectors.MEMORY, meaning.model, meaning.vector, ids)
        hits = vectors.hits(db, [memory_id for memory_id in close if memory_id not in ids], only)
        matches += rank([Scored(hit, from_user, 0.0) for hit in hits], terms, project.config, project.now)
    encoded = [cosines[match.hit.id] for match in matches if match.hit.id in cosines]
    mean = sum(encoded) / len(encoded) if encoded else 0.0
    weight = project.config["rank.semantic"]
    blended = []
    for match in matches:
        share = weight * cosines.get(match.hit.id, mean)
        blended.append(replace(match, shares=match.shares | {"semantic": share}, score=match.score + share))
    return sorted(blended, key=lambda match: match.order)


def with_near_chunks(project: Project, meaning: QueryVector, numbers: Sequence[int], only: Filter | None = None) -> list[int]:
    """Returns chunks by their row numbers: those that words matched, then those that are near in meaning only.

    `only`: the tree that must hold them.
    """
    nearest = vectors.nearest(project.db, vectors.CHUNK, meaning.model, meaning.vector, NEAREST_CHUNKS)
    close = [chunk_id for chunk_id, cosine in nearest if cosine >= MIN_COSINE]
    number_of = vectors.chunk_numbers(project.db, close, only)
    return list(dict.fromkeys([*numbers, *[number_of[chunk_id] for chunk_id in close if chunk_id in number_of]]))


def _stores(project: Project) -> list[tuple[Connection, bool]]:
    """Returns the stores of a project, and whether each is the person's own."""
    own = [] if project.user_db is None else [(project.user_db, True)]
    return [(project.db, project.is_user), *own]
