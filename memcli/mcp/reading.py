"""The tools that only read. Their answers are compact, and stored text in them cannot look like anything else."""

from __future__ import annotations

from typing import Any

from memcli.errors import InvalidInput
from memcli.memory import contents, lookup
from memcli.memory.fields import FIELDS
from memcli.models import embedders
from memcli.project import Project
from memcli.recall import chronology, report, semantic
from memcli.recall import get as recall
from memcli.recall import search as memory_search
from memcli.recall.semantic import QueryVector
from memcli.records import Record
from memcli.store import graph
from memcli.store.memories import Memory
from memcli.store.sessions import Prompt
from memcli.text import dates, json
from memcli.text.terminal import oneline
from memcli.validity.origin import origin_of
from memcli.validity.status import REACHABLE, UNLINKED, statuses

MAX_IDS = 20
MAX_ITEMS = 50
MAX_CHARACTERS = 20_000  # of all items of one search: half of what clients accept without a warning
_MAX_EXPLAINED = 12


class ToolAnswer(Record):
    """The text for the model, and the same as data if the answer is a small record."""

    text: str
    data: dict[str, Any] | None = None


def get_context(project: Project, arguments: dict[str, Any]) -> ToolAnswer:
    """Returns the pack for a task."""
    question, form = arguments["query"], arguments.get("format", "prompt")
    vector = _encode(project, question)
    query = recall.Query(question, "xml" if form == "xml" else "prompt", arguments.get("budget"), meaning=vector)
    pack = recall.get(project, query)
    return ToolAnswer(json.dumps(report.as_json(pack)) if form == "json" else pack.text)


def _encode(project: Project, question: str) -> QueryVector | None:
    """Returns a question as a vector if the settings say so and a provider is available; otherwise words must do."""
    if not project.config["recall.semantic"] or not question.strip():
        return None
    try:
        return semantic.encode_query(project, question)
    except embedders.Unavailable:
        return None


def explain(project: Project, arguments: dict[str, Any]) -> ToolAnswer:
    """Returns why each candidate is in the pack or not, best first."""
    question = arguments["query"]
    explanation = report.explained(recall.get(project, recall.Query(question, meaning=_encode(project, question))))
    lines = [f"terms: {' '.join(explanation['terms'])}"]
    lines += [f"read as: {word} -> {', '.join(corrections)}" for word, corrections in explanation["corrected"].items()]
    for item in explanation["memories"][:_MAX_EXPLAINED]:
        features = " ".join([f"{name}={value:g}" for name, value in item["features"].items() if value])
        winner = f" (to {item['lost_to']})" if item["lost_to"] else ""
        verdict = f"{item['final_score']:.3f} {item['id']} {item['verdict']}{winner}"
        lines.append(f"{verdict}: {oneline(item['title'])[:120]} [{features}]")
    if len(explanation["memories"]) > _MAX_EXPLAINED:
        lines.append(f"and {len(explanation['memories']) - _MAX_EXPLAINED} more")
    lines += [f"chunk {chunk['id']} {chunk['locator']}" for chunk in explanation["chunks"]]
    budget = explanation["budget"]
    return ToolAnswer("\n".join([*lines, f"budget: {budget['used_total']} of {budget['target_total']} tokens"]))


def show(project: Project, arguments: dict[str, Any]) -> ToolAnswer:
    """Returns everything about memories or chunks, a line of JSON each."""
    references = arguments["ids"]
    if not 1 <= len(references) <= MAX_IDS:
        raise InvalidInput(f"{len(references)} ids", f"give 1 to {MAX_IDS}")
    return ToolAnswer("\n".join([details(project, reference) for reference in references]))


def details(project: Project, reference: str) -> str:
    """Returns everything about a memory or chunk as one line of JSON. Raises NotFound or InvalidInput."""
    if chunk := lookup.find_chunk(project, reference):
        lines = [chunk.first_line, chunk.last_line]
        fields = {"id": chunk.id, "path": chunk.path, "lines": lines, "symbol": chunk.symbol, "text": chunk.text}
        return json.dumps(fields)
    memory = lookup.find(project, reference)
    links = [*graph.links_from(project.db, memory.id), *graph.links_to(project.db, memory.id)]
    status = statuses(project, [memory])[0].as_json()
    values: dict[str, Any] = {
        "id": memory.id,
        **{FIELDS[name].output or name: value for name, value in lookup.field_values(memory).items()},
        "created_at": dates.iso(memory.created_at),
        "updated_at": dates.iso(memory.updated_at),
        "anchor_commit": memory.anchor,
        "superseded_by": memory.superseded_by,
        "pinned": bool(memory.pinned),
        "suspicious": bool(memory.suspicious),
        **origin_of(memory.origin).as_json(),
        **{name: value for name, value in status.items() if value not in (REACHABLE, UNLINKED)},
        "links": [{"from_id": link.from_id, "rel": link.rel, "to_id": link.to_id} for link in links],
    }
    return json.dumps({name: value for name, value in values.items() if value not in (None, "", [], False)})


def timeline(project: Project, arguments: dict[str, Any]) -> ToolAnswer:
    """Returns what was written and asked before and after a memory or a prompt, oldest first."""
    center, items = chronology.timeline(project, arguments["id"], arguments.get("before", 5), arguments.get("after", 5))
    return ToolAnswer("\n".join([("> " if item.id == center else "  ") + _line(item) for item in items]))


def _line(item: Memory | Prompt) -> str:
    """Returns a memory on one line: time, id, kind, thread, title; of a prompt time, id and its beginning."""
    if isinstance(item, Prompt):
        return f"{dates.iso(item.created_at)[:16]} {item.id} prompt {oneline(item.text)[:200] or item.skipped}"
    return f"{dates.iso(item.created_at)[:16]} {item.id} {item.kind} {json.dumps(item.thread)} {item.line}"


def search(project: Project, arguments: dict[str, Any]) -> ToolAnswer:
    """Returns matching memories with their texts, as many as fit into one answer, and how many match; no prompts."""
    limit = arguments.get("limit", 5)
    if not 1 <= limit <= MAX_ITEMS:
        raise InvalidInput(f"the limit must be 1 to {MAX_ITEMS}, not {limit}", f"give 1 to {MAX_ITEMS}")
    query = memory_search.parse(project, arguments["query"])
    hits = memory_search.valid_matches(project, query, limit, meaning=_encode(project, arguments["query"]))
    items: list[dict[str, Any]] = []
    characters = 0
    for hit in memory_search.with_texts(project, hits[:limit], query):
        memory = hit.memory
        text = memory.summary if contents.is_one(memory) else f"{memory.title}\n{memory.summary}"
        characters += len(text)
        if characters > MAX_CHARACTERS and items:
            break
        keywords, updated_at = list(lookup.labels(memory.tags)), dates.iso(memory.updated_at)
        items.append({"id": memory.id, "content": text, "keywords": keywords, "updated_at": updated_at})
    data = {"ok": True, "total": len(hits), "items": items}
    return ToolAnswer(json.dumps(data), data)
