"""A change for people: the fields that differ, and the differing lines of long texts."""

from __future__ import annotations

from collections.abc import Sequence
from difflib import unified_diff
from typing import Any

from memcli.cli.output import paint, paragraph
from memcli.memory.versions import FieldChange
from memcli.operations.diff import Compared
from memcli.text import json
from memcli.text.terminal import oneline, visible

_STYLES = {"-": "error", "+": "ok", "@": "dim"}
_HEADER = 2  # lines of a unified diff that name files
_CONTEXT = 3


def diff(result: Compared) -> str:
    """What changed in an object since a revision."""
    version = result.version
    head = f"{oneline(result.title)}  revision {version.since} to {version.to}".lstrip()
    lines = paragraph(head, len(version.id) + 2, "", f"{paint(version.id, 'id')}  ")
    return "\n".join([*lines, *(patch(version.changes) or ["no difference"])])


def patch(changes: Sequence[FieldChange], indent: int = 0) -> list[str]:
    """Returns the lines of changes: short values before and after, the differing lines of longer texts."""
    return [line for change in changes for line in _change(change, indent)]


def _change(change: FieldChange, indent: int) -> list[str]:
    key, texts = oneline(change.key), (_text(change.before), _text(change.after))
    if not any(text and "\n" in text for text in texts):
        signed = [(sign, f"{key}: {text}") for sign, text in zip("-+", texts) if text is not None]
    else:
        before, after = ([] if text is None else text.split("\n") for text in texts)
        lines = list(unified_diff(before, after, n=_CONTEXT, lineterm=""))[_HEADER:]
        signed = [(" ", f"{key}:"), *[("@", line) if line[:1] == "@" else (line[:1], line[1:]) for line in lines]]
    return [line for sign, text in signed for line in _line(sign, text, indent)]


def _line(sign: str, text: str, indent: int) -> list[str]:
    style = _STYLES.get(sign, "")
    head = "  " if sign == "@" else f"{sign} "
    text = visible(text).replace("\t", "    ").replace("\n", " ")
    return paragraph(text, indent + len(head), style, " " * indent + (paint(head, style) if style else head))


def _text(value: Any) -> str | None:
    """Returns a value as a text of one or more lines, or None."""
    if value is None or isinstance(value, str):
        return value
    if isinstance(value, list) and all(isinstance(item, str) for item in value):
        return ", ".join(value)
    return json.dumps(value)
