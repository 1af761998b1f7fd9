"""Commits that were made in the turns of sessions: by which prompt one was, and which a session made."""

from __future__ import annotations

from typing import TYPE_CHECKING

from memcli.memory.projection import fold
from memcli.store import authorship, oplog, passages, search, sessions

if TYPE_CHECKING:
    from memcli.store import Connection
    from memcli.store.sessions import Prompt, Session

_WITH_SUBJECT = 20  # passages with the subject of a commit, the newest, that are looked at


def of_prompt(db: Connection, prompt_id: str) -> list[dict[str, str]]:
    """Returns the commits of a turn: id, subject and body, and the `author` where the session only brought it in."""
    return fold(oplog.of_object(db, prompt_id)).fields.get("commits") or []


def prompts_of(db: Connection, commit: str, subject: str) -> list[str]:
    """Returns the prompts in whose turns a commit with this subject was written and has its current id, the newest first."""
    numbers = search.rows_with(db, "passage", search.quoted(subject), _WITH_SUBJECT)
    messages = sorted(passages.by_numbers(db, numbers), key=lambda it: -it.n)
    owners = dict.fromkeys([it.owner for it in messages if it.thread == passages.COMMIT])
    return [owner for owner in owners if commit in [it.get("id") for it in of_prompt(db, owner)]]


def makers(db: Connection, commit: str, subject: str) -> list[tuple[Session, Prompt]]:
    """Returns the sessions in whose turns a commit was made, with the prompts, the newest first; not those that brought in what
    somebody else had written.
    """
    result = []
    for name in prompts_of(db, commit, subject):
        own = next(it for it in of_prompt(db, name) if it.get("id") == commit)
        prompt = sessions.find_prompt(db, name) if "author" not in own else None
        session = sessions.find(db, sessions.id_of(db, prompt.session) or "") if prompt else None
        if prompt and session:
            result.append((session, prompt))
    return result


def of_session(db: Connection, session: Session, limit: int) -> list[tuple[str, int, int]]:
    """Returns the last commits that a session made, as (id, number of the prompt, when hooks saw it or its turn began)."""
    actions = authorship.of_sessions(db, [session.id], limit)
    made = {row.anchor: (row.anchor, row.prompt, row.at) for row in actions if row.is_commit and row.anchor}
    for name in passages.owners_with(db, session.n, passages.COMMIT, limit):
        prompt = sessions.find_prompt(db, name)
        for commit in of_prompt(db, name) if prompt else ():
            if prompt and commit.get("id") and "author" not in commit:
                made.setdefault(commit["id"], (commit["id"], prompt.number, prompt.created_at))
    return list(made.values())
