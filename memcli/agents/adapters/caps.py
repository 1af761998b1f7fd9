"""How much context each agent harness takes from a hook before it cuts it, or moves it into a file.

| harness | its own cap | from |
| --- | --- | --- |
| claude | 10,000 characters; more becomes a file and a preview | the vendor's page on hooks, and measured with 2.1.330 |
| codex | `additionalContextLimit`, 2,500 tokens, read as 10,000 bytes; the middle of more is cut out | measured with 0.169.0 |
| copilot | 10 KB, all hooks together | the vendor's reference of hooks |
| cursor | 10,000 characters | the vendor's page on third-party hooks |
| gemini | none documented | the others' stands in |

A text never has more characters than bytes, so a cap in bytes holds where characters are counted, too.
"""

from __future__ import annotations

from memcli.errors import InvalidInput

CAPS: dict[str, tuple[int, int | None]] = {  # bytes, and tokens where those are capped
    "claude": (10_000, None),
    "codex": (10_000, 2_500),
    "gemini": (10_000, None),
    "copilot": (10_000, None),
    "cursor": (10_000, None),
}


def cap(harness: str) -> tuple[int, int | None]:
    """Returns what a harness takes: (bytes, tokens or None). Raises InvalidInput for one that is not known."""
    if harness not in CAPS:
        raise InvalidInput(f"no harness {harness[:80]!r}", f"use {', '.join(CAPS)}; or give --max-bytes")
    return CAPS[harness]
