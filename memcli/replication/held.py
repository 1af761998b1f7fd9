"""What came from elsewhere and waits: why, and whose it is."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection

from memcli.project import Project
from memcli.records import Record
from memcli.store import meta, quarantine, replication
from memcli.text.dates import DAY
from memcli.validity import writer_names

FUTURE_MS = DAY  # an operation that is dated later than this from now waits until then
AHEAD, UNLISTED, UNSHARED = "dated in the future", "not in sync.writers", "of what you did not share"


class Held(Record):
    """How many changes of one writer wait for one reason."""

    id: str
    name: str | None
    why: str
    count: int


def trusted(project: Project) -> set[str] | None:
    """Returns the writers whose changes are applied; None: everybody's."""
    if project.config["sync.trust"] == "all":
        return None
    return {name.strip() for name in project.config["sync.writers"].split(",") if name.strip()}


def held(project: Project, ids: Collection[str] | None = None) -> list[Held]:
    """Returns what waits, by writer and reason, the most first. `ids`: of the operations that are meant, None: of all."""
    listed = trusted(project)
    counts: Counter[tuple[str, str]] = Counter()
    for name, writer, at, _ in quarantine.quarantined(project.db):
        why = AHEAD if at > project.now + FUTURE_MS else UNSHARED if listed is None or writer in listed else UNLISTED
        counts[writer, why] += ids is None or name in ids
    names = writer_names(project).shown
    return [Held(writer, names.get(writer) or None, why, count) for (writer, why), count in counts.most_common() if count]


def strangers(project: Project) -> list[str]:
    """Returns what sync.writers lists and is the id of nobody whose changes came."""
    known = {writer for writer, _ in replication.owned_writers(project.db)} | {it.id for it in held(project)}
    return sorted((trusted(project) or set()) - known - {meta(project.db, "writer") or ""})
