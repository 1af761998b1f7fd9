"""Our part in the text of a configuration: put in, or taken out, without changing a byte of anything else.

Ours is what runs `mem hook` or `mem mcp`, whichever `mem` that is: an outdated path is mended, a second copy is taken out, and
what a person changed about ours (a timeout, a matcher, a variable) stays.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import tomlkit

from memcli.agents.adapters import Adapter
from memcli.agents.setup import jsonedit
from memcli.agents.setup.program import HOOK, NAME, SERVE, arguments_of_mem, hook_words, server_words, words_of
from memcli.errors import InvalidInput
from memcli.records import Record

Path = tuple[str | int, ...]

RUNS = ("command", "args", "bash")  # the keys of a handler that say what it runs
BLANK = "\ufeff \t\r\n"
START, END = "<!-- mem:start -->", "<!-- mem:end -->"


class Misfit(InvalidInput):
    """A configuration that is not as the harness documents it, so that nothing can be put into it."""


class OwnHook(Record):
    """A handler of ours in a configuration: where it is, for which of the harness's events, what it runs."""

    path: Path
    event: str
    words: list[str]


def find_hooks(value: Any) -> list[OwnHook]:
    """Returns the handlers of ours in the value of a configuration. Raises Misfit for one of another shape."""
    hooks = []
    for event, groups in _object(_object(value, "the file").get("hooks", {}), "hooks").items():
        if not isinstance(groups, list):
            continue  # a switch beside the events
        for index, group in enumerate(groups):
            nested = group.get("hooks") if isinstance(group, dict) else None
            handlers = [((index, "hooks", n), handler) for n, handler in enumerate(nested)] if isinstance(nested, list) else []
            for path, handler in [((index,), group), *handlers]:
                if arguments_of_mem(words := words_of(handler), HOOK):
                    hooks.append(OwnHook(("hooks", event, *path), event, words))
    return hooks


def hooks_in(text: str, harness: Adapter, mem: Sequence[str]) -> str:
    """Returns the text with our hooks for a harness. Raises Malformed, Misfit."""
    if not text.strip(BLANK):
        text = "{}\n"
        for key, value in harness.new_hook_file.items():
            text = jsonedit.put(text, (key,), value)
    before = jsonedit.parse(text).value
    events: set[str] = set()
    duplicates = []
    for hook in find_hooks(before):
        if hook.event in events:
            duplicates.append(hook.path)
            continue
        words = [*mem, *arguments_of_mem(hook.words, HOOK)]
        # A hook for an event that we do not ask for is a person's own: only its path is mended.
        if hook.event in harness.events:
            events.add(hook.event)
            words = hook_words(harness.name, harness.events[hook.event][0], mem)
        handler = _handler(harness, words)
        if hook.words != words_of(handler):
            text = _replace_command(text, hook.path, handler)
    for path in reversed(duplicates):
        text = _drop(text, path)
    missing = {event: _entry(harness, event, mem) for event in harness.events if event not in events}
    if missing and "hooks" not in before:
        return jsonedit.put(text, ("hooks",), {event: [entry] for event, entry in missing.items()})
    for event, entry in missing.items():
        groups = before["hooks"].get(event, [])
        if not isinstance(groups, list):
            raise Misfit(f"hooks.{event} is no list")
        text = jsonedit.put(text, ("hooks", event, len(groups)), entry)
    return text


def _entry(harness: Adapter, event: str, mem: Sequence[str]) -> dict[str, Any]:
    name, timeout = harness.events[event]
    return harness.hook_entry(hook_words(harness.name, name, mem), event, timeout)


def _handler(harness: Adapter, words: list[str]) -> dict[str, Any]:
    """Returns a handler as the harness takes it, without the group around it."""
    entry = harness.hook_entry(words, next(iter(harness.events)), 0)
    nested: dict[str, Any] = entry["hooks"][0] if "hooks" in entry else entry
    return nested


def _replace_command(text: str, path: Path, entry: dict[str, Any]) -> str:
    """Returns the text in which the entry at `path` runs what `entry` runs; its other keys stay."""
    for key in RUNS:
        if key in entry:
            text = jsonedit.put(text, (*path, key), entry[key])
        elif key in _value_at(text, path):
            text = jsonedit.drop(text, (*path, key))
    return text


def _value_at(text: str, path: Path) -> Any:
    node = jsonedit.parse(text).at(path)
    return node.value if node else {}


def hooks_out(text: str) -> str:
    """Returns the text without our hooks, and without the lists that held nothing else. Raises Malformed, Misfit."""
    for hook in reversed(find_hooks(jsonedit.parse(text).value)):
        text = _drop(text, hook.path)
    return text


def _drop(text: str, path: Path) -> str:
    """Returns the text without what is at a path, and without the containers around it that are empty then."""
    text = jsonedit.drop(text, path)
    for size in range(len(path) - 1, 0, -1):
        container = _value_at(text, path[:size])
        if set(container) - {"matcher"} if isinstance(container, dict) else container:
            break
        text = jsonedit.drop(text, path[:size])
    return text


def find_server(value: Any, harness: Adapter) -> list[str] | None:
    """Returns what our server runs in the value of a configuration, None where it has none. Raises Misfit for another's."""
    for key in harness.server_keys:
        value = _object(_object(value, "the file").get(key, {}), key)
    if NAME not in value:
        return None
    words = words_of(value[NAME])
    if not arguments_of_mem(words, SERVE):
        path = ".".join((*harness.server_keys, NAME))
        raise Misfit(f"another server is called {NAME}", f"give it another name, or remove it: {path}")
    return words


def server_in(text: str, harness: Adapter, mem: Sequence[str]) -> str:
    """Returns a JSON text with our server in it. Raises Malformed, Misfit."""
    text = text if text.strip(BLANK) else "{}\n"
    path = (*harness.server_keys, NAME)
    words = find_server(jsonedit.parse(text).value, harness)
    if words is None:
        return jsonedit.put(text, path, harness.server_entry(server_words(mem)))
    current = [*mem, *arguments_of_mem(words, SERVE)]
    return text if current == words else _replace_command(text, path, harness.server_entry(current))


def server_out(text: str, harness: Adapter) -> str:
    """Returns a JSON text without our server. Raises Malformed, Misfit."""
    path = (*harness.server_keys, NAME)
    return text if find_server(jsonedit.parse(text).value, harness) is None else _drop(text, path)


def table_in(text: str, harness: Adapter, mem: Sequence[str]) -> str:
    """Returns a TOML text with our server in it. Raises ValueError for what is no TOML, Misfit."""
    tables = tomlkit.parse(text)
    words = find_server(tables.unwrap(), harness)
    key = harness.server_keys[0]
    if words is not None:
        current = [*mem, *arguments_of_mem(words, SERVE)]
        for name, value in harness.server_entry(current).items() if current != words else ():
            tables[key][NAME][name] = value
        return str(tomlkit.dumps(tables))
    if key not in tables:
        tables[key] = tomlkit.table(is_super_table=True)
    tables[key][NAME] = table = tomlkit.table()
    for name, value in harness.server_entry(server_words(mem)).items():
        table[name] = value
    return str(tomlkit.dumps(tables))


def table_out(text: str, harness: Adapter) -> str:
    """Returns a TOML text without our server. Raises ValueError for what is no TOML, Misfit."""
    tables = tomlkit.parse(text)
    key = harness.server_keys[0]
    if find_server(tables.unwrap(), harness) is not None:
        del tables[key][NAME]
        if not tables[key]:
            del tables[key]
    return str(tomlkit.dumps(tables))


def block_in(text: str, lines: str) -> str:
    """Returns a text of Markdown with our lines in it between two marks, at its end where they are new."""
    block = f"{START}\n{lines.strip()}\n{END}\n"
    before, has_block, after = _split_at_block(text)
    if has_block:
        return before + block + after
    return (text.rstrip("\n") + "\n\n" if text.strip() else "") + block


def block_out(text: str) -> str:
    """Returns a text of Markdown without what is between our marks."""
    before, has_block, after = _split_at_block(text)
    return (before.rstrip("\n") + "\n" if before.strip() else "") + after if has_block else text


def _split_at_block(text: str) -> tuple[str, bool, str]:
    """Returns what is before our block, whether there is one, and what is after it. Raises Misfit for half a block."""
    if START not in text and END not in text:
        return text, False, ""
    before, _, tail = text.partition(START)
    _, end, after = tail.partition(END)
    if START not in text or not end or START in tail or END in after:
        raise Misfit(f"the marks {START} and {END} are not one pair", "remove them, and run it again")
    return before, True, after.removeprefix("\n")


def _object(value: Any, name: str) -> dict[str, Any]:
    if not isinstance(value, dict):
        raise Misfit(f"{name} holds no object")
    return value
