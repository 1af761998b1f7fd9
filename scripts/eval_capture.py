#!/usr/bin/env python3
"""Measures what the rules keep of sessions: how many facts, how many of them are worth keeping, and what of the wanted is kept.

    eval_capture.py OUT [--unlabelled FILE] [--passages FILE]

OUT is what `run.py` of the colleague benchmark wrote: for each set the state after each session. A fact is a statement of a
passage (memcli/text/statements.py), each text once a session, whether or not later work overtook it.

The rubric. A fact is worth keeping (1) if an engineer or an agent who comes to the repository in a later session would want to
have read it without asking: what the person always or never wants, what is left to do, what was decided and why, what was tried
in vain, which command works, what was learned about the code or the environment and does not show at once. It is not (0) if it
only tells what was done, was overtaken within its own turn, is a guess while something was looked for, or cannot be understood by
itself.

Labels stand in scripts/capture/labels.jsonl: a digest of the fact's text, and the label of each of two passes, the second without
sight of the first. A fact counts as worth keeping where both say so. scripts/capture/wanted.jsonl holds what should be kept of
some sessions, as read in their transcripts: session, kind, and the digest of a passage; it is kept where a fact comes from it.
Neither file holds a word of the recordings. `--unlabelled` and `--passages` write what a reader needs: facts without a label, and
all passages of the sessions, as JSON lines.
"""

import argparse
import collections
import hashlib
import json
import sys
from pathlib import Path

import apsw

FOLDER = Path(__file__).parent / "capture"
MOST = 8  # pieces of a passage
SELECT = "SELECT session.key, passage.role, passage.statement, passage.heading, passage.text, passage.thread, passage.prompt"
PASSAGES = f"{SELECT} FROM passage JOIN session ON session.n = passage.session WHERE passage.kind = 'prompt' ORDER BY passage.n"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("out", type=Path, help="what run.py wrote")
    parser.add_argument("--unlabelled", type=Path, metavar="FILE", help="write the facts without a label here, as JSON lines")
    parser.add_argument("--passages", type=Path, metavar="FILE", help="write every passage here, as JSON lines")
    options = parser.parse_args()
    passages = [row for path in sorted(options.out.glob("*/snap/order")) for row in passages_of(path.parent)]
    facts = list({(row["session"], row["statement"]): row for row in passages if row["role"]}.values())
    labels = {row["fact"]: (row["first"], row["second"]) for row in rows(FOLDER / "labels.jsonl")}
    missing = [row for row in facts if digest(row["statement"]) not in labels]
    report_facts(facts, sessions_of(options.out), labels, len(missing))
    report_wanted(passages, rows(FOLDER / "wanted.jsonl"))
    if options.unlabelled:
        write(options.unlabelled, [{"fact": digest(row["statement"]), **row} for row in missing])
    if options.passages:
        write(options.passages, [{"passage": digest(row["text"]), **row} for row in passages])
    return 1 if missing else 0


def report_facts(facts, sessions, labels, missing):
    """Prints how many facts a session has, and by role how many of those that are labelled are worth keeping."""
    counts = collections.Counter(row["session"] for row in facts)
    most, mean = max(counts.values(), default=0), len(facts) / max(1, len(sessions))
    print(f"{len(sessions)} sessions, {len(facts)} facts, {mean:.1f} a session, {most} at most; {missing} without a label")
    known = [(row["role"], labels[digest(row["statement"])]) for row in facts if digest(row["statement"]) in labels]
    print("| kind | facts | worth keeping |\n| --- | --- | --- |")
    for role in [*sorted({role for role, _ in known}), "all"]:
        pairs = [pair for name, pair in known if role in (name, "all")]
        print(f"| {role} | {len(pairs)} | {sum(min(pair) for pair in pairs) / max(1, len(pairs)):.2f} |")
    same = sum(first == second for _, (first, second) in known) / max(1, len(known))
    print(f"the two passes agree on {same:.2f} of the facts (kappa {kappa([pair for _, pair in known]):.2f})")


def report_wanted(passages, wanted):
    """Prints by kind how much of what should be kept is a fact."""
    kept = {(rows[0]["session"], digest(" ".join(row["text"] for row in rows))) for rows in runs(passages)}
    kinds = collections.defaultdict(list)
    for row in wanted:
        for kind in (row["kind"], "all"):
            kinds[kind].append((row["session"], row["passage"]) in kept)
    print("| kind | wanted | kept |\n| --- | --- | --- |")
    for kind, hits in kinds.items():
        print(f"| {kind} | {len(hits)} | {sum(hits) / max(1, len(hits)):.2f} |")


def runs(passages):
    """Yields passages in a row of one text of which one states something: what was read as one passage may be cut in pieces."""
    for start, first in enumerate(passages):
        place = [first[name] for name in ("session", "thread", "prompt")]
        for end in range(start + 1, min(start + MOST, len(passages)) + 1):
            if [passages[end - 1][name] for name in ("session", "thread", "prompt")] != place:
                break
            if any(row["role"] for row in passages[start:end]):
                yield passages[start:end]


def kappa(pairs):
    """Returns Cohen's kappa of two passes over the same items."""
    if not pairs:
        return 0.0
    agreed = sum(first == second for first, second in pairs) / len(pairs)
    ones = [sum(pair[place] for pair in pairs) / len(pairs) for place in (0, 1)]
    chance = ones[0] * ones[1] + (1 - ones[0]) * (1 - ones[1])
    return (agreed - chance) / (1 - chance) if chance < 1 else 1.0


def sessions_of(out):
    """Returns the names of all sessions."""
    return [name for path in sorted(out.glob("*/snap/order")) for name in path.read_text().split("\n")]


def passages_of(snap):
    """Yields the passages of prompts and answers after the last session of a set."""
    last = (snap / "order").read_text().split("\n")[-1]
    for path in sorted((snap / last / "home").glob(".local/share/mempack/repos/*/memory.db")):
        db = apsw.Connection(str(path), flags=apsw.SQLITE_OPEN_READONLY)
        for row in db.execute(PASSAGES):
            yield dict(zip(("session", "role", "statement", "heading", "text", "thread", "prompt"), row))


def rows(path):
    """Returns the rows of a file of JSON lines; none where there is no file."""
    return [json.loads(line) for line in path.read_text().splitlines() if line.strip()] if path.exists() else []


def write(path, items):
    """Writes JSON lines."""
    path.write_text("".join([json.dumps(item, ensure_ascii=False) + "\n" for item in items]))


def digest(text):
    """Returns a digest of a text, however it is broken into lines."""
    return hashlib.sha256(" ".join(text.split()).encode()).hexdigest()[:12]


if __name__ == "__main__":
    sys.exit(main())
