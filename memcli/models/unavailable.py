"""The errors of models. Providers and the modules that choose one raise them."""

from __future__ import annotations

from memcli.errors import MemError


class Unavailable(MemError):
    """No embeddings: a package, a server, an answer or a vector is missing."""

    code = "semantic_unavailable"


class CompressorError(MemError):
    """No answer from a compressor: its package, key, server or program is missing, or it failed."""

    code = "compressor"
