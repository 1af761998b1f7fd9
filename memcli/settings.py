"""Reading and writing settings as a person writes them: TOML files and command lines."""

from __future__ import annotations

import os
import tomllib

import tomli_w

from memcli.config import FILE, SETTINGS, config_dir
from memcli.errors import InvalidInput
from memcli.text import json

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


def from_text(key: str, text: str, name: str) -> int | float | str:
    """Reads a setting's value as typed. `name` is what an error calls it. Raises InvalidInput."""
    kind = type(SETTINGS[key].default)
    try:
        value = kind(text)
    except ValueError:
        value = None  # type: ignore[assignment]
    if value is None or not _fits(key, value):
        raise InvalidInput(f"{name}: {text!r} is not {_wanted(key)}", f"for example {SETTINGS[key].default}")
    return value


def _fits(key: str, value: object) -> bool:
    default = SETTINGS[key].default
    if isinstance(default, str):
        return isinstance(value, str) and bool(value.strip()) and value.isprintable()
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        return False
    return (isinstance(default, float) or isinstance(value, int)) and 0 <= value <= 1_000_000


def _wanted(key: str) -> str:
    default = SETTINGS[key].default
    return "a name" if isinstance(default, str) else "a whole number" if isinstance(default, int) else "a number from 0"


def parse(path: str) -> tuple[dict[str, Any], list[str]]:
    """Returns a file's settings, flat, and what is wrong with it."""
    try:
        with open(path, "rb") as file:
            tables = tomllib.load(file)
    except (OSError, ValueError) as problem:
        return {}, [f"{os.path.basename(path)} cannot be read: {problem}"]
    values: dict[str, Any] = {}
    problems = []
    for section, table in tables.items():
        for name, value in table.items() if isinstance(table, dict) else [("", table)]:
            key = f"{section}.{name}" if name else section
            if key not in SETTINGS:
                problems.append(f"{key}: no such setting")
            elif not _fits(key, value):
                problems.append(f"{key} = {value!r}: not {_wanted(key)}")
            else:
                values[key] = value
    return values, problems


def write_user(key: str, value: int | float | str) -> str:
    """Sets one value in the user's file, keeping the rest. Returns the file's path. Comments do not survive."""
    path = os.path.join(config_dir(), FILE)
    tables: dict[str, Any] = {}
    if os.path.exists(path):
        with open(path, "rb") as file:
            tables = tomllib.load(file)
    section, _, name = key.partition(".")
    tables.setdefault(section, {})[name] = value
    os.makedirs(config_dir(), mode=0o700, exist_ok=True)
    aside = f"{path}.{os.getpid()}"
    with open(aside, "wb") as file:
        tomli_w.dump(tables, file)
    os.replace(aside, path)
    return path


def write_example() -> None:
    """Writes the user's file where there is none: every setting with its meaning, all commented out."""
    path = os.path.join(config_dir(), FILE)
    lines = ["# Settings of mem. Remove the # of a line to change its value; see mem config list.\n"]
    for section in dict.fromkeys(key.partition(".")[0] for key in SETTINGS):
        lines.append(f"\n[{section}]\n")
        for key, setting in SETTINGS.items():
            if key.startswith(section + "."):
                lines.append(f"# {key.partition('.')[2]} = {json.dumps(setting.default)}  # {setting.about}\n")
    try:
        os.makedirs(config_dir(), mode=0o700, exist_ok=True)
        with open(path, "x", encoding="utf-8") as file:
            file.writelines(lines)
    except OSError:
        return  # there already, or a read-only home: the defaults hold either way
