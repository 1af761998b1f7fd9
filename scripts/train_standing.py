#!/usr/bin/env python3
"""Makes memcli/text/standing.txt from scripts/standing/train.tsv: `train_standing.py [--check]`.

A line of the sentences is `standing` or `once`, a tab, and a sentence of a person to an agent. With --check nothing is written:
the weights of each fifth of the sentences are made from the others, and it is counted how the fifth is judged; then the table
that is there judges the sentences of held_out.tsv, which nobody looked at while the features were chosen.
"""

import argparse
import math
import random
import sys
from collections import Counter
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))

from memcli.text import quotations, standing, statements  # noqa: E402

TABLE = ROOT / "memcli/text/standing.txt"
SENTENCES = ROOT / "scripts/standing"
WANTED = (statements.INSTRUCTION, statements.PREFERENCE)
FEWEST = 3  # sentences with a feature
ROUNDS, STEP, DECAY = 30, 0.5, 3e-4


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--check", action="store_true", help="count how sentences that were not learned are judged")
    options = parser.parse_args()
    examples = read(SENTENCES / "train.tsv")
    if not options.check:
        lines = [f"{feature}\t{weight}\n" for feature, weight in sorted(learn(examples).items()) if weight]
        TABLE.write_text("".join(lines), encoding="utf-8")
        return print(f"{len(examples)} sentences, {len(lines)} weights")
    show("fifths of train.tsv", fifths(examples))
    held_out = read(SENTENCES / "held_out.tsv")
    show("held_out.tsv", [(is_rule, standing.log_odds(text)) for is_rule, text in held_out])
    kept, wrong = shares_kept(held_out)
    print(f"as sessions are read, of held_out.tsv are kept: {kept:.3f} of the rules, {wrong:.3f} of the others")


def shares_kept(examples):
    """Returns the shares of the rules, and of the other sentences, that are kept of a session as wanted from now on."""
    kept = [(is_rule, statements.of_person(quotations.marked(text)).role in WANTED) for is_rule, text in examples]
    return [
        sum(is_kept for is_rule, is_kept in kept if is_rule == kind) / sum(is_rule == kind for is_rule, _ in kept)
        for kind in (1, 0)
    ]


def read(path):
    """Returns the sentences of a file, each as (whether it is a rule, the sentence)."""
    lines = [line.partition("\t") for line in path.read_text(encoding="utf-8").splitlines()]
    return [(kind == "standing", text) for kind, _, text in lines]


def learn(examples):
    """Returns the weights of features, in hundredths, by stochastic gradient descent with the steps of AdaGrad."""
    sets = [(is_rule, [*sorted(standing.features(text)), "<all"]) for is_rule, text in examples]
    counts = Counter(feature for _, features in sets for feature in features)
    sets = [(is_rule, [feature for feature in features if counts[feature] >= FEWEST]) for is_rule, features in sets]
    weights, squares, chance = Counter(), Counter(), random.Random(1)
    for _ in range(ROUNDS):
        chance.shuffle(sets)
        for is_rule, features in sets:
            odds = sum(weights[feature] for feature in features)
            slope = 1 / (1 + math.exp(-max(-30, min(30, odds)))) - is_rule
            for feature in features:
                each = slope + DECAY * weights[feature] * len(sets) / counts[feature]
                squares[feature] += each * each
                weights[feature] -= STEP * each / math.sqrt(squares[feature] + 1e-9)
    return {feature: round(100 * weight) for feature, weight in weights.items()}


def fifths(examples):
    """Returns (whether it is a rule, its logarithm of odds) of each sentence, by the weights of four fifths without it."""
    judged = []
    for part in range(5):
        weights = learn([example for number, example in enumerate(examples) if number % 5 != part])
        for is_rule, text in examples[part::5]:
            judged.append((is_rule, sum(weights.get(feature, 0) for feature in ("<all", *standing.features(text))) / 100))
    return judged


def show(name, judged, bounds=(0, 1, 1.5, 2, 3)):
    rules, others = [odds for is_rule, odds in judged if is_rule], [odds for is_rule, odds in judged if not is_rule]
    print(f"{name}: {len(rules)} rules, {len(others)} others")
    for least in bounds:
        kept, wrong = sum(odds > least for odds in rules), sum(odds > least for odds in others)
        print(f"  log odds > {least}: {kept / len(rules):.3f} of the rules, {wrong / len(others):.3f} of the others")


if __name__ == "__main__":
    main()
