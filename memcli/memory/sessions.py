"""Sessions and prompts as objects of the log: `A-…` a session of an agent, `P-…` one of its prompts."""

from __future__ import annotations

from memcli.store import sessions
from memcli.store.oplog import Change
from memcli.store.sessions import ACTIVE, Prompt, Session
from memcli.text import dates, ids, terminal
from memcli.text.analysis import extra_words

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from memcli.memory.reduce import Folded
    from memcli.store.db import Connection

FORGOTTEN = "forgotten"
MAX_TEXT = 8_000  # characters of a prompt or an answer: six bytes each at worst, and an operation holds 64 KiB


def opened(harness: str, key: str, at: int) -> tuple[str, Change]:
    """Returns (the id of a new session, the change that begins it). `at` is in ms since 1970."""
    session_id = ids.new("A")
    body = {"harness": harness, "key": key, "status": ACTIVE, "reason": "", "started": at, "ended": None, "summary": None}
    return session_id, Change("session", session_id, body)


def asked(session_id: str, place: int, text: str, skipped: str, at: int) -> tuple[str, Change]:
    """Returns (the id of a new prompt, the change that enters it). `skipped`: why there is no text, empty where there is."""
    prompt_id = ids.new("P")
    body = {"session": session_id, "number": place, "text": shortened(text), "skipped": skipped, "created": at}
    return prompt_id, Change("prompt", prompt_id, body)


def shortened(text: str, most: int = MAX_TEXT) -> str:
    """Returns a text that can be stored: Unicode only, of a long one the beginning and the end."""
    text = text if terminal.is_storable(text) else text.encode("utf-8", "replace").decode("utf-8").replace("\0", "")
    return text if len(text) <= most else f"{text[: most * 3 // 4].rstrip()}\n…\n{text[-most // 4 + 3 :].lstrip()}"


def refresh(db: Connection, object_id: str, folded: Folded) -> None:
    """Writes the row that the operations on a session or a prompt amount to, inside the caller's transaction."""
    if object_id.startswith("A-"):
        if folded.first is None:
            sessions.remove(db, object_id)
        else:
            sessions.save(db, session_row(object_id, folded))
    elif folded.first is None:
        sessions.remove_prompt(db, object_id)
    else:
        sessions.save_prompt(db, prompt_row(object_id, folded, sessions.number(db, folded.fields["session"])))


def session_row(session_id: str, folded: Folded) -> Session:
    """Returns the row of a session as far as the log knows it."""
    said: dict[str, Any] = folded.fields
    return Session(
        n=0,
        id=session_id,
        harness=said["harness"],
        key=said["key"],
        status=said.get("status", ACTIVE),
        reason=said.get("reason", ""),
        root="",
        prompts=0,
        summary=said.get("summary"),
        started_at=said["started"],
        last_at=said["started"],
        ended_at=said.get("ended"),
    )


def prompt_row(prompt_id: str, folded: Folded, session: int) -> Prompt:
    """Returns the row of a prompt in the session of row `session`; of a forgotten one without its texts."""
    said: dict[str, Any] = folded.fields
    text = "" if folded.forgotten else said["text"]
    return Prompt(
        n=0,
        id=prompt_id,
        session=session,
        number=said["number"],
        text=text,
        words=f"{extra_words(text)} {dates.words(said['created'])}".strip(),
        reply="" if folded.forgotten else said.get("reply", ""),
        skipped=FORGOTTEN if folded.forgotten else said.get("skipped", ""),
        files="\n".join(said.get("files", ())),
        created_at=said["created"],
    )
