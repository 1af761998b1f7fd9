"""Making vectors: every memory and chunk whose text was not encoded yet, or says something else now."""

from __future__ import annotations

import hashlib

from memcli.models import embedders
from memcli.recall.semantic import encoded
from memcli.records import Record
from memcli.store import vectors
from memcli.store.db import transaction

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from memcli.project import Project
    from memcli.store.vectors import Text

_PAGE = (
    512  # texts that are looked at at once; encoded in the order of their lengths, because a batch takes as long as its longest
)


class Count(Record):
    """How many there are of a kind, how many of them have a current vector, and how many have one of an older text."""

    kind: str
    total: int
    current: int
    stale: int


class Embedded(Record):
    """What was done: how many texts were encoded, and how many vectors were taken out because nothing stands behind them."""

    encoded: int
    removed: int


def status(project: Project, kinds: Sequence[str] = vectors.KINDS) -> list[Count]:
    """Counts the vectors of the model that the settings name."""
    model = embedders.model_of(project.config)
    counts = []
    for kind in kinds:
        total = current = stale = 0
        for page, known in _pages(project, kind, model):
            total += len(page)
            fresh = len([text for text in page if known.get(text.id) == digest(text)])
            current += fresh
            stale += len(known) - fresh
        counts.append(Count(kind, total, current, stale))
    return counts


def embed(project: Project, kinds: Sequence[str] = vectors.KINDS, tick: Callable[[int], None] = lambda count: None) -> Embedded:
    """Encodes what has no current vector, and takes out the vectors of what is gone. `tick` is told how many were encoded.

    Each batch is a transaction of its own, so what was interrupted goes on where it stopped. Raises Unavailable.
    """
    with transaction(project.db):
        removed = vectors.remove_orphans(project.db)
    model = embedders.model_of(project.config)
    count = 0
    for kind in kinds:
        for page, known in _pages(project, kind, model):
            todo = sorted([text for text in page if known.get(text.id) != digest(text)], key=lambda text: len(text.text))
            size = embedders.provider(project.config).batch if todo else 1
            for start in range(0, len(todo), size):
                batch = todo[start : start + size]
                _encode(project, kind, model, batch)
                count += len(batch)
                tick(len(batch))
    return Embedded(count, removed)


def _encode(project: Project, kind: str, model: str, batch: Sequence[Text]) -> None:
    made = encoded(project, [said(text) for text in batch])
    _check_length(project, model, made)
    rows = [vectors.Vector(kind, text.id, model, digest(text), vector) for text, vector in zip(batch, made)]
    with transaction(project.db):
        vectors.save(project.db, rows)


def _check_length(project: Project, model: str, made: Sequence[bytes]) -> None:
    known = vectors.dimensions(project.db, model) or len(made[0])
    if any(len(vector) != known for vector in made):
        raise embedders.Unavailable(
            f"{model} gave {len(made[0])} dimensions, and {known} before", "is embed.model still the same model?"
        )


def _pages(project: Project, kind: str, model: str) -> Iterator[tuple[list[Text], dict[str, str]]]:
    """Yields all texts of a kind, a page at a time, with the hashes of what was encoded of them."""
    after = 0
    while page := vectors.texts(project.db, kind, after, _PAGE):
        yield page, vectors.hashes(project.db, kind, model, [text.id for text in page])
        after = page[-1].n


def said(text: Text) -> str:
    """Returns what is encoded: the title and the text, once where they are the same."""
    return text.text if text.text.strip() == text.title.strip() else f"{text.title}\n{text.text}"


def digest(text: Text) -> str:
    """Returns the hash by which a stale vector is known."""
    return hashlib.sha1(said(text).encode(), usedforsecurity=False).hexdigest()
