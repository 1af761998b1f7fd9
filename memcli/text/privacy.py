"""Private spans, and context that was put into a text by `mem` or a harness: taken out before anything is stored."""

from __future__ import annotations

NAMES = ("private", "mem-context", "c-mem-context", "hook_context", "system-reminder")


def public(text: str) -> str:
    """Returns `text` without private spans and without injected context; one that is not closed reaches to the end."""
    for name in NAMES if "<" in text else ():
        parts, depth, low = [], 0, text.lower()
        at = start = 0
        while (at := low.find(name, at)) >= 0:
            opens, closes = low[at - 1 : at] == "<", low[at - 2 : at] == "</"
            if opens or (closes and depth):
                parts += [text[start : at - 1]] if opens and not depth else []
                depth += 1 if opens else -1
                start = (low.find(">", at) + 1 or len(low)) if not depth else start
            at += len(name)
        text = "".join([*parts, "" if depth else text[start:]])
    return text
