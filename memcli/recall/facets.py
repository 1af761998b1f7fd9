"""The facets of all that is stored: which value of each a row has, and how many rows have each value.

Rows are read column by column, as they may be all that is stored.
"""

from __future__ import annotations

from collections import Counter
from itertools import chain, compress
from operator import attrgetter
from typing import TYPE_CHECKING, Any

from memcli.fields import Result
from memcli.repo import branches
from memcli.store import catalogue, memories
from memcli.text import dates
from memcli.text.ids import PLACE, anchor_branch
from memcli.validity import DRIFTED, REACHABLE, LinkStatus, anchor_states, is_replaced, state_name

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from memcli.project import Project
    from memcli.store.catalogue import StoredRow

MOST_VALUES = 40  # of a facet that are listed
_LINKED = 1_000  # memories with files, up to which it is looked whether those changed


class FacetValue(Result):
    """How many rows have a value. `label`: the value for people, if it is an id."""

    value: str
    count: int
    label: str


class Facets(Result):
    """The values of each facet, most frequent first."""

    type: list[FacetValue]
    kind: list[FacetValue]
    state: list[FacetValue]
    origin: list[FacetValue]
    thread: list[FacetValue]
    branch: list[FacetValue]
    file: list[FacetValue]
    session: list[FacetValue]


FACETS = Facets._fields


class Values:
    """What each row has of each facet."""

    def __init__(self, project: Project, rows: Sequence[StoredRow]) -> None:
        self._project = project
        self._rows = rows
        states = anchor_states(project, {row.anchor for row in rows})
        self._anchors = {anchor: state_name(state) for anchor, state in states.items()}
        self._replaced: dict[str, bool] = {}
        self._branch_of = _branches(project, self._anchors)
        self._sessions = catalogue.session_names(project.db, sorted({row.session for row in rows if row.session}))
        self._files: dict[str, list[str]] = {}
        ids = [row.id for row in rows if row.type == "memory"]
        for memory_id, path in catalogue.files(project.db, ids if len(ids) <= _LINKED else None):
            if path not in self._files.setdefault(memory_id, []):
                self._files[memory_id].append(path)
        linked = [row.id for row in rows if row.id in self._files]
        links = memories.links_of(project.db, linked) if 0 < len(linked) <= _LINKED else []
        self._links = LinkStatus(project, links)
        self._examined = {memory_id for memory_id, *_ in links}

    def column(self, name: str) -> list[Any]:
        """Returns each row's value of a facet, or None; for `file`, its files."""
        if name == "state":
            return self._states()
        if name == "thread":
            return [row.thread or None for row in self._rows]
        methods = {"branch": self.branch, "file": self.files, "session": self.session}
        return list(map(methods.get(name) or attrgetter(name), self._rows))

    def _states(self) -> list[str]:
        """Returns the state of each row. For most, the anchor alone decides."""
        holds = {anchor: "holds" if state == REACHABLE else state for anchor, state in self._anchors.items()}
        examined = self._examined
        return [
            self.state(row) if row.superseded_by or row.forgotten or row.id in examined else holds[row.anchor]
            for row in self._rows
        ]

    def state(self, row: StoredRow) -> str:
        """Returns whether a row holds here: holds, drifted, carried, orphan, unknown, superseded, overtaken, forgotten."""
        if row.forgotten:
            return "forgotten"
        if row.superseded_by and self._is_replaced(row.id, row.superseded_by):
            return "overtaken" if row.type == "passage" else "superseded"
        anchor = self._anchors[row.anchor]
        if anchor != REACHABLE:
            return anchor
        return DRIFTED if row.id in self._examined and self._links.freshness(row.id).state == DRIFTED else "holds"

    def _is_replaced(self, name: str, successor: str) -> bool:
        key = successor if PLACE in successor else name  # the statements of one turn replace many observations
        if key not in self._replaced:
            self._replaced[key] = is_replaced(self._project, self._project.db, name, successor)
        return self._replaced[key]

    def branch(self, row: StoredRow) -> str | None:
        """Returns the branch that has a row's commit, the checked-out one if HEAD has it; None if that is not known."""
        return self._branch_of[row.anchor]

    def files(self, row: StoredRow) -> Sequence[str]:
        """Returns the files that a row names."""
        return (row.path,) if row.path else self._files.get(row.id, ())

    def session(self, row: StoredRow) -> str | None:
        """Returns the id of a row's session."""
        return self._sessions[row.session][0] if row.session in self._sessions else None

    def session_title(self, row: StoredRow) -> str:
        """Returns the outcome of a row's session, or ""."""
        return self._sessions[row.session][1] if row.session in self._sessions else ""

    def listed(self, name: str, counts: Counter[str]) -> list[FacetValue]:
        """Returns the values of a facet, most frequent first."""
        labels = self._dated_sessions() if name == "session" else {}
        most = sorted(counts.items(), key=lambda pair: (-pair[1], pair[0]))[:MOST_VALUES]
        return [FacetValue(value, count, labels.get(value, value)) for value, count in most]

    def _dated_sessions(self) -> dict[str, str]:
        """Returns the sessions' days and outcomes by their ids: several have the same outcome."""
        starts = catalogue.session_starts(self._project.db, list(self._sessions))
        return {name: f"{dates.local_day(starts[n])} {title}" for n, (name, title, _) in self._sessions.items()}


def _branches(project: Project, states: dict[str | None, str]) -> dict[str | None, str | None]:
    """Returns the branch that has the commit of each anchor, None if that is not known. `states`: of the anchors."""
    checkout = project.checkout
    current = (checkout.branch if checkout else "") or None
    is_apart = checkout is not None and any(state != REACHABLE for state in states.values())
    beside = branches.beside_head(checkout) if checkout is not None and is_apart else {}
    by_anchor = {
        anchor: beside.get(anchor or "") or (current if state == REACHABLE and anchor else None)
        for anchor, state in states.items()
    }
    return by_anchor | {anchor: branch for anchor in states if (branch := anchor_branch(anchor))}


def counted(rows: Sequence[StoredRow], values: Values, facets: dict[str, str]) -> tuple[list[StoredRow], dict[str, Counter[Any]]]:
    """Returns the rows that fit all facets, and for each facet how many of the rows that fit the others have each value."""
    columns = {name: values.column(name) for name in FACETS}
    fitting = fits(columns, facets)
    counts = {}
    for name, column in columns.items():
        others = [rows_fit for other, rows_fit in fitting.items() if other != name]
        values_left = compress(column, all_of(others)) if others else column
        counts[name] = Counter(chain.from_iterable(values_left) if name == "file" else values_left)
        del counts[name][None]
    return list(compress(rows, all_of(fitting.values()))) if fitting else list(rows), counts


def fits(columns: dict[str, list[Any]], facets: dict[str, str]) -> dict[str, list[bool]]:
    """Returns, for each facet in the query, which rows have its value."""
    return {
        name: [value in it for it in columns[name]] if name == "file" else [value == it for it in columns[name]]
        for name, value in facets.items()
    }


def all_of(columns: Iterable[list[bool]]) -> Iterator[bool]:
    """Yields for each row whether it fits in every column."""
    return map(all, zip(*columns))
