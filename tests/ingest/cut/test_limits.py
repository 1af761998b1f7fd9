"""Texts made to break a parser, or to take for ever, are cut in seconds."""

from __future__ import annotations

import time

import pytest

from memcli.ingest.cut import cut, grammars
from memcli.ingest.cut.document import CLIP
from memcli.text import files as text_lines
from tests.ingest.cut.properties import faults

SECONDS = 20  # generous: the machine may be busy
HOSTILE = {
    "brackets": "(" * 200_000,
    "lines of brackets": "[\n" * 100_000,
    "blocks in blocks": "".join(" " * n + "if x:\n" for n in range(1500)),
    "open comments": "/* " * 150_000,
    "quotes": '"' * 200_000,
    "backslashes": '"' + "\\" * 200_000,
    "spaces": (" " * 8_000 + "x\n") * 50,
    "dashes": "- " * 100_000,
    "hashes": "# " + "# " * 100_000,
    "backticks": "`" * 200_000,
    "empty lines": "\n" * 200_000 + "x",
    "a number a line": "[\n" + "1,\n" * 50_000 + "1]\n",
    "tags": "<a>" * 50_000,
    "keys": "{" + '"a":{' * 50_000,
    "colons": ("a: " * 2_000 + "\n") * 25,
    "tables": ("[" + " " * 7_000 + "\n") * 25,
}


@pytest.mark.parametrize("name", HOSTILE)
@pytest.mark.parametrize(
    "path", ["a.py", "a.js", "a.cpp", "a.md", "a.rst", "a.json", "a.yaml", "a.toml", "a.ini", "a.html", "a.sh", "a"]
)
def test_a_hostile_text_is_cut_in_time(name: str, path: str) -> None:
    began = time.monotonic()
    text = HOSTILE[name]
    assert faults(text, cut(path, text)) == []
    assert time.monotonic() - began < SECONDS


def test_a_line_of_a_hundred_megabytes_is_one_chunk_of_its_beginning() -> None:
    began = time.monotonic()
    made = cut("a.js", "// before\nlet x = '" + "x" * 100_000_000 + "';\n// after\n")
    assert time.monotonic() - began < SECONDS
    longest = max(made.pieces, key=lambda piece: len(piece.text))
    assert longest.first_line <= 2 <= longest.last_line
    assert longest.text.endswith("x…") or "x…\n" in longest.text
    assert len(longest.text) < CLIP + 100


def test_a_text_that_takes_too_long_or_is_too_large_falls_back(monkeypatch: pytest.MonkeyPatch) -> None:
    text = "x = [\n" + "    first_value + (second_value),\n" * 30_000 + "]\n"
    monkeypatch.setattr(grammars.parse, "__defaults__", (0.0,))
    assert cut("a.py", text).fell_back == "takes too long to parse"
    assert cut("a.py", text * 5).fell_back == "larger than 4 MB"
    assert cut("a.json", text * 5).fell_back == "larger than 4 MB"


def test_a_grammar_that_is_not_there_is_no_error(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(grammars, "_languages", {})
    monkeypatch.setattr(grammars, "import_module", lambda name: (_ for _ in ()).throw(ImportError(name)))
    made = cut("a.py", "def f():\n    pass\n")
    assert made.fell_back == "the grammar tree_sitter_python cannot be loaded"
    assert [piece.text for piece in made.pieces] == ["def f():\n    pass"]


@pytest.mark.parametrize(
    ("text", "lines"),
    [
        ("", []),
        ("\n", [""]),
        ("a", ["a"]),
        ("a\n", ["a"]),
        ("a\r\nb\r\n", ["a", "b"]),
        ("a\rb\r", ["a", "b"]),
        ("a\rb\nc", ["a\rb", "c"]),
        ("\ufeffa\n\ufeffb", ["a", "\ufeffb"]),
        ("a\x0cb\x0bc\x1cd\x85e\u2028f\n", ["a\x0cb\x0bc\x1cd\x85e\u2028f"]),
        ("a\0b\n\n", ["a\0b", ""]),
    ],
)
def test_lines_are_those_that_git_and_editors_count(text: str, lines: list[str]) -> None:
    assert text_lines.split(text) == lines


def test_line_ends_and_a_byte_order_mark_change_nothing() -> None:
    text = "# One\n\ntext\n\n# Two\n"
    assert cut("a.md", "\ufeff" + text.replace("\n", "\r\n")) == cut("a.md", text)


@pytest.mark.parametrize("text", ["", "\n", " \t\r\n\n", "\ufeff", "\x0c\n"])
def test_a_text_without_a_visible_character_has_no_chunks(text: str) -> None:
    assert cut("a.py", text).pieces == cut("a.md", text).pieces == ()
