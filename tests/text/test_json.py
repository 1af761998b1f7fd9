"""One JSON value or Malformed, and nothing else; what is written is what the standard library would write."""

from __future__ import annotations

import importlib.util
import json as stdlib
import subprocess
import sys
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from memcli.text import json as ours
from tests.properties import examples

ANY = settings(max_examples=examples(100), deadline=None, derandomize=True)
floats = st.floats(allow_nan=False, allow_infinity=False)
scalars = st.one_of(st.none(), st.booleans(), st.integers(), floats, st.text())
values = st.recursive(scalars, lambda inner: st.one_of(st.lists(inner), st.dictionaries(st.text(), inner)), max_leaves=20)
tokens = st.lists(
    st.sampled_from([*'{}[],:"\\ \n\tue0123.-+', "true", "null", '"a"', "1", "NaN", "\x00", "\ufeff", "é"]), max_size=12
)


def without_accelerator() -> ModuleType:
    """Loads the module as on a Python that has no `_json`."""
    spec = importlib.util.find_spec("memcli.text.json")
    assert spec
    assert spec.loader
    module = importlib.util.module_from_spec(spec)
    kept = sys.modules.get("_json")
    sys.modules["_json"] = None  # type: ignore[assignment]
    try:
        spec.loader.exec_module(module)
        missing = vars(module)["_c_library"]()
    finally:
        del sys.modules["_json"]
        if kept:
            sys.modules["_json"] = kept
    vars(module)["_c_library"] = lambda: missing  # it looks again at every call
    return module


PLAIN = without_accelerator()


@pytest.fixture(params=["_json", "json"])
def json(request: pytest.FixtureRequest) -> Any:
    return ours if request.param == "_json" else PLAIN


def outcome(module: Any, text: str) -> Any:
    """The value, with its types, or "malformed"; any other exception fails the test."""
    try:
        return repr(module.loads(text))
    except module.Malformed:
        return "malformed"


def expected(text: str) -> Any:
    """What the standard library says, made strict."""

    def number(digits: str) -> float:
        value = float(digits)
        if value - value != 0:
            raise ValueError(digits)
        return value

    def constant(name: str) -> None:
        raise ValueError(name)

    try:
        return repr(stdlib.loads(text, parse_float=number, parse_constant=constant))
    except (ValueError, RecursionError):
        return "malformed"


def test_without_the_accelerator_the_standard_library_does_the_work() -> None:
    assert vars(PLAIN)["_c_library"]() is None
    assert vars(ours)["_c_library"]() is not None


@ANY
@given(values)
def test_what_is_written_is_read_back_and_is_what_the_standard_library_writes(value: Any) -> None:
    for module in (ours, PLAIN):
        assert module.dumps(value) == stdlib.dumps(value, separators=(",", ":"))
        assert module.canonical(value) == stdlib.dumps(value, separators=(",", ":"), sort_keys=True, ensure_ascii=False)
        for text in (module.dumps(value), module.canonical(value), stdlib.dumps(value, indent=1)):
            assert repr(module.loads(text)) == repr(stdlib.loads(text))


@ANY
@given(
    st.one_of(
        st.text(),
        tokens.map("".join),
        values.map(stdlib.dumps).flatmap(lambda text: st.integers(0, len(text)).map(lambda n: text[:n])),
    )
)
@example("")
@example(" ")
@example("[1,]")
@example('{"a":1,}')
@example('"\\ud800"')
def test_any_text_is_one_value_or_malformed_as_in_the_standard_library(text: str) -> None:
    assert outcome(ours, text) == outcome(PLAIN, text) == expected(text)


MALFORMED = [
    *(
        "",
        " ",
        "[",
        "[1",
        "[1,]",
        '{"a"}',
        '{"a":}',
        "{1:2}",
        "{'a':1}",
        "nul",
        "True",
        "1 2",
        "{} []",
        "01",
        "+1",
        "1.",
        ".5",
        "0x1",
        "1e",
        "--1",
    ),
    *(
        "NaN",
        "Infinity",
        "-Infinity",
        "[NaN]",
        "1e999",
        "-1e999",
        "[1, 1e400]",
        "\ufeff{}",
        '"a\nb"',
        '"\x00"',
        '"\\x41"',
        '"\\u12"',
        '"',
        "\x00",
        "{}\x00",
    ),
    *("// a\n1", "1 // a", "[1 2]", '"a" "b"', "undefined", "\u00a01", "1\u2028"),
]


@pytest.mark.parametrize("text", MALFORMED, ids=ascii)
def test_what_is_not_one_json_value_is_malformed_with_a_reason(json: Any, text: str) -> None:
    with pytest.raises(json.Malformed) as caught:
        json.loads(text)
    assert str(caught.value)


@pytest.mark.parametrize("opening", ["[", '{"a":', '[{"a":'])
def test_a_text_nested_too_deeply_is_malformed(json: Any, opening: str) -> None:
    with pytest.raises(json.Malformed):
        json.loads(opening * 100_000)
    closing = {"[": "]", '{"a":': "}", '[{"a":': "}]"}[opening]
    with pytest.raises(json.Malformed):
        json.loads(opening * 100_000 + "1" + closing * 100_000)
    assert json.loads(opening * 50 + "1" + closing * 50)


def test_big_whole_numbers_are_exact_and_endless_ones_malformed(json: Any) -> None:
    assert json.loads("9" * 4000) == int("9" * 4000)
    assert json.loads("-18446744073709551617") == -(2**64) - 1
    with pytest.raises(json.Malformed):
        json.loads("9" * 100_000)


def test_of_a_key_that_stands_twice_the_last_counts(json: Any) -> None:
    assert json.loads('{"a": 1, "b": 2, "a": 3}') == {"a": 3, "b": 2}


def test_the_canonical_form_is_sorted_compact_and_readable(json: Any) -> None:
    assert json.canonical({"b": [1, {"z": None, "é": "記\n"}], "a": True}) == '{"a":true,"b":[1,{"z":null,"é":"記\\n"}]}'
    assert json.canonical({"\U0001f642": 1, "\uffff": 2, "a": 3}) == '{"a":3,"\uffff":2,"\U0001f642":1}'
    assert json.dumps({"b": "é\U0001f642", "a": 1.5}) == '{"b":"\\u00e9\\ud83d\\ude42","a":1.5}'


@ANY
@given(values)
def test_the_canonical_form_of_the_canonical_form_is_itself(value: Any) -> None:
    once = ours.canonical(value)
    assert ours.canonical(ours.loads(once)) == once
    if not any("\ud800" <= char <= "\udfff" for char in once):
        assert once.encode()


@pytest.mark.parametrize("value", [object(), {1, 2}, b"bytes", [1j]])
def test_what_is_not_json_is_not_written(json: Any, value: object) -> None:
    with pytest.raises(TypeError):
        json.dumps(value)


@pytest.mark.parametrize("value", [float("nan"), float("inf"), [float("-inf")]])
def test_a_number_that_json_lacks_is_not_written(json: Any, value: object) -> None:
    for write in (json.dumps, json.canonical):
        with pytest.raises(ValueError, match="JSON"):
            write(value)


def test_a_malformed_text_is_malformed_before_the_standard_library_was_imported() -> None:
    code = """if True:
        import sys
        from memcli.text import json
        assert "json" not in sys.modules
        assert json.loads('{"a": [1, 2.5, "é"]}') == {"a": [1, 2.5, "é"]}
        assert "json" not in sys.modules
        for text in ("[1,", '{"a" 1}', '"', "[" * 100_000, "", "1e999", '["\\\\x"]'):
            try:
                json.loads(text)
            except json.Malformed:
                continue
            raise AssertionError(text)"""
    done = subprocess.run([sys.executable, "-S", "-c", code], capture_output=True, text=True, cwd=Path(__file__).parents[2])
    assert (done.returncode, done.stderr) == (0, "")


@pytest.mark.parametrize("module", [ours, without_accelerator()], ids=["accelerated", "plain"])
@pytest.mark.parametrize(("opening", "closing"), [("[", "]"), ('{"a":', "}")])
def test_nesting_has_the_same_limit_in_every_python(module: ModuleType, opening: str, closing: str) -> None:
    module.loads(opening * 500 + "[]" + closing * 500)
    module.loads("[" + opening + "1" + closing + ",{}" * 2_000 + "]")
    for levels in (502, 1_000, 200_000):
        with pytest.raises(module.Malformed):
            module.loads(opening * levels + "1" + closing * levels)
