#!/usr/bin/env python3
"""Writes the examples of docs/turns.md again: `turn_examples.py OUT QUESTIONS`.

OUT is what `run.py` of the colleague benchmark wrote, QUESTIONS its file of questions.

Each example has the name of its set above it, and says which it is: the start of a session by its number, or a prompt.
"""

import json
import re
import sys
from pathlib import Path

PAGE = Path(__file__).resolve().parent.parent / "docs" / "turns.md"
HOME = re.compile(r"/(?:home|Users)/\w+")
NOTHING = "Nothing: the start of the session told it."
EXAMPLE = re.compile(
    rf"^\*\*(?:The start of session (\d+)|Prompt: ([^\n]+))\*\*\n\n(?:~~~text\n.*?^~~~$|{re.escape(NOTHING)}$)", re.M | re.S
)


def main():
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    out, questions = map(Path, sys.argv[1:])
    head, mark, examples = PAGE.read_text().partition("\n## Examples\n")
    parts = re.split(r"^(### (\w+)\n)", examples, flags=re.M)
    text = parts[0]
    for heading, name, part in zip(parts[1::3], parts[2::3], parts[3::3], strict=True):
        text += heading + renewed(part, told(out / name.lower(), questions))
    PAGE.write_text(head + mark + text)


def renewed(part, texts):
    """Returns the examples of one set with what `texts` has in the place of what they told before."""
    examples = EXAMPLE.sub(lambda match: example(match, texts), part)
    return HOME.sub("~", examples)  # of whoever held the sessions


def told(folder, questions):
    """Returns what a set was told, by the number of the session or by the prompt."""
    order = (folder / "snap" / "order").read_text().split("\n")
    starts = [row for row in rows(folder / "replay.jsonl") if row["event"] == "SessionStart" and row["source"] == "startup"]
    asked = {row["id"]: row["ask"] for row in rows(questions)}
    prompts = {asked[row["id"]]: row["prompt"] for row in rows(folder / "answers.jsonl") if row["type"] == "question"}
    return prompts | {str(order.index(row["session"]) + 1): row["text"] for row in starts}


def rows(path):
    return [json.loads(line) for line in path.read_text().splitlines() if line.strip()]


def example(match, texts):
    title = f"The start of session {match[1]}" if match[1] else f"Prompt: {match[2]}"
    text = texts[match[1] or match[2]].strip("\n").removeprefix("<mem-context>\n").removesuffix("\n</mem-context>")
    if not text:
        return f"**{title}**\n\n{NOTHING}"
    if command := re.search(r"^Ask with (.+?) get ", text, re.M):
        text = text.replace(command[1], "mem")  # where this machine has it
    return f"**{title}**\n\n~~~text\n{text}\n~~~"


if __name__ == "__main__":
    main()
