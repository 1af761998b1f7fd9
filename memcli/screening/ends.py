"""The end of a text that is too long to be screened as a whole. What is secret in it may be said far above: by a table's head."""

from __future__ import annotations

from memcli.screening import mask

_HEAD_LINES = 8  # of a block, in which the head of its table or list stands
_HEAD = 2_048  # characters of them


def masked_end(text: str, size: int, margin: int) -> str:
    """Returns the last `size` characters of a text without secrets. `margin`: characters before them that are screened, too.

    A block of lines that begins before them is screened with its first lines, and the last line above it.
    """
    at = max(0, len(text) - size - margin)
    begin = text.find("\n", at, at + margin) + 1
    if not begin:
        return mask(text[at:]).text[margin:]
    block = text.rfind("\n\n", 0, begin)
    above = text.rfind("\n", 0, block) + 1 if block > 0 else 0
    lines = text[above:begin][:_HEAD].split("\n")[:-1][:_HEAD_LINES]  # whole ones
    masked = mask("\n".join([*lines, text[begin:]])).text
    return masked.split("\n", len(lines))[-1][margin - (begin - at) :]
