"""Documents are cut at their headings, data at its keys, anything else at empty lines."""

from __future__ import annotations

import pytest

from memcli.ingest.cut import cut, languages
from memcli.ingest.cut.document import Piece

PROSE = "The first value and the second value stand here, one after the other, and so does the third of them.\n"


def told(path: str, text: str, tokens: int = 80) -> list[tuple[int, int, str]]:
    made = cut(path, text, tokens)
    assert made.fell_back == ""
    return [(piece.first_line, piece.last_line, piece.symbol) for piece in made.pieces]


def symbols(path: str, text: str, tokens: int = 80) -> list[str]:
    return [symbol for *_, symbol in told(path, text, tokens)]


def test_a_section_is_named_with_the_headings_above_it() -> None:
    titles = ["# Guide", "## To *begin* with", "### [Install](http://x) `it` ###", "## Use"]
    text = PROSE + "".join(f"\n{title}\n\n{PROSE}" for title in titles)
    assert told("a.md", text) == [
        (1, 2, ""),
        (3, 6, "Guide"),
        (7, 10, "Guide > To begin with"),
        (11, 14, "Guide > To begin with > Install it"),
        (15, 17, "Guide > Use"),
    ]
    assert {piece.kind for piece in cut("a.md", text).pieces} == {"section"}


def test_underlined_headings_count_and_rules_do_not() -> None:
    text = f"Guide\n=====\n\n{PROSE}\nUse\n---\n\n{PROSE}\n---\n\n{PROSE}- item\n---\n"
    assert symbols("a.md", text) == ["Guide", "Guide > Use", "Guide > Use"]


def test_fenced_code_has_no_headings_and_is_kept_whole_where_it_fits() -> None:
    code = "```sh\n# not a heading\n\n## nor this\n```\n"
    assert symbols("a.md", f"# One\n\n{PROSE}\n{code}", 300) == ["One"]
    assert symbols("a.md", f"# One\n\n~~~~\n# no\n~~~\n# no\n~~~~\n\n# Two {PROSE}", 60)[-1].startswith("Two")
    made = cut("a.md", f"# One\n\n{PROSE * 3}\n{code}\n{PROSE * 3}", 150).pieces
    assert sum("```sh" in piece.text for piece in made) == 1
    assert all(piece.text.count("```") in (0, 2) for piece in made)


def test_html_comments_quotes_and_lists_have_no_headings() -> None:
    html = "<!--\n# no\n-->\n\n<pre>\n# no\n</pre>\n\n<details>\n# no\n\n</details>\n"
    text = f"# One\n\n{html}\n> # no\n\n- # no\n\n# Two\n\n{PROSE}"
    assert symbols("a.md", text, 60)[-1] == "Two"
    assert not any("no" in name.split() for name in symbols("a.md", text, 60))


def test_front_matter_has_no_headings() -> None:
    assert symbols("a.md", f"---\ntitle: x\n# a comment\n---\n\n# One\n\n{PROSE}", 300) == ["One"]
    assert symbols("a.md", f"---\n\n# One\n\n{PROSE}", 300) == ["One"]


def test_small_sections_share_a_chunk() -> None:
    assert symbols("a.md", "# A\n\none\n\n## B\n\ntwo\n\n## C\n\nthree\n\n## D\n\nfour\n", 320) == ["A"]
    text = "# A\n\none\n\n## B\n\ntwo\n\n## C\n\nthree\n\n## D\n\nfour\n" + f"\n## E\n\n{PROSE * 12}"
    assert symbols("a.md", text, 320)[0] == "A, A > B, A > C, …"


def test_the_depth_of_titles_in_restructuredtext_follows_from_their_order() -> None:
    text = (
        f"=====\nGuide\n=====\n\n{PROSE}\nUse\n---\n\n{PROSE}\nNow\n~~~\n\n{PROSE}::\n\n    not\n    ---\n\nMore\n----\n\n{PROSE}"
    )
    assert symbols("a.rst", text) == ["Guide", "Guide > Use", "Guide > Use > Now", "Guide > More"]


VALUE = '"' + "first value " * 12 + '"'
JSON = f"""{{
  "name": {VALUE},
  "deps": {{
    "a": {VALUE},
    "b": {VALUE}
  }},
  // so
  "list": [
    {{"x": {VALUE}}}
  ]
}}
"""
YAML = f"""# why
name: {VALUE}
deps:
  a: {VALUE}
  'b': {VALUE}
script: |
  not: a key
  {VALUE}
steps:
- name: {VALUE}
  run: {VALUE}
- uses: x
"""
TOML = f"""top = 1
[tool.x]
a = {VALUE}
b = \"\"\"
[no]
\"\"\"
[[tool.y]]
c = [
  {VALUE},
]
"""


@pytest.mark.parametrize(
    ("path", "text", "names"),
    [
        ("a.json", JSON, ["name", "deps", "deps.a", "deps.b", "list"]),
        ("a.yml", YAML, ["name", "deps, deps.a", "deps.b", "script", "steps", "steps", "steps.run", "steps"]),
        ("a.toml", TOML, ["top", "tool.x", "tool.y"]),
        ("setup.cfg", f"[one]\na = {VALUE}\n[two]\nb: {VALUE}\n", ["one", "two"]),
    ],
)
def test_data_is_cut_at_its_keys_then_at_the_keys_in_these(path: str, text: str, names: list[str]) -> None:
    assert symbols(path, text, 110) == names
    assert {piece.kind for piece in cut(path, text).pieces} == {"key"}


@pytest.mark.parametrize(
    ("path", "text", "why"),
    [
        ("a.json", '{"a": [1, 2}', "brackets that do not match"),
        ("a.json", '{"a": {', "brackets without an end"),
        ("a.json", '{"a": "b', "a string or comment without an end"),
        ("a.json", "what is this", "no key"),
        ("a.yaml", "\ta: b\n", "no key"),
        ("a.yaml", "what is this", "no key"),
        ("a.toml", 'a = """\nb', "does not parse"),
        ("a.toml", "what is this", "does not parse"),
        ("a.ini", "what is this", "no key"),
    ],
)
def test_data_that_is_not_what_its_name_says_is_cut_by_lines(path: str, text: str, why: str) -> None:
    made = cut(path, text)
    assert made.fell_back == why
    assert made.pieces == (Piece(1, len(text.rstrip("\n").split("\n")), text.rstrip("\n"), "", "text"),)


def test_a_template_of_yaml_is_cut_at_its_keys() -> None:
    inside = f"metadata:\n  {{{{- if .x }}}}\n  a#b: {VALUE}\n  {{{{- end }}}}\n  c: {VALUE}\n"
    text = f"{{{{- if .on }}}}\nname: {VALUE}\n{inside}spec: {VALUE}\n{{{{ end }}}}\n"
    assert symbols("a.yaml", text, 110) == ["name", "metadata", "metadata.a#b", "metadata.c", "spec"]


def test_a_mistake_in_toml_costs_the_keys_around_it_at_most() -> None:
    text = f"a = {VALUE}\nwhat is this\n[tool.x]\nb = {VALUE}\nc = {VALUE}\n"
    assert symbols("a.toml", text, 110)[-1] == "tool.x.c"


def test_plain_text_is_cut_after_empty_lines() -> None:
    text = "".join(f"{PROSE * 2}\n" for _ in range(9))
    assert all(piece.text.startswith("The first") and piece.text.endswith("\n") for piece in cut("a", text, 120).pieces[:-1])


@pytest.mark.parametrize(
    ("path", "first", "language"),
    [
        ("src/a.py", "", "python"),
        ("A.PY", "", "python"),
        ("types.d.ts", "", "typescript"),
        ("a.h", "struct a;", "c"),
        ("a.h", "namespace a {", "cpp"),
        ("Rakefile", "", "ruby"),
        ("bin/tool", "#!/usr/bin/env -S python3.11 -u", "python"),
        ("bin/tool", "#!/bin/sh -e", "shell"),
        ("bin/tool", "#!/usr/bin/env X=1 node", "javascript"),
        (".hook", "#!/bin/bash", "shell"),
        ("bin/tool", "#!", "text"),
        ("bin/tool", "#!/usr/bin/perl", "text"),
        ("notes.txt", "#!/bin/sh", "text"),
        ("py", "", "text"),
        ("", "", "text"),
    ],
)
def test_the_language_follows_from_name_extension_or_first_line(path: str, first: str, language: str) -> None:
    assert languages.of(path, [first]) == language
