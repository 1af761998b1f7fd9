"""Sessions that clients keep on disk by themselves: one private module a client, which reads its files.

What is read is what the client's hooks would have reported, with the times that the client wrote down. What cannot be read of a
file, such as a line that is half written, is counted and passed over.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from memcli.agents.transcripts._session import PastEvent, PastSession, Source
from memcli.records import Record

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["CLIENTS", "PastEvent", "PastSession", "Source", "Transcripts", "transcripts"]

CLIENTS = ("claude", "codex", "gemini", "copilot", "opencode", "specstory")


class Transcripts(Record):
    """The transcripts of one client. `places`: the directories or files that may hold them."""

    client: str
    places: tuple[str, ...]

    def sources(self) -> list[Source]:
        """Returns where its sessions stand, the one that changed least recently first."""
        listed = [source for path in self.places for source in _module(self.client).sources(path)]
        return sorted(listed, key=lambda source: source.changed)

    def directories(self, source: Source) -> set[str]:
        """Returns the directories that a session says it worked in, none where it says nothing of them."""
        directories: set[str] = _module(self.client).directories(source)
        return directories

    def sessions(self, sources: Sequence[Source]) -> Iterator[PastSession]:
        """Yields the session of each source."""
        repeated: set[str] = {""}
        for source in sources:
            yield _module(self.client).read(source, repeated)


def transcripts(client: str, path: str | None, roots: Sequence[str]) -> Transcripts:
    """Returns the transcripts of a client: those in `path`, else where it keeps them. `roots`: tops of the working trees."""
    return Transcripts(client, (path,) if path else tuple(_module(client).places(roots)))


def _module(client: str) -> Any:
    name = f"{__name__}._{client}"
    __import__(name)
    return sys.modules[name]
