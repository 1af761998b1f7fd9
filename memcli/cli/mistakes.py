"""What a failed command line was meant to be: the corrected line, if that is likely and can be shown.

Only failed lines come here, so none of this is loaded on the everyday path. A line is offered only if the strict parser accepts
all of it and each of its choices exists.
"""

from __future__ import annotations

import importlib
import os
import shlex
from collections.abc import Callable, Sequence
from difflib import get_close_matches
from typing import TYPE_CHECKING, Any

from memcli.agents.adapters import CONFIGURED
from memcli.cli import aliases, table
from memcli.cli.invoke import request_class
from memcli.errors import InvalidInput, MemError, NotFound

if TYPE_CHECKING:
    from memcli.cli.table import Command, Option

    Parse = Callable[[Sequence[str], Command, dict[str, Option]], dict[str, Any] | None]

_LONGEST = 120  # characters of a line that is repeated


def hinted(words: Sequence[str], error: MemError, parse: Parse) -> MemError:
    """Returns the error of a command line, with a hint at the intended line if there is one."""
    if not isinstance(error, (InvalidInput, NotFound)):
        return error
    if text := meant(words, parse):
        return type(error)(error.message, text, error.code)
    return error


def meant(words: Sequence[str], parse: Parse) -> str:
    """Returns the hint for a failed command line: the intended one; empty if none is likely."""
    if not words:
        return ""
    for count in (2, 1):
        if advice := aliases.ADVICE.get(" ".join(words[:count])):
            return advice
    if words[0] == "undo" and any(word[1:2] == "-" and word[0] != "-" for word in words[1:]):
        return "it takes back the last command; mem edit ID corrects one memory, mem forget ID hides it, mem restore ID shows it"
    if len(words) == 1 and words[0] in aliases.REMOVE:
        return aliases.UNINSTALL
    if words[0] == "restore" and len(words) == 2 and os.path.isfile(words[1]):
        return f"did you mean: {_text(['backup', '--restore', words[1]])}"
    if words[0] == "setup" and ("--all" in words or set(words[1:]) <= {"--remove"}):
        return ""  # which harness is meant cannot be known
    line = corrected(list(words))
    if line != list(words) and _is_taken(line, parse) and (text := _text(line)):
        return f"did you mean: {text}"
    return _command_hint(words[0]) if words[0] not in table.COMMANDS else _owners(words)


def corrected(words: list[str]) -> list[str]:
    """Returns a line in which unknown commands, actions and options are corrected where their meaning is clear."""
    line = _value(_start(words))
    if line[0] not in table.COMMANDS:
        return line
    if line[0] == "edit" and any(word in _flags("update") and word not in _flags("edit") for word in line):
        line = ["update", *line[1:]]
    line = _options(_flag(_action(line)))
    return line if "--summary" in words else _place(line)  # with a summary it is the title that is missing


def _start(words: list[str]) -> list[str]:
    if words[0] in aliases.NOUNS and len(words) > 1:
        words = words[1:]
    if words[0] in aliases.REMOVE and len(words) == 2:
        return ["setup", words[1], "--remove"]
    for count in (2, 1):
        if (start := aliases.STARTS.get(" ".join(words[:count]).lower())) is not None and len(words) >= count:
            mcp = ["--mcp"] if words[0] == "mcp" and start == "setup" else []
            return [*start.split(), *words[count:], *mcp]
    name = words[0] if words[0] in table.COMMANDS else nearest(words[0].lower())
    return [name, *words[1:]] if name else words


def _value(line: list[str]) -> list[str]:
    return [aliases.VALUES.get(word, word) for word in line] if line[0] in ("setup", "import") else line


def _choices(name: str) -> tuple[str, ...]:
    """Returns the actions of a command; none if its first argument is not an action."""
    positionals = table.COMMANDS[name][3]
    field = _request(name).FIELDS.get(positionals[0][0]) if positionals else None
    return field.choices if field is not None else ()


def _request(name: str) -> Any:
    module, _, request, *_ = table.COMMANDS[name]
    return getattr(importlib.import_module(f"memcli.cli.{module}"), request) if request else request_class(name)


def _action(line: list[str]) -> list[str]:
    """Corrects the action of a command, and adds a missing one."""
    name, *rest = line
    choices = _choices(name)
    if not rest or not choices or rest[0] in choices:
        return _completed(_assigned(line))
    typed = rest[0].removeprefix("--")
    same = [choice for choice in choices if choice == typed or typed in aliases.ACTIONS.get(choice, "").split()]
    alike = get_close_matches(typed, choices, n=1, cutoff=0.75) if typed == rest[0] else []
    action = next(iter([*same, *alike]), "")
    if action:
        return _completed([name, action, *rest[1:]])
    plain = [part for word in rest for part in (word.split("=", 1) if name == "config" else [word])]
    if rest[0].startswith("-") or any(word.startswith("-") for word in plain):
        return line
    if name in ("note", "rule"):
        return [name, "add", " ".join(plain)]
    return [name, aliases.IMPLIED[name][len(plain) - 1], *plain] if name in aliases.IMPLIED and len(plain) <= 2 else line


def _assigned(line: list[str]) -> list[str]:
    """Splits `config set KEY=VALUE` into two words."""
    is_joined = line[:2] == ["config", "set"] and len(line) == 3 and "=" in line[2]
    return [*line[:2], *line[2].split("=", 1)] if is_joined else line


def _completed(line: list[str]) -> list[str]:
    """Adds placeholders for the words that an action needs and lacks."""
    needed = aliases.WORDS.get(line[0], {}).get(line[1] if len(line) > 1 else "", ())
    return [*line, *needed[len(line) - 2 :]]


def _flag(line: list[str]) -> list[str]:
    """Turns a word that is an option into one, as in `doctor repair`, and drops `list` from commands that only list."""
    name, *rest = line
    if not rest or name in ("get", "search", "explain", "add", "note", "pick", "browse"):
        return line
    flag = f"--{rest[0]}"
    if flag in table.COMMANDS[name][4]:
        return [name, flag, *rest[1:]]
    is_list = rest[0] in aliases.LIST and not table.COMMANDS[name][3]
    return [name, *rest[1:]] if is_list else line


def _options(line: list[str]) -> list[str]:
    """Corrects the names of options."""
    name, *rest = line
    taken = _flags(name)
    result = [name]
    for index, word in enumerate(rest):
        if word == "--":
            return [*result, *rest[index:]]
        flag, equals, value = word.partition("=")
        if not word.startswith("-") or word == "-" or flag in taken:
            result.append(word)
            continue
        other = aliases.OPTIONS.get(name, {}).get(flag, aliases.OPTIONS[""].get(flag))
        if other is None or (other and other not in taken):
            is_elsewhere = any(flag in command[4] for command in table.COMMANDS.values())
            other = flag if is_elsewhere or len(flag) < 4 else _nearest_flag(flag, taken)
        result += [f"{other}{equals}{value}"] if other else [value] * bool(equals)
    return result


def _nearest_flag(typed: str, flags: Sequence[str]) -> str:
    """Returns the only option with the typed prefix, else one that is spelled alike, else what was typed."""
    longer = [flag for flag in flags if flag.startswith(f"--{typed.lstrip('-')}")]
    return longer[0] if len(longer) == 1 else next(iter(get_close_matches(typed, flags, n=1, cutoff=0.75)), typed)


def _flags(name: str) -> list[str]:
    return [*table.COMMANDS[name][4], *table.COMMANDS[name][5]]


def _place(line: list[str]) -> list[str]:
    """Corrects arguments that are missing, superfluous or misplaced: an agent's name, an id, a text of several words."""
    name, *rest = line
    plain = [word for word in rest if not word.startswith("-")]
    is_plain = len(plain) == len(rest)
    fitted = {
        "setup": [CONFIGURED[0], *rest] if not plain else rest,
        "update": [rest[0], "--summary", rest[1]] if is_plain and len(rest) == 2 else rest,
        "supersede": [rest[0], "--title", rest[1]] if is_plain and len(rest) == 2 else rest,
        "add": rest[1:] if rest[:1] == ["--summary"] and len(rest) == 2 else rest,
        "search": rest[1:] if rest[:1] in (["--tags"], ["--tag"]) and len(rest) == 2 else rest,
        "link": [rest[0], "REL", rest[1]] if len(rest) == 2 and all("-" in word[1:] for word in rest) else rest,
        "undo": [] if is_plain and all(word.isdigit() for word in rest) else rest,
        "note": ["show", rest[1]] if rest[:1] == ["list"] and is_plain and len(rest) == 2 else rest,
        "profile": [*rest[:2], " ".join(rest[2:])] if rest[:1] == ["set"] and is_plain and len(rest) > 3 else rest,
        "forget": [
            word if "-" in word or table.COMMANDS["forget"][4].get(before, ("", "flag"))[1] != "flag" else "ID"
            for before, word in zip(["", *rest], rest)
        ],
    }.get(name, rest)
    return ["search", *fitted[:-1], "--json"] if name == "search" and fitted[1:] and fitted[-1] == "json" else [name, *fitted]


def _is_taken(line: list[str], parse: Parse) -> bool:
    """Tells whether `mem` accepts a line, as far as its words show."""
    if line[0] == "--man":
        return len(line) == 1
    command = table.COMMANDS.get(line[0])
    values = parse(line[1:], command, table.COMMON) if command else None
    if values is None:
        return False
    chosen = {name: field.choices for name, field in _request(line[0]).FIELDS.items() if field.choices}
    if line[0] == "setup" and values["harness"] not in (*CONFIGURED, "git") and not values["all"]:
        return False
    return all(values.get(name) is None or values[name] in choices for name, choices in chosen.items())


def _text(line: Sequence[str]) -> str:
    """Returns a line for pasting; empty if it is long or not plain text."""
    text = " ".join(["mem", *[word if word.isupper() and word.isalpha() else shlex.quote(word) for word in line]])
    return text if len(text) <= _LONGEST and text.isprintable() else ""


def _owners(words: Sequence[str]) -> str:
    """Returns which commands have an option that this one lacks, or the similar one that it has; else empty."""
    flags = [
        aliases.OPTIONS[""].get(flag) or flag for flag in (word.partition("=")[0] for word in words[1:] if word.startswith("--"))
    ]
    other = next((flag for flag in flags if flag != "--" and flag not in _flags(words[0])), "")
    owners = [name for name, command in table.COMMANDS.items() if other in command[4]]
    if not owners:
        near = _nearest_flag(other, _flags(words[0])) if len(other) > 3 else other
        return f"did you mean {near}? See mem {words[0]} --help" if near != other else ""
    return f"{other} is an option of {', '.join(f'mem {name}' for name in owners[:3])}; see mem {words[0]} --help"


def nearest(typed: str) -> str:
    """Returns the command that a word means, else one that is spelled alike, or ""."""
    if typed in aliases.BY_WORD:
        return aliases.BY_WORD[typed]
    names = sorted({*table.COMMANDS, *aliases.BY_WORD})
    close = get_close_matches(typed, names, n=1, cutoff=0.8) if len(typed) > 3 else []
    close = close or [name for name in names if len(typed) > 2 and sorted(name) == sorted(typed)]  # letters in another order
    return aliases.BY_WORD.get(close[0], close[0]) if close else ""


def _command_hint(typed: str) -> str:
    if typed.startswith("-"):
        close = get_close_matches(typed.lower(), ("--version", "--help", "--man"), n=1, cutoff=0.75)
        return f"did you mean: mem {'--version' if typed == '-V' else close[0]}" if close or typed == "-V" else ""
    name = nearest(typed.lower())
    return f"did you mean: mem {name}" if name else "see mem --help"
