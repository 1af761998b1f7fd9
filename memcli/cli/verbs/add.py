"""add: store a fact."""

from __future__ import annotations

import os

from memcli import fields
from memcli.cli import output
from memcli.cli.invoke import perform, show
from memcli.errors import InvalidInput
from memcli.fields import options
from memcli.operations.add import Added, AddRequest
from memcli.records import replace
from memcli.text.terminal import oneline

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from memcli.cli.invoke import Common


class AddOptions(AddRequest):
    """A memory as options, or as one JSON object on standard input."""

    summary_argument: str | None = fields.text("The summary; the same as --summary.", default=None, metavar="SUMMARY")
    title_option: str | None = fields.text("The title, as an option.", default=None, flag="--title")
    stdin_json: bool = fields.flag("Read the fields as one JSON object from standard input.", default=False)


def add(request: AddOptions, common: Common) -> None:
    """Stores a memory and prints its id once it is on disk; the id of an equal one if that holds."""
    request = _from_json(request) if request.stdin_json else _from_options(request)
    show(common, perform(common, "add", request), lambda result: _text(result, when_it_leaves(common) if request.share else ""))


def _text(result: Added, leaving: str) -> str:
    return line(result) + leaving + ("\nalready exists; nothing added (--force adds it again)" if result.duplicate_of else "")


def when_it_leaves(common: Common) -> str:
    """Returns a line about what was just shared: whether it leaves with the next synchronization."""
    from memcli.cli.invoke import reading
    from memcli.replication import remote  # only who shares needs it

    is_on = reading(common, lambda project: remote.agreed(project) is not None)
    return "\nshared: goes with the next mem sync push" if is_on else "\nshared: nothing leaves before mem sync enable"


def line(result: Any, verb: str = "") -> str:
    """Returns a line about a memory that was just written: id, title, thread and commit (the fields of MemoryLine)."""
    where = f"thread {result.thread_id}" + (f" · on {result.anchor_commit[:7]}" if result.anchor_commit else "")
    if result.anchor_branch:
        where += f", for the next commit of {oneline(result.anchor_branch)}"
    return output.row(f"{verb}{result.id}", oneline(result.title), f"{where} · {result.tokens} tokens")


def _from_options(request: AddOptions) -> AddOptions:
    values = options(request)
    titles = [values[name] for name in ("title", "title_option") if name in values]
    if len(titles) != 1:
        raise InvalidInput("give exactly one title", 'such as: mem add "Sessions live in Postgres" --summary "Redis lost them"')
    summaries = [values[name] for name in ("summary", "summary_argument") if name in values]
    if len(summaries) > 1:
        raise InvalidInput("two summaries", "put the title in quotes, or leave --summary or the second text out")
    files = tuple([os.path.abspath(path) for path in request.files])
    return replace(request, title=titles[0], summary=stdin(summaries[0]) if summaries else None, files=files)


def stdin(text: str) -> str:
    """Returns an option's text, or standard input for `-`."""
    if text != "-":
        return text
    from memcli.cli.verbs.streams import read_text

    return read_text("-").removesuffix("\n")


def _from_json(request: AddOptions) -> AddOptions:
    """Reads a memory as JSON from standard input, for texts that no command line can hold."""
    from memcli.cli.verbs.streams import read_text
    from memcli.text import json

    if not options(request).keys().isdisjoint(("title", "title_option", "summary", "summary_argument")):
        raise InvalidInput("--stdin-json excludes a title and --summary", "give either --stdin-json, or a title and --summary")
    hint = 'send one object: {"title": "...", "summary": "...", "thread": "...", "tags": ["..."]}'
    try:
        values: Any = json.loads(read_text("-"))
    except json.Malformed as problem:
        raise InvalidInput(f"standard input is not JSON: {problem}", hint) from None
    if not isinstance(values, dict):
        raise InvalidInput("standard input is not a JSON object", hint)
    for name, value in values.items():
        if name not in _ACCEPTED:
            raise InvalidInput(f"unknown field {name[:80]!r}", f"use {', '.join(_ACCEPTED)}")
        expected, description = _TYPES.get(_ACCEPTED[name].kind, _TEXTS)
        if not isinstance(value, expected) or (isinstance(value, list) and not all(isinstance(item, str) for item in value)):
            raise InvalidInput(f"{name} is not {description}", hint)
    if "title" not in values:
        raise InvalidInput("a title is needed", hint)
    values = {name: tuple(value) if isinstance(value, list) else value for name, value in values.items()}
    values["files"] = tuple([os.path.abspath(path) for path in values.get("files", ())])
    return AddOptions(**values, force=request.force)


_ACCEPTED = {name: field for name, field in AddRequest.FIELDS.items() if field.kind != "flag"}
_TEXTS = (list, "a list of texts")
_TYPES: dict[str, tuple[type, str]] = {"text": (str, "a text"), "name": (str, "a text"), "number": (int, "a whole number")}
