"""What the documents say of settings, commands, scripts and tests is true of the code."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import pytest

from memcli.cli.app import command_line
from memcli.settings import SETTINGS

ROOT = Path(__file__).parents[1]
DOCS = ROOT / "docs"
PAGES = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted(DOCS.glob("*.md"))]
NAMED = re.compile(r"`([a-z]+\.[a-z_]+)` (?:\(|\| )((?:\d{1,3}(?:,\d{3})+|\d+)(?:\.\d+)?)(?=\)| \|)")  # in a text or a table
BLOCK = re.compile(r"^```console\n(.*?)^```", re.MULTILINE | re.DOTALL)
INDENTED = re.compile(r"^    (?:\$ )?(mem .*?)(?:  +\S.*)?$", re.MULTILINE)  # what a command does may stand behind it
INLINE = re.compile(r"`(mem [a-z][^`\n]*)`")
WITHOUT_DECLARATION = {"hook", "help", "complete", "ingest-artifact"}  # they do not come to Typer as they stand
NUMBER = re.compile(r"(?<=[ =])(?:N|PORT)\b")
OPTIONAL = re.compile(r"\[(--?[^\]]*)\]")
CHOICE = re.compile(r"(?<=\w)\|[\w|]+")


def console(page: Path) -> list[str]:
    """Returns the commands of a page's blocks, each as one line."""
    lines: list[str] = []
    for block in BLOCK.findall(page.read_text(encoding="utf-8")):
        lines += [line[2:].partition(" # ")[0].strip() for line in block.replace("\\\n", " ").split("\n") if line[:2] == "$ "]
    return lines


def commands() -> dict[tuple[str, str], bool]:
    """Returns every command line of `mem` that a page has, by the page's name, and whether it only mentions a command."""
    lines: dict[tuple[str, str], bool] = {}
    for page in PAGES:
        text = page.read_text(encoding="utf-8")
        lines |= {(page.name, line): True for line in INLINE.findall(text)}
        lines |= {(page.name, line): False for line in [*console(page), *INDENTED.findall(text)] if line.startswith("mem ")}
    return lines


def words_of(line: str) -> list[str]:
    """Returns the words behind `mem`, as a shell has them, up to a pipe or another command."""
    line = CHOICE.sub("", OPTIONAL.sub(r"\1", NUMBER.sub("1", line)))
    lexer = shlex.shlex(line, posix=True, punctuation_chars="|&;<>")
    lexer.whitespace_split = True
    words = []
    for word in lexer:
        if set(word) <= set("|&;<>"):
            break
        words.append(word)
    return words[1:]


def complaint(line: str, is_mention: bool = False) -> str:
    """Returns what is wrong with a command line, empty where the command takes it. A mention need not be complete."""
    declared = command_line().commands
    try:
        words = words_of(line)
    except ValueError as error:
        return str(error)
    if not words or words[0] in WITHOUT_DECLARATION or "--help" in words:
        return ""
    if words[0] not in declared:
        return f"no command {words[0]}"
    try:
        declared[words[0]].make_context(words[0], words[1:])
    except Exception as error:
        text = error.format_message() if hasattr(error, "format_message") else repr(error)
        return "" if is_mention and ("Missing" in text or "requires an argument" in text) else text
    return ""


def test_defaults_in_the_documents_are_those_of_the_settings() -> None:
    named = [(path.name, *match) for path in DOCS.glob("*.md") for match in NAMED.findall(path.read_text(encoding="utf-8"))]
    wrong = [
        (document, key, text)
        for document, key, text in named
        if key in SETTINGS and float(text.replace(",", "")) != float(SETTINGS[key][0])
    ]
    assert len(named) > 15
    assert wrong == []


def test_every_command_in_the_documents_is_one_that_mem_takes() -> None:
    lines = commands()
    assert len(lines) > 200
    complaints = {where: complaint(where[1], is_mention) for where, is_mention in lines.items()}
    assert {where: text for where, text in complaints.items() if text} == {}


@pytest.mark.parametrize("line", ["mem nothing", "mem get --nothing x", "mem recent --limit many", 'mem add "x'])
def test_a_command_that_mem_does_not_take_is_found(line: str) -> None:
    assert complaint(line)


def test_every_script_in_the_documents_is_there() -> None:
    named = {name for page in PAGES for name in re.findall(r"\bscripts/[\w.]+\w", page.read_text(encoding="utf-8"))}
    assert len(named) > 15
    assert {name for name in named if not (ROOT / name).exists()} <= {"scripts/promote"}  # of an example


TEST = re.compile(r"`(tests/[\w/]+\.py)(?:::(\w+))?`")


def missing(text: str) -> list[str]:
    """Returns the tests that a text names and that there are not."""
    named = [(path, name, ROOT / path) for path, name in TEST.findall(text)]
    return [
        f"{path}::{name}"
        for path, name, file in named
        if not file.is_file() or (name and f"def {name}(" not in file.read_text(encoding="utf-8"))
    ]


def test_every_threat_is_held_by_a_test_that_is_there() -> None:
    text = (DOCS / "security.md").read_text(encoding="utf-8")
    assert missing(text) == []
    tables = [block.splitlines() for block in text.split("\n\n") if block.splitlines()[0].endswith("| test |")]
    assert len(tables) == 4
    assert [row for head, line, *rows in tables for row in rows if not TEST.search(row.rpartition(" | ")[2])] == []


def test_a_test_that_is_not_there_is_noticed() -> None:
    assert missing("`tests/test_documented.py::test_nothing`, `tests/test_none.py`") == [
        "tests/test_documented.py::test_nothing",
        "tests/test_none.py::",
    ]


def test_every_view_of_the_page_is_described_by_the_name_that_it_has() -> None:
    menu = (ROOT / "memcli/http/viewer/lib/nav.js").read_text(encoding="utf-8").partition("];\n")[0]
    table = (DOCS / "http.md").read_text(encoding="utf-8").partition("## The page\n")[2].partition("\n![Memories")[0]
    described = {name for cell in re.findall(r"^\| ([^|]*) \|", table, re.MULTILINE) for name in cell.split(", ")}
    views = re.findall(r'\["[a-z]+", "([A-Z][a-z ]+)", "', menu)
    assert len(views) > 15
    assert [name for name in views if name not in described] == []
