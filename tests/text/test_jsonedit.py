"""Changing one place of a JSON text: every other byte stays."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memcli.agents.setup import jsonedit

SETTINGS = """\
{
  // why: the team agreed on it
  "theme": "dark", /* or light */
  "hooks": {
    "Stop": [
      {"hooks": [{"type": "command", "command": "say done"}]}
    ]
  },
  "z": 1,
  "a": [1, 2]
}
"""
NEW = {"hooks": [{"type": "command", "command": "mem"}]}


def test_what_is_put_into_an_object_goes_to_its_end_in_its_own_manner() -> None:
    assert jsonedit.put('{\n\t"a": 1\n}\n', ("b",), 2) == '{\n\t"a": 1,\n\t"b": 2\n}\n'
    assert jsonedit.put('{"a": 1}', ("b", "c"), [2]) == '{"a": 1, "b": {"c": [2]}}'
    assert jsonedit.put("{}\n", ("b",), 2) == '{\n  "b": 2\n}\n'
    assert jsonedit.put('{\r\n    "a": {}\r\n}', ("a", "b"), 1) == '{\r\n    "a": {\r\n        "b": 1\r\n    }\r\n}'


def test_comments_order_and_layout_stay_where_something_is_put() -> None:
    changed = jsonedit.put(SETTINGS, ("hooks", "Stop", 1), NEW)
    assert jsonedit.parse(changed).value["hooks"]["Stop"][1] == NEW
    added = changed.splitlines()
    for line in SETTINGS.splitlines():
        assert line in added or line + "," in added
    assert len(added) == len(SETTINGS.splitlines()) + 1


def test_a_comment_behind_the_last_one_stays_behind_it() -> None:
    text = '{\n  "a": 1 // why\n  // "b": 2\n}\n'
    assert jsonedit.put(text, ("c",), 3) == '{\n  "a": 1, // why\n  // "b": 2\n  "c": 3\n}\n'
    assert jsonedit.put("[1 /* one */]", (1,), 2) == "[1, /* one */ 2]"
    assert jsonedit.put("{\n  a: 1,\n}", ("b",), 2) == '{\n  a: 1,\n  "b": 2,\n}'


def test_a_value_that_is_there_is_replaced_where_it_stands() -> None:
    assert jsonedit.put(SETTINGS, ("a", 0), 7) == SETTINGS.replace("[1, 2]", "[7, 2]")
    assert jsonedit.put("{'a': 'it\\'s'}", ("a",), "x") == "{'a': \"x\"}"


def test_what_is_dropped_takes_its_comma_along() -> None:
    assert jsonedit.drop('{"a": 1, "b": 2}', ("a",)) == '{ "b": 2}'
    assert jsonedit.drop('{"a": 1, "b": 2}', ("b",)) == '{"a": 1}'
    assert jsonedit.drop('{\n  "a": 1,\n  // of a\n  "b": 2\n}', ("b",)) == '{\n  "a": 1\n  // of a\n}'
    assert jsonedit.drop('{\n  "a": 1\n}', ("a",)) == "{}"


PLAIN = st.recursive(
    st.none() | st.booleans() | st.integers(-9, 9) | st.text(max_size=4),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner, max_size=3),
    max_leaves=12,
)


@given(st.dictionaries(st.text(max_size=3), PLAIN, max_size=4), st.sampled_from([None, 1, "\t", 4]), PLAIN)
def test_whatever_is_put_in_and_dropped_leaves_the_text_as_it_was(document: dict[str, Any], indent: Any, value: Any) -> None:
    text = json.dumps(document, indent=indent)
    changed = jsonedit.put(text, ("hooks", "Stop", 0), value)
    expected = {**document, "hooks": {"Stop": [value]}}
    assert jsonedit.parse(changed).value == expected == json.loads(changed)
    assert list(json.loads(changed)) == list(expected)
    assert jsonedit.drop(changed, ("hooks",)) == text


@given(PLAIN)
def test_what_json_reads_is_read_alike(document: Any) -> None:
    for indent in (None, 2):
        text = json.dumps(document, indent=indent)
        assert jsonedit.parse(text).value == document
        assert jsonedit.parse(f"// so\n{text} /* is it */").value == document


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ('{"a": 1', 1),
        ('{\n"a" 1}', 2),
        ("", 1),
        ("{a}", 1),
        ("[1 2]", 1),
        ("[1,,2]", 1),
        ('{"a": 1} x', 1),
        ('{\n\n"a": NaN}', 3),
        ('{"a": 1,\n "a": 2}', 2),
        ('"un\nclosed"', 1),
        ("[" * 100_000, 1),
        ("/* never ends", 1),
        ("{,}", 1),
        ("[1", 1),
        ('{"a": }', 1),
        ("{", 1),
    ],
)
def test_what_is_no_json_is_refused_with_its_line(text: str, line: int) -> None:
    with pytest.raises(jsonedit.MalformedJson) as refused:
        jsonedit.parse(text)
    assert refused.value.line == line
