"""Source code is cut at what it defines."""

from __future__ import annotations

import pytest

from memcli.ingest.cut import cut
from memcli.ingest.cut.document import Piece
from tests.ingest.cut.samples import BODY, LIMIT, SAMPLES


def pieces(path: str, text: str, tokens: int = 320, overlap: int = 40) -> tuple[Piece, ...]:
    made = cut(path, text, tokens, overlap)
    assert made.fell_back == ""
    return made.pieces


def told(path: str, text: str, tokens: int = 320) -> list[tuple[int, int, str, str]]:
    return [(piece.first_line, piece.last_line, piece.kind, piece.symbol) for piece in pieces(path, text, tokens)]


@pytest.mark.parametrize("language", SAMPLES)
def test_the_definitions_of_every_language_are_found_and_named(language: str) -> None:
    path, text, symbols = SAMPLES[language]
    made = cut(path, text, LIMIT, 0)
    assert (made.language, made.fell_back) == (language, "")
    assert set(symbols.split()) <= {piece.symbol for piece in made.pieces}


@pytest.mark.parametrize("language", SAMPLES)
def test_a_small_file_is_one_chunk_that_names_what_it_defines(language: str) -> None:
    path, text, _ = SAMPLES[language]
    (piece,) = pieces(path, text, 2000)
    assert (piece.first_line, piece.text) == (1, text.rstrip("\n"))


def test_kinds_tell_methods_from_functions_and_structs_from_classes() -> None:
    kinds = {symbol: kind for _, _, kind, symbol in told("stack.rs", SAMPLES["rust"][1], LIMIT)}
    assert [kinds[name] for name in ("Stack.push", "inner.size_of", "inner", "Shape")] == [
        "method",
        "function",
        "module",
        "interface",
    ]
    kinds = {symbol: kind for _, _, kind, symbol in told("a.py", SAMPLES["python"][1], LIMIT)}
    assert kinds["LARGEST_SIZE_OF_A_QUEUE"] == "constant"
    assert kinds[""] == "module"


def test_comments_and_decorators_stay_with_what_they_are_about() -> None:
    numbers = "x = " + " + ".join(["1000"] * 70)
    text = f"import os\n\n{numbers}\n\n# one\n# two\n@cached\ndef f(a):\n    {BODY}\n\n\n# three\n\ndef g(a):\n    {BODY}\n"
    assert [piece.text.split("\n")[0] for piece in pieces("a.py", text, 100)] == ["import os", numbers, "# one", "def g(a):"]


def test_a_comment_at_the_end_of_a_line_stays_on_it() -> None:
    constant = "largest_value = first_value + second_value  # as large as it gets, by far"
    text = f"def f(a):\n    {BODY}\n\n\n{constant}\ndef g(a):\n    {BODY}\n"
    assert pieces("a.py", text, LIMIT)[-1].text.startswith("def g")


def test_a_large_function_is_cut_between_statements_and_repeats_a_little() -> None:
    text = "def f(a):\n" + "".join(f"    if a == {n}:\n        print(a, {n})\n        return {n}\n" for n in range(60))
    made = pieces("a.py", text)
    assert {(piece.symbol, piece.kind) for piece in made} == {("f", "function")}
    assert len(made) > 3
    for before, piece in zip(made, made[1:]):
        shared = before.last_line + 1 - piece.first_line
        assert 1 <= shared <= 8
        assert text.split("\n")[before.last_line].startswith("    if"), "the new part begins with a statement"
    apart = pieces("a.py", text, 320, 0)
    assert [p.last_line + 1 for p in apart[:-1]] == [p.first_line for p in apart[1:]]


def test_small_neighbours_share_a_chunk_and_large_ones_do_not() -> None:
    small = "".join(f"def f{n}(a):\n    return a + {n}\n\n\n" for n in range(4))
    assert told("a.py", small) == [(1, 16, "function", "f0, f1, f2, …")]
    large = "".join(f"def f{n}(a):\n" + f"    {BODY}\n" * 12 + "\n\n" for n in range(3))
    assert [symbol for *_, symbol in told("a.py", large)] == ["f0", "f1", "f2"]


def test_definitions_inside_conditions_and_callbacks_are_found() -> None:
    inner = "".join(f"    def f{n}(a):\n" + f"        {BODY}\n" * 12 for n in range(3))
    assert [symbol for *_, symbol in told("a.py", f"if True:\n{inner}")] == ["f0", "f1", "f2"]
    body = f"      {BODY};\n" * 12
    tests = "".join(f"  function f{n}(a) {{\n{body}  }}\n" for n in range(3))
    assert [symbol for *_, symbol in told("a.js", f"describe('x', () => {{\n{tests}}});\n")] == ["f0", "f1", "f2"]


def test_a_local_variable_names_nothing() -> None:
    text = "def f(a):\n" + "".join(f"    value_{n} = a * {n} + first_value - second_value\n" for n in range(60))
    assert {symbol for *_, symbol in told("a.py", text)} == {"f"}


def test_what_parses_is_used_although_the_rest_does_not() -> None:
    body = f"    {BODY}\n" * 12
    text = f"def f(a):\n{body}\n\n)]}} what is this\n\n\ndef g(a):\n{body}"
    symbols = [symbol for *_, symbol in told("a.py", text)]
    assert "f" in symbols
    assert "g" in symbols


def test_a_file_in_which_nothing_parses_is_cut_by_lines() -> None:
    made = cut("a.py", "}} ((( what\n" * 400)
    assert made.fell_back == "does not parse"
    assert {piece.kind for piece in made.pieces} == {"text"}


def test_two_definitions_on_one_line_are_one_chunk() -> None:
    text = f"function f() {{ {BODY}; }} function g() {{\n" + f"  {BODY};\n" * 30 + "}\n"
    assert sum(piece.first_line == 1 for piece in pieces("a.js", text)) == 1


def test_the_name_of_what_nests_a_thousand_deep_is_bounded() -> None:
    text = "".join(f"{'  ' * n}def f{n}():\n" for n in range(500)) + "  " * 500 + "pass\n"
    assert max(len(piece.symbol) for piece in cut("a.py", text).pieces) < 400
