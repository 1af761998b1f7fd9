"""Which command an answer says works here, in a sentence or in a block of code below one."""

from __future__ import annotations

from memcli.text import _command_cues, passages, quotations
from memcli.text.quotations import joined


def introduced(heading: str, text: str) -> str:
    """Returns the sentence that introduces a command in a block of code, and the command; "" where there is none."""
    before, _, code = text.partition("```")
    stated = [joined(sentence) for sentence in passages.sentences(before) if sentence.strip()]
    sentence = stated[-1] if stated else f"{heading.rpartition(': ')[2]}:"
    lines = [line.strip() for line in code.partition("```")[0].split("\n")[1:] if line.strip()]
    return f"{sentence} `{lines[0]}`" if len(lines) == 1 and _command_cues.INTRODUCED.search(sentence) else ""


def names(sentence: str) -> bool:
    """Tells whether a sentence says which command works; the command itself is what a quotation is to every other cue."""
    return bool(_command_cues.NAMED.search(_command_cues.SPAN.sub(lambda span: quotations.plain(span[0]), sentence)))
