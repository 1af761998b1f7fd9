"""The tools that only read."""

from __future__ import annotations

from memcli.errors import InvalidInput
from memcli.mcp import views
from memcli.mcp.answers import Answer
from memcli.memory.lookup import labels
from memcli.recall import chronology, report
from memcli.recall import get as recall
from memcli.recall import search as finding
from memcli.text import dates, json
from memcli.text.terminal import oneline

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from memcli.project import Project
    from memcli.recall.semantic import QueryVector

MAX_IDS = 20
MAX_ITEMS = 50
MAX_CHARACTERS = 20_000  # of all items of one search: half of what clients take before they warn
_EXPLAINED = 12


def get_context(project: Project, asked: dict[str, Any]) -> Answer:
    """The pack for a task."""
    form = asked.get("format", "prompt")
    meaning = encode_query(project, asked["query"])
    query = recall.Query(asked["query"], "xml" if form == "xml" else "prompt", asked.get("budget"), meaning=meaning)
    pack = recall.get(project, query)
    if form == "json":
        return Answer(json.dumps(report.as_json(pack)))
    return Answer(pack.text)


def encode_query(project: Project, question: str) -> QueryVector | None:
    """Returns a question as a vector where the settings want that and it can be made; else words must do."""
    if not project.config["recall.semantic"] or not question.strip():
        return None
    from memcli.models import embedders
    from memcli.recall.semantic import encode_query as encoded

    try:
        return encoded(project, question)
    except embedders.Unavailable:
        return None


def explain(project: Project, asked: dict[str, Any]) -> Answer:
    """Why each candidate is in the pack or not, best first."""
    found = report.explained(recall.get(project, recall.Query(asked["query"], meaning=encode_query(project, asked["query"]))))
    lines = [f"terms: {' '.join(found['terms'])}"]
    lines += [f"read as: {word} -> {', '.join(known)}" for word, known in found["corrected"].items()]
    for one in found["memories"][:_EXPLAINED]:
        features = " ".join([f"{name}={value:g}" for name, value in one["features"].items() if value])
        lost = f" (to {one['lost_to']})" if one["lost_to"] else ""
        lines.append(f"{one['final_score']:.3f} {one['id']} {one['verdict']}{lost}: {oneline(one['title'])[:120]} [{features}]")
    if len(found["memories"]) > _EXPLAINED:
        lines.append(f"and {len(found['memories']) - _EXPLAINED} more")
    lines += [f"chunk {one['id']} {one['locator']}" for one in found["chunks"]]
    budget = found["budget"]
    return Answer("\n".join([*lines, f"budget: {budget['used_total']} of {budget['target_total']} tokens"]))


def show(project: Project, asked: dict[str, Any]) -> Answer:
    """Everything about memories or chunks, a line of JSON each."""
    if not 1 <= len(asked["ids"]) <= MAX_IDS:
        raise InvalidInput(f"{len(asked['ids'])} ids", f"give 1 to {MAX_IDS}")
    return Answer("\n".join([views.whole(project, reference) for reference in asked["ids"]]))


def timeline(project: Project, asked: dict[str, Any]) -> Answer:
    """What was written and asked around a memory or a prompt, oldest first."""
    meant, found = chronology.timeline(project, asked["id"], asked.get("before", 5), asked.get("after", 5))
    return Answer("\n".join([("> " if one.id == meant else "  ") + views.line(one) for one in found]))


def search(project: Project, asked: dict[str, Any]) -> Answer:
    """Matching memories with their whole texts, as many as one answer can carry, and how many match; no prompts."""
    limit = asked.get("limit", 5)
    if not 1 <= limit <= MAX_ITEMS:
        raise InvalidInput(f"the limit must be 1 to {MAX_ITEMS}, not {limit}", f"give 1 to {MAX_ITEMS}")
    read = finding.parse(project, asked["query"])
    found = finding.valid_matches(project, read, limit, meaning=encode_query(project, asked["query"]))
    items: list[dict[str, Any]] = []
    room = MAX_CHARACTERS
    for memory in [one.memory for one in finding.with_texts(project, found[:limit], read)]:
        text = views.content(memory)
        room -= len(text)
        if room < 0 and items:
            break
        updated = dates.iso(memory.updated_at)
        items.append({"id": memory.id, "content": text, "keywords": list(labels(memory.tags)), "updated_at": updated})
    data = {"ok": True, "total": len(found), "items": items}
    return Answer(json.dumps(data), data)
