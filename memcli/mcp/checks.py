"""What would fail or change nothing, found before a person is asked about it."""

from __future__ import annotations

import os

from memcli.errors import InvalidInput, NotFound
from memcli.mcp import writing
from memcli.memory import contents, entries, links, lookup, profile, state
from memcli.records import replace
from memcli.store.oplog import Change, body_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from memcli.mcp.answers import Answer
    from memcli.project import Project


def check(project: Project, name: str, asked: dict[str, Any]) -> Answer | None:
    """Returns what a call is answered that has nothing to change, None for any other. Raises what the call would raise.

    `project`: the memory that it would change, open for reading.
    """
    if not project.is_user and not os.path.lexists(os.path.join(project.folder, "memory.db")):
        raise NotFound("nothing is stored here yet", "the person can start it with mem add")
    project = replace(project, masked={})  # nothing is written, so nothing masked is to be named
    if name == "memory_delete" and profile.out(project, asked["key"]) is None:
        return writing.deletion(project, asked["key"], False)
    if name in _CHECKS:
        _CHECKS[name](project, asked)
    return None


def _new(project: Project, new: entries.NewMemory) -> None:
    links.file_links(project, "", new.files)
    body_of(Change("put", "", entries.checked(project, new)))


def _update(project: Project, asked: dict[str, Any]) -> None:
    lookup.find(project, asked["id"])
    body_of(Change("put", "", entries.edited(writing.edit_of(asked))))


def _forget(project: Project, asked: dict[str, Any]) -> None:
    if lookup.find_chunk(project, asked["id"]) is None:
        lookup.find(project, asked["id"])


def _checkpoint(project: Project, asked: dict[str, Any]) -> None:
    if "state_json" in asked:
        body_of(Change("state", "", {"state": state.check(asked["reason"], asked["state_json"])}))
    _new(project, writing.checkpoint_of(asked))


def _write(project: Project, asked: dict[str, Any]) -> None:
    text = asked["content"]
    if not text.strip():
        raise InvalidInput("the content is empty", "give it some words")
    _new(project, entries.NewMemory(title=contents.title_of(text) or text, summary=text, tags=asked.get("keywords", ())))


_CHECKS: dict[str, Callable[[Project, dict[str, Any]], object]] = {
    "mempack_add_memory": lambda project, asked: _new(project, writing.new_of(asked)),
    "mempack_update_memory": _update,
    "mempack_supersede": lambda project, asked: _new(project, entries.successor(project, asked["id"], writing.edit_of(asked))[1]),
    "mempack_forget": _forget,
    "mempack_link": lambda project, asked: links.ends(project, asked["from_id"], asked["rel"], asked["to_id"]),
    "mempack_checkpoint": _checkpoint,
    "memory_write": _write,
    "memory_store": lambda project, asked: body_of(profile.said(project, asked["key"], asked["value"])),
}
