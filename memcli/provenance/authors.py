"""Which sessions and prompts made a commit, or wrote lines that are in no commit yet.

A session made a commit if hooks saw it commit, under the hash that it had or has now, or if the commit was written in one of its
turns. Where nobody did, the sessions count that edited the file while it stood as the commit's parent has it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, Literal

from memcli.memory import turn_commits
from memcli.project import Project
from memcli.records import Record, replace
from memcli.repo import ancestry, history, revisions
from memcli.repo.revisions import DescribedCommit
from memcli.store import authorship, sessions
from memcli.store.authorship import Authored
from memcli.store.sessions import Prompt, Session
from memcli.validity import ORPHAN, REACHABLE, anchor_states, carried_over

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

COMMITTED: Final = "committed"
EDITED: Final = "edited"
How = Literal["committed", "edited"]
_EDITS, _ACTIONS = 500, 5_000  # rows that are looked at
_ANCHORS = 50  # commits on which a file was edited last
_PROMPTS = 3  # of one session


class Author(Record):
    """A session that brought a change, its prompts that did, latest first, and how that is known: committed or edited."""

    session: Session
    prompts: tuple[Prompt, ...]
    how: How


def of_commit(project: Project, commit: DescribedCommit, paths: Sequence[str], text: str = "") -> list[Author]:
    """Returns who made a commit, or the lines of it that `text` holds."""
    edits = authorship.edits(project.db, paths, _EDITS) if paths else []
    names = list(dict.fromkeys([row.session for row in [*authorship.commits_at(project.db, commit.id), *edits]]))
    actions = authorship.of_sessions(project.db, names, _ACTIONS)
    landed = _landed(project, [*actions, *edits])
    makers = [row for row in actions if row.is_commit and commit.id in (row.anchor, landed.get(row.anchor))]
    if makers:
        own = [row for row in actions if not row.is_commit or row in makers or landed.get(row.anchor)]
        entries = [entry for maker in makers for entry in _edits_for(maker, own, paths, text)]
        return _authors(project, entries, COMMITTED)
    before = _edited_before(project, commit, edits, landed)
    if witnessed := _witnessed(project, commit):
        own = _of_text([row for row in before if row.session in {author.session.id for author in witnessed}], text)
        authors = _authors(project, own, COMMITTED)
        editors = {author.session.id for author in authors}
        return [*authors, *[author for author in witnessed if author.session.id not in editors]]
    return _authors(project, _of_text(before, text), EDITED)


def maker_of(project: Project, commit: DescribedCommit) -> Author | None:
    """Returns the session that made a commit, with the prompt for which it did, None where nobody saw it."""
    makers = _authors(project, authorship.commits_at(project.db, commit.id), COMMITTED) or _witnessed(project, commit)
    return makers[0] if makers else None


def _witnessed(project: Project, commit: DescribedCommit) -> list[Author]:
    """Returns the sessions in which git's own hook saw a commit being made, or else in one of whose turns it was written."""
    if by_hook := _hook_sessions(project, commit.id):
        return [Author(session, (), COMMITTED) for session in reversed(by_hook.values())]
    own = turn_commits.makers(project.db, commit.id, commit.subject)
    return [Author(session, () if prompt.forgotten else (prompt,), COMMITTED) for session, prompt in own]


def _hook_sessions(project: Project, commit_id: str) -> dict[str, Session]:
    """Returns the sessions in which git's own hook saw a commit being made (`mem setup git`), by their ids."""
    keys = history.committing_sessions(project.checkout, commit_id) if project.checkout else []
    return {session.id: session for key in keys if (session := sessions.by_name(project.db, key))}


def of_work(project: Project, path: str, text: str = "") -> list[Author]:
    """Returns who edited a file in this working tree since the commit that changed it last, or the lines that `text` holds."""
    edits = authorship.edits(project.db, [path], _EDITS)
    sessions_here = {row.session for row in edits if _is_here(project, row.session)}
    edits = [row for row in edits if row.session in sessions_here]
    if project.checkout is None or project.commit is None:
        return _authors(project, _of_text(edits, text), EDITED)
    landed = _landed(project, edits)
    contents = _contents(project, [landed.get(row.anchor, "") for row in edits], path, project.commit)
    current = contents.get(project.commit)
    pending = [row for row in edits if current is not None and contents.get(landed.get(row.anchor, "")) == current]
    return _authors(project, _of_text(pending, text), EDITED)


def _is_here(project: Project, name: str) -> bool:
    session = sessions.find(project.db, name)
    return session is not None and session.root in ("", project.root)


def _landed(project: Project, entries: Iterable[Authored]) -> dict[str | None, str]:
    """Returns for each row the commit in HEAD's history that has its change: its own or the one that carried it over, or ""."""
    states = anchor_states(project, [row.anchor for row in entries])
    commits: dict[str | None, str] = {}
    for anchor, state in states.items():
        carried = carried_over(state)
        if anchor:
            commits[anchor] = carried[1] if carried else "" if state == ORPHAN else anchor
    return commits


def _edits_for(maker: Authored, actions: Sequence[Authored], paths: Sequence[str], text: str) -> list[Authored]:
    """Returns the edits of a session between its last commit and this one: of these files and, where known, of these lines.

    The commit itself where hooks saw none. A commit that is lost, such as one in the middle of a squash, is no boundary: it is
    not among the `actions`.
    """
    earlier = [row for row in actions if row.session == maker.session and row.n < maker.n]
    start = max([row.n for row in earlier if row.is_commit], default=0)
    return _of_text([row for row in earlier if row.n > start and row.path in paths], text) or [maker]


def _of_text(edits: Sequence[Authored], text: str) -> list[Authored]:
    """Returns those edits that brought lines of a text; all of them where that is known of none."""
    digests = set(authorship.digests(text).split())
    return [row for row in edits if digests & set(row.lines.split())] or list(edits)


def _edited_before(
    project: Project, commit: DescribedCommit, edits: Sequence[Authored], landed: dict[str | None, str]
) -> list[Authored]:
    """Returns the edits that were made on the commit's parent, or on an earlier one that has the file as the parent has it."""
    chosen = [row for row in edits if row.anchor != commit.id and landed.get(row.anchor) == commit.id]
    parent = commit.parents[0] if commit.parents else ""
    for path in dict.fromkeys([row.path for row in edits]):
        of_path = [row for row in edits if row.path == path and row.anchor]
        contents = _contents(project, [landed.get(row.anchor, "") for row in of_path], path, parent)
        if parent in contents:
            chosen += [row for row in of_path if contents.get(landed.get(row.anchor, "")) == contents[parent]]
    before = _reachable_from(project, chosen, parent)
    return sorted([row for row in chosen if landed.get(row.anchor) == commit.id or row.anchor in before], key=lambda row: -row.n)


def _contents(project: Project, commits: Sequence[str], path: str, also: str) -> dict[str, str]:
    if project.checkout is None:
        return {}
    names = [name for name in dict.fromkeys(commits) if name][:_ANCHORS]
    return revisions.contents(project.checkout, list(dict.fromkeys([*names, *([also] if also else [])])), path)


def _reachable_from(project: Project, rows: Sequence[Authored], commit: str) -> set[str | None]:
    """Returns the anchors of some rows that a commit was built upon."""
    anchors = {row.anchor for row in rows if row.anchor}
    if not anchors or not commit or project.checkout is None:
        return set()
    states = ancestry.reachability(replace(project.checkout, commit=commit), sorted(anchors)) or {}
    return {anchor for anchor in anchors if states.get(anchor) == REACHABLE}


def _authors(project: Project, entries: Sequence[Authored], how: How) -> list[Author]:
    """Returns the sessions and prompts of some rows, latest first."""
    numbers: dict[str, list[int]] = {}
    for row in sorted(entries, key=lambda row: -row.n):
        prompts = numbers.setdefault(row.session, [])
        if row.prompt not in prompts:
            prompts.append(row.prompt)
    authors = []
    for name, prompts in numbers.items():
        session = sessions.find(project.db, name)
        if session is not None:
            rows = [sessions.prompt(project.db, session.n, number) for number in prompts[:_PROMPTS]]
            authors.append(Author(session, tuple([prompt for prompt in rows if prompt and not prompt.forgotten]), how))
    return authors
