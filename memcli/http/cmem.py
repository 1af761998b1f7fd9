"""C-Mem's records: whole numbers beside our ids, times as ISO and as epoch, lists as JSON in a text, as its tables have them."""

from __future__ import annotations

from memcli.memory import lookup
from memcli.store import memories, sessions
from memcli.text import dates, ids, json
from memcli.text.terminal import oneline

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from memcli.project import Project
    from memcli.store.memories import Memory
    from memcli.store.queue import Job
    from memcli.store.sessions import Prompt, Session

_SECTIONS = {"Asked": "request", "Done": "work_done", "Learned": "discoveries", "Left": "remaining", "Said last": "notes"}


def name_of(reference: str | int, kind: str) -> str:
    """Returns the id that a number or an id means, of a kind such as M."""
    text = str(reference).strip()
    if text.isascii() and text.isdigit() and len(text) < 17:
        return ids.numbered(kind, int(text)) or text
    return text


def _times(at: int) -> dict[str, Any]:
    return {"created_at": dates.iso(at), "created_at_epoch": at}


def _files(project: Project, found: Sequence[Memory]) -> dict[str, dict[str, list[str]]]:
    """Returns the files that memories are linked to: id -> relation -> paths."""
    known: dict[str, dict[str, list[str]]] = {}
    for name, rel, path in memories.files_of(project.db, [one.id for one in found]):
        known.setdefault(name, {}).setdefault(rel, []).append(path)
    return known


def observations(project: Project, found: Sequence[Memory]) -> list[dict[str, Any]]:
    """Returns memories as observations."""
    files = _files(project, found)
    names = sessions.names(project.db, sorted({one.session for one in found if one.session}))
    return [_observation(project, one, files.get(one.id, {}), names.get(one.session, ("", ""))) for one in found]


def _observation(project: Project, one: Memory, files: dict[str, list[str]], session: tuple[str, str]) -> dict[str, Any]:
    lines = one.summary.split("\n")
    facts = [line[2:] for line in lines if line.startswith("- ")]
    narrative = "\n".join([line for line in lines if not line.startswith("- ")]).strip()
    return {
        "id": ids.number(one.id),
        "memory_id": one.id,
        "session_id": session[1],
        "session": session[0] or None,
        "project": project.name,
        "prompt_number": one.prompt,
        "tool_name": ", ".join(one.tools.split("\n")) if one.tools else "",
        "kind": one.kind,
        "title": oneline(one.title),
        "narrative": narrative or one.summary,
        "tags": json.canonical(list(lookup.labels(one.tags))),
        "facts": json.canonical(facts),
        "files_read": json.canonical(files.get("read", [])),
        "files_modified": json.canonical(sorted({*files.get("file", []), *files.get("edited", [])})),
        **_times(one.created_at),
    }


def summaries(project: Project, found: Sequence[Memory]) -> list[dict[str, Any]]:
    """Returns summaries of sessions with the parts that their texts have."""
    names = sessions.names(project.db, sorted({one.session for one in found if one.session}))
    return [_summary(project, one, names.get(one.session, ("", ""))) for one in found]


def _summary(project: Project, one: Memory, session: tuple[str, str]) -> dict[str, Any]:
    parts = dict.fromkeys(_SECTIONS.values(), "")
    rest = []
    for line in one.summary.split("\n"):
        head, mark, text = line.partition(": ")
        if mark and head in _SECTIONS:
            parts[_SECTIONS[head]] = text
        elif not (mark and head == "Files"):
            rest.append(line)
    parts["notes"] = "\n".join([part for part in (parts["notes"], *rest) if part])
    facts = {"id": ids.number(one.id), "memory_id": one.id, "session_id": session[1], "session": session[0] or None}
    return {**facts, "project": project.name, "prompt_number": one.prompt, **parts, **_times(one.created_at)}


def prompt(project: Project, one: Prompt, session: tuple[str, str]) -> dict[str, Any]:
    """Returns a prompt."""
    return {
        "id": ids.number(one.id),
        "prompt_id": one.id,
        "session_id": session[1],
        "session": session[0],
        "project": project.name,
        "prompt_number": one.number,
        "prompt_text": one.text,
        **_times(one.created_at),
    }


def session(project: Project, one: Session) -> dict[str, Any]:
    """Returns a session."""
    return {
        "id": ids.number(one.id),
        "session": one.id,
        "session_id": one.key,
        "project": project.name,
        "status": one.status,
        "prompt_counter": one.prompts,
        **_times(one.started_at),
        "completed_at": None if one.ended_at is None else dates.iso(one.ended_at),
        "completed_at_epoch": one.ended_at,
    }


def hit(project: Project, one: Memory, score: float, snippet: str) -> dict[str, Any]:
    """Returns what a search found."""
    return {
        "id": ids.number(one.id),
        "memory_id": one.id,
        "title": oneline(one.title),
        "kind": one.kind,
        "project": project.name,
        **_times(one.created_at),
        "rank": round(score, 4),
        "snippet": snippet,
    }


def job(one: Job, lease: int) -> dict[str, Any]:
    """Returns an event in the queue. What it was called with is known until it is worked up."""
    try:
        payload = json.loads(one.payload) if one.payload else {}
    except json.Malformed:
        payload = {}
    given = payload if isinstance(payload, dict) else {}
    return {
        "id": one.n,
        "session_id": one.session,
        "status": one.status,
        "event": one.event,
        "tool_name": str(given.get("tool", "")),
        "tool_input": json.canonical(given["input"]) if "input" in given else "",
        "tool_result": str(given.get("result", "")),
        "retry_count": one.attempts,
        "error": one.error,
        "created_at_epoch": one.created_at,
        "started_at_epoch": one.lease_until - lease if one.status == "processing" else None,
    }


def found(project: Project, reference: str | int) -> Memory | None:
    """Returns the live memory of a number or an id, None where this store has none."""
    name = ids.canonical(name_of(reference, "M"))
    one = memories.find(project.db, name if name.startswith("M-") else f"M-{name}")
    return one if one and not one.forgotten else None
