"""What other programs remember, as entries that an import takes: one module a program.

Each has `places(scope)`, where the program keeps its data; `recognize(look)`, whether a path holds such data; and
`extracts(path, scope)`, what is in it. `TABLE` is one that its database has. What cannot be taken is an entry `skip` with its
reason. A program that notes the directory of its data's repository has `moved(scope)`: its data of directories that are gone.
"""

from __future__ import annotations

import os
import shlex
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from importlib import import_module
from typing import Any

from memcli.errors import InvalidInput, NotFound
from memcli.records import Record
from memcli.sync.sources.look import LARGEST, Look, files_below, looks
from memcli.sync.sources.shape import Extract, ReadScope

__all__ = [
    "IN_REPOSITORY",
    "OF_NOBODY",
    "OF_PERSON",
    "SOURCES",
    "Extract",
    "ForeignSource",
    "ReadScope",
    "at_hand",
    "choose",
    "moved_hint",
    "recognized",
]

SOURCES = {  # what --from names -> the module, in the order in which they are tried where no name is given
    "mempack": "mempack",
    "claude-mem": "claude_mem",
    "cmem": "cmem",
    "mecho": "mecho",
    "ltm": "ltm",
    "mcp-memory": "mcp_memory",
    "cursor-rules": "cursor_rules",
    "agents-md": "agents_md",
    "picoclaw": "picoclaw",
    "adr": "adr",
    "basic-memory": "basic_memory",
}
_MOST_NAMED = 3
_MOST_LOOKED = 500  # files below a directory
_DATABASES = (".db", ".db3", ".sqlite", ".sqlite3")
IN_REPOSITORY = ("cursor-rules", "agents-md", "adr")  # files that stand among others, which agents read anyway
OF_NOBODY = ("mecho",)  # what it keeps is of its modes, which are of no repository
OF_PERSON = ("ltm", "picoclaw")  # what these keep is about the person rather than a repository


class ForeignSource(Record):
    """A program, and where its data stands. `others`: programs whose data is in the same directory.

    `moved`: data of directories that are gone, which may have been this repository, where none notes it.
    """

    system: str
    paths: tuple[str, ...]
    others: tuple[str, ...] = ()
    moved: tuple[str, ...] = ()

    def extracts(self, scope: ReadScope) -> list[Extract]:
        """Returns what is in all its places. Raises NotFound, InvalidInput."""
        extracts: list[Extract] = []
        for path in self.paths:
            with _readable(path):
                extracts += _module(self.system).extracts(path, scope)
                if not any(extract.entries for extract in extracts) and not _module(self.system).recognize(Look(path)):
                    raise InvalidInput(f"nothing of {self.system} in {path}", "check the path")
        return extracts


def choose(system: str, path: str | None, scope: ReadScope) -> ForeignSource:
    """Returns a program's data in a path, else where the program keeps it. Raises NotFound, InvalidInput."""
    if path is not None:
        with _readable(path):
            look = Look(_full(path))
            if _is_empty(look):
                raise _empty(path)
            _refuse_other(system, path, look)
        return ForeignSource(system, (look.path,))
    paths = tuple(_module(system).places(scope))
    find_moved = getattr(_module(system), "moved", None)
    moved = tuple(find_moved(scope)) if find_moved else ()
    if not paths and moved:
        raise NotFound(f"nothing of {system} notes this directory", moved_hint(moved))
    if not paths:
        raise NotFound(f"nothing of {system} where it keeps its data", f"name the place: mem import --from {system} PATH")
    return ForeignSource(system, paths, moved=moved)


def moved_hint(paths: Sequence[str]) -> str:
    """Words what to do with data of directories that are gone."""
    commands = [f"mem import {shlex.quote(path)}" for path in paths[:_MOST_NAMED]]
    more = f" (and {len(paths) - _MOST_NAMED} more)" if len(paths) > _MOST_NAMED else ""
    return f"if this repository was moved, its store may be one of a directory that is gone: {' or '.join(commands)}{more}"


def _refuse_other(system: str, path: str, look: Look) -> None:
    """Raises InvalidInput for data, other than Markdown, that are another program's."""
    if look.is_folder or _module(system).recognize(look):
        return
    is_data = bool(look.tables) or look.head.lstrip().startswith("{")
    if is_data and (other := next((other for other in SOURCES if _module(other).recognize(look)), None)):
        raise InvalidInput(f"{path} is what {other} keeps, not {system}", f"give --from {other}, or leave --from out")
    if look.tables and _module(system).TABLE not in look.tables:
        names = ", ".join(sorted(look.tables)[:5])
        raise InvalidInput(f"{path} is not a database of {system} (tables {names})", "leave --from out to have it recognised")


def at_hand(scope: ReadScope, systems: Iterable[str] = SOURCES) -> list[str]:
    """Returns those of these programs that have data where they keep it."""
    return [system for system in systems if _module(system).places(scope)]


def recognized(path: str, agents: Sequence[str] = ()) -> ForeignSource | None:
    """Returns the program whose data a path holds; None for what may be lines of JSON. Raises NotFound, InvalidInput.

    `agents`: what --from names, too, for sessions that are not recognised by content.
    """
    hint = f"name the program with --from: {', '.join(SOURCES)}"
    hint += f"; or the agent of which sessions are there: {', '.join(agents)}" if agents else ""
    with _readable(path):
        look = Look(_full(path))
        systems = (system for system in SOURCES if _module(system).recognize(look))
        if first := next(systems, None) or (_system_below(look) if look.is_folder else None):
            return ForeignSource(first, (look.path,), tuple(systems) if look.is_folder else ())
        if _is_empty(look) and look.name.lower().endswith(_DATABASES):
            raise _empty(path)
        is_binary = not look.is_folder and not look.tables and not look.head and 0 < os.path.getsize(look.path) <= LARGEST
    if look.tables:
        if "mem" in look.tables:
            raise InvalidInput(f"{path} is a store of mem itself", "write its memories with mem export, and import that file")
        names = ", ".join(sorted(look.tables)[:5])
        raise InvalidInput(f"{path} is a database of an unknown program (tables {names})", hint)
    if look.is_folder:
        raise InvalidInput(f"no program's memories in the directory {path}", hint)
    if is_binary:
        raise InvalidInput(f"{path} is neither text nor a database", hint)
    return None


def _is_empty(look: Look) -> bool:
    return os.path.isfile(look.path) and not os.path.getsize(look.path)


def _empty(path: str) -> InvalidInput:
    return InvalidInput(f"{path} is empty: 0 bytes", "give the file that the program writes into")


@contextmanager
def _readable(path: str) -> Iterator[None]:
    """Turns what the system says of a path, or of a file in it, into one line."""
    try:
        yield
    except OSError as problem:
        raise InvalidInput(
            f"{problem.filename or path} cannot be read: {(problem.strerror or '').lower()}", "check the path and its permissions"
        ) from None


def _system_below(top: Look) -> str | None:
    """Returns the program that has a file deeper in a directory, of those whose files stand among others."""
    inner = list(looks(top.path, files_below(top.path, (".md", ".mdc"))[:_MOST_LOOKED]))
    return next((system for system in IN_REPOSITORY if any(map(_module(system).recognize, inner))), None)


def _full(path: str) -> str:
    full = os.path.abspath(os.path.expanduser(path))
    if not path or "\0" in path or not os.path.exists(full):
        raise NotFound(f"no file {path}", "check the path, or give - for standard input")
    return full


def _module(system: str) -> Any:
    return import_module(f"{__name__}.{SOURCES[system]}")
