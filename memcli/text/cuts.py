"""Long texts cut to size: their beginning and their end, with a note between them of how much is missing.

What is a quotation in the whole stays one in what is kept of it, though the cut takes the sign away: each such line then begins
with `>`.
"""

from __future__ import annotations

_TAIL = 0.4  # of what is kept of a long text comes from its end, where tests and builds say how they went
_NOTE = 48  # characters of the note at most
LONGEST = 60_000  # characters that are looked through for quotations: a second at worst
_SIGN = "> "


def with_gap(head: str, tail: str, size: int, most: int) -> str:
    """Returns the beginning of one text and the end of another, with a note between them of how much of `size` is missing."""
    tail_size = tail_room(most)
    head, tail = head[: most - tail_size], tail[-tail_size:] if tail_size else ""
    return f"{head}\n[… {size - len(head) - len(tail)} characters left out …]\n{tail}"


def tail_room(most: int) -> int:
    """Returns how many of so many characters are kept for the end of a text."""
    return int(most * _TAIL)


def keep_quotations(text: str, most: int, is_answer: bool, size: int = 0) -> str:
    """Returns the beginning and the end of a text that somebody wrote, in at most `most` characters with the note.

    `size`: of the text that this one is the beginning and the end of. Then its end counts as a quotation.
    """
    if len(text) <= most:
        return text
    room = most - _NOTE
    head, tail = text[: room - tail_room(room)], text[-tail_room(room) :]
    head_lines, tail_lines = head.split("\n"), tail.split("\n")
    # A cut can take the sign of a quotation away: what is kept is read once more, as whoever gets it will read it.
    whole = _quoted_lines(text[:LONGEST], is_answer)
    is_whole = not size and len(text) <= LONGEST
    of_head, of_tail = whole[: len(head_lines)], whole[-len(tail_lines) :] if is_whole else [True] * len(tail_lines)
    size = size or len(text)
    after = _quoted_lines(with_gap(head, tail, size, room), is_answer)
    if _is_kept(of_head, after[: len(head_lines)]) and _is_kept(of_tail, after[-len(tail_lines) :]):
        return with_gap(head, tail, size, room)
    head, tail = _signed(head_lines, of_head), _signed(tail_lines, of_tail)
    if of_tail[0] and len(tail) > tail_room(room):
        tail = _SIGN + tail[-tail_room(room) + len(_SIGN) :]
    return with_gap(head, tail, size, room)


def _quoted_lines(text: str, is_answer: bool) -> list[bool]:
    """Returns of each line of a text whether something in it is quoted."""
    from memcli.text import quotations

    marked = quotations.marked(text, is_answer)
    return [quotations.plain(line) != line for line in marked.split("\n")]


def _is_kept(before: list[bool], after: list[bool]) -> bool:
    return all(is_quoted or not was_quoted for was_quoted, is_quoted in zip(before, after))


def _signed(lines: list[str], is_quoted: list[bool]) -> str:
    """Returns lines of which each that is quoted says so by itself, and none that begins or ends a block."""
    signed = []
    for line, needs_sign in zip(lines, is_quoted):
        if line.lstrip().startswith(("```", "~~~")):
            signed.append(_SIGN)
        elif needs_sign:
            signed.append(_SIGN + line.replace("```", "''"))
        else:
            signed.append(line)
    return "\n".join(signed)
