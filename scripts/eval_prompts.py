#!/usr/bin/env python3
"""Measures what a prompt is told that nobody asked for: `eval_prompts.py SET OTHER`.

SET and OTHER are benchmark folders as `mem eval` reads them. Prompts are the questions of SET, for which some memories are
relevant; those of OTHER, whose subject is another one; and what people say to agents all day. For each rule it prints the
share of the relevant memories that are still among the first 16, and how many memories a prompt is told on average.
"""

import random
import sys
import tempfile
from pathlib import Path

from memcli import evaluation, store
from memcli.recall import prompts as rules
from memcli.recall import relevance, selection
from memcli.recall.candidates import parse
from memcli.records import replace
from memcli.store import opening
from memcli.store.passages import owner_of

SEED, OTHERS, SHOWN = 7, 60, 16
SMALL_TALK = (
    "yes",
    "continue",
    "why?",
    "what did you just do?",
    "ok thanks, please go on and commit",
    "run the tests",
    "fix the typo in the readme",
    "looks good to me, push it",
    "undo the last change",
    "show me the diff",
    "no, use the other approach instead",
    "that did not work, try another way",
    "please summarise what we have done so far",
    "can you explain that again in simpler words?",
    "rename this variable to something clearer",
    "refactor this file, it is too long",
    "add a unit test for this function and run it",
    "looks good, go ahead with the next step",
    "now commit this with a good message",
    "format the code and run the linter",
    "thanks, that works. now do the same for the other file",
    "fix the failing test",
    "is this ready to merge?",
    "please make the button blue",
    "what time is it in Tokyo?",
    "write a haiku about autumn",
)


def main():
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    own, other = (evaluation.read_benchmark(folder, "queries") for folder in sys.argv[1:])
    strangers = random.Random(SEED).sample([question.text for question in questions(other)], OTHERS)
    results = {
        least: {"own": [], "another subject": [], "small talk": []} for least in (1, rules.PROMPT_WORDS, rules.PROMPT_WORDS + 1)
    }
    with tempfile.TemporaryDirectory() as scratch:
        for name in own.stores:
            folder = str(Path(scratch, name))
            evaluation.load(own, name, folder)
            project = evaluation.open_store(folder, name, opening.open_reader)
            for least, kinds in results.items():
                mine = [question for question in questions(own) if question.store == name]
                kinds["own"] += [memories_of(project, question.text, least, own.relevant[question.id]) for question in mine]
                kinds["another subject"] += [memories_of(project, text, least) for text in strangers]
                kinds["small talk"] += [memories_of(project, text, least) for text in SMALL_TALK]
            project.close()
    for least, kinds in results.items():
        print(f"{least} of its words or more")
        for kind, prompts in kinds.items():
            relevant = f"   relevant {mean([share for _, share in prompts]):.3f}" if kind == "own" else ""
            silent = mean([not count for count, _ in prompts])
            print(f"    {kind:16} memories {mean([count for count, _ in prompts]):5.1f}   told nothing {silent:.2f}{relevant}")


def questions(of):
    return [question for group in of.questions.values() for question in group]


def memories_of(project, text, least, relevant=()):
    """Returns how many memories a prompt is told, and which share of the relevant ones is among them."""
    before, rules.PROMPT_WORDS = rules.PROMPT_WORDS, least
    query = replace(parse(project, text, is_prompt=True), is_prompt=least > 1)
    ranked = relevance.memories(project, query, project.config["rank.candidates"])
    best = selection.enough(ranked, query, project.config)[0][:SHOWN]
    rules.PROMPT_WORDS = before
    owners = {owner_of(match.hit.id) for match in best}
    marks = ", ".join("?" for _ in owners)
    sources = {source for (source,) in store.rows(project.db, f"SELECT source_id FROM memory WHERE id IN ({marks})", [*owners])}
    return len(owners), len(sources & set(relevant)) / len(relevant) if relevant else 0.0


def mean(values):
    return sum(values) / len(values) if values else 0.0


if __name__ == "__main__":
    main()
