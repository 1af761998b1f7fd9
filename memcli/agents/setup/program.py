"""Command lines of `mem` in configurations, and the paths of those configurations."""

from __future__ import annotations

import os
import re
import shlex
import shutil
import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING

from memcli.agents.adapters import LOCAL, PROJECT, Adapter

if TYPE_CHECKING:
    from memcli.agents.adapters import FilePair

HOOK, SERVE = "hook", "mcp"  # the first word after `mem` in a hook and in a server
NAME = "mem"  # of our server


def expand(path: str) -> str:
    """Returns a path of the person's own configuration with its variable, or the default of that, and ~ filled in."""
    path = re.sub(r"\$\{(\w+):-([^}]*)\}", lambda match: os.environ.get(match[1]) or match[2], path)
    return os.path.abspath(os.path.expanduser(path))


def config_path(paths: FilePair | None, scope: str, root: str) -> str:
    """Returns the path of a harness's file, or "": the variant with comments, .jsonc, if only that exists."""
    in_project, of_person = paths or (None, None)
    if scope == PROJECT:
        path = os.path.join(root, in_project) if in_project else ""
    else:
        path = expand(of_person) if of_person else ""
    return path + "c" if path.endswith(".json") and not os.path.exists(path) and os.path.exists(path + "c") else path


def hooks_path(harness: Adapter, scope: str, root: str) -> str:
    """Returns the path of a harness's hooks, or "" if it has no such file."""
    if scope == LOCAL:
        return os.path.join(root, harness.local_hook_file) if harness.local_hook_file and root else ""
    return config_path(harness.hook_files or harness.plugin_files, scope, root)


def with_tilde(path: str) -> str:
    """Returns a path with ~ for the person's home."""
    home = os.path.expanduser("~")
    return "~" + path[len(home) :] if path.startswith(home + os.sep) else path


def program() -> list[str]:
    """Returns the command line of the `mem` in use, with its absolute path.

    The path is kept as it was called: a link in ~/.local/bin stays when an upgrade replaces its target. Of the single executable
    file it is its own: what that unpacked is a cache, which may be cleared.
    """
    invoked = _invoked()
    if _is_unpacked() and os.access(invoked, os.X_OK):
        return [invoked]
    beside_python = os.path.join(os.path.dirname(sys.executable), NAME)
    for path in (invoked, beside_python, shutil.which(NAME) or ""):
        if _is_mem(path) and os.access(path, os.X_OK):
            return [path]
    return [sys.executable, "-P", "-m", "memcli"]


def _invoked() -> str:
    """Returns the absolute path of the program as it was called, or ""."""
    return os.path.abspath(sys.argv[0]) if os.sep in sys.argv[0] else shutil.which(sys.argv[0]) or ""


def _is_unpacked() -> bool:
    """Tells whether this runs from what the single executable file unpacked: `sys.argv[0]` is that file, whatever its name."""
    return os.path.isfile(os.path.join(sys.prefix, "start.py"))


def _is_mem(path: str) -> bool:
    """Tells whether a program is mem, by its name."""
    name = os.path.basename(path.replace("\\", "/"))
    is_archive = name.startswith(NAME) and name.endswith(".pyz")  # as a release names it, or shorter
    return name.removesuffix(".exe") == NAME or is_archive or (_is_unpacked() and path == _invoked())


def hook_words(name: str, event: str, mem: Sequence[str]) -> list[str]:
    """Returns the command line of a hook: our name of the event, for the harness `name`."""
    return [*mem, HOOK, event, "--harness", name]


def server_words(mem: Sequence[str]) -> list[str]:
    """Returns the command line of the server."""
    return [*mem, SERVE]


def words_of(entry: object) -> list[str]:
    """Returns the command line of a handler or a server in any harness's form, or an empty one."""
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


def arguments_of_mem(words: Sequence[str], verb: str) -> list[str]:
    """Returns the arguments of a command line that runs `mem VERB`, wherever that `mem` is, else nothing."""
    if words and _is_mem(words[0]):
        arguments = list(words[1:])
    elif "-m" in words[:4] and list(words)[list(words).index("-m") + 1 :][:1] == ["memcli"]:
        arguments = list(words)[list(words).index("-m") + 2 :]
    else:
        return []
    return arguments if arguments[:1] == [verb] else []
