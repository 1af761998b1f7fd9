"""What programs store that watch sessions of agents: C-Mem and claude-mem. Sessions, prompts, observations, summaries."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from typing import Any

from memcli.errors import InvalidInput
from memcli.sync.sources.shape import UNDATED, Entry, ReadScope, json_list, memory, moment, skip, text, unread_lists

Row = dict[str, Any]
Rows = dict[str, list[Row]]
_EVERYTHING = "all"
OTHER_PROJECTS = f"of other projects (--project NAME, or --project {_EVERYTHING})"
_MOST_NAMED = 5
_PARTS = (
    ("Asked", ("request",)),
    ("Investigated", ("investigated",)),
    ("Done", ("work_done", "completed")),
    ("Learned", ("discoveries", "learned")),
    ("Left", ("remaining", "next_steps")),
    ("Notes", ("notes",)),
)


class Observer:
    """One program: its name, what each of its rows calls its session, the harness that a session ran in."""

    def __init__(self, system: str, session_of: Callable[[Row], str], harness_of: Callable[[str], str]) -> None:
        self.system = system
        self.session_of = session_of
        self.harness_of = harness_of

    def entries(self, rows: Rows, scope: ReadScope) -> Iterator[Entry]:
        """Yields what belongs to the wanted projects. Raises InvalidInput where it is not clear which these are."""
        projects = wanted_projects(rows, scope)
        chosen = {name: [row for row in table if row.get("project") in projects] for name, table in rows.items()}
        for project, count in _counts(rows).items():
            if project not in projects:
                yield skip(OTHER_PROJECTS, project, count)
        yield from self._sessions(chosen)
        for row in chosen["prompts"]:
            if text(row["prompt_text"]).strip():
                yield {
                    "session": self.session_of(row),
                    "harness": self.harness_of(self.session_of(row)),
                    "prompt": text(row["prompt_text"]),
                    "prompt_number": _number(row["prompt_number"]),
                    **_created(row),
                }
        yield from [self._observation(row) for row in chosen["observations"]]
        for row in chosen["summaries"]:
            yield self._summary(row) or skip("summaries without a word", row["id"])

    def _sessions(self, rows: Rows) -> Iterator[Entry]:
        """Yields each session once, also one of which there are only observations."""
        sessions: dict[str, Entry] = {}
        for row in [*rows["sessions"], *rows["prompts"], *rows["observations"], *rows["summaries"]]:
            key = self.session_of(row)
            if key and key not in sessions:
                started = moment(row.get("started_at_epoch"), row.get("created_at_epoch"), row.get("created_at"))
                ended = moment(row.get("completed_at_epoch"), row.get("completed_at"))
                sessions[key] = {"session": key, "harness": self.harness_of(key), "started_at": started, "ended_at": ended}
        yield from sessions.values()

    def _observation(self, row: Row) -> Entry:
        facts = json_list(row["facts"])
        narrative = text(row["narrative"] or row["text"]).strip()
        lines = [text(row["subtitle"]).strip(), narrative, *[f"- {fact}" for fact in facts]]
        return memory(
            self._source("observation", row),
            row["title"],
            "\n".join([line for line in dict.fromkeys(lines) if line]),
            thread=self.system,
            kind=text(row["kind"]).lower(),
            tags=json_list(row["tags"]),
            created_at=(row["created_at_epoch"], row["created_at"]),
            lost=unread_lists(row, "tags", "facts", "files_modified"),
            past_files=_files(row, ("files_modified",)),
            details={"narrative": narrative, "facts": facts},
            tools=[text(row["tool_name"])] if row.get("tool_name") else None,
            **self._in_session(row),
        )

    def _summary(self, row: Row) -> Entry | None:
        columns = [(label, [text(row.get(name)).strip() for name in names]) for label, names in _PARTS]
        sections = [(label, next((words for words in texts if words), "")) for label, texts in columns]
        lines = [f"{label}: {words}" for label, words in sections if words]
        if not lines:
            return None
        return memory(
            self._source("summary", row),
            next(words for _, words in sections if words).split("\n")[0],
            "\n".join(lines),
            thread=self.system,
            kind="summary",
            created_at=(row["created_at_epoch"], row["created_at"]),
            lost=unread_lists(row, "files_edited"),
            past_files=_files(row, ("files_edited",)),
            **self._in_session(row),
        )

    def _source(self, kind: str, row: Row) -> str:
        """Returns a source id: numbers of rows begin anew on each machine, sessions and moments do not."""
        return f"{self.system}:{kind}:{self.session_of(row)}:{row['created_at_epoch']}:{row['id']}"

    def _in_session(self, row: Row) -> Entry:
        key = self.session_of(row)
        number = _number(row.get("prompt_number"))
        return {"session": key, "harness": self.harness_of(key), "prompt_number": number} if key else {}


def _created(row: Row) -> Entry:
    created = moment(row["created_at_epoch"], row["created_at"])
    return {"created_at": created} if created else {"created_at": None, "lost": [UNDATED]}


def _number(value: Any) -> int:
    return value if isinstance(value, int) and 0 <= value < 1 << 31 else 0


def _files(row: Row, names: Sequence[str]) -> list[str]:
    return [path for name in names for path in json_list(row.get(name))]


def _counts(rows: Rows) -> dict[Any, int]:
    """Returns how many rows each project has, the largest first."""
    counts: dict[Any, int] = {}
    for name in ("observations", "summaries", "prompts"):
        for row in rows[name]:
            counts[row.get("project")] = counts.get(row.get("project"), 0) + 1
    return dict(sorted(counts.items(), key=lambda item: -item[1]))


def wanted_projects(rows: Rows, scope: ReadScope) -> set[Any]:
    """Returns the names of the wanted projects: this repository's, else the only one. Raises InvalidInput."""
    counts = _counts(rows)
    listed = ", ".join(
        [f"{text(name)[:60] or 'without a name'} ({count:,})" for name, count in list(counts.items())[:_MOST_NAMED]]
    )
    if scope.project == _EVERYTHING:
        return set(counts)
    if scope.project is not None:
        if scope.project not in counts:
            raise InvalidInput(f"nothing of the project {scope.project[:80]!r}", f"there is {listed or 'nothing at all'}")
        return {scope.project}
    ours = {name for name in counts if name == scope.root or (name and os.path.basename(text(name).rstrip("/")) in scope.names)}
    if not ours and len(counts) > 1:
        hint = f"there is {listed}: choose with --project NAME, or take --project {_EVERYTHING}"
        raise InvalidInput("none of its projects is called as this repository is", hint)
    return ours or set(counts)
