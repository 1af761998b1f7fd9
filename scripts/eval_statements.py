#!/usr/bin/env python3
"""Counts which sentences of agents are taken for an open point, a decision or a dropped attempt: `eval_statements.py [--misses]`.

scripts/statements has sentences of each role, and others that have the words of it and are none (`yes` or `no`, a tab, a
sentence), by an author who had not seen what recognises them (memcli/text/statements.py). Each is read as a passage of its own,
without a heading, which helps in an answer. Nothing may be made after these sentences.
"""

import argparse
from pathlib import Path

from memcli.text import quotations, statements

SENTENCES = Path(__file__).parent / "statements"
ROLES = (statements.OPEN, statements.DECISION, statements.DROPPED)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--misses", action="store_true", help="list the sentences that are judged wrongly")
    options = parser.parse_args()
    for role in ROLES:
        lines = (SENTENCES / f"held_out_{role}.tsv").read_text(encoding="utf-8").splitlines()
        judged = [(label == "yes", text, is_stated(role, text)) for label, _, text in (line.partition("\t") for line in lines)]
        good, others = [[stated for is_good, _, stated in judged if is_good is kind] for kind in (True, False)]
        kept, wrong = sum(good) / len(good), sum(others) / len(others)
        print(f"{role}: {kept:.3f} of {len(good)} found, {wrong:.3f} of {len(others)} others taken for one")
        if options.misses:
            print(*[f"  {'missed' if is_good else 'wrong'}: {text}" for is_good, text, it in judged if it != is_good], sep="\n")


def is_stated(role, text):
    """Tells whether a sentence of an agent is read as stating something of a role."""
    return statements.of_agent("", quotations.marked(text, is_answer=True), "").role == role


if __name__ == "__main__":
    main()
