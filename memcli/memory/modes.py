"""Modes of mecho: each is a workspace of one project, whatever characters its id has."""

from __future__ import annotations

import hashlib
import re
import unicodedata

from memcli.errors import InvalidInput
from memcli.text.terminal import is_storable

MODES = "modes"  # the project of modes that belong to none
ARCHIVE = "_archival"  # suffix of the store beside a mode's own, so that archival texts never come into a prompt by themselves
_PLAIN = re.compile(r"(?=.*[A-Za-z0-9])[A-Za-z0-9_-]{1,53}")
_DIGESTED = re.compile(r".*_[0-9a-f]{16}")
_READABLE = 30  # characters of an id that begin the name of its workspace


def workspace_of(mode: str) -> str:
    """Returns the name of a mode's workspace: its id where that can be one, else what is readable of it and a digest.

    No id is the name of another one's workspace or archive. Case is ignored. Raises InvalidInput.
    """
    if not mode.strip() or not mode.isprintable() or not is_storable(mode):
        raise InvalidInput("not an id of a mode", "use printable characters, not only spaces")
    if _PLAIN.fullmatch(mode) and not _DIGESTED.fullmatch(mode) and not mode.lower().endswith(ARCHIVE):
        return mode
    folded = unicodedata.normalize("NFC", mode.strip()).casefold()
    readable = "".join([char if char.isascii() and char.isalnum() else "-" for char in folded])[:_READABLE]
    return f"{readable}_{hashlib.sha256(folded.encode()).hexdigest()[:16]}"
