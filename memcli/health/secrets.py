"""Secrets that are stored: from before mem masked them, or by a rule that is newer than the text."""

from __future__ import annotations

from memcli.records import Record
from memcli.store import scan
from memcli.text import json
from memcli.text.secrets import mask, mask_payload

TYPE_CHECKING = False
if TYPE_CHECKING:
    from memcli.project import Project

_HOW = {"job": "mem queue purge {}", "cache": "delete the file; it is made again"}


class Stored(Record):
    """Something stored that holds a secret: its id, the rules that found one, and the command that takes it out."""

    id: str
    rules: tuple[str, ...]
    erase: str


def stored(project: Project) -> list[Stored]:
    """Looks through everything that is stored: log, memories, states, threads, chunks, prompts, jobs, cache, in that order."""
    found: dict[str, dict[str, None]] = {}
    for name, text, is_json in scan.texts(project.db, project.folder):
        rules = _rules(text, is_json)
        if rules:
            found.setdefault(name, {}).update(dict.fromkeys(rules))
    return [Stored(_shown(name), tuple(rules), _how(project, name)) for name, rules in found.items()]


def _rules(text: str, is_json: bool) -> tuple[str, ...]:
    if is_json:
        try:
            return mask_payload(json.loads(text), lambda given: given).rules
        except json.Malformed:
            pass
    return mask(text).rules


def _shown(name: str) -> str:
    return mask(name).text


def _how(project: Project, name: str) -> str:
    if name.startswith("T-"):
        return "mem forget --erase each of its memories, see mem thread"
    kind, _, number = name.partition(" ")
    if kind in _HOW:
        return _HOW[kind].format(number)
    return f"mem forget --erase {name}"
