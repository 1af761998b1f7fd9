"""Providers of sentence embeddings: what turns texts into vectors whose cosine tells how near their meanings are.

A provider is a function of the settings that returns an Embedder, with a name in PROVIDERS. Its libraries and its server are
looked for when it is first asked, never before.
"""

from __future__ import annotations

from array import array

from memcli.errors import MemError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import Protocol

    from memcli.config import Config

    class Embedder(Protocol):
        """Encodes texts. `batch`: how many at a time are worth it; what was encoded is kept after each."""

        batch: int

        def encode(self, texts: Sequence[str]) -> list[Sequence[float]]:
            """Returns a vector for each text, all of one length. Raises Unavailable."""


class Unavailable(MemError):
    """There are no embeddings to be had here: a package, a server, an answer or a vector is missing."""

    code = "semantic_unavailable"


_opened: dict[tuple[str, ...], Embedder] = {}  # loading a model takes half a second, so a process does it once


def _minilm(config: Config) -> Embedder:
    from memcli.models.minilm import MiniLM

    return MiniLM()


def _openai(config: Config) -> Embedder:
    from memcli.models.endpoint import Endpoint

    return Endpoint(config["embed.url"], config["embed.model"], config["embed.timeout"])


PROVIDERS: dict[str, Callable[[Config], Embedder]] = {"minilm": _minilm, "openai": _openai}


def model_of(config: Config) -> str:
    """Returns the name under which vectors of the chosen model are kept: those of another are never compared with them."""
    provider = config["embed.provider"]
    return provider if provider == "minilm" else f"{provider}:{config['embed.model']}"


def provider(config: Config) -> Embedder:
    """Returns the provider that the settings name. Raises Unavailable."""
    name = config["embed.provider"]
    if name not in PROVIDERS:
        raise Unavailable(f"no embedding provider {name!r}", f"set embed.provider to one of: {', '.join(PROVIDERS)}")
    key = (name, *[str(config[f"embed.{setting}"]) for setting in ("url", "model", "timeout")])
    if key not in _opened:
        _opened[key] = PROVIDERS[name](config)
    return _opened[key]


def packed(vector: Sequence[float]) -> bytes:
    """Returns a vector as it is kept: a signed byte for each dimension, the largest of them ±127.

    The cosine does not depend on a vector's length, and bytes cost nothing in recall (docs/retrieval.md). Raises Unavailable
    for a vector without a direction.
    """
    largest = max([abs(value) for value in vector], default=0.0)
    if not 0 < largest < float("inf"):
        raise Unavailable("the model gave a vector without a direction", "check embed.model; mem embed status tells which it is")
    return array("b", [round(value / largest * 127) for value in vector]).tobytes()
