"""Examples for the description of our own routes: for each parameter and each field of a body, by name."""

from __future__ import annotations

from typing import Any

PREFIX = "/v2/"
BY_NAME: dict[str, Any] = {
    "after": 5,
    "anchor": "9f2c41d",
    "anchor_state": "reachable",
    "before": 5,
    "branch": "main",
    "budget": 2_500,
    "commit": "HEAD~2",
    "context": 3,
    "day": "2026-03-01",
    "days": 3,
    "depth": 2,
    "dry_run": True,
    "engine": "claude",
    "entities": ["PostgreSQL"],
    "erase": False,
    "event": "user-prompt",
    "evidence": False,
    "file": "src/login.py",
    "files": ["src/login.py"],
    "force": False,
    "forgotten": False,
    "format": "prompt",
    "freshness": "drifted",
    "from_id": "M-7Q2K9XW4TB",
    "harness": "claude",
    "id": "M-7Q2K9XW4TB",
    "if-match": '"1042"',
    "include_orphans": False,
    "job": 17,
    "key": "editor",
    "kind": "decision",
    "limit": 20,
    "line": 1,
    "lost": False,
    "max_bytes": 10_000,
    "max_file_mb": 2,
    "needs_summary": False,
    "no_evidence": False,
    "offset": 0,
    "origin": "cli",
    "patch": False,
    "path": "src/login.py",
    "paths": ["docs"],
    "pinned": True,
    "query": "why are sessions lost at checkout",
    "reason": "2.4 is on the canary",
    "rel": "relates",
    "repo": "shop",
    "semantic": False,
    "session": "A-3M8ZJ5R1KD",
    "share": False,
    "since": "2 weeks ago",
    "start": "M-7Q2K9XW4TB",
    "state": {"deploying": "2.4", "open": ["flaky test_login"]},
    "summary": "Redis evicted them under load.",
    "superseded": False,
    "tags": ["auth"],
    "target": "src/login.py:12",
    "text": "The canary was green for ten minutes.",
    "thread": "auth",
    "title": "Session tokens live in Postgres",
    "to": "S-5C1V8N0HQA",
    "to_id": "M-2D6F0YB9PE",
    "type": "memory",
    "types": "memory,file",
    "until": "2026-03-01",
    "user": False,
    "value": "vim",
    "verbose": False,
    "workspace": "default",
}
# Routes on which a name means something else.
BY_ROUTE: dict[tuple[str, str], Any] = {
    ("/v2/items", "state"): "superseded",
    ("/v2/state/diff", "since"): "S-5C1V8N0HQA",
    ("/v2/threads/{id}", "id"): "auth",
    ("/v2/sessions/{id}", "id"): "A-3M8ZJ5R1KD",
    ("/v2/sessions/{id}/acts", "id"): "A-3M8ZJ5R1KD",
    ("/v2/turns/{id}", "id"): "D-0QGX49T2FY",
    ("/v2/history", "state"): "superseded",
    ("/v2/notes/{id}", "id"): "N-0K4R7T2WXC",
    ("/v2/config/{key}", "key"): "budget.total",
    ("/v2/config/{key}", "value"): 2_500,
}


def add(document: dict[str, Any]) -> None:
    """Adds examples to an OpenAPI document: to each parameter of our routes, and one whole body."""
    schemas = document["components"]["schemas"]
    for path, operations in document["paths"].items():
        if not path.startswith(PREFIX):
            continue
        for operation in operations.values():
            for parameter in operation.get("parameters", []):
                value = of(path, parameter["name"])
                parameter["example"] = _plain(parameter["schema"]) if value is None else value
            for content in operation.get("requestBody", {}).get("content", {}).values():
                fields = _fields(schemas, content["schema"])
                body = {name: value for name in fields if (value := of(path, name)) is not None}
                content["example"] = body or {"session_id": "s-1", "prompt": "fix the login"}


def of(path: str, name: str) -> Any:
    """Returns the example of a parameter or a field of a route, or None."""
    return BY_ROUTE.get((path, name), BY_NAME.get(name))


def _plain(schema: dict[str, Any]) -> Any:
    """Returns a value that fits a schema, for a name that the table lacks: its default, a number, or a word."""
    if schema.get("default") is not None:
        return schema["default"]
    types = {schema.get("type"), *[other.get("type") for other in schema.get("anyOf", [])]}
    return 1 if types & {"integer", "number"} else False if "boolean" in types else "word"


def _fields(schemas: dict[str, Any], schema: dict[str, Any]) -> list[str]:
    """Returns the names of the fields of a body."""
    if "$ref" in schema:
        schema = schemas[schema["$ref"].rpartition("/")[2]]
    names = list(schema.get("properties", {}))
    return names + [name for other in schema.get("anyOf", []) for name in _fields(schemas, other)]
