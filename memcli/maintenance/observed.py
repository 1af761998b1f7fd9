"""Do the rows of sessions and prompts say what the log says? As agreement.py asks of memories."""

from __future__ import annotations

from memcli.memory.sessions import FORGOTTEN, prompt_row, session_row
from memcli.store import sessions
from memcli.store.oplog import Change

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from memcli.memory.reduce import Folded
    from memcli.store.db import Connection
    from memcli.store.sessions import Prompt, Session


def session_name(db: Connection, n: int) -> str | None:
    """Returns the id of the session in a row of an observation, None for none."""
    return sessions.name(db, n) if n else None


def there(db: Connection, object_id: str) -> Any:
    """Returns what a row holds of a session or a prompt, as far as it can be compared with the log; None for nothing."""
    if object_id.startswith("A-"):
        return _of_session(sessions.find(db, object_id))
    return _of_prompt(db, sessions.find_prompt(db, object_id))


def wanted(db: Connection, object_id: str, folded: Folded) -> Any:
    """Returns what the row should hold."""
    if object_id.startswith("A-"):
        return _of_session(session_row(object_id, folded))
    return _of_prompt(db, prompt_row(object_id, folded, sessions.number(db, folded.fields["session"])))


def _of_session(row: Session | None) -> Any:
    return row and (row.harness, row.key, row.status, row.reason, row.summary, row.started_at, row.ended_at)


def _of_prompt(db: Connection, row: Prompt | None) -> Any:
    return row and (row.session, row.number, row.text, row.words, row.reply, row.skipped, row.files, row.created_at)


def entered(db: Connection, object_id: str) -> tuple[list[Change], str, int]:
    """Returns (what the log has lost of a session or prompt and its row still knows, the actor, the moment in ms)."""
    if object_id.startswith("A-"):
        session = sessions.find(db, object_id)
        assert session is not None
        said: dict[str, Any] = {"harness": session.harness, "key": session.key, "status": session.status}
        said |= {"reason": session.reason, "summary": session.summary}
        said |= {"started": session.started_at, "ended": session.ended_at}
        return [Change("session", object_id, said)], "hook", max(session.started_at, 0)
    prompt = sessions.find_prompt(db, object_id)
    assert prompt is not None
    said = {"session": session_name(db, prompt.session) or "", "number": prompt.number, "text": prompt.text}
    said |= {"reply": prompt.reply, "created": prompt.created_at, "skipped": prompt.skipped}
    said["files"] = prompt.files.split("\n") if prompt.files else []
    forgotten = [Change("forget", object_id, {})] if prompt.skipped == FORGOTTEN else []
    return [Change("prompt", object_id, said), *forgotten], "hook", max(prompt.created_at, 0)
