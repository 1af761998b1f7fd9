"""The routes of docs/http.md, from the service's own description."""

from __future__ import annotations

from typing import Any

from memcli.http import app
from memcli.http.service import Address, Service

BEGIN, END = "<!-- routes: made by scripts/generate.py -->", "<!-- end of routes -->"
COMMON = ("repo", "workspace", "user")  # parameters of most routes, described once
UNMET = 1_000_000  # numbers up to this and beyond, such as revisions, are no limits that a caller meets
TITLES = {
    "service": "The service",
    "reading": "Ours, reading",
    "writing": "Ours, writing",
    "around": "Ours, around the memories",
    "maintenance": "Ours, maintenance",
    "events": "Events of harnesses",
    "cmem": "C-Mem's worker",
    "mecho": "mecho",
    "long-term memory": "Long-term memory",
}


def with_routes(text: str) -> str:
    """Returns the text of docs/http.md with its part about routes made anew."""
    head, _, remainder = text.partition(BEGIN)
    tail = remainder.partition(END)[2]
    return f"{head}{BEGIN}\n\n{routes()}\n{END}{tail}"


def routes() -> str:
    """Returns every route, what it takes and what it answers, and the shapes of bodies, as Markdown."""
    described = app.openapi(app.build(Service(None, "", Address("127.0.0.1", 0)))[0])
    by_tag: dict[str, list[str]] = {tag: [] for tag in TITLES}
    for path, operations in described["paths"].items():
        for method, operation in operations.items():
            by_tag[operation["tags"][0]].append(_row(f"{method.upper()} {path}", operation))
    lines = []
    for tag, title in TITLES.items():
        lines += [f"### {title}", "", "| route | | takes | answers |", "| --- | --- | --- | --- |", *by_tag[tag], ""]
    lines += ["### Shapes", "", "A ? means that it may be missing or null.", "", "| shape | fields |", "| --- | --- |"]
    lines += [f"| {name} | {_fields(shape)} |" for name, shape in sorted(described["components"]["schemas"].items())]
    return "\n".join(lines) + "\n"


def _row(route: str, operation: dict[str, Any]) -> str:
    parameters = [p for p in operation.get("parameters", []) if p["in"] != "path" and p["name"] not in COMMON]
    takes = [f"`{p['name']}`" + ("" if p["required"] else "?") + _most(p) for p in parameters]
    if body := operation.get("requestBody"):
        takes.append(_kind(body["content"]["application/json"]["schema"]))
    done = next(answer for status, answer in operation["responses"].items() if status.startswith("2"))
    shapes = [
        _kind(content["schema"])
        for kind, content in done.get("content", {}).items()
        if kind == "application/json" and "schema" in content
    ]
    media_types = [kind for kind in done.get("content", {}) if kind != "application/json" and not kind.startswith("text/plain")]
    return f"| `{route}` | {_cell(operation['description'])} | {' '.join(takes)} | {' or '.join([*shapes, *media_types])} |"


def _most(parameter: dict[str, Any]) -> str:
    """Returns how large a number may be, where that is a limit that a caller meets."""
    most = parameter["schema"].get("maximum", UNMET)
    return f" ≤ {most:,}" if most < UNMET else ""


def _fields(shape: dict[str, Any]) -> str:
    needed = shape.get("required", [])
    fields = [f"`{name}`{'' if name in needed else '?'} {_kind(of)}" for name, of in shape.get("properties", {}).items()]
    return _cell(", ".join(fields))


def _kind(of: dict[str, Any]) -> str:
    """Returns a schema in a few words."""
    if "$ref" in of:
        return str(of["$ref"].rpartition("/")[2])
    if "anyOf" in of:
        return " / ".join(dict.fromkeys(["null" if value.get("type") == "null" else _kind(value) for value in of["anyOf"]]))
    if "enum" in of or "const" in of:
        return " / ".join([repr(value) for value in of.get("enum", [of.get("const")])]).replace("'", '"')
    if of.get("type") == "array":
        return f"[{_kind(of.get('items', {}))}]"
    return {"integer": "integer", "number": "number", "string": "text", "boolean": "true/false", "object": "object"}.get(
        str(of.get("type")), "any"
    )


def _cell(text: str) -> str:
    return " ".join(text.split()).replace("|", "\\|")
