"""The Go program mempack (later `mem`): a repository's memory.db, and the bundle that its `share export` writes."""

from __future__ import annotations

import glob
import os
from collections.abc import Iterator, Sequence
from typing import Any

from memcli.errors import InvalidInput
from memcli.store import foreign
from memcli.sync.sources.look import Look, child, read_text, refuse
from memcli.sync.sources.shape import (
    UNDATED,
    Entry,
    Extract,
    ReadScope,
    gone,
    json_list,
    memory,
    moment,
    relation,
    skip,
    text,
    unread_lists,
)
from memcli.text import json

_TABLES = {
    "repos": "repo_id",
    "memories": "id workspace thread_id title summary tags_json entities_json created_at anchor_commit superseded_by deleted_at",
    "links": "from_id rel to_id",
    "state_current": "repo_id workspace state_json updated_at",
    "state_history": "workspace",
    "chunks": "workspace deleted_at",
    "threads": "thread_id workspace title tags_json",
}
_STORE, _BUNDLE = "memory.db", "memories.jsonl"
_DEFAULT = "default"
_MOST_NAMED = 3
_WELCOME = "M-WELCOME"
_CHECKPOINT = "Checkpoint"
TABLE = "memories"


def places(scope: ReadScope) -> list[str]:
    """Returns the stores of this repository, by the directory that each notes, and the bundle that it was sent."""
    own = [path for path in _stores() if os.path.realpath(scope.root) in _roots(path)]
    bundle = os.path.join(scope.root, "mem-share")
    return own or ([bundle] if scope.root and os.path.isfile(os.path.join(bundle, _BUNDLE)) else [])


def moved(scope: ReadScope) -> list[str]:
    """Returns the stores of directories that are gone, where none notes this one; those of its name alone if any is."""
    roots_by_path = {path: roots for path in _stores() if (roots := _roots(path))}
    if any(os.path.realpath(scope.root) in roots for roots in roots_by_path.values()):
        return []
    homeless = {path: roots for path, roots in roots_by_path.items() if not any(map(os.path.lexists, roots))}
    namesakes = [path for path, roots in homeless.items() if {os.path.basename(root) for root in roots} & set(scope.names)]
    return namesakes or list(homeless)


def _stores() -> list[str]:
    home = os.environ.get("XDG_DATA_HOME") or os.path.expanduser("~/.local/share")
    patterns = [os.path.join(home, name, "repos", "*", "memory.db") for name in ("mempack", "mem")]
    return sorted([path for pattern in patterns for path in glob.glob(pattern)])


def _roots(path: str) -> set[str]:
    """Returns the directories that a store notes; none of what is no store."""
    try:
        if not recognize(Look(path)):
            return set()
        repos = foreign.records(path, {"repos": "git_root"})["repos"]
    except InvalidInput:
        return set()
    return {os.path.realpath(root) for row in repos if (root := text(row["git_root"]))}


def recognize(look: Look) -> bool:
    """Tells whether this is a store or a bundle of mempack, or the directory in which it keeps the stores of all repositories."""
    if look.is_folder:
        store = child(look.path, _STORE)
        is_own = {"manifest.json", _BUNDLE} <= look.names or (store is not None and recognize(Look(store)))
        return is_own or any(recognize(Look(path)) for path in _stores_in(look.path))
    if look.tables:
        return TABLE in look.tables and bool({"state_current", "threads", "links"} & look.tables)
    return {"source_id", "thread_id", "title"} <= look.first_object.keys()


def _stores_in(folder: str) -> list[str]:
    """Returns the stores in a directory that has one a repository, whose name is the id that mempack gave it."""
    tops = (os.path.join(folder, "repos"), folder)
    paths = [os.path.join(top, name, _STORE) for top in tops for name in sorted(os.listdir(top) if os.path.isdir(top) else ())]
    return [path for path in paths if os.path.basename(os.path.dirname(path)).startswith(("r_", "p_")) and os.path.isfile(path)]


def _store_in(folder: str, scope: ReadScope) -> str:
    """Returns the store of this repository among those in a directory, or the only one. Raises InvalidInput."""
    stores = _stores_in(folder)
    own = [path for path in stores if os.path.realpath(scope.root) in _roots(path)] or stores
    if len(own) > 1:
        names = "; ".join([f"{path} ({', '.join(sorted(_roots(path)))})" for path in own[:_MOST_NAMED]])
        more = f" … ({len(own) - _MOST_NAMED} more)" if len(own) > _MOST_NAMED else ""
        raise InvalidInput(
            f"{folder} has the stores of {len(own)} repositories, none of them of this one", f"name one: {names}{more}"
        )
    return own[0] if own else refuse(folder, _STORE)


def extracts(path: str, scope: ReadScope) -> list[Extract]:
    """Returns what is stored, a part a workspace."""
    if os.path.isdir(path):
        path = child(path, _STORE) or child(path, _BUNDLE) or _store_in(path, scope)
    if not foreign.is_database(path):
        return [Extract(list(_bundle(path)))]
    rows = foreign.records(path, _TABLES)
    names = [text(row["workspace"]) or _DEFAULT for table in rows.values() for row in _own(table)]
    workspaces = dict.fromkeys([_DEFAULT, *names])
    links: dict[str, list[tuple[str, str]]] = {}
    for link in {(link["from_id"], link["rel"], link["to_id"]): link for link in rows["links"]}.values():
        if link["rel"] not in ("supersedes", "superseded_by"):  # these stand in the memory, too
            links.setdefault(text(link["from_id"]), []).append((relation(link["rel"]), f"mempack:{link['to_id']}"))
    present = {text(row["id"]) for row in rows["memories"]}
    lone = [skip("links of memories that are not there", source, len(links[source])) for source in links if source not in present]
    repositories = tuple([text(row["repo_id"]) for row in rows["repos"]])
    return [
        Extract(
            [*_entries(rows, links, workspace), *(lone if workspace == _DEFAULT else ())],
            None if workspace == _DEFAULT else workspace,
            repositories=repositories,
        )
        for workspace in workspaces
    ]


def _own(table: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    return [row for row in table if "workspace" in row]


def _entries(rows: dict[str, list[dict[str, Any]]], links: dict[str, list[tuple[str, str]]], workspace: str) -> Iterator[Entry]:
    own = {name: [row for row in _own(table) if (row["workspace"] or _DEFAULT) == workspace] for name, table in rows.items()}
    for row in own["memories"]:
        if row["deleted_at"]:
            yield gone(f"mempack:{text(row['id'])}", row["title"])
        elif row["id"] == _WELCOME:
            yield skip("the welcome that mempack writes", row["title"])
        else:
            yield _memory(row) | {"links": links.get(text(row["id"]), [])}
    for row in own["state_current"]:
        yield from _state(row, workspace)
    if earlier := len(own["state_history"]):
        yield skip("earlier states", count=earlier)
    for thread in own["threads"]:
        if text(thread["title"]).strip() not in ("", text(thread["thread_id"])) or json_list(thread["tags_json"]):
            yield skip("titles and tags of threads", f"{text(thread['thread_id'])}: {text(thread['title'])}")
    if chunks := sum(not row["deleted_at"] for row in own["chunks"]):
        yield skip("evidence: mem ingest makes it anew", count=chunks)


def _memory(row: dict[str, Any]) -> Entry:
    successor = text(row.get("superseded_by"))
    return memory(
        f"mempack:{text(row['id'])}",
        row["title"],
        row["summary"],
        thread=row["thread_id"],
        kind="checkpoint" if row["title"] == _CHECKPOINT else None,
        tags=json_list(row["tags_json"]),
        entities=json_list(row["entities_json"]),
        created_at=row["created_at"],
        lost=unread_lists(row, "tags_json", "entities_json"),
        anchor_commit=text(row["anchor_commit"]),
        superseded_by=f"mempack:{successor}" if successor else None,
    )


def _state(row: dict[str, Any], workspace: str) -> Iterator[Entry]:
    try:
        value = json.loads(text(row["state_json"]))
    except json.Malformed:
        yield skip("a state that is not JSON", row["state_json"])
        return
    if value:
        source = f"mempack:state:{row['repo_id']}:{workspace}:{row['updated_at']}"
        created = moment(row["updated_at"])
        entry = {"state": value, "reason": "The state that mempack had", "created_at": created, "source_id": source}
        yield entry if created else {**entry, "lost": [UNDATED]}


def _bundle(path: str) -> Iterator[Entry]:
    for number, line in enumerate(read_text(path).splitlines(), 1):
        try:
            row = json.loads(line) if line.strip() else None
        except json.Malformed as error:
            yield skip("lines that are not JSON", f"line {number}: {error}")
            continue
        if isinstance(row, dict) and row.get("source_id"):
            names = ("title", "summary", "thread_id", "created_at", "anchor_commit")
            lists = {f"{name}_json": row.get(name) for name in ("tags", "entities")}
            yield _memory({"id": row["source_id"], **{name: row.get(name) for name in names}, **lists})
        elif line.strip():
            yield skip("lines that are no memory", f"line {number}")
