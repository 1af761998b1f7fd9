#!/usr/bin/env python3
"""Prints what the list of MCP tools costs a client: bytes of JSON and cl100k tokens, read-only and with writing."""

from __future__ import annotations

import json
import re
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from memcli.mcp.server import INSTRUCTIONS, WRITE, listed
from memcli.mcp.tools import READING, WRITING
from memcli.store.vocabulary import ranks
from memcli.text import tokens

_NUMBERS = "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen".split()


def price(text: str) -> tuple[int, int]:
    """Returns the size of a text: bytes, tokens."""
    return len(text.encode()), tokens.count(text, ranks())


def prices() -> dict[str, tuple[int | None, int, int]]:
    """Returns what each list costs, and the instructions: tools, bytes, tokens."""
    costs: dict[str, tuple[int | None, int, int]] = {}
    for name, tools in (("reading", READING), ("reading and writing", (*READING, *WRITING))):
        schemas = [listed(tool).model_dump(by_alias=True, exclude_none=True) for tool in tools]
        costs[name] = (len(tools), *price(json.dumps(schemas, separators=(",", ":"))))
    return costs | {"instructions": (None, *price(INSTRUCTIONS.format(WRITE)))}


def with_prices(text: str) -> str:
    """Returns a document with the rows of the table, and the numbers of its sentence about the tools, made anew."""
    costs = prices()
    for name, (count, size, number) in costs.items():
        row = f"| {name} | {count or ''} | {size:,} | {number:,} |".replace("|  |", "| |")
        text = re.sub(rf"^\| {name} \|.*\|$", row, text, flags=re.MULTILINE)
    reading, writing = _NUMBERS[len(READING)], _NUMBERS[len(WRITING)]
    sentence = rf"{reading} tools that read, in {costs['reading'][2]:,} tokens, and {writing} that write"
    return re.sub(r"\w+ tools that read, in [\d,]+ tokens, and \w+ that write", sentence, text)


def main() -> int:
    """Prints a line a list. Returns 0."""
    for name, (count, size, number) in prices().items():
        print(f"{name:20} {f'{count} tools' if count else '':>8} {size:6,} bytes {number:6,} tokens")
    return 0


if __name__ == "__main__":
    sys.exit(main())
