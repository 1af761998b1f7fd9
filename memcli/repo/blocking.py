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
_CONFIGS = 16  # that include each other
_LARGEST = 1 << 18  # bytes of one, and of all that are read after the first
_ESCAPES = {"n": "\n", "t": "\t", "b": "\b"}
_LARGEST_RULES = 1 << 24
_MOST_STARS = 6  # of one pattern
_MOST_FOLDERS = 8  # that one pattern leaves open: **/
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
    return next((path for path in paths if _blocks(path)), "") or _named_in_config(root, git_dir)


def file_below(root: str) -> str:
    """Returns a file that git would wait for anywhere in a tree: one with rules, or of the git directory of a repository in it.

    Empty for none within ten seconds.
    """
    return next((path for path in _read_below(root) if _blocks(path, follow=not path.endswith(_RULES))), "")


def endless_rule_below(root: str) -> str:
    """Returns a file of a tree, or of its git directory, that has a pattern to ignore files by on which git may spend hours.

    The time that git takes to match a name doubles with each star or so. Empty for none within ten seconds. A file that is too
    large to be looked through counts.
    """
    ignoring = (path for path in _read_below(root) if path.endswith(_RULES[0]))
    return next((path for path in (os.path.join(root, ".git", "info", "exclude"), *ignoring) if _has_endless_rule(path)), "")


def _has_endless_rule(path: str) -> bool:
    content = bounded.read(path, _LARGEST_RULES)
    if content is None:
        return os.path.isfile(path) and os.path.getsize(path) > _LARGEST_RULES
    return any(_is_endless(line) for line in content.split(b"\n") if not line.startswith(b"#"))


def _is_endless(pattern: bytes) -> bool:
    folders = pattern.count(b"**/")
    return folders > _MOST_FOLDERS or pattern.count(b"*") - 2 * folders > _MOST_STARS


def _read_below(root: str) -> Iterator[str]:
    """Yields what git reads in a tree: files with rules, and those of a repository inside it, for ten seconds at most."""
    pending, until = [root], time.monotonic() + _SECONDS
    while pending and time.monotonic() < until:
        try:
            with os.scandir(pending.pop()) as entries:
                for entry in entries:
                    is_folder = entry.is_dir(follow_symlinks=False)
                    if entry.name in _RULES or (entry.name == ".git" and not is_folder):
                        yield entry.path
                    elif entry.name == ".git":
                        yield from _files_of(entry.path)
                    elif is_folder:
                        pending.append(entry.path)
        except OSError:
            continue


def _files_of(git_dir: str) -> Iterator[str]:
    """Yields what git may read of a repository in the tree to tell whether it is one, and on which commit."""
    yield from (os.path.join(git_dir, name) for name in _OF_GIT)
    for folder, _, names in os.walk(os.path.join(git_dir, "refs")):
        yield from (os.path.join(folder, name) for name in names)


def _named_in_config(root: str, git_dir: str) -> str:
    """Returns a file that a configuration names, by `core.excludesFile` or `include.path` for instance, and that blocks."""
    pending, room = [os.path.join(git_dir, "config"), os.path.join(git_dir, "config.worktree")], 2 * _LARGEST
    for config in pending:  # which grows
        content = bounded.read(config, min(_LARGEST, room)) or b""
        room -= len(content)
        for key, value in _settings(content.decode("utf-8", "surrogateescape")):
            value = os.path.expanduser(value.removeprefix(":(optional)"))
            for folder in (root, os.path.dirname(config)) if value else ():
                path = os.path.join(folder, value)
                if _blocks(path):
                    return path
                if key.endswith("path") and len(pending) < _CONFIGS and path not in pending:
                    pending.append(path)
    return ""


def _settings(text: str) -> Iterator[tuple[str, str]]:
    """Yields the keys of a configuration, in small letters and without their sections, and their values as git reads them."""
    lines = iter(text.replace("\r\n", "\n").lstrip("\ufeff").split("\n"))
    for line in lines:
        while line.lstrip().startswith("["):
            line = _after_section(line.lstrip())
        key, _, value = line.partition("=")
        if key.lstrip().startswith(("#", ";")):
            continue
        yield key.strip().lower(), _value(value, lines) if any(sign in value for sign in '"\\#;') else value.strip()


def _after_section(line: str) -> str:
    """Returns what follows a line's `[section "name"]`."""
    is_quoted = is_escaped = False
    for number, letter in enumerate(line):
        if is_escaped:
            is_escaped = False
        elif letter == "\\":
            is_escaped = True
        elif letter == '"':
            is_quoted = not is_quoted
        elif letter == "]" and not is_quoted:
            return line[number + 1 :]
    return ""


def _value(text: str, lines: Iterator[str]) -> str:
    """Returns a value without its quotes, escapes and comment; takes the lines on which it goes on."""
    value, spaces, is_quoted = "", "", False
    while True:
        letters = iter(text)
        for letter in letters:
            if letter in "#;" and not is_quoted:
                return value
            if letter.isspace() and not is_quoted:
                spaces += letter if value else ""
                continue
            value, spaces = value + spaces, ""
            if letter == '"':
                is_quoted = not is_quoted
            elif letter != "\\":
                value += letter
            elif escaped := next(letters, ""):
                value += _ESCAPES.get(escaped, escaped)
            else:
                break  # it goes on in the next line
        else:
            return value
        text = next(lines, "")


def _blocks(path: str, follow: bool = True) -> bool:
    try:
        kind = os.stat(path, follow_symlinks=follow).st_mode & _KIND
    except (OSError, ValueError):
        return False
    return kind not in _READ_AT_ONCE and (follow or kind != 0o120000) and path != os.devnull
