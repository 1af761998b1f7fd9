#!/usr/bin/env python3
"""How many of the relevant memories arrive in a pack: this packing against plain top-k, on the same ranking.

  ablate_packing.py SET... [--queries NAME] [--budgets 500,1000,2500] [--top K]

SET is a directory with corpus.jsonl ({"id","store","title","text"[,"date","thread"]} a line), NAME.jsonl ({"id","store","text"})
and qrels.tsv (question, memory, 1). Each `store` becomes a repository of its own. The arms:

  top-k      memories by score, whatever still fits, at most K of them; exact repetitions dropped
  prefix     the same, but the first one that does not fit ends it: what a larger budget must not lose costs
  no length  the order of selection.py without the price of length
  no repeats the order of selection.py without the loss for repeating
  packing    `mem get`

Prints for each budget the share of relevant memories that arrived, and the mean tokens of the whole pack. A memory that is only
named, as saying the same as one in the pack, has not arrived.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
from collections import defaultdict
from pathlib import Path

from memcli import sync
from memcli.evaluation import benchmark, source_ids
from memcli.project import Where, open_for_reading, open_for_writing
from memcli.recall import candidates, get, relevance, selection
from memcli.recall.pack import Packing, TokenBudget
from memcli.recall.render import PROMPT
from memcli.validity import NO_LINKS

ARMS = ("top-k", "prefix", "no length", "no repeats", "packing")


def build(folder, lines):
    """Makes a repository in `folder` that remembers what the lines say, as `mem import` takes them."""
    folder.mkdir(parents=True)
    who = ["-c", "user.name=a", "-c", "user.email=a@example.invalid", "-c", "commit.gpgsign=false"]
    subprocess.run(["git", "init", "-q"], cwd=folder, check=True)
    subprocess.run(["git", *who, "commit", "-q", "--allow-empty", "-m", "start"], cwd=folder, check=True)
    project = open_for_writing(Where(str(folder)))
    project.db.execute("PRAGMA synchronous = OFF")
    sync.load(project, lines)
    project.close()


def framed(project, ranked, budget):
    """Returns a packing that has taken the heading, the rules and the line that counts what was left out."""
    packing = Packing(project, ranked, lambda memory_id: NO_LINKS, TokenBudget(budget), get.Query(""))
    packing.take_frame(len(ranked))
    return packing


def plain(project, ranked, budget, most, skips):
    """Returns the ids that plain top-k packs, and what the pack costs."""
    budget = framed(project, ranked, budget).budget
    heading, taken, texts_taken = PROMPT.memories[1], [], set()
    texts = selection.fetched(project, ranked[: 2 * most])
    for match in ranked[: 2 * most]:
        memory = texts[match.from_user, match.hit.id]
        text = (selection.folded(memory.title), selection.folded(memory.summary))
        if len(taken) >= most:
            break
        if text in texts_taken:
            continue
        if budget.spend(memory.prompt_tokens + heading, 0):
            heading = 0
            taken.append(memory)
            texts_taken.add(text)
        elif not skips:
            break
    return source_ids(project, taken), budget.spent


def packed(project, ranked, budget, **constants):
    """Returns the ids that the packing takes with some of its constants changed, and what the pack costs."""
    before = {name: getattr(selection, name) for name in constants}
    for name, value in constants.items():
        setattr(selection, name, value)
    try:
        packing = framed(project, ranked, budget)
        packing.take_memories()
        return source_ids(project, [item.memory for item in packing.items]), packing.budget.spent
    finally:
        for name, value in before.items():
            setattr(selection, name, value)


def answer(project, question, budget, most):
    """Returns what each arm packs for a question: arm -> (source ids, tokens)."""
    query = candidates.parse(project, question)
    ranked, _ = relevance.valid_at_head(project, relevance.memories(project, query, project.config["rank.candidates"]))
    pack = get.get(project, get.Query(question, "prompt", budget))
    return {
        "top-k": plain(project, ranked, budget, most, skips=True),
        "prefix": plain(project, ranked, budget, most, skips=False),
        "no length": packed(project, ranked, budget, LENGTH=0.0),
        "no repeats": packed(project, ranked, budget, REPEATED=0.0),
        "packing": (source_ids(project, [item.memory for item in pack.items]), pack.tokens),
    }


def measure(directory, folder, options):
    """Returns for each budget and arm: how many relevant memories arrived, and the tokens of all packs."""
    of = benchmark.read_benchmark(str(directory), options.queries)
    questions = of.questions[options.queries]
    arrived, tokens = defaultdict(int), defaultdict(int)
    for number, store in enumerate(of.stores):
        own_folder = folder / f"{number:02d}"
        build(own_folder, [document.line for document in of.documents if document.store == store])
        project = open_for_reading(Where(str(own_folder)))
        for question in [entry for entry in questions if entry.store == store]:
            for budget in options.budgets:
                for arm, (ids, spent) in answer(project, question.text, budget, options.top).items():
                    arrived[budget, arm] += len(of.relevant[question.id].intersection(ids))
                    tokens[budget, arm] += spent
        project.close()
    return arrived, tokens, sum(len(of.relevant[question.id]) for question in questions), len(questions)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("sets", nargs="+", type=Path, metavar="SET")
    parser.add_argument("--queries", default="queries")
    parser.add_argument("--budgets", type=lambda text: [int(number) for number in text.split(",")], default=[500, 1000, 2500])
    parser.add_argument("--top", type=int, default=10, metavar="K")
    options = parser.parse_args()
    for directory in options.sets:
        with tempfile.TemporaryDirectory() as scratch:
            os.environ["MEMPACK_DATA_DIR"] = os.environ["MEMPACK_CONFIG_DIR"] = f"{scratch}/data"
            arrived, tokens, relevant, questions = measure(directory.resolve(), Path(scratch) / "repositories", options)
        print(f"{directory.name}: {questions} questions, {relevant} relevant memories; arrived (tokens of a pack)\n")
        print(f"| tokens | {' | '.join(ARMS)} |\n| --- |{' --- |' * len(ARMS)}".replace("top-k", f"top-{options.top}"))
        for budget in options.budgets:
            cells = [f"{arrived[budget, arm] / relevant:.3f} ({tokens[budget, arm] / questions:,.0f})" for arm in ARMS]
            print(f"| {budget:,} | {' | '.join(cells)} |")
        print()
    return 0


if __name__ == "__main__":
    sys.exit(main())
