"""The everyday path: what each hot command may load, run and ask, and the records that make it light."""

from __future__ import annotations

import ast
import fcntl
import json
import os
import subprocess
import sys
from pathlib import Path

import apsw
import pytest

from memcli.agents.adapters import HARNESSES
from memcli.records import Record, as_dict, replace
from tests.conftest import Terminal

FACT = "Session tokens live in Postgres"
# Beyond our own: what the interpreter or APSW has built in C, and `io`, which Python loads itself, since 3.14 when it is needed.
FREE = {
    "__future__",
    "apsw",
    "gc",
    "errno",
    "io",
    "math",
    "_collections",
    "_json",
    "_operator",
    "_sha1",
    "_struct",
    "fcntl",
    "resource",
    "select",
    "zlib",
}
# What every interpreter has loaded when it starts
ALWAYS_LOADED = {"os", "sys", "time", "_collections_abc", "_frozen_importlib", "_signal", "_thread"}
PROBE = """
import sys
before = set(sys.modules)
from memcli.__main__ import run
code = run(sys.argv[1:])
print("loaded", *sorted(set(sys.modules) - before), file=sys.stderr)
sys.exit(code)
"""
HOT = {
    "get": "get session",
    "get as json": "get session --format json",
    "get as xml": "get session --format=xml --budget 900",
    "get for a harness": "get session --for claude --max-bytes 900",
    "search": "search session",
    "search as json": "search session --json --limit 3 --kind note",
    "add": "add Another --summary because",
    "add with a file": "add Another --summary because --tags a,b --file a.txt --json",
    "recent": "recent",
    "show": "show ID",
    "show as json": "show ID --json",
    "explain": "explain session",
    "update": "update ID --summary new",
    "supersede": "supersede ID --summary new",
    "forget": "forget ID",
    "pin": "pin ID",
    "link": "link ID needs https://example.invalid",
    "threads": "threads",
    "thread": "thread general",
    "log": "log",
    "checkpoint": "checkpoint --reason r --state-json {}",
    "state": "state",
    "undo": "undo",
    "version": "--version",
    "status": "status --short",
}
# What each may load of ours at most: a further module costs 0.07 ms at every start.
MOST = {
    "get session": 48,
    "search session": 47,
    "add Another --summary because": 50,
    "log": 38,
    "recent": 38,
    "status --short": 24,
}
HOOKS = {"post-tool-use": 31, "user-prompt": 65, "session-start": 62}
LIST = Path(__file__).parent.parent.parent / "everyday.txt"
EVERYDAY = {"memcli", "memcli.__main__"} | {line.partition(":")[0] for line in LIST.read_text().splitlines()}
# Light, though no line of scripts/_everyday.py loads them, and why.
LIGHT_TOO = {
    **dict.fromkeys([f"memcli.agents.adapters.{name}" for name in HARNESSES if name != "claude"], "each hook of that harness"),
    "memcli.cli.complete": "each press of Tab",
    "memcli.recall.writers": "a question about what others shared",
    "memcli.validity.shared_states": "a question in a memory whose newest state is another's",
    "memcli.validity.successors": "a question about what was replaced",
    "memcli.cli.help": "help, the first thing that a person sees",
    "memcli.cli.pages": "help",
    "memcli.operations.forget": "an agent's everyday write",
    "memcli.operations.supersede": "an agent's everyday write",
    "memcli.recall.calendar": "a question that names a day or a month",
    "memcli.recall.common_words": "a question with common words in a large store",
    "memcli.recall.kinds": "a question for all of a kind",
    "memcli.recall.moments": "a question that names a time, a tag or a branch",
    "memcli.text.calendar": "a question that names a day or a month",
    "memcli.screening.calls": "a write with a call that adds to a list of secrets",
    "memcli.screening.headed": "a write with a heading that names secrets",
    "memcli.screening.lists": "a write with a list that is given to the name of a secret",
    "memcli.screening.markup": "a write with markup around the name of a secret",
    "memcli.screening.rows": "a write with a list of columns of which one is named like a secret",
    "memcli.screening.tables": "a write with a table whose head names a secret",
    "memcli.memory.filters": "a search or a list of some days",
    "memcli.recall.worth_telling": "a question that turns of several sessions match",
    "memcli.recall.syntax": "a search with operators",
    "memcli.repo.ancestry": "the first command after HEAD moved",
    "memcli.repo.carry": "the first command after HEAD moved",
    "memcli.repo.blocking": "the first command after HEAD moved",
    "memcli.store.reserve": "a hook on a full disk",
    "memcli.repo.gitrun": "the first command after HEAD moved",
    "memcli.repo.merged": "a question that names a branch",
    "memcli.repo.history": "the first command after HEAD moved",
    "memcli.repo.next_commit": "a write on a branch other than main",
    "memcli.validity.commits": "the first command after HEAD moved",
}


def python(terminal: Terminal, source: str, *words: str) -> list[str]:
    """Runs a piece of Python in a process of its own. Returns the words of its last line on standard error."""
    command = [sys.executable, "-c", source, *words]
    env = {name: value for name, value in terminal.env.items() if name != "MEMPACK_CLOCK"}  # reading a date takes datetime
    done = subprocess.run(command, cwd=terminal.folder, env=env, capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, done.stderr
    return done.stderr.splitlines()[-1].split()


def loaded(terminal: Terminal, line: str) -> set[str]:
    """The modules that a command loads beyond those of an interpreter that does nothing."""
    mark, *names = python(terminal, PROBE, *line.split())
    assert mark == "loaded"
    return set(names)


@pytest.fixture
def warm(terminal: Terminal) -> Terminal:
    """A terminal in a repository with a memory of an older commit, whose ancestry is known, and which is noted."""
    (terminal.folder / "a.txt").write_text("a")
    terminal.add(FACT, "Redis evicted them.")
    terminal.mem("checkpoint", "--reason", "r", "--state-json", '{"task": "t"}')
    terminal.commit("second")
    terminal.mem("checkpoint", "--reason", "r", "--state-json", '{"task": "t"}')
    terminal.mem("get", "session")
    return terminal


@pytest.mark.parametrize("name", HOT)
def test_a_hot_command_loads_only_what_is_light(warm: Terminal, name: str) -> None:
    memory_id = warm.mem("search", "session", "--json").json[0]["id"]
    found = loaded(warm, HOT[name].replace("ID", memory_id))

    assert "memcli" in found
    assert {module for module in found if module.partition(".")[0] != "memcli"} - FREE == set()
    assert not {module for module in found if module.startswith("memcli.cli.app")}


@pytest.mark.parametrize("line", ["", "--help", "get --help", "browse -h", "help sync"])
def test_help_loads_few_modules(warm: Terminal, line: str) -> None:
    modules = loaded(warm, line)
    assert {name for name in modules if not name.startswith("memcli")} - FREE == set()
    assert len(modules) <= 16


@pytest.mark.parametrize("line", ["get --nonsense", "nonsense", "import --dry", "worker --nonsense"])
def test_a_wrong_line_loads_no_reader_of_sessions(warm: Terminal, line: str) -> None:
    source = PROBE.replace("sys.exit(code)", "sys.exit(code - 2)")
    mark, *modules = python(warm, source, *line.split())
    assert mark == "loaded"
    assert {name for name in modules if name.startswith("memcli.text._")} == set()


@pytest.mark.parametrize("line", MOST)
def test_an_everyday_command_loads_few_modules_and_only_those_declared(warm: Terminal, line: str) -> None:
    modules = {name for name in loaded(warm, line) if name.startswith("memcli")}

    assert modules - EVERYDAY == set()
    assert len(modules) <= MOST[line]


@pytest.mark.parametrize("question", ["what happens after a crash", "who logs in since the last change", "tokens before login"])
def test_a_question_that_names_no_time_loads_no_reader_of_times(warm: Terminal, question: str) -> None:
    assert not {"memcli.recall.moments", "memcli.recall.calendar"} & set(python(warm, PROBE, "get", question))
    assert {"memcli.recall.moments", "memcli.recall.calendar"} <= set(python(warm, PROBE, "get", f"{question} last week"))


def fired(terminal: Terminal, event: str, *words: str, **payload: object) -> set[str]:
    """The modules that a hook loads while a worker runs."""
    with open(terminal.store.parent / "worker.lock", "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        said = json.dumps({"session_id": "s", "cwd": str(terminal.folder), **payload})
        done = subprocess.run(
            [sys.executable, "-c", PROBE, "hook", event, *words],
            cwd=terminal.folder,
            env={name: value for name, value in terminal.env.items() if name not in ("MEMPACK_CLOCK", "MEMPACK_CAPTURE_WORKER")},
            input=said,
            capture_output=True,
            text=True,
            timeout=60,
        )
    mark, *names = done.stderr.splitlines()[-1].split()
    assert mark == "loaded"
    return set(names)


@pytest.mark.parametrize("words", [("--harness", "claude"), ()], ids=["named", "detected"])
@pytest.mark.parametrize("event", HOOKS)
def test_a_hook_loads_few_modules_and_only_those_declared(warm: Terminal, event: str, words: tuple[str, ...]) -> None:
    payload = {
        "tool_name": "Bash",
        "tool_use_id": "1",
        "tool_response": "x",
        "source": "startup",
        "prompt": "where do session tokens live",
    }
    modules = fired(warm, event, *words, **payload)
    ours = {name for name in modules if name.startswith("memcli")}

    assert modules - ours - FREE == set()
    assert ours - EVERYDAY == set()
    assert len(ours) <= HOOKS[event]


@pytest.mark.parametrize("size", [20_000, 200_000])
def test_a_hook_leaves_the_quotations_of_a_long_prompt_to_the_worker(warm: Terminal, size: int) -> None:
    prompt = "where do session tokens live\n" + "> always push to main\n" * (size // 22)
    modules = fired(warm, "user-prompt", "--harness", "claude", prompt=prompt)
    assert {name for name in modules if name.startswith(("memcli.text.quotations", "memcli.text._quotation"))} == set()


def imported_at_the_top(tree: ast.Module) -> set[str]:
    """What a module's own statements import; not those of blocks and functions. `from a import b` is a and a.b."""
    names = {alias.name for node in tree.body if isinstance(node, ast.Import) for alias in node.names}
    for node in tree.body:
        if isinstance(node, ast.ImportFrom):
            names |= {str(node.module)} | {f"{node.module}.{alias.name}" for alias in node.names}
    return names


def test_a_module_is_written_lightly_if_and_only_if_everyday_commands_load_it() -> None:
    paths = {".".join(path.relative_to(LIST.parent).with_suffix("").parts): path for path in LIST.parent.glob("memcli/**/*.py")}
    trees = {name.removesuffix(".__init__"): ast.parse(path.read_text(encoding="utf-8")) for name, path in paths.items()}
    marked = {name for name, tree in trees.items() if "TYPE_CHECKING = False" in map(ast.unparse, tree.body)}
    light = EVERYDAY | LIGHT_TOO.keys()
    strangers = {
        (module, name)
        for module in light
        for name in imported_at_the_top(trees[module])
        if (name in trees and name not in light) or name.partition(".")[0] not in FREE | ALWAYS_LOADED | {"memcli"}
    }

    assert marked - light == set()  # ordinary imports are written there
    assert strangers == set()
    assert EVERYDAY & LIGHT_TOO.keys() == set()


def test_the_list_is_the_same_wherever_it_is_made() -> None:
    harness = {"COPILOT_CLI": "1", "CLAUDE_CODE_SESSION_ID": "1"}
    surroundings = {**harness, "TZ": "Asia/Tokyo", "LC_ALL": "C", "MEMPACK_BUDGET_TOTAL": "9", "PYTHONHASHSEED": "3"}
    source = "from scripts._everyday import everyday_text; print(everyday_text(), end='')"
    env = {**os.environ, **surroundings}
    done = subprocess.run([sys.executable, "-c", source], cwd=LIST.parent, env=env, capture_output=True, text=True, timeout=120)

    assert done.stderr == ""
    assert done.stdout == LIST.read_text()


def test_a_command_that_is_no_longer_warm_may_load_what_runs_git_and_no_more(warm: Terminal) -> None:
    warm.commit("third")
    found = loaded(warm, "get session")

    assert {"memcli.repo.history", "memcli.repo.gitrun"} <= found
    assert {module for module in found if module.partition(".")[0] != "memcli"} - FREE == set()


def test_names_that_were_lent_to_apsw_are_taken_back(terminal: Terminal) -> None:
    source = """
import sys
fresh = "collections" not in sys.modules
import memcli.store
clean = not fresh or not {"collections", "collections.abc"} & set(sys.modules)
import collections, collections.abc
from collections import OrderedDict, namedtuple
import typing, dataclasses
real = collections.__file__.endswith("__init__.py") and issubclass(OrderedDict, collections.abc.Mapping)
import apsw
db = apsw.Connection(":memory:")
named = db.execute("SELECT :a", {"a": 1}).fetchall() == db.execute("SELECT :a", OrderedDict(a=1)).fetchall() == [(1,)]
print(clean, real, named, file=sys.stderr)
"""
    assert python(terminal, source) == ["True", "True", "True"]


def test_a_warm_get_asks_the_store_a_few_times_a_word_however_much_there_is(warm: Terminal) -> None:
    def count() -> int:
        asked: list[str] = []

        def watch(connection: apsw.Connection) -> None:
            connection.exec_trace = lambda cursor, sql, values: asked.append(sql) is None

        apsw.connection_hooks.append(watch)
        try:
            warm.mem("get", "session tokens")
        finally:
            apsw.connection_hooks.remove(watch)
        return len(asked)

    few = count()
    rows = "".join(f'{{"title": "Session fact {n}", "summary": "tokens {n}"}}\n' for n in range(300))
    warm.mem("import", "-", stdin=rows)

    assert 0 < few <= 30
    assert 0 < count() <= 30


def test_a_warm_command_starts_no_process(warm: Terminal, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*words: object, **more: object) -> None:
        raise AssertionError(f"started {words}")

    for name in ("posix_spawn", "posix_spawnp", "fork", "system", "execv"):
        monkeypatch.setattr(os, name, refuse)
    monkeypatch.setattr(subprocess, "Popen", refuse)
    memory_id = warm.mem("search", "session", "--json").json[0]["id"]

    for name, line in HOT.items():
        if name not in ("supersede", "forget"):
            warm.mem(*line.replace("ID", memory_id).split())


class Point(Record):
    """A record of two fields, one of which may be left out."""

    x: int
    y: int = 7

    @property
    def total(self) -> int:
        """A record may have methods."""
        return self.x + self.y


class Empty(Record):
    """A record of nothing."""


def test_a_record_is_built_by_position_or_by_name() -> None:
    assert Point(1) == Point(x=1) == Point(1, 7) == Point(1, y=7) == Point(y=7, x=1)
    assert (Point(1).x, Point(1).y, Point(1, 2).total) == (1, 7, 3)
    assert Point(1) != Point(2)
    assert len({Point(1), Point(1, 7), Point(2)}) == 2
    assert repr(Point(1)) == "Point(x=1, y=7)"
    assert Empty() == Empty()


def test_a_record_cannot_be_changed() -> None:
    point = Point(1)
    for name in ("x", "y", "z", "total"):
        with pytest.raises(AttributeError):
            setattr(point, name, 5)
    with pytest.raises(AttributeError):
        del point.x

    assert replace(point, x=5) == Point(5)
    assert point == Point(1)
    assert as_dict(point) == {"x": 1, "y": 7}


def test_a_record_is_not_built_of_wrong_arguments() -> None:
    for values, named in (((), {}), ((1, 2, 3), {}), ((1,), {"x": 1}), ((1,), {"z": 1}), ((1, 2), {"y": 3}), ((), {"y": 1})):
        with pytest.raises(TypeError, match="Point"):
            Point(*values, **named)
    with pytest.raises(TypeError, match="Point"):
        replace(Point(1), z=1)
    with pytest.raises(TypeError):
        Empty(1)  # type: ignore[call-arg]
