"""Our part of the text of a configuration: inserted or removed without changing a byte of anything else.

Ours is what runs `mem hook` or `mem mcp`, whichever `mem` that is: an outdated path is mended, a second copy is taken out, and
what a person changed about ours (a timeout, a matcher, a variable) stays.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from typing import Any

import tomlkit

from memcli.agents.adapters import Adapter
from memcli.agents.setup import files, jsonedit
from memcli.agents.setup.jsonedit import Path
from memcli.agents.setup.program import HOOK, NAME, SERVE, arguments_of_mem, hook_words, server_words, words_of
from memcli.errors import InvalidInput, MemError
from memcli.records import Record
from memcli.text import bounded, toml

Edit = Callable[[str], str]

RUNS = ("command", "args", "bash")  # the keys of a handler that say what it runs
BLANK = "\ufeff \t\r\n"
_MOST_HOOKS = 40
START, END = "<!-- mem:start -->", "<!-- mem:end -->"


class Misfit(InvalidInput):
    """A configuration that is not as the harness documents it, so that nothing can be inserted."""


class Part(Record):
    """Our part of one file: its path, and the functions that insert and remove the part. Both raise Misfit or ValueError."""

    path: str
    put_in: Edit
    take_out: Edit
    is_server: bool = False


class Format(Record):
    """How to read a text as a value, and to set and remove what is at a path in it. Each raises ValueError."""

    value: Callable[[str], Any]
    put: Callable[[str, Path, Any], str]
    drop: Callable[[str, Path], str]


class OwnHook(Record):
    """A handler of ours in a configuration: where it is, the harness's event, and what it runs."""

    path: tuple[str | int, ...]
    event: str
    words: list[str]


def format_of(path: str) -> Format:
    """Returns the format of a configuration file, by its name."""
    return TOML if path.endswith(".toml") else JSON


def _toml_put(text: str, path: Path, value: Any) -> str:
    document = tomlkit.parse(text)
    table: Any = document
    for key in path[:-1]:
        if key not in table:
            table[key] = tomlkit.table(is_super_table=True)
        table = table[key]
    table[path[-1]] = value
    return str(tomlkit.dumps(document))


def _toml_drop(text: str, path: Path) -> str:
    document = tomlkit.parse(text)
    table: Any = document
    for key in path[:-1]:
        table = table[key]
    del table[path[-1]]
    return str(tomlkit.dumps(document))


JSON = Format(lambda text: jsonedit.parse(text).value, jsonedit.put, jsonedit.drop)
TOML = Format(toml.loads, _toml_put, _toml_drop)


def own_file(path: str, content: str, follows_links: bool = True) -> Part:
    """Returns our part of a file that is entirely ours: its content.

    `follows_links`: else a link at `path` is refused, so that no memory is written outside of its directory.
    """

    def put_in(text: str) -> str:
        if not follows_links and os.path.islink(path):
            raise Misfit("it is a link", "move it away, and run it again")
        take_out(text)
        return content

    def take_out(text: str) -> str:
        if text.strip() and text.partition("\n")[0] != content.partition("\n")[0]:
            raise Misfit("it was not written by mem", "move it away, and run it again")
        return ""

    return Part(path, put_in, take_out)


def find_hooks(value: Any) -> list[OwnHook]:
    """Returns our handlers in the value of a configuration. Raises Misfit for one of another shape, or with very many."""
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
    if len(hooks) > _MOST_HOOKS:  # each is mended by itself
        raise Misfit(f"it runs mem {len(hooks)} times", "take out the hooks that are too many")
    return hooks


def hooks_in(text: str, harness: Adapter, mem: Sequence[str]) -> str:
    """Returns the text with our hooks for a harness. Raises MalformedJson, Misfit."""
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
            text = _replace_command(JSON, text, hook.path, handler)
    for path in reversed(duplicates):
        text = _drop(JSON, text, path)
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
    """Returns our hook for an event in the harness's form."""
    name, timeout = harness.events[event]
    return harness.hook_entry(hook_words(harness.name, name, mem), event, timeout)


def _handler(harness: Adapter, words: list[str]) -> dict[str, Any]:
    """Returns a handler in the harness's form, without the group around it."""
    entry = harness.hook_entry(words, next(iter(harness.events)), 0)
    nested: dict[str, Any] = entry["hooks"][0] if "hooks" in entry else entry
    return nested


def _replace_command(form: Format, text: str, path: Path, entry: dict[str, Any]) -> str:
    """Returns the text with the command of `entry` in the entry at `path`, whose other keys stay."""
    for key in RUNS:
        if key in entry:
            text = form.put(text, (*path, key), entry[key])
        elif key in _value_at(form, text, path):
            text = form.drop(text, (*path, key))
    return text


def _value_at(form: Format, text: str, path: Path) -> Any:
    """Returns the value at a path in a text, or None."""
    value = form.value(text)
    try:
        for step in path:
            value = value[step]
    except KeyError:
        return None
    return value


def hooks_out(text: str) -> str:
    """Returns the text without our hooks, and without lists that held nothing else. Raises MalformedJson or Misfit."""
    for hook in reversed(find_hooks(jsonedit.parse(text).value)):
        text = _drop(JSON, text, hook.path)
    return text


def _drop(form: Format, text: str, path: Path) -> str:
    """Returns the text without the value at a path, and without the containers that this leaves empty."""
    text = form.drop(text, path)
    for size in range(len(path) - 1, 0, -1):
        container = _value_at(form, text, path[:size])
        if container is None:
            continue  # a TOML table without a header of its own goes with what was in it
        if set(container) - {"matcher"} if isinstance(container, dict) else container:
            break
        text = form.drop(text, path[:size])
    return text


def find_server(value: Any, harness: Adapter) -> list[str] | None:
    """Returns the command of our server in the value of a configuration, or None. Raises Misfit for another server."""
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
    """Returns a text with our server in it. Raises ValueError for what cannot be read, Misfit."""
    form, path = _server_place(harness)
    if form is JSON and not text.strip(BLANK):
        text = "{}\n"
    words = find_server(form.value(text), harness)
    if words is None:
        return form.put(text, path, harness.server_entry(server_words(mem)))
    current = [*mem, *arguments_of_mem(words, SERVE)]
    return text if current == words else _replace_command(form, text, path, harness.server_entry(current))


def server_out(text: str, harness: Adapter) -> str:
    """Returns a text without our server. Raises ValueError for what cannot be read, Misfit."""
    form, path = _server_place(harness)
    return text if find_server(form.value(text), harness) is None else _drop(form, text, path)


def _server_place(harness: Adapter) -> tuple[Format, Path]:
    """Returns the format of a harness's file of servers, and the path of ours in it."""
    assert harness.server_files is not None
    return format_of(harness.server_files[1]), (*harness.server_keys, NAME)


def block_in(text: str, lines: str) -> str:
    """Returns a Markdown text with our lines between two marks, at its end if they are new."""
    block = f"{START}\n{lines.strip()}\n{END}\n"
    before, has_block, after = _split_at_block(text)
    if has_block:
        return before + block + after
    return (text.rstrip("\n") + "\n\n" if text.strip() else "") + block


def block_out(text: str) -> str:
    """Returns a Markdown text without what is between our marks."""
    before, has_block, after = _split_at_block(text)
    return (before.rstrip("\n") + "\n" if before.strip() else "") + after if has_block else text


def _split_at_block(text: str) -> tuple[str, bool, str]:
    """Returns the text before our block, whether there is a block, and the text after it. Raises Misfit for half a block."""
    if START not in text and END not in text:
        return text, False, ""
    before, _, tail = text.partition(START)
    _, end, after = tail.partition(END)
    if START not in text or not end or START in tail or END in after:
        raise Misfit(f"the marks {START} and {END} are not one pair", "remove them, and run it again")
    return before, True, after.removeprefix("\n")


def _object(value: Any, name: str) -> dict[str, Any]:
    """Returns a value that must be an object. Raises Misfit."""
    if not isinstance(value, dict):
        raise Misfit(f"{name} holds no object")
    return value


def read_settings(path: str, root: str = "") -> dict[str, Any]:
    """Returns the settings in a file; none for a broken one, which is reported where its hooks are checked.

    `root`: the project that the file belongs to, out of which no link may lead.
    """
    try:
        most = files.LARGEST_OF_PROJECT if root else files.LARGEST
        text = files.read(path, most) if path and not (root and bounded.leads_out(root, path)) else None
        value = format_of(path).value(text) if text and text.strip(BLANK) else {}
    except (MemError, ValueError):
        return {}
    return value if isinstance(value, dict) else {}
