"""Sessions and prompts of another program, under ids that follow from its names for them."""

from __future__ import annotations

from typing import Any

from memcli.memory.commit import masked_text
from memcli.project import Project
from memcli.store import oplog, sessions
from memcli.store.oplog import Change
from memcli.text import cuts, dates, ids
from memcli.text.terminal import storable

NEW, CHANGED, UNCHANGED, FORGOTTEN = range(4)  # places of counts, as `Imported` lists them
_MOST = 8_000  # characters of a prompt or an answer, as hooks keep them


def session_id(project: Project, harness: str, key: str) -> str:
    """Returns the id of a session: its existing one, else one that is derived from its harness and its name."""
    existing = sessions.by_key(project.db, harness, masked_text(project, key))
    return existing.id if existing else ids.of_text("A", f"{harness} {key}")


def session(project: Project, body: dict[str, Any]) -> list[Change]:
    """Returns the change that begins a session; none if it exists."""
    name = session_id(project, body["harness"], body["session"])
    if sessions.find(project.db, name) is not None:
        return []
    started, ended = (_moment(project, body.get(field)) for field in ("started_at", "ended_at"))
    fields = {"harness": body["harness"], "key": body["session"], "status": sessions.COMPLETED, "reason": "imported"}
    started = project.now if started is None else started
    return [Change("session", name, {**fields, "started": started, "ended": ended or started, "summary": None})]


def prompt(project: Project, body: dict[str, Any]) -> tuple[int, list[Change]]:
    """Returns (the index of a prompt's count, the changes that store it)."""
    owner = session_id(project, body["harness"], body["session"])
    number = int(body["prompt_number"])
    row = sessions.number(project.db, owner)
    existing = sessions.prompt(project.db, row, number) if row else None
    if existing is not None and not existing.forgotten:
        return UNCHANGED, []
    if existing is not None:
        last = [op for op in oplog.of_object(project.db, existing.id) if op.kind in ("forget", "restore")][-1:]
        was_undone = bool(last) and oplog.is_undo(project.db, last[0].command)
        return (NEW, [Change("restore", existing.id, {})]) if was_undone else (FORGOTTEN, [])
    fields = {
        "session": owner,
        "number": number,
        "text": cuts.keep_quotations(storable(body["prompt"]), _MOST, is_answer=False),
        "skipped": "",
    }
    moment = _moment(project, body.get("created_at"))
    created = project.now if moment is None else moment
    return NEW, [Change("prompt", ids.of_text("P", f"{owner} {number}"), {**fields, "created": created})]


def _moment(project: Project, text: str | None) -> int | None:
    return min(dates.parse(text), project.now) if text else None
