"""Meaning in addition to words: the cosine of question and memory as one more feature of the score.

The measured recipe (docs/retrieval.md): a normalised lexical score plus a weighted cosine, over what words found and what is
nearest in meaning. Ranks are not fused: with one strong and one weak ranking, fusion loses more than it gains.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING

from memcli import models
from memcli.models import Unavailable
from memcli.project import Project
from memcli.records import Record
from memcli.store import transaction, vectors
from memcli.store.search import Hit
from memcli.store.vectors import EncodableText

if TYPE_CHECKING:  # names that the store has for type checkers only
    from memcli.store import Connection
    from memcli.store.search import Filter

NEAREST = 50  # memories that are candidates by their meaning alone
NEAREST_CHUNKS = 4
_PAGE = 512  # texts that are read at once, and encoded in the order of their lengths: a batch takes as long as its longest


class QueryVector(Record):
    """A question as a vector of a model."""

    model: str
    vector: bytes


def encode_query(project: Project, question: str) -> QueryVector:
    """Encodes a question. Raises Unavailable if it cannot be encoded, or if there is nothing to compare it with."""
    model = models.model_of(project.config)
    dimensions = max([vectors.dimensions(db, model) for db, _ in _stores(project)])
    if not dimensions:
        raise Unavailable(f"nothing is encoded by {model} yet", "run mem embed")
    vector = encode(project, [question])[0]
    if len(vector) != dimensions:
        raise _changed_model(model, len(vector), dimensions)
    return QueryVector(model, vector)


def encode(project: Project, texts: Sequence[str]) -> list[bytes]:
    """Returns a vector for each text, as it is stored. Raises Unavailable for any error of the provider's libraries."""
    try:
        return [models.packed(vector) for vector in models.provider(project.config).encode(texts)]
    except Unavailable:
        raise
    except Exception as problem:
        raise Unavailable(f"the embedding model failed: {type(problem).__name__}", "see mem embed status") from None


def nearest_memories(
    project: Project, meaning: QueryVector, matched: set[tuple[bool, str]], only: Filter | None, least: float
) -> tuple[dict[str, float], list[tuple[Hit, bool]]]:
    """Returns cosines of memories by their ids, and the near ones not in `matched`, each with whether it is the person's.

    `matched`: (whether it is the person's, id) of memories whose cosines are wanted anyway. `least`: the cosine of a near one.
    """
    cosines: dict[str, float] = {}
    hits: list[tuple[Hit, bool]] = []
    for db, from_user in _stores(project):
        ids = [memory_id for is_user, memory_id in matched if is_user == from_user]
        nearest = vectors.nearest(db, vectors.MEMORY, meaning.model, meaning.vector, NEAREST)
        close = {memory_id: cosine for memory_id, cosine in nearest if cosine >= least}
        cosines |= close | vectors.cosines(db, vectors.MEMORY, meaning.model, meaning.vector, ids)
        hits += [(hit, from_user) for hit in vectors.hits(db, [memory_id for memory_id in close if memory_id not in ids], only)]
    return cosines, hits


def nearest_chunks(project: Project, meaning: QueryVector, only: Filter | None, least: float) -> list[int]:
    """Returns the row numbers of the nearest chunks with a cosine of `least` or more. `only`: the tree that must hold them."""
    nearest = vectors.nearest(project.db, vectors.CHUNK, meaning.model, meaning.vector, NEAREST_CHUNKS)
    close = [chunk_id for chunk_id, cosine in nearest if cosine >= least]
    number_of = vectors.chunk_numbers(project.db, close, only)
    return [number_of[chunk_id] for chunk_id in close if chunk_id in number_of]


def _stores(project: Project) -> list[tuple[Connection, bool]]:
    """Returns the stores of a project, and whether each is the person's own."""
    own = [] if project.user_db is None else [(project.user_db, True)]
    return [(project.db, project.is_user), *own]


class VectorCount(Record):
    """How many texts of a kind there are, how many have a current vector, and how many have one of an older text."""

    kind: str
    total: int
    current: int
    stale: int


class EmbedResult(Record):
    """How many texts were encoded, and how many vectors were removed because their memory or chunk is gone."""

    encoded: int
    removed: int


def status(project: Project, kinds: Sequence[str] = vectors.KINDS) -> list[VectorCount]:
    """Counts the vectors of the model that the settings name."""
    model = models.model_of(project.config)
    counts = []
    for kind in kinds:
        total = current = stale = 0
        for page, hashes in _pages(project, kind, model):
            total += len(page)
            fresh = len([text for text in page if hashes.get(text.id) == digest(text)])
            current += fresh
            stale += len(hashes) - fresh
        counts.append(VectorCount(kind, total, current, stale))
    return counts


def embed(
    project: Project, kinds: Sequence[str] = vectors.KINDS, tick: Callable[[int], None] = lambda count: None
) -> EmbedResult:
    """Encodes each text that has no current vector, and removes the vectors of what is gone. `tick` gets the size of each batch.

    Each batch is a transaction of its own, so that an interrupted run can resume. Raises Unavailable.
    """
    with transaction(project.db):
        removed = vectors.remove_orphans(project.db)
    model = models.model_of(project.config)
    count = 0
    for kind in kinds:
        for page, hashes in _pages(project, kind, model):
            todo = sorted([text for text in page if hashes.get(text.id) != digest(text)], key=lambda text: len(text.text))
            size = models.provider(project.config).batch if todo else 1
            for start in range(0, len(todo), size):
                batch = todo[start : start + size]
                _encode(project, kind, model, batch)
                count += len(batch)
                tick(len(batch))
    return EmbedResult(count, removed)


def _encode(project: Project, kind: str, model: str, batch: Sequence[EncodableText]) -> None:
    encoded = encode(project, [content(text) for text in batch])
    dimensions = vectors.dimensions(project.db, model) or len(encoded[0])
    if any(len(vector) != dimensions for vector in encoded):
        raise _changed_model(model, len(encoded[0]), dimensions)
    rows = [vectors.Vector(kind, text.id, model, digest(text), vector) for text, vector in zip(batch, encoded)]
    with transaction(project.db):
        vectors.save(project.db, rows)


def _changed_model(model: str, dimensions: int, before: int) -> Unavailable:
    return Unavailable(f"{model} gave {dimensions} dimensions, and {before} before", "is embed.model still the same model?")


def _pages(project: Project, kind: str, model: str) -> Iterator[tuple[list[EncodableText], dict[str, str]]]:
    """Yields all texts of a kind, a page at a time, with the hashes of their encoded texts."""
    after = 0
    while page := vectors.texts(project.db, kind, after, _PAGE):
        yield page, vectors.hashes(project.db, kind, model, [text.id for text in page])
        after = page[-1].n


def content(text: EncodableText) -> str:
    """Returns what is encoded: the title and the text, or one of them if they are equal."""
    return text.text if text.text.strip() == text.title.strip() else f"{text.title}\n{text.text}"


def digest(text: EncodableText) -> str:
    """Returns the hash that tells a stale vector from a current one."""
    return hashlib.sha1(content(text).encode(), usedforsecurity=False).hexdigest()
