"""What would block git: it opens its own files and those that a configuration names without asking whether they are pipes.

Light: each run of git asks, which costs 0.2 ms.
"""

from __future__ import annotations

import os
import time

from memcli.text import bounded

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

_KIND = 0o170000
_READ_AT_ONCE = (0o100000, 0o040000)  # a regular file; a directory, which is refused
_RULES = (".gitignore", ".gitattributes")
_OF_TREE = (*_RULES, ".mailmap", ".gitmodules")  # git follows no link in place of these
_OF_GIT = (
    "HEAD config config.worktree index packed-refs shallow commondir info/exclude info/attributes info/grafts"
    " info/sparse-checkout objects/info/alternates objects/info/commit-graph objects/pack/multi-pack-index"
).split()
_CONFIGS = 4  # that include each other
_LARGEST = 1 << 16  # bytes of one
_LARGEST_RULES = 1 << 20
_MOST_STARS = 6  # of one pattern
_SECONDS = 10.0  # to look through a tree


def file_for(root: str) -> str:
    """Returns a file that git reads in the repository at `root` and that it would wait for; empty for none.

    It knows the names at the top of a tree and in its git directory, and what the configuration there names.
    """
    git_dir = os.path.join(root, ".git")
    paths = [os.path.join(root, name) for name in _OF_TREE]
    if path := next((path for path in paths if _blocks(path, follow=False)), ""):
        return path
    paths = [os.path.join(git_dir, name) for name in _OF_GIT]
    return next((path for path in paths if _blocks(path)), "") or _named(root, git_dir)


def file_below(root: str) -> str:
    """Returns a file with rules for git anywhere in a tree that git would wait for; empty for none within ten seconds."""
    return next((path for path in _rules_below(root) if _blocks(path, follow=False)), "")


def endless_rule_below(root: str) -> str:
    """Returns a file of a tree, or of its git directory, that has a pattern to ignore files by on which git may spend hours.

    The time that git takes to match a name doubles with each star or so. Empty for none within ten seconds.
    """
    ignoring = (path for path in _rules_below(root) if path.endswith(_RULES[0]))
    return next((path for path in (os.path.join(root, ".git", "info", "exclude"), *ignoring) if _has_endless_rule(path)), "")


def _has_endless_rule(path: str) -> bool:
    lines = (bounded.read(path, _LARGEST_RULES) or b"").split(b"\n")
    return any(not line.startswith(b"#") and line.count(b"*") - 2 * line.count(b"**/") > _MOST_STARS for line in lines)


def _rules_below(root: str) -> Iterator[str]:
    """Yields the files with rules for git of a tree, for ten seconds at most."""
    pending, until = [root], time.monotonic() + _SECONDS
    while pending and time.monotonic() < until:
        try:
            with os.scandir(pending.pop()) as entries:
                for entry in entries:
                    if entry.name in _RULES:
                        yield entry.path
                    if entry.is_dir(follow_symlinks=False) and entry.name != ".git":
                        pending.append(entry.path)
        except OSError:
            continue


def _named(root: str, git_dir: str) -> str:
    """Returns a file that a configuration names, by `core.excludesFile` or `include.path` for instance, and that blocks."""
    pending = [os.path.join(git_dir, "config")]
    for number in range(_CONFIGS):
        if number >= len(pending):
            break
        content = bounded.read(pending[number], _LARGEST) or b""
        for line in content.decode("utf-8", "surrogateescape").split("\n"):
            key, _, value = line.partition("=")
            value = os.path.expanduser(value.strip().strip('"'))
            for folder in (root, os.path.dirname(pending[number])) if value else ():
                path = os.path.join(folder, value)
                if _blocks(path):
                    return path
                if key.strip().lower().endswith("path"):
                    pending.append(path)
    return ""


def _blocks(path: str, follow: bool = True) -> bool:
    try:
        kind = os.stat(path, follow_symlinks=follow).st_mode & _KIND
    except (OSError, ValueError):
        return False
    return kind not in _READ_AT_ONCE and (follow or kind != 0o120000) and path != os.devnull
