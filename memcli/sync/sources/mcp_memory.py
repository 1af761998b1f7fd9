"""The reference memory server of MCP: a graph as lines of JSON, entities with their observations and the relations of them."""

from __future__ import annotations

import os
from collections.abc import Iterator
from typing import Any

from memcli.sync.sources.look import Look, changed, read_text
from memcli.sync.sources.shape import Entry, Extract, ReadScope, memory, relation, skip, text
from memcli.text import json

TABLE = ""


def places(scope: ReadScope) -> list[str]:
    """Returns the file that its variable names."""
    path = os.environ.get("MEMORY_FILE_PATH", "")
    return [path] if path and os.path.isfile(path) else []


def recognize(look: Look) -> bool:
    """Tells whether the first line is an entity or a relation."""
    first = look.first_object
    if look.whole_object and isinstance(look.whole_object.get("entities"), list):
        return "relations" in look.whole_object
    return (first.get("type") == "entity" and "name" in first) or (first.get("type") == "relation" and "relationType" in first)


def extracts(path: str, scope: ReadScope) -> list[Extract]:
    """Returns a memory an entity, linked as the graph is. Raises InvalidInput."""
    entities: dict[str, dict[str, Any]] = {}
    links: dict[str, list[tuple[str, str]]] = {}
    entries: list[Entry] = []
    for number, line in enumerate(_lines(read_text(path)), 1):
        kind, row = _row(line)
        if kind == "entity":
            first = entities.setdefault(text(row["name"]), row)
            if first is not row:  # of a graph that was merged by hand
                entities[text(row["name"])] = {**first, "observations": [*_observations(first), *_observations(row)]}
        elif kind == "relation":
            target = f"mcp-memory:{text(row.get('to'))}"
            links.setdefault(text(row.get("from")), []).append((relation(row.get("relationType")), target))
        elif line.strip():
            entries.append(skip("lines that are neither an entity nor a relation", f"line {number}"))
    entries += _entries(entities, links, changed(path))
    return [Extract(entries)]


def _lines(content: str) -> list[str]:
    """Returns the lines of a graph; of one that was saved as one object, as its tool answers it, the same lines."""
    try:
        graph = json.loads(content) if '"entities"' in content else None
    except json.Malformed:
        graph = None
    if not isinstance(graph, dict):
        return content.splitlines()
    kinds = (("entity", "entities"), ("relation", "relations"))
    rows = [(kind, row) for kind, name in kinds if isinstance(graph.get(name), list) for row in graph[name]]
    return [json.dumps({**row, "type": kind}) if isinstance(row, dict) else "null" for kind, row in rows]


def _row(line: str) -> tuple[str, dict[str, Any]]:
    try:
        row = json.loads(line) if line.strip() else None
    except json.Malformed:
        return "", {}
    if not isinstance(row, dict) or (row.get("type") == "entity" and not text(row.get("name")).strip()):
        return "", {}
    return text(row.get("type")), row


def _observations(row: dict[str, Any]) -> list[Any]:
    facts = row.get("observations")
    return facts if isinstance(facts, list) else []


def _entries(entities: dict[str, dict[str, Any]], links: dict[str, list[tuple[str, str]]], at: str) -> Iterator[Entry]:
    for name, row in entities.items():
        facts = list(dict.fromkeys([text(fact).strip() for fact in _observations(row)]))
        lines = [f"- {fact}" for fact in facts if fact] if len(facts) > 1 else facts
        inner = [(rel, target) for rel, target in links.get(name, []) if target.removeprefix("mcp-memory:") in entities]
        kind = text(row.get("entityType")) or "entity"
        yield memory(
            f"mcp-memory:{name}",
            name,
            "\n".join(lines),
            thread="mcp-memory",
            kind=kind.lower(),
            entities=[name],
            created_at=at,
            links=inner,
        )
    for name, pairs in links.items():
        for _, target in pairs:
            other = target.removeprefix("mcp-memory:")
            if name not in entities or other not in entities:
                yield skip("relations of what is not there", f"{name} → {other}")
