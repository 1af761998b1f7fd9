"""The strict parser and Typer are one command line: the same bytes, the same exit code, the same options."""

from __future__ import annotations

import importlib
import importlib.util
import os
import random
import shlex
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any
from unittest.mock import ANY

import pytest

from memcli.__main__ import hinting, parse
from memcli.cli import table
from memcli.cli.app import run_typer
from memcli.cli.invoke import Common, request_class
from tests.conftest import Terminal

ROOT = Path(__file__).resolve().parents[2]
TYPED_JSON = '{"title": "From JSON", "summary": "typed by a program", "tags": ["x"], "entities": ["y"], "kind": "Decision"}'

# A line a command, as typed. ONE, TWO and OLD stand for ids; standard input holds TYPED_JSON.
COMMANDS = {
    "get": """
        get 'where do the session tokens live?'|get session --format prompt|get --format=json session|get --format xml session
        get session --format yaml|get session --format json --format xml|get session --json --format xml|get --json session
        get session --budget 60|get --budget=60 session|get session --budget 0|get session --budget -4|get session --budget x
        get session --budget ''|get session --budget 0060|get session --budget 6_0|get session --budget ' 60'
        get session --budget ٦|get session --budget 99999999999|get session --include-orphans|get session --include-orphans=yes
        get|get ''|get ' '|get -|get - --json|get -- --json|get -- -|get a b|get -5|get session --user
        get '"quoted" AND (odd* OR NEAR)' --json|get session --budget|get session --repo ''|get session --repo=
        get session --workspace ''|get --workspace=side session --json|get --|get -- --
        get why is --json it slow|get a - b|get a --bogus b
    """,
    "explain": """
        explain session|explain session --json|explain --include-orphans session|explain|explain a b|explain -
        explain --json a b --budget 60 c|explain session --budget 5|explain zzz|explain zzz --json|explain 'x\ud800'
    """,
    "search": """
        search session|search session --json|search --json session|search session --limit 1|search session --limit=1 --offset=1
        search session --limit 0|search session --limit x|search session --limit 100000|search session --offset -1
        search session --offset 5|search session --kind decision|search session --thread auth --json|search session --since 3d
        search session --until 2020-01-01|search session --since soon|search|search session --batch -|search --batch nofile
        search --batch -|search --batch - --json|search -|search 'a' 'b'|search --limit 1 --limit 2 session
        search session OR --json zzz|search session --limit 1 tokens|search a --batch -
        search session --kind|search -- -x|search zzz --json
    """,
    "recent": """
        recent|recent --json|recent --limit 1|recent --limit=1 --json|recent --limit 0|recent --limit x|recent extra
        recent --limit|recent --limit 999999999|recent --limit 9999999999|recent --
    """,
    "threads": "threads|threads --json|threads x|threads --user --json|threads --limit 3",
    "thread": """
        thread auth|thread auth --json|thread --limit 1 auth|thread nosuch|thread|thread auth --limit 0|thread a b
        thread 'au\x1b[31mth'
    """,
    "show": """
        show ONE|show ONE TWO|show ONE --json TWO|show --json ONE|show|show M-ZZZZZZZZZZ|show M-|show zz --json|show ONE ONE
        show ''|show -- ONE|show -- --json|show -|show OLD|show C-ZZZZZZZZZZ
    """,
    "diff": """
        diff ONE|diff ONE 1|diff ONE 0 --json|diff ONE x|diff ONE -1|diff|diff nosuch|diff ONE 99
        diff ONE 99999999999999999999|diff a b c
    """,
    "status": "status|status --json|status --short|status --short --json|status x",
    "pick": "pick --list|pick --list session|pick --json --kind decision|pick|pick --list --limit 0|pick --list --limit 1",
    "log": """
        log -p|log --patch --json|log -p --limit 1 ONE|log -px|log|log --json|log ONE|log ONE --json|log --limit 2|log nosuch
        log a b|log --limit 0|log ''|log -
    """,
    "add": """
        add Fact --summary why|add --title Fact --summary why|add Fact --title Fact --summary why|add Fact|add|add --summary why
        add Fact --summary=why --thread=t --kind=Decision --tags 'a, b,,a' --entities=E --json|add --json Fact --summary why
        add Fact --summary -|add --stdin-json|add --stdin-json --json|add Fact --summary why --file a.txt --file=b.txt
        add '' --summary why|add Fact --summary ''|add Fact --summary why --file nofile
        add Fact --summary why --file /etc/passwd|add Fact --summary --json|add Fact --summary -- --json|add -- -Fact
        add Fact --summary why --kind ''|add Fact --summary why --thread ''|add - --summary why|add Fact --summary why extra
        add Fact --summary|add 'bad\udcff' --summary why|add Fact --summary 'bad\udcff' --json|add Fact --bogus
        add Fact --summary why --user|add Fact --summary why --workspace side|add Fact --summary why --workspace ../up
        add --stdin-json x|add Fact --summary why --tags ''|add 'Ünïcode 測試' --summary 'ß'|add Fact --summary why --stdin-json=1
        add Fact -s why
    """,
    "update": """
        update ONE --title New|update ONE --summary New --json|update ONE|update
        update ONE --kind X --thread y --tags a,b --entities c|update nosuch --title x|update --title=New ONE
        update ONE --title ''|update ONE --summary -|update ONE TWO|update ONE --tags ''|update ONE --summary=''
    """,
    "supersede": """
        supersede ONE --summary New|supersede ONE --title New --json|supersede ONE|supersede|supersede OLD --summary x
        supersede nosuch --summary x|supersede ONE --summary - --tags a --entities b --thread c
        supersede ONE --kind x --summary y
    """,
    "forget": "forget ONE|forget ONE --json|forget|forget nosuch|forget ONE TWO|forget M-|forget --json -- ONE",
    "restore": "restore ONE|restore ONE --json|restore|restore nosuch",
    "pin": "pin ONE|pin ONE --json|pin|pin nosuch|pin --json ONE",
    "unpin": "unpin ONE|unpin --json ONE|unpin|unpin nosuch --json",
    "link": """
        link ONE needs TWO|link ONE needs TWO --json|link ONE 'Depends On' TWO|link ONE needs ONE|link ONE supersedes TWO
        link ONE needs|link ONE needs https://example.invalid/x|link ONE '' TWO|link nosuch needs TWO|link --json ONE needs TWO
        link ONE needs TWO more
    """,
    "checkpoint": """
        checkpoint --reason why --state-json '{"a":1}'|checkpoint --json --reason=why --state-json={}
        checkpoint --reason why --state-json -|checkpoint --reason why --state-file -
        checkpoint --reason why --state-file nofile|checkpoint --reason why|checkpoint|checkpoint --state-json 1
        checkpoint --reason why --state-json {|checkpoint --reason '' --state-json 1
        checkpoint --reason why --state-json 1 --state-file -|checkpoint --reason why --state-json 1 --thread t --json
        checkpoint why|checkpoint --reason why --state-file=
    """,
    "state": """
        state|state show|state history --json|state diff|state diff --json|state show --json|state odd|state --limit 1 history
        state a b|state ''
    """,
    "undo": "undo|undo --json|undo x",
    "version": "version|version --json|--version|version x",
    "care": """
        repos|repos --json|repos --repo x|use .|use nosuch|use|config|config get budget.total|config get nosuch
        config set budget.total x|config odd|config list x|config get budget.total --json|template agents|template odd
        template --json|export|export -|import nofile|import|import - --json|doctor --json|doctor|init --no-agents --json
        init --bogus|init nodir|config set budget.total 9 --json
    """,
    "none": "''|nosuch|nosuch --json|--bogus|help|--help|-h|--no-color|--|-",
}
COMMON = """
    --json|--no-color|--user|--workspace side|--workspace=side|--workspace a/b|--repo .|--repo=.|--repo nosuch
    --repo nosuch --json|--bogus|--json=1|--repo|--help|-h|--|--json --json|--user --user --no-color --json|--jso|-x
"""
BASE = {
    "get": "get session", "explain": "explain session", "search": "search session", "recent": "recent", "threads": "threads",
    "thread": "thread auth", "show": "show ONE", "log": "log", "add": "add F --summary s", "update": "update ONE --title F",
    "supersede": "supersede ONE --title F", "forget": "forget ONE", "pin": "pin ONE", "link": "link ONE needs TWO",
    "checkpoint": "checkpoint --reason r --state-json 1", "state": "state", "undo": "undo", "version": "version",
}  # fmt: skip


def lines(block: str) -> list[str]:
    """The command lines of a block: `|` and line ends part them."""
    return [line.strip() for row in block.splitlines() for line in row.split("|") if line.strip()]


@pytest.fixture
def dice(monkeypatch: pytest.MonkeyPatch) -> Callable[[], None]:
    """Makes every id predictable; calling it begins the row of ids anew."""
    source = random.Random(0)
    monkeypatch.setattr(os, "urandom", lambda size: source.randbytes(size))
    return lambda: source.seed(1)


@pytest.fixture
def ids(terminal: Terminal, dice: Callable[[], None]) -> dict[str, str]:
    """Fills the store of the repository, and returns the ids that command lines may speak of."""
    (terminal.folder / "a.txt").write_text("a")
    (terminal.folder / "b.txt").write_text("b")
    one = terminal.add(
        "Session tokens live in Postgres", "Redis evicted them.", "--thread", "auth", "--tags", "db,cache", "--kind", "decision"
    )
    two = terminal.add("The session cookie is named sid", "A proxy drops longer names.")
    old = terminal.add("Sessions live in Redis", "It was there.", "--thread", "auth")
    terminal.mem("supersede", old, "--title", "Sessions left Redis")
    terminal.mem("checkpoint", "--reason", "first", "--state-json", '{"task": "login", "open": [1]}')
    terminal.mem("checkpoint", "--reason", "second", "--state-json", '{"task": "logout"}')
    terminal.add("Session of mine", "I like them short.", "--user")
    return {"ONE": one, "TWO": two, "OLD": old}


@pytest.fixture
def both(
    terminal: Terminal, dice: Callable[[], None], ids: dict[str, str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> Any:
    """Runs one command line both ways, each on the same memory. Returns it with both answers unless they are equal and calm."""
    shutil.copytree(terminal.data, tmp_path / "kept")
    door = type(terminal).mem.__globals__
    fast = door["run"]

    def slow(words: list[str]) -> int:
        return run_typer(words, hinting(words))

    def differ(line: str) -> list[Any]:
        words = [ids.get(word, word.encode().decode("unicode_escape") if "\\" in word else word) for word in shlex.split(line)]
        answers = []
        for way in (fast, slow):
            dice()
            monkeypatch.setitem(door, "run", way)
            answers.append(terminal.mem(*words, fails=ANY, stdin=TYPED_JSON))
            shutil.rmtree(terminal.data)
            shutil.copytree(tmp_path / "kept", terminal.data)
        calm = answers[0] == answers[1] and answers[0].code in (0, 1, 2, 3) and "Traceback" not in answers[0].err
        return [] if calm else [(f"mem {line}", *answers)]

    return differ


@pytest.mark.parametrize("command", COMMANDS)
def test_both_parsers_answer_a_line_with_the_same_bytes(both: Callable[[str], list[Any]], command: str) -> None:
    assert [found for line in lines(COMMANDS[command]) for found in both(line)] == []


@pytest.mark.parametrize("command", BASE)
def test_both_parsers_take_the_common_options_alike(both: Callable[[str], list[Any]], command: str) -> None:
    name, _, rest = BASE[command].partition(" ")
    before = [f"{name} {option} {rest}" for option in ("--json", "--repo=.", "--workspace side")]

    assert [found for line in before + [f"{BASE[command]} {option}" for option in lines(COMMON)] for found in both(line)] == []


@pytest.mark.parametrize("command", BASE)
def test_an_everyday_line_does_not_load_typer(
    terminal: Terminal, ids: dict[str, str], monkeypatch: pytest.MonkeyPatch, command: str
) -> None:
    def refuse(words: list[str], _: object) -> int:
        raise AssertionError(f"Typer was asked about {words}")

    monkeypatch.setattr("memcli.cli.app.run_typer", refuse)
    words = [ids.get(word, word) for word in shlex.split(BASE[command])]

    terminal.mem(*words, "--json", "--no-color", fails=ANY)


def test_what_the_strict_parser_does_not_understand_it_declines_whole() -> None:
    for line in (
        "get",
        "get a b -x",
        "get a --bogus",
        "get a --json=1",
        "get a --budget",
        "get a --budget x",
        "get a -h",
        "threads --limit 3",
    ):
        name, *words = shlex.split(line)

        assert parse(words, table.COMMANDS[name], table.COMMON) is None, line


def test_the_generated_files_are_what_the_declarations_say() -> None:
    spec = importlib.util.spec_from_file_location("generate", ROOT / "scripts/generate.py")
    assert spec is not None
    assert spec.loader is not None
    generate = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(generate)

    for path, text in generate.outputs().items():
        assert path.read_text(encoding="utf-8") == text, f"{path.relative_to(ROOT)} is out of date: run scripts/docs"


@pytest.mark.parametrize("command", table.COMMANDS)
def test_a_verb_is_asked_for_what_its_declaration_takes(command: str) -> None:
    module, function, asks, positionals, options, shared = table.COMMANDS[command]
    verbs = importlib.import_module(f"memcli.cli.{module}")
    request = getattr(verbs, asks) if asks else request_class(command)
    declared = {field for field, *_ in (*positionals, *options.values())}

    assert sorted(declared) == sorted(request._fields)
    assert callable(getattr(verbs, function))
    assert {table.COMMON[flag][0] for flag in shared} <= set(Common._fields)  # type: ignore[attr-defined]


@pytest.mark.parametrize("command", table.COMMANDS)
def test_a_default_is_the_same_in_the_record_and_on_the_command_line(command: str) -> None:
    module, _, asks, positionals, options, _ = table.COMMANDS[command]
    record = getattr(importlib.import_module(f"memcli.cli.{module}"), asks) if asks else request_class(command)
    labels = {name for name, field in getattr(record, "FIELDS", {}).items() if field.kind == "labels"}  # None: not given
    told = {field: default for field, _, default in options.values()}
    told |= {field: default for field, required, _, default in positionals if not required}

    declared = {field: default for field, default in record._defaults.items() if field in told}
    declared |= {field: default or None for field, default in declared.items() if field in labels}

    assert declared == {field: default for field, default in told.items() if field in record._defaults}
