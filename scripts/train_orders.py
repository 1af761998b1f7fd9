#!/usr/bin/env python3
"""Makes memcli/screening/classifier.bin, by which a text reads like an order to a model: `train_orders.py PACKAGES [--check]`.

Needs an environment of its own, no part of it a dependency of memcli, and the packages named in scripts/injections/packages.txt:

    pip install numpy scikit-learn
    pip download --no-deps -d PACKAGES -r scripts/injections/packages.txt
    python scripts/train_orders.py PACKAGES

Attacks and innocent lines are those of scripts/injections; of parts.txt attacks are put together at random. Ordinary texts are
our own documents, descriptions in the code, names of tests and licences, as they stand, what people say to agents
(scripts/standing), and of the packages documents, descriptions in the code, and messages in other languages. With --check nothing
is written: each file of attacks is left out with its innocent lines, and a fourth of the ordinary texts, and it is counted how
many of them are marked by weights that are made from all others.
"""

import argparse
import random
import re
import sys
from pathlib import Path

import numpy as np
from scipy.sparse import csr_matrix, vstack
from sklearn.linear_model import LogisticRegression

ROOT = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(ROOT), str(ROOT / "scripts")]

from vectors.corpus import MOST_BYTES, files, members  # noqa: E402

from memcli.screening import classifier, orders  # noqa: E402

CORPORA = ROOT / "scripts/injections"
COMPOSED = 1_500  # attacks that are put together of parts
SHAPES = "aA aAh cA cAh wA Ah acA acAh A hA wAh AA aAA".split()  # of them: first letters of sections of parts.txt, A of act
FEWEST = 2  # windows with a feature
STRENGTH = 2  # of what is learned against weights of zero
ORDINARY = 0.5  # what an ordinary text counts against a line of a corpus
PARTS = 4  # of the ordinary texts, of which one is left out
OF_PACKAGE, MESSAGES = 1_500, 12_000  # blocks of a package at most, messages in other languages


class Texts:
    """Texts as rows of a matrix: one for each sentence, and for each two that follow each other.

    `columns`: number of a feature -> its column, to which new ones are added.
    """

    def __init__(self, texts, columns):
        rows = [(owner, is_pair, row) for owner, text in enumerate(texts) for is_pair, row in windows(text)]
        numbers = [[columns.setdefault(number, len(columns)) for number in row] for _, _, row in rows]
        self._flat = np.array([column for row in numbers for column in row], np.int32)
        self._ends = np.cumsum([0, *map(len, numbers)]).astype(np.int32)
        self.owners, self.are_widest = np.array([row[:2] for row in rows]).T
        self.count = len(texts)

    def rows(self, width):
        return csr_matrix((np.ones(len(self._flat), np.float32), self._flat, self._ends), shape=(len(self.owners), width))

    def learned(self, width):
        """Returns the rows to learn from, those of two sentences where a text has two: one alone of an attack may be innocent."""
        return self.rows(width)[np.flatnonzero(self.are_widest)]

    def odds(self, weights, constant):
        """Returns the odds of the strongest row of each text."""
        highest = np.full(self.count, -1e9)
        np.maximum.at(highest, self.owners, self.rows(len(weights)) @ weights + constant)
        return highest


def windows(text):
    """Returns what counts of each sentence, and of each two that follow each other: (whether there is no wider one, numbers)."""
    single = [features(words) for words in classifier.sentences(orders.readable(text))]
    pairs = [first + second for first, second in zip(single, single[1:])]
    return [(not pairs, row) for row in single] + [(True, row) for row in pairs]


def features(words):
    read = [classifier.numbers(word) for word in words]
    return [number for own, stem, _ in set(read) for number in (own, stem)] + sorted(
        classifier.pairs([(own, is_word) for own, _, is_word in read])
    )


def learn(attacks, innocent, counted, kept=None):
    """Returns the weights of columns, and the constant.

    `attacks`, `innocent`: matrices; `counted`: what each row counts; `kept`: columns, instead of all that are frequent enough.
    """
    both = vstack([attacks, innocent], format="csr")
    if kept is None:
        kept = np.flatnonzero(np.asarray((both > 0).sum(axis=0)).ravel() >= FEWEST)
    model = LogisticRegression(C=STRENGTH, solver="liblinear")
    model.fit(both[:, kept], np.repeat([1, 0], [attacks.shape[0], innocent.shape[0]]), sample_weight=counted)
    weights = np.zeros(both.shape[1])
    weights[kept] = model.coef_[0]
    return weights, model.intercept_[0]


class Corpora:
    """All texts. `attacks`, `innocent`, `ordinary`: name -> texts."""

    def __init__(self, packages):
        self.columns = {}
        self.attacks = {name_of(path, "attacks"): self.read(lines(path)) for path in sorted(CORPORA.glob("*attacks.txt"))}
        self.innocent = {name_of(path, "innocent"): self.read(lines(path)) for path in sorted(CORPORA.glob("*innocent.txt"))}
        self.innocent["wishes"] = self.read(lines(CORPORA / "wishes.txt"))
        self.attacks["composed"] = self.read(composed())
        texts = sampled([*ordinary(), *foreign(packages)], 1_000_000)
        self.ordinary = [self.read(texts[part::PARTS]) for part in range(PARTS)]

    def read(self, texts):
        return Texts(texts, self.columns)

    def learn(self, left_out="", part=-1):
        """Returns the weights that are made without a name of a corpus and a part of the ordinary texts."""
        width = len(self.columns)
        attacks = vstack([texts.learned(width) for name, texts in self.attacks.items() if name != left_out])
        innocent = vstack([texts.learned(width) for name, texts in self.innocent.items() if name != left_out])
        plain = vstack([texts.learned(width) for number, texts in enumerate(self.ordinary) if number != part])
        counted = np.repeat([1, 1, ORDINARY], [attacks.shape[0], innocent.shape[0], plain.shape[0]])
        weights, _ = learn(attacks, vstack([innocent, plain]), counted)
        kept = np.array(sorted(slots(self.columns, weights).values()))
        return learn(attacks, vstack([innocent, plain]), counted, kept)  # the others do the work of what has no slot


def name_of(path, kind):
    """Returns what the file of attacks and that of the innocent lines that belong to them have in common."""
    return path.stem.removesuffix(kind).rstrip("_") or "first"


def lines(path):
    return [line.replace("\\n", "\n") for line in path.read_text(encoding="utf-8").splitlines() if line]


def composed():
    """Returns attacks that are put together of parts, the same ones each time."""
    chance = random.Random(1)
    sections = {}
    for line in (CORPORA / "parts.txt").read_text(encoding="utf-8").splitlines():
        if line.startswith("[") and line[1:-1] in ("address", "claim", "act", "hide", "when"):
            of_section = sections["A" if line == "[act]" else line[1]] = []
        elif line:
            of_section.append(line)
    return [together([chance.choice(sections[letter]) for letter in SHAPES[n % len(SHAPES)]], chance) for n in range(COMPOSED)]


def together(parts, chance):
    text = ""
    for part in parts:
        begins = not text or text[-1] in ".!?"
        part = part[0].upper() + part[1:] if begins and part[0].isascii() else part
        text += f"{' ' if text else ''}{part}{'' if part[-1] in '.:,!?。-' else chance.choice('..!')}"
    return text


def ordinary():
    """Returns what our own documents and code say, block by block, and what people say to agents."""
    documents = [*ROOT.glob("docs/**/*.md"), *ROOT.glob("*.md"), *ROOT.glob("LICENSES/*"), *ROOT.glob("plugins/**/*.md")]
    texts = [block for path in sorted(documents) for block in BLOCK.split(path.read_text(encoding="utf-8"))]
    for path in sorted([*ROOT.glob("memcli/**/*.py"), *ROOT.glob("scripts/*.py"), *ROOT.glob("tests/**/*.py")]):
        code = path.read_text(encoding="utf-8")
        texts += [name.replace("_", " ") for name in re.findall(r"def (test_\w+)", code)]
        texts += re.findall(r'"""(.+?)"""', code, re.S) if "tests" not in path.parts else []
    for path in sorted((ROOT / "scripts/standing").glob("*.tsv")):
        texts += [line.partition("\t")[2] for line in lines(path)]
    return texts


def foreign(folder):
    """Returns what the documents, the code and the messages of packages say."""
    found = []
    for archive in sorted(folder.iterdir()):
        blocks, messages = [], []
        for name, size, content in members(archive):
            if name.endswith(".po") and size < MOST_BYTES:
                po = content().decode("utf-8", "replace").replace('"\n"', "")
                messages += [text.replace("\\n", "\n") for text in re.findall(r'^msgstr(?:\[\d\])? "(.{9,})"$', po, re.M)]
        for name, content in files(archive):
            text = content.decode("utf-8", "replace")
            for piece in re.findall(r'"""(.+?)"""', text, re.S) if name.endswith(".py") else [text]:
                blocks += BLOCK.split(piece)
        found += sampled(blocks, OF_PACKAGE) + sampled(messages, MESSAGES)
    return found


def sampled(texts, most):
    texts = sorted({text.strip() for text in texts if len(text.strip()) > 8})
    return random.Random(1).sample(texts, min(most, len(texts)))


BLOCK = re.compile(r"\n\s*\n|\n(?=\s*(?:[-*+#|]|\d+\.) )")


def check(corpora):
    print("left out: attacks and innocent lines that are marked, and share of the ordinary texts that were left out")
    for number, (name, texts) in enumerate(corpora.attacks.items()):
        weights = corpora.learn(name, number % PARTS)
        all_texts = (texts, corpora.innocent.get(name), corpora.ordinary[number % PARTS])
        shares = [(some.odds(*weights) * classifier.UNIT >= classifier.ENOUGH).mean() if some else 0 for some in all_texts]
        print(f"{name}: {shares[0]:.3f} of {texts.count}, {shares[1]:.3f}, {shares[2]:.4f}", flush=True)


def slots(columns, weights):
    """Returns the column that has each slot of the table: of those that could have it the strongest."""
    found = {}
    for number, column in sorted(columns.items(), key=lambda pair: (-abs(weights[pair[1]]), pair[0])):
        if weights[column]:
            found.setdefault(number & 0xFFFF, column)
    return found


def packed(columns, weights, constant):
    """Returns the table of weights that have a slot each."""
    fingerprints, values = bytearray(classifier.SLOTS), bytearray([classifier.ZERO] * classifier.SLOTS)
    numbers = {column: number for number, column in columns.items()}
    for slot, column in slots(columns, weights).items():
        fingerprints[slot] = numbers[column] >> 16 & 0xFF
        values[slot] = classifier.ZERO + max(-127, min(127, round(weights[column] * classifier.UNIT)))
    print(f"{sum(value != classifier.ZERO for value in values)} weights in {classifier.SLOTS} slots")
    return bytes(fingerprints) + bytes(values) + bytes([max(0, min(255, round(-constant * classifier.UNIT)))])


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("packages", type=Path)
    parser.add_argument("--check", action="store_true", help="count how texts that were not learned are judged")
    options = parser.parse_args()
    corpora = Corpora(options.packages)
    if options.check:
        return check(corpora)
    Path(classifier.PATH).write_bytes(packed(corpora.columns, *corpora.learn()))


if __name__ == "__main__":
    main()
