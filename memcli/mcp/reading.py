"""The answers of tools that only read. They are compact, and stored text in them cannot look like anything else."""

from __future__ import annotations

from typing import Any

from memcli.fields import to_json
from memcli.memory import contents, labels
from memcli.operations.recall import question_vector
from memcli.operations.results import memory_usage
from memcli.project import Project
from memcli.recall import search as memory_search
from memcli.recall.render import PROMPT
from memcli.records import Record
from memcli.store.memories import Memory
from memcli.store.sessions import Prompt
from memcli.store.usage import Usage
from memcli.text import dates, json
from memcli.text.terminal import oneline
from memcli.validity import REACHABLE, UNLINKED, exposures, origin_marks, origin_of

MAX_ITEMS = 50
MAX_CHARACTERS = 20_000  # of all items of one search: half of what clients accept without a warning
_MAX_EXPLAINED = 12
_MAX_REPORTED = {"memories": 50, "chunks": 20}  # of a report as data: a store of a thousand memories has half a megabyte of them
_LEFT_OUT = ("source_id", "tokens")  # of a memory: nothing that a model could use
_NO_USAGE = to_json(memory_usage(Usage()))
_USUAL = (("anchor_state", REACHABLE), ("anchor_branch", None), ("freshness", UNLINKED), ("usage", _NO_USAGE))


class ToolAnswer(Record):
    """The text for the model, and the same as data if the answer is a small record."""

    text: str
    data: dict[str, Any] | None = None


def pack(result: Any, arguments: dict[str, Any]) -> ToolAnswer:
    """Renders the pack for a task; as JSON it is also data."""
    if arguments.get("format") != "json":
        return ToolAnswer(result.pack.text)
    data = result.answer()
    return ToolAnswer(json.dumps(data), data)


def explanation(result: Any, arguments: dict[str, Any]) -> ToolAnswer:
    """Renders why each candidate is in the pack or not, best first; the report as data if asked for."""
    explained = result.answer()
    if arguments.get("format") == "json":
        data = _bounded(explained)
        return ToolAnswer(json.dumps(data), data)
    lines = [f"terms: {' '.join(explained['terms'])}"]
    lines += [f"read as: {word} -> {', '.join(corrections)}" for word, corrections in explained["corrected"].items()]
    for item in explained["memories"][:_MAX_EXPLAINED]:
        features = " ".join([f"{name}={value:g}" for name, value in item["features"].items() if value])
        winner = f" (to {item['lost_to']})" if item["lost_to"] else ""
        verdict = f"{item['final_score']:.3f} {item['id']} {item['verdict']}{winner}"
        lines.append(f"{verdict}: {oneline(item['title'])[:120]} [{features}]")
    if len(explained["memories"]) > _MAX_EXPLAINED:
        lines.append(f"and {len(explained['memories']) - _MAX_EXPLAINED} more")
    lines += [f"{chunk['score']:.3f} chunk {chunk['id']} {chunk['verdict']}: {chunk['locator']}" for chunk in explained["chunks"]]
    budget = explained["budget"]
    return ToolAnswer("\n".join([*lines, f"budget: {budget['used_total']} of {budget['target_total']} tokens"]))


def _bounded(report: dict[str, Any]) -> dict[str, Any]:
    """Returns a report with the best candidates of each kind, and how many more there are."""
    best = {name: report[name][:most] for name, most in _MAX_REPORTED.items()}
    return report | best | {"left_out": {name: len(report[name]) - len(best[name]) for name in best}}


def items(result: Any, arguments: dict[str, Any]) -> ToolAnswer:
    """Renders everything about the objects of ids, one line of JSON each."""
    return ToolAnswer("\n".join(map(details, result)))


def details(result: Any) -> str:
    """Returns everything about the object of an id as one line of JSON."""
    item = result.answer()
    if item.kind not in ("memory", "chunk"):
        values = to_json(getattr(item, item.kind))
        return json.dumps({name: value for name, value in values.items() if value not in (None, "", [])})
    if item.kind == "chunk":
        fields = to_json(item.chunk)
        return json.dumps({name: fields[name] for name in ("id", "path", "lines", "symbol", "text")})
    links = [{"from_id": link.from_id, "rel": link.rel, "to_id": link.to_id} for link in item.memory.links]
    values = {**to_json(item.memory), "links": links, "suspicious": bool(result.item.suspicious)}
    facts = {name: value for name, value in values.items() if name not in _LEFT_OUT and (name, value) not in _USUAL}
    return json.dumps({name: value for name, value in facts.items() if value not in (None, "", [], False)})


def why(result: Any, arguments: dict[str, Any]) -> ToolAnswer:
    """Renders what led to lines, a file or a commit, as JSON without empty members."""
    return ToolAnswer(json.dumps(_filled(to_json(result))))


def _filled(value: Any) -> Any:
    """Returns a JSON value without the empty members of objects."""
    if isinstance(value, list):
        return [_filled(item) for item in value]
    if isinstance(value, dict):
        return {name: _filled(item) for name, item in value.items() if item not in (None, "", [], 0)}
    return value


def notes(result: Any, arguments: dict[str, Any]) -> ToolAnswer:
    """Renders notes, oldest first: day, time, id, whether it is the person's own, text, who wrote it."""
    lines = [
        f"{dates.local(dates.parse(note.created_at))} {note.id}{' yours' * (note.source == 'user')} {oneline(note.text)}"
        f"{_marks(note.origin, '', note.suspicious)}"
        for note in result
    ]
    return ToolAnswer("\n".join(lines) or "no notes")


def _marks(actor: str, tags: str, is_order: bool) -> str:
    """Returns the marks that say who wrote something, what its session was exposed to, and that it reads like an order."""
    names = (*origin_marks(actor, tags), *("suspicious",) * is_order)
    return "".join([PROMPT.marks[name][0] for name in names])


def timeline(result: Any, arguments: dict[str, Any]) -> ToolAnswer:
    """Renders what was written and asked before and after a memory or a prompt, oldest first."""
    return ToolAnswer("\n".join([("> " if item.id == result.id else "  ") + _line(item) for item in result.items]))


def _line(item: Memory | Prompt) -> str:
    """Returns a memory on one line: time, id, kind, thread, title; for a prompt, time, id and its beginning."""
    if isinstance(item, Prompt):
        from memcli.text import quotations  # loads many patterns

        own = oneline(quotations.elided(quotations.marked(item.text)))
        return f"{dates.iso(item.created_at)[:16]} {item.id} prompt {own[:200] or item.skipped}"
    marks = _marks(item.origin, item.tags, bool(item.suspicious))
    return f"{dates.iso(item.created_at)[:16]} {item.id} {item.kind} {json.dumps(item.thread)} {item.line}{marks}"


def search(project: Project, arguments: dict[str, Any]) -> ToolAnswer:
    """Returns matching memories, without prompts, with as many texts as fit into one answer, and how many match."""
    limit = min(max(arguments.get("limit", 5), 1), MAX_ITEMS)  # models ask for 100 where 50 are to be had
    query = memory_search.parse(project, arguments["query"])
    meaning = question_vector(project, arguments["query"])[0]
    hits, hidden = memory_search.valid_matches(project, query, limit, meaning=meaning)
    items: list[dict[str, Any]] = []
    characters = 0
    for hit in memory_search.with_texts(project, hits[:limit], query):
        memory = hit.memory
        text = contents.text_of(memory)
        characters += len(text)
        if characters > MAX_CHARACTERS and items:
            break
        keywords, updated_at = list(labels(memory.tags)), dates.iso(memory.updated_at)
        marks: dict[str, Any] = origin_of(memory.origin).as_json() | ({"suspicious": True} if memory.suspicious else {})
        if exposed_to := exposures(memory.origin, memory.tags):
            marks["exposed_to"] = list(exposed_to)
        items.append({"id": memory.id, "content": text, "keywords": keywords, "updated_at": updated_at, **marks})
    left_out = {"not_on_this_branch": hidden.orphans, "superseded": hidden.superseded}
    data = {"ok": True, "total": len(hits), "items": items, **{name: count for name, count in left_out.items() if count}}
    return ToolAnswer(json.dumps(data), data)
