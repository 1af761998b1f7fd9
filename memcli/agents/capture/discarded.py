"""Uncommitted work that is gone: it is in no file, commit, branch or stash any more.

If a session discards work itself, its own answer says so. What was discarded between two sessions, or with a removed working
tree, is found when the next session starts, and stored as a memory.
"""

from __future__ import annotations

import os
import time
from typing import TYPE_CHECKING, Any

from memcli.agents.capture.findings import EDIT_TITLE, TITLE, clipped
from memcli.agents.capture.undone import RevertedTurn, checkout_of
from memcli.memory import MAX_LABEL, entries
from memcli.project import Project
from memcli.repo import changes, head
from memcli.store import authorship, memories, meta, passages, sessions, set_meta
from memcli.store.authorship import Authored
from memcli.store.inbox import LOOKED_AT, READ_COMMIT
from memcli.store.oplog import Change
from memcli.text import dates

if TYPE_CHECKING:
    from collections.abc import Sequence

    from memcli.repo.head import Checkout
    from memcli.store import Connection
    from memcli.store.sessions import Prompt

_OBSERVED = 500  # edits that are looked at
_FILES = 12  # of one turn that are named


def turns_since_last(project: Project, at: int) -> list[RevertedTurn]:
    """Returns the turns before a starting session whose edits are gone without a record of it."""
    checkout = head.find(project.root) if project.checkout and project.root else None
    if checkout is None:
        return []
    return _turns(project, checkout, at, earlier=meta(project.db, READ_COMMIT) or "")


def turns_before(project: Project, prompt: Prompt) -> list[RevertedTurn]:
    """Returns the turns before a prompt whose edits are gone from its session's tree, which at most its answer may say."""
    checkout = checkout_of(project, prompt)
    return _turns(project, checkout, prompt.created_at, reporter=prompt.id) if checkout else []


def _turns(project: Project, checkout: Checkout, until: int, earlier: str = "", reporter: str = "") -> list[RevertedTurn]:
    """Returns the turns up to a moment whose edits are gone, of sessions in this working tree and in removed ones.

    Edits count that were made on the commit that is checked out, and on an `earlier` one where none since changed their files.
    `reporter`: the prompt whose answer may tell so already.
    """
    if not checkout.commit:
        return []
    rows = authorship.edits_at(project.db, checkout.commit, _OBSERVED)
    if earlier and earlier != checkout.commit and (older := authorship.edits_at(project.db, earlier, _OBSERVED)):
        changed = changes.differing(checkout, earlier, checkout.commit)
        rows += [row for row in older if changed is not None and row.path not in changed]
    edits: dict[tuple[str, int], list[Authored]] = {}
    for row in rows:
        edits.setdefault((row.session, row.prompt), []).append(row)
    intact = changes.as_committed(checkout, {row.path for row in rows})
    intact |= changes.gone(checkout, {row.path for row in rows if row.anchor == checkout.commit})
    result = []
    for (name, number), own in edits.items():
        prompt, paths = _turn(project.db, checkout, name, number), {row.path for row in own}
        if not prompt or prompt.created_at >= until or not paths <= intact or _was_committed(project.db, own):
            continue
        if not (_is_reported(project.db, prompt, reporter) or changes.is_elsewhere(checkout, paths, own[0].at // 1000)):
            result.append(RevertedTurn(prompt, (), paths=tuple(sorted(paths))))
    return result


def _turn(db: Connection, checkout: Checkout, name: str, number: int) -> Prompt | None:
    """Returns a turn of a session in this working tree, or in one that no longer exists."""
    session = sessions.find(db, name)
    is_candidate = session and (session.root == checkout.root or (session.root and not os.path.isdir(session.root)))
    return sessions.prompt(db, session.n, number) if session and is_candidate else None


def _was_committed(db: Connection, edits: Sequence[Authored]) -> bool:
    """Tells whether the session of some edits committed afterwards: that commit shows what became of them."""
    last = max(row.n for row in edits)
    return any(row.is_commit and row.n > last for row in authorship.of_sessions(db, [edits[0].session], _OBSERVED))


def _is_reported(db: Connection, prompt: Prompt, reporter: str) -> bool:
    """Tells whether a turn's own answer, or anything but the answer to `reporter`, says what became of its edits."""
    observed = [it for it in memories.of_session(db, prompt.session, _OBSERVED) if it.prompt == prompt.number]
    reporters = {it.id: passages.owner_of(it.superseded_by or "") for it in observed}
    edits = [reporters[it.id] for it in observed if it.title.startswith(EDIT_TITLE)]
    return prompt.id in reporters.values() or (bool(edits) and all(edits) and reporter not in edits)


def put(project: Project, turn: RevertedTurn, memory_id: str, at: int) -> Change:
    """Returns the change that records, under an id, that the work of a turn is gone."""
    files = [path for path in turn.paths if len(path) <= MAX_LABEL][:_FILES]
    day = dates.day(turn.prompt.created_at)
    fields: dict[str, Any] = {
        "title": clipped(f"Uncommitted work of {day} is gone: {', '.join(files)}", TITLE),
        "summary": "A session edited these files; none has its changes any more, nor has a commit, a branch or a stash.",
        "thread": project.config["capture.thread"],
        "kind": "change",
        "tags": ["what-changed"],
        "entities": files,
        "anchor": entries.anchor(project),
        "created": at,
        "source": _source(turn.prompt),
        "tools": [],
    }
    return Change("put", memory_id, fields)


def note_look(project: Project, moment: int) -> None:
    """Notes when the working tree was last examined, in ns of the file system's clock. Runs inside the transaction."""
    if project.root and not project.is_user:
        set_meta(project.db, LOOKED_AT, f"{moment} {head.storable_name(project.root)}")


def clock() -> int:
    """Returns the present moment by the file system's clock, in ns."""
    return time.time_ns()


def _source(prompt: Prompt) -> str:
    return f"discarded/{prompt.id}"
