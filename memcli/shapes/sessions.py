"""Sessions, prompts and observations as data."""

from __future__ import annotations

from memcli.store.sessions import Prompt
from memcli.text import dates
from memcli.text.terminal import oneline

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from memcli.recall.chronology import SessionHistory
    from memcli.store.memories import Memory
    from memcli.store.sessions import Session


def session(one: Session) -> dict[str, Any]:
    """Returns a session as data."""
    return {
        "id": one.id,
        "harness": one.harness,
        "key": one.key,
        "status": one.status,
        "reason": one.reason,
        "root": one.root,
        "prompts": one.prompts,
        "summary": one.summary,
        "started_at": dates.iso(one.started_at),
        "last_at": dates.iso(one.last_at),
        "ended_at": None if one.ended_at is None else dates.iso(one.ended_at),
    }


def whole(of: SessionHistory) -> dict[str, Any]:
    """Returns a session with its summary, prompts and observations as data."""
    said = session(of.session)
    said["summary_text"] = of.summary.summary if of.summary else None
    said["prompt_list"] = [prompt(one) for one in of.prompts]
    said["observations"] = [observation(one) for one in of.observations]
    return said


def entry(one: Memory | Prompt) -> dict[str, Any]:
    """Returns one thing of a timeline as data."""
    return prompt(one) if isinstance(one, Prompt) else observation(one)


def line(one: Memory) -> dict[str, Any]:
    """Returns one line of the index as data."""
    return {
        "id": one.id,
        "kind": one.kind,
        "title": one.line,
        "created_at": dates.iso(one.created_at),
        "tokens": one.prompt_tokens,
    }


def prompt(one: Prompt) -> dict[str, Any]:
    """Returns a prompt as data."""
    return {
        "id": one.id,
        "kind": "prompt",
        "number": one.number,
        "text": one.text,
        "skipped": one.skipped,
        "reply": one.reply,
        "files": one.files.split("\n") if one.files else [],
        "created_at": dates.iso(one.created_at),
    }


def observation(one: Memory) -> dict[str, Any]:
    """Returns an observation, or any memory beside it, as data."""
    from memcli.validity.origin import origin_of

    return {
        "id": one.id,
        "kind": one.kind,
        "title": oneline(one.title),
        "summary": one.summary,
        "tags": one.tags.split("\n") if one.tags else [],
        "prompt": one.prompt,
        "tools": one.tools.split("\n") if one.tools else [],
        **origin_of(one.origin).as_json(),
        "created_at": dates.iso(one.created_at),
        "tokens": one.prompt_tokens,
    }
