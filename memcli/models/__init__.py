"""Providers of sentence embeddings: each turns texts into vectors whose cosine tells how close their meanings are.

A provider is a function of the settings that returns an Embedder; PROVIDERS lists them by name. Its libraries are imported and
its server is called on first use, never before.
"""

from __future__ import annotations

from array import array
from collections.abc import Callable, Sequence
from typing import Protocol

from memcli.config import Config
from memcli.models.unavailable import Unavailable as Unavailable


class Embedder(Protocol):
    """Encodes texts. `batch`: how many texts to encode at a time; callers store the vectors after each batch."""

    batch: int

    def encode(self, texts: Sequence[str]) -> list[Sequence[float]]:
        """Returns a vector for each text, all of one length. Raises Unavailable."""


_embedders: dict[tuple[str, ...], Embedder] = {}  # loading a model takes half a second, so a process does it once


def _minilm(config: Config) -> Embedder:
    from memcli.models.minilm import MiniLM

    return MiniLM()


def _openai(config: Config) -> Embedder:
    from memcli.models.endpoint import Endpoint

    return Endpoint(config["embed.url"], config["embed.model"], config["embed.timeout"])


PROVIDERS: dict[str, Callable[[Config], Embedder]] = {"minilm": _minilm, "openai": _openai}


def model_of(config: Config) -> str:
    """Returns the name under which the model's vectors are stored; vectors of different models are never compared."""
    name = config["embed.provider"]
    return name if name == "minilm" else f"{name}:{config['embed.model']}"


def provider(config: Config) -> Embedder:
    """Returns the provider that the settings name. Raises Unavailable."""
    name = config["embed.provider"]
    if name not in PROVIDERS:
        raise Unavailable(f"no embedding provider {name!r}", f"set embed.provider to one of: {', '.join(PROVIDERS)}")
    key = (name, *[str(config[f"embed.{setting}"]) for setting in ("url", "model", "timeout")])
    if key not in _embedders:
        _embedders[key] = PROVIDERS[name](config)
    return _embedders[key]


def packed(vector: Sequence[float]) -> bytes:
    """Returns a vector as it is stored: a signed byte for each dimension, the largest of them ±127.

    The cosine does not depend on a vector's length, and bytes cost nothing in recall (docs/retrieval.md). Raises Unavailable
    for a vector without a direction.
    """
    largest = max([abs(value) for value in vector], default=0.0)
    if not 0 < largest < float("inf"):
        raise Unavailable("the model returned a vector without a direction", "check embed.model; see mem embed status")
    return array("b", [round(value / largest * 127) for value in vector]).tobytes()
