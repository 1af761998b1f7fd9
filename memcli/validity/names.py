"""What other stores are called here: by the names that their owners chose, and with their ids where two look the same."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from memcli import system
from memcli.store import meta, replication
from memcli.text.terminal import look_of

if TYPE_CHECKING:
    from memcli.project import Project

_SHORT = 4  # characters of an id that stand for it, if that is enough
_LONGEST = 40  # characters of a name where it stands beside a text
_ID = " (W-"  # begins what stands behind a name


class WriterNames:
    """The stores whose owners gave them a name; a name for which `is_order` holds is none.

    `shown`: by the id of a store, its name as every door shows it: with the id where another store's name looks the same, unless
    it is this store's own.
    """

    def __init__(self, project: Project, is_order: Callable[[str], bool]) -> None:
        self._project = project
        self._own = meta(project.db, "writer") or ""
        self._jobs = replication.jobs(project.db) | ({self._own} if system.is_ci() else set())
        self._names = {writer: name for writer, name in replication.writers(project.db).items() if not is_order(name)}
        if name := project.config["sync.author"].strip():
            self._names[self._own] = name
        self._groups: dict[str, list[str]] = {}
        for writer, name in sorted(self._names.items()):
            if name:
                self._groups.setdefault(_look(name), []).append(writer)
        self._ids = {writer: _short(writer, group) for group in self._several() for writer in group}
        self.shown = {writer: name + self._behind(writer) for writer, name in self._names.items()}

    def clipped(self, writer: str) -> str:
        """Returns a name as it stands beside a text, "" for a store without one."""
        return self._names[writer][:_LONGEST] + self._behind(writer) if self._names.get(writer) else ""

    def namesakes(self) -> list[tuple[str, list[str]]]:
        """Returns the names that several stores have, each with the short ids of these."""
        return [(self._names[group[0]].partition(_ID)[0], self.labels(group)) for group in self._several()]

    def are_jobs(self, writers: list[str]) -> bool:
        """Tells whether stores are all of CI jobs, of which each run has one: nobody has to tell those apart."""
        return set(writers) <= self._jobs

    def _several(self) -> list[list[str]]:
        """Returns the stores that have one name, where these are to be told apart."""
        return [group for group in self._groups.values() if len(group) > 1 and not self.are_jobs(group)]

    def labels(self, writers: list[str]) -> list[str]:
        """Returns the short ids of stores."""
        return [_short(it, writers) + " (this store)" * (it == self._own) for it in writers]

    def meant_by(self, typed: str) -> list[str]:
        """Returns the ids of the stores that a person may mean by a name, an id, or the beginning of an id as it is shown."""
        known = {*self._names, self._own, *[writer for writer, _ in replication.owned_writers(self._project.db)]}
        word = typed.strip().lower()
        number = word.removeprefix("w-")
        is_short = word != number and len(number) >= _SHORT
        by_id = [it for it in sorted(known) if it and (it in (word, number) or (is_short and it.startswith(number)))]
        by_name = [writer for writer in self._ids if self.shown[writer].lower() == word and writer != self._own]
        return by_id or by_name or self._groups.get(_look(typed), [])

    def _behind(self, writer: str) -> str:
        return f" ({self._ids[writer]})" if writer in self._ids and writer != self._own else ""


def _look(name: str) -> str:
    """Returns what a name looks like; without the id that its owner put behind it, as if it stood there."""
    return look_of(name.strip().lower().partition(_ID.lower())[0])


def _short(writer: str, group: list[str]) -> str:
    """Returns the beginning of an id that no other of a group has."""
    size = next(
        (it for it in range(_SHORT, len(writer)) if sum([other[:it] == writer[:it] for other in group]) == 1), len(writer)
    )
    return f"W-{writer[:size]}"
