"""What two texts share that is no accident: runs of words that say something, and names of code."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from memcli.records import Record
from memcli.text import analysis

PHRASE = 4  # words in a row, without stop words, that two texts do not share by accident
_SHORTEST_NAME = 5  # characters of a name of code that says something


class Wording(Record):
    """The words of a text: the runs of PHRASE words in it without stop words, and the names of code, all in lower case."""

    phrases: frozenset[tuple[str, ...]]
    names: frozenset[str]

    def shared(self, other: Wording, but: Wording) -> Wording:
        """Returns what both texts have and a third has not."""
        return Wording(self.phrases & other.phrases - but.phrases, self.names & other.names - but.names)


def wording(*texts: str) -> Wording:
    """Returns the wording of some texts, each read by itself."""
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
    """Tells whether a run of characters is a name of code: joined by _, with letters and digits, or with capitals inside.

    Hyphens join plain words, too.
    """
    if len(run) < _SHORTEST_NAME or not run.isascii() or "-" in run or not any(map(str.isalpha, run)):
        return False
    return "_" in run or analysis.has_inner_capital(run) or any(map(str.isdigit, run))
