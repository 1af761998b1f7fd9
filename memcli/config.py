"""Settings: what they are, where their values come from, and who may change what.

Environment over repository over user over default. A repository's own file arrives with a clone, so it may only narrow
what mem does: lower a budget, name a default thread.
"""

from __future__ import annotations

import os
import sys

from memcli import __version__
from memcli.errors import InvalidInput

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    Value = tuple[int | float | str, str]  # and its source: "user", "repository" or "environment"

FILE = "config.toml"
_PREFIX = "MEMPACK_"
_LARGEST = 65_536  # bytes of a file of settings
_MOST_NAME = 40  # characters of a name in a repository's file


# The default (whose type is its type), its meaning, and what a repository may do: "lower", "any", "no", or "a<b<c" for a choice.
SETTINGS: dict[str, tuple[int | float | str, str, str]] = {
    "budget.total": (2500, "tokens that a pack may have as printed", "lower"),
    "budget.state": (600, "tokens of it that the state may take", "lower"),
    "budget.memories": (14, "memories in a pack", "lower"),
    "budget.memory_each": (80, "tokens of a summary that packs print; counted when a memory is written", "no"),
    "budget.chunks": (4, "evidence chunks in a pack", "lower"),
    "budget.chunk_each": (320, "tokens of a chunk that packs print; counted when a chunk is written", "no"),
    "memory.thread": ("general", "thread of a memory that names none", "any"),
    "ingest.auto": (False, "whether the worker brings what was ingested up to date where agents worked", "no"),
    "ingest.max_file_mb": (2, "MiB of a file that mem ingest still reads", "lower"),
    "ingest.chunk_tokens": (320, "tokens that a chunk of a file may have", "no"),
    "ingest.overlap_tokens": (40, "tokens that the parts of one long definition share", "no"),
    "capture.thread": ("agent-sessions", "thread of what is observed in sessions of agents", "any"),
    "capture.keep_days": (30, "days after which an observation that nobody cites, pinned or linked is hidden", "no"),
    "session.idle_minutes": (60, "minutes of silence after which a session is summed up and closed", "no"),
    "session.summary_seconds": (30, "seconds within which a session is summed up once, however often its agent stops", "no"),
    "queue.lease_minutes": (5, "minutes after which a worker that has not finished an event is taken for dead", "no"),
    "worker.idle_seconds": (60.0, "seconds without an event after which the worker leaves", "no"),
    "index.observations": (50, "observations that mem sessions --index lists", "no"),
    "index.summaries": (10, "summaries of sessions that it lists", "no"),
    "context.messages": (20, "messages of a session that GET /api/sessions/ID hands on as recent context", "no"),
    "context.chars": (12_000, "characters that these may have together", "no"),
    "compressor.provider": ("none", "what condenses what sessions leave: none (rules), anthropic, openai or command", "no"),
    "compressor.model": ("auto", "the model that is asked; auto: a small one of the provider's", "no"),
    "compressor.url": ("auto", "the server that is asked, any that speaks the provider's API; auto: the provider's own", "no"),
    "compressor.command": ("claude -p", "a command that reads a prompt and prints an answer", "no"),
    "compressor.timeout": (60.0, "seconds that one answer may take", "no"),
    "compressor.calls_an_hour": (60, "calls that one store makes in an hour at most", "no"),
    "compressor.tokens_a_day": (200_000, "tokens of questions and answers that one store spends in a day at most", "no"),
    "compressor.concurrency": (1, "calls at the same time on this machine", "no"),
    "log.level": ("info", "what the worker writes into its log: error, info or debug", "no"),
    "profile.key": (100, "characters of a key of the profile", "no"),
    "profile.value": (2000, "characters of a value of the profile", "no"),
    "note.text": (4000, "characters of a note", "no"),
    "note.sessions": (True, "whether a line about each session of an agent is added to the notes of its day", "no"),
    "curated.title": (200, "characters of a title where a door's contract caps it (docs/turns.md)", "no"),
    "curated.content": (8000, "characters of a content there", "no"),
    "turn.instructions": (".mempack/MEMORY.md", "file whose text a new session of an agent is told; an absolute path, too", "no"),
    "turn.instructions_chars": (8000, "characters of it that are told", "lower"),
    "turn.passages": (7, "passages of sessions that a prompt is told", "lower"),
    "turn.tokens": (600, "tokens of what a new session is told, beside that file", "lower"),
    "turn.entries": (10, "recent memories that a new session is told", "lower"),
    "turn.entries_chars": (2400, "characters of their titles and summaries together", "lower"),
    "turn.note_days": (3, "days whose notes a new session is told", "lower"),
    "turn.expire_minutes": (1440, "minutes after which a prepared turn can no longer be acknowledged", "no"),
    "serve.host": ("127.0.0.1", "address of mem serve: 127.0.0.1, localhost or ::1", "no"),
    "serve.port": (37888, "port of mem serve", "no"),
    "serve.heartbeat_seconds": (15.0, "seconds of silence after which a stream of mem serve shows that it lives", "no"),
    "mcp.write": ("off", "whether agents may write by MCP: off, ask (they ask you each time) or auto", "off<ask<auto"),
    "mcp.repos": ("", "further repositories that mem mcp may open: ids or absolute paths between commas; * for all", "no"),
    "rank.candidates": (96, "matches that are ranked and checked against HEAD", "no"),
    "rank.title": (3.0, "bm25 weight of a memory's title", "no"),
    "rank.summary": (1.0, "bm25 weight of its summary", "no"),
    "rank.tags": (1.0, "bm25 weight of its tags", "no"),
    "rank.entities": (1.0, "bm25 weight of its entities", "no"),
    "rank.words": (1.0, "bm25 weight of parts of identifiers and of its date", "no"),
    "rank.spelling": (0.8, "weight of a corrected word; one of the question's own has 1", "no"),
    "rank.near": (0.1, "weight of the words near in meaning", "no"),
    "rank.pairs": (0.3, "weight of two of the question's words side by side", "no"),
    "rank.coverage": (0.2, "how much a match loses by the words it misses: the power of the share it has", "no"),
    "rank.beside": (0.5, "share of its score that a match lends to those written beside it in its thread", "no"),
    "rank.beside_default": (0.1, "the same in the thread of memories that name none, and of observations", "no"),
    "rank.linked": (0.25, "share of its score that a match lends to memories linked with it", "no"),
    "rank.chunk_locator": (4.0, "bm25 weight of a chunk's path and symbol", "no"),
    "rank.chunk_text": (2.0, "bm25 weight of its text", "no"),
    "rank.chunk_tags": (2.0, "bm25 weight of its tags", "no"),
    "rank.chunk_words": (1.0, "bm25 weight of parts of identifiers in it", "no"),
    "rank.passage_heading": (1.0, "bm25 weight of the heading of a passage", "no"),
    "rank.passage_text": (1.0, "bm25 weight of its text", "no"),
    "rank.passage_question": (0.4, "bm25 weight of what it answers", "no"),
    "rank.passage_words": (1.0, "bm25 weight of parts of identifiers and of its date", "no"),
    "rank.floor": (0.4, "share of the best match's score without which a pack leaves out a match", "no"),
    "rank.captured": (0.2, "what an observation of a hook loses against what somebody wrote; the best text match is 1", "no"),
    "rank.chunk_symbol": (0.2, "what a chunk gains when the question has every word of a name it defines; the best is 1", "no"),
    "rank.chunk_file": (0.1, "the same for the name of its file", "no"),
    "rank.recency": (0.15, "what a memory of today gains over an old one; the best text match is 1", "no"),
    "rank.recency_days": (14.0, "days after which that gain has fallen to a third", "no"),
    "rank.thread": (0.10, "what a memory gains when the question names its thread", "no"),
    "rank.meaning": (0.6, "what a match gains for the same meaning by word vectors; the best text match is 1", "no"),
    "rank.semantic": (1.5, "what a memory gains for the same meaning, with --semantic", "no"),
    "recall.semantic": (False, "whether get, search and explain compare meanings without being told", "no"),
    "embed.provider": ("minilm", "what encodes meanings: minilm (on this machine) or openai (the server of embed.url)", "no"),
    "embed.url": ("http://localhost:11434/v1", "a server that speaks OpenAI's API; its key: MEMPACK_EMBED_KEY", "no"),
    "embed.model": ("all-minilm", "the model that the server is asked for", "no"),
    "embed.timeout": (10.0, "seconds that one answer of the server may take", "no"),
    "capture.result_chars": (4000, "characters of a tool's result, and of each of its arguments, that hooks keep", "lower"),
    "capture.skip_tools": ("TodoWrite, AskUserQuestion, SlashCommand, ListMcpResourcesTool", "tools not kept; * any end", "no"),
    "capture.hints": (True, "whether hooks hint at what is known before an edit, a read or a command, and after an error", "no"),
    "workspace.own_memory": ("", "workspaces and modes that also show your own memory; names between commas, * for all", "no"),
    "capture.worker": ("auto", "whether hooks start the worker: auto or off", "no"),
}


class Config:
    """The settings in force. `config["budget.total"]` is a value of the setting's own type."""

    def __init__(self, values: dict[str, Value], problems: list[str]) -> None:
        self.values = values
        self.problems = problems  # of the repository's file, which must never stop a command
        self.ceilings: dict[str, str] = {}  # the words beyond which a repository lets nobody go

    def __getitem__(self, key: str) -> Any:
        value = self.values.get(key)
        return value[0] if value else SETTINGS[key][0]


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


def load(repository_root: str | None, note: Callable[[str], str | None], keep: Callable[[str, str], None]) -> Config:
    """Reads the settings in force. `note` and `keep` remember what a file said, so that TOML is parsed only when it changed.

    Raises InvalidInput for a user file or an environment variable that cannot be understood.
    """
    values: dict[str, Value] = {}
    ceilings: dict[str, str] = {}
    user, problems = _read(os.path.join(config_dir(), FILE), note, keep)
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
    config.ceilings = ceilings
    return config


def _is_plain(name: str) -> bool:
    """True for a name that says nothing but itself where it is shown to an agent: in the head of a memory, for instance."""
    return len(name) <= _MOST_NAME and not [char for char in name if not (char.isalnum() or char in " -_./")]


def _least(key: str, before: float | str) -> int:
    """Returns the number to which a repository may lower a setting: a quarter of the default, or what the person has if less."""
    return min(int(before), max(1, int(SETTINGS[key][0]) // 4))


def _of_repository(
    root: str, note: Callable[[str], str | None], keep: Callable[[str, str], None]
) -> tuple[dict[str, Any], list[str]]:
    """Returns the settings of a repository's file, flat, and what is wrong with it. A link there leads to somebody else's."""
    folder = os.path.join(root, ".mempack")
    if os.path.islink(folder):
        return {}, [".mempack is a symbolic link, so its settings are not read"]
    return _read(os.path.join(folder, FILE), note, keep)


def _read(path: str, note: Callable[[str], str | None], keep: Callable[[str, str], None]) -> tuple[dict[str, Any], list[str]]:
    """Returns a file's settings, flat, and what is wrong with it."""
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
    """Reads a setting's value as typed. `name` is what an error calls it. Raises InvalidInput."""
    kind = type(SETTINGS[key][0])
    try:
        value = {"true": True, "false": False}.get(text.lower()) if kind is bool else kind(text)
    except ValueError:
        value = None
    if value is None or not _fits(key, value):
        raise InvalidInput(f"{name}: {text!r} is not {_wanted(key)}", f"for example {SETTINGS[key][0] or 'NAME'}")
    return value


def _fits(key: str, value: object) -> bool:
    default = SETTINGS[key][0]
    if isinstance(default, str):
        rule = SETTINGS[key][2]
        return (
            isinstance(value, str)
            and (not default or bool(value.strip()))  # what is empty by default may be emptied
            and value.isprintable()
            and ("<" not in rule or value in rule.split("<"))
        )
    if isinstance(default, bool):
        return isinstance(value, bool)
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        return False
    least = 0 if isinstance(default, float) else 1
    return (isinstance(default, float) or isinstance(value, int)) and least <= value <= 1_000_000


def _wanted(key: str) -> str:
    default = SETTINGS[key][0]
    if isinstance(default, bool):
        return "true or false"
    if "<" in SETTINGS[key][2]:
        return " or ".join(SETTINGS[key][2].split("<"))
    return "a name" if isinstance(default, str) else "a whole number from 1" if isinstance(default, int) else "a number from 0"


def _parse(path: str) -> tuple[dict[str, Any], list[str]]:
    """Returns a file's settings, flat, and what is wrong with it."""
    import tomllib

    from memcli.text import bounded

    try:
        with open(bounded.open_regular(path), "rb") as file:
            tables = tomllib.loads(file.read(_LARGEST).decode())
    except (OSError, ValueError, RecursionError) as problem:
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


def write_user(values: dict[str, int | float | str]) -> str:
    """Sets values in the user's file, all or none, keeping the rest, comments too. Returns the file's path."""

    def put(tables: Any) -> None:
        for key, value in values.items():
            section, _, name = key.partition(".")
            if not isinstance(tables.setdefault(section, {}), dict):
                raise InvalidInput(f"{section} is not a table in {FILE}", f"correct {os.path.join(config_dir(), FILE)}")
            tables[section][name] = value

    return _change(put)


def unset_user(key: str) -> str:
    """Takes one value out of the user's file, keeping the rest, comments too. Returns the file's path."""
    section, _, name = key.partition(".")

    def take(tables: Any) -> None:
        if isinstance(tables.get(section), dict):
            tables[section].pop(name, None)

    return _change(take)


def _change(change: Callable[[Any], None]) -> str:
    """Reads the user's file, changes it and writes it, while nobody else does. Returns its path."""
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
    """Waits for the lock on a directory; closing the handle lets go of it. None where there are no such locks."""
    try:
        import fcntl

        handle = os.open(folder, os.O_RDONLY)
    except (ImportError, OSError):
        return None
    try:
        fcntl.flock(handle, fcntl.LOCK_EX)
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
        raise InvalidInput(f"{FILE} cannot be read: {problem}", f"correct {path}") from None


def write_example() -> None:
    """Writes the user's file where there is none: every setting with its meaning, all commented out."""
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
