"""What was undone since the last answer, according to git: names that left the code, reverted commits, discarded edits."""

from __future__ import annotations

import os
import re
from typing import TYPE_CHECKING

from memcli.agents.capture import standing_edits
from memcli.agents.capture.findings import EDIT_TITLE
from memcli.memory import turn_commits
from memcli.project import Project
from memcli.records import Record
from memcli.repo import changes, head
from memcli.store import authorship, graph, memories, oplog, passages, search, sessions
from memcli.store.oplog import Change
from memcli.store.passages import Passage
from memcli.store.sessions import Prompt
from memcli.text import json
from memcli.text.ids import PLACE, anchor_commit
from memcli.text.statements import COMMAND, DROPPED, LESSON

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from memcli.repo.changes import Pairs
    from memcli.repo.history import Commit
    from memcli.store import Connection
    from memcli.store.memories import Memory

# Passage -> (its successor, how it was overtaken: done, reverted, fixed, replaced, or removed and which name).
Overtaken = dict[str, tuple[str, str]]

REVERTED, RESTORED = "reverted", "restored"
REMOVED = "removed "  # how a passage was overtaken whose name left the code; the name follows
_SAYS_SO = re.compile(
    r"\b(remov(e|ed|es|ing)|delet(e|ed|es|ing)|replac(ed|es|ing)|renam(ed|es|ing)|instead of|no longer|gone|dropped)\b", re.I
)
_OBSERVED = 500  # edits of a session
_COMMITS = 4  # on which edits of a session were made, the last, that are looked at
_NAMES, _WITH_NAME = 200, 20  # names that went, and passages with each, the newest, that are looked up beside the last ones


class RevertedTurn(Record):
    """A turn whose work was taken back: `subjects` of the commits that were, `kept` of those that stand; none of either where
    nothing was committed. `is_sure`: it is known, and not only by the hour, that the commits were made in this turn.
    `by`: the last commit that took some back; `paths`: the files whose edits are gone, where nothing was committed.
    """

    prompt: Prompt
    subjects: tuple[str, ...]
    kept: tuple[str, ...] = ()
    is_sure: bool = True
    by: Commit | None = None
    paths: tuple[str, ...] = ()


class TakenBack(Record):
    """What commits undid. `removed`: passage -> the name in it that is gone; `returned`: passages whose name is back.

    `reverted`, `again`: turns whose commits others reverted, or brought back.
    """

    removed: dict[str, str]
    returned: set[str]
    reverted: list[RevertedTurn]
    again: list[RevertedTurn]


NOTHING = TakenBack({}, set(), [], [])


def by_commits(project: Project, earlier: list[Passage], after: str | None) -> TakenBack:
    """Returns what was undone by the commits between the last of the `earlier` passages, newest first, and the commit `after`."""
    before = next((anchor_commit(passage.anchor) for passage in earlier if passage.anchor), None)
    if project.checkout is None or not before or not after or before == after:
        return NOTHING
    answers = [passage for passage in earlier if passage.thread in passages.OF_AGENT]
    removed, added = changes.changed_names(project.checkout, before, after)
    described = [it for it in [*answers, *_older_with(project.db, removed - added, earlier)] if _describes(it)]
    names_by_passage = {passage.id: changes.names(f"{passage.heading} {passage.text}") for passage in described}
    gone = (removed - added) & {name for names in names_by_passage.values() for name in names}
    reverted, again = by_reverts(project, before, after, answers)
    gone -= changes.present(project.checkout, after, gone)
    return TakenBack(
        removed={
            passage: name for passage, names in names_by_passage.items() if (name := next((it for it in names if it in gone), ""))
        },
        returned={passage.id for passage in answers if _name_removed(passage) in added},
        reverted=reverted,
        again=again,
    )


def by_reverts(
    project: Project, before: str, after: str, answers: Sequence[Passage] = ()
) -> tuple[list[RevertedTurn], list[RevertedTurn]]:
    """Returns the turns whose commits were reverted between `before` and `after`, and those whose commits were restored.

    `answers`, newest first: a commit that no hook saw is attributed to the turn that was last answered before it.
    """
    assert project.checkout is not None
    undone, returned = changes.reverted(project.checkout, before, after)
    lasting = {commit.id for commit, _ in returned}  # reverted, and the revert reverted
    lost = [(commit, by) for commit, by in undone if commit.id not in lasting]
    return _turns_of(project.db, lost, answers), _turns_of(project.db, returned, answers)


def _turns_of(db: Connection, pairs: Pairs, answers: Sequence[Passage]) -> list[RevertedTurn]:
    """Returns the turns in which some commits were made, with their other commits. `pairs`: (commit, what reverted it)."""
    by_turn: dict[tuple[str, bool], Pairs] = {}
    for commit, by in pairs:
        owner = turn_of(db, commit)
        last = next((it.owner for it in answers if it.created_at < (commit.at + 1) * 1000), "")
        by_turn.setdefault((owner or last, bool(owner)), []).append((commit, by))
    turns = []
    for (prompt_id, is_sure), of_turn in by_turn.items():
        own = [commit.subject for commit, _ in of_turn]
        messages = [it for it in passages.of(db, prompt_id) if it.thread == passages.COMMIT]
        standing = [subject_of(it) for it in messages if not it.overtaken.startswith(REVERTED)]
        if prompt := sessions.find_prompt(db, prompt_id):
            remaining = tuple([it for it in dict.fromkeys(standing) if it not in own])
            turns.append(
                RevertedTurn(prompt, tuple(own), remaining, is_sure, max([by for _, by in of_turn], key=lambda it: it.at))
            )
    return turns


def subject_of(passage: Passage) -> str:
    """Returns the subject of the commit whose message a passage comes from."""
    return passage.heading or passage.text


def turn_of(db: Connection, commit: Commit) -> str:
    """Returns the prompt in whose turn a commit was made, known from its message or from hooks, or ""."""
    numbers = search.rows_with(db, "passage", search.quoted(commit.subject), _WITH_NAME)
    messages = [it for it in passages.by_numbers(db, numbers) if it.thread == passages.COMMIT]
    owners = [it for it in messages if subject_of(it) == commit.subject and it.created_at < (commit.at + 1) * 1000]
    if owners:
        own = turn_commits.prompts_of(db, commit.id, commit.subject)
        return max(owners, key=lambda it: (it.owner in own, it.created_at)).owner
    for row in authorship.commits_at(db, commit.id):  # the first: later ones may have had nothing to commit
        session = sessions.find(db, row.session)
        if session and (prompt := sessions.prompt(db, session.n, row.prompt)):
            return prompt.id
    return ""


def _older_with(db: Connection, some_names: set[str], earlier: list[Passage]) -> list[Passage]:
    """Returns passages older than the `earlier` ones that hold one of some names, newest first."""
    oldest = earlier[-1]
    numbers = {
        n for name in sorted(some_names)[:_NAMES] for n in search.rows_with(db, "passage", search.quoted(name), _WITH_NAME)
    }
    older = [it for it in passages.by_numbers(db, numbers) if (it.created_at, it.n) < (oldest.created_at, oldest.n)]
    return sorted([it for it in older if it.kind == passages.PROMPT and it.thread in passages.OF_AGENT], key=lambda it: it.n)


def _name_removed(passage: Passage) -> str:
    """Returns the removed name by which a passage was overtaken, or ""."""
    how, _, removed = passage.overtaken.partition(" ")
    return removed.split(" ")[0] if f"{how} " == REMOVED else ""


def _describes(passage: Passage) -> bool:
    """Tells whether a passage describes how something is, rather than what to do, what was decided or what was removed."""
    return passage.role in ("", COMMAND, LESSON) and not _SAYS_SO.search(passage.text)


def edits(project: Project, prompt: Prompt, answer: Passage) -> list[Change]:
    """Returns the changes by which an answer supersedes the edits of its session that are no longer in any file.

    Those count that hooks saw since the last commit, in the working tree of the session, and those from before it whose files
    no commit has changed since. Where a file has its change again, such as after `git stash pop`, the edit stands again.
    """
    checkout = checkout_of(project, prompt)
    if checkout is None:
        return []
    observed = memories.of_session(project.db, prompt.session, _OBSERVED)
    seen_on = {memory.id: _seen_on(project, memory) for memory in observed if memory.title.startswith(EDIT_TITLE)}
    edited = [memory for memory in observed if memory.id in seen_on and seen_on[memory.id] == checkout.commit]
    # Made on an earlier commit: undone only where no commit since has changed their files.
    passed_over = [it for it in observed if it.id in seen_on and it not in edited and it.superseded_by is None]
    paths = {
        memory.id: {link.to_id for link in graph.links_from(project.db, memory.id) if link.rel == "file"}
        for memory in (*edited, *passed_over)
    }
    intact = changes.as_committed(checkout, {path for files in paths.values() for path in files})
    edited += _beside_commits(checkout, [(it, seen_on[it.id] or "") for it in passed_over if paths[it.id] <= intact], paths)
    result = []
    for memory in [memory for memory in edited if paths[memory.id]]:
        is_undone = paths[memory.id] <= intact
        if is_undone and memory.superseded_by is None:
            result.append(Change("supersede", memory.id, {"by": answer.id, "on": True, "how": REVERTED}))
        elif not is_undone and memory.superseded_by and _was_undone(project, memory.superseded_by):
            result.append(Change("supersede", memory.id, {"by": memory.superseded_by, "on": False, "how": RESTORED}))
    changed = {change.object for change in result}
    own = [it for it in (*edited, *passed_over) if it.prompt == prompt.number and it.superseded_by is None]
    for memory in [it for it in own if it.id not in changed and len(paths[it.id]) == 1]:
        result += standing_edits.without_gone(project.db, checkout, memory, *paths[memory.id])
    return result


def _beside_commits(checkout: head.Checkout, edited: Sequence[tuple[Memory, str]], paths: Mapping[str, set[str]]) -> list[Memory]:
    """Returns the edits, each given with the commit it was made on, that are in no commit or stash."""
    lost: list[Memory] = []
    for commit in list(dict.fromkeys([commit for _, commit in edited if commit]))[-_COMMITS:]:
        different = changes.differing(checkout, commit, checkout.commit or commit)
        for memory in [it for it, on in edited if on == commit and different is not None]:
            own = paths[memory.id]
            is_lost = bool(own) and not own & (different or set())
            if is_lost and not changes.is_elsewhere(checkout, own, memory.created_at // 1000):
                lost.append(memory)
    return lost


def _seen_on(project: Project, memory: memories.Memory) -> str | None:
    """Returns the commit that was checked out at the time of an observation, whose anchor moves on to the branch's next one."""
    first = oplog.of_object(project.db, memory.id)[:1]
    return anchor_commit(json.loads(first[0].body).get("anchor")) if first else None


def checkout_of(project: Project, prompt: Prompt) -> head.Checkout | None:
    """Returns the working tree of a prompt's session, None if it is gone or belongs to another repository."""
    session = sessions.find(project.db, sessions.id_of(project.db, prompt.session) or "")
    checkout = head.find(session.root) if session and session.root and os.path.isdir(session.root) else None
    is_ours = checkout and project.checkout and checkout.common_dir == project.checkout.common_dir
    return checkout if is_ours else None


def _was_undone(project: Project, successor: str) -> bool:
    """Tells whether an edit was superseded because its file lost it, not because an answer said that it was dropped."""
    passage = passages.find(project.db, successor) if PLACE in successor else None
    return passage is not None and passage.role != DROPPED
