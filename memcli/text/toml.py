"""TOML that a repository may hold, read in little time and memory."""

from __future__ import annotations

import re
import tomllib
from typing import Any

MOST_DOTS = 500  # outside of strings; tomllib takes memory by the square of the parts of a key
_TEXTS = re.compile(
    r'"""(?:\\.|(?!""")[^\\])*+(?:"""|\\?\Z)'
    r"|'''(?:(?!''').)*+(?:'''|\Z)"
    r'|"(?:\\.|[^"\\\n])*+"?'
    r"|'[^'\n]*+'?"
    r"|\#[^\n]*+",
    re.S,
)


def loads(text: str) -> dict[str, Any]:
    """Returns the tables of a text. Raises ValueError for what is no TOML, nested too deeply, or has a key of too many parts."""
    if _TEXTS.sub("", text).count(".") > MOST_DOTS:
        raise ValueError(f"more than {MOST_DOTS} dots stand outside of strings")
    try:
        return tomllib.loads(text)
    except RecursionError:
        raise ValueError("nested too deeply") from None
