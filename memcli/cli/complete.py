"""What Tab offers: commands, options, ids, threads, harnesses, settings. Uses the strict parser's table, without Typer.

A candidate is a line: the word, a tab, what it means. The scripts of `mem completion` ask with `mem complete -- WORDS`, where the
last word is the one being typed.
"""

from __future__ import annotations

from memcli.cli import output, table
from memcli.text.terminal import oneline

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from typing import Any

    from memcli.cli.table import Command
    from memcli.project import Project

    Candidate = tuple[str, str]  # the word, and what it means

_MOST = 50  # ids
_TITLE = 60  # characters
_KINDS = (
    "note decision bugfix feature refactor discovery change checkpoint summary gotcha "
    "instruction preference fact open dropped lesson command"
)
_ORIGINS = "cli agent mcp hook import http"
_SHELLS = "bash zsh fish"
_WITHOUT_TABLE = ("help", "hook")
_UNLISTED = ("merge-memory",)  # for git, not for people


def run(words: Sequence[str]) -> int:
    """Prints the candidates for a command line, one per line. If anything fails, none: Tab is no place for an error."""
    typed = list(words[1:] if words[:1] == ["--"] else words) or [""]
    try:
        lines = [f"{word}\t{meaning}".rstrip("\t") for word, meaning in candidates(typed)]
    except Exception:
        lines = []
    if lines:
        output.show("\n".join(lines))
    return 0


def candidates(words: Sequence[str]) -> list[Candidate]:
    """Returns the candidates for the last of these words; none if the shell's own file names are best."""
    current = words[-1]
    if len(words) == 1:
        offers: Iterable[Candidate] = [(name, "") for name in (*table.COMMANDS, *_WITHOUT_TABLE) if name not in _UNLISTED]
        return _beginning(sorted(offers), current)
    if words[0] in ("help", "completion"):
        names = _SHELLS.split() if words[0] == "completion" else [name for name in table.COMMANDS if name not in _UNLISTED]
        return _beginning([(name, "") for name in names], current) if len(words) == 2 else []
    command = table.COMMANDS.get(words[0])
    if command is None:
        return []
    options = {**{flag: table.COMMON[flag] for flag in command[5]}, **command[4]}
    before = options.get(words[-2])
    if before is not None and before[1] != "flag":
        return _beginning(_values(words[0], command, before[0]), current)
    if current.startswith("-"):
        return _beginning([(flag, "") for flag in options], current)
    return _beginning(_values(words[0], command, _positional(command, options, words[1:-1])), current)


def _beginning(offers: Iterable[Candidate], typed: str) -> list[Candidate]:
    return [offer for offer in offers if offer[0].lower().startswith(typed.lower())]


def _positional(command: Command, options: dict[str, Any], words: Sequence[str]) -> str:
    """Returns the field that the next plain word is for, or ""."""
    count, is_value = 0, False
    for word in words:
        option = options.get(word)
        count += not word.startswith("-") and not is_value
        is_value = option is not None and option[1] != "flag"
    fields = command[3]
    if count < len(fields):
        return fields[count][0]
    return fields[-1][0] if fields and fields[-1][2] else ""


def _values(verb: str, command: Command, field: str) -> list[Candidate]:
    """Returns the values that a field may have."""
    if choices := _choices(verb, command, field):
        return [(choice, "") for choice in choices]
    if field == "key" and verb == "config":
        from memcli.settings import SETTINGS

        return [(name, about) for name, (_, about, _) in SETTINGS.items()]
    if field == "harness":
        from memcli.agents.adapters import CONFIGURED, HARNESSES

        return [(name, "") for name in ((*CONFIGURED, "git") if verb == "setup" else HARNESSES)]
    if field == "repo":
        from memcli import registry

        return [(row.name, row.root) for row in registry.repositories()]
    if field in ("kind", "origin"):
        return [(name, "") for name in (_KINDS if field == "kind" else _ORIGINS).split()]
    source = "threads" if field == "thread" or (verb, field) == ("thread", "id") else _SOURCES.get(field, "")
    source = "sessions" if source == "memories" and verb == "session" else source
    return _stored(source) if source else []


_SOURCES = {"id": "memories", "from_id": "memories", "to_id": "memories", "session": "sessions"}


def _choices(verb: str, command: Command, field: str) -> tuple[str, ...]:
    """Returns the declared choices of a field."""
    from memcli.cli.invoke import request_class

    module = __import__(f"memcli.cli.{command[0]}", fromlist=["*"])
    request = getattr(module, command[2]) if command[2] else request_class(verb)
    declared = request.FIELDS.get(field)
    return tuple(declared.choices or ()) if declared is not None else ()


def _stored(source: str) -> list[Candidate]:
    """Returns the newest memories or sessions, or all threads, of the repository around the working directory."""
    from memcli.project import Where, open_for_reading

    project = open_for_reading(Where())
    try:
        return _LISTS[source](project)
    finally:
        project.close()


def _memories(project: Project) -> list[Candidate]:
    from memcli.store import listing

    newest = listing.page(project.db, listing.MemoryFilter(limit=_MOST))
    return [(memory.id, oneline(memory.title)[:_TITLE]) for memory in newest]


def _threads(project: Project) -> list[Candidate]:
    from memcli.store import graph

    return [(thread.id, f"{thread.memory_count} memories") for thread in graph.threads(project.db)]


def _sessions(project: Project) -> list[Candidate]:
    from memcli.store import sessions

    return [(session.id, f"{session.harness}, {session.status}") for session in sessions.latest(project.db, _MOST)]


_LISTS = {"memories": _memories, "threads": _threads, "sessions": _sessions}
