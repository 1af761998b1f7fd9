"""What git shows to be taken back since the last answer: names that left the code, commits that were reverted, edits undone."""

from __future__ import annotations

import re

from memcli.project import Project
from memcli.records import Record
from memcli.repo import changes
from memcli.store import graph, memories, passages
from memcli.store.memories import Memory
from memcli.store.oplog import Change
from memcli.store.passages import Passage
from memcli.store.sessions import Prompt
from memcli.text.statements import COMMAND

REMOVED = "removed "  # how a passage was overtaken that speaks of a name which left the code; the name follows
_SAYS_SO = re.compile(
    r"\b(remov(e|ed|es|ing)|delet(e|ed|es|ing)|replac(ed|es|ing)|renam(ed|es|ing)|instead of|no longer|gone|dropped)\b", re.I
)
_OBSERVED = 500  # edits of a session


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
    before = next((passage.anchor for passage in earlier if passage.anchor), None)
    if project.checkout is None or not before or not after or before == after:
        return NOTHING
    answers = [passage for passage in earlier if passage.thread == passages.ANSWER]
    removed, added = changes.changed_names(project.checkout, before, after)
    named = {passage.id: changes.names(passage.text) for passage in answers if _describes(passage)}
    gone = (removed - added) & {name for names in named.values() for name in names}
    gone -= changes.present(project.checkout, after, gone)
    return TakenBack(
        removed={passage: name for passage, names in named.items() if (name := next((it for it in names if it in gone), ""))},
        returned={passage.id for passage in answers if passage.overtaken.removeprefix(REMOVED) in added},
        reverted=[(it.subject, _made_with(answers, it.at * 1000)) for it in changes.reverted(project.checkout, before, after)],
    )


def _describes(passage: Passage) -> bool:
    """Tells whether a passage says how something is, rather than what is to be done, was decided, or was removed."""
    return passage.role in ("", COMMAND) and not _SAYS_SO.search(passage.text)


def _made_with(answers: list[Passage], at: int) -> list[Passage]:
    """Returns the answers of the turn in which something happened, at milliseconds since 1970; `answers` come newest first."""
    owner = next((passage.owner for passage in answers if passage.created_at <= at), "")
    return [passage for passage in answers if passage.owner == owner]


def edits(project: Project, prompt: Prompt) -> list[Memory]:
    """Returns the edits that hooks saw in the session of a prompt since the last commit, and that are in no file any more."""
    if project.checkout is None:
        return []
    seen = [
        memory
        for memory in memories.of_session(project.db, prompt.session, _OBSERVED)
        if memory.title.startswith("Edited ") and memory.superseded_by is None and memory.anchor == project.checkout.commit
    ]
    paths = {memory.id: {link.to_id for link in graph.links_from(project.db, memory.id) if link.rel == "file"} for memory in seen}
    intact = changes.as_at_head(project.checkout, {path for files in paths.values() for path in files})
    return [memory for memory in seen if paths[memory.id] and paths[memory.id] <= intact]


def superseding(undone: list[Memory], answer: Passage) -> list[Change]:
    """Returns the changes by which an answer supersedes edits that were undone."""
    return [Change("supersede", memory.id, {"by": answer.id, "on": True}) for memory in undone]
