"""What documents say of the harnesses, from their registry: lists of names, a table of what each does, and of its events."""

from __future__ import annotations

import re

from memcli.agents.adapters import CONTEXT_EVENTS, EVENTS, Adapter, adapters
from memcli.agents.setup.configure import configurable
from tests.agents.real.clients import CLIENTS

BEGIN, END = "<!-- harnesses: made by scripts/generate.py -->", "<!-- end of harnesses -->"


def with_harnesses(text: str) -> str:
    """Returns a document with every list of harnesses made anew."""
    harnesses = configurable()
    names = [harness.name for harness in harnesses]
    real = [harness.title for harness in harnesses if harness.name in CLIENTS]
    text = re.sub(r"(?<=mem setup )\w+(\|\w+)+", "|".join(names), text)
    text = re.sub(r"(?<=connect your agent; or ).*", ", ".join(names[1:]), text)
    text = re.sub(r"(?<=Hooks for ).*?(?= record sessions)", _listed([harness.title for harness in harnesses]), text)
    text = re.sub(r"(?<=runs the real ).*?(?= against a stub model)", _listed(real), text, flags=re.DOTALL)
    return _with_table(text, _table(harnesses)) if BEGIN in text else text


def with_events(text: str) -> str:
    """Returns docs/capture.md with the table of the names of events made anew."""
    rows = [f"| {event} | {', '.join(_names_of(event))} |" for event in EVENTS]
    return _with_table(text, ["| event | also accepted |", "| --- | --- |", *rows])


def _with_table(text: str, lines: list[str]) -> str:
    head, _, remainder = text.partition(BEGIN)
    table = "\n".join(lines)
    return f"{head}{BEGIN}\n{table}\n{END}{remainder.partition(END)[2]}"


def _listed(words: list[str]) -> str:
    return f"{', '.join(words[:-1])} and {words[-1]}"


def _table(harnesses: list[Adapter]) -> list[str]:
    """Returns the lines of a table with a row for each harness."""
    lines = ["| harness | connected by | told | takes | tested |", "| --- | --- | --- | --- | --- |"]
    for harness in harnesses:
        way = "hooks" if harness.hook_files else "a plugin" if harness.plugin_files else "a file in its workspace"
        is_answered = harness.hook_files or harness.plugin_files
        events = harness.context_events if is_answered else ()
        told = {CONTEXT_EVENTS: "at the start and at each prompt", ("user-prompt",): "at each prompt, everything at the first"}
        size = f"{harness.max_bytes:,} bytes" if harness.max_bytes else "–"
        client = CLIENTS.get(harness.name)
        version = client.package.split()[0].rpartition("@")[2] if client else "not run: by its documentation"
        lines.append(f"| {harness.title} | {way} | {told.get(events, 'when it reads the file')} | {size} | {version} |")
    return lines


def _names_of(event: str) -> list[str]:
    """Returns what harnesses call an event, each name once, with those that call it so."""
    users: dict[str, list[str]] = {}
    for harness in adapters():
        names = {**{name: ours for name, (ours, _) in harness.events.items()}, **harness.event_aliases}
        for name in [name for name, ours in names.items() if ours == event]:
            users.setdefault(name, []).append(harness.title)
    return [f"`{name}` ({', '.join(titles)})" for name, titles in users.items()]
