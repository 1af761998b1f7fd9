"""Private spans, and context that a harness or `mem` itself put into a text, taken out before anything is stored.

Pure functions over one pass of the text: linear whatever it holds, and light enough for a hook.
"""

from __future__ import annotations

PRIVATE = b"private"
# What we inject, and what harnesses wrap around injected text: it is no news, and storing it would feed on itself.
INJECTED = (b"mem-context", b"c-mem-context", b"claude-mem-context", b"hook_context", b"hook-context")
# Harnesses' own remarks. People write about these, so that one that is never closed is taken for prose.
REMARKS = (b"system-reminder", b"system_reminder", b"persisted-output")
_LONGEST = 24  # bytes of "<", "/" and the longest name
_JOINT = "…".encode()  # between two halves that would read as a tag when they meet; no tag has it behind its name
_NAME_GOES_ON = b"abcdefghijklmnopqrstuvwxyz0123456789_-.:" + bytes(range(0x80, 0x100))


def public(text: str) -> str:
    """Returns `text` without private spans and without injected context; nothing is put in their place.

    `<private>` ends at its `</private>`, nested ones at the last; one that is not closed reaches to the end of the text.
    Upper and lower case and attributes do not matter. A closing tag that closes nothing stays as it is.
    """
    return _without(text, (PRIVATE,), INJECTED, REMARKS)


def without_private(text: str) -> str:
    """Returns `text` without private spans only: what somebody stores on purpose may speak of anything else."""
    return _without(text, (PRIVATE,), (), ())


def _without(text: str, private: tuple[bytes, ...], injected: tuple[bytes, ...], remarks: tuple[bytes, ...]) -> str:
    """Takes out what is between the tags of these names. Inside a private span nothing counts but its end, and inside a
    context nothing but that context's: what was stored once cannot make the rest of a prompt private."""
    if "<" not in text:
        return text
    raw = text.encode("utf-8", "surrogatepass")
    low = raw.lower()  # of bytes: ASCII only, so that every place in it is the same place in `raw`
    names = [name for name in (*private, *injected, *remarks) if b"<" + name in low]
    if not names:
        return text
    last = {name: low.rfind(b"</" + name) for name in names if name in remarks}
    texts: list[bytes] = []
    start = depth = 0
    inside = b""
    for at, name, closes in _tags(low, names):
        if depth:
            if name == inside:
                depth += -1 if closes else 1
                start = low.find(b">", at) + 1 if closes else start
        elif not closes and last.get(name, at) >= at and not _is_empty(low, at, name):
            _keep(texts, raw[start:at])
            inside, depth = name, 1
    if not depth:
        _keep(texts, raw[start:])
    return b"".join(texts).decode("utf-8", "surrogatepass")


def _tags(low: bytes, names: list[bytes]) -> list[tuple[int, bytes, bool]]:
    """Returns every tag of these names: (where it begins, its name, whether it closes)."""
    opening, closing = tuple([b"<" + name for name in names]), tuple([b"</" + name for name in names])
    either = opening + closing
    tags = []
    at = low.find(b"<")
    while at >= 0:
        if low.startswith(either, at):
            closes = low.startswith(b"</", at)
            for name in names:
                end = at + closes + 1 + len(name)
                if low.startswith(name, at + closes + 1) and low[end : end + 1] not in _NAME_GOES_ON:
                    tags.append((at, name, closes))
        at = low.find(b"<", at + 1)
    return [tag for tag in tags if not tag[2] or _ends(low, tag[0] + 2 + len(tag[1]))]


def _ends(low: bytes, at: int) -> bool:
    """True where nothing but spaces is between the name of a closing tag and its `>`."""
    end = low.find(b">", at, at + _LONGEST)
    return end >= 0 and not low[at:end].strip()


def _is_empty(low: bytes, at: int, name: bytes) -> bool:
    """True for `<private/>`, which encloses nothing."""
    return low[at + 1 + len(name) : at + 1 + len(name) + _LONGEST].lstrip().startswith(b"/>")


def _keep(texts: list[bytes], piece: bytes) -> None:
    """Adds a piece, and sees to it that no tag comes about where two pieces meet."""
    if texts and texts[-1].rfind(b"<", -_LONGEST) > texts[-1].rfind(b">", -_LONGEST):
        texts.append(_JOINT)
    texts.append(piece)
