"""What two texts share that is no coincidence: runs of meaningful words, and names in code."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from memcli.records import Record
from memcli.text import analysis

PHRASE = 4  # words in a row, without stop words, that two texts do not share by accident
_SHORTEST_NAME = 5  # characters of a name of code that says something


class Wording(Record):
    """The words of a text: its runs of PHRASE words without stop words, and its names in code, all in lower case."""

    phrases: frozenset[tuple[str, ...]]
    names: frozenset[str]

    def shared(self, other: Wording, but: Wording) -> Wording:
        """Returns what both texts have and a third one lacks."""
        return Wording(self.phrases & other.phrases - but.phrases, self.names & other.names - but.names)


def wording(*texts: str) -> Wording:
    """Returns the wording of some texts, each read separately."""
    phrases: set[tuple[str, ...]] = set()
    names: set[str] = set()
    for text in texts:
        runs = [run for run in analysis.runs(text) if run]
        phrases.update(_windows([word for run in runs if (word := run.lower()) not in analysis.STOP_WORDS]))
        names.update([run.lower() for run in runs if is_name(run)])
    return Wording(frozenset(phrases), frozenset(names))


def _windows(words: Sequence[str]) -> Iterator[tuple[str, ...]]:
    return (tuple(words[start : start + PHRASE]) for start in range(len(words) - PHRASE + 1))


def is_name(run: str) -> bool:
    """Tells whether a run of characters is a name in code: with _, letters and digits, or capitals inside.

    Hyphens join plain words, too.
    """
    if len(run) < _SHORTEST_NAME or not run.isascii() or "-" in run or not any(map(str.isalpha, run)):
        return False
    return "_" in run or analysis.has_inner_capital(run) or any(map(str.isdigit, run))
