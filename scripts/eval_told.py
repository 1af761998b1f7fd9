#!/usr/bin/env python3
"""Measures how much of what `mem get` tells bears on the question: the share of told items that a reader labelled so.

    eval_told.py OUT [--unlabelled FILE]

OUT is what `run.py` of the colleague benchmark wrote: a directory for each set, with what `mem get` told in its answers.jsonl. Of
its questions 60 are taken, always the same. An item is a line of a section with the lines that belong to it. Its label stands in
scripts/told/labels.jsonl under the question and a digest of its text, so that a later version that tells the same item is
measured by the same label; what has none yet is written to FILE for labelling.

The rubric. An item bears on a question (1) if an engineer who asked it would want to have read the item: it answers the question
or a part of it, says what the answer depends on or why it is so, corrects what the question presumes, or says what became of what
it asks about. It does not (0) if it only shares words or a subject with it, repeats what an item above it in the same pack said,
or is a fragment from which nothing can be learned. Labels are given without knowing which version told an item.
"""

import argparse
import hashlib
import json
import random
import re
import sys
from pathlib import Path

LABELS = Path(__file__).parent / "told" / "labels.jsonl"
QUESTIONS, SEED = 60, 17
MARKS = re.compile(r" \[[A-Z]-[0-9A-Z#]+[^\]\n]*\]")  # id, thread, day, and whether it still holds


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("out", type=Path, help="what run.py wrote")
    parser.add_argument("--unlabelled", type=Path, metavar="FILE", help="write the items without a label here, as JSON lines")
    options = parser.parse_args()
    labels = {(row["question"], row["item"]): row["bears"] for row in rows(LABELS)}
    answers = [row for path in sorted(options.out.glob("*/answers.jsonl")) for row in rows(path)]
    packs = chosen({row["id"]: row for row in answers if row.get("type") == "question"})
    told = [(question, digest(item), item) for question, row in packs.items() for item in items(row["get"])]
    missing = [{"question": question, "item": key, "text": text} for question, key, text in told if (question, key) not in labels]
    known = [labels[question, key] for question, key, _ in told if (question, key) in labels]
    if options.unlabelled:
        options.unlabelled.write_text("".join([json.dumps(row, ensure_ascii=False) + "\n" for row in missing]))
    share = f"{sum(known) / len(known):.3f}" if known else "-"
    print(f"{len(packs)} questions, {len(told)} items told, {len(missing)} without a label; {share} of the others bear on theirs")
    return 1 if missing else 0


def rows(path):
    """Yields the rows of a file of JSON lines; none where there is no file."""
    if path.exists():
        yield from [json.loads(line) for line in path.read_text().splitlines() if line.strip()]


def chosen(packs):
    """Returns 60 of the questions, always the same ones of the same sets, in the order of their names."""
    names = sorted(packs)
    return {name: packs[name] for name in sorted(random.Random(SEED).sample(names, min(QUESTIONS, len(names))))}


def items(text):
    """Returns the items of a pack: each begins with `- ` or, a chunk, with its id in brackets."""
    sections = re.split(r"^## .*$", text, flags=re.M)[1:]
    parts = [part for section in sections for part in re.split(r"^(?=- |\[C-)", section, flags=re.M)]
    return [part.split("\n\n")[0].strip() for part in parts if part.startswith(("- ", "[C-"))]


def digest(item):
    """Returns a digest of an item's text, without its id, thread and day, and however it is broken into lines."""
    return hashlib.sha256(" ".join(MARKS.sub("", item).split()).encode()).hexdigest()[:12]


if __name__ == "__main__":
    sys.exit(main())
