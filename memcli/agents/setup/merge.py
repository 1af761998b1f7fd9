"""From the text of a configuration to the text with our part in it, or without it, and not a byte of anything else changed.

Ours is what runs `mem hook` or `mem mcp`, whichever `mem` that is: a path that no longer holds is mended, a second copy is taken
out, and what a person changed about ours (a timeout, a matcher, a variable) stays.
"""

from __future__ import annotations

from memcli.agents.adapters.spec import HOOK, NAME, SERVE, hook_words, ours, server_words, words_of
from memcli.errors import InvalidInput
from memcli.records import Record
from memcli.text import jsonedit

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from memcli.agents.adapters.spec import Hooks, Server

    Path = tuple[str | int, ...]

RUNS = ("command", "args", "bash")  # the keys of a handler that say what it runs
BLANK = "\ufeff \t\r\n"
START, END = "<!-- mem:start -->", "<!-- mem:end -->"


class Misfit(InvalidInput):
    """A configuration that is not as the harness documents it, so that nothing can be put into it."""


class Found(Record):
    """A handler of ours in a configuration: where it stands, for which of the harness's events, what it runs."""

    path: Path
    event: str
    words: list[str]


def find_hooks(value: Any) -> list[Found]:
    """Returns the handlers of ours in the value of a configuration. Raises Misfit for one of another shape."""
    found = []
    for event, groups in _object(_object(value, "the file").get("hooks", {}), "hooks").items():
        if not isinstance(groups, list):
            continue  # a switch beside the events
        for place, group in enumerate(groups):
            nested = group.get("hooks") if isinstance(group, dict) else None
            handlers = [((place, "hooks", n), one) for n, one in enumerate(nested)] if isinstance(nested, list) else []
            for path, handler in [((place,), group), *handlers]:
                if ours(words := words_of(handler), HOOK):
                    found.append(Found(("hooks", event, *path), event, words))
    return found


def hooks_in(text: str, hooks: Hooks, name: str, mem: Sequence[str]) -> str:
    """Returns the text with our hooks for the harness `name`. Raises Malformed, Misfit."""
    if not text.strip(BLANK):
        text = "{}\n"
        for key, value in hooks.top.items():
            text = jsonedit.put(text, (key,), value)
    before = jsonedit.parse(text).value
    seen: set[str] = set()
    doubled = []
    for found in find_hooks(before):
        if found.event in seen:
            doubled.append(found.path)
            continue
        words = [*mem, *ours(found.words, HOOK)]  # of an event that we do not ask for: a person's own, whose path is mended
        if found.event in hooks.events:
            seen.add(found.event)
            words = hook_words(name, hooks.events[found.event][0], mem)
        wanted = _handler(hooks, words)
        if found.words != words_of(wanted):
            text = _point(text, found.path, wanted)
    for path in reversed(doubled):
        text = _take(text, path)
    missing = {event: _entry(hooks, event, name, mem) for event in hooks.events if event not in seen}
    if missing and "hooks" not in before:
        return jsonedit.put(text, ("hooks",), {event: [entry] for event, entry in missing.items()})
    for event, entry in missing.items():
        groups = before["hooks"].get(event, [])
        if not isinstance(groups, list):
            raise Misfit(f"hooks.{event} is no list")
        text = jsonedit.put(text, ("hooks", event, len(groups)), entry)
    return text


def _entry(hooks: Hooks, event: str, name: str, mem: Sequence[str]) -> dict[str, Any]:
    called, timeout = hooks.events[event]
    return hooks.entry(hook_words(name, called, mem), event, timeout)


def _handler(hooks: Hooks, words: list[str]) -> dict[str, Any]:
    """Returns a handler as the harness takes it, without the group around it."""
    entry = hooks.entry(words, next(iter(hooks.events)), 0)
    nested: dict[str, Any] = entry["hooks"][0] if "hooks" in entry else entry
    return nested


def _point(text: str, path: Path, wanted: dict[str, Any]) -> str:
    """Returns the text with what the entry at `path` runs as `wanted` has it; its other keys stay."""
    for key in RUNS:
        if key in wanted:
            text = jsonedit.put(text, (*path, key), wanted[key])
        elif key in _at(text, path):
            text = jsonedit.drop(text, (*path, key))
    return text


def _at(text: str, path: Path) -> Any:
    node = jsonedit.parse(text).at(path)
    return node.value if node else {}


def hooks_out(text: str) -> str:
    """Returns the text without our hooks, and without the lists that were only there for them. Raises Malformed, Misfit."""
    for found in reversed(find_hooks(jsonedit.parse(text).value)):
        text = _take(text, found.path)
    return text


def _take(text: str, path: Path) -> str:
    """Returns the text without what is at a path, and without the containers around it that hold nothing any more."""
    text = jsonedit.drop(text, path)
    for size in range(len(path) - 1, 0, -1):
        left = _at(text, path[:size])
        if set(left) - {"matcher"} if isinstance(left, dict) else left:
            break
        text = jsonedit.drop(text, path[:size])
    return text


def find_server(value: Any, server: Server) -> list[str] | None:
    """Returns what our server runs in the value of a configuration, None where it is not there. Raises Misfit for another's."""
    for key in server.keys:
        value = _object(_object(value, "the file").get(key, {}), key)
    if NAME not in value:
        return None
    words = words_of(value[NAME])
    if not ours(words, SERVE):
        raise Misfit(f"another server is called {NAME}", f"give it another name, or remove it: {'.'.join(server.keys)}.{NAME}")
    return words


def server_in(text: str, server: Server, mem: Sequence[str]) -> str:
    """Returns a JSON text with our server in it. Raises Malformed, Misfit."""
    text = text if text.strip(BLANK) else "{}\n"
    path = (*server.keys, NAME)
    words = find_server(jsonedit.parse(text).value, server)
    wanted = server.entry(server_words(mem))
    if words is None:
        return jsonedit.put(text, path, wanted)
    now = [*mem, *ours(words, SERVE)]
    return text if now == words else _point(text, path, server.entry(now))


def server_out(text: str, server: Server) -> str:
    """Returns a JSON text without our server. Raises Malformed, Misfit."""
    path = (*server.keys, NAME)
    return text if find_server(jsonedit.parse(text).value, server) is None else _take(text, path)


def table_in(text: str, server: Server, mem: Sequence[str]) -> str:
    """Returns a TOML text with our server in it. Raises ValueError for what is no TOML, Misfit."""
    import tomlkit

    tables = tomlkit.parse(text)
    words = find_server(tables.unwrap(), server)
    if words is not None:
        now = [*mem, *ours(words, SERVE)]
        for key, value in server.entry(now).items() if now != words else ():
            tables[server.keys[0]][NAME][key] = value
        return str(tomlkit.dumps(tables))
    if server.keys[0] not in tables:
        tables[server.keys[0]] = tomlkit.table(is_super_table=True)
    tables[server.keys[0]][NAME] = table = tomlkit.table()
    for key, value in server.entry(server_words(mem)).items():
        table[key] = value
    return str(tomlkit.dumps(tables))


def table_out(text: str, server: Server) -> str:
    """Returns a TOML text without our server. Raises ValueError for what is no TOML, Misfit."""
    import tomlkit

    tables = tomlkit.parse(text)
    if find_server(tables.unwrap(), server) is not None:
        del tables[server.keys[0]][NAME]
        if not tables[server.keys[0]]:
            del tables[server.keys[0]]
    return str(tomlkit.dumps(tables))


def block_in(text: str, lines: str) -> str:
    """Returns a text of Markdown with our lines in it between two marks, at its end where they are not there yet."""
    block = f"{START}\n{lines.strip()}\n{END}\n"
    before, found, after = _around(text)
    if found:
        return before + block + after
    return (text.rstrip("\n") + "\n\n" if text.strip() else "") + block


def block_out(text: str) -> str:
    """Returns a text of Markdown without what stands between our marks."""
    before, found, after = _around(text)
    return (before.rstrip("\n") + "\n" if before.strip() else "") + after if found else text


def _around(text: str) -> tuple[str, bool, str]:
    """Returns what is before our block, whether there is one, and what is after it. Raises Misfit for half a block."""
    if START not in text and END not in text:
        return text, False, ""
    before, _, rest = text.partition(START)
    _, end, after = rest.partition(END)
    if START not in text or not end or START in rest or END in after:
        raise Misfit(f"the marks {START} and {END} are not one pair", "remove them, and run it again")
    return before, True, after.removeprefix("\n")


def _object(value: Any, what: str) -> dict[str, Any]:
    if not isinstance(value, dict):
        raise Misfit(f"{what} holds no object")
    return value
