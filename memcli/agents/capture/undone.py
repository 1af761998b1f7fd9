"""What git shows to be taken back since the last answer: names that left the code, commits that were reverted, edits undone."""

from __future__ import annotations

import os
import re
from typing import TYPE_CHECKING

from memcli.project import Project
from memcli.records import Record
from memcli.repo import changes, head
from memcli.store import graph, memories, oplog, passages, search, sessions
from memcli.store.oplog import Change
from memcli.store.passages import Passage
from memcli.store.sessions import Prompt
from memcli.text import json
from memcli.text.ids import PLACE, anchor_commit
from memcli.text.statements import COMMAND, DROPPED, LESSON

if TYPE_CHECKING:
    from memcli.store import Connection

REVERTED = "reverted"
REMOVED = "removed "  # how a passage was overtaken that speaks of a name which left the code; the name follows
_SAYS_SO = re.compile(
    r"\b(remov(e|ed|es|ing)|delet(e|ed|es|ing)|replac(ed|es|ing)|renam(ed|es|ing)|instead of|no longer|gone|dropped)\b", re.I
)
_OBSERVED = 500  # edits of a session
_NAMES, _WITH_NAME = 200, 20  # names that went, and passages with each, the newest, that are looked up beside the last ones


class TakenBack(Record):
    """What commits took back. `removed`: passage -> the name it speaks of that is gone; `returned`: passages whose name is back.

    `reverted`: the answers of each turn in which a commit was made that another reverted, with the subject of that commit.
    """

    removed: dict[str, str]
    returned: set[str]
    reverted: list[tuple[str, list[Passage]]]


NOTHING = TakenBack({}, set(), [])


def by_commits(project: Project, earlier: list[Passage], after: str | None) -> TakenBack:
    """Returns what the commits between the last of the `earlier` passages, newest first, and the commit `after` took back."""
    before = next((anchor_commit(passage.anchor) for passage in earlier if passage.anchor), None)
    if project.checkout is None or not before or not after or before == after:
        return NOTHING
    answers = [passage for passage in earlier if passage.thread in passages.OF_AGENT]
    removed, added = changes.changed_names(project.checkout, before, after)
    described = [it for it in [*answers, *_older_with(project.db, removed - added, earlier)] if _describes(it)]
    names_by_passage = {passage.id: changes.names(f"{passage.heading} {passage.text}") for passage in described}
    gone = (removed - added) & {name for names in names_by_passage.values() for name in names}
    reverted_commits, brought_back = changes.reverted(project.checkout, before, after)
    made_again = [it for commit in brought_back for it in _made_with(answers, commit.at * 1000)]
    again = {passage.id for passage in made_again if passage.overtaken.startswith(REVERTED)}
    gone -= changes.present(project.checkout, after, gone)
    return TakenBack(
        removed={
            passage: name for passage, names in names_by_passage.items() if (name := next((it for it in names if it in gone), ""))
        },
        returned={passage.id for passage in answers if _name_removed(passage) in added or passage.id in again},
        reverted=[(it.subject, _made_with(answers, it.at * 1000)) for it in reverted_commits],
    )


def _older_with(db: Connection, some_names: set[str], earlier: list[Passage]) -> list[Passage]:
    """Returns passages that are older than the `earlier` ones, newest first, and hold one of some names."""
    oldest = earlier[-1]
    numbers = {
        n for name in sorted(some_names)[:_NAMES] for n in search.rows_with(db, "passage", search.quoted(name), _WITH_NAME)
    }
    older = [it for it in passages.by_numbers(db, numbers) if (it.created_at, it.n) < (oldest.created_at, oldest.n)]
    return sorted([it for it in older if it.kind == passages.PROMPT and it.thread in passages.OF_AGENT], key=lambda it: it.n)


def _name_removed(passage: Passage) -> str:
    """Returns the name by which a passage was overtaken that is gone, "" for none."""
    how, _, removed = passage.overtaken.partition(" ")
    return removed.split(" ")[0] if f"{how} " == REMOVED else ""


def _describes(passage: Passage) -> bool:
    """Tells whether a passage says how something is, rather than what is to be done, was decided, or was removed."""
    return passage.role in ("", COMMAND, LESSON) and not _SAYS_SO.search(passage.text)


def _made_with(answers: list[Passage], at: int) -> list[Passage]:
    """Returns the answers of the turn in which something happened, at milliseconds since 1970; `answers` come newest first."""
    owner = next((passage.owner for passage in answers if passage.created_at <= at), "")
    return [passage for passage in answers if passage.owner == owner]


def edits(project: Project, prompt: Prompt, answer: Passage) -> list[Change]:
    """Returns the changes by which an answer supersedes the edits of its session that are in no file any more.

    Those count that hooks saw since the last commit, in the working tree of the session. Where a file has its change again, such
    as after `git stash pop`, the edit stands again.
    """
    checkout = _checkout_of(project, prompt)
    if checkout is None:
        return []
    edited = [
        memory
        for memory in memories.of_session(project.db, prompt.session, _OBSERVED)
        if memory.title.startswith("Edited ") and _seen_on(project, memory) == checkout.commit
    ]
    paths = {
        memory.id: {link.to_id for link in graph.links_from(project.db, memory.id) if link.rel == "file"} for memory in edited
    }
    intact = changes.as_committed(checkout, {path for files in paths.values() for path in files})
    result = []
    for memory in [memory for memory in edited if paths[memory.id]]:
        is_undone = paths[memory.id] <= intact
        if is_undone and memory.superseded_by is None:
            result.append(Change("supersede", memory.id, {"by": answer.id, "on": True}))
        elif not is_undone and memory.superseded_by and _was_undone(project, memory.superseded_by):
            result.append(Change("supersede", memory.id, {"by": memory.superseded_by, "on": False}))
    return result


def _seen_on(project: Project, memory: memories.Memory) -> str | None:
    """Returns the commit that was checked out when something was observed; its anchor moves on to the next one of a branch."""
    first = oplog.of_object(project.db, memory.id)[:1]
    return anchor_commit(json.loads(first[0].body).get("anchor")) if first else None


def _checkout_of(project: Project, prompt: Prompt) -> head.Checkout | None:
    """Returns the working tree of a prompt's session as it is now, None where it is gone or belongs to another repository."""
    session = sessions.find(project.db, sessions.name(project.db, prompt.session) or "")
    checkout = head.find(session.root) if session and session.root and os.path.isdir(session.root) else None
    is_ours = checkout and project.checkout and checkout.common_dir == project.checkout.common_dir
    return checkout if is_ours else None


def _was_undone(project: Project, successor: str) -> bool:
    """Tells whether an edit was superseded because its file had lost it, not because an answer said that it was dropped."""
    passage = passages.find(project.db, successor) if PLACE in successor else None
    return passage is not None and passage.role != DROPPED
