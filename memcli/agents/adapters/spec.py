"""What is known of an agent harness: which file it reads, what stands in it, which of its events mean what.

One file a harness holds one `Spec`; `setup` merges it, `installed` compares it with what is there. A path of the person's own
configuration is written as the shell would, `${CODEX_HOME:-~/.codex}/hooks.json`; one of a project counts from its top.
"""

from __future__ import annotations

import os
import re
import shlex
import shutil
import sys

from memcli.records import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import Any

    Handler = dict[str, Any]

PROJECT, USER, LOCAL = "project", "user", "local"  # local: a person's own settings of one project
HOOK, SERVE = "hook", "mcp"  # the first word after `mem` in a hook and in a server
NAME = "mem"  # of our server


class Hooks(Record):
    """Where hooks stand: `events` is the harness's name -> (ours, timeout in the harness's unit).

    `entry` makes what stands in the list of an event, of (command line, the harness's event, timeout); `top`: what a new file
    begins with; `local`: another file of the project that the harness reads, which setup never writes.
    """

    project: str
    user: str
    events: dict[str, tuple[str, int]]
    entry: Callable[[Sequence[str], str, int], Handler]
    top: dict[str, Any]
    local: str = ""


class Server(Record):
    """Where servers of the Model Context Protocol stand: below which keys of which file, in which shape."""

    project: str
    user: str
    keys: tuple[str, ...]
    entry: Callable[[Sequence[str]], Handler]


class Own(Record):
    """A file that is ours from the first byte to the last: its paths, and its text for a command line."""

    project: str
    user: str
    text: Callable[[Sequence[str]], str]


class Spec(Record):
    """A harness: its name, what people call it, what it reads, what the person must approve in it by scope."""

    name: str
    title: str
    hooks: Hooks | None = None
    server: Server | None = None
    own: Own | None = None
    approve: dict[str, tuple[str, ...]] = {}
    approve_server: dict[str, tuple[str, ...]] = {}


def expand(path: str) -> str:
    """Returns a path of the person's own configuration with its variable, or what stands in for it, and ~ filled in."""
    path = re.sub(r"\$\{(\w+):-([^}]*)\}", lambda found: os.environ.get(found[1]) or found[2], path)
    return os.path.abspath(os.path.expanduser(path))


def place_of(part: Hooks | Server | Own, scope: str, root: str) -> str:
    """Returns where a harness's file is; the same with comments, .jsonc, where only that exists."""
    path = os.path.join(root, part.project) if scope == PROJECT else expand(part.user)
    return path + "c" if path.endswith(".json") and not os.path.exists(path) and os.path.exists(path + "c") else path


def path_of(spec: Spec, scope: str, root: str) -> str:
    """Returns where a harness's hooks stand, empty where it knows no such place."""
    if scope == LOCAL:
        return os.path.join(root, spec.hooks.local) if spec.hooks and spec.hooks.local and root else ""
    part = spec.hooks or spec.own
    return place_of(part, scope, root) if part else ""


def shown(path: str) -> str:
    """Returns a path as a person writes it, with ~ for their home."""
    home = os.path.expanduser("~")
    return "~" + path[len(home) :] if path.startswith(home + os.sep) else path


def program() -> list[str]:
    """Returns the command line of the `mem` in use, its path absolute.

    The path is kept as it was called: a link in ~/.local/bin stays when what it points to is replaced by an upgrade.
    """
    called = os.path.abspath(sys.argv[0]) if os.sep in sys.argv[0] else shutil.which(sys.argv[0]) or ""
    beside = os.path.join(os.path.dirname(sys.executable), NAME)
    for found in (called, beside, shutil.which(NAME) or ""):
        if _is_mem(found) and os.access(found, os.X_OK):
            return [found]
    return [sys.executable, "-P", "-m", "memcli"]


def _is_mem(path: str) -> bool:
    return os.path.basename(path.replace("\\", "/")).removesuffix(".exe") == NAME


def hook_words(name: str, event: str, mem: Sequence[str]) -> list[str]:
    """Returns the command line of a hook: our name of the event, for the harness `name`."""
    return [*mem, HOOK, event, "--harness", name]


def server_words(mem: Sequence[str]) -> list[str]:
    """Returns the command line of the server."""
    return [*mem, SERVE]


def words_of(entry: object) -> list[str]:
    """Returns the command line of a handler or a server in any harness's shape, empty where it has none."""
    if not isinstance(entry, dict):
        return []
    command = next((entry[key] for key in ("command", "bash") if key in entry), None)
    args = entry.get("args")
    if isinstance(command, list):
        return [word for word in command if isinstance(word, str)]
    if not isinstance(command, str):
        return []
    if isinstance(args, list):
        return [command, *[word for word in args if isinstance(word, str)]]
    try:
        return shlex.split(command)
    except ValueError:
        return []


def ours(words: Sequence[str], verb: str) -> list[str]:
    """Returns what follows the program in a command line that runs `mem VERB`, wherever that `mem` is; else nothing."""
    if words and _is_mem(words[0]):
        rest = list(words[1:])
    elif "-m" in words[:4] and list(words)[list(words).index("-m") + 1 :][:1] == ["memcli"]:
        rest = list(words)[list(words).index("-m") + 2 :]
    else:
        return []
    return rest if rest[:1] == [verb] else []


def shell(words: Sequence[str]) -> str:
    """Returns a command line for a shell."""
    return shlex.join(words)
