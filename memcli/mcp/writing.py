"""The tools that change a memory. Secrets are screened below, where every change passes (memory/commit.py)."""

from __future__ import annotations

from memcli import operations
from memcli.fields import Result
from memcli.mcp.answers import Answer
from memcli.memory import contents, entries, links, lookup, profile, state
from memcli.memory.fields import FIELDS
from memcli.operations.add import AddRequest
from memcli.project import DEFAULT_WORKSPACE
from memcli.text import dates, json

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from memcli.project import Project

ACTOR = "mcp"


def _answer(project: Project, data: dict[str, Any]) -> Answer:
    said = {"ok": True, **data, **({"masked": list(project.masked)} if project.masked else {})}
    return Answer(json.dumps(said), said)


def add(project: Project, asked: dict[str, Any]) -> Answer:
    """Keeps a memory, unless one that holds here says the same."""
    operation = operations.load("add")
    assert operation.plan is not None
    assert operation.apply is not None
    plan = operation.plan(project, new_of(asked))
    result = plan if isinstance(plan, Result) else operation.apply(project, plan, ACTOR)
    return _answer(project, result.to_json())


def new_of(asked: dict[str, Any]) -> AddRequest:
    """Returns the memory that mempack_add_memory is asked to keep."""
    return AddRequest(**{name: value for name, value in asked.items() if name in AddRequest.FIELDS})


def edit_of(asked: dict[str, Any]) -> entries.Edit:
    """Returns the fields that a call changes."""
    return entries.Edit(**{name: value for name, value in asked.items() if name in FIELDS})


def update(project: Project, asked: dict[str, Any]) -> Answer:
    """Corrects fields of a memory."""
    memory = entries.update(project, asked["id"], edit_of(asked), ACTOR)
    return _answer(project, {"id": memory.id, "title": memory.title, "updated_at": dates.iso(memory.updated_at)})


def supersede(project: Project, asked: dict[str, Any]) -> Answer:
    """Replaces a memory by what holds now."""
    old, new = entries.supersede(project, asked["id"], edit_of(asked), ACTOR)
    return _answer(project, {"old_id": old.id, "new_id": new.id})


def forget(project: Project, asked: dict[str, Any]) -> Answer:
    """Hides a memory or a chunk."""
    chunk = lookup.find_chunk(project, asked["id"])
    if chunk is not None:
        entries.forget_chunk(project, chunk.id)
        return _answer(project, {"id": chunk.id, "kind": "chunk"})
    return _answer(project, {"id": entries.forget(project, asked["id"], ACTOR).id, "kind": "memory"})


def link(project: Project, asked: dict[str, Any]) -> Answer:
    """Links two memories, or a memory and a web address."""
    made, created = links.link(project, asked["from_id"], asked["rel"], asked["to_id"], ACTOR)
    return _answer(project, {"from_id": made.from_id, "rel": made.rel, "to_id": made.to_id, "created": created})


def checkpoint(project: Project, asked: dict[str, Any]) -> Answer:
    """Stores where the work stands and why; without a state only why."""
    if "state_json" in asked:
        made = state.checkpoint(project, asked["reason"], asked["state_json"], asked.get("thread"), ACTOR)
        return _answer(project, {"state_id": made.id, "memory_id": made.memory_id, "reason": made.reason})
    memory = entries.add(project, checkpoint_of(asked), ACTOR)
    return _answer(project, {"state_id": None, "memory_id": memory.id, "reason": memory.summary})


def checkpoint_of(asked: dict[str, Any]) -> entries.NewMemory:
    """Returns the memory that bears a checkpoint's reason."""
    return entries.NewMemory(title="Checkpoint", summary=asked["reason"], thread=asked.get("thread"), kind="checkpoint")


def write(project: Project, asked: dict[str, Any]) -> Answer:
    """Keeps a text byte for byte."""
    memory = contents.write(project, asked["content"], asked.get("keywords", ()), ACTOR)
    return _answer(project, {"id": memory.id, "content": memory.summary, "keywords": list(lookup.labels(memory.tags))})


def store(project: Project, asked: dict[str, Any]) -> Answer:
    """Keeps a value under a key of the profile."""
    kept = profile.put(project, asked["key"], asked["value"], ACTOR)
    return _answer(project, {"key": kept.key, "value": kept.value, "scope": "user" if project.is_user else "repo"})


def delete(project: Project, asked: dict[str, Any]) -> Answer:
    """Takes a key out of the profile."""
    return deletion(project, asked["key"], profile.delete(project, asked["key"], ACTOR))


def deletion(project: Project, key: str, deleted: bool) -> Answer:
    """Returns what is answered to who took a key out, or found it gone."""
    return _answer(project, {"key": key.strip(), "deleted": deleted})


def proposal(name: str, asked: dict[str, Any], target: str) -> str:
    """Returns what a call would do, in words for the person who is asked; `target` comes first, where nothing can push it out."""
    from memcli.text.terminal import oneline

    parts = [
        f"{key}: {value if isinstance(value, str) else ', '.join(value)}" for key, value in asked.items() if key not in _QUIET
    ]
    said = oneline("; ".join(parts))
    cut = f"… ({len(said) - _SHOWN:,} more characters)" if len(said) > _SHOWN else ""
    return f"{_VERBS[name]} [{target}] {said[:_SHOWN]}{cut}"


def target(project: Project, own: bool) -> str:
    """Returns the memory that a call would change, in words; `own`: the person's own instead of the project's."""
    from memcli.text.terminal import oneline

    if own or project.is_user:
        return "your own memory, seen in every repository"
    workspace = "" if project.workspace == DEFAULT_WORKSPACE else f", workspace {project.workspace}"
    return f"repository {oneline(project.name)[:80]} {project.repo_id or 'without a memory yet'}{workspace}"


_SHOWN = 600  # characters of a proposal
_QUIET = ("confirmed", "repo", "workspace", "scope")  # the target says the last three
_VERBS = {
    "mempack_add_memory": "Store this memory?",
    "mempack_update_memory": "Change this memory?",
    "mempack_supersede": "Replace this memory?",
    "mempack_forget": "Forget this memory?",
    "mempack_link": "Link these memories?",
    "mempack_checkpoint": "Store this checkpoint?",
    "memory_write": "Remember this?",
    "memory_store": "Keep this in the profile?",
    "memory_delete": "Take this out of the profile?",
}
