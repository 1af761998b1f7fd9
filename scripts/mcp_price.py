#!/usr/bin/env python3
"""Prints what the list of MCP tools costs a client: bytes of JSON and cl100k tokens, read-only and with writing."""

from __future__ import annotations

import json
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from memcli.mcp.server import INSTRUCTIONS, WRITE, listed
from memcli.mcp.tools import READING, WRITING
from memcli.store.vocabulary import ranks
from memcli.text import tokens


def price(text: str) -> str:
    """Returns the size of a text."""
    return f"{len(text.encode()):6,} bytes {tokens.count(text, ranks()):6,} tokens"


def main() -> int:
    """Prints a line a list. Returns 0."""
    for name, tools in (("reading", READING), ("reading and writing", (*READING, *WRITING))):
        schemas = [listed(tool).model_dump(by_alias=True, exclude_none=True) for tool in tools]
        print(f"{name:20} {len(tools):3} tools {price(json.dumps(schemas, separators=(',', ':')))}")
    print(f"{'instructions':30} {price(INSTRUCTIONS.format(WRITE))}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
