"""Settings in force: where their values come from, and who may change what.

Environment over repository over user over default. A repository's own file arrives with a clone, so it may only narrow
what mem does: lower a budget, name a default thread.
"""

from __future__ import annotations

import os
import sys

from memcli import __version__
from memcli.errors import InvalidInput, MemError
from memcli.settings import SETTINGS, WORDS
from memcli.text.terminal import may_hold_secret

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import Any

    Value = tuple[int | float | str, str]  # and its source: "user", "repository" or "environment"

FILE = "config.toml"
_PREFIX = "MEMPACK_"
_LARGEST = 65_536  # bytes of a file of settings
_MOST_PROBLEMS = 20  # of a file that are listed
_SHOWN = 80  # characters of a key or value that a problem quotes
_MOST_NAME = 40  # characters of a name in a repository's file


class Config:
    """The settings in force. `config["budget.total"]` is a value of the setting's own type."""

    def __init__(self, values: dict[str, Value], problems: list[str]) -> None:
        self.values = values
        self.problems = problems  # of the repository's file, which must never stop a command
        self.foreign = ""  # what the person's file holds of another program, passed by
        self.ceilings: dict[str, str] = {}  # the words beyond which a repository lets nobody go

    def __getitem__(self, key: str) -> Any:
        value = self.values.get(key)
        return value[0] if value else SETTINGS[key][0]


def refuse_sudo(path: str) -> None:
    """Raises MemError if `sudo` would leave files of root in somebody's home, which that person could not open."""
    if os.environ.get("SUDO_UID", "0") == "0":
        return
    from memcli import system

    if not system.is_root():
        return
    while not os.path.exists(path):
        path = os.path.dirname(path)
    if os.stat(path).st_uid:
        raise MemError(f"under sudo, root would own what is stored in {path}", "run mem without sudo", "sudo")


def environment_name(key: str) -> str:
    """Returns the environment variable of a setting: `budget.total` -> MEMPACK_BUDGET_TOTAL."""
    return _PREFIX + key.upper().replace(".", "_")


def data_dir() -> str:
    """Returns the directory of all stores: MEMPACK_DATA_DIR, else below an absolute XDG_DATA_HOME, else the platform's own."""
    return _directory("MEMPACK_DATA_DIR", "XDG_DATA_HOME", ".local/share", "user_data_dir")


def config_dir() -> str:
    """Returns the directory of the user's settings: MEMPACK_CONFIG_DIR, else below XDG_CONFIG_HOME, else the platform's own."""
    return _directory("MEMPACK_CONFIG_DIR", "XDG_CONFIG_HOME", ".config", "user_config_dir")


def _directory(own: str, base: str, below_home: str, platform_name: str) -> str:
    if path := os.path.expanduser(os.environ.get(own, "")):
        if not os.path.isabs(path):  # it would be another one in each directory
            raise InvalidInput(f"{own} is not an absolute path: {path[:200]!r}", "give one that begins with / or ~", "config")
        return os.path.normpath(path)
    if os.path.isabs(path := os.environ.get(base, "")):
        return os.path.join(path, "mempack")
    if sys.platform in ("darwin", "win32"):
        import platformdirs

        return str(getattr(platformdirs, platform_name)("mempack", appauthor=False))
    return os.path.join(os.path.expanduser("~"), below_home, "mempack")


def of_person() -> Config:
    """Returns the settings outside of any repository."""
    return load(None, lambda key: None, lambda key, value: None)


def load(repository_root: str | None, note: Callable[[str], str | None], keep: Callable[[str, str], None]) -> Config:
    """Reads the settings in force. `note` and `keep` remember what a file said, so that TOML is parsed only when it changed.

    Raises InvalidInput for a user file or an environment variable that cannot be understood.
    """
    values: dict[str, Value] = {}
    ceilings: dict[str, str] = {}
    user, problems = _read(os.path.join(config_dir(), FILE), note, keep)
    foreign = problems.pop(0) if problems and problems[0].endswith(_FOREIGN) else ""
    if problems:
        raise InvalidInput(problems[0], f"correct {os.path.join(config_dir(), FILE)}")
    for key, value in user.items():
        values[key] = (value, "user")
    if repository_root:
        repository, problems = _of_repository(repository_root, note, keep)
        for key, value in repository.items():
            rule = SETTINGS[key][2]
            before = values[key][0] if key in values else SETTINGS[key][0]
            if "<" in rule:
                ceilings[key] = value
                if rule.split("<").index(value) < rule.split("<").index(str(before)):
                    values[key] = (value, "repository")
            elif rule == "any" and not _is_plain(value):
                problems.append(f"{key}: a repository may name only {_MOST_NAME} letters, digits, spaces and - _ . / at most")
            elif rule == "lower" and value < (least := _least(key, before)):
                problems.append(f"{key} = {value}: a repository may lower it to {least} only")
            elif rule == "any" or (rule == "lower" and value <= before):
                values[key] = (value, "repository")
            else:
                problems.append(f"{key} = {value}: a repository may {'only lower it' if rule == 'lower' else 'not set it'}")
    for name in os.environ:
        key = name[len(_PREFIX) :].lower().replace("_", ".", 1) if name.startswith(_PREFIX) else ""
        if key in SETTINGS and name == environment_name(key):
            values[key] = (from_text(key, os.environ[name], name), "environment")
    config = Config(values, problems)
    config.foreign = foreign
    config.ceilings = ceilings
    return config


def _is_plain(name: str) -> bool:
    """Tells whether a name is harmless where an agent sees it, such as in the heading of a pack."""
    return len(name) <= _MOST_NAME and not [char for char in name if not (char.isalnum() or char in " -_./")]


def _least(key: str, before: float | str) -> int:
    """Returns the least value to which a repository may lower a setting: a quarter of the default, or the person's if less."""
    return min(int(before), max(1, int(SETTINGS[key][0]) // 4))


def _of_repository(
    root: str, note: Callable[[str], str | None], keep: Callable[[str, str], None]
) -> tuple[dict[str, Any], list[str]]:
    """Returns the settings of a repository's file, flat, and its problems. A link is not followed."""
    folder = os.path.join(root, ".mempack")
    if os.path.islink(folder):
        return {}, [".mempack is a symbolic link, so its settings are not read"]
    return _read(os.path.join(folder, FILE), note, keep)


def _read(path: str, note: Callable[[str], str | None], keep: Callable[[str, str], None]) -> tuple[dict[str, Any], list[str]]:
    """Returns a file's settings, flat, and its problems."""
    try:
        status = os.lstat(path)
    except OSError:
        return {}, []
    if status.st_mode & 0o170000 != 0o100000 or status.st_size > _LARGEST:
        return {}, [f"{os.path.basename(path)} is no ordinary file, or too large"]
    stamp = f"{__version__}:{status.st_mtime_ns}:{status.st_size}:{status.st_ino}"
    from memcli.text import json

    if noted := note(f"config:{path}"):
        try:
            cached = json.loads(noted)
            if cached["stamp"] == stamp:
                return cached["values"], cached["problems"]
        except (json.Malformed, KeyError, TypeError):
            pass  # a note can always be taken again
    values, problems = _parse(path)
    keep(f"config:{path}", json.canonical({"stamp": stamp, "values": values, "problems": problems}))
    return values, problems


def from_text(key: str, text: str, name: str) -> int | float | str:
    """Parses a setting's value as typed. `name`: for errors. Raises InvalidInput."""
    kind = type(SETTINGS[key][0])
    try:
        value = {"true": True, "false": False}.get(text.lower()) if kind is bool else kind(text)
    except ValueError:
        value = None
    if value is None or not _fits(key, value):
        raise InvalidInput(f"{name}: {text!r} is not {_wanted(key)}", _example(key))
    return value


def _example(key: str) -> str:
    default = SETTINGS[key][0]
    return "give true or false" if isinstance(default, bool) else f"for example {default or 'NAME'}"


def _fits(key: str, value: object) -> bool:
    default = SETTINGS[key][0]
    if isinstance(default, str):
        words = _words(key)
        return (
            isinstance(value, str)
            and (not default or bool(value.strip()))  # what is empty by default may be emptied
            and value.isprintable()
            and (not words or value in words)
        )
    if isinstance(default, bool):
        return isinstance(value, bool)
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        return False
    least = 0 if isinstance(default, float) else 1
    return (isinstance(default, float) or isinstance(value, int)) and least <= value <= 1_000_000


def _words(key: str) -> Sequence[str]:
    """Returns the words that a setting may be, none if it may be any."""
    rule = SETTINGS[key][2]
    return rule.split("<") if "<" in rule else WORDS.get(key, ())


def _wanted(key: str) -> str:
    default = SETTINGS[key][0]
    if isinstance(default, bool):
        return "true or false"
    if words := _words(key):
        return " or ".join(words)
    return "a name" if isinstance(default, str) else "a whole number from 1" if isinstance(default, int) else "a number from 0"


def _parse(path: str) -> tuple[dict[str, Any], list[str]]:
    """Returns a file's settings, flat, and its problems."""
    from memcli.text import bounded, toml

    try:
        with open(bounded.open_regular(path), "rb") as file:
            tables = toml.loads(file.read(_LARGEST).decode())
    except (OSError, ValueError) as problem:
        return {}, [f"{os.path.basename(path)} cannot be read: {problem}"]
    values: dict[str, Any] = {}
    foreign = [key for key in tables if key in _GO_SETTINGS]
    problems = [f"{', '.join(map(str, foreign))}: {_FOREIGN}"] if foreign else []
    for section, table in tables.items():
        if section in foreign:
            continue
        for name, value in table.items() if isinstance(table, dict) else [("", table)]:
            key = f"{section}.{name}" if name else section
            if key not in SETTINGS:
                problems.append(f"{key[:_SHOWN]}: no such setting")
            elif not _fits(key, value):
                problems.append(f"{key} = {_shown(value)}: not {_wanted(key)}")
            else:
                values[key] = value
    return values, problems[:_MOST_PROBLEMS] + [f"{len(problems) - _MOST_PROBLEMS} more"] * (len(problems) > _MOST_PROBLEMS)


def _shown(value: object) -> str:
    return f"a {type(value).__name__}" if isinstance(value, (dict, list)) else repr(value)[:_SHOWN]


# Another mempack, written in Go, keeps its settings in a file of the same name in the same directory.
_FOREIGN = "of another mempack, passed by"
_GO_SETTINGS = frozenset(
    """active_repo cache_dir chunk_max_each chunks_k config_dir data_dir default_thread default_workspace embedding_min_similarity
    embedding_model embedding_provider embedding_setup_complete mcp_allow_write mcp_auto_repair mcp_require_repo mcp_write_mode
    memories_k memory_max_each repo_cache state_max token_budget tokenizer""".split()
)


def write_user(values: dict[str, int | float | str]) -> str:
    """Sets values in the user's file, all or none, keeping the rest, including comments. Returns the file's path.

    Raises InvalidInput for one that is a secret: the file is kept as it is, and copied where settings are read.
    """
    for key, value in values.items():
        _check_public(key, str(value))

    def put(tables: Any) -> None:
        for key, value in values.items():
            section, _, name = key.partition(".")
            if not isinstance(tables.setdefault(section, {}), dict):
                raise InvalidInput(f"{section} is not a table in {FILE}", f"correct {os.path.join(config_dir(), FILE)}")
            tables[section][name] = value

    return _change(put)


def _check_public(key: str, value: str) -> None:
    if not may_hold_secret(value):
        return
    from memcli.screening import mask

    if rules := mask(value).rules:
        hint = "nothing was set; a key of a server stands in an environment variable, such as MEMPACK_EMBED_KEY"
        raise InvalidInput(f"{key} would hold a secret ({', '.join(rules)})", hint)


def unset_user(key: str) -> str:
    """Removes one value from the user's file, keeping the rest, including comments. Returns the file's path."""
    section, _, name = key.partition(".")

    def take(tables: Any) -> None:
        if isinstance(tables.get(section), dict):
            tables[section].pop(name, None)

    return _change(take)


def _change(change: Callable[[Any], None]) -> str:
    """Reads, changes and writes the user's file under a lock. Returns its path."""
    import tomlkit

    from memcli.text import files

    path = os.path.join(config_dir(), FILE)
    os.makedirs(config_dir(), mode=0o700, exist_ok=True)
    lock = _lock(config_dir())
    try:
        tables = _user_tables()
        change(tables)
        files.write(path, tomlkit.dumps(tables))
    finally:
        if lock is not None:
            os.close(lock)
    return path


def _lock(folder: str) -> int | None:
    """Waits for the lock on a directory, which closing the handle releases. None if a directory cannot be locked."""
    from memcli import system

    try:
        handle = os.open(folder, os.O_RDONLY)
    except OSError:
        return None
    try:
        system.wait_lock(handle)
    except OSError:
        os.close(handle)
        return None
    return handle


def _user_tables() -> Any:
    import tomlkit

    path = os.path.join(config_dir(), FILE)
    try:
        with open(path, encoding="utf-8", newline="") as file:
            return tomlkit.parse(file.read())
    except FileNotFoundError:
        return tomlkit.document()
    except ValueError as problem:
        problems = _parse(path)[1] or [f"{FILE} cannot be read: {problem}"]  # named as a command that only reads names it
        raise InvalidInput(problems[0], f"correct {path}") from None


def write_example() -> None:
    """Writes the user's file if there is none: every setting with its meaning, all commented out."""
    from memcli.text import json

    path = os.path.join(config_dir(), FILE)
    lines = ["# Settings of mem. Remove the # of a line to change its value; see mem config list.\n"]
    for section in dict.fromkeys(key.partition(".")[0] for key in SETTINGS):
        lines.append(f"\n[{section}]\n")
        for key, (default, about, _) in SETTINGS.items():
            if key.startswith(section + "."):
                lines.append(f"# {key.partition('.')[2]} = {json.dumps(default)}  # {about}\n")
    try:
        os.makedirs(config_dir(), mode=0o700, exist_ok=True)
        with open(path, "x", encoding="utf-8") as file:
            file.writelines(lines)
    except OSError:
        return  # there already, or a read-only home: the defaults hold either way
